//! How names, places and lists of the schema's values are written for a model to read.
//!
//! Rule: what is written is short whatever it came from, holds no line break, and is cut between characters.

use std::fmt::Write;

use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;

/// Longest name, in characters.
const MAX_NAME: usize = 64;

/// Longest place, in bytes.
const MAX_PLACE: usize = 240;

/// Longest value of a schema, in bytes.
const MAX_VALUE: usize = 80;

/// Longest list of names or values, in bytes and in members.
const MAX_LIST: usize = 320;
const MAX_MEMBERS: usize = 12;

/// Where in the input: `labels[0].name`; the root is `input`. A long place keeps its end.
pub(super) fn place(location: &Location, property: Option<&str>) -> String {
    let mut out = String::new();
    for segment in location.segments() {
        match segment {
            LocationSegment::Property(name) => push_name(&mut out, &name),
            LocationSegment::Index(at) => {
                let _ = write!(out, "[{at}]");
            }
        }
    }
    if let Some(name) = property {
        push_name(&mut out, name);
    }
    if out.is_empty() {
        return "input".to_owned();
    }
    if out.len() > MAX_PLACE {
        let start = (out.len() - MAX_PLACE..out.len()).find(|at| out.is_char_boundary(*at)).unwrap_or(out.len());
        out.replace_range(..start, "…");
    }
    out
}

fn push_name(out: &mut String, name: &str) {
    let plain = |at: usize, letter: char| {
        letter.is_ascii_alphabetic()
            || matches!(letter, '_' | '$')
            || (at > 0 && (letter.is_ascii_digit() || letter == '-'))
    };
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().enumerate().all(|(at, letter)| plain(at, letter)) {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(name);
    } else {
        let _ = write!(out, "[{}]", quoted(name));
    }
}

/// A name in quotes, of at most so many characters.
pub(super) fn quoted(name: &str) -> String {
    let mut kept: String = name.chars().take(MAX_NAME).collect();
    if kept.len() < name.len() {
        kept.push('…');
    }
    Value::String(kept).to_string()
}

/// A value of the schema.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() <= MAX_VALUE => value.to_string(),
        Value::String(text) => Value::String(cut(text, MAX_VALUE)).to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Number(_) => cut(&value.to_string(), MAX_VALUE),
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

/// Members with commas between, and how many more there are.
pub(super) fn list(members: impl ExactSizeIterator<Item = String>) -> String {
    let total = members.len();
    let mut out = String::new();
    let mut told = 0;
    for member in members.take(MAX_MEMBERS) {
        if told > 0 && out.len() + member.len() > MAX_LIST {
            break;
        }
        if told > 0 {
            out.push_str(", ");
        }
        out.push_str(&member);
        told += 1;
    }
    if told < total {
        let _ = write!(out, " ({} more)", total - told);
    }
    out
}

/// At most so many bytes, and an ellipsis where something was cut.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..end])
}
