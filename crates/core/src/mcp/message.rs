//! JSON-RPC messages, read leniently: what is told apart is whether one is the answer that is waited for.

use std::ops::Range;

use crate::json::{self, Kind, Node};

/// An error that a server answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RpcError {
    /// Whether it says which request it answers, and that is this one.
    pub(super) is_own: bool,
    pub(super) code: i64,
    /// The server's own words.
    pub(super) message: String,
    /// `data.supported`, the versions that a server names when it refuses one.
    pub(super) supported: Vec<String>,
}

/// What a text holds for a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The result, by its place in the text.
    Result(Range<usize>),
    Error(RpcError),
    /// The answer to another request.
    AnotherId,
    /// A notification, a request of the server's, or an object that says nothing.
    NotAnAnswer,
    /// JSON, but no JSON-RPC.
    NotRpc,
    NotJson,
}

/// Whose errors are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorId {
    /// An error has this request's id, or none.
    Own,
    /// Any: the status says already that this request was refused.
    Any,
}

/// Looks in a text, one message or a batch of them, for the answer to a request.
///
/// One request is sent at a time over a connection, so an answer without an id is this request's. An id may come back as
/// a string, or with a fraction of zero.
pub(super) fn find(text: &str, id: u64, error_id: ErrorId) -> Found {
    let Ok(node) = json::check(text) else { return Found::NotJson };
    match node.kind() {
        Kind::Object => read(node, text, id, error_id),
        Kind::List => {
            let mut best = Found::NotAnAnswer;
            for item in node.items() {
                match read(item, text, id, error_id) {
                    answer @ (Found::Result(_) | Found::Error(_)) => return answer,
                    Found::AnotherId => best = Found::AnotherId,
                    _ => {}
                }
            }
            best
        }
        _ => Found::NotRpc,
    }
}

fn read(message: Node<'_>, text: &str, id: u64, error_id: ErrorId) -> Found {
    let [their_id, method, result, error] = message.fields(["id", "method", "result", "error"]);
    if method.is_some() {
        return Found::NotAnAnswer;
    }
    let is_own = their_id.is_none_or(|their_id| is_id(their_id, id));
    match (error.filter(|error| error.kind() != Kind::Null), result) {
        (Some(error), _) if error.kind() == Kind::Object => {
            if is_own || error_id == ErrorId::Any {
                Found::Error(error_of(
                    error,
                    their_id.is_some_and(|their_id| their_id.kind() != Kind::Null && is_id(their_id, id)),
                ))
            } else {
                Found::AnotherId
            }
        }
        (Some(_), _) => Found::NotRpc,
        (None, Some(result)) if is_own => {
            let start = result.address() - text.as_ptr().addr();
            Found::Result(start..start + result.text().len())
        }
        (None, Some(_)) => Found::AnotherId,
        (None, None) => Found::NotAnAnswer,
    }
}

fn is_id(node: Node<'_>, id: u64) -> bool {
    match node.kind() {
        Kind::Null => true,
        #[expect(clippy::cast_precision_loss, reason = "ids count from 1 and are exact in a double")]
        Kind::Number => node.text().parse::<f64>() == Ok(id as f64),
        Kind::String => node.as_str().is_some_and(|text| text.parse() == Ok(id)),
        _ => false,
    }
}

fn error_of(error: Node<'_>, is_own: bool) -> RpcError {
    let [code, message, data] = error.fields(["code", "message", "data"]);
    let supported = data.map(|data| data.fields(["supported", "supportedVersions", "expected"]));
    let supported = supported.and_then(|lists| lists.into_iter().flatten().find(|list| list.kind() != Kind::Null));
    RpcError {
        is_own,
        code: code.and_then(|code| code.text().parse::<f64>().ok()).map_or(0, to_integer),
        message: message.and_then(Node::as_readable).unwrap_or_default().into_owned(),
        supported: supported.map(versions).unwrap_or_default(),
    }
}

/// A list of strings, or one string.
fn versions(node: Node<'_>) -> Vec<String> {
    let strings = node.items().filter_map(Node::as_str).map(std::borrow::Cow::into_owned);
    node.as_str().map(std::borrow::Cow::into_owned).into_iter().chain(strings).take(100).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and no such code means anything")]
fn to_integer(number: f64) -> i64 {
    if number.fract() == 0.0 { number as i64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> Option<&str> {
        match find(text, 3, ErrorId::Own) {
            Found::Result(range) => Some(&text[range]),
            _ => None,
        }
    }

    #[test]
    fn an_answer_may_be_written_loosely() {
        for text in [
            r#"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#,
            r#"{"id":3.0,"result":{"a":1},"more":[]}"#,
            r#"{"id":"3","result":{"a":1},"error":null}"#,
            r#"{"id":null,"result":{"a":1}}"#,
            r#"{"result":{"a":1}}"#,
            r#" [{"id":2,"result":{"b":1}},{"method":"x"},{"id":3,"result":{"a":1}}] "#,
            r#"{"id":4,"id":3,"result":0,"result":{"a":1}}"#,
        ] {
            assert_eq!(result(text), Some(r#"{"a":1}"#), "{text}");
        }
        assert_eq!(result(r#"{"id":3,"result":null}"#), Some("null"));
    }

    #[test]
    fn r_000_118_what_is_no_answer_is_told_apart() {
        for (text, found) in [
            (r#"{"id":4,"result":{}}"#, Found::AnotherId),
            (r#"{"id":"x","result":{}}"#, Found::AnotherId),
            (r#"{"id":true,"error":{}}"#, Found::AnotherId),
            (r#"[{"id":4,"result":{}},{"method":"x"}]"#, Found::AnotherId),
            (r#"{"id":3,"method":"ping"}"#, Found::NotAnAnswer),
            (r#"{"method":"notifications/progress","params":{}}"#, Found::NotAnAnswer),
            ("[]", Found::NotAnAnswer),
            (r#"{"error":"Session not found"}"#, Found::NotRpc),
            ("{}", Found::NotAnAnswer),
            ("7", Found::NotRpc),
            ("{", Found::NotJson),
            ("", Found::NotJson),
            ("\"a\nb\"", Found::NotJson),
        ] {
            assert_eq!(find(text, 3, ErrorId::Own), found, "{text}");
        }
    }

    #[test]
    fn an_error_has_a_code_words_and_versions() {
        let error = |text: &str| match find(text, 3, ErrorId::Any) {
            Found::Error(error) => error,
            found => panic!("{found:?}"),
        };
        let whole = error(r#"{"id":9,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28",7]}}}"#);
        assert_eq!(
            (whole.code, whole.message.as_str(), whole.supported),
            (-32022, "no", vec!["2026-07-28".to_owned()])
        );
        let loose = error(r#"{"error":{"code":"x","message":{},"data":[]}}"#);
        assert_eq!((loose.code, loose.message.as_str(), loose.supported.len()), (0, "", 0));
        assert_eq!(error(r#"{"error":{"code":-32601.0}}"#).code, -32601);
        assert_eq!(error(r#"{"error":{"code":1e999,"data":{"expected":"2025-06-18"}}}"#).supported, ["2025-06-18"]);
    }
}
