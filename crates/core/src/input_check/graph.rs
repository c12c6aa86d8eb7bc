//! A schema as a graph: only what a check can use, every reference an edge.
//!
//! Rule: only schema positions that the root reaches are read, so data (`const`, `enum`, `default`, `examples`) is never
//! taken for a schema, a property may have any name, and what nothing refers to does no harm. What is never run
//! (`pattern`, `patternProperties`, `format`, `content…`) and what is malformed is left out, and noted as lost. Nothing
//! here recurses.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::keyword::{self, Applies, Assertion, Dialect, Holds};

pub(super) type Id = usize;

/// Where in its keyword a schema stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    Whole,
    Listed,
    Named(&'a str),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Edge<'a> {
    pub(super) applies: Applies,
    pub(super) place: Place<'a>,
    pub(super) to: Id,
}

/// One schema.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    /// Set for the schemas `true` and `false`.
    pub(super) verdict: Option<bool>,
    pub(super) assertions: Vec<(&'static str, Cow<'a, Value>)>,
    pub(super) edges: Vec<Edge<'a>>,
    /// Whether it accepts more than it did as written.
    pub(super) lost: bool,
    /// Whether it stands among the definitions, to be referred to.
    pub(super) defined: bool,
    /// Whether its references would resolve against an `$id` below the root.
    pub(super) rebased: bool,
}

/// A schema that the root reaches refers to what the document does not hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unresolved;

/// The schemas that the root, which has id 0, reaches.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) dialect: Dialect,
}

/// Reads a document's graph.
pub(super) fn read(document: &Value) -> Result<Graph<'_>, Unresolved> {
    let dialect = document.as_object().map_or(Dialect::Draft202012, Dialect::of);
    let mut reader =
        Reader { document, dialect, nodes: Vec::new(), values: Vec::new(), ids: HashMap::new(), anchors: None };
    reader.id_of(document, false);
    let mut next = 0;
    while let Some(&value) = reader.values.get(next) {
        match value {
            Some(Value::Object(schema)) => reader.read_object(next, schema)?,
            Some(Value::Bool(verdict)) => reader.nodes[next].verdict = Some(*verdict),
            // Not a schema: accepts anything, and whoever holds it has lost what it meant.
            Some(_) => {
                reader.nodes[next].verdict = Some(true);
                reader.nodes[next].lost = true;
            }
            None => {}
        }
        next += 1;
    }
    Ok(Graph { nodes: reader.nodes, dialect })
}

struct Reader<'a> {
    document: &'a Value,
    dialect: Dialect,
    nodes: Vec<Node<'a>>,
    /// What each node was read from; None for those made up.
    values: Vec<Option<&'a Value>>,
    /// By the address of the value.
    ids: HashMap<usize, Id>,
    anchors: Option<HashMap<&'a str, &'a Value>>,
}

impl<'a> Reader<'a> {
    fn id_of(&mut self, value: &'a Value, rebased: bool) -> Id {
        let address = std::ptr::from_ref(value).addr();
        if let Some(&id) = self.ids.get(&address) {
            return id;
        }
        let id = self.nodes.len();
        self.nodes.push(Node { rebased, ..Node::default() });
        self.values.push(Some(value));
        self.ids.insert(address, id);
        id
    }

    fn read_object(&mut self, id: Id, schema: &'a Map<String, Value>) -> Result<(), Unresolved> {
        let names_resource = id != 0 && names_resource(schema, self.dialect);
        self.nodes[id].rebased |= names_resource;
        if self.dialect.ref_stands_alone() && schema.get("$ref").is_some_and(Value::is_string) {
            return self.read_keyword(id, schema, "$ref", &schema["$ref"]);
        }
        for (name, value) in schema {
            self.read_keyword(id, schema, name, value)?;
        }
        self.open_where_patterns_named_properties(id, schema);
        Ok(())
    }

    fn read_keyword(
        &mut self,
        id: Id,
        schema: &'a Map<String, Value>,
        name: &'a str,
        value: &'a Value,
    ) -> Result<(), Unresolved> {
        if keyword::is_never_run(name) {
            let empty = name == "patternProperties" && value.as_object().is_some_and(Map::is_empty);
            self.nodes[id].lost |= !empty;
            return Ok(());
        }
        if self.is_reference(name) {
            return match value {
                Value::String(reference) => self.read_reference(id, reference),
                _ => {
                    self.nodes[id].lost = true;
                    Ok(())
                }
            };
        }
        if let Some(holds) = keyword::holds(name, self.dialect) {
            self.read_schemas(id, holds, value);
            return Ok(());
        }
        match keyword::assertion(name, value, schema, self.dialect) {
            Assertion::Sound(name, value) => self.nodes[id].assertions.push((name, value)),
            Assertion::Malformed => self.nodes[id].lost = true,
            Assertion::Unknown => {}
        }
        Ok(())
    }

    /// Within one resource the dynamic references mean what `$ref` means.
    fn is_reference(&self, name: &str) -> bool {
        match name {
            "$ref" => true,
            "$recursiveRef" => self.dialect == Dialect::Draft201909,
            "$dynamicRef" => self.dialect == Dialect::Draft202012,
            _ => false,
        }
    }

    fn read_schemas(&mut self, id: Id, holds: Holds, value: &'a Value) {
        let list = match (holds, value) {
            (Holds::One(applies) | Holds::OneOrList(applies), Value::Object(_) | Value::Bool(_)) => {
                self.add_edge(id, applies, Place::Whole, value);
                return;
            }
            (Holds::List(applies) | Holds::OneOrList(applies), Value::Array(list)) => (applies, list),
            (Holds::Named(applies), Value::Object(named)) => {
                for (name, value) in named {
                    self.add_edge(id, applies, Place::Named(name), value);
                }
                return;
            }
            (Holds::NamedOrRequired(applies), Value::Object(named)) => {
                for (name, value) in named {
                    self.add_dependency(id, applies, name, value);
                }
                return;
            }
            _ => {
                self.nodes[id].lost = true;
                return;
            }
        };
        let (applies, list) = list;
        // An empty list of branches is refused by every dialect.
        self.nodes[id].lost |= list.is_empty() && applies.to_same_value();
        for value in list {
            self.add_edge(id, applies, Place::Listed, value);
        }
    }

    fn add_edge(&mut self, id: Id, applies: Applies, place: Place<'a>, value: &'a Value) {
        let to = self.id_of(value, self.nodes[id].rebased);
        self.nodes[id].edges.push(Edge { applies, place, to });
    }

    /// A list of names stands for the schema that requires them.
    fn add_dependency(&mut self, id: Id, applies: Applies, name: &'a str, value: &'a Value) {
        let Value::Array(list) = value else {
            self.add_edge(id, applies, Place::Named(name), value);
            return;
        };
        if list.is_empty() {
            return;
        }
        let to = self.nodes.len();
        let mut node = Node::default();
        match keyword::assertion("required", value, &Map::new(), self.dialect) {
            Assertion::Sound(name, value) => node.assertions.push((name, value)),
            Assertion::Malformed | Assertion::Unknown => node.lost = true,
        }
        self.nodes.push(node);
        self.values.push(None);
        self.nodes[id].edges.push(Edge { applies, place: Place::Named(name), to });
    }

    /// Without its patterns a schema cannot tell which properties are additional: none is, and each counts as evaluated.
    fn open_where_patterns_named_properties(&mut self, id: Id, schema: &Map<String, Value>) {
        let Some(patterns) = schema.get("patternProperties") else { return };
        if patterns.as_object().is_some_and(Map::is_empty) {
            return;
        }
        let to = self.nodes.len();
        self.nodes.push(Node { verdict: Some(true), ..Node::default() });
        self.values.push(None);
        let edges = &mut self.nodes[id].edges;
        edges.retain(|edge| edge.applies != Applies::AdditionalProperties);
        edges.push(Edge { applies: Applies::AdditionalProperties, place: Place::Whole, to });
    }

    fn read_reference(&mut self, id: Id, reference: &str) -> Result<(), Unresolved> {
        if self.nodes[id].rebased {
            return Err(Unresolved);
        }
        let target = self.resolve(reference).ok_or(Unresolved)?;
        let to = self.id_of(target, false);
        self.nodes[to].defined = true;
        self.nodes[id].edges.push(Edge { applies: Applies::Ref, place: Place::Whole, to });
        Ok(())
    }

    /// What a reference means within the document; nothing is ever fetched.
    fn resolve(&mut self, reference: &str) -> Option<&'a Value> {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !resource.is_empty() {
            let root = self.document.get(self.dialect.id()).and_then(Value::as_str)?;
            if root.split('#').next() != Some(resource) {
                return None;
            }
        }
        let fragment = percent_decoded(fragment)?;
        if fragment.is_empty() {
            return Some(self.document);
        }
        match fragment.strip_prefix('/') {
            Some(pointer) => self.at_pointer(pointer),
            None => {
                let (document, dialect) = (self.document, self.dialect);
                self.anchors.get_or_insert_with(|| anchors(document, dialect)).get(fragment.as_ref()).copied()
            }
        }
    }

    fn at_pointer(&self, pointer: &str) -> Option<&'a Value> {
        let mut at = self.document;
        for token in pointer.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            at = match at {
                Value::Object(map) => map.get(&token)?,
                Value::Array(list) => list.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
            // What stands within another resource resolves its own references against that.
            if at.as_object().is_some_and(|schema| names_resource(schema, self.dialect)) {
                return None;
            }
        }
        Some(at)
    }
}

/// Whether the object names a resource of its own (an `$id` that is only a fragment is an anchor).
fn names_resource(schema: &Map<String, Value>, dialect: Dialect) -> bool {
    schema.get(dialect.id()).and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'))
}

/// The anchors of the document's own resource; the first of a name counts.
fn anchors(document: &Value, dialect: Dialect) -> HashMap<&str, &Value> {
    let mut found = HashMap::new();
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                if !std::ptr::eq(value, document) && names_resource(map, dialect) {
                    continue;
                }
                let id = map.get(dialect.id()).and_then(Value::as_str).and_then(|id| id.strip_prefix('#'));
                let anchor = ["$anchor", "$dynamicAnchor"].map(|name| map.get(name).and_then(Value::as_str));
                for name in anchor.into_iter().chain([id]).flatten() {
                    found.entry(name).or_insert(value);
                }
                let schemas = map.iter().filter(|(name, _)| !matches!(name.as_str(), "const" | "enum"));
                open.extend(schemas.rev().map(|(_, value)| value));
            }
            Value::Array(list) => open.extend(list.iter().rev()),
            _ => {}
        }
    }
    found
}

fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || (bytes.next()? as char).to_digit(16);
            out.push(u8::try_from(digit()? << 4 | digit()?).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}
