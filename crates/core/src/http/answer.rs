//! What the head of an answer means, before its body is read (document 000, "HTTP and OpenAPI").
//!
//! The rule: a status decides alone which kind of result a call has, and no description here holds anything of the
//! answer but its status.

/// What to do with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A success that says its body is JSON. An empty body is null.
    Json,
    /// A success with another body, which is its text. An empty body is null.
    Text,
    /// A success that has no body: null.
    Nothing,
    /// The call failed, and the body says why in the API's own words.
    OwnWords,
    /// The call failed, and the body is not read.
    Fail {
        /// Which error it is.
        reason: Reason,
        /// The error's description, for a person; it names the status.
        description: String,
    },
}

/// The errors a status alone can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The API refused the client's credentials.
    Authentication,
    /// The API is down, busy or too slow: worth trying again.
    Unavailable,
    /// The API answered what is no answer to a call.
    InvalidResponse,
}

/// Judges an answer by its head: the request's method, the status, and the Content-Type header when there is one.
pub fn judge(method: &str, status: u16, content_type: Option<&str>) -> Verdict {
    let (reason, more) = match status {
        204 | 205 => return Verdict::Nothing,
        200..=299 if method.eq_ignore_ascii_case("HEAD") => return Verdict::Nothing,
        200..=299 if content_type.is_some_and(is_json) => return Verdict::Json,
        200..=299 => return Verdict::Text,
        401 | 403 => (Reason::Authentication, ""),
        408 | 429 | 500..=599 => (Reason::Unavailable, ""),
        400..=499 => return Verdict::OwnWords,
        300..=399 => (
            Reason::InvalidResponse,
            " The server redirected the request; following a redirect is the client's business.",
        ),
        _ => (Reason::InvalidResponse, " That is no status an answer to a call can have."),
    };
    Verdict::Fail { reason, description: format!("The API answered with status {status}.{more}") }
}

/// Whether a media type is JSON: `application/json`, `text/json`, or any with the suffix `+json` (RFC 8259 §11,
/// RFC 6839 §3.1). Case and parameters are ignored.
pub(super) fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.split_once('/') {
        Some(("application" | "text", "json")) => true,
        Some((kind, subtype)) => {
            !kind.is_empty() && subtype.strip_suffix("+json").is_some_and(|before| !before.is_empty())
        }
        None => false,
    }
}

/// The longest beginning of the text that has at most `max_units` UTF-16 units. A surrogate pair is never split.
pub fn cut(text: &str, max_units: usize) -> &str {
    // No text has more UTF-16 units than bytes.
    if text.len() <= max_units {
        return text;
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > max_units {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(status: u16) -> Option<Reason> {
        match judge("GET", status, Some("application/json")) {
            Verdict::Fail { reason, .. } => Some(reason),
            _ => None,
        }
    }

    #[test]
    fn r_000_173_a_success_that_says_json_is_json() {
        for media_type in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "text/json",
            "application/vnd.api+json",
            " application/json ;q",
        ] {
            assert_eq!(judge("GET", 200, Some(media_type)), Verdict::Json, "{media_type}");
        }
        assert_eq!(judge("post", 201, Some("application/problem+json")), Verdict::Json);
    }

    #[test]
    fn r_000_174_a_success_with_another_body_is_text() {
        for media_type in
            ["text/plain", "application/jsonp", "json", "application/+json", "/x+json", "text/html;+json", ""]
        {
            assert_eq!(judge("GET", 200, Some(media_type)), Verdict::Text, "{media_type}");
        }
        assert_eq!(judge("GET", 299, None), Verdict::Text);
    }

    #[test]
    fn r_000_175_a_success_without_a_body_is_nothing() {
        assert_eq!(judge("GET", 204, Some("application/json")), Verdict::Nothing);
        assert_eq!(judge("PUT", 205, None), Verdict::Nothing);
        assert_eq!(judge("head", 200, Some("application/json")), Verdict::Nothing);
    }

    #[test]
    fn r_000_176_unauthorized_and_forbidden_are_authentication() {
        assert_eq!([401, 403].map(reason), [Some(Reason::Authentication); 2]);
    }

    #[test]
    fn r_000_177_timeout_rate_limit_and_each_5xx_are_unavailable_and_say_only_the_status() {
        for status in [408, 429].into_iter().chain(500..=599) {
            let description = format!("The API answered with status {status}.");
            assert_eq!(judge("HEAD", status, None), Verdict::Fail { reason: Reason::Unavailable, description });
        }
    }

    #[test]
    fn r_000_178_any_other_4xx_has_the_apis_own_words() {
        for status in (400..=499).filter(|status| ![401, 403, 408, 429].contains(status)) {
            assert_eq!(judge("GET", status, None), Verdict::OwnWords, "{status}");
        }
    }

    #[test]
    fn r_000_185_a_redirect_is_no_answer() {
        for status in 300..=399 {
            let Verdict::Fail { reason: Reason::InvalidResponse, description } = judge("GET", status, None) else {
                panic!("{status}");
            };
            assert!(description.contains("redirected"), "{description}");
        }
    }

    #[test]
    fn a_status_outside_2xx_to_5xx_is_no_answer() {
        for status in [0, 99, 100, 101, 103, 199, 600, 999, u16::MAX] {
            assert_eq!(reason(status), Some(Reason::InvalidResponse), "{status}");
        }
    }

    #[test]
    fn r_000_178_a_cut_counts_utf_16_units_and_never_splits_a_pair() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("éé", 1), "é");
        assert_eq!(cut("ééé", 3), "ééé");
        assert_eq!(cut("a😀b", 2), "a");
        assert_eq!(cut("a😀b", 3), "a😀");
        assert_eq!(cut("a😀b", 4), "a😀b");
        assert_eq!(cut("😀", 0), "");
        assert_eq!(cut("", 0), "");
        assert_eq!(cut(&"x".repeat(501), 500).len(), 500);
    }
}
