//! Which headers a template may name, and what a value of one may hold.
//!
//! The rule: no value adds a header, and no place stands for a header that is the client's or the connection's.

use super::mistake::Mistake;

/// Headers that carry credentials, frame the message or steer the connection (RFC 9110 §7.2, §7.6, §10.1.1, §11;
/// RFC 9112 §6), and those by which servers let a request name another method than it has.
const CLIENT_HEADERS: [&str; 16] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Prefixes of headers that are the client's whatever follows (Fetch Standard, forbidden request-header).
const CLIENT_PREFIXES: [&str; 2] = ["proxy-", "sec-"];

/// Whether a header is the client's or the connection's, so that no template may name it. Case is ignored.
pub fn is_client_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CLIENT_HEADERS.contains(&name.as_str()) || CLIENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the text is a `token` (RFC 9110 §5.6.2), as header names and the halves of a media type are.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Holds a value to what every client sends as it is: Latin-1 without control characters and without outer blanks,
/// which are trimmed on the way (RFC 9110 §5.5).
pub(super) fn check_value(value: &str) -> Result<(), Mistake> {
    if value.chars().any(char::is_control) {
        return Err(Mistake::ControlCharacter);
    }
    if value.chars().any(|character| character > '\u{FF}') {
        return Err(Mistake::BeyondLatin1);
    }
    if value.starts_with(' ') || value.ends_with(' ') {
        return Err(Mistake::OuterSpace);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_000_008_headers_of_the_client_are_known_in_any_case() {
        for name in ["Authorization", "COOKIE", "Host", "Proxy-Anything", "Sec-Fetch-Mode", "Content-Type", "TE"] {
            assert!(is_client_header(name), "{name}");
        }
        for name in ["X-Request-Id", "Accept", "If-Match", "Proxy", "Second", ""] {
            assert!(!is_client_header(name), "{name}");
        }
    }

    #[test]
    fn a_token_has_no_blank_no_separator_and_something() {
        assert!(is_token("X-Trace!#$%&'*+-.^_`|~9"));
        for text in ["", "a b", "a:b", "a/b", "é", "a\r\nb"] {
            assert!(!is_token(text), "{text}");
        }
    }

    #[test]
    fn r_000_169_a_value_that_could_add_a_header_or_be_changed_on_the_way_is_a_mistake() {
        for value in ["", "a", "é", "a, b", "\u{A0}a"] {
            assert_eq!(check_value(value), Ok(()), "{value}");
        }
        for value in ["a\r\nX: y", "a\rb", "a\nb", "a\0b", "a\tb", "\ta", "a\u{7F}", "a\u{85}b"] {
            assert_eq!(check_value(value), Err(Mistake::ControlCharacter), "{value:?}");
        }
        for value in [" a", "a "] {
            assert_eq!(check_value(value), Err(Mistake::OuterSpace), "{value:?}");
        }
        assert_eq!(check_value("Ā"), Err(Mistake::BeyondLatin1));
    }
}
