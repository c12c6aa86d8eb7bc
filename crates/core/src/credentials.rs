//! What a client authenticates with, and a server's words without it.
//!
//! The rule: of a request as it was sent, everything that the caller's client may have meant as a secret is taken for one:
//! the values of headers that are not the protocol's own, and the path and the query of the URL. A value that a server
//! repeats is replaced and the words around it are kept, so that one that is no secret costs the reader one word. What
//! is too short or too plain to be told from words (`v1`, `true`, `servers`, `2024`) is left.

use std::borrow::Cow;
use std::ops::Range;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;
use url::form_urlencoded::byte_serialize;

use crate::json::write_string;

/// What stands in the place of a value.
const WITHHELD: &str = "[withheld]";

/// The least length of a value that is found within a word, too, in bytes.
const LONG: usize = 8;

/// The least length of a value of letters, and of one with anything else in it.
const LETTERS: usize = 6;
const MIXED: usize = 4;

/// A name of fewer letters, or a number of fewer digits, than this is no secret by itself.
const PLAIN: usize = 16;

/// What is encoded in a part of a URL, by those who encode all that RFC 3986 reserves.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What `encodeURIComponent` encodes.
const SCRIPT: &AsciiSet = &COMPONENT.remove(b'!').remove(b'\'').remove(b'(').remove(b')').remove(b'*');

/// Headers that describe a message, a connection or a trace, beside all that begin with `accept` and `content-`.
const HARMLESS: [&str; 10] = [
    "b3",
    "cache-control",
    "connection",
    "host",
    "keep-alive",
    "pragma",
    "te",
    "traceparent",
    "tracestate",
    "user-agent",
];

/// The values of a request that no words are to repeat.
#[derive(Debug, Default)]
pub struct Credentials {
    /// In lower case, each in the ways it may be written.
    values: Vec<String>,
    host: String,
}

impl Credentials {
    /// Those of a request with these headers beside the protocol's own, and of the URL that it was sent to, behind those that
    /// it was sent to before, one a line: redirects lead from one to the next. What is in the known URL is no secret.
    pub fn of<'a>(urls: &str, known_url: &str, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut found = Self::default();
        for url in urls.lines().filter_map(|url| Url::parse(url).ok()) {
            found.host = url.host_str().unwrap_or_default().to_ascii_lowercase();
            found.add_url(&url, known_url);
        }
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            let is_harmless =
                HARMLESS.contains(&name.as_str()) || name.starts_with("accept") || name.starts_with("content-");
            if !is_harmless {
                found.add_header(value);
            }
        }
        found.values.sort_unstable();
        found.values.dedup();
        found
    }

    /// The host that the request was sent to, in lower case; empty where that is not known.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    fn add_url(&mut self, url: &Url, known: &str) {
        let mut add = |value: &str| {
            if known.contains(value) {
                return;
            }
            self.add(value);
            if value.contains('+') {
                self.add(&value.replace('+', " "));
            }
        };
        add(url.username());
        add(url.password().unwrap_or_default());
        for segment in url.path_segments().into_iter().flatten() {
            let parts = std::iter::once(segment).chain(segment.split([':', '=', ';', ',', '@']));
            parts.filter(|part| !is_name(part)).for_each(&mut add);
        }
        for pair in url.query().unwrap_or_default().split('&') {
            add(pair.split_once('=').map_or(pair, |(_, value)| value));
        }
    }

    fn add_header(&mut self, value: &str) {
        let value = value.trim();
        self.add(value);
        if let Some((scheme, given)) = value.split_once(' ') {
            self.add(given);
            if scheme.eq_ignore_ascii_case("basic") {
                self.add_basic(given);
            }
        }
        // The parameters of a scheme, and cookies.
        for piece in value.split([' ', '\t', ',', ';', '"']) {
            match piece.trim_end_matches('=').split_once('=') {
                Some((_, value)) => self.add(value),
                None if !is_name(piece) => self.add(piece),
                None => {}
            }
        }
    }

    fn add_basic(&mut self, given: &str) {
        let given = given.trim().trim_end_matches('=').as_bytes();
        let decoded = BASE64_NOPAD.decode(given).or_else(|_| BASE64URL_NOPAD.decode(given));
        let Some(pair) = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
        self.add(&pair);
        if let Some((user, password)) = pair.split_once(':') {
            self.add(user);
            self.add(password);
        }
    }

    fn add(&mut self, value: &str) {
        let decoded = percent_decode_str(value).decode_utf8_lossy();
        for value in [value, &decoded] {
            // An end of base64 that is optional.
            let value = value.trim().trim_end_matches('=');
            let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic());
            let is_number = value.bytes().all(|byte| byte.is_ascii_digit()) && value.len() < PLAIN;
            if is_number || value.len() < if is_word { LETTERS } else { MIXED } {
                continue;
            }
            let value = value.to_ascii_lowercase();
            let encoded =
                [COMPONENT, SCRIPT].map(|set| utf8_percent_encode(&value, set).to_string().to_ascii_lowercase());
            // What URLSearchParams writes.
            let written = byte_serialize(value.as_bytes()).collect::<String>().to_ascii_lowercase();
            let mut quoted = String::new();
            write_string(&value, &mut quoted);
            let escaped = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned();
            let slashed = escaped.replace('/', "\\/");
            self.values
                .extend([value, written, escaped, slashed].into_iter().chain(encoded).filter(|form| !form.is_empty()));
        }
    }

    /// Words without the values. `is_cut`: the words may go on, so that a value may have only its beginning at their end.
    #[must_use]
    pub fn withhold<'a>(&self, words: &'a str, is_cut: bool) -> Cow<'a, str> {
        // As long as the words, byte for byte.
        let lower = words.to_ascii_lowercase();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for value in &self.values {
            let places = lower.match_indices(value.as_str()).map(|(at, _)| at..at + value.len());
            ranges.extend(places.filter(|place| value.len() >= LONG || stands_alone(&lower, place)));
            let beginnings = (MIXED..value.len()).rev().filter_map(|length| value.get(..length));
            if let Some(beginning) = beginnings.filter(|_| is_cut).find(|beginning| lower.ends_with(beginning)) {
                ranges.push(lower.len() - beginning.len()..lower.len());
            }
        }
        if ranges.is_empty() {
            return Cow::Borrowed(words);
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let mut out = String::with_capacity(words.len());
        let mut end = 0;
        for range in ranges {
            if range.start >= end {
                out.push_str(words.get(end..range.start).unwrap_or_default());
                out.push_str(WITHHELD);
            }
            end = end.max(range.end);
        }
        out.push_str(words.get(end..).unwrap_or_default());
        Cow::Owned(out)
    }
}

/// Whether it is what paths and schemes are made of: a few letters.
fn is_name(text: &str) -> bool {
    text.len() < PLAIN && text.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.'))
}

fn stands_alone(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).and_then(|text| text.chars().next_back());
    let after = text.get(place.end..).and_then(|text| text.chars().next());
    ![before, after].into_iter().flatten().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_header(value: &str) -> Credentials {
        Credentials::of("https://mcp.example.com/mcp", "", [("x-any", value)])
    }

    fn of_url(url: &str) -> Credentials {
        Credentials::of(url, "", [])
    }

    #[test]
    fn r_000_009_words_do_not_repeat_what_a_header_holds() {
        for (header, secret) in [
            ("Bearer tok_5up3r53cr3t", "tok_5up3r53cr3t"),
            ("Bearer swordfish", "swordfish"),
            ("tok_5up3r53cr3t", "TOK_5UP3R53CR3T"),
            ("k123", "k123"),
            ("Basic dXNlcjpvcGVuIHNlc2FtZQ==", "dXNlcjpvcGVuIHNlc2FtZQ=="),
            ("Basic dXNlcjpvcGVuIHNlc2FtZQ==", "user:open sesame"),
            ("Basic dXNlcjpvcGVuIHNlc2FtZQ==", "open sesame"),
            ("Basic dXNlcjpvcGVuIHNlc2FtZQ==", "open%20sesame"),
            ("sid=s3ss10n; theme=dark-blue", "s3ss10n"),
            ("AWS4-HMAC-SHA256 Credential=AKIA1/2026/x, Signature=5ec2e7", "5ec2e7"),
            ("Token a/b+c=d\"e", "a/b+c=d\\\"e"),
            ("Token a/b+c=d\"e", "a%2Fb%2Bc%3Dd%22e"),
            ("Basic dXNlcjpwQHNzIXdvcmQx", "p%40ss!word1"),
            ("Basic dXNlcjpwQHNzIXdvcmQx", "p%40ss%21word1"),
            ("Token (a'b)*c/d !", "(a'b)*c%2Fd%20!"),
            ("Token (a'b)*c/d !", "%28a%27b%29*c%2Fd+%21"),
            ("Token ab/cd/ef==", "ab\\/cd\\/ef"),
        ] {
            let told = of_header(header).withhold(&format!("No: '{secret}', sorry"), false).into_owned();
            assert!(
                matches!(told.as_str(), "No: '[withheld]', sorry" | "No: '[withheld]==', sorry"),
                "{header}: {told}"
            );
        }
    }

    #[test]
    fn r_000_009_words_do_not_repeat_what_a_url_holds() {
        for (url, secret) in [
            ("https://h/s/abcd1/mcp", "abcd1"),
            ("https://h/mcp?key=k123", "k123"),
            ("https://h/mcp?a=1&key=swordfish", "swordfish"),
            ("https://h/mcp?swordfish", "swordfish"),
            ("https://h/mcp?key=open%20sesame", "open sesame"),
            ("https://h/mcp?key=open+sesame", "open sesame"),
            ("https://h/bot12345678:AAE-x_y1/mcp", "AAE-x_y1"),
            ("https://h/qwertyuiopasdfgh/mcp", "qwertyuiopasdfgh"),
            ("https://user:p4ssw0rd@h/mcp", "p4ssw0rd"),
        ] {
            assert_eq!(of_url(url).withhold(&format!("No: {secret}"), false), "No: [withheld]", "{url}");
        }
    }

    #[test]
    fn r_000_009_words_do_not_repeat_what_the_url_held_before_a_redirect() {
        let credentials = of_url("https://h/mcp?key=S3cr3tKey\nhttps://other/mcp?key=k123");
        assert_eq!(credentials.withhold("no: s3cr3tkey, k123", false), "no: [withheld], [withheld]");
        assert_eq!(credentials.host(), "other");
    }

    #[test]
    fn what_is_no_secret_is_left_in_words() {
        let words =
            "Internal server error in mcp v1: 2024 servers, x must be true, not 12345; bearer of application/json";
        for url in
            ["https://h/internal/server/v1/servers/12345", "https://h/x?a=1&b=true&c=2024&d=", "https://h", "no url"]
        {
            assert_eq!(of_url(url).withhold(words, false), words, "{url}");
        }
        for header in ["", " ", "x", "true", "2024", "Bearer x"] {
            assert_eq!(of_header(header).withhold(words, false), words, "{header}");
        }
        let harmless = [("accept", "application/json"), ("Content-Type", "application/json"), ("user-agent", "server")];
        assert_eq!(Credentials::of("https://h", "", harmless).withhold(words, false), words);
        // A short value is no part of a longer word.
        assert_eq!(of_header("k123").withhold("k1234 ak123 k123", false), "k1234 ak123 [withheld]");
        // What the request was made with is not the client's.
        let own = "https://h/customers/c_4711?q=open+sesame";
        assert_eq!(Credentials::of(own, own, []).withhold("no c_4711, open sesame", false), "no c_4711, open sesame");
    }

    #[test]
    fn words_that_are_cut_do_not_end_in_the_beginning_of_a_value() {
        let credentials = of_header("Bearer tok_5up3r53cr3t");
        assert_eq!(credentials.withhold("no: tok_5u", true), "no: [withheld]");
        assert_eq!(credentials.withhold("no: tok_5u", false), "no: tok_5u");
        assert_eq!(credentials.withhold("no: to", true), "no: to");
    }

    proptest! {
        #[test]
        fn r_000_009_no_value_of_some_length_is_left_in_any_words(
            secret in "[!-~&&[^=\\[\\]]]{8,40}", before in ".{0,20}", after in ".{0,20}", times in 1_usize..4
        ) {
            let words = format!("{before}{secret}{after}").repeat(times);
            for credentials in [of_header(&secret), of_header(&format!("Bearer {secret}"))] {
                let told = credentials.withhold(&words, false).to_ascii_lowercase();
                // A number is no secret by itself.
                if !secret.bytes().all(|byte| byte.is_ascii_digit()) {
                    prop_assert!(!told.contains(&secret.to_ascii_lowercase()), "{told}");
                }
            }
        }
    }
}
