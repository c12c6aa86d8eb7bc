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
    /// The document without its path items and components, and without its closing brace.
    outer: String,
    /// The path items that are there: members, as JSON has them between braces.
    path_items: String,
    /// The same for each kind of components.
    components: IndexMap<String, String>,
    /// References that were followed, as they are written.
    followed: HashSet<String>,
    /// Components that were asked for, by kind.
    asked: IndexMap<String, HashSet<String>>,
    /// Those of them that nobody was told of yet.
    wanted: IndexMap<String, Vec<String>>,
    needs_whole: bool,
}

impl Parts {
    /// Takes the document without its path items and components: the text of an object, as `JSON.stringify` writes it.
    pub fn begin(&mut self, text: String) {
        self.follow(&text);
        self.outer = text;
        self.needs_whole |= self.outer.pop() != Some('}');
    }

    /// Takes path items, which are behind those that are there already: an object of them.
    pub fn add_path_items(&mut self, path_items: &str) {
        self.follow(path_items);
        self.needs_whole |= push_members(path_items, &mut self.path_items).is_none();
    }

    /// Takes components of a kind, of those that were asked for and are there: an object of them.
    pub fn add_components(&mut self, kind: String, components: &str) {
        self.follow(components);
        self.needs_whole |= push_members(components, self.components.entry(kind).or_default()).is_none();
    }

    /// What the parts refer to and is not there, as far as nobody was told of it.
    #[must_use]
    pub fn missing(&mut self) -> Missing {
        let wanted = std::mem::take(&mut self.wanted);
        if self.needs_whole {
            return Missing::Whole;
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

    /// Wants what a text refers to and nobody asked for yet.
    fn follow(&mut self, text: &str) {
        // As `JSON.stringify` writes a member of that name. A longer name may end so: then more is asked for than is needed.
        const MEMBER: &str = "\"$ref\":\"";
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
                        self.wanted.entry(kind.clone()).or_default().push(name.clone());
                    }
                }
                [paths, _, inside @ ..] if paths == "paths" && is_kept(inside) => {}
                _ => self.needs_whole = true,
            }
        }
    }

    /// The text to be read, once nothing is missing. `schemas` is a JSON list of the names of all schemas, those included
    /// that nothing refers to: a schema that stands elsewhere is given a name that none of them has.
    #[must_use]
    pub fn into_text(self, schemas: &str) -> String {
        let Self { outer: mut text, path_items, mut components, asked, .. } = self;
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
        let more: usize = components.iter().map(|(kind, members)| kind.len() + members.len() + 8).sum();
        text.reserve(path_items.len() + more + 32);
        text.push_str(if text == "{" { "\"paths\":{" } else { ",\"paths\":{" });
        text.push_str(&path_items);
        text.push_str("},\"components\":{");
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

/// Appends the members of an object's text, as they stand between its braces. `None` when it is no object's.
fn push_members(object: &str, out: &mut String) -> Option<()> {
    let members = object.strip_prefix('{')?.strip_suffix('}')?;
    if !members.is_empty() && !out.is_empty() {
        out.push(',');
    }
    out.push_str(members);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(text: &str) -> Parts {
        let mut parts = Parts::default();
        parts.begin(text.to_owned());
        parts
    }

    fn wanted(missing: Missing) -> serde_json::Value {
        match missing {
            Missing::Components(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn asks_for_what_the_parts_refer_to_until_nothing_is_missing() {
        let mut parts = begun(r#"{"openapi":"3.1.0"}"#);
        parts.add_path_items(r##"{"/a":[{"$ref":"#/components/schemas/A"}]}"##);
        parts.add_path_items("{}");
        parts.add_path_items(r##"{"/b":[{"$ref":"#/components/parameters/a~1%62/schema"}]}"##);
        let missing = wanted(parts.missing());
        assert_eq!(missing, serde_json::json!({ "schemas": ["A"], "parameters": ["a/b"] }));
        parts.add_components("schemas".to_owned(), r##"{"A":{"$ref":"#/components/schemas/B"}}"##);
        parts.add_components("parameters".to_owned(), r##"{"a/b":{"$ref":"#/components/schemas/A"}}"##);
        assert_eq!(wanted(parts.missing()), serde_json::json!({ "schemas": ["B"] }));
        parts.add_components("schemas".to_owned(), r#"{"B":{}}"#);
        assert_eq!(parts.missing(), Missing::Nothing);
        let text = parts.into_text(r#"["A","B","C"]"#);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        let schemas = serde_json::json!({ "A": { "$ref": "#/components/schemas/B" }, "B": {}, "C": {} });
        assert_eq!(read["components"]["schemas"], schemas);
        assert_eq!(read["openapi"], "3.1.0");
        assert!(read["components"]["parameters"]["a/b"].is_object());
        assert_eq!(read["paths"].as_object().unwrap().keys().collect::<Vec<_>>(), ["/a", "/b"]);
    }

    #[test]
    fn takes_what_is_not_there_for_nothing() {
        let mut parts = begun("{}");
        parts.add_path_items(r##"{"/a":{"$ref":"#/components/x/y"}}"##);
        assert_eq!(wanted(parts.missing()), serde_json::json!({ "x": ["y"] }));
        parts.add_components("x".to_owned(), "{}");
        assert_eq!(parts.missing(), Missing::Nothing);
        let expected = r##"{"paths":{"/a":{"$ref":"#/components/x/y"}},"components":{"x":{},"schemas":{}}}"##;
        assert_eq!(parts.into_text("[]"), expected);
    }

    #[test]
    fn needs_the_whole_text_for_a_reference_to_what_may_not_be_there() {
        let asks = |reference: &str| begun(&format!(r#"{{"a":{{"$ref":"{reference}"}}}}"#)).missing();
        for reference in [
            "#/paths/~1a",
            "#/paths/~1a/get",
            "#/paths/~1a/get/responses/200",
            "#/paths/~1a/post/requestBody",
            "#/components/schemas",
            "#/",
            "#/x-own/a",
            "#/components/schemas/\\ud800",
        ] {
            assert_eq!(asks(reference), Missing::Whole, "{reference}");
        }
        for reference in [
            "#/paths/~1a/parameters/0",
            "#/paths/~1a/get/parameters/0/schema",
            "#/paths/~1a/put/requestBody/content/*~1*/schema/items",
            "",
            "#",
            "#name",
            "other.json#/a",
            "https://example.com",
        ] {
            assert_eq!(asks(reference), Missing::Nothing, "{reference}");
        }
    }

    #[test]
    fn needs_the_whole_text_where_a_part_is_no_object() {
        assert_eq!(begun("[]").missing(), Missing::Whole);
        for text in ["[]", "", "{"] {
            let mut parts = begun("{}");
            parts.add_components("schemas".to_owned(), text);
            assert_eq!(parts.missing(), Missing::Whole, "{text}");
        }
        let mut parts = begun("{}");
        parts.add_path_items("7");
        assert_eq!(parts.missing(), Missing::Whole);
    }

    #[test]
    fn finds_references_in_members_of_that_name_and_not_in_texts() {
        let text = r##"{"a":"\"$ref\":\"#/paths/a\"","$ref":7,"b":{"x\"$ref":"#/components/schemas/A"}}"##;
        assert_eq!(wanted(begun(text).missing()), serde_json::json!({ "schemas": ["A"] }));
    }
}
