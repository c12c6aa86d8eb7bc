//! Parameters that a tool wants mirrored in headers: `x-mcp-header` in its inputSchema (2026-07-28, Streamable HTTP,
//! "Schema Extension").
//!
//! Document 000 allows a mark on a number, which the protocol does not. Marks stand where `properties` alone lead to; one
//! anywhere else makes the tool unusable, and so does one that is no header's name, or a second one of a name.

use std::collections::HashSet;

use super::header_value;
use crate::http::is_header_name;
use crate::json::{Kind, Node};

const KEYWORD: &str = "x-mcp-header";

/// The longest schema in which marks are looked for, in bytes: as long as one that inputs are checked against.
const MAX_SCHEMA: usize = 1 << 20;

/// Keywords whose value is a schema, or a list of them.
const SCHEMAS: [&str; 17] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
    "extends",
];

/// Keywords whose value holds schemas under names.
const SCHEMA_MAPS: [&str; 5] = ["patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

/// A parameter and the header it is mirrored in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// The names that lead to the parameter.
    path: Vec<String>,
    /// In lower case.
    header: String,
}

/// Why the marks of a tool are not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum MarkError {
    #[error("{KEYWORD} of {0} is no name a header can have")]
    NotAName(String),
    #[error("{KEYWORD} of {0} is there twice, names differ by more than their case")]
    Twice(String),
    #[error("{KEYWORD} stands on {0}, which is no string, number, integer or boolean")]
    NotScalar(String),
    #[error("{KEYWORD} stands under {0}, where only properties lead to a parameter")]
    Unreachable(String),
    #[error("{KEYWORD} stands on the input as a whole")]
    Root,
    #[error("{KEYWORD} stands in a schema of more than 1 MiB")]
    TooLarge,
}

/// The marks of an inputSchema, in order.
pub(super) fn read(schema: Node<'_>) -> Result<Vec<Mark>, MarkError> {
    // Most schemas have none, nor an escape that may spell one.
    let may_have = |text: &str| memchr::memmem::find(schema.text().as_bytes(), text.as_bytes()).is_some();
    if !may_have(KEYWORD) && !may_have("\\u") {
        return Ok(Vec::new());
    }
    // Each level is gone through once for those around it.
    if schema.text().len() > MAX_SCHEMA {
        return if may_have(KEYWORD) { Err(MarkError::TooLarge) } else { Ok(Vec::new()) };
    }
    let mut marks = Vec::new();
    let mut names = HashSet::new();
    // The schemas to look at; without a path where properties do not lead.
    let mut open: Vec<(Node<'_>, Result<Vec<String>, String>)> = vec![(schema, Ok(Vec::new()))];
    while let Some((schema, path)) = open.pop() {
        let mut children = Vec::new();
        for (key, value) in schema.members() {
            match key.as_ref() {
                KEYWORD => {
                    let mark = mark(schema, value, &path)?;
                    if !names.insert(mark.header.clone()) {
                        return Err(MarkError::Twice(mark.path.join(".")));
                    }
                    marks.push(mark);
                }
                "properties" => {
                    for (name, property) in value.members() {
                        let path = path.clone().map(|mut path| {
                            path.push(name.into_owned());
                            path
                        });
                        children.push((property, path));
                    }
                }
                key if SCHEMAS.contains(&key) => {
                    let under = Err(path.clone().err().unwrap_or_else(|| key.to_owned()));
                    children.extend(value.items().chain([value]).map(|child| (child, under.clone())));
                }
                key if SCHEMA_MAPS.contains(&key) => {
                    let under = Err(path.clone().err().unwrap_or_else(|| key.to_owned()));
                    children.extend(value.members().into_values().map(|child| (child, under.clone())));
                }
                _ => {}
            }
        }
        // The first child is looked at first.
        open.extend(children.into_iter().rev());
    }
    Ok(marks)
}

fn mark(schema: Node<'_>, name: Node<'_>, path: &Result<Vec<String>, String>) -> Result<Mark, MarkError> {
    let path = path.as_ref().map_err(|under| MarkError::Unreachable(under.clone()))?;
    if path.is_empty() {
        return Err(MarkError::Root);
    }
    let place = path.join(".");
    let kind = schema.get("type").and_then(Node::as_str);
    if !kind.is_some_and(|kind| matches!(kind.as_ref(), "string" | "number" | "integer" | "boolean")) {
        return Err(MarkError::NotScalar(place));
    }
    match name.as_str() {
        Some(name) if is_header_name(&name) => {
            Ok(Mark { path: path.clone(), header: format!("mcp-param-{}", name.to_ascii_lowercase()) })
        }
        _ => Err(MarkError::NotAName(place)),
    }
}

/// The headers of the marked parameters that an input gives.
pub(super) fn mirror(marks: &[Mark], input: Node<'_>) -> Vec<(String, String)> {
    marks.iter().filter_map(|mark| Some((mark.header.clone(), value(mark, input)?))).collect()
}

fn value(mark: &Mark, input: Node<'_>) -> Option<String> {
    let mut node = input;
    for name in &mark.path {
        node = node.get(name)?;
    }
    match node.kind() {
        Kind::String => Some(header_value::encode(&node.as_readable()?).into_owned()),
        Kind::Number | Kind::Bool => Some(node.text().to_owned()),
        Kind::Null | Kind::Object | Kind::List => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::check;

    fn headers(schema: &str, input: &str) -> Result<Vec<(String, String)>, MarkError> {
        read(check(schema).unwrap()).map(|marks| mirror(&marks, check(input).unwrap()))
    }

    fn error(schema: &str) -> MarkError {
        read(check(schema).unwrap()).unwrap_err()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (format!("mcp-param-{name}"), value.to_owned())
    }

    const REGION: &str = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"number","x-mcp-header":"N"},"ok":{"type":"boolean","x-mcp-header":"ok"}}}"#;

    #[test]
    fn r_000_130_a_marked_parameter_is_mirrored() {
        assert_eq!(headers(REGION, r#"{"region":"us","x":1}"#), Ok(vec![pair("region", "us")]));
    }

    #[test]
    fn r_000_131_one_that_is_not_given_is_not() {
        for input in ["{}", r#"{"region":null}"#, r#"{"region":["us"],"n":{"a":1}}"#] {
            assert_eq!(headers(REGION, input), Ok(Vec::new()), "{input}");
        }
    }

    #[test]
    fn r_000_138_numbers_and_booleans_are_their_text() {
        let expected = vec![pair("n", "-1.50"), pair("ok", "false")];
        assert_eq!(headers(REGION, r#"{"ok":false,"n":-1.50}"#), Ok(expected));
    }

    #[test]
    fn r_000_136_a_value_with_line_ends_is_one_value() {
        assert_eq!(headers(REGION, r#"{"region":"a\r\nx: 1"}"#), Ok(vec![pair("region", "=?base64?YQ0KeDogMQ==?=")]));
        assert_eq!(headers(REGION, r#"{"region":"\ud800"}"#), Ok(vec![pair("region", "=?base64?77+9?=")]));
    }

    #[test]
    fn r_000_144_two_marks_of_one_name_are_not_allowed() {
        let schema = r#"{"properties":{"a":{"type":"string","x-mcp-header":"Id"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"iD"}}}}}"#;
        assert_eq!(error(schema), MarkError::Twice("b.c".to_owned()));
    }

    #[test]
    fn r_000_145_a_mark_stands_on_a_scalar() {
        for kind in [r#""object""#, r#""array""#, r#"["string","null"]"#, r#""null""#, "null", "7"] {
            let schema = format!(r#"{{"properties":{{"a":{{"type":{kind},"x-mcp-header":"A"}}}}}}"#);
            assert_eq!(error(&schema), MarkError::NotScalar("a".to_owned()), "{kind}");
        }
        assert_eq!(error(r#"{"properties":{"a":{"x-mcp-header":"A"}}}"#), MarkError::NotScalar("a".to_owned()));
    }

    #[test]
    fn r_000_146_a_number_may_have_one() {
        assert_eq!(headers(REGION, r#"{"n":0.5}"#), Ok(vec![pair("n", "0.5")]));
    }

    #[test]
    fn r_000_147_properties_lead_to_parameters_however_deep() {
        let schema = r#"{"properties":{"a":{"properties":{"properties":{"properties":{"x-mcp-header":{"type":"integer","x-mcp-header":"deep"}}}}}}}"#;
        let input = r#"{"a":{"properties":{"x-mcp-header":42}}}"#;
        assert_eq!(headers(schema, input), Ok(vec![pair("deep", "42")]));
    }

    #[test]
    fn r_000_148_nothing_else_leads_to_one() {
        let marked = r#"{"type":"string","x-mcp-header":"A"}"#;
        for key in SCHEMAS {
            for value in
                [marked.to_owned(), format!("[true,{marked}]"), format!(r#"{{"properties":{{"a":{marked}}}}}"#)]
            {
                let schema = format!(r#"{{"properties":{{"a":{{"{key}":{value}}}}}}}"#);
                assert_eq!(error(&schema), MarkError::Unreachable(key.to_owned()), "{schema}");
            }
        }
        for key in SCHEMA_MAPS {
            let schema = format!(r#"{{"{key}":{{"a":{{"properties":{{"b":{marked}}}}}}}}}"#);
            assert_eq!(error(&schema), MarkError::Unreachable(key.to_owned()));
        }
        assert_eq!(error(marked), MarkError::Root);
    }

    #[test]
    fn r_000_149_a_mark_is_a_headers_name() {
        for name in ["\"\"", "\"a b\"", "\"a:\"", "\"é\"", "\"a\\r\\nb\"", "7", "null", "[\"a\"]"] {
            let schema = format!(r#"{{"properties":{{"a":{{"type":"string","x-mcp-header":{name}}}}}}}"#);
            assert_eq!(error(&schema), MarkError::NotAName("a".to_owned()), "{name}");
        }
    }

    #[test]
    fn what_only_looks_like_a_mark_is_none() {
        for schema in [
            r#"{"properties":{"x-mcp-header":{"type":"string"}}}"#,
            r#"{"default":{"x-mcp-header":"A"},"enum":[{"x-mcp-header":"A"}],"const":{"x-mcp-header":"A"},"examples":[{"x-mcp-header":"A"}]}"#,
            "true",
        ] {
            assert_eq!(headers(schema, "{}"), Ok(Vec::new()), "{schema}");
        }
    }

    #[test]
    fn a_mark_may_be_spelled_with_an_escape_and_none_is_looked_for_in_a_schema_without_end() {
        let schema = r#"{"properties":{"a":{"type":"string","x\u002dmcp-header":"A"}}}"#;
        assert_eq!(headers(schema, r#"{"a":"x"}"#), Ok(vec![pair("a", "x")]));
        let long = format!(r#"{{"x":"{}",{}"#, "y".repeat(MAX_SCHEMA), &REGION[1..]);
        assert_eq!(error(&long), MarkError::TooLarge);
    }

    #[test]
    fn deep_schemas_cost_no_stack() {
        let deep = format!("{}{{}}{}", "{\"default\":\"x-mcp-header\",\"items\":".repeat(3_000), "}".repeat(3_000));
        assert_eq!(headers(&deep, "{}"), Ok(Vec::new()));
    }
}
