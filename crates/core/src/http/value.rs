//! The values of an input, read as far as a template has places for them.
//!
//! The rule: nothing is coerced, and nothing is read that no place asks for. The input stays text: a number is sent in
//! the digits it was given in, and reading it does not recurse, however deep it is.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexSet;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::mistake::{Allowed, InvalidInput, Kind, Mistake};

/// The value of each property, by the property's index, when the input has it.
pub(super) type Values<'a> = Vec<Option<&'a RawValue>>;

/// Reads the properties of an input as `JSON.parse` would: the last of two values wins, and every name is a name like
/// any other.
pub(super) fn read<'a>(input_text: &'a str, properties: &IndexSet<String>) -> Result<Values<'a>, InvalidInput> {
    let not_an_object = |_| InvalidInput::of_input(&Mistake::NotAnObject);
    let mut deserializer = serde_json::Deserializer::from_str(input_text);
    let values = deserializer.deserialize_map(Properties(properties)).map_err(not_an_object)?;
    deserializer.end().map_err(not_an_object)?;
    Ok(values)
}

struct Properties<'p>(&'p IndexSet<String>);

impl<'de> Visitor<'de> for Properties<'_> {
    type Value = Values<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![None; self.0.len()];
        while let Some(property) = map.next_key_seed(Name(self.0))? {
            let value: &'de RawValue = map.next_value()?;
            if let Some(slot) = property.and_then(|property| values.get_mut(property)) {
                *slot = Some(value);
            }
        }
        Ok(values)
    }
}

/// A property's name, read through bytes: one that holds half of a surrogate pair is no property of a template.
struct Name<'p>(&'p IndexSet<String>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(std::str::from_utf8(bytes).ok().and_then(|name| self.0.get_index_of(name)))
    }
}

/// The one value a path place may hold.
pub(super) fn one<'a>(property: &str, raw: &'a RawValue) -> Result<Cow<'a, str>, InvalidInput> {
    scalar(raw.get(), Allowed::One).map_err(|mistake| InvalidInput::at(property, &mistake))
}

/// The values a query or header place may hold: one, or those of a list, each held to `check`.
pub(super) fn one_or_list<'a>(
    property: &str,
    raw: &'a RawValue,
    check: impl Fn(&str) -> Result<(), Mistake>,
) -> Result<Vec<Cow<'a, str>>, InvalidInput> {
    let checked = |raw: &'a RawValue, allowed| {
        let value = scalar(raw.get(), allowed)?;
        check(&value)?;
        Ok(value)
    };
    if !raw.get().starts_with('[') {
        let value = checked(raw, Allowed::OneOrList).map_err(|mistake| InvalidInput::at(property, &mistake))?;
        return Ok(vec![value]);
    }
    let items: Vec<&'a RawValue> =
        serde_json::from_str(raw.get()).map_err(|_| InvalidInput::of_input(&Mistake::NotAnObject))?;
    let checked_item =
        |(index, item)| checked(item, Allowed::One).map_err(|mistake| InvalidInput::at_item(property, index, &mistake));
    items.into_iter().enumerate().map(checked_item).collect()
}

/// The text of a string, a number or a boolean. The JSON text is well-formed, so its first byte says what it is.
pub(super) fn scalar(text: &str, allowed: Allowed) -> Result<Cow<'_, str>, Mistake> {
    let got = match text.as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::List,
        Some(b'n') => Kind::Null,
        Some(b'"') => return string(text).ok_or(Mistake::HalfSurrogate),
        _ => return Ok(Cow::Borrowed(text)),
    };
    Err(Mistake::Kind { allowed, got })
}

/// The text a well-formed JSON string stands for; nothing when it holds half of a surrogate pair.
fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(json).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> IndexSet<String> {
        ["a", "__proto__", ""].into_iter().map(str::to_owned).collect()
    }

    fn texts(input: &str) -> Vec<Option<String>> {
        let values = read(input, &names()).unwrap();
        values.into_iter().map(|value| value.map(|raw| raw.get().to_owned())).collect()
    }

    #[test]
    fn properties_are_looked_up_as_json_parse_would() {
        assert_eq!(texts(r#" { "a" : 1 , "a" : [ 2 ] } "#), [Some("[ 2 ]".into()), None, None]);
        assert_eq!(texts(r#"{"\u0061":1e400,"":null,"A":3}"#), [Some("1e400".into()), None, Some("null".into())]);
        assert_eq!(texts(r#"{"__proto__":{"a":1}}"#), [None, Some(r#"{"a":1}"#.into()), None]);
    }

    #[test]
    fn a_name_with_half_a_surrogate_pair_matches_nothing() {
        assert_eq!(texts(r#"{"\ud800":1,"a\udc00":2,"a":3}"#), [Some("3".into()), None, None]);
    }

    #[test]
    fn what_is_no_object_is_invalid_input() {
        for text in
            ["", "null", "[]", "[1]", "\"a\"", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1}x", "{1:2}", "{\"a\":01}", "{,}"]
        {
            assert!(read(text, &names()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_deep_value_is_passed_over_without_recursion() {
        let deep = format!("{{\"x\":{}{},\"a\":1}}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(texts(&deep), [Some("1".into()), None, None]);
        let deep = format!("{{\"a\":[{}{}]}}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let values = read(&deep, &names()).unwrap();
        let error = one_or_list("a", values[0].unwrap(), |_| Ok(())).unwrap_err();
        assert!(error.description().starts_with("a[0]: expected a string"), "{error}");
    }

    #[test]
    fn a_string_is_decoded_once() {
        assert_eq!(string(r#""a\\u0062\ud83d\ude00""#).as_deref(), Some("a\\u0062😀"));
        assert_eq!(string(r#""plain é""#).as_deref(), Some("plain é"));
        for half in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\ud800""#, r#""\ud800x""#, r#""\ud800\n""#] {
            assert_eq!(string(half), None, "{half}");
        }
    }
}
