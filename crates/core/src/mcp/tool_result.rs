//! The result of a call, read leniently (document 000: "A tool's result is its structured content when it has some, and
//! else its content blocks as the server wrote them").

use std::ops::Range;

use super::failure::{Failure, MAX_LOOKED_AT, Reason};
use crate::json::{self, Kind, Node};

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// JSON, by its place in the message's text.
    Part(Range<usize>),
    /// Nothing was said: an empty list of blocks.
    NoBlocks,
}

/// Reads a result. `is_stateless`: whether the protocol says what kinds of results there are.
pub(super) fn read(text: &str, range: Range<usize>, is_stateless: bool) -> Result<Value, Failure> {
    let result = Node::trusted(&text[range]);
    if result.kind() != Kind::Object {
        return Err(invalid(format!("The result of the call is {} and not an object.", result.kind().name())));
    }
    let [kind, is_error, structured, content] =
        result.fields(["resultType", "isError", "structuredContent", "content"]);
    match given(kind).map(|kind| kind.as_str().unwrap_or_default()).as_deref() {
        Some("input_required") => {
            return Err(Failure::new(
                Reason::Unsupported,
                "The tool asks for input before it runs, which is not supported.",
            ));
        }
        Some("complete") | None => {}
        Some(_) if !is_stateless => {}
        Some(_) => {
            return Err(invalid("The result of the call is of a kind that the protocol does not have.".to_owned()));
        }
    }
    if is_error.is_some_and(Node::is_true) {
        return Err(Failure::of_tool(&content.map(words).unwrap_or_default()));
    }
    let value = match (given(structured), given(content)) {
        (Some(structured), _) => structured,
        (None, Some(content)) if content.kind() == Kind::List => content,
        (None, Some(content)) => {
            return Err(invalid(format!("The content of the result is {} and not a list.", content.kind().name())));
        }
        (None, None) => return Ok(Value::NoBlocks),
    };
    match json::unfit(value.text()) {
        Some(fault) => Err(invalid(format!("The result is more than JSON can be here: {fault}."))),
        None => {
            let start = value.address() - text.as_ptr().addr();
            Ok(Value::Part(start..start + value.text().len()))
        }
    }
}

fn given(node: Option<Node<'_>>) -> Option<Node<'_>> {
    node.filter(|node| node.kind() != Kind::Null)
}

fn invalid(description: String) -> Failure {
    Failure::new(Reason::InvalidResponse, description)
}

/// The text blocks of a tool that failed.
fn words(content: Node<'_>) -> String {
    let mut all = String::new();
    for block in content.items() {
        let [kind, text] = block.fields(["type", "text"]);
        let Some(text) = text.and_then(Node::as_readable) else { continue };
        if kind.is_some_and(|kind| kind.as_str().as_deref() != Some("text")) {
            continue;
        }
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(&text);
        // No text has more UTF-16 units than bytes, nor fewer than a third as many.
        if all.len() > 3 * MAX_LOOKED_AT {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::Credentials;

    fn value(text: &str) -> Result<&str, Failure> {
        match read(text, 0..text.len(), true) {
            Ok(Value::Part(range)) => Ok(&text[range]),
            Ok(Value::NoBlocks) => Ok("[]"),
            Err(failure) => Err(failure.told(&Credentials::default())),
        }
    }

    fn reason(text: &str) -> Reason {
        value(text).unwrap_err().reason
    }

    #[test]
    fn r_000_110_structured_content_is_the_result() {
        for structured in ["{}", "[]", "0", "false", "\"\"", r#"{"a":[1.50]}"#] {
            let text = format!(
                r#"{{"content":[{{"type":"text","text":"x"}}],"structuredContent":{structured},"isError":null}}"#
            );
            assert_eq!(value(&text), Ok(structured));
        }
        assert_eq!(value(r#"{"structuredContent":{"a":1},"content":null}"#), Ok(r#"{"a":1}"#));
    }

    #[test]
    fn r_000_111_else_the_blocks_are_as_the_server_wrote_them() {
        let blocks = r#"[{"type":"text","text":"x","more":1},{"type":"hologram"},7]"#;
        assert_eq!(value(&format!(r#"{{"content":{blocks},"structuredContent":null}}"#)), Ok(blocks));
        for text in ["{}", r#"{"content":null,"resultType":"complete"}"#] {
            assert_eq!(value(text), Ok("[]"));
        }
    }

    #[test]
    fn r_000_112_a_tool_that_reports_an_error_has_failed_with_its_text() {
        let failure = value(
            r#"{"isError":true,"structuredContent":{"secret":1},"content":[{"type":"text","text":"a"},{"type":"image","text":"no"},{"text":"b"},7]}"#,
        );
        assert_eq!(failure, Err(Failure::new(Reason::CallFailed, "a\nb")));
        for text in
            [r#"{"isError":true}"#, r#"{"isError":true,"content":"x"}"#, r#"{"isError":true,"content":[{"text":" "}]}"#]
        {
            assert_eq!(value(text), Err(Failure::of_tool("")), "{text}");
        }
        assert_eq!(Failure::of_tool("").description, None);
        let long = format!(r#"{{"isError":true,"content":[{{"text":"{}"}},{{"text":"y"}}]}}"#, "x".repeat(90_000));
        assert_eq!(value(&long).unwrap_err().description.unwrap().len(), 20_000);
    }

    #[test]
    fn r_000_113_a_tool_that_asks_for_input_first_is_not_supported() {
        assert_eq!(reason(r#"{"resultType":"input_required","inputRequests":{}}"#), Reason::Unsupported);
        assert_eq!(reason(r#"{"resultType":"later","content":[]}"#), Reason::InvalidResponse);
        let text = r#"{"resultType":"later","content":[]}"#;
        assert!(read(text, 0..text.len(), false).is_ok());
    }

    #[test]
    fn r_000_118_what_is_no_result_is_invalid() {
        let deep = format!(r#"{{"structuredContent":{}{}}}"#, "[".repeat(513), "]".repeat(513));
        for text in [
            "null",
            "[]",
            "\"x\"",
            r#"{"content":"x"}"#,
            r#"{"content":{}}"#,
            r#"{"structuredContent":1e999}"#,
            deep.as_str(),
        ] {
            assert_eq!(reason(text), Reason::InvalidResponse, "{text}");
        }
    }
}
