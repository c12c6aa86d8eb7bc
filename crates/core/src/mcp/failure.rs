//! Why a request has no result, and the fixed table from statuses and codes to reasons.
//!
//! The rule: a server's own words stand only in what is written for the model (`InvalidInput`, `CallFailed`), without what
//! the client authenticated with, and those of an error of the protocol not when they speak of an address or of another
//! credential. Until it is known what the client sent, they stand nowhere. Every other description holds a status or a
//! code at most.

use super::address::holds_address;
use super::message::RpcError;
use crate::credentials::Credentials;
use crate::http::cut;

/// JSON-RPC 2.0 §5.1, and the codes that revision 2026-07-28 adds.
pub(super) mod code {
    pub(in super::super) const PARSE_ERROR: i64 = -32700;
    pub(in super::super) const INVALID_REQUEST: i64 = -32600;
    pub(in super::super) const METHOD_NOT_FOUND: i64 = -32601;
    pub(in super::super) const INVALID_PARAMS: i64 = -32602;
    pub(in super::super) const HEADER_MISMATCH: i64 = -32020;
    pub(in super::super) const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    pub(in super::super) const UNSUPPORTED_VERSION: i64 = -32022;
}

/// The reasons of a `ToolSourceError` that a server's answer can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The server refused the client's credentials.
    Authentication,
    /// The server has no such tool.
    NotFound,
    /// The tool does not take such an input.
    InvalidInput,
    /// The tool ran and failed, or answered more than a tool can return.
    CallFailed,
    /// The server is down, busy, out of reach, or broke off.
    Unavailable,
    /// The server answered with something that is not what the protocol says.
    InvalidResponse,
    /// The server, or we, cannot do what is asked.
    Unsupported,
    /// The server failed in a way that says nothing more.
    Unknown,
}

/// A failure: its reason, and words for a person, or for the model where the reason's are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which error it is.
    pub reason: Reason,
    /// What happened. None where the reason's own words say it all.
    pub description: Option<String>,
    words: Option<Words>,
}

/// A server's own words, which say what happened better.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    text: String,
    /// Whether the server said more.
    is_cut: bool,
    /// How much of them a model reads, in UTF-16 units.
    most: usize,
    /// Whether they are those of the protocol, and not a tool's.
    is_protocol: bool,
}

/// How much of a server's error a model reads, in UTF-16 units, and of what a tool says when it fails.
const MAX_ERROR_WORDS: usize = 500;
const MAX_TOOL_WORDS: usize = 20_000;

/// How much of them is looked at.
pub(super) const MAX_LOOKED_AT: usize = 4 * MAX_TOOL_WORDS;

impl Failure {
    pub(super) fn new(reason: Reason, description: impl Into<String>) -> Self {
        Self { reason, description: Some(description.into()), words: None }
    }

    /// What a tool says of its failure, if it says anything.
    pub(super) fn of_tool(text: &str) -> Self {
        let words = Words::of(text, MAX_TOOL_WORDS, false);
        Self { reason: Reason::CallFailed, description: None, words: (!words.text.trim().is_empty()).then_some(words) }
    }

    /// Whether there are words of the server's, which stand in the description once they are [told](Self::told).
    #[must_use]
    pub fn has_words(&self) -> bool {
        self.words.is_some()
    }

    /// The failure in the server's own words, without what the client authenticated with.
    #[must_use]
    pub fn told(self, credentials: &Credentials) -> Self {
        let Some(Words { text, is_cut, most, is_protocol }) = self.words else { return self };
        let description = if is_protocol && names(&text, credentials.host()) {
            self.description
        } else {
            Some(cut(&credentials.withhold(&text, is_cut), most).to_owned())
        };
        Self { reason: self.reason, description, words: None }
    }

    /// What a status alone means, whatever the body says; none where the body has the say.
    pub(super) fn of_status(status: u16) -> Option<Self> {
        let (reason, more) = match status {
            401 | 403 => (Reason::Authentication, ""),
            408 | 429 | 500..=599 => (Reason::Unavailable, ""),
            200..=299 | 400..=499 => return None,
            300..=399 => {
                (Reason::InvalidResponse, " It redirected the request; following a redirect is the client's business.")
            }
            _ => (Reason::InvalidResponse, " That is no status an answer can have."),
        };
        Some(Self::new(reason, format!("The server answered with status {status}.{more}")))
    }

    /// What the error of a call of that tool means, by a server at that host.
    pub(super) fn of_call(error: &RpcError, tool: &str, host: &str) -> Self {
        let words = error.message.trim();
        // Far more than what is shown of them, so that the cut behind that may fall in the middle of an address.
        let looked_at = cut(words, MAX_LOOKED_AT);
        let reason = match error.code {
            code::INVALID_PARAMS if says_unknown_tool(looked_at, tool) => {
                return Self::new(Reason::NotFound, "The server does not know the tool.");
            }
            code::INVALID_PARAMS => Reason::InvalidInput,
            _ => match Self::of_protocol(error.code) {
                Some(failure) => return failure,
                None => Reason::CallFailed,
            },
        };
        let fixed = match reason {
            Reason::InvalidInput => "The server refused the input",
            _ => "The server failed to run the tool",
        };
        let fixed = Self::new(reason, format!("{fixed} (error {}).", error.code));
        if words.is_empty() || names(looked_at, host) || holds_address(looked_at) || holds_credential(looked_at) {
            return fixed;
        }
        Self { words: Some(Words::of(words, MAX_ERROR_WORDS, true)), ..fixed }
    }

    /// What the error of a listing or of a probe means.
    pub(super) fn of_request(error: &RpcError) -> Self {
        let otherwise = if error.code == code::INVALID_PARAMS { Reason::InvalidResponse } else { Reason::Unknown };
        Self::of_code(error.code, otherwise)
    }

    /// What it means that a session is refused.
    pub(super) fn of_beginning(error: &RpcError) -> Self {
        Self::of_code(error.code, Reason::InvalidResponse)
    }

    fn of_code(code: i64, otherwise: Reason) -> Self {
        Self::of_protocol(code)
            .unwrap_or_else(|| Self::new(otherwise, format!("The server answered with the error {code}.")))
    }

    /// What the codes of the protocol mean, which say that the two sides do not understand each other.
    fn of_protocol(code: i64) -> Option<Self> {
        let (reason, words) = match code {
            code::PARSE_ERROR | code::INVALID_REQUEST => (Reason::InvalidResponse, "does not understand the request"),
            code::HEADER_MISMATCH => (Reason::InvalidResponse, "refused the headers of the request"),
            code::METHOD_NOT_FOUND => (Reason::Unsupported, "does not have the method"),
            code::MISSING_CLIENT_CAPABILITY => (Reason::Unsupported, "asks for more than calling tools"),
            code::UNSUPPORTED_VERSION => (Reason::Unsupported, "does not speak the protocol's version"),
            _ => return None,
        };
        Some(Self::new(reason, format!("The server {words} (error {code}).")))
    }
}

/// Whether an error's message says that there is no such tool: the code for it is also that of bad arguments.
fn says_unknown_tool(message: &str, tool: &str) -> bool {
    const NO_TOOL: [&str; 4] = ["unknown tool", "no such tool", "tool not found", "tool does not exist"];
    const IS_NONE: [&str; 7] = [
        "not found",
        "does not exist",
        "is not registered",
        "not registered",
        "is unknown",
        "was not found",
        "doesn't exist",
    ];
    let is_mark =
        |c: char| c.is_whitespace() || matches!(c, ':' | '"' | '\'' | '`' | '.' | '(' | ')' | '“' | '”' | '‘' | '’');
    let message = message.to_lowercase();
    let tool = tool.to_lowercase();
    // "Unknown tool: x", but not "Unknown tool argument".
    let says = NO_TOOL.iter().any(|words| {
        message.split_once(words).is_some_and(|(_, rest)| {
            let named = rest.trim_start_matches(is_mark);
            let is_marked = rest.trim_start().starts_with(|c: char| !c.is_whitespace() && is_mark(c));
            named.is_empty() || named.starts_with(&tool) || is_marked
        })
    });
    // "Tool x not found", but not "tool x: file not found".
    let says_of_it = message.match_indices("tool").any(|(at, word)| {
        let rest = message[at + word.len()..].trim_start_matches(is_mark).strip_prefix(tool.as_str());
        rest.is_some_and(|rest| {
            let rest = rest.trim_start_matches(|c: char| is_mark(c) && c != ':');
            IS_NONE.iter().any(|words| rest.starts_with(words))
        })
    });
    says || says_of_it
}

impl Words {
    fn of(text: &str, most: usize, is_protocol: bool) -> Self {
        let looked_at = cut(text, MAX_LOOKED_AT);
        Self { text: looked_at.to_owned(), is_cut: looked_at.len() < text.len(), most, is_protocol }
    }
}

/// Whether words name a host, which is in lower case.
fn names(words: &str, host: &str) -> bool {
    host.len() > 3 && words.to_lowercase().contains(host)
}

/// What secrets are called by.
const CALLED: [&str; 13] = [
    "password",
    "passwd",
    "secret",
    "token",
    "api-key",
    "api_key",
    "api key",
    "apikey",
    "access-key",
    "access_key",
    "access key",
    "cookie",
    "credential",
];

/// The least length of a value, in bytes.
const MIN_VALUE: usize = 4;

/// Whether words hold a credential, of whomever: a scheme's name, or what secrets are called by with a value that is no word,
/// or before something in the same sentence that looks like one. "password is required" holds none.
///
/// It takes time in proportion to the words, whatever they are.
fn holds_credential(words: &str) -> bool {
    const SCHEMES: [&str; 2] = ["authorization", "bearer"];
    /// No word is longer, in characters.
    const MAX_WORD: usize = 64;
    /// How far behind a name is looked, in bytes.
    const MAX_BEHIND: usize = 256;
    let words = words.to_lowercase();
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    SCHEMES.iter().any(|scheme| words.contains(scheme))
        || CALLED.iter().flat_map(|name| words.match_indices(name)).any(|(at, name)| {
            // "passwords", and the end of a key that is quoted.
            let behind = &words[at + name.len()..];
            let behind = &behind[..behind.floor_char_boundary(MAX_BEHIND)];
            let is_plural = behind.starts_with('s');
            let behind = behind.trim_start_matches(|c| c == 's' || is_quote(c)).trim_start();
            let given = behind.trim_start_matches([':', '=']).trim_start();
            let given = given.trim_start_matches(|c| is_quote(c) || matches!(c, '(' | '[' | '<'));
            let value =
                given.split(|c: char| c.is_whitespace() || is_quote(c) || matches!(c, ',' | ';' | ')' | '}' | ']'));
            let value = value.map(|value| value.trim_end_matches(['.', ':', '!', '?'])).next().unwrap_or_default();
            let is_word = value.chars().nth(MAX_WORD).is_none()
                && value.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '_' | '/' | '.' | '\u{2019}'));
            // So many tokens of a text.
            let is_count = name == "token" && is_plural && is_quantity(value);
            let is_value = value.len() >= MIN_VALUE && !is_count && (!is_word || behind.starts_with('='));
            is_value || leads_to_secret(given)
        })
}

/// "Incorrect password provided: hunter2.", from behind the name on.
fn leads_to_secret(words: &str) -> bool {
    const MAX_FOLLOWING: usize = 8;
    for word in words.split_whitespace().take(MAX_FOLLOWING) {
        let mut pieces = word.split(|c: char| ",;:=\"'`()[]{}<>|".contains(c));
        if pieces.any(|piece| is_mixed(piece.trim_matches(|c: char| !c.is_alphanumeric()))) {
            return true;
        }
        if word.ends_with(['.', '!', '?', ';']) {
            break;
        }
    }
    false
}

/// Whether something is made of letters and of digits or marks, as secrets are, and not as a quantity, a date or a standard.
fn is_mixed(word: &str) -> bool {
    /// The least length of what has letters and marks alone.
    const LONG: usize = 8;
    let has = |is_of: fn(char) -> bool| word.contains(is_of);
    let is_date = word.as_bytes().get(4) == Some(&b'-')
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | 't' | 'z'));
    let has_mark = word.len() >= LONG && has(|c| "$%&*+#^~!".contains(c));
    word.len() >= MIN_VALUE
        && has(char::is_alphabetic)
        && (has_mark || has(|c| c.is_ascii_digit()) && !is_date && !is_quantity(word) && !is_standard(word))
}

/// `4096`, `16mb`, `8-character`.
fn is_quantity(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    let digits = word.len() - unit.len();
    let is_unit = |unit: &str| unit.chars().all(char::is_alphabetic);
    match unit.strip_prefix('-') {
        Some(unit) => (1..=3).contains(&digits) && is_unit(unit),
        None => digits > 0 && unit.len() <= 2 && is_unit(unit),
    }
}

/// `base64`, `utf-8`, `oauth2.0`, `base64url`, `sha256-encoded`.
fn is_standard(word: &str) -> bool {
    const STANDARDS: [&str; 18] = [
        "aes", "base", "ed", "es", "hs", "http", "iso", "md", "oauth", "ps", "rfc", "rs", "sha", "tls", "utf", "uuid",
        "uuidv", "v",
    ];
    let Some(at) = word.find(|c: char| c.is_ascii_digit()) else { return false };
    let (name, number) = word.split_at(at);
    let more = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_more = more == "url" || more.strip_prefix('-').is_some_and(|more| more.chars().all(char::is_alphabetic));
    STANDARDS.contains(&name.trim_end_matches('-')) && (more.is_empty() || is_more)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, message: &str) -> RpcError {
        RpcError { is_own: true, code, message: message.to_owned(), supported: Vec::new() }
    }

    #[test]
    fn r_000_119_each_status_has_one_reason() {
        let reason = |status| Failure::of_status(status).map(|failure| failure.reason);
        assert_eq!([401, 403].map(reason), [Some(Reason::Authentication); 2]);
        for status in [408, 429].into_iter().chain(500..=599) {
            assert_eq!(reason(status), Some(Reason::Unavailable), "{status}");
        }
        for status in (300..=399).chain([0, 100, 199, 600, 999]) {
            assert_eq!(reason(status), Some(Reason::InvalidResponse), "{status}");
        }
        for status in [200, 202, 204, 400, 404, 405, 406, 409, 410, 415, 422, 499] {
            assert_eq!(reason(status), None, "{status}");
        }
    }

    #[test]
    fn r_000_119_each_code_of_a_call_has_one_reason() {
        for (code, reason) in [
            (-32700, Reason::InvalidResponse),
            (-32600, Reason::InvalidResponse),
            (-32601, Reason::Unsupported),
            (-32602, Reason::InvalidInput),
            (-32603, Reason::CallFailed),
            (-32020, Reason::InvalidResponse),
            (-32021, Reason::Unsupported),
            (-32022, Reason::Unsupported),
            (-32000, Reason::CallFailed),
            (-32002, Reason::CallFailed),
            (7, Reason::CallFailed),
        ] {
            assert_eq!(Failure::of_call(&error(code, "it went wrong"), "x", "h").reason, reason, "{code}");
        }
        assert_eq!(Failure::of_request(&error(-32603, "x")).reason, Reason::Unknown);
        assert_eq!(Failure::of_request(&error(-32602, "x")).reason, Reason::InvalidResponse);
    }

    #[test]
    fn r_000_120_an_unknown_tool_is_not_found() {
        let reason = |message| Failure::of_call(&error(-32602, message), "Tickets", "h").reason;
        for message in [
            "Unknown tool: tickets",
            "Unknown tool: another",
            "unknown tool \"another\"",
            "Tool Tickets not found",
            "MCP error -32602: Tool \"tickets\" does not exist",
            "No such tool",
            "tool not found: 'tickets'",
            "Tool 'tickets' is not registered.",
        ] {
            assert_eq!(reason(message), Reason::NotFound, "{message}");
        }
        for message in [
            "Invalid arguments for tool tickets: a is required",
            "file not found",
            "Invalid arguments for tool tickets: the file 'a.txt' does not exist",
            "tool \"tickets\": project not found",
            "Unknown tool argument: colour",
        ] {
            assert_eq!(reason(message), Reason::InvalidInput, "{message}");
        }
    }

    #[test]
    fn a_model_reads_a_servers_words_but_no_address_and_no_credential() {
        let credentials = Credentials::of("https://other.example.com/", "", [("x-key", "tok_5up3r53cr3t")]);
        let description = |code, message: &str| {
            let failure = Failure::of_call(&error(code, message), "x", "mcp.example.com");
            failure.told(&credentials).description.unwrap()
        };
        for words in [
            "a is required",
            "line 42: expected \"}\"",
            "items: too many",
            "version 1.2 of note 10:30 is gone",
            "password is required",
            "password: must be at least 8 characters, and not \"password\"",
            "\"api_key\": Required",
            "password must have 8 characters",
            "password is too short. Line a12b is wrong",
            "token (max 4096) expired at 2026-07-28T12:30:45Z",
            "the secret must be base64-encoded, of utf-8, an 8-character text of 16kb at most",
            "tokens: 482913 of them are too many",
            "the secret of user 12 is not found",
            "cookies: expected a list",
            "token: expected a text",
            "max_tokens: 4096 is too many, max_tokens=2048 is not",
        ] {
            assert_eq!(description(-32602, &format!(" {words} ")), words);
        }
        assert_eq!(description(-32603, &"x".repeat(501)).len(), 500);
        assert_eq!(description(-32603, ""), "The server failed to run the tool (error -32603).");
        for words in [
            "see HTTPS://x",
            "at 127.0.0.1:80",
            "Localhost",
            "Authorization: Basic dXNlcjpwYXNz",
            "Bearer\ttok",
            "connect ECONNREFUSED 10.0.0.5:5432",
            "upstream db.internal.example.org:8443, retry",
            "X-Api-Key: k123",
            "postgres://user:pw@db:5432/x",
            "[::1]:8080",
            "host=(192.168.0.1)",
            "MCP.example.com is down",
            "other.example.com is down",
            "token=abc123def",
            "{\"password\": \"s3cret\"}",
            "password=hunter",
            "invalid token abc.d3f",
            "invalid token 482913",
            "access_token=482913",
            "Incorrect api_key provided: sk-live-4f9c",
            "Incorrect API key provided: 'sk-live-4f9c'. You can find it on a page",
            "password is hunter2",
            "password (hunter2) is wrong",
            "the password that was given is open$sesame!",
            "api keys: ak_4711",
            "cookie sid=1",
        ] {
            assert_eq!(description(-32602, words), "The server refused the input (error -32602).", "{words}");
        }
        // Beyond what is shown, too: the cut may fall in the middle of it.
        assert!(description(1, &format!("{}http://x", "y".repeat(495))).starts_with("The server failed"));
        let long = description(1, &format!("{} tok_5up3r53cr3t", "y".repeat(490)));
        assert_eq!(long, format!("{} [withheld", "y".repeat(490)));
    }

    #[test]
    fn words_that_repeat_what_secrets_are_called_by_are_read_at_once() {
        // A reader that reads on to the end behind each name would not end with either.
        for name in CALLED {
            for between in ["", " ", "-", "s is ", ": "] {
                let repeated = format!("{name}{between}");
                let length = if between.is_empty() { 16 << 20 } else { 1 << 20 };
                let words = repeated.repeat(length / repeated.len());
                let failure = Failure::of_call(&error(-32603, &words), "x", "h");
                assert_eq!(failure.reason, Reason::CallFailed, "{repeated}");
                holds_credential(&words);
            }
        }
        let word = "w".repeat(64);
        assert!(!holds_credential(&format!("password {word}")));
        assert!(holds_credential(&format!("password {word}w")));
    }

    #[test]
    fn r_000_009_a_servers_words_are_not_told_before_it_is_known_what_they_must_not_repeat() {
        let credentials = Credentials::of("https://h/", "", [("authorization", "Bearer tok_5up3r53cr3t")]);
        for failure in [
            Failure::of_call(&error(-32603, "invalid: tok_5up3r53cr3t"), "x", "h"),
            Failure::of_tool("invalid: tok_5up3r53cr3t"),
        ] {
            assert!(failure.has_words());
            assert!(!failure.description.clone().unwrap_or_default().contains("tok_"));
            assert_eq!(failure.told(&credentials).description.as_deref(), Some("invalid: [withheld]"));
        }
        let cut = Failure::of_tool(&format!("{}tok_5up3r53cr3t", "tok_5up3r53cr3t ".repeat(MAX_LOOKED_AT / 16 - 1)));
        assert!(!cut.told(&credentials).description.unwrap().contains("tok"));
    }
}
