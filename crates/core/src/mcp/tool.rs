//! The tools of a listing as definitions, read tool by tool: one bad tool hides no other.

use std::collections::HashSet;

use super::header_marks::{self, Mark};
use super::server::Marks;
use crate::json::{self, JsonText, Kind, Node, write_compact, write_string};

/// What was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// The definitions: a list, in order.
    pub definitions: JsonText,
    /// What was left out or stopped, and why: a sentence each.
    pub warnings: Vec<String>,
}

/// How much of a server's name for a tool a warning shows, in characters.
const MAX_SHOWN: usize = 80;

/// A server's words as a warning shows them: cut, quoted, without control characters.
pub(super) fn shown(text: &str) -> String {
    let cut: String = text.chars().take(MAX_SHOWN).collect();
    format!("{cut:?}")
}

/// How many warnings a listing gives: a server that is all wrong says enough in these.
const MAX_WARNINGS: usize = 100;

/// Definitions that are being collected.
#[derive(Debug, Default)]
pub(super) struct Collector {
    definitions: String,
    names: HashSet<String>,
    marks: Marks,
    warnings: Vec<String>,
    unsaid: usize,
}

/// Why a tool is left out.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("it is no object")]
    NotAnObject,
    #[error("it has no name")]
    NoName,
    #[error("another tool of the server has its name")]
    SameName,
    #[error("its inputSchema is {0} and not an object")]
    SchemaKind(&'static str),
    #[error("its inputSchema describes no object: its type is {0}")]
    SchemaType(String),
    #[error("its inputSchema cannot be stored: {0}")]
    Unfit(String),
    #[error(transparent)]
    Marks(#[from] header_marks::MarkError),
}

impl Collector {
    /// The size of what was collected, in bytes.
    pub(super) fn size(&self) -> usize {
        self.definitions.len()
    }

    pub(super) fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        } else {
            self.unsaid += 1;
        }
    }

    /// Adds a tool, or says why not. `with_marks`: whether parameters can be marked.
    pub(super) fn add(&mut self, tool: Node<'_>, with_marks: bool) {
        if let Err(fault) = self.try_add(tool, with_marks) {
            let shown = match tool.get("name").and_then(Node::as_str) {
                Some(name) => format!("The tool {}", shown(&name)),
                None => "A tool".to_owned(),
            };
            self.warn(format!("{shown} is left out: {fault}."));
        }
    }

    fn try_add(&mut self, tool: Node<'_>, with_marks: bool) -> Result<(), Fault> {
        if tool.kind() != Kind::Object {
            return Err(Fault::NotAnObject);
        }
        let [name, title, description, schema, hints] =
            tool.fields(["name", "title", "description", "inputSchema", "annotations"]);
        // A name with half of a surrogate pair cannot be sent back.
        let is_whole = |node: &Node<'_>| node.as_str() == node.as_readable();
        let name = name.filter(is_whole).and_then(Node::as_str).filter(|name| !name.is_empty()).ok_or(Fault::NoName)?;
        if self.names.contains(name.as_ref()) {
            return Err(Fault::SameName);
        }
        let schema_text = object_rooted(schema)?;
        let marks: Vec<Mark> = match schema {
            Some(schema) if with_marks => header_marks::read(schema)?,
            _ => Vec::new(),
        };
        let out = &mut self.definitions;
        out.push_str(if out.is_empty() { "[{\"name\":" } else { ",{\"name\":" });
        write_string(&name, out);
        out.push_str(",\"description\":");
        out.push_str(string(description).map_or("\"\"", Node::text));
        out.push_str(",\"inputSchema\":");
        out.push_str(&schema_text);
        out.push_str(",\"annotations\":");
        write_annotations(title, hints, out);
        out.push('}');
        if !marks.is_empty() {
            self.marks.insert(name.to_string(), marks);
        }
        self.names.insert(name.into_owned());
        Ok(())
    }

    pub(super) fn finish(mut self) -> (Tools, Marks) {
        if self.unsaid > 0 {
            self.warnings.push(format!("{} more tools are left out.", self.unsaid));
        }
        let mut definitions = self.definitions;
        definitions.push_str(if definitions.is_empty() { "[]" } else { "]" });
        (Tools { definitions: JsonText::of(Node::trusted(&definitions)), warnings: self.warnings }, self.marks)
    }
}

fn string(node: Option<Node<'_>>) -> Option<Node<'_>> {
    node.filter(|node| node.kind() == Kind::String)
}

/// A schema as text whose root says that it is an object, which a root that says nothing is taken to mean.
fn object_rooted(schema: Option<Node<'_>>) -> Result<String, Fault> {
    const ANY: &str = r#"{"type":"object"}"#;
    let Some(schema) = schema.filter(|schema| schema.kind() != Kind::Null) else { return Ok(ANY.to_owned()) };
    if schema.kind() != Kind::Object {
        return Err(Fault::SchemaKind(schema.kind().name()));
    }
    if let Some(fault) = json::too_deep(schema.text()) {
        return Err(Fault::Unfit(fault));
    }
    let mut text = String::with_capacity(schema.text().len());
    write_compact(schema.text(), &mut text);
    match schema.get("type") {
        None if text == "{}" => Ok(ANY.to_owned()),
        None => Ok(format!("{{\"type\":\"object\",{}", &text[1..])),
        Some(kind) if kind.as_str().as_deref() == Some("object") => Ok(text),
        Some(kind) => {
            let mut text = String::new();
            write_compact(kind.text(), &mut text);
            Err(Fault::SchemaType(shown(&text)))
        }
    }
}

/// The hints that the server gave, under the names that Effect AI has for them.
fn write_annotations(title: Option<Node<'_>>, hints: Option<Node<'_>>, out: &mut String) {
    const HINTS: [&str; 5] = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    let given = hints.map_or([None; 5], |hints| hints.fields(HINTS));
    out.push('{');
    let mut separator = "";
    if let Some(title) = string(title).or(string(given[0])) {
        out.push_str("\"title\":");
        out.push_str(title.text());
        separator = ",";
    }
    for (name, hint) in ["readOnly", "destructive", "idempotent", "openWorld"].into_iter().zip(&given[1..]) {
        if let Some(hint) = hint.filter(|hint| hint.kind() == Kind::Bool) {
            out.push_str(&format!("{separator}\"{name}\":{}", hint.text()));
            separator = ",";
        }
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::check;
    use serde_json::{Value, json};

    fn list(tools: &str, with_marks: bool) -> (Value, Vec<String>) {
        let mut collector = Collector::default();
        for tool in check(tools).unwrap().items() {
            collector.add(tool, with_marks);
        }
        let (tools, _) = collector.finish();
        let JsonText::Whole(definitions) = tools.definitions else { panic!("the definitions are in pieces") };
        (serde_json::from_str(&definitions).unwrap(), tools.warnings)
    }

    fn schema_of(schema: &str) -> Value {
        list(&format!(r#"[{{"name":"t","inputSchema":{schema}}}]"#), true).0[0]["inputSchema"].clone()
    }

    #[test]
    fn r_000_114_definitions_carry_what_the_server_says_and_nothing_else() {
        let (definitions, warnings) = list(
            r#"[{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"annotations":{"title":"x","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"more":1}},
                {"name":"b","inputSchema":{"type":"object"},"annotations":{"title":"B"}},
                {"name":"c","description":null,"title":null,"annotations":{"readOnlyHint":"yes","destructiveHint":null},"outputSchema":7},
                {"name":"d","annotations":[]}]"#,
            true,
        );
        let any = json!({ "type": "object" });
        assert_eq!(
            definitions,
            json!([
                { "name": "a", "description": "d", "inputSchema": any, "annotations": { "title": "A", "readOnly": true, "destructive": false, "idempotent": true, "openWorld": false } },
                { "name": "b", "description": "", "inputSchema": any, "annotations": { "title": "B" } },
                { "name": "c", "description": "", "inputSchema": any, "annotations": {} },
                { "name": "d", "description": "", "inputSchema": any, "annotations": {} }
            ])
        );
        assert_eq!(warnings, [""; 0]);
    }

    #[test]
    fn r_000_151_a_bad_tool_hides_no_other() {
        let (definitions, warnings) = list(
            r#"[7,{"name":""},{"name":7},{"name":"\ud800"},{},{"name":"a"},{"name":"a","description":"again"},{"name":"n","inputSchema":[]},{"name":"s","inputSchema":{"type":"string"}},{"name":"u","inputSchema":{"type":["object"]}},{"name":"z"}]"#,
            false,
        );
        let names: Vec<&Value> = definitions.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["a", "z"]);
        assert_eq!(warnings.len(), 9);
        assert_eq!(warnings[5], "The tool \"a\" is left out: another tool of the server has its name.");
        assert_eq!(warnings[6], "The tool \"n\" is left out: its inputSchema is a list and not an object.");
        assert_eq!(
            warnings[7],
            "The tool \"s\" is left out: its inputSchema describes no object: its type is \"\\\"string\\\"\"."
        );
    }

    #[test]
    fn a_root_that_says_no_type_is_an_objects() {
        assert_eq!(schema_of("{ }"), json!({ "type": "object" }));
        assert_eq!(schema_of(r#"{"anyOf":[{}]}"#), json!({ "type": "object", "anyOf": [{}] }));
        assert_eq!(
            schema_of(r#"{"type":"object","$schema":"x","x":1e400}"#),
            json!({ "type": "object", "$schema": "x", "x": f64::MAX })
        );
    }

    #[test]
    fn r_000_150_marks_count_only_where_there_are_some() {
        let tool = r#"[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"A"}}}},{"name":"u"}]"#;
        let (definitions, warnings) = list(tool, true);
        assert_eq!((definitions.as_array().unwrap().len(), warnings.len()), (1, 1));
        assert_eq!(list(tool, false).0.as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_schema_too_deep_to_store_is_left_out_and_warnings_have_an_end() {
        let deep = format!("{}1{}", "{\"not\":".repeat(600), "}".repeat(600));
        let (definitions, warnings) = list(&format!(r#"[{{"name":"t","inputSchema":{deep}}}]"#), false);
        assert_eq!(definitions, json!([]));
        assert!(warnings[0].contains("cannot be stored"), "{warnings:?}");
        let (_, warnings) = list(&format!("[{}]", vec!["7"; 250].join(",")), false);
        assert_eq!((warnings.len(), warnings[100].as_str()), (101, "150 more tools are left out."));
    }
}
