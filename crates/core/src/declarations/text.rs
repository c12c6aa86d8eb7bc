//! Text as TypeScript takes it: names, strings, comments, and a length that is bounded.

use std::borrow::Cow;

use crate::json::decode;

/// A name that needs no quotes: what every JavaScript since the first takes for one.
pub(super) fn is_identifier(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

/// A JSON string with its quotes, as a string of TypeScript. It is copied as it is written, so that it may spell half of a
/// surrogate pair; the two characters that end a line in older JavaScript are escaped.
pub(super) fn string_literal(json: &str) -> Cow<'_, str> {
    if !json.contains(['\u{2028}', '\u{2029}']) {
        return Cow::Borrowed(json);
    }
    Cow::Owned(json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"))
}

/// A property's name, from the JSON string that spells it.
pub(super) fn property_name(json: &str) -> Cow<'_, str> {
    let name = decode(json.get(1..json.len().saturating_sub(1)).unwrap_or_default());
    if is_identifier(&name) { name } else { string_literal(json) }
}

/// A text that can stand in a comment, its lines kept; none when nothing is left of it.
pub(super) fn comment(text: &str) -> Option<Box<str>> {
    let mut out = String::with_capacity(text.len());
    let mut is_after_blank = true;
    for line in with_plain_lines(text).split('\n').map(str::trim_end) {
        if line.is_empty() && is_after_blank {
            continue;
        }
        is_after_blank = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    if memchr::memmem::find(out.as_bytes(), b"*/").is_some() {
        out = out.replace("*/", "*\\/");
    }
    (!out.is_empty()).then(|| out.into())
}

/// The text with one character at the end of each line, whatever ended it, and no other control character but tabs.
fn with_plain_lines(text: &str) -> Cow<'_, str> {
    // Beyond ASCII, the characters in question begin with one of two bytes.
    let is_plain = |byte: u8| byte >= b' ' && !matches!(byte, 0x7F | 0xC2 | 0xE2) || matches!(byte, b'\n' | b'\t');
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let of = |c: char| match c {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        _ if c.is_control() && c != '\t' => None,
        _ => Some(c),
    };
    Cow::Owned(text.replace("\r\n", "\n").chars().filter_map(of).collect())
}

/// Writes a comment before what it is about.
pub(super) fn write_comment(comment: &str, indent: usize, out: &mut Out) {
    if !comment.contains('\n') {
        out.push("/** ");
        out.push(comment);
        out.push(" */");
    } else {
        out.push("/**");
        for line in comment.split('\n') {
            out.line(indent);
            out.push(" *");
            if !line.is_empty() {
                out.push(" ");
                out.push(line);
            }
        }
        out.line(indent);
        out.push(" */");
    }
    out.line(indent);
}

/// A text that stops growing at a number of UTF-16 units, which is what JavaScript calls its length.
#[derive(Debug)]
pub(super) struct Out {
    text: String,
    units: usize,
    most: usize,
}

impl Out {
    pub(super) fn of_at_most(most: usize) -> Self {
        Self { text: String::new(), units: 0, most }
    }

    pub(super) fn push(&mut self, text: &str) {
        if !self.is_full() {
            self.text.push_str(text);
            self.units += units(text);
        }
    }

    /// Begins a line; none ends in a space.
    pub(super) fn line(&mut self, indent: usize) {
        const SPACES: &str = "                                ";
        if self.text.ends_with(' ') {
            self.text.pop();
            self.units -= 1;
        }
        self.push("\n");
        self.push(SPACES.get(..indent).unwrap_or(SPACES));
    }

    /// Whether the text became longer than it may be; it is of no use then.
    pub(super) fn is_full(&self) -> bool {
        self.units > self.most
    }

    pub(super) fn finish(self) -> Option<String> {
        (!self.is_full()).then_some(self.text)
    }
}

/// The length of a text in UTF-16 units.
pub(super) fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_every_name_that_is_no_ascii_identifier() {
        for name in ["a", "_", "$a1", "class", "__proto__", "constructor"] {
            assert_eq!(property_name(&format!("\"{name}\"")), name);
        }
        for name in [r#""""#, r#""1a""#, r#""é""#, r#""a-b""#, r#""a\"b\n""#, r#""\ud800""#, r#""1""#] {
            assert_eq!(property_name(name), name);
        }
        assert_eq!(property_name(r#""\u0061""#), "a");
        assert_eq!(property_name("\"\u{2028}\""), r#""\u2028""#);
    }

    #[test]
    fn keeps_the_lines_of_a_comment_and_nothing_that_ends_it() {
        assert_eq!(comment(" \n\t\r\n"), None);
        assert_eq!(comment("\na \r\n\r\n\r\n  b\r\u{2028}c\u{0}\n").as_deref(), Some("a\n\n  b\n\nc"));
        assert_eq!(comment("x */ y **/ z").as_deref(), Some("x *\\/ y **\\/ z"));
        assert_eq!(comment("*/").as_deref(), Some("*\\/"));
    }

    #[test]
    fn counts_utf_16_units() {
        let mut out = Out::of_at_most(4);
        out.push("a😀b");
        assert!(!out.is_full());
        out.push("c");
        assert_eq!(out.finish(), None);
    }

    proptest! {
        #[test]
        fn ends_a_comment_only_where_it_ends(text in "[*/\\\\a \n\r\u{2028}]{0,40}") {
            let mut out = Out::of_at_most(usize::MAX);
            if let Some(comment) = comment(&text) {
                write_comment(&comment, 2, &mut out);
                let written = out.finish().unwrap();
                prop_assert_eq!(written.find("*/"), written.trim_end().len().checked_sub(2));
                let ends_a_line = written.contains(['\r', '\u{2028}']);
                prop_assert!(!ends_a_line);
            }
        }
    }
}
