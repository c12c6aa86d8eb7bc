//! One operation of a document, read into a tool or a reason.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::Reading;
use super::body::{self, Body};
use super::budget::{Budget, LONGEST_NAME};
use super::description;
use super::draft::{Description, Draft};
use super::index::{Item, Operation, Parameters, RequestBody, Words};
use super::kept::Property;
use super::parameter::Parameter;
use super::path::PathPlaces;
use super::reference::References;
use super::rows::{AllRows, List, Table};
use super::skip::{Reason, SkipCode, Skipped, brief};
use super::store::StoreBuilder;
use super::version::Version;
use crate::json::{self, Kind, Node};
use crate::names::sanitize;

/// The property that holds a body.
const BODY: &str = "body";

/// The longest description in bytes that is written with its operation.
const LONG: usize = 1 << 10;

/// About how many bytes it takes to say of an operation that it was left out, beside its path.
const SKIPPED: usize = 64;

/// So many parameters are compared with each other: a table of them would take longer.
const FEW: usize = 8;

/// What a parameter or a body comes to in a tool.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The number of its row.
    row: u32,
    property: Property,
}

/// What is read once. `known` is what it comes to in every operation that has it under its own property.
#[derive(Debug)]
struct Once<T> {
    read: T,
    known: OnceCell<Result<Known, Reason>>,
}

impl<T> Once<T> {
    fn new(read: T) -> Rc<Self> {
        Rc::new(Self { read, known: OnceCell::new() })
    }
}

/// Reads operations, keeping what several share.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    references: &'a References<'a>,
    reading: Reading,
    // What has been read: what many operations refer to, or say in the same words, is read once.
    words: Words<'a>,
    /// By the numbers of their words.
    parameters: Vec<Option<Result<SharedParameter<'a>, Reason>>>,
    // By their places.
    bodies: HashMap<(usize, bool), Result<Option<SharedBody<'a>>, Reason>, RandomState>,
    items: HashMap<usize, Item<'a>, RandomState>,
    operations: HashMap<usize, Rc<Operation<'a>>, RandomState>,
    /// By their places, if there is one, and by what is said of them where they stand.
    schemas: HashMap<(Option<usize>, Said<'a>), Result<u32, Reason>, RandomState>,
    /// What parameters and bodies come to, and long descriptions.
    parameter_rows: Table,
    body_rows: Table,
    descriptions: Table,
    budget: Budget,
}

/// What is said of a schema where it stands, JSON text of a string.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Said<'a> {
    Nothing,
    /// In the words of a parameter.
    Description(&'a str),
    /// What a model has to know to give it.
    Note(Rc<str>),
}

type SharedParameter<'a> = Rc<Once<Parameter<'a>>>;
type SharedBody<'a> = Rc<Once<Body<'a>>>;

impl<'a> Reader<'a> {
    pub(super) fn new(references: &'a References<'a>, words: Words<'a>, reading: Reading) -> Self {
        Self {
            references,
            reading,
            words,
            parameters: Vec::new(),
            bodies: HashMap::default(),
            items: HashMap::default(),
            operations: HashMap::default(),
            schemas: HashMap::default(),
            parameter_rows: Table::default(),
            body_rows: Table::default(),
            descriptions: Table::default(),
            budget: Budget::of(references.index().root().text()),
        }
    }

    /// Reads the operations of a path item.
    pub(super) fn read<'i>(
        &mut self,
        path: &'i str,
        item: Item<'a>,
        store: &mut StoreBuilder<'a>,
        drafts: &mut Vec<Result<Draft<'i>, Skipped<'i>>>,
    ) where
        'a: 'i,
    {
        let item = match self.resolved(item) {
            Ok(item) => item,
            Err(reason) => return drafts.push(Err(Skipped::new(path, None, reason))),
        };
        let place = PathPlaces::of(path);
        for (method, operation) in &item.operations {
            if *method == "query" && self.references.version() < Version::V32 {
                continue;
            }
            let draft = self.operation(method, &place, operation, &item, store);
            drafts.push(draft.map_err(|reason| Skipped::new(path, Some(method), reason)));
        }
        if self.references.version() >= Version::V32 {
            self.leave_out(path, item.additional, drafts);
        }
    }

    /// Lists the additional operations of a path item, which no tool sends, one by one as far as that goes.
    fn leave_out<'i>(
        &mut self,
        path: &'i str,
        additional: Option<Node<'a>>,
        drafts: &mut Vec<Result<Draft<'i>, Skipped<'i>>>,
    ) where
        'a: 'i,
    {
        let Some(additional) = additional else { return };
        if self.budget.has_bytes() {
            for method in additional.members().into_keys() {
                if !self.budget.take_bytes(SKIPPED + path.len()) {
                    break;
                }
                let method = brief(&method);
                let reason = Reason::new(SkipCode::Method, format!("the method {method} is not one that a tool sends"));
                drafts.push(Err(Skipped::additional(path, method, reason)));
            }
        }
        if !self.budget.has_bytes() {
            let text = "its additional operations are too many to be listed one by one";
            drafts.push(Err(Skipped::new(path, None, Reason::new(SkipCode::Method, text))));
        }
    }

    /// Appends what the rows of operations have by number and was not appended before: what parameters and bodies come to, and
    /// long descriptions.
    pub(super) fn push_rows(&mut self, rows: &mut AllRows<'_>) {
        self.parameter_rows.push(List::Parameters, rows);
        self.body_rows.push(List::Bodies, rows);
        self.descriptions.push_parts(List::Descriptions, rows);
    }

    /// The item with what it refers to under it.
    fn resolved(&mut self, item: Item<'a>) -> Result<Item<'a>, Reason> {
        Reason::unless_object(item.node)?;
        if item.reference.is_none() {
            return Ok(item);
        }
        let under = self.references.resolve(item.node)?;
        Reason::unless_object(under)?;
        let under = self.items.entry(under.address()).or_insert_with(|| Item::of(under, &mut self.words));
        Ok(item.over(under))
    }

    fn operation<'i>(
        &mut self,
        method: &'static str,
        path: &PathPlaces<'i>,
        operation: &Operation<'a>,
        item: &Item<'a>,
        store: &mut StoreBuilder<'a>,
    ) -> Result<Draft<'i>, Reason>
    where
        'a: 'i,
    {
        let behind = match operation.reference {
            Some(_) => {
                let node = self.references.resolve(operation.node)?;
                let read = || Rc::new(Operation::of(node, &mut self.words));
                Some(Rc::clone(self.operations.entry(node.address()).or_insert_with(read)))
            }
            None => None,
        };
        let operation = behind.as_deref().unwrap_or(operation);
        Reason::unless_object(operation.node)?;
        if method == "trace" {
            return Err(Reason::new(SkipCode::Method, "TRACE is not sent by HTTP clients"));
        }
        let lists = [item.parameters.as_ref(), operation.parameters.as_ref()];
        self.budget.take_parameters(lists.iter().flatten().map(|list| list.items.len()).sum())?;
        let parameters = self.parameters(lists)?;
        path.check(parameters.iter().map(|parameter| &parameter.read))?;
        let names = property_names(parameters.iter().map(|parameter| &parameter.read))?;
        let has_no_body = matches!(method, "get" | "head");
        let body = match &operation.body {
            Some(body) => self.body(body, has_no_body).map_err(|reason| reason.at("requestBody"))?,
            None => None,
        };
        self.budget.take_parameters(body.as_ref().map_or(0, |body| body.read.fields))?;

        let mut properties = Vec::with_capacity(parameters.len() + usize::from(body.is_some()));
        let mut rows = Vec::with_capacity(parameters.len());
        for (at, parameter) in parameters.iter().enumerate() {
            let known = match &names {
                None => {
                    let known = || self.known_parameter(&parameter.read, &parameter.read.property, store);
                    parameter.known.get_or_init(known).clone()?
                }
                Some(names) => self.known_parameter(&parameter.read, &names[at], store)?,
            };
            properties.push(known.property);
            rows.push(known.row);
        }
        let body = match body {
            Some(body) => {
                let known = body.known.get_or_init(|| self.known_body(&body.read, store)).clone()?;
                properties.push(known.property);
                Some(known.row)
            }
            None => None,
        };
        let description = self.description(method, path.text, operation, item)?;
        let id = operation.id.filter(|id| id.kind() == Kind::String);
        // Without the quotes.
        if let Some(length) = id.map(|id| id.text().len() - 2).filter(|length| *length > LONGEST_NAME) {
            let text = format!("its operationId has {length} bytes, and is read with up to {LONGEST_NAME}");
            return Err(Reason::new(SkipCode::Name, text));
        }
        let id = id.and_then(Node::as_str).filter(|id| !id.is_empty());
        Ok(Draft {
            method,
            path: path.text,
            name: id.map_or_else(|| sanitize(&format!("{method}_{}", path.text)), |id| sanitize(&id)),
            description,
            parameters: rows.into(),
            body,
            schema: properties.into(),
        })
    }

    fn description<'i>(
        &mut self,
        method: &str,
        path: &str,
        operation: &Operation<'a>,
        item: &Item<'a>,
    ) -> Result<Description<'i>, Reason>
    where
        'a: 'i,
    {
        const TOO_MUCH: &str = "its description and those of the operations before it come to too much";
        if !self.budget.has_bytes() {
            return Err(Reason::new(SkipCode::Malformed, TOO_MUCH));
        }
        let text = description::of(method, path, operation, item, self.reading);
        let length = text.len();
        let (description, written) = if length <= LONG {
            (Description::Text(text), length)
        } else {
            let known = self.descriptions.len();
            let number = self.descriptions.number(text.into_owned());
            (Description::Row(number), if self.descriptions.len() > known { length } else { 0 })
        };
        if self.budget.take_bytes(written) { Ok(description) } else { Err(Reason::new(SkipCode::Malformed, TOO_MUCH)) }
    }

    /// What a parameter comes to as this property.
    fn known_parameter(
        &mut self,
        parameter: &Parameter<'a>,
        property: &str,
        store: &mut StoreBuilder<'a>,
    ) -> Result<Known, Reason> {
        let description = parameter.description.filter(|text| text.kind() == Kind::String);
        let said = description.map_or(Said::Nothing, |text| Said::Description(text.text()));
        let schema = self.schema(parameter.schema, said, store);
        let schema = schema.map_err(|reason| reason.at(format_args!("parameter {:?}", brief(&parameter.name))))?;
        let mut row = String::from("{\"property\":");
        json::write_string(property, &mut row);
        row.push_str(",\"in\":\"");
        row.push_str(parameter.place.name());
        row.push_str("\",\"name\":");
        json::write_string(&parameter.name, &mut row);
        row.push_str(parameter.writing.as_deref().unwrap_or_default());
        row.push('}');
        let property = Property { name: store.name(property), schema, required: parameter.required };
        Ok(Known { row: self.parameter_rows.number(row), property })
    }

    /// What a body comes to.
    fn known_body(&mut self, body: &Body<'a>, store: &mut StoreBuilder<'a>) -> Result<Known, Reason> {
        let said = body.note.clone().map_or(Said::Nothing, Said::Note);
        let schema = self.schema(body.schema, said, store);
        let schema = schema.map_err(|reason| reason.at("requestBody"))?;
        let row = format!("{{\"body\":\"body\"{}}}", body.writing.as_deref().unwrap_or_default());
        let property = Property { name: store.name(BODY), schema, required: body.required };
        Ok(Known { row: self.body_rows.number(row), property })
    }

    /// The parameters of an operation: its own ones replace the path item's of the same name and place.
    fn parameters(&mut self, [of_path, own]: [Option<&Parameters<'a>>; 2]) -> Result<Vec<SharedParameter<'a>>, Reason> {
        let mut merged: IndexMap<_, _, RandomState> = IndexMap::default();
        for Parameters { node, items } in of_path.into_iter().chain(own) {
            if node.kind() != Kind::List {
                let found = node.kind().name();
                return Err(Reason::new(SkipCode::Malformed, format!("parameters is {found}, not a list")));
            }
            for (at, words) in items.iter().enumerate() {
                let parameter = self.parameter(*words).map_err(|reason| reason.at(format_args!("parameters.{at}")))?;
                merged.insert((parameter.read.place, Rc::clone(&parameter.read.identity)), parameter);
            }
        }
        let kept = merged.into_values().filter(|parameter| !parameter.read.is_ignored());
        kept.map(|parameter| parameter.read.refused.clone().map_or(Ok(parameter), Err)).collect()
    }

    fn parameter(&mut self, words: u32) -> Result<SharedParameter<'a>, Reason> {
        let at = words as usize;
        if self.parameters.len() <= at {
            self.parameters.resize(at + 1, None);
        }
        let (node, references, reading) = (self.words.node(words), self.references, self.reading);
        let read = || Parameter::read(references.resolve(node)?, references, reading).map(Once::new);
        self.parameters[at].get_or_insert_with(read).clone()
    }

    fn body(&mut self, body: &RequestBody<'a>, has_no_body: bool) -> Result<Option<SharedBody<'a>>, Reason> {
        let behind = match body.reference {
            Some(_) => Some(self.references.resolve(body.node)?),
            None => None,
        };
        let read = || {
            let read = match behind {
                Some(node) => body::read(&RequestBody::of(node), has_no_body, self.references, self.reading),
                None => body::read(body, has_no_body, self.references, self.reading),
            };
            Ok(read?.map(Once::new))
        };
        let place = behind.unwrap_or(body.node).address();
        self.bodies.entry((place, has_no_body)).or_insert_with(read).clone()
    }

    fn schema(
        &mut self,
        schema: Option<Node<'a>>,
        said: Said<'a>,
        store: &mut StoreBuilder<'a>,
    ) -> Result<u32, Reason> {
        let key = (schema.map(Node::address), said);
        if let Some(known) = self.schemas.get(&key) {
            return known.clone();
        }
        let added = match (&key.1, schema) {
            (Said::Nothing, _) => store.add(schema, None),
            (Said::Description(text), _) => store.add(schema, Some(text)),
            (Said::Note(note), Some(schema)) => store.add_noted(schema, note),
            (Said::Note(note), None) => store.add(None, Some(note)),
        };
        self.schemas.insert(key, added.clone());
        added
    }
}

/// The property of each parameter: its name in the characters that agents accept, and its place before it when two would
/// share one or it is the body's. None where that is no parameter's case.
fn property_names<'p, 'a: 'p>(
    parameters: impl ExactSizeIterator<Item = &'p Parameter<'a>> + Clone,
) -> Result<Option<Vec<Rc<str>>>, Reason> {
    // Nearly all operations have few parameters and no such case.
    let is_alone = |at: usize, property: &str| {
        property != BODY && parameters.clone().take(at).all(|other| *other.property != *property)
    };
    if parameters.len() <= FEW && parameters.clone().enumerate().all(|(at, one)| is_alone(at, &one.property)) {
        return Ok(None);
    }
    let mut counts: HashMap<&str, usize, RandomState> = HashMap::default();
    for parameter in parameters.clone() {
        *counts.entry(&parameter.property).or_default() += 1;
    }
    if !counts.contains_key(BODY) && counts.values().all(|count| *count == 1) {
        return Ok(None);
    }
    let mut taken: IndexMap<Rc<str>, &str> = IndexMap::new();
    for Parameter { name, place, property, .. } in parameters {
        let is_shared = &**property == BODY || counts.get(&**property).is_some_and(|count| *count > 1);
        let property = if is_shared { format!("{}_{property}", place.name()).into() } else { Rc::clone(property) };
        if let Some(other) = taken.insert(Rc::clone(&property), name) {
            return Err(Reason::new(
                SkipCode::Property,
                format!("the parameters {other:?} and {name:?} would both be the property {property:?}"),
            ));
        }
    }
    Ok(Some(taken.into_keys().collect()))
}
