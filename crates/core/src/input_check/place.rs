//! How names, places and lists of the schema's values are written for a model to read.
//!
//! Rule: what is written is short whatever it came from, holds no line break, and is cut between characters.

use std::fmt::Write;

use serde_json::Value;

use super::tree::{Cell, Tree, to_number};

/// Longest name, in characters.
const MAX_NAME: usize = 64;

/// Longest place, in bytes.
const MAX_PLACE: usize = 240;

/// Longest value of a schema, in bytes.
const MAX_VALUE: usize = 80;

/// Longest list of names or values, in bytes and in members.
const MAX_LIST: usize = 320;
const MAX_MEMBERS: usize = 12;

/// A step from a value to one in it, or to the name of a member.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    Name(&'a str),
    Index(usize),
    NameOf(&'a str),
}

/// Most steps of a place that are written: more are longer than what is kept.
const MAX_STEPS: usize = MAX_PLACE;

/// Where in the input: `labels[0].name`; the root is `input`. A long place keeps its end.
pub(super) fn place(steps: &[Step<'_>]) -> String {
    let mut out = String::new();
    for step in &steps[steps.len().saturating_sub(MAX_STEPS)..] {
        match step {
            Step::Name(name) => push_name(&mut out, name),
            Step::Index(at) => {
                let _ = write!(out, "[{at}]");
            }
            Step::NameOf(name) => {
                let of = if out.is_empty() { "input" } else { "" };
                let _ = write!(out, "{of}: the name {}", quoted(name));
            }
        }
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

/// A value of the schema, as JSON.
pub(super) fn value(tree: &Tree<'_>, cell: Cell) -> String {
    if let Cell::Text(text) = cell {
        // Cut within its quotes.
        return Value::String(cut(tree.text(text), MAX_VALUE)).to_string();
    }
    let mut out = String::new();
    write_value(tree, cell, &mut out);
    cut(&out, MAX_VALUE)
}

/// Writes a value as far as it is told; each level writes something, so that it recurses no deeper than that.
fn write_value(tree: &Tree<'_>, cell: Cell, out: &mut String) {
    if out.len() > MAX_VALUE {
        return;
    }
    match cell {
        Cell::Null => out.push_str("null"),
        Cell::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Cell::Number(number) => out.push_str(&to_number(number).to_string()),
        Cell::Text(text) => out.push_str(&Value::String(cut(tree.text(text), MAX_VALUE)).to_string()),
        Cell::List(list) => {
            out.push('[');
            for (at, item) in tree.items(list).iter().enumerate().take(MAX_VALUE) {
                out.push_str(if at == 0 { "" } else { "," });
                write_value(tree, *item, out);
            }
            out.push(']');
        }
        Cell::Object(object) => {
            out.push('{');
            for (at, entry) in tree.entries(object).iter().enumerate().take(MAX_VALUE) {
                out.push_str(if at == 0 { "" } else { "," });
                write_value(tree, entry.name, out);
                out.push(':');
                write_value(tree, entry.value, out);
            }
            out.push('}');
        }
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
