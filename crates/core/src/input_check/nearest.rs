//! Finds, among branches of which none fits, the one the input was meant for.
//!
//! Rule: a branch that asks for another kind of value was not meant; of the others, first those whose tags (`const` or
//! `enum` of a property) agree with the input, then the one with the fewest mistakes.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::types::JsonType;
use serde_json::Value;

use super::message::{members, types_of};

/// Most single values that are gathered from branches.
const MAX_OPTIONS: usize = 64;

type Mistakes = [ValidationError<'static>];

/// What to say of the branches.
pub(super) enum Branches<'a> {
    /// The value is of a kind that no branch asks for.
    OtherForm { types: Vec<JsonType>, options: Vec<&'a Value> },
    /// One branch asks for this kind of value.
    Only(&'a Mistakes),
    /// Several do.
    Nearest(&'a Mistakes),
}

pub(super) fn branches<'a>(owner: &ValidationError<'_>, context: &'a [Vec<ValidationError<'static>>]) -> Branches<'a> {
    let at = owner.instance_path().as_str();
    let meant = || context.iter().filter(|branch| !branch.is_empty() && !is_of_other_form(branch, at));
    let count = meant().count();
    match meant().min_by_key(|branch| (wrong_tags(branch, at), branch.len())) {
        None => other_form(context, at),
        Some(branch) if count == 1 => Branches::Only(branch),
        Some(branch) => Branches::Nearest(branch),
    }
}

fn is_of_other_form(branch: &Mistakes, at: &str) -> bool {
    branch.iter().any(|mistake| {
        mistake.instance_path().as_str() == at
            && matches!(
                mistake.kind(),
                Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. } | Kind::FalseSchema
            )
    })
}

/// Properties of the value that are fixed to other values.
fn wrong_tags(branch: &Mistakes, at: &str) -> usize {
    let is_tag = |mistake: &&ValidationError<'_>| {
        matches!(mistake.kind(), Kind::Enum { .. } | Kind::Constant { .. })
            && mistake
                .instance_path()
                .as_str()
                .strip_prefix(at)
                .is_some_and(|rest| rest.bytes().filter(|byte| *byte == b'/').count() == 1)
    };
    branch.iter().filter(is_tag).count()
}

fn other_form<'a>(context: &'a [Vec<ValidationError<'static>>], at: &str) -> Branches<'a> {
    let (mut types, mut options) = (Vec::new(), Vec::new());
    for mistake in context.iter().flatten().filter(|mistake| mistake.instance_path().as_str() == at) {
        match mistake.kind() {
            Kind::Type { kind } => {
                for kind in types_of(kind) {
                    if !types.contains(&kind) {
                        types.push(kind);
                    }
                }
            }
            Kind::Enum { options: listed } if options.len() < MAX_OPTIONS => options.extend(members(listed)),
            Kind::Constant { expected_value } if options.len() < MAX_OPTIONS => options.push(expected_value.as_ref()),
            _ => {}
        }
    }
    Branches::OtherForm { types, options }
}
