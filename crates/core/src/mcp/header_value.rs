//! How a name or a value goes in a header of the stateless protocol (2026-07-28, Streamable HTTP, "Value encoding").

use std::borrow::Cow;

use data_encoding::BASE64;

const SENTINEL: (&str, &str) = ("=?base64?", "?=");

/// A text as `Mcp-Name` and `Mcp-Param-*` carry it: as it is when it is printable ASCII without outer blanks that does
/// not look encoded already, else its UTF-8 in base64 between `=?base64?` and `?=`. No value adds a header.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    let is_printable = text.bytes().all(|byte| (0x20..0x7F).contains(&byte));
    let has_outer_blanks = text.starts_with(' ') || text.ends_with(' ');
    let looks_encoded = text.starts_with(SENTINEL.0) && text.ends_with(SENTINEL.1);
    if is_printable && !has_outer_blanks && !looks_encoded {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}{}{}", SENTINEL.0, BASE64.encode(text.as_bytes()), SENTINEL.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn r_000_132_printable_ascii_goes_as_it_is() {
        for text in ["", "us-west1", "a b", "~!\"#$%&'()*+,-./:;<=>?@[]^_`{|}", "=?base64?", "?=", "=?base64?YQ=="] {
            assert_eq!(encode(text), text);
        }
    }

    #[test]
    fn r_000_133_other_characters_go_in_base64_of_their_utf_8() {
        assert_eq!(encode("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
        assert_eq!(encode("é"), "=?base64?w6k=?=");
        assert_eq!(encode("a\tb"), "=?base64?YQli?=");
        assert_eq!(encode("\u{7F}"), "=?base64?fw==?=");
    }

    #[test]
    fn r_000_134_outer_blanks_go_in_base64() {
        for text in [" us", "us ", " ", "\tus", "us\n"] {
            assert!(encode(text).starts_with("=?base64?"), "{text:?}");
        }
    }

    #[test]
    fn r_000_135_what_looks_encoded_is_encoded() {
        assert_eq!(encode("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
        assert_eq!(encode("=?base64??="), "=?base64?PT9iYXNlNjQ/Pz0=?=");
    }

    #[test]
    fn r_000_136_line_ends_add_no_header() {
        assert_eq!(encode("a\r\nX-Evil: 1"), "=?base64?YQ0KWC1FdmlsOiAx?=");
    }

    fn decode(value: &str) -> String {
        match value.strip_prefix(SENTINEL.0).and_then(|rest| rest.strip_suffix(SENTINEL.1)) {
            Some(inner) => String::from_utf8(BASE64.decode(inner.as_bytes()).unwrap()).unwrap(),
            None => value.to_owned(),
        }
    }

    proptest! {
        #[test]
        fn r_000_135_a_server_reads_back_the_same_text(text in "(=\\?base64\\?)?.*(\\?=)?") {
            let value = encode(&text);
            prop_assert!(value.bytes().all(|byte| (0x20..0x7F).contains(&byte)));
            prop_assert_eq!(value.trim(), value.as_ref());
            prop_assert_eq!(decode(&value), text);
        }
    }
}
