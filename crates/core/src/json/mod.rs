//! JSON text, read in place.
//!
//! The rule kept here: a document is never held as a tree. [`check`] says once that a text is JSON (RFC 8259), or [`Cursor`]
//! while it goes through it, and from then on [`Node`] and [`Tape`] walk the same bytes without checking them again. What is copied out is copied as the
//! text it was, so that a number keeps its digits and a lone surrogate escape (`\ud800`) stays what `JSON.parse` reads.

mod cursor;
mod node;
mod pieces;
mod pointer;
mod scan;
mod string;
mod tape;
#[cfg(test)]
mod texts;

pub(crate) use cursor::Cursor;
pub(crate) use node::{Kind, Node};
pub(crate) use pieces::parts;
pub use pieces::{JsonText, Piece};
pub(crate) use pointer::{escape_fragment, parse_fragment};
pub(crate) use string::{decode, decode_readable, holds_half, write_string};
pub(crate) use tape::{Member, Tape, TapeError, Value};
#[cfg(test)]
pub(crate) use texts::texts;

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub(crate) struct NotJson {
    /// What was expected or found.
    pub(crate) message: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in bytes, from 1.
    pub(crate) column: usize,
}

impl NotJson {
    /// What is wrong with a text that is not JSON.
    pub(crate) fn of(text: &str) -> Self {
        check(text).err().unwrap_or_else(|| Self { message: "it cannot be read".to_owned(), line: 1, column: 1 })
    }
}

/// Says that a text is JSON, and gives its one value. Nesting costs no stack: the scan is a loop.
pub(crate) fn check(text: &str) -> Result<Node<'_>, NotJson> {
    serde_json::from_str::<&serde_json::value::RawValue>(text).map(|raw| Node::trusted(raw.get())).map_err(|error| {
        let whole = error.to_string();
        let message = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
        NotJson { message, line: error.line(), column: error.column() }
    })
}

/// Appends a JSON text without the white space between its tokens, its numbers within what a double holds.
pub(crate) fn write_compact(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = node::after_string(bytes, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                out.push_str(&text[from..at]);
                while at < bytes.len() && matches!(bytes[at], b' ' | b'\t' | b'\n' | b'\r') {
                    at += 1;
                }
                from = at;
            }
            b'-' | b'0'..=b'9' => {
                let end = node::after_scalar(bytes, at);
                if let Some(nearest) = beyond_double(&text[at..end]) {
                    out.push_str(&text[from..at]);
                    out.push_str(nearest);
                    from = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    out.push_str(&text[from..]);
}

/// The deepest nesting of an answer: what Effect's own encoders and `JSON.stringify` take without running out of stack.
pub(crate) const MAX_LEVELS: usize = 512;

/// Why a valid JSON text, once `JSON.parse` has read it, is a value that nothing can be done with: too many levels, or a
/// number that becomes an infinity.
pub(crate) fn unfit(text: &str) -> Option<String> {
    scan(text, MAX_LEVELS, true)
}

/// Whether a valid JSON text has more levels than can be stored, a few of them around it.
pub(crate) fn too_deep(text: &str) -> Option<String> {
    scan(text, MAX_LEVELS - 12, false)
}

/// How many levels a valid JSON text has.
pub(crate) fn levels(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut level, mut most, mut at) = (0_usize, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = node::after_string(bytes, at);
                continue;
            }
            b'{' | b'[' => {
                level += 1;
                most = most.max(level);
            }
            b'}' | b']' => level -= 1,
            _ => {}
        }
        at += 1;
    }
    most
}

fn scan(text: &str, max_levels: usize, with_numbers: bool) -> Option<String> {
    let bytes = text.as_bytes();
    let mut levels = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = node::after_string(bytes, at);
                continue;
            }
            b'{' | b'[' => {
                levels += 1;
                if levels > max_levels {
                    return Some(format!("more than {max_levels} levels"));
                }
            }
            b'}' | b']' => levels -= 1,
            b'-' | b'0'..=b'9' if with_numbers => {
                let end = node::after_scalar(bytes, at);
                if beyond_double(&text[at..end]).is_some() {
                    return Some("a number beyond what a double holds".to_owned());
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The nearest number that a double holds, for one beyond all of them: `JSON.parse` would make an infinity of it, which is
/// no JSON any more. Other numbers keep their digits.
fn beyond_double(number: &str) -> Option<&'static str> {
    const LONGEST_FINITE: usize = 308;
    let may_be_beyond = number.len() > LONGEST_FINITE || number.bytes().any(|byte| matches!(byte, b'e' | b'E'));
    match may_be_beyond.then(|| number.parse::<f64>()) {
        Some(Ok(f64::INFINITY)) => Some("1.7976931348623157e308"),
        Some(Ok(f64::NEG_INFINITY)) => Some("-1.7976931348623157e308"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_place_where_a_text_stops_being_json() {
        let error = check("{\n  \"a\": tru\n}").unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (3, "expected ident"));
        assert!(check("").is_err() && check("{").is_err() && check("{} x").is_err());
    }

    #[test]
    fn compacts_outside_of_strings_only() {
        let mut out = String::new();
        write_compact("{ \"a b\" : [ 1 , \"\\\" x\" ] }\n", &mut out);
        assert_eq!(out, r#"{"a b":[1,"\" x"]}"#);
    }

    #[test]
    fn keeps_the_digits_of_numbers_that_a_double_holds() {
        let long = "9".repeat(400);
        let mut out = String::new();
        write_compact(&format!("[1e400, -{long}.5, 1.50, -0, 12345678901234567890, 2E3, \"1e400\"]"), &mut out);
        assert_eq!(out, "[1.7976931348623157e308,-1.7976931348623157e308,1.50,-0,12345678901234567890,2E3,\"1e400\"]");
    }

    #[test]
    fn says_what_is_too_deep_or_too_large_to_be_a_value() {
        let deep = |levels| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!((levels(&deep(9)), levels("1"), levels(r#"[{},"[[",[[]]]"#)), (9, 0, 3));
        assert_eq!(unfit(&deep(512)), None);
        assert_eq!(unfit(&deep(513)), Some("more than 512 levels".to_owned()));
        assert_eq!(too_deep(&deep(501)), Some("more than 500 levels".to_owned()));
        assert_eq!(unfit(r#"{"[[":"\"[","a":[[],{}],"b":-1.5e300}"#), None);
        for number in ["1e309", "-1e999"] {
            assert!(unfit(&format!("[0,{number}]")).unwrap().contains("double"), "{number}");
        }
    }

    #[test]
    fn takes_a_million_levels_without_a_stack() {
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(check(&deep).unwrap().kind(), Kind::List);
    }
}
