//! Parameters that a tool wants mirrored in headers: `x-mcp-header` in its inputSchema (2026-07-28, Streamable HTTP,
//! "Schema Extension").
//!
//! Document 000 allows a mark on a number, which the protocol does not. Marks stand where `properties` alone lead to; one
//! anywhere else makes the tool unusable, and so does one that is no header's name, or a second one of a name.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::header_value;
use super::tool::shown;
use crate::http::is_header_name;
use crate::json::{Cursor, Kind, Node, levels};
use crate::stack::with_room;

const KEYWORD: &str = "x-mcp-header";

/// The longest schema in which marks are looked for, in bytes: as long as one that inputs are checked against.
const MAX_SCHEMA: usize = 1 << 20;

/// More marks than this no server takes headers for.
const MAX_MARKS: usize = 100;

/// How many names may lead to a marked parameter.
const MAX_LEVELS: usize = 32;

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
    #[error("{KEYWORD} of {0} is no name that a header can have")]
    NotAName(String),
    #[error("{KEYWORD} of {0} is the name of another mark, too (their case does not count)")]
    Twice(String),
    #[error("{KEYWORD} stands on {0}, which is no string, number, integer or boolean")]
    NotScalar(String),
    #[error("{KEYWORD} stands under {0}, where only properties lead to a parameter")]
    Unreachable(&'static str),
    #[error("{KEYWORD} stands on the input as a whole")]
    Root,
    #[error("{KEYWORD} stands on {0}, more than {MAX_LEVELS} levels deep")]
    TooDeep(String),
    #[error("{KEYWORD} stands on more than {MAX_MARKS} parameters")]
    TooMany,
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
    if schema.text().len() > MAX_SCHEMA {
        return if may_have(KEYWORD) { Err(MarkError::TooLarge) } else { Ok(Vec::new()) };
    }
    let read = || {
        let mut reader = Reader::default();
        reader.schema(&mut Cursor::before(schema), None);
        match reader.error {
            Some(error) => Err(error),
            None => Ok(reader.marks),
        }
    };
    with_room(levels(schema.text()), BYTES_PER_LEVEL, read).unwrap_or(Err(MarkError::TooLarge))
}

/// What one level of a schema takes of the stack, and a half more.
const BYTES_PER_LEVEL: usize = 2 << 10;

/// A schema that is gone through, once.
#[derive(Default)]
struct Reader<'a> {
    marks: Vec<Mark>,
    headers: HashSet<String>,
    /// The names that lead here.
    path: Vec<Cow<'a, str>>,
    error: Option<MarkError>,
}

impl<'a> Reader<'a> {
    /// A schema. `under`: the keyword that leads to it where `properties` do not.
    fn schema(&mut self, cursor: &mut Cursor<'a>, under: Option<&'static str>) {
        let mut mark = None;
        let mut kind = None;
        cursor.members(|key, cursor| match key.as_ref() {
            KEYWORD => mark = Some(cursor.value()),
            "type" => kind = Some(cursor.value()),
            "properties" => {
                cursor.members(|name, cursor| {
                    self.path.push(name);
                    self.schema(cursor, under);
                    self.path.pop();
                });
            }
            key => {
                let keyword = |keywords: &[&'static str]| keywords.iter().find(|keyword| **keyword == key).copied();
                if let Some(keyword) = keyword(&SCHEMAS) {
                    let under = under.or(Some(keyword));
                    if cursor.kind() == Kind::List {
                        cursor.items(|cursor| self.schema(cursor, under));
                    } else {
                        self.schema(cursor, under);
                    }
                } else if let Some(keyword) = keyword(&SCHEMA_MAPS) {
                    cursor.members(|_, cursor| self.schema(cursor, under.or(Some(keyword))));
                }
            }
        });
        if let Some(mark) = mark.filter(|_| self.error.is_none()) {
            match self.mark(mark, kind, under) {
                Ok(mark) => self.marks.push(mark),
                Err(error) => self.error = Some(error),
            }
        }
    }

    fn mark(&mut self, name: Node<'_>, kind: Option<Node<'_>>, under: Option<&'static str>) -> Result<Mark, MarkError> {
        if let Some(keyword) = under {
            return Err(MarkError::Unreachable(keyword));
        }
        if self.path.is_empty() {
            return Err(MarkError::Root);
        }
        if self.marks.len() == MAX_MARKS {
            return Err(MarkError::TooMany);
        }
        let place = || shown(&self.path.iter().take(MAX_LEVELS).map(Cow::as_ref).collect::<Vec<_>>().join("."));
        if self.path.len() > MAX_LEVELS {
            return Err(MarkError::TooDeep(place()));
        }
        let kind = kind.and_then(Node::as_str);
        if !kind.is_some_and(|kind| matches!(kind.as_ref(), "string" | "number" | "integer" | "boolean")) {
            return Err(MarkError::NotScalar(place()));
        }
        let Some(name) = name.as_str().filter(|name| is_header_name(name)) else {
            return Err(MarkError::NotAName(place()));
        };
        let header = format!("mcp-param-{}", name.to_ascii_lowercase());
        if !self.headers.insert(header.clone()) {
            return Err(MarkError::Twice(place()));
        }
        Ok(Mark { path: self.path.iter().map(|name| name.as_ref().to_owned()).collect(), header })
    }
}

/// The headers of the marked parameters that an input gives.
pub(super) fn mirror(marks: &[Mark], input: Node<'_>) -> Vec<(String, String)> {
    let mut values = vec![None; marks.len()];
    let all: Vec<usize> = (0..marks.len()).collect();
    collect(marks, &all, 0, input, &mut values);
    marks.iter().zip(values).filter_map(|(mark, value)| Some((mark.header.clone(), value?))).collect()
}

/// Finds the values of these marks, whose paths lead to the node by so many names.
fn collect(marks: &[Mark], these: &[usize], level: usize, node: Node<'_>, values: &mut [Option<String>]) {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for at in these {
        match marks[*at].path.get(level) {
            Some(name) => by_name.entry(name).or_default().push(*at),
            None => values[*at] = value(node),
        }
    }
    if by_name.is_empty() {
        return;
    }
    for (name, node) in node.entries() {
        if let Some(these) = by_name.get(name.as_ref()) {
            // Of two members of one name the last counts.
            these.iter().for_each(|at| values[*at] = None);
            collect(marks, these, level + 1, node, values);
        }
    }
}

fn value(node: Node<'_>) -> Option<String> {
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
        assert_eq!(error(schema), MarkError::Twice("\"b.c\"".to_owned()));
    }

    #[test]
    fn r_000_145_a_mark_stands_on_a_scalar() {
        for kind in [r#""object""#, r#""array""#, r#"["string","null"]"#, r#""null""#, "null", "7"] {
            let schema = format!(r#"{{"properties":{{"a":{{"type":{kind},"x-mcp-header":"A"}}}}}}"#);
            assert_eq!(error(&schema), MarkError::NotScalar("\"a\"".to_owned()), "{kind}");
        }
        assert_eq!(error(r#"{"properties":{"a":{"x-mcp-header":"A"}}}"#), MarkError::NotScalar("\"a\"".to_owned()));
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
                assert_eq!(error(&schema), MarkError::Unreachable(key), "{schema}");
            }
        }
        for key in SCHEMA_MAPS {
            let schema = format!(r#"{{"{key}":{{"a":{{"properties":{{"b":{marked}}}}}}}}}"#);
            assert_eq!(error(&schema), MarkError::Unreachable(key));
        }
        assert_eq!(error(marked), MarkError::Root);
    }

    #[test]
    fn r_000_149_a_mark_is_a_headers_name() {
        for name in ["\"\"", "\"a b\"", "\"a:\"", "\"é\"", "\"a\\r\\nb\"", "7", "null", "[\"a\"]"] {
            let schema = format!(r#"{{"properties":{{"a":{{"type":"string","x-mcp-header":{name}}}}}}}"#);
            assert_eq!(error(&schema), MarkError::NotAName("\"a\"".to_owned()), "{name}");
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
    fn marks_have_a_number_and_a_depth() {
        let property = |at: usize| format!(r#""p{at}":{{"type":"string","x-mcp-header":"h{at}"}}"#);
        let many = |count: usize| {
            format!(r#"{{"properties":{{{}}}}}"#, (0..count).map(property).collect::<Vec<_>>().join(","))
        };
        assert_eq!(read(check(&many(100)).unwrap()).unwrap().len(), 100);
        assert_eq!(error(&many(101)), MarkError::TooMany);
        let deep = |levels: usize| {
            let leaf = r#"{"type":"string","x-mcp-header":"A"}"#;
            format!("{}{leaf}{}", r#"{"properties":{"a":"#.repeat(levels), "}}".repeat(levels))
        };
        assert_eq!(read(check(&deep(32)).unwrap()).unwrap().len(), 1);
        assert!(matches!(error(&deep(33)), MarkError::TooDeep(_)));
    }

    #[test]
    fn long_names_on_the_way_to_many_parameters_cost_nothing_each() {
        // A path kept for each of them would take gigabytes.
        let way = format!(r#"{{"properties":{{"{}":"#, "x".repeat(1000));
        let leaves: Vec<String> = (0..60_000).map(|at| format!("\"{at}\":{{}}")).collect();
        let schema = format!(
            r#"{{"default":"x-mcp-header","properties":{{"a":{}{{"properties":{{{}}}}}{}}}}}"#,
            way.repeat(100),
            leaves.join(","),
            "}}".repeat(100)
        );
        assert_eq!(headers(&schema, "{}"), Ok(Vec::new()));
    }

    #[test]
    fn deep_schemas_cost_no_stack() {
        let deep = format!("{}{{}}{}", "{\"default\":\"x-mcp-header\",\"items\":".repeat(500), "}".repeat(500));
        assert_eq!(headers(&deep, "{}"), Ok(Vec::new()));
    }
}
