//! Says what is wrong with an input, for the model that wrote it.
//!
//! Rule: one line for each mistake, its place first; names and values of the schema may be told, and names of unexpected
//! properties, but no value of the input. At most [`MAX_BYTES`], cut at whole lines, with how many mistakes are left.

use std::collections::HashSet;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::types::JsonType;
use serde_json::Value;

use super::nearest::{self, Branches};
use super::place::{cut, list, place, quoted, value};
use super::{MAX_MISTAKES, parse, schema_at};

/// Longest message, in bytes of UTF-8.
const MAX_BYTES: usize = 2048;

/// Longest line, in bytes.
const MAX_LINE: usize = 600;

/// What the last line may take.
const MORE_BYTES: usize = 40;

/// Longest text that is looked into for JSON.
const MAX_HELD_JSON: usize = 64 << 10;

/// Deepest JSON in a string that is looked at.
const MAX_HELD_DEPTH: usize = 32;

/// Branches of branches are told to this depth.
pub(super) const MAX_BRANCH_DEPTH: usize = 3;

/// What the mistakes are about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    /// The schema as it was given to the validator.
    pub(super) schema: &'a Value,
    pub(super) input: &'a Value,
}

/// What an input that is no object is.
pub(super) fn not_an_object(input: &Value) -> String {
    format!("input: {}", expected_type(&[JsonType::Object], input))
}

/// What is said of an input that its schema's check cannot afford.
pub(super) fn too_large(values: usize) -> String {
    format!("input: {values} values are too many to check against this tool's parameters: send fewer at a time")
}

/// Where telling more would take too much work.
pub(super) fn no_match() -> String {
    "input: does not match the input schema of the tool".to_owned()
}

/// All mistakes, what is missing or unexpected first.
pub(super) fn tell(about: About<'_>, mistakes: &[ValidationError<'_>]) -> String {
    let mut ordered: Vec<&ValidationError<'_>> = mistakes.iter().collect();
    ordered.sort_by_key(|mistake| {
        !matches!(
            mistake.kind(),
            ValidationErrorKind::Required { .. } | ValidationErrorKind::AdditionalProperties { .. }
        )
    });
    let mut told = 0;
    let mut out = String::new();
    let mut seen = HashSet::new();
    for mistake in ordered.iter().take(MAX_MISTAKES) {
        let lines = describe(about, mistake, 0);
        let added: usize = lines.iter().map(|line| line.len().min(MAX_LINE) + 4).sum();
        if told > 0 && out.len() + added + MORE_BYTES > MAX_BYTES {
            break;
        }
        for line in lines {
            let line = cut(&line, MAX_LINE);
            if out.len() + line.len() + MORE_BYTES < MAX_BYTES && seen.insert(line.clone()) {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&line);
            }
        }
        told += 1;
    }
    match mistakes.len() - told {
        _ if out.is_empty() => no_match(),
        0 => out,
        1 => out + "\n(1 more mistake)",
        more => out + &format!("\n({more} more mistakes)"),
    }
}

/// The lines of one mistake.
pub(super) fn describe(about: About<'_>, mistake: &ValidationError<'_>, depth: usize) -> Vec<String> {
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } = mistake.kind() {
        return match nearest::branches(mistake, context) {
            Branches::OtherForm { types, options } => {
                vec![line(about, mistake, &expected_form(&types, &options, mistake.instance()))]
            }
            Branches::Tag { mistake, options } => {
                vec![line(about, mistake, &expected_form(&[], &options, mistake.instance()))]
            }
            Branches::Only(inner) if depth < MAX_BRANCH_DEPTH => {
                inner.iter().take(MAX_BRANCH_DEPTH).flat_map(|inner| describe(about, inner, depth + 1)).collect()
            }
            Branches::Nearest(inner, count) if depth < MAX_BRANCH_DEPTH => {
                let inner: Vec<String> =
                    inner.iter().take(MAX_BRANCH_DEPTH).flat_map(|inner| describe(about, inner, depth + 1)).collect();
                vec![line(about, mistake, &format!("fits none of {count} forms; nearest: {}", inner.join("; ")))]
            }
            Branches::Only(_) | Branches::Nearest(..) => {
                vec![line(about, mistake, &format!("fits none of {} forms", context.len()))]
            }
        };
    }
    vec![line(about, mistake, &says(about, mistake))]
}

fn line(about: About<'_>, mistake: &ValidationError<'_>, says: &str) -> String {
    use ValidationErrorKind as Kind;
    let (property, is_value) = match mistake.kind() {
        Kind::Required { property } => (property.as_str(), false),
        Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. } => (None, true),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => (None, true),
        _ => (None, false),
    };
    let hint =
        if is_value && mistake.instance().is_null() && is_optional(about, mistake) { ": leave it out" } else { "" };
    format!("{}: {says}{hint}", place(mistake.instance_path(), property))
}

fn says(about: About<'_>, mistake: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match mistake.kind() {
        Kind::Required { .. } => "is required".to_owned(),
        Kind::Type { kind } => expected_type(&types_of(kind), mistake.instance()),
        Kind::Enum { options } => expected_form(&[], &members(options), mistake.instance()),
        Kind::Constant { expected_value } => expected_form(&[], &[expected_value.as_ref()], mistake.instance()),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected_properties(about, mistake, unexpected)
        }
        Kind::FalseSchema if closes_an_object(mistake) => {
            let owner = about.input.pointer(mistake.instance_path().as_str()).and_then(Value::as_object);
            let names: Vec<&String> = owner.into_iter().flat_map(serde_json::Map::keys).collect();
            unexpected_properties(about, mistake, &names)
        }
        Kind::FalseSchema if mistake.instance_path().is_empty() => "is not accepted".to_owned(),
        Kind::FalseSchema => "is not accepted: leave it out".to_owned(),
        Kind::AdditionalItems { limit } => {
            format!("expected at most {}", counted(u64::try_from(*limit).unwrap_or(u64::MAX), "item", "items"))
        }
        Kind::UnevaluatedItems { .. } => "has items that are not accepted".to_owned(),
        Kind::MaxItems { limit } => format!("expected at most {}", counted(*limit, "item", "items")),
        Kind::MinItems { limit } => format!("expected at least {}", counted(*limit, "item", "items")),
        Kind::MaxLength { limit } => format!("expected at most {}", counted(*limit, "character", "characters")),
        Kind::MinLength { limit } => format!("expected at least {}", counted(*limit, "character", "characters")),
        Kind::MaxProperties { limit } => format!("expected at most {}", counted(*limit, "property", "properties")),
        Kind::MinProperties { limit } => format!("expected at least {}", counted(*limit, "property", "properties")),
        Kind::Maximum { limit } => format!("expected at most {}", value(limit)),
        Kind::Minimum { limit } => format!("expected at least {}", value(limit)),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {}", value(limit)),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {}", value(limit)),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}"),
        Kind::UniqueItems => "has an item twice: each may be there once".to_owned(),
        Kind::Contains => "does not have the items that the schema asks for".to_owned(),
        Kind::Not { .. } => "is of a form that the schema rules out".to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits more than one form, where exactly one may fit".to_owned(),
        Kind::PropertyNames { error } => format!("has a property whose name is not accepted ({})", says(about, error)),
        _ => "is not accepted".to_owned(),
    }
}

pub(super) fn types_of(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(kind) => vec![*kind],
        TypeKind::Multiple(kinds) => kinds.iter().collect(),
    }
}

pub(super) fn members(options: &Value) -> Vec<&Value> {
    options.as_array().map(|list| list.iter().collect()).unwrap_or_default()
}

fn expected_type(types: &[JsonType], got: &Value) -> String {
    expected_form(types, &[], got)
}

/// What was expected of types and of single values, and what kind of value is there.
fn expected_form(types: &[JsonType], options: &[&Value], got: &Value) -> String {
    let mut wanted: Vec<String> = types.iter().map(|kind| kind.as_str().to_owned()).collect();
    match options {
        [] => {}
        [only] => wanted.push(value(only)),
        several => wanted.push(format!("one of {}", list(several.iter().map(|option| value(option))))),
    }
    let expected = format!("expected {}", either(&wanted));
    let Some(kind) = kind_of_held_json(types, options, got) else {
        // Of the right kind, but another value: its kind says nothing.
        let same_kind = types.is_empty() && options.iter().any(|option| kind_of(option) == kind_of(got));
        let fraction = types.contains(&JsonType::Integer) && got.is_number();
        return match got {
            _ if same_kind => expected,
            _ if fraction => format!("{expected}, got a number that is not whole"),
            _ => format!("{expected}, got {}", kind_of(got)),
        };
    };
    format!("{expected}, got a string holding JSON: send the {kind} itself")
}

fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn either(wanted: &[String]) -> String {
    match wanted {
        [] => "another value".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The kind of the value that a string holds as JSON, if that value is what is wanted.
fn kind_of_held_json(types: &[JsonType], options: &[&Value], got: &Value) -> Option<&'static str> {
    let text = got.as_str().filter(|text| text.len() <= MAX_HELD_JSON && !types.contains(&JsonType::String))?;
    parse::survey(text).ok().filter(|survey| survey.depth <= MAX_HELD_DEPTH)?;
    let (held, _) = parse::parse(text).ok()?;
    let wanted = options.contains(&&held)
        || types.iter().any(|kind| match kind {
            JsonType::Integer => held.as_f64().is_some_and(|number| number.fract() == 0.0),
            kind => kind.as_str() == kind_of(&held),
        });
    wanted.then(|| kind_of(&held))
}

fn unexpected_properties(about: About<'_>, mistake: &ValidationError<'_>, unexpected: &[impl AsRef<str>]) -> String {
    let noun = if unexpected.len() == 1 { "property" } else { "properties" };
    let names = list(unexpected.iter().map(|name| quoted(name.as_ref())));
    let accepted = schema_at::accepted_names(about.schema, mistake.schema_path().as_str());
    if accepted.is_empty() {
        return format!("unexpected {noun} {names} (none is accepted)");
    }
    format!("unexpected {noun} {names} (accepted: {})", list(accepted.iter().map(|name| quoted(name))))
}

/// A schema that is closed and names no property is told at the object, not at its properties.
fn closes_an_object(mistake: &ValidationError<'_>) -> bool {
    let path = mistake.schema_path().as_str();
    path.ends_with("/additionalProperties") && !path.ends_with("/properties/additionalProperties")
}

/// Whether the value at fault is a property that may be left out.
fn is_optional(about: About<'_>, mistake: &ValidationError<'_>) -> bool {
    let path = mistake.instance_path().as_str();
    let Some((_, name)) = path.rsplit_once('/') else { return false };
    let name = name.replace("~1", "/").replace("~0", "~");
    schema_at::is_optional(about.schema, mistake.evaluation_path().as_str(), &name)
}
