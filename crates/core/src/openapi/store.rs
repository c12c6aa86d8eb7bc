//! The schemas of a document that its tools need, converted once and shared by all of them.
//!
//! This is the store while a document is read; what is kept of it ([`Store`]) points nowhere into the document's text.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::Stops;
use super::budget::most_bytes;
use super::dialect::Dialect;
use super::kept::{Lists, Property, Schemas, Store};
use super::reference::References;
use super::schema::{self, Position, position};
use super::skip::{Reason, SkipCode, brief};
use crate::json::{self, Kind, Node, escape_fragment};

#[derive(Debug)]
struct Shared<'a> {
    node: Node<'a>,
    name: String,
    /// How a schema refers to it, as JSON text.
    reference: String,
    /// Why it cannot be used, where its conversion failed.
    failed: Option<Reason>,
    /// The schema that failed, where it or one that it reaches did.
    broken: Option<u32>,
    /// Those that name it.
    users: Vec<u32>,
}

/// The store while a document is read.
#[derive(Debug)]
pub(super) struct StoreBuilder<'a> {
    references: &'a References<'a>,
    dialect: Dialect,
    /// Room for the text of one schema, and for the shared ones that it names.
    room: String,
    refs: Vec<u32>,
    /// How many bytes of schemas are kept at most: a schema may be in many places, each time with other words about it.
    most: usize,
    names: indexmap::IndexSet<String, RandomState>,
    own: Schemas,
    /// Of each of these, once somebody asked: the shared schema that it cannot be used for.
    own_broken: Vec<Option<Option<u32>>>,
    shared: Vec<Shared<'a>>,
    /// The shared ones, converted; nothing where that failed.
    converted: Schemas,
    /// By the words of a reference, as they are written, and by the place that it leads to.
    referred: HashMap<&'a str, Result<u32, Reason>, RandomState>,
    by_place: HashMap<usize, u32, RandomState>,
    /// For each name made of a place: how many have been made of it.
    made: HashMap<String, usize>,
    taken: HashSet<String>,
    properties: Lists<Property>,
}

impl<'a> StoreBuilder<'a> {
    pub(super) fn new(references: &'a References<'a>, dialect: Dialect) -> Self {
        Self {
            references,
            dialect,
            room: String::new(),
            refs: Vec::new(),
            most: most_bytes(references.index().root().text()),
            names: indexmap::IndexSet::default(),
            own: Schemas::default(),
            own_broken: Vec::new(),
            shared: Vec::new(),
            converted: Schemas::default(),
            referred: HashMap::default(),
            by_place: HashMap::default(),
            made: HashMap::new(),
            taken: HashSet::new(),
            properties: Lists::default(),
        }
    }

    /// The dialect of the schemas that do not say it themselves.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The number of a property's name.
    pub(super) fn name(&mut self, name: &str) -> u32 {
        let index = self.names.get_index_of(name).unwrap_or_else(|| self.names.insert_full(name.to_owned()).0);
        index as u32
    }

    /// Converts the schema of a parameter or a body, with a description, JSON text of a string, when it has none of its own.
    pub(super) fn add(&mut self, schema: Option<Node<'a>>, description: Option<&str>) -> Result<u32, Reason> {
        let Some(schema) = schema else {
            let mut text = "{}".to_owned();
            if let Some(description) = description {
                describe(&mut text, description);
            }
            return Ok(self.own.push(&text, &[]));
        };
        let has_own = schema.get("description").is_some();
        self.convert(schema, None, |text| {
            if let Some(description) = description.filter(|_| !(has_own && is_described(text))) {
                describe(text, description);
            }
        })
    }

    /// Converts the schema of a body, with what a model has to know to give it, whatever else the schema says of itself.
    pub(super) fn add_noted(&mut self, schema: Node<'a>, note: &str) -> Result<u32, Reason> {
        self.convert(schema, None, |text| {
            if is_described(text) {
                text.insert_str(0, "{\"allOf\":[");
                text.push_str("]}");
            }
            describe(text, note);
        })
    }

    /// Converts a schema, the shared one of the number `own` where it is one, and gives its number. `finish` is given its text.
    fn convert(&mut self, schema: Node<'a>, own: Option<u32>, finish: impl FnOnce(&mut String)) -> Result<u32, Reason> {
        if self.own.written() + self.converted.written() > self.most {
            return Err(Reason::new(
                SkipCode::Schema,
                "the schemas of the document, each where it stands, come to too much",
            ));
        }
        let (mut text, mut refs) = (std::mem::take(&mut self.room), std::mem::take(&mut self.refs));
        text.clear();
        refs.clear();
        let written = schema::write(schema, own, self, &mut refs, &mut text);
        let number = written.map(|()| {
            finish(&mut text);
            let kept = if own.is_some() { &mut self.converted } else { &mut self.own };
            kept.push(&text, &refs)
        });
        (self.room, self.refs) = (text, refs);
        number
    }

    /// The number of the schema that a reference names, JSON text of a string.
    pub(super) fn intern(&mut self, written: &'a str) -> Result<u32, Reason> {
        if let Some(known) = self.referred.get(written) {
            return known.clone();
        }
        let reference = Node::trusted(written).as_str().unwrap_or_default();
        let id = self.intern_new(&reference);
        self.referred.insert(written, id.clone());
        id
    }

    fn intern_new(&mut self, reference: &str) -> Result<u32, Reason> {
        let (segments, node) = self.references.place(reference)?;
        if let Some(id) = self.by_place.get(&node.address()) {
            return Ok(*id);
        }
        if !is_schema_place(&segments) || !matches!(node.kind(), Kind::Object | Kind::Bool) {
            return Err(Reason::new(
                SkipCode::Reference,
                format!("$ref {reference:?} leads to something other than a schema"),
            ));
        }
        let name = self.free_name(&segments);
        let id = self.shared.len() as u32;
        let mut reference = String::new();
        json::write_string(&format!("#/$defs/{}", escape_fragment(&name)), &mut reference);
        self.shared.push(Shared { node, name, reference, failed: None, broken: None, users: Vec::new() });
        self.by_place.insert(node.address(), id);
        Ok(id)
    }

    /// A component keeps its name; a schema that stands elsewhere is named after its place.
    fn free_name(&mut self, segments: &[String]) -> String {
        if let [components, schemas, name] = segments
            && components == "components"
            && schemas == "schemas"
        {
            return name.clone();
        }
        let place: Vec<String> = segments
            .iter()
            .skip(if segments.starts_with(&["components".to_owned(), "schemas".to_owned()]) { 2 } else { 0 })
            .map(|segment| {
                segment.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
            })
            .collect();
        let base = place.join("_").trim_matches('_').to_owned();
        let made = self.made.entry(base.clone()).or_default();
        loop {
            *made += 1;
            let name = if *made == 1 { base.clone() } else { format!("{base}_{made}") };
            if !self.references.index().has_schema(&name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// How a schema refers to a shared one, as JSON text.
    pub(super) fn reference(&self, id: u32) -> &str {
        &self.shared[id as usize].reference
    }

    /// Converts every schema that has been named and was not converted before, and those that they name, and says of each
    /// whether it can be used. False when it was told to stop.
    pub(super) fn convert_all(&mut self, stops: Stops<'_>) -> bool {
        while self.converted.len() < self.shared.len() {
            if stops() {
                return false;
            }
            let at = self.converted.len();
            if let Err(reason) = self.convert(self.shared[at].node, Some(at as u32), |_| {}) {
                self.converted.push("", &[]);
                self.shared[at].failed = Some(reason);
            }
            self.settle(at as u32);
        }
        true
    }

    /// A schema that reaches a broken one is broken too, and so is who reaches it.
    fn settle(&mut self, id: u32) {
        let mut cause = self.shared[id as usize].failed.is_some().then_some(id);
        for needed in self.converted.refs(id as usize) {
            let needed = &mut self.shared[*needed as usize];
            needed.users.push(id);
            cause = cause.or(needed.broken);
        }
        let mut open = if cause.is_some() { vec![id] } else { Vec::new() };
        while let Some(id) = open.pop() {
            let shared = &mut self.shared[id as usize];
            if shared.broken.is_none() {
                shared.broken = cause;
                open.extend(&shared.users);
            }
        }
    }

    /// Why a tool with these properties cannot be, if it cannot, once all that they reach is converted.
    pub(super) fn broken(&mut self, properties: &[Property]) -> Option<Reason> {
        self.own_broken.resize(self.own.len(), None);
        let cause = properties.iter().find_map(|property| {
            let own = property.schema as usize;
            *self.own_broken[own]
                .get_or_insert_with(|| self.own.refs(own).iter().find_map(|id| self.shared[*id as usize].broken))
        })?;
        let shared = &self.shared[cause as usize];
        shared.failed.clone().map(|reason| reason.at(format_args!("schema {:?}", brief(&shared.name))))
    }

    /// Keeps the schema of the next operation.
    pub(super) fn keep(&mut self, properties: &[Property]) {
        self.properties.push(properties);
    }

    pub(super) fn finish(self) -> Store {
        Store {
            names: self.names.into_iter().collect(),
            own: self.own,
            shared_names: self.shared.into_iter().map(|shared| shared.name).collect(),
            shared: self.converted,
            properties: self.properties,
        }
    }
}

/// Whether a schema's text may have a description of its own.
fn is_described(text: &str) -> bool {
    text.contains("\"description\":")
}

/// Gives a schema's text a description more, JSON text of a string.
fn describe(text: &mut String, description: &str) {
    match text.as_str() {
        "true" => *text = "{}".to_owned(),
        "false" => return,
        _ => {}
    }
    text.pop();
    if text.len() > 1 {
        text.push(',');
    }
    text.push_str("\"description\":");
    text.push_str(description);
    text.push('}');
}

/// Whether a reference names a place where a schema stands, by the structure of OpenAPI and JSON Schema.
fn is_schema_place(segments: &[String]) -> bool {
    let names: Vec<&str> = segments.iter().map(String::as_str).collect();
    let inside = match names.as_slice() {
        ["components", "schemas", _, rest @ ..] => rest,
        ["components" | "paths" | "webhooks", _, _, rest @ ..] => {
            match rest.iter().position(|name| *name == "schema") {
                Some(at) => &rest[at + 1..],
                None => return false,
            }
        }
        ["$defs" | "definitions", _, rest @ ..] => rest,
        _ => return false,
    };
    let mut rest = inside;
    while let [keyword, after @ ..] = rest {
        let is_number = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        rest = match (position(keyword), after) {
            (Position::One, _) => after,
            (Position::OneOrMany, [index, after @ ..]) if is_number(index) => after,
            (Position::OneOrMany, _) => after,
            (Position::Many, [index, after @ ..]) if is_number(index) => after,
            (Position::Named, [_, after @ ..]) => after,
            _ => return false,
        };
    }
    true
}
