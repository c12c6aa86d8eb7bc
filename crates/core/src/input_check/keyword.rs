//! The keywords of JSON Schema that a check can use, and which of their values are sound.
//!
//! Rule: what a dialect does not know is not a keyword; a keyword whose value its dialect would refuse is dropped, and
//! the schema then counts as having lost something, so that dropping only ever widens what is accepted.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

/// The dialects, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Dialect {
    /// By the root's `$schema`; one that is absent or not known is 2020-12.
    pub(super) fn of(schema: &Map<String, Value>) -> Self {
        let uri = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let name = uri
            .strip_prefix("https://json-schema.org/")
            .or_else(|| uri.strip_prefix("http://json-schema.org/"))
            .unwrap_or_default();
        match name.trim_end_matches('#').trim_end_matches('/') {
            "draft-04/schema" => Self::Draft4,
            "draft-06/schema" => Self::Draft6,
            "draft-07/schema" => Self::Draft7,
            "draft/2019-09/schema" => Self::Draft201909,
            _ => Self::Draft202012,
        }
    }

    /// Whether keywords beside `$ref` are ignored.
    pub(super) fn ref_stands_alone(self) -> bool {
        self <= Self::Draft7
    }

    /// The keyword that names a schema resource.
    pub(super) fn id(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }
}

/// How a keyword applies a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Applies {
    Ref,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    If,
    Then,
    Else,
    DependentSchemas,
    Dependencies,
    Properties,
    AdditionalProperties,
    PropertyNames,
    UnevaluatedProperties,
    Items,
    PrefixItems,
    AdditionalItems,
    Contains,
    UnevaluatedItems,
}

impl Applies {
    /// Whether the schema judges the very value that its owner judges.
    pub(super) fn to_same_value(self) -> bool {
        matches!(
            self,
            Self::Ref
                | Self::AllOf
                | Self::AnyOf
                | Self::OneOf
                | Self::Not
                | Self::If
                | Self::Then
                | Self::Else
                | Self::DependentSchemas
                | Self::Dependencies
        )
    }
}

/// What shape of schemas a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    One(Applies),
    List(Applies),
    Named(Applies),
    /// `items`: one schema, or a list of them up to 2019-09.
    OneOrList(Applies),
    /// `dependencies`: by name, a schema or a list of required names.
    NamedOrRequired(Applies),
}

/// What schemas the keyword holds in this dialect; None when it holds none.
pub(super) fn holds(name: &str, dialect: Dialect) -> Option<Holds> {
    use Dialect::{Draft6, Draft7, Draft201909, Draft202012};
    let (since, until, holds) = match name {
        "allOf" => (None, None, Holds::List(Applies::AllOf)),
        "anyOf" => (None, None, Holds::List(Applies::AnyOf)),
        "oneOf" => (None, None, Holds::List(Applies::OneOf)),
        "not" => (None, None, Holds::One(Applies::Not)),
        "if" => (Some(Draft7), None, Holds::One(Applies::If)),
        "then" => (Some(Draft7), None, Holds::One(Applies::Then)),
        "else" => (Some(Draft7), None, Holds::One(Applies::Else)),
        "dependentSchemas" => (Some(Draft201909), None, Holds::Named(Applies::DependentSchemas)),
        "dependencies" => (None, Some(Draft7), Holds::NamedOrRequired(Applies::Dependencies)),
        "properties" => (None, None, Holds::Named(Applies::Properties)),
        "additionalProperties" => (None, None, Holds::One(Applies::AdditionalProperties)),
        "propertyNames" => (Some(Draft6), None, Holds::One(Applies::PropertyNames)),
        "unevaluatedProperties" => (Some(Draft201909), None, Holds::One(Applies::UnevaluatedProperties)),
        "items" if dialect < Draft202012 => (None, None, Holds::OneOrList(Applies::Items)),
        "items" => (None, None, Holds::One(Applies::Items)),
        "prefixItems" => (Some(Draft202012), None, Holds::List(Applies::PrefixItems)),
        "additionalItems" => (None, Some(Draft201909), Holds::One(Applies::AdditionalItems)),
        "contains" => (Some(Draft6), None, Holds::One(Applies::Contains)),
        "unevaluatedItems" => (Some(Draft201909), None, Holds::One(Applies::UnevaluatedItems)),
        _ => return None,
    };
    let known = since.is_none_or(|first| dialect >= first) && until.is_none_or(|last| dialect <= last);
    known.then_some(holds)
}

/// Whether a keyword is one that is never run (requirements R-000-040 and R-000-041).
pub(super) fn is_never_run(name: &str) -> bool {
    matches!(
        name,
        "pattern" | "patternProperties" | "format" | "contentEncoding" | "contentMediaType" | "contentSchema"
    )
}

/// What became of an assertion.
pub(super) enum Assertion<'a> {
    /// Asserted, in a form that the dialect allows.
    Sound(&'static str, Cow<'a, Value>),
    /// A keyword, but not with this value.
    Malformed,
    /// No value at all passes.
    Never,
    /// Nothing that this dialect asserts.
    Unknown,
}

/// Reads one assertion of a schema object.
pub(super) fn assertion<'a>(
    name: &str,
    value: &'a Value,
    owner: &Map<String, Value>,
    dialect: Dialect,
) -> Assertion<'a> {
    use Dialect::{Draft4, Draft6, Draft201909};
    let is_empty = || value.as_array().is_some_and(Vec::is_empty);
    let (name, since, sound) = match name {
        // One of no types, one of no values.
        "type" | "enum" if is_empty() => return Assertion::Never,
        "type" => ("type", Draft4, types(value)),
        "enum" => ("enum", Draft4, members(value, dialect)),
        "const" => ("const", Draft6, Some(Cow::Borrowed(value))),
        "multipleOf" => ("multipleOf", Draft4, divisor(value)),
        "maximum" => ("maximum", Draft4, number(value)),
        "minimum" => ("minimum", Draft4, number(value)),
        "exclusiveMaximum" => ("exclusiveMaximum", Draft4, exclusive(value, owner.get("maximum"), dialect)),
        "exclusiveMinimum" => ("exclusiveMinimum", Draft4, exclusive(value, owner.get("minimum"), dialect)),
        "maxLength" => ("maxLength", Draft4, count(value)),
        "minLength" => ("minLength", Draft4, count(value)),
        "maxItems" => ("maxItems", Draft4, count(value)),
        "minItems" => ("minItems", Draft4, count(value)),
        "maxProperties" => ("maxProperties", Draft4, count(value)),
        "minProperties" => ("minProperties", Draft4, count(value)),
        "maxContains" => ("maxContains", Draft201909, count(value)),
        "minContains" => ("minContains", Draft201909, count(value)),
        "uniqueItems" => ("uniqueItems", Draft4, value.is_boolean().then_some(Cow::Borrowed(value))),
        "required" => match names(value) {
            // Draft 4 asks for one name at least; none asserts nothing.
            Some(list) if dialect == Draft4 && list.as_array().is_some_and(Vec::is_empty) => {
                return Assertion::Unknown;
            }
            list => ("required", Draft4, list),
        },
        "dependentRequired" => ("dependentRequired", Draft201909, dependent_names(value)),
        _ => return Assertion::Unknown,
    };
    match sound {
        _ if dialect < since => Assertion::Unknown,
        Some(value) => Assertion::Sound(name, value),
        None => Assertion::Malformed,
    }
}

fn number(value: &Value) -> Option<Cow<'_, Value>> {
    value.is_number().then_some(Cow::Borrowed(value))
}

/// What a number may be a multiple of, whatever its sign.
fn divisor(value: &Value) -> Option<Cow<'_, Value>> {
    match value.as_f64() {
        Some(by) if by > 0.0 => Some(Cow::Borrowed(value)),
        Some(by) if by < 0.0 => Some(Cow::Owned(Value::from(-by))),
        _ => None,
    }
}

/// A number since draft 6; in draft 4 a flag beside the bound.
fn exclusive<'a>(value: &'a Value, bound: Option<&Value>, dialect: Dialect) -> Option<Cow<'a, Value>> {
    if dialect > Dialect::Draft4 {
        return number(value);
    }
    (value.is_boolean() && bound.is_some_and(Value::is_number)).then_some(Cow::Borrowed(value))
}

/// A count; one that is not whole or is negative counts as the next one below that can be.
fn count(value: &Value) -> Option<Cow<'_, Value>> {
    if value.is_u64() {
        return Some(Cow::Borrowed(value));
    }
    let least = value.as_f64()?.floor().max(0.0);
    // A float above the range becomes its end.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(Cow::Owned(Value::from(least as u64)))
}

fn types(value: &Value) -> Option<Cow<'_, Value>> {
    let known = |name: &Value| {
        matches!(name.as_str(), Some("array" | "boolean" | "integer" | "null" | "number" | "object" | "string"))
    };
    match value {
        Value::Array(list) => list.iter().all(known).then(|| names(value)).flatten(),
        name => known(name).then_some(Cow::Borrowed(value)),
    }
}

/// A list of names, each once, without what is no name.
fn names(value: &Value) -> Option<Cow<'_, Value>> {
    let list = value.as_array()?;
    let mut seen = HashSet::new();
    if list.iter().all(|name| name.as_str().is_some_and(|name| seen.insert(name))) {
        return Some(Cow::Borrowed(value));
    }
    let mut seen = HashSet::new();
    let once = list.iter().filter(|name| name.as_str().is_some_and(|name| seen.insert(name))).cloned().collect();
    Some(Cow::Owned(Value::Array(once)))
}

fn dependent_names(value: &Value) -> Option<Cow<'_, Value>> {
    let mut out = Map::new();
    for (name, list) in value.as_object()? {
        out.insert(name.clone(), names(list)?.into_owned());
    }
    Some(Cow::Owned(Value::Object(out)))
}

/// The members of an enum; up to draft 6 each once.
fn members(value: &Value, dialect: Dialect) -> Option<Cow<'_, Value>> {
    let list = value.as_array()?;
    if dialect > Dialect::Draft6 {
        return Some(Cow::Borrowed(value));
    }
    let mut seen = HashSet::new();
    let once: Vec<Value> = list.iter().filter(|member| seen.insert(member.to_string())).cloned().collect();
    Some(Cow::Owned(Value::Array(once)))
}
