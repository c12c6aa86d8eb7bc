//! Reads JSON text into a tree without trusting it: nothing is built before the text is known to be shallow.
//!
//! Rule: nesting is counted in a loop, ignoring brackets within strings, so that every recursion that follows (parsing,
//! checking, dropping) is bounded by [`MAX_NESTING`]. A lone surrogate escape, which JavaScript writes without a
//! murmur, is read as a character of its own; the text that is sent is not touched.

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memchr2, memmem};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use thiserror::Error;

use crate::json::stand_in;

/// Most levels of arrays and objects in an input or a schema.
pub(super) const MAX_NESTING: usize = 512;

/// Why a text gave no tree. Says nothing of what the text holds.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum Unreadable {
    #[error("nested more than {MAX_NESTING} levels deep")]
    TooDeep,
    #[error("holds a number that is too large to represent")]
    NumberOutOfRange,
    #[error("is not valid JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
}

/// What one pass over the bytes tells of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Survey {
    /// Levels of arrays and objects.
    pub(super) depth: usize,
    /// At least as many values and names as the text holds.
    pub(super) values: usize,
}

/// Counts levels and values. The text need not be JSON; what it says then is of no use, but harmless.
pub(super) fn survey(text: &str) -> Result<Survey, Unreadable> {
    let bytes = text.as_bytes();
    let (mut depth, mut deepest, mut values, mut at) = (0_usize, 0_usize, 1_usize, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'[' | b'{' => {
                depth += 1;
                values += 1;
                deepest = deepest.max(depth);
                if deepest > MAX_NESTING {
                    return Err(Unreadable::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b':' => values += 1,
            b'"' => at = after_string(bytes, at),
            _ => {}
        }
    }
    Ok(Survey { depth: deepest, values })
}

/// The place after the quote that closes a string, or the end of the text.
fn after_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(rest) = bytes.get(at..) {
        match memchr2(b'"', b'\\', rest) {
            Some(found) if rest[found] == b'"' => return at + found + 1,
            Some(found) => at += found + 2,
            None => break,
        }
    }
    bytes.len()
}

/// Parses a text, after a survey of it.
pub(super) fn parse(text: &str) -> Result<(Value, Survey), Unreadable> {
    let survey = survey(text)?;
    let text = without_lone_surrogates(text);
    let mut reader = serde_json::Deserializer::from_str(&text);
    reader.disable_recursion_limit();
    let tree = Tree::deserialize(&mut reader).and_then(|tree| reader.end().map(|()| tree.0));
    match tree {
        Ok(tree) => Ok((tree, survey)),
        // The crate has no kind for this; its text is the only sign.
        Err(error) if error.to_string().starts_with("number out of range") => Err(Unreadable::NumberOutOfRange),
        Err(error) => Err(Unreadable::NotJson { line: error.line(), column: error.column() }),
    }
}

/// Replaces each `\uD800`…`\uDFFF` that is not half of a pair by the character that stands for it.
pub(super) fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memmem::find(bytes, br"\ud").is_none() && memmem::find(bytes, br"\uD").is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let start = at + found;
        at = match escaped_unit(bytes, start) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(bytes, start + 6), Some(0xDC00..=0xDFFF)) => start + 12,
            Some(half @ 0xD800..=0xDFFF) => {
                out.push_str(&text[kept..start]);
                out.push(stand_in(half.into()));
                kept = start + 6;
                kept
            }
            _ => start + 2,
        };
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The UTF-16 unit of a `\uXXXX` that starts here.
fn escaped_unit(bytes: &[u8], start: usize) -> Option<u16> {
    let escape = bytes.get(start..start + 6)?;
    if !escape.starts_with(br"\u") {
        return None;
    }
    escape[2..].iter().try_fold(0_u16, |unit, digit| {
        let digit = (*digit as char).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

/// A tree read as it is written. `Value`'s own reader gives a meaning to one object key (the raw value's mark), by which
/// the check would judge another input than the source receives.
struct Tree(Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree(Value::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree(Value::Number(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree(Value::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree, E> {
        Ok(Tree(Value::String(value)))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(Tree(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut map = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let Tree(value) = entries.next_value()?;
            map.insert(name, value);
        }
        Ok(Tree(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_levels_and_ignores_brackets_within_strings() {
        assert_eq!(survey(r#"{"a":["[[[\"{{",[1]]}"#).map(|it| it.depth), Ok(3));
        assert_eq!(survey("\"abc\\"), Ok(Survey { depth: 0, values: 1 }));
    }

    #[test]
    fn refuses_one_level_more_than_the_limit() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse(&nested(MAX_NESTING)).is_ok());
        assert_eq!(parse(&nested(MAX_NESTING + 1)).map(|_| ()), Err(Unreadable::TooDeep));
        assert_eq!(parse(&"[".repeat(100_000)).map(|_| ()), Err(Unreadable::TooDeep));
    }

    #[test]
    fn reads_each_half_of_a_surrogate_pair_as_a_character_of_its_own() {
        let read = |text: &str| parse(text).map(|(tree, _)| tree);
        assert_eq!(read(r#""\ud800""#), Ok(json!("\u{10f800}")));
        assert_eq!(read(r#""\uDC00\uD83D\uDE00\ud83d""#), Ok(json!("\u{10fc00}😀\u{10f83d}")));
        assert_eq!(read(r#""\\ud800""#), Ok(json!(r"\ud800")));
        assert_eq!(read(r#""\ud800\n\ud800\u0041""#), Ok(json!("\u{10f800}\n\u{10f800}A")));
    }

    #[test]
    fn keeps_the_raw_value_mark_a_plain_name() {
        let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
        assert_eq!(parse(text).map(|(tree, _)| tree), Ok(json!({ "$serde_json::private::RawValue": "[1]" })));
    }

    #[test]
    fn tells_a_number_out_of_range_from_text_that_is_not_json() {
        assert_eq!(parse("[1e400]").map(|_| ()), Err(Unreadable::NumberOutOfRange));
        assert_eq!(parse("{} x").map(|_| ()), Err(Unreadable::NotJson { line: 1, column: 4 }));
        assert!(matches!(parse(""), Err(Unreadable::NotJson { .. })));
    }
}
