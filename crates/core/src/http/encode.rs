//! Percent-encoding of what goes into a URL.
//!
//! The rule: what is written here is the text that is sent. No URL parser has a reason to change a character of it, so
//! a value can be checked as text.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode, utf8_percent_encode};

/// All but what `encodeURIComponent` leaves (ECMA-262 §19.2.6.4).
pub(crate) const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// As `COMPONENT`, with the apostrophe, which URL parsers encode in the query of an http URL.
const QUERY_COMPONENT: &AsciiSet = &COMPONENT.add(b'\'');

/// All but what a path segment may hold (`pchar`, RFC 3986 §3.3).
const PATH_LITERAL: &AsciiSet =
    &COMPONENT.remove(b'$').remove(b'&').remove(b'+').remove(b',').remove(b';').remove(b'=').remove(b':').remove(b'@');

/// All but what a query may hold (RFC 3986 §3.4), less the apostrophe.
const QUERY_LITERAL: &AsciiSet = &PATH_LITERAL.add(b'\'').remove(b'/').remove(b'?');

/// What `allowReserved` leaves as it is in a value: what a query may hold, less what would begin another pair (`&`) or be
/// read as a space (`+`).
const RESERVED_VALUE: &AsciiSet = &QUERY_LITERAL.add(b'&').add(b'+');

/// As `RESERVED_VALUE`, with the comma that stands between values.
const RESERVED_ITEM: &AsciiSet = &RESERVED_VALUE.add(b',');

/// Adds a value to a path segment.
pub(super) fn push_path_value(out: &mut String, value: &str) {
    out.extend(utf8_percent_encode(value, COMPONENT));
}

/// Adds a key or a value to a query.
pub(super) fn push_query_value(out: &mut String, value: &str) {
    out.extend(utf8_percent_encode(value, QUERY_COMPONENT));
}

/// Adds a value that keeps its reserved characters and its escapes (RFC 6570 §3.2.3), but for what a query reads otherwise.
pub(super) fn push_reserved_value(out: &mut String, value: &str, is_item: bool) {
    push_literal(out, value, if is_item { RESERVED_ITEM } else { RESERVED_VALUE });
}

/// Adds bytes to a form that is written as a query.
pub(super) fn push_query_bytes(out: &mut String, bytes: &[u8]) {
    out.extend(percent_encode(bytes, QUERY_COMPONENT));
}

/// Adds the literal text of a path segment.
pub(super) fn push_path_literal(out: &mut String, text: &str) {
    push_literal(out, text, PATH_LITERAL);
}

/// Adds the literal text of a query.
pub(super) fn push_query_literal(out: &mut String, text: &str) {
    push_literal(out, text, QUERY_LITERAL);
}

/// Literal text keeps the escapes it has: a `%` with two hex digits stays, any other becomes `%25`.
fn push_literal(out: &mut String, text: &str, set: &'static AsciiSet) {
    for (nth, part) in text.split('%').enumerate() {
        if nth > 0 {
            let escape = part.as_bytes().iter().take(2).filter(|byte| byte.is_ascii_hexdigit());
            out.push_str(if escape.count() == 2 { "%" } else { "%25" });
        }
        out.extend(utf8_percent_encode(part, set));
    }
}

/// Whether a URL parser takes the segment for `.` or `..` (URL Standard, single- and double-dot path segments), which
/// it would resolve into another path.
pub(super) fn is_dot_segment(segment: &str) -> bool {
    let mut rest = segment;
    for dots in 0..3 {
        if rest.is_empty() {
            return dots > 0;
        }
        let shorter = ["%2e", "%2E", "."].into_iter().find_map(|dot| rest.strip_prefix(dot));
        let Some(shorter) = shorter else { return false };
        rest = shorter;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> String {
        let mut out = String::new();
        push_path_literal(&mut out, text);
        out
    }

    #[test]
    fn a_literal_keeps_its_escapes_and_loses_what_a_path_cannot_hold() {
        assert_eq!(literal("a%2Fb:c@d;e=f"), "a%2Fb:c@d;e=f");
        assert_eq!(literal("100%"), "100%25");
        assert_eq!(literal("%zz%4"), "%25zz%254");
        assert_eq!(literal("a b\\c^|[]\"<>`\t\n"), "a%20b%5Cc%5E%7C%5B%5D%22%3C%3E%60%09%0A");
        assert_eq!(literal("é"), "%C3%A9");
    }

    #[test]
    fn a_value_is_encoded_as_encode_uri_component_does() {
        let mut out = String::new();
        push_path_value(&mut out, "AZaz09-_.!~*'()/?#% \\é:@&=+$,;");
        assert_eq!(out, "AZaz09-_.!~*'()%2F%3F%23%25%20%5C%C3%A9%3A%40%26%3D%2B%24%2C%3B");
    }

    #[test]
    fn dot_segments_are_known_in_every_spelling() {
        for dots in [".", "..", "%2e", "%2E", ".%2e", "%2e.", "%2E%2e"] {
            assert!(is_dot_segment(dots), "{dots}");
        }
        for other in ["", "...", "a", ".a", "%252e", "%2", "..%2e", ". "] {
            assert!(!is_dot_segment(other), "{other}");
        }
    }
}
