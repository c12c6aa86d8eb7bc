//! A document that comes in parts: at first what reading always looks at, then the components that this refers to.
//!
//! The rule: what is read of the parts is what would be read of the whole document. Reading looks at the rest of a document
//! through references alone, so every `$ref` of the parts is followed here, also those that reading would never look at. A
//! reference to what may not be among the parts asks for the whole text instead.

use std::collections::HashSet;

use indexmap::IndexMap;
use memchr::memmem;

use super::index::METHODS;
use crate::json::{self, Cursor, Node, holds_half, parse_fragment};

/// What is missing once some parts are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Nothing: the document can be read.
    Nothing,
    /// Components, as JSON text: a list of names for each kind, `{"schemas":["Pet"]}`.
    Components(String),
    /// What no parts give.
    Whole,
}

/// The parts of a document, as far as they are there.
#[derive(Debug, Default)]
pub struct Parts {
    /// The document without its components, and without its closing brace.
    outer: String,
    /// By kind: the members that are there, as JSON has them between braces.
    components: IndexMap<String, String>,
    /// References that were followed, as they are written.
    followed: HashSet<String>,
    /// Components that were asked for, by kind.
    asked: IndexMap<String, HashSet<String>>,
}

impl Parts {
    /// Takes the document without its components: the text of an object, as `JSON.stringify` writes it.
    #[must_use]
    pub fn begin(&mut self, text: String) -> Missing {
        let Some(outer) = text.strip_suffix('}').map(str::len) else { return Missing::Whole };
        let missing = self.missing(&text);
        self.outer = text;
        self.outer.truncate(outer);
        missing
    }

    /// Takes components: an object of kinds, each an object of those that were asked for and are there.
    #[must_use]
    pub fn add(&mut self, components: &str) -> Missing {
        let Ok(root) = json::check(components) else { return Missing::Whole };
        for (kind, named) in root.entries() {
            let Some(members) = inside(named) else { return Missing::Whole };
            if members.is_empty() {
                continue;
            }
            let there = self.components.entry(kind.into_owned()).or_default();
            if !there.is_empty() {
                there.push(',');
            }
            there.push_str(members);
        }
        self.missing(components)
    }

    /// What a text refers to and nobody asked for yet.
    fn missing(&mut self, text: &str) -> Missing {
        // As `JSON.stringify` writes a member of that name. A longer name may end so: then more is asked for than is needed.
        const MEMBER: &str = "\"$ref\":\"";
        let mut wanted: IndexMap<String, Vec<String>> = IndexMap::new();
        for at in memmem::find_iter(text.as_bytes(), MEMBER) {
            let reference = Cursor::before(Node::trusted(&text[at + MEMBER.len() - 1..])).value();
            if self.followed.contains(reference.text()) {
                continue;
            }
            self.followed.insert(reference.text().to_owned());
            let reference = reference.as_str().unwrap_or_default();
            // Another document, or no pointer: it leads to nothing, whatever the document holds.
            let Some(segments) = parse_fragment(&reference) else { continue };
            match segments.as_slice() {
                [components, kind, name, ..]
                    if components == "components" && !holds_half(kind) && !holds_half(name) =>
                {
                    if self.asked.entry(kind.clone()).or_default().insert(name.clone()) {
                        wanted.entry(kind.clone()).or_default().push(name.clone());
                    }
                }
                [paths, _, inside @ ..] if paths == "paths" && is_kept(inside) => {}
                _ => return Missing::Whole,
            }
        }
        if wanted.is_empty() {
            return Missing::Nothing;
        }
        let mut out = String::from("{");
        for (at, (kind, names)) in wanted.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            json::write_string(kind, &mut out);
            out.push_str(":[");
            for (at, name) in names.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                json::write_string(name, &mut out);
            }
            out.push(']');
        }
        out.push('}');
        Missing::Components(out)
    }

    /// The text to be read, once nothing is missing. `schemas` is a JSON list of the names of all schemas, those included
    /// that nothing refers to: a schema that stands elsewhere is given a name that none of them has.
    #[must_use]
    pub fn into_text(self, schemas: &str) -> String {
        let Self { outer: mut text, mut components, asked, .. } = self;
        let asked = asked.get("schemas");
        let there = components.entry("schemas".to_owned()).or_default();
        let names = json::check(schemas).ok().into_iter().flat_map(Node::items);
        for name in
            names.filter(|name| !name.as_str().is_some_and(|name| asked.is_some_and(|all| all.contains(&*name))))
        {
            if !there.is_empty() {
                there.push(',');
            }
            there.push_str(name.text());
            // Nothing refers to it: only that it is there counts.
            there.push_str(":{}");
        }
        let is_empty = text == "{";
        let more: usize = components.iter().map(|(kind, members)| kind.len() + members.len() + 8).sum();
        text.reserve(more + 24);
        text.push_str(if is_empty { "\"components\":{" } else { ",\"components\":{" });
        for (at, (kind, members)) in components.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            json::write_string(kind, &mut text);
            text.push_str(":{");
            text.push_str(members);
            text.push('}');
        }
        text.push_str("}}");
        text
    }
}

/// Whether a place inside a path item is in a value that no part of is left out of.
fn is_kept(place: &[String]) -> bool {
    let names: Vec<&str> = place.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["parameters", ..] => true,
        [method, rest @ ..] if METHODS.contains(method) => {
            matches!(rest, ["parameters", ..] | ["requestBody", "content", _, "schema" | "encoding", ..])
        }
        _ => false,
    }
}

/// The members of an object as they stand between its braces.
fn inside(object: Node<'_>) -> Option<&str> {
    object.text().strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(missing: Missing) -> serde_json::Value {
        match missing {
            Missing::Components(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn asks_for_what_the_parts_refer_to_until_nothing_is_missing() {
        let mut parts = Parts::default();
        let outer = r##"{"openapi":"3.1.0","paths":{"/a":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/parameters/a~1%62/schema"}]}}"##;
        assert_eq!(
            wanted(parts.begin(outer.to_owned())),
            serde_json::json!({ "schemas": ["A"], "parameters": ["a/b"] })
        );
        let first = r##"{"schemas":{"A":{"$ref":"#/components/schemas/B"}},"parameters":{"a/b":{"$ref":"#/components/schemas/A"}}}"##;
        assert_eq!(wanted(parts.add(first)), serde_json::json!({ "schemas": ["B"] }));
        assert_eq!(parts.add(r#"{"schemas":{"B":{}}}"#), Missing::Nothing);
        let text = parts.into_text(r#"["A","B","C"]"#);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        let schemas = serde_json::json!({ "A": { "$ref": "#/components/schemas/B" }, "B": {}, "C": {} });
        assert_eq!(read["components"]["schemas"], schemas);
        assert_eq!(read["openapi"], "3.1.0");
        assert!(read["components"]["parameters"]["a/b"].is_object());
    }

    #[test]
    fn takes_what_is_not_there_for_nothing() {
        let mut parts = Parts::default();
        let _ = parts.begin(r##"{"a":{"$ref":"#/components/x/y"}}"##.to_owned());
        assert_eq!(parts.add("{}"), Missing::Nothing);
        assert_eq!(parts.into_text("[]"), r##"{"a":{"$ref":"#/components/x/y"},"components":{"schemas":{}}}"##);
        let mut none = Parts::default();
        assert_eq!(none.begin("{}".to_owned()), Missing::Nothing);
        assert_eq!(none.into_text("[]"), r#"{"components":{"schemas":{}}}"#);
    }

    #[test]
    fn needs_the_whole_text_for_a_reference_to_what_may_not_be_there() {
        let places =
            ["#/paths/~1a", "#/paths/~1a/get", "#/paths/~1a/get/responses/200", "#/paths/~1a/post/requestBody"];
        for reference in places {
            let text = format!(r#"{{"a":{{"$ref":"{reference}"}}}}"#);
            assert_eq!(Parts::default().begin(text), Missing::Whole, "{reference}");
        }
        for reference in ["#/components/schemas", "#/", "#/x-own/a", "#/components/schemas/\\ud800"] {
            let text = format!(r#"{{"a":{{"$ref":"{reference}"}}}}"#);
            assert_eq!(Parts::default().begin(text), Missing::Whole, "{reference}");
        }
        let kept = [
            "#/paths/~1a/parameters/0",
            "#/paths/~1a/get/parameters/0/schema",
            "#/paths/~1a/put/requestBody/content/*~1*/schema/items",
        ];
        for reference in kept.into_iter().chain(["", "#", "#name", "other.json#/a", "https://example.com"]) {
            let text = format!(r#"{{"a":{{"$ref":"{reference}"}}}}"#);
            assert_eq!(Parts::default().begin(text), Missing::Nothing, "{reference}");
        }
    }

    #[test]
    fn finds_references_in_members_of_that_name_and_not_in_texts() {
        let text = r##"{"a":"\"$ref\":\"#/paths/a\"","$ref":7,"b":{"x\"$ref":"#/components/schemas/A"}}"##;
        assert_eq!(wanted(Parts::default().begin(text.to_owned())), serde_json::json!({ "schemas": ["A"] }));
    }
}
