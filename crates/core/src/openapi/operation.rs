//! One operation of a document, read into a tool or a reason.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use super::Reading;
use super::body::{self, Body};
use super::description;
use super::index::{Item, METHODS, Operation, RequestBody};
use super::parameter::{Parameter, Place};
use super::reference::References;
use super::skip::{Reason, SkipCode, Skipped};
use super::store::{Property, StoreBuilder};
use super::version::Version;
use crate::http::path_fault;
use crate::json::{self, Kind, Node, holds_half};
use crate::names::sanitize;

/// The property that holds a body.
const BODY: &str = "body";

/// An operation that reads well so far: its schemas may yet turn out broken, and its name taken.
#[derive(Debug)]
pub(super) struct Draft {
    method: &'static str,
    path: String,
    name: String,
    /// The description as JSON text.
    description: String,
    places: Vec<Written>,
    /// Whether there is a body, and how it is written where that is not as `application/json`.
    body: Option<Option<Rc<str>>>,
    pub(super) schema: Box<[Property]>,
}

/// A place of a draft's template.
#[derive(Debug)]
struct Written {
    property: Rc<str>,
    place: Place,
    name: Rc<str>,
    /// How it says that its value is written, where that is not the place's own way.
    writing: Option<Rc<str>>,
}

/// Reads operations, keeping what several share.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    references: &'a References<'a>,
    reading: Reading,
    // What has been read: what many operations refer to, or say in the same words, is read once.
    parameters: HashMap<&'a str, Result<Rc<Parameter<'a>>, Reason>, RandomState>,
    // By their places.
    bodies: HashMap<(usize, bool), Result<Option<Body<'a>>, Reason>, RandomState>,
    items: HashMap<usize, Item<'a>, RandomState>,
    schemas: HashMap<usize, Result<u32, Reason>, RandomState>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(references: &'a References<'a>, reading: Reading) -> Self {
        Self {
            references,
            reading,
            parameters: HashMap::default(),
            bodies: HashMap::default(),
            items: HashMap::default(),
            schemas: HashMap::default(),
        }
    }

    /// Reads the operations of a path item.
    pub(super) fn read(
        &mut self,
        path: &str,
        item: &Item<'a>,
        store: &mut StoreBuilder<'a>,
    ) -> Vec<Result<Draft, Skipped>> {
        let item = match self.resolved(item) {
            Ok(item) => item,
            Err(reason) => return vec![Err(Skipped::new(path, None, reason))],
        };
        let mut read = Vec::new();
        for (method, operation) in METHODS.into_iter().zip(&item.operations) {
            let Some(operation) = operation else { continue };
            if method == "query" && self.references.version() < Version::V32 {
                continue;
            }
            let draft = self.operation(method, path, operation, &item, store);
            read.push(draft.map_err(|reason| Skipped::new(path, Some(method), reason)));
        }
        if self.references.version() >= Version::V32 {
            for (method, _) in item.additional.into_iter().flat_map(Node::members) {
                let reason = Reason::new(SkipCode::Method, format!("the method {method} is not one that a tool sends"));
                read.push(Err(
                    Skipped::new(path, Some(&format!("additionalOperations.{method}")), reason).of_method(&method)
                ));
            }
        }
        read
    }

    /// The item with what it refers to under it.
    fn resolved<'i>(&mut self, item: &'i Item<'a>) -> Result<Cow<'i, Item<'a>>, Reason> {
        Reason::unless_object(item.node)?;
        if item.reference.is_none() {
            return Ok(Cow::Borrowed(item));
        }
        let under = self.references.resolve(item.node)?;
        Reason::unless_object(under)?;
        let under = self.items.entry(under.address()).or_insert_with(|| Item::of(under));
        Ok(Cow::Owned(item.clone().over(under)))
    }

    fn operation(
        &mut self,
        method: &'static str,
        path: &str,
        operation: &Operation<'a>,
        item: &Item<'a>,
        store: &mut StoreBuilder<'a>,
    ) -> Result<Draft, Reason> {
        let behind = match operation.reference {
            Some(_) => Some(Operation::of(self.references.resolve(operation.node)?)),
            None => None,
        };
        let operation = behind.as_ref().unwrap_or(operation);
        Reason::unless_object(operation.node)?;
        if method == "trace" {
            return Err(Reason::new(SkipCode::Method, "TRACE is not sent by HTTP clients"));
        }
        let parameters = self.parameters(item.parameters, operation.parameters)?;
        check_path(path, &parameters)?;
        let names = property_names(&parameters)?;
        let has_no_body = matches!(method, "get" | "head");
        let body = match &operation.body {
            Some(body) => self.body(body, has_no_body).map_err(|reason| reason.at("requestBody"))?,
            None => None,
        };

        let mut properties = Vec::with_capacity(parameters.len() + 1);
        let mut places = Vec::with_capacity(parameters.len());
        for (parameter, property) in parameters.iter().zip(names) {
            let description = parameter.description.filter(|text| text.kind() == Kind::String).map(Node::text);
            let schema = self.schema(parameter.schema, description, store);
            let schema = schema.map_err(|reason| reason.at(format_args!("parameter {:?}", parameter.name)))?;
            properties.push(Property { name: store.name(&property), schema, required: parameter.required });
            let (name, writing) = (Rc::clone(&parameter.name), parameter.writing.clone());
            places.push(Written { property, place: parameter.place, name, writing });
        }
        let mut body_writing = None;
        if let Some(Body { schema, required, writing, note }) = body {
            let schema = match (schema, &note) {
                (Some(schema), Some(note)) => self.noted(schema, note, store),
                (schema, _) => self.schema(schema, None, store),
            };
            let schema = schema.map_err(|reason| reason.at("requestBody"))?;
            properties.push(Property { name: store.name(BODY), schema, required });
            body_writing = Some(writing);
        }
        let id = operation.id.and_then(Node::as_str).filter(|id| !id.is_empty());
        Ok(Draft {
            method,
            path: path.to_owned(),
            name: id.map_or_else(|| sanitize(&format!("{method}_{path}")), |id| sanitize(&id)),
            description: description::of(method, path, operation, item, self.reading),
            places,
            body: body_writing,
            schema: properties.into(),
        })
    }

    /// The parameters of an operation: its own ones replace the path item's of the same name and place.
    fn parameters(
        &mut self,
        of_path: Option<Node<'a>>,
        own: Option<Node<'a>>,
    ) -> Result<Vec<Rc<Parameter<'a>>>, Reason> {
        let mut merged: IndexMap<_, _, RandomState> = IndexMap::default();
        for list in of_path.into_iter().chain(own) {
            if list.kind() != Kind::List {
                let found = list.kind().name();
                return Err(Reason::new(SkipCode::Malformed, format!("parameters is {found}, not a list")));
            }
            for (at, node) in list.items().enumerate() {
                let parameter = self.parameter(node).map_err(|reason| reason.at(format_args!("parameters.{at}")))?;
                merged.insert((parameter.place, Rc::clone(&parameter.identity)), parameter);
            }
        }
        let kept = merged.into_values().filter(|parameter| !parameter.is_ignored());
        kept.map(|parameter| parameter.refused.clone().map_or(Ok(parameter), Err)).collect()
    }

    fn parameter(&mut self, node: Node<'a>) -> Result<Rc<Parameter<'a>>, Reason> {
        let read = || Parameter::read(self.references.resolve(node)?, self.references, self.reading).map(Rc::new);
        self.parameters.entry(node.text()).or_insert_with(read).clone()
    }

    fn body(&mut self, body: &RequestBody<'a>, has_no_body: bool) -> Result<Option<Body<'a>>, Reason> {
        let behind = match body.reference {
            Some(_) => Some(self.references.resolve(body.node)?),
            None => None,
        };
        let read = || match behind {
            Some(node) => body::read(&RequestBody::of(node), has_no_body, self.references, self.reading),
            None => body::read(body, has_no_body, self.references, self.reading),
        };
        let place = behind.unwrap_or(body.node).address();
        self.bodies.entry((place, has_no_body)).or_insert_with(read).clone()
    }

    fn schema(
        &mut self,
        schema: Option<Node<'a>>,
        description: Option<&str>,
        store: &mut StoreBuilder<'a>,
    ) -> Result<u32, Reason> {
        // A schema belongs to one parameter or body, or to several in the same words, so its place tells the description too.
        match schema {
            Some(node) => self.schemas.entry(node.address()).or_insert_with(|| store.add(schema, description)).clone(),
            None => store.add(None, description),
        }
    }

    /// The schema of a body with a note. A body has the same note wherever it is referred to.
    fn noted(&mut self, schema: Node<'a>, note: &str, store: &mut StoreBuilder<'a>) -> Result<u32, Reason> {
        self.schemas.entry(schema.address()).or_insert_with(|| store.add_noted(schema, note)).clone()
    }
}

/// Every placeholder has a parameter, and every path parameter a placeholder.
fn check_path(path: &str, parameters: &[Rc<Parameter<'_>>]) -> Result<(), Reason> {
    let refuse = |text: String| Err(Reason::new(SkipCode::Path, text));
    if holds_half(path) {
        return refuse("the path holds a character that no request can carry".to_owned());
    }
    let mut placeholders: IndexSet<_, RandomState> = IndexSet::default();
    // What is behind a `#` is never sent, and fills nothing.
    let mut rest = path.split('#').next().unwrap_or_default();
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return refuse("a placeholder of the path is not closed".to_owned());
        };
        placeholders.insert(name);
        rest = after;
    }
    for parameter in parameters.iter().filter(|parameter| parameter.place == Place::Path) {
        if !placeholders.shift_remove(parameter.name.as_ref()) {
            return refuse(format!("the path has no placeholder for its parameter {:?}", parameter.name));
        }
    }
    if let Some(name) = placeholders.first() {
        return refuse(format!("the path's placeholder {name:?} has no parameter"));
    }
    match path_fault(path) {
        Some(fault) => refuse(format!("the path {fault}")),
        None => Ok(()),
    }
}

/// The property of each parameter: its name in the characters that agents accept, and its place before it when two would
/// share one or it is the body's.
fn property_names(parameters: &[Rc<Parameter<'_>>]) -> Result<Vec<Rc<str>>, Reason> {
    let mut counts: HashMap<&str, usize, RandomState> = HashMap::default();
    for parameter in parameters {
        *counts.entry(&parameter.property).or_default() += 1;
    }
    if counts.len() == parameters.len() && !counts.contains_key(BODY) {
        return Ok(parameters.iter().map(|parameter| Rc::clone(&parameter.property)).collect());
    }
    let mut taken: IndexMap<Rc<str>, &str> = IndexMap::new();
    for Parameter { name, place, property, .. } in parameters.iter().map(Rc::as_ref) {
        let is_shared = &**property == BODY || counts.get(&**property).is_some_and(|count| *count > 1);
        let property = if is_shared { format!("{}_{property}", place.name()).into() } else { Rc::clone(property) };
        if let Some(other) = taken.insert(Rc::clone(&property), name) {
            return Err(Reason::new(
                SkipCode::Property,
                format!("the parameters {other:?} and {name:?} would both be the property {property:?}"),
            ));
        }
    }
    Ok(taken.into_keys().collect())
}

/// What HTTP says of a method (RFC 9110 §9.2), and nothing beyond it.
fn annotations(method: &str) -> &'static str {
    match method {
        "get" | "head" | "options" | "query" => r#"{"readOnly":true,"idempotent":true}"#,
        "put" => r#"{"idempotent":true}"#,
        "delete" => r#"{"destructive":true,"idempotent":true}"#,
        "post" | "patch" => r#"{"idempotent":false}"#,
        _ => "{}",
    }
}

impl Draft {
    /// The same draft, once all schemas are converted and the names before it are known.
    pub(super) fn checked(
        self,
        store: &StoreBuilder<'_>,
        names: &mut IndexSet<String, RandomState>,
    ) -> Result<Self, Skipped> {
        let reason = match store.broken(&self.schema) {
            Some(reason) => reason,
            None if names.insert(self.name.clone()) => return Ok(self),
            None => Reason::new(SkipCode::Name, format!("the name {:?} is another operation's", self.name)),
        };
        Err(Skipped::new(&self.path, Some(self.method), reason))
    }

    /// Writes `{ definition, request }`, the definition without its schema.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("{\"definition\":{\"name\":");
        json::write_string(&self.name, out);
        out.push_str(",\"description\":");
        out.push_str(&self.description);
        out.push_str(",\"annotations\":");
        out.push_str(annotations(self.method));
        out.push_str("},\"request\":{\"method\":\"");
        out.push_str(&self.method.to_ascii_uppercase());
        out.push_str("\",\"path\":");
        json::write_string(&self.path, out);
        out.push_str(",\"parameters\":[");
        for (at, Written { property, place, name, writing }) in self.places.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str("{\"property\":");
            json::write_string(property, out);
            out.push_str(",\"in\":\"");
            out.push_str(place.name());
            out.push_str("\",\"name\":");
            json::write_string(name, out);
            out.push_str(writing.as_deref().unwrap_or_default());
            out.push('}');
        }
        out.push(']');
        if let Some(writing) = &self.body {
            out.push_str(",\"body\":\"body\"");
            out.push_str(writing.as_deref().unwrap_or_default());
        }
        out.push_str("}}");
    }
}
