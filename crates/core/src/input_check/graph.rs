//! A schema as a graph: only what a check can use, every reference an edge.
//!
//! Rule: only schema positions that the root reaches are read, so data (`const`, `enum`, `default`, `examples`) is never
//! taken for a schema, a property may have any name, and what nothing refers to does no harm. What is never run
//! (`pattern`, `patternProperties`, `format`, `content…`) and what is malformed is left out, and noted as lost. What a
//! dynamic reference means depends on the resources that led to it, so a schema counts once for each set of anchors
//! that it can be reached with. Nothing here recurses.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use super::Mode;
use super::keyword::{self, Applies, Asserted, Assertion, Dialect, Holds};
use super::resource::{self, RECURSIVE, Resources, Target};
use super::view::{Kind, Object, Value};

/// Most schemas of a graph.
const MAX_NODES: usize = 1 << 17;

/// Most members of lists in all schemas together, of which a schema has its own for each set of anchors.
const MAX_LISTED: usize = 1 << 20;

/// Schemas that room is made for beforehand: most documents have no more.
const USUAL_NODES: usize = 24;

/// Most sets of anchors that dynamic references find, and most anchors in one.
const MAX_SCOPES: usize = 64;
const MAX_ANCHORS: usize = 256;

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
    pub(super) assertions: Vec<(&'static str, Asserted<'a>)>,
    pub(super) edges: Vec<Edge<'a>>,
    /// Whether it accepts more than it did as written.
    pub(super) lost: bool,
}

/// Why there is no graph.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// A schema that the root reaches refers to what the document does not hold.
    Unresolved,
    /// Dynamic references lead to more schemas than are worth it.
    TooMany,
    /// A dynamic reference was met, and scopes were not followed.
    NeedsScopes,
}

/// The schemas that the root, which has id 0, reaches.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) dialect: Dialect,
}

/// Reads a document's graph.
pub(super) fn read(document: Value<'_>, dialect: Dialect, mode: Mode) -> Result<Graph<'_>, Unread> {
    match Reader::new(document, dialect, mode, false).read() {
        Err(Unread::NeedsScopes) => Reader::new(document, dialect, mode, true).read(),
        read => read,
    }
}

/// Where a node was read from.
#[derive(Debug, Clone, Copy)]
struct Origin<'a> {
    /// None for those made up.
    schema: Option<Value<'a>>,
    resource: usize,
    /// Which set of anchors it was reached with.
    scope: usize,
}

struct Reader<'a> {
    document: Value<'a>,
    dialect: Dialect,
    mode: Mode,
    nodes: Vec<Node<'a>>,
    origins: Vec<Origin<'a>>,
    /// By the address of the schema, and the scope.
    ids: HashMap<(usize, usize), Id, RandomState>,
    /// Read when the first reference or `$id` asks for them.
    resources: Option<Resources<'a>>,
    follows_scopes: bool,
    /// Members of lists so far.
    listed: usize,
    /// Sets of anchors that dynamic references find, each made by the resource that came first.
    scopes: Vec<Scope<'a>>,
    /// Scopes by what they hold, and by the scope and the resource within it that they were come to by.
    known_scopes: HashMap<Vec<(&'a str, usize)>, usize>,
    entered: HashMap<(usize, usize), usize>,
}

/// Anchors by name.
type Scope<'a> = BTreeMap<&'a str, Target<'a>>;

impl<'a> Reader<'a> {
    fn new(document: Value<'a>, dialect: Dialect, mode: Mode, follows_scopes: bool) -> Self {
        Reader {
            document,
            dialect,
            mode,
            nodes: Vec::with_capacity(USUAL_NODES),
            origins: Vec::with_capacity(USUAL_NODES),
            ids: HashMap::with_capacity_and_hasher(USUAL_NODES, RandomState::default()),
            resources: None,
            follows_scopes,
            listed: 0,
            scopes: vec![Scope::new()],
            known_scopes: HashMap::from([(Vec::new(), 0)]),
            entered: HashMap::new(),
        }
    }

    fn read(mut self) -> Result<Graph<'a>, Unread> {
        let scope = self.scope_within(0, 0)?;
        self.id_of(Target { schema: self.document, resource: 0 }, scope)?;
        let mut next = 0;
        while let Some(&origin) = self.origins.get(next) {
            match origin.schema.map(Value::kind) {
                Some(Kind::Object(schema)) => self.read_object(next, schema)?,
                Some(Kind::Bool(verdict)) => self.nodes[next].verdict = Some(verdict),
                // Not a schema: accepts anything, and whoever holds it has lost what it meant.
                Some(_) => {
                    self.nodes[next].verdict = Some(true);
                    self.lose(next);
                }
                None => {}
            }
            next += 1;
        }
        Ok(Graph { nodes: self.nodes, dialect: self.dialect })
    }

    fn resources(&mut self) -> &Resources<'a> {
        let (document, dialect) = (self.document, self.dialect);
        self.resources.get_or_insert_with(|| Resources::read(document, dialect))
    }

    /// The scope of what is reached from this one within a resource.
    fn scope_within(&mut self, scope: usize, resource: usize) -> Result<usize, Unread> {
        if !self.follows_scopes {
            return Ok(0);
        }
        if let Some(&known) = self.entered.get(&(scope, resource)) {
            return Ok(known);
        }
        let anchors: Vec<_> = self.resources().dynamic(resource).collect();
        let mut within = self.scopes[scope].clone();
        for (name, target) in anchors {
            within.entry(name).or_insert(target);
            if within.len() > MAX_ANCHORS {
                return Err(Unread::TooMany);
            }
        }
        let held = within.iter().map(|(name, target)| (*name, target.schema.address())).collect();
        let next = self.scopes.len();
        let known = *self.known_scopes.entry(held).or_insert(next);
        if known == next {
            if next == MAX_SCOPES {
                return Err(Unread::TooMany);
            }
            self.scopes.push(within);
        }
        self.entered.insert((scope, resource), known);
        Ok(known)
    }

    fn id_of(&mut self, target: Target<'a>, scope: usize) -> Result<Id, Unread> {
        let key = (target.schema.address(), scope);
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(Unread::TooMany);
        }
        let id = self.make_up(Node::default());
        self.origins[id] = Origin { schema: Some(target.schema), resource: target.resource, scope };
        self.ids.insert(key, id);
        Ok(id)
    }

    /// A node that was not read from the document.
    fn make_up(&mut self, node: Node<'a>) -> Id {
        self.nodes.push(node);
        self.origins.push(Origin { schema: None, resource: 0, scope: 0 });
        self.nodes.len() - 1
    }

    /// What is malformed is left out. For Effect it means nothing, so that nothing is made up for it.
    fn lose(&mut self, id: Id) {
        self.nodes[id].lost |= self.mode == Mode::Full;
    }

    fn read_object(&mut self, id: Id, schema: Object<'a>) -> Result<(), Unread> {
        if self.dialect.ref_stands_alone()
            && let Some(reference) = schema.get("$ref").filter(|reference| reference.is_str())
        {
            return self.read_keyword(id, schema, "$ref", reference);
        }
        for (name, value) in schema.iter() {
            self.read_keyword(id, schema, name, value)?;
        }
        self.open_where_patterns_named_properties(id, schema);
        Ok(())
    }

    fn read_keyword(&mut self, id: Id, schema: Object<'a>, name: &'a str, value: Value<'a>) -> Result<(), Unread> {
        if keyword::is_never_run(name) {
            let empty = name == "patternProperties" && value.as_object().is_some_and(Object::is_empty);
            self.nodes[id].lost |= !empty;
            return Ok(());
        }
        if self.is_reference(name) {
            return match value.as_str() {
                Some(reference) => self.read_reference(id, name, reference),
                None => {
                    self.lose(id);
                    Ok(())
                }
            };
        }
        if let Some(holds) = keyword::holds(name, self.dialect) {
            return self.read_schemas(id, schema, holds, value);
        }
        match keyword::assertion(name, value, Some(schema), self.dialect) {
            Assertion::Sound(name, value) => {
                self.list(&value)?;
                self.nodes[id].assertions.push((name, value));
            }
            Assertion::Malformed => self.lose(id),
            Assertion::Never => self.add_never(id, Applies::AllOf),
            Assertion::Unknown => {}
        }
        Ok(())
    }

    fn list(&mut self, asserted: &Asserted<'a>) -> Result<(), Unread> {
        self.listed += asserted.members();
        if self.listed > MAX_LISTED { Err(Unread::TooMany) } else { Ok(()) }
    }

    fn is_reference(&self, name: &str) -> bool {
        match name {
            "$ref" => true,
            "$recursiveRef" => self.dialect == Dialect::Draft201909,
            "$dynamicRef" => self.dialect == Dialect::Draft202012,
            _ => false,
        }
    }

    fn read_schemas(&mut self, id: Id, owner: Object<'a>, holds: Holds, value: Value<'a>) -> Result<(), Unread> {
        let (applies, list) = match (holds, value.kind()) {
            (Holds::One(applies) | Holds::OneOrList(applies), Kind::Object(_) | Kind::Bool(_)) => {
                return self.add_edge(id, applies, Place::Whole, value);
            }
            (Holds::List(applies) | Holds::OneOrList(applies), Kind::List(list)) => (applies, list),
            (Holds::Named(applies), Kind::Object(named)) => {
                self.nodes[id].edges.reserve(named.len());
                return named
                    .iter()
                    .try_for_each(|(name, value)| self.add_edge(id, applies, Place::Named(name), value));
            }
            (Holds::NamedOrRequired(applies), Kind::Object(named)) => {
                return named.iter().try_for_each(|(name, value)| self.add_dependency(id, applies, name, value));
            }
            _ => {
                self.lose(id);
                return Ok(());
            }
        };
        if list.is_empty() {
            match (applies, owner.get("additionalItems")) {
                // None of no branches fits.
                (Applies::AnyOf | Applies::OneOf, _) => self.add_never(id, applies),
                // After no items of their own, all are additional ones.
                (Applies::Items, Some(additional)) if additional.is_schema() => {
                    return self.add_edge(id, Applies::Items, Place::Whole, additional);
                }
                _ => {}
            }
        }
        self.nodes[id].edges.reserve(list.len());
        list.iter().try_for_each(|value| self.add_edge(id, applies, Place::Listed, value))
    }

    fn add_edge(&mut self, id: Id, applies: Applies, place: Place<'a>, value: Value<'a>) -> Result<(), Unread> {
        let Origin { resource, scope, .. } = self.origins[id];
        let names_resource = |schema| resource::names_resource(schema, self.dialect);
        let own = match value.as_object().is_some_and(names_resource) {
            true => self.resources().of_root(value).unwrap_or(resource),
            false => resource,
        };
        let scope = if own == resource { scope } else { self.scope_within(scope, own)? };
        let to = self.id_of(Target { schema: value, resource: own }, scope)?;
        self.nodes[id].edges.push(Edge { applies, place, to });
        Ok(())
    }

    fn add_never(&mut self, id: Id, applies: Applies) {
        let to = self.make_up(Node { verdict: Some(false), ..Node::default() });
        self.nodes[id].edges.push(Edge { applies, place: Place::Listed, to });
    }

    /// A list of names stands for the schema that requires them.
    fn add_dependency(&mut self, id: Id, applies: Applies, name: &'a str, value: Value<'a>) -> Result<(), Unread> {
        let Some(list) = value.as_list() else {
            return self.add_edge(id, applies, Place::Named(name), value);
        };
        if list.is_empty() {
            return Ok(());
        }
        let mut node = Node::default();
        match keyword::assertion("required", value, None, self.dialect) {
            Assertion::Sound(name, value) => {
                self.list(&value)?;
                node.assertions.push((name, value));
            }
            _ => node.lost = true,
        }
        let to = self.make_up(node);
        self.nodes[id].edges.push(Edge { applies, place: Place::Named(name), to });
        Ok(())
    }

    /// Without its patterns a schema cannot tell which properties are additional: none is, and each counts as evaluated.
    fn open_where_patterns_named_properties(&mut self, id: Id, schema: Object<'a>) {
        let Some(patterns) = schema.get("patternProperties") else { return };
        if patterns.as_object().is_none_or(Object::is_empty) {
            return;
        }
        let to = self.make_up(Node { verdict: Some(true), ..Node::default() });
        let edges = &mut self.nodes[id].edges;
        edges.retain(|edge| edge.applies != Applies::AdditionalProperties);
        edges.push(Edge { applies: Applies::AdditionalProperties, place: Place::Whole, to });
    }

    fn read_reference(&mut self, id: Id, keyword: &str, reference: &str) -> Result<(), Unread> {
        let Origin { resource, scope, .. } = self.origins[id];
        let Some(mut target) = self.resolve(reference, resource) else {
            // Where Effect checks at all, nothing depends on it.
            return if self.mode == Mode::Compatible { Ok(()) } else { Err(Unread::Unresolved) };
        };
        if keyword != "$ref" {
            if !self.follows_scopes {
                return Err(Unread::NeedsScopes);
            }
            target = self.dynamic_target(keyword, reference, target, scope);
        }
        let scope = self.scope_within(scope, target.resource)?;
        let to = self.id_of(target, scope)?;
        self.nodes[id].edges.push(Edge { applies: Applies::Ref, place: Place::Whole, to });
        Ok(())
    }

    /// A target that says so stands for the first one of its name on the way here.
    fn dynamic_target(&self, keyword: &str, reference: &str, target: Target<'a>, scope: usize) -> Target<'a> {
        let name = match keyword {
            "$recursiveRef" if target.schema.get("$recursiveAnchor").and_then(Value::as_bool) == Some(true) => {
                RECURSIVE
            }
            "$recursiveRef" => return target,
            _ => match target.schema.get("$dynamicAnchor").and_then(Value::as_str) {
                Some(name) if reference.split_once('#').is_some_and(|(_, fragment)| fragment == name) => name,
                _ => return target,
            },
        };
        self.scopes[scope].get(name).copied().unwrap_or(target)
    }

    /// What a reference means within the document; nothing is ever fetched.
    fn resolve(&mut self, reference: &str, from: usize) -> Option<Target<'a>> {
        match reference.strip_prefix("#/").map(resource::percent_decoded) {
            Some(None) => None,
            // The common case needs no look at the whole document.
            Some(Some(pointer)) if from == 0 && self.resources.is_none() => {
                let mut schema = self.document;
                for name in pointer.split('/') {
                    schema = resource::member(schema, name)?;
                    if schema.as_object().is_some_and(|schema| resource::names_resource(schema, self.dialect)) {
                        return self.resources().resolve(reference, from);
                    }
                }
                Some(Target { schema, resource: 0 })
            }
            _ => self.resources().resolve(reference, from),
        }
    }
}
