//! What is sent: one JSON-RPC message to a request (Streamable HTTP, "Sending Messages").

use super::header_value;
use super::server::Session;
use super::version::STATELESS;
use crate::json::write_string;

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// A message.
    Post,
    /// Asks for the rest of an answer.
    Get,
}

/// A request for the caller's client to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// How it is sent.
    pub verb: Verb,
    /// Names in lower case, and values that a header can carry.
    pub headers: Vec<(String, String)>,
    /// JSON text.
    pub body: Option<String>,
    /// How long to wait before it is sent, in milliseconds.
    pub wait_ms: u32,
}

/// Who asks, as servers may log it.
const CLIENT_INFO: &str = concat!("{\"name\":\"toolkit-native\",\"version\":\"", env!("CARGO_PKG_VERSION"), "\"}");

/// A method that is asked for, and its parameters.
#[derive(Debug, Clone)]
pub(super) enum Method {
    Discover,
    Initialize {
        version: &'static str,
    },
    /// The cursor as the JSON text that the server wrote.
    List {
        cursor: Option<String>,
    },
    /// The input as JSON text, and the headers that mirror parameters.
    Call {
        tool: String,
        input: String,
        mirrored: Vec<(String, String)>,
    },
}

impl Method {
    fn name(&self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::Initialize { .. } => "initialize",
            Self::List { .. } => "tools/list",
            Self::Call { .. } => "tools/call",
        }
    }

    /// The members of `params`, each with a comma behind it.
    fn write_params(&self, out: &mut String) {
        match self {
            Self::Discover => {}
            Self::Initialize { version } => {
                out.push_str(&format!(
                    "\"protocolVersion\":\"{version}\",\"capabilities\":{{}},\"clientInfo\":{CLIENT_INFO},"
                ));
            }
            Self::List { cursor: None } => {}
            Self::List { cursor: Some(cursor) } => {
                out.push_str("\"cursor\":");
                out.push_str(cursor);
                out.push(',');
            }
            Self::Call { tool, input, .. } => {
                out.push_str("\"name\":");
                write_string(tool, out);
                out.push_str(",\"arguments\":");
                out.push_str(input);
                out.push(',');
            }
        }
    }

    /// A request of the stateless protocol.
    pub(super) fn stateless(&self, id: u64) -> Request {
        let mut headers = common_headers(STATELESS);
        headers.push(pair("mcp-method", self.name()));
        let mut body = self.open(id);
        if let Self::Call { tool, mirrored, .. } = self {
            headers.push(pair("mcp-name", header_value::encode(tool)));
            headers.extend(mirrored.iter().cloned());
        }
        self.write_params(&mut body);
        body.push_str(&format!(
            "\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"{STATELESS}\",\
             \"io.modelcontextprotocol/clientInfo\":{CLIENT_INFO},\"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}"
        ));
        post(headers, body)
    }

    /// A request within a session.
    pub(super) fn in_session(&self, id: u64, session: &Session) -> Request {
        post(session_headers(session), self.plain(id))
    }

    /// A request before there is a session. It says no version in a header: some servers refuse one they do not know there.
    pub(super) fn before_session(&self, id: u64) -> Request {
        post(vec![pair("accept", ACCEPT)], self.plain(id))
    }

    fn plain(&self, id: u64) -> String {
        let mut body = self.open(id);
        self.write_params(&mut body);
        if body.ends_with(',') {
            body.pop();
        }
        body.push_str("}}");
        body
    }

    fn open(&self, id: u64) -> String {
        let mut body = String::with_capacity(512);
        body.push_str(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{}\",\"params\":{{", self.name()));
        body
    }
}

const ACCEPT: &str = "application/json, text/event-stream";

fn pair(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn post(headers: Vec<(String, String)>, body: String) -> Request {
    Request { verb: Verb::Post, headers, body: Some(body), wait_ms: 0 }
}

fn common_headers(version: &str) -> Vec<(String, String)> {
    vec![pair("accept", ACCEPT), pair("mcp-protocol-version", version)]
}

fn session_headers(session: &Session) -> Vec<(String, String)> {
    let mut headers = common_headers(session.version.name());
    headers.extend(session.id.as_ref().map(|id| pair("mcp-session-id", id.clone())));
    headers
}

/// Says that the session may begin.
pub(super) fn initialized(session: &Session) -> Request {
    post(session_headers(session), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".to_owned())
}

/// Says that nobody waits for a call any more.
pub(super) fn cancelled(session: &Session, id: u64) -> Request {
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\
         \"params\":{{\"requestId\":{id},\"reason\":\"The caller gave the call up.\"}}}}"
    );
    post(session_headers(session), body)
}

/// Asks for what comes behind the event with that id.
pub(super) fn resume(session: &Session, last_event_id: &str, wait_ms: u32) -> Request {
    let mut headers = session_headers(session);
    headers[0].1 = "text/event-stream".to_owned();
    headers.push(pair("last-event-id", last_event_id));
    Request { verb: Verb::Get, headers, body: None, wait_ms }
}

#[cfg(test)]
mod tests {
    use super::super::version::SessionVersion;
    use super::*;
    use serde_json::{Value, json};

    fn body(request: &Request) -> Value {
        serde_json::from_str(request.body.as_ref().unwrap()).unwrap()
    }

    fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
        request.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn call() -> Method {
        Method::Call {
            tool: "a \"b\" é".to_owned(),
            input: r#"{"n":12345678901234567890}"#.to_owned(),
            mirrored: vec![pair("mcp-param-x", "1")],
        }
    }

    #[test]
    fn r_000_137_a_stateless_call_says_all_there_is_to_say() {
        let request = call().stateless(7);
        assert_eq!(header(&request, "mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(header(&request, "mcp-method"), Some("tools/call"));
        assert_eq!(header(&request, "mcp-name"), Some("=?base64?YSAiYiIgw6k=?="));
        assert_eq!(header(&request, "mcp-param-x"), Some("1"));
        assert_eq!(header(&request, "mcp-session-id"), None);
        let text = request.body.as_deref().unwrap();
        assert!(text.contains(r#""arguments":{"n":12345678901234567890}"#), "{text}");
        assert_eq!(
            body(&Method::Discover.stateless(1)),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "toolkit-native", "version": env!("CARGO_PKG_VERSION") },
                "io.modelcontextprotocol/clientCapabilities": {}
            } } })
        );
    }

    #[test]
    fn r_000_150_a_call_in_a_session_has_none_of_the_stateless_headers() {
        let session = Session { version: SessionVersion::V2025_06_18, id: Some("s1".to_owned()) };
        let request = call().in_session(7, &session);
        let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["accept", "mcp-protocol-version", "mcp-session-id"]);
        assert_eq!(header(&request, "mcp-protocol-version"), Some("2025-06-18"));
        assert_eq!(
            body(&request)["params"],
            json!({ "name": "a \"b\" é", "arguments": { "n": 12_345_678_901_234_567_890_u64 } })
        );
        let list = Method::List { cursor: Some("\"\"".to_owned()) }.in_session(8, &session);
        assert_eq!(body(&list)["params"], json!({ "cursor": "" }));
        assert_eq!(body(&Method::List { cursor: None }.in_session(8, &session))["params"], json!({}));
    }

    #[test]
    fn a_session_begins_without_a_version_in_a_header() {
        let request = Method::Initialize { version: "2025-11-25" }.before_session(2);
        assert_eq!(request.headers.len(), 1);
        assert_eq!(body(&request)["params"]["protocolVersion"], "2025-11-25");
        let session = Session { version: SessionVersion::NEWEST, id: None };
        assert_eq!(body(&initialized(&session)), json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(body(&cancelled(&session, 9))["params"]["requestId"], 9);
        let resume = resume(&session, "e1", 500);
        assert_eq!((resume.verb, resume.wait_ms, resume.body.is_none()), (Verb::Get, 500, true));
        assert_eq!(
            (header(&resume, "accept"), header(&resume, "last-event-id")),
            (Some("text/event-stream"), Some("e1"))
        );
    }
}
