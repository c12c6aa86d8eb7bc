//! Finds, among branches of which none fits, the one the input was meant for.
//!
//! Rule: a branch that asks for another kind of value was not meant; of the others, first those whose tags (`const` or
//! `enum` of a property) agree with the input, then the one with the fewest mistakes. Where the same tag agrees with
//! none, the tag is the mistake.

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
    /// A property of the value says which branch is meant, and none is of that name.
    Tag { mistake: &'a ValidationError<'static>, options: Vec<&'a Value> },
    /// One branch asks for this kind of value.
    Only(&'a Mistakes),
    /// Several do, of so many in all.
    Nearest(&'a Mistakes, usize),
}

pub(super) fn branches<'a>(owner: &ValidationError<'_>, context: &'a [Vec<ValidationError<'static>>]) -> Branches<'a> {
    let at = owner.instance_path().as_str();
    let forms = flattened(context, at);
    let meant: Vec<_> =
        forms.iter().copied().filter(|branch| !branch.is_empty() && !is_of_other_form(branch, at)).collect();
    if let [only] = meant[..] {
        return Branches::Only(only);
    }
    if let Some(tag) = unknown_tag(&meant, at) {
        return tag;
    }
    match meant.into_iter().min_by_key(|branch| (wrong_tags(branch, at), branch.len())) {
        None => other_form(&forms, at),
        Some(branch) => Branches::Nearest(branch, forms.len()),
    }
}

/// The branches, with those of a branch that is nothing but alternatives in its place.
fn flattened<'a>(context: &'a [Vec<ValidationError<'static>>], at: &str) -> Vec<&'a Mistakes> {
    let mut forms = Vec::new();
    let mut open: Vec<&'a Mistakes> = context.iter().rev().map(Vec::as_slice).collect();
    while let Some(branch) = open.pop() {
        match branch {
            [only] if only.instance_path().as_str() == at => match only.kind() {
                Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                    open.extend(context.iter().rev().map(Vec::as_slice));
                }
                _ => forms.push(branch),
            },
            _ => forms.push(branch),
        }
    }
    forms
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

/// The property that every branch fixes to other values, if there is one.
fn unknown_tag<'a>(branches: &[&'a Mistakes], at: &str) -> Option<Branches<'a>> {
    for mistake in tags(branches.first()?, at) {
        let path = mistake.instance_path();
        let of_branch = |branch: &&'a Mistakes| tags(branch, at).find(|mistake| mistake.instance_path() == path);
        let found: Option<Vec<_>> = branches.iter().map(of_branch).collect();
        if let Some(found) = found {
            let options = found.into_iter().take(MAX_OPTIONS).flat_map(options_of).collect();
            return Some(Branches::Tag { mistake, options });
        }
    }
    None
}

/// Mistakes of properties of the value that are fixed to other values.
fn tags<'a>(branch: &'a Mistakes, at: &str) -> impl Iterator<Item = &'a ValidationError<'static>> {
    branch.iter().filter(move |mistake| {
        let path = mistake.instance_path().as_str().strip_prefix(at);
        let is_property = path.is_some_and(|rest| rest.bytes().filter(|byte| *byte == b'/').count() == 1);
        is_property && matches!(mistake.kind(), Kind::Enum { .. } | Kind::Constant { .. })
    })
}

fn wrong_tags(branch: &Mistakes, at: &str) -> usize {
    tags(branch, at).count()
}

/// The values that a mistake says are accepted.
fn options_of<'a>(mistake: &'a ValidationError<'static>) -> Vec<&'a Value> {
    match mistake.kind() {
        Kind::Enum { options } => members(options),
        Kind::Constant { expected_value } => vec![expected_value.as_ref()],
        _ => Vec::new(),
    }
}

fn other_form<'a>(forms: &[&'a Mistakes], at: &str) -> Branches<'a> {
    let (mut types, mut options) = (Vec::new(), Vec::new());
    let mistakes = forms.iter().copied().flatten();
    for mistake in mistakes.filter(|mistake| mistake.instance_path().as_str() == at) {
        match mistake.kind() {
            Kind::Type { kind } => {
                for kind in types_of(kind) {
                    if !types.contains(&kind) {
                        types.push(kind);
                    }
                }
            }
            _ if options.len() < MAX_OPTIONS => options.extend(options_of(mistake)),
            _ => {}
        }
    }
    Branches::OtherForm { types, options }
}
