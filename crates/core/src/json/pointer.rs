//! JSON Pointers in the fragment of a URI (RFC 6901 §6), as `$ref` writes them.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What a fragment may not hold as it is (RFC 3986 §3.5), and `%` itself.
const FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The segments of a reference into the same document, `#/a/b`: percent-decoding first, then `~1`, then `~0`. `None`
/// for any other reference.
pub(crate) fn parse_fragment(reference: &str) -> Option<Vec<String>> {
    let pointer = reference.strip_prefix("#/")?;
    let segments = pointer.split('/').map(|segment| {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        decoded.replace("~1", "/").replace("~0", "~")
    });
    Some(segments.collect())
}

/// One segment as a reference writes it.
pub(crate) fn escape_fragment(segment: &str) -> String {
    utf8_percent_encode(&segment.replace('~', "~0").replace('/', "~1"), FRAGMENT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decodes_percent_signs_before_tildes() {
        assert_eq!(
            parse_fragment("#/paths/~1a~1%7Bid%7D/get"),
            Some(vec!["paths".into(), "/a/{id}".into(), "get".into()])
        );
        assert_eq!(parse_fragment("#/a~01"), Some(vec!["a~1".into()]));
        assert_eq!(parse_fragment("other.json#/a"), None);
        assert_eq!(parse_fragment("#"), None);
    }

    proptest! {
        #[test]
        fn reads_back_any_segment(segment in any::<String>()) {
            let parsed = parse_fragment(&format!("#/{}", escape_fragment(&segment)));
            prop_assert_eq!(parsed, Some(vec![segment]));
        }
    }
}
