//! Strings of JSON: read leniently, written exactly.

use std::borrow::Cow;

use super::scan::to_special;

/// The text between the quotes of a valid JSON string, decoded. Half of a surrogate pair, which a Rust string cannot hold,
/// becomes a character of its own for each half ([`stand_in`]), so that different names stay different.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    decode_with(raw, stand_in)
}

/// The same for a person, a model or a header to have: U+FFFD where half of a surrogate pair is, as encoders write it.
pub(crate) fn decode_readable(raw: &str) -> Cow<'_, str> {
    decode_with(raw, |_| char::REPLACEMENT_CHARACTER)
}

fn decode_with(raw: &str, half: impl Fn(u32) -> char) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    out.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some(after) = rest.strip_prefix('\\') {
        let escape = after.as_bytes().first().copied().unwrap_or(b'\\');
        let mut taken = 2;
        match escape {
            b'u' => {
                let high = unit(rest).unwrap_or(0xFFFD);
                taken = 6;
                let pair = (0xD800..0xDC00).contains(&high).then(|| rest.get(6..).and_then(unit)).flatten();
                match pair {
                    Some(low) if (0xDC00..0xE000).contains(&low) => {
                        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                        out.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
                        taken = 12;
                    }
                    _ => out.push(char::from_u32(high).unwrap_or_else(|| half(high))),
                }
            }
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            other => out.push(char::from(other)),
        }
        rest = rest.get(taken..).unwrap_or("");
        let next = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(out)
}

/// The first of the 2,048 characters, at the end of the last private plane, that stand for halves of surrogate pairs.
const FIRST_STAND_IN: u32 = 0x10_F800;

/// The character that stands for half of a surrogate pair (a UTF-16 unit from D800 to DFFF).
pub(crate) fn stand_in(half: u32) -> char {
    char::from_u32(FIRST_STAND_IN + (half & 0x7FF)).unwrap_or('\u{FFFD}')
}

/// Whether a decoded text had half of a surrogate pair in it: text that no request can carry.
pub(crate) fn holds_half(text: &str) -> bool {
    text.chars().any(|c| u32::from(c) >= FIRST_STAND_IN)
}

/// The UTF-16 unit that a text beginning with `\uXXXX` spells.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

/// Appends a string with its quotes, as JSON writes it.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut from = 0;
    loop {
        let at = to_special(text.as_bytes(), from);
        out.push_str(&text[from..at]);
        let Some(byte) = text.as_bytes().get(at) else { break };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => out.push_str(&format!("\\u{control:04x}")),
        }
        from = at + 1;
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_halves_of_surrogate_pairs_apart() {
        assert_eq!(decode(r"a\ud800b"), "a\u{10F800}b");
        assert_eq!(decode(r"\udfff\ud83d\ude00"), "\u{10FFFF}😀");
        assert_eq!(decode(r"\ud800\u0041"), "\u{10F800}A");
        assert!(holds_half(&decode(r"\udc00")) && !holds_half("\u{FFFD}😀"));
        assert_eq!(decode_readable("a\\ud800😀\u{10F800}"), "a\u{FFFD}😀\u{10F800}");
        assert_eq!(decode(r#"\"\\\/\b\f\n\r\t"#), "\"\\/\u{8}\u{c}\n\r\t");
    }

    proptest! {
        #[test]
        fn writes_and_reads_any_string_back(text in any::<String>()) {
            let mut out = String::new();
            write_string(&text, &mut out);
            prop_assert_eq!(&serde_json::from_str::<String>(&out).unwrap(), &text);
            prop_assert_eq!(decode(&out[1..out.len() - 1]), text.as_str());
            let spelled: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
            prop_assert_eq!(decode(&spelled), text.as_str());
        }
    }
}
