//! Why a request has no result, and the fixed table from statuses and codes to reasons.
//!
//! The rule: a server's own words stand only in what is written for the model (`InvalidInput`, `CallFailed`), and not
//! when they speak of an address or a credential. Every other description holds a status or a code at most.

use super::message::RpcError;
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
}

/// How much of a server's error a model reads, in UTF-16 units.
const MAX_ERROR_WORDS: usize = 500;

impl Failure {
    pub(super) fn new(reason: Reason, description: impl Into<String>) -> Self {
        Self { reason, description: Some(description.into()) }
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

    /// What the error of a call means.
    pub(super) fn of_call(error: &RpcError) -> Self {
        let reason = match error.code {
            code::INVALID_PARAMS if says_unknown_tool(&error.message) => {
                return Self::new(Reason::NotFound, "The server does not know the tool.");
            }
            code::INVALID_PARAMS => Reason::InvalidInput,
            _ => match Self::of_protocol(error.code) {
                Some(failure) => return failure,
                None => Reason::CallFailed,
            },
        };
        let words = cut(error.message.trim(), MAX_ERROR_WORDS);
        if words.is_empty() || speaks_of_address(&error.message) {
            let fixed = match reason {
                Reason::InvalidInput => "The server refused the input.",
                _ => "The server failed to run the tool.",
            };
            return Self::new(reason, format!("{fixed} (code {})", error.code));
        }
        Self::new(reason, words)
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
fn says_unknown_tool(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let names_a_tool = message.contains("tool");
    let says_unknown = ["unknown tool", "not found", "no such tool", "does not exist", "not registered", "not exist"];
    names_a_tool && says_unknown.iter().any(|words| message.contains(words))
}

/// Whether words hold an address or a credential: nothing that a model reads of a failure does.
fn speaks_of_address(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["http://", "https://", "127.0.0.1", "localhost", "bearer "].iter().any(|mark| words.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, message: &str) -> RpcError {
        RpcError { code, message: message.to_owned(), supported: Vec::new() }
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
            assert_eq!(Failure::of_call(&error(code, "it went wrong")).reason, reason, "{code}");
        }
        assert_eq!(Failure::of_request(&error(-32603, "x")).reason, Reason::Unknown);
        assert_eq!(Failure::of_request(&error(-32602, "x")).reason, Reason::InvalidResponse);
    }

    #[test]
    fn r_000_120_an_unknown_tool_is_not_found() {
        for message in
            ["Unknown tool: x", "Tool x not found", "MCP error -32602: Tool \"x\" does not exist", "No such tool"]
        {
            assert_eq!(Failure::of_call(&error(-32602, message)).reason, Reason::NotFound, "{message}");
        }
        for message in ["Invalid arguments for tool x: a is required", "file not found"] {
            assert_eq!(Failure::of_call(&error(-32602, message)).reason, Reason::InvalidInput, "{message}");
        }
    }

    #[test]
    fn a_model_reads_a_servers_words_but_no_address_and_no_credential() {
        let description = |code, message: &str| Failure::of_call(&error(code, message)).description.unwrap();
        assert_eq!(description(-32602, " a is required "), "a is required");
        assert_eq!(description(-32603, &"x".repeat(501)).len(), 500);
        assert_eq!(description(-32603, ""), "The server failed to run the tool. (code -32603)");
        for words in ["see HTTPS://x", "at 127.0.0.1:80", "Localhost", "Authorization: Bearer abc"] {
            assert_eq!(description(-32602, words), "The server refused the input. (code -32602)");
        }
        // Beyond what is shown, too: the cut may fall in the middle of it.
        assert!(description(1, &format!("{}http://x", "y".repeat(495))).starts_with("The server failed"));
    }
}
