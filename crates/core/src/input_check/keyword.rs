//! The keywords of JSON Schema that a check can use, and which of their values are sound.
//!
//! Rule: what a dialect does not know is not a keyword; a keyword whose value its dialect would refuse is dropped, and
//! the schema then counts as having lost something, so that dropping only ever widens what is accepted.

use std::collections::HashSet;

use super::program::kinds;
use super::reader::FEW_MEMBERS;
use super::view::{List, Object, Value};

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
    pub(super) fn of(schema: Object<'_>) -> Self {
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

/// What an assertion says, in a form that its dialect allows.
#[derive(Debug)]
pub(super) enum Asserted<'a> {
    Kinds(u8),
    /// Of `enum` and `const`.
    Values(Vec<Value<'a>>),
    Number(f64),
    Count(u64),
    Flag(bool),
    Names(Vec<&'a str>),
    NamesByName(Vec<(&'a str, Vec<&'a str>)>),
}

impl Asserted<'_> {
    /// How many members its lists have.
    pub(super) fn members(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Names(names) => names.len(),
            Self::NamesByName(lists) => lists.iter().map(|(_, names)| 1 + names.len()).sum(),
            Self::Kinds(_) | Self::Number(_) | Self::Count(_) | Self::Flag(_) => 0,
        }
    }
}

/// What became of an assertion.
pub(super) enum Assertion<'a> {
    /// Asserted.
    Sound(&'static str, Asserted<'a>),
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
    value: Value<'a>,
    owner: Option<Object<'a>>,
    dialect: Dialect,
) -> Assertion<'a> {
    use Dialect::{Draft4, Draft6, Draft201909};
    let beside = |name| owner.and_then(|owner| owner.get(name));
    let is_empty = || value.as_list().is_some_and(List::is_empty);
    let (name, since, sound) = match name {
        // One of no types, one of no values.
        "type" | "enum" if is_empty() => return Assertion::Never,
        "type" => ("type", Draft4, types(value)),
        "enum" => ("enum", Draft4, members(value, dialect)),
        "const" => ("const", Draft6, Some(Asserted::Values(vec![value]))),
        "multipleOf" => ("multipleOf", Draft4, divisor(value)),
        "maximum" => ("maximum", Draft4, number(value)),
        "minimum" => ("minimum", Draft4, number(value)),
        "exclusiveMaximum" => ("exclusiveMaximum", Draft4, exclusive(value, beside("maximum"), dialect)),
        "exclusiveMinimum" => ("exclusiveMinimum", Draft4, exclusive(value, beside("minimum"), dialect)),
        "maxLength" => ("maxLength", Draft4, count(value)),
        "minLength" => ("minLength", Draft4, count(value)),
        "maxItems" => ("maxItems", Draft4, count(value)),
        "minItems" => ("minItems", Draft4, count(value)),
        "maxProperties" => ("maxProperties", Draft4, count(value)),
        "minProperties" => ("minProperties", Draft4, count(value)),
        "maxContains" => ("maxContains", Draft201909, count(value)),
        "minContains" => ("minContains", Draft201909, count(value)),
        "uniqueItems" => ("uniqueItems", Draft4, value.as_bool().map(Asserted::Flag)),
        "required" => match names(value) {
            // Draft 4 asks for one name at least; none asserts nothing.
            Some(list) if dialect == Draft4 && list.is_empty() => return Assertion::Unknown,
            list => ("required", Draft4, list.map(Asserted::Names)),
        },
        "dependentRequired" => ("dependentRequired", Draft201909, dependent_names(value)),
        _ => return Assertion::Unknown,
    };
    match sound {
        _ if dialect < since => Assertion::Unknown,
        Some(asserted) => Assertion::Sound(name, asserted),
        None => Assertion::Malformed,
    }
}

fn number(value: Value<'_>) -> Option<Asserted<'_>> {
    value.as_number().map(Asserted::Number)
}

/// What a number may be a multiple of, whatever its sign.
fn divisor(value: Value<'_>) -> Option<Asserted<'_>> {
    value.as_number().filter(|by| *by != 0.0).map(|by| Asserted::Number(by.abs()))
}

/// A number since draft 6; in draft 4 a flag beside the bound.
fn exclusive<'a>(value: Value<'a>, bound: Option<Value<'a>>, dialect: Dialect) -> Option<Asserted<'a>> {
    if dialect > Dialect::Draft4 {
        return number(value);
    }
    bound.and_then(Value::as_number)?;
    value.as_bool().map(Asserted::Flag)
}

/// A count; one that is not whole or is negative counts as the next one below that can be.
fn count(value: Value<'_>) -> Option<Asserted<'_>> {
    let least = value.as_number()?.floor().max(0.0);
    // A float above the range becomes its end.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(Asserted::Count(least as u64))
}

fn types(value: Value<'_>) -> Option<Asserted<'_>> {
    let of = |value: Value<'_>| {
        let name = value.as_str()?;
        kinds::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    };
    let all = match value.as_list() {
        Some(list) => list.iter().try_fold(0, |all, name| Some(all | of(name)?)),
        None => of(value),
    };
    all.map(Asserted::Kinds)
}

/// A list of names, each once, without what is no name.
fn names(value: Value<'_>) -> Option<Vec<&str>> {
    let all = value.as_list()?.iter().filter_map(Value::as_str);
    let mut seen = HashSet::new();
    let mut once = Vec::with_capacity(all.clone().count());
    for name in all {
        let is_new = match once.len() < FEW_MEMBERS {
            true => !once.contains(&name),
            false => {
                if seen.is_empty() {
                    seen.extend(once.iter().copied());
                }
                seen.insert(name)
            }
        };
        if is_new {
            once.push(name);
        }
    }
    Some(once)
}

fn dependent_names(value: Value<'_>) -> Option<Asserted<'_>> {
    let all = value.as_object()?.iter().map(|(name, list)| Some((name, names(list)?)));
    all.collect::<Option<_>>().map(Asserted::NamesByName)
}

/// The members of an enum; up to draft 6 each once.
fn members(value: Value<'_>, dialect: Dialect) -> Option<Asserted<'_>> {
    let list = value.as_list()?;
    if dialect > Dialect::Draft6 {
        return Some(Asserted::Values(list.iter().collect()));
    }
    let mut seen = HashSet::new();
    let mut is_new = |member: &Value<'_>| {
        let mut text = String::new();
        member.write(&mut text);
        seen.insert(text)
    };
    Some(Asserted::Values(list.iter().filter(|member| is_new(member)).collect()))
}
