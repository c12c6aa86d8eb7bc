//! Where a document's operations and components stand in its text: one pass over it, no tree.

use std::borrow::Cow;
use std::rc::Rc;

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use super::reference::References;
use super::skip::Reason;
use crate::json::{Cursor, Kind, Node, NotJson};

/// The methods of a path item (OpenAPI 3.2 §4.9), in the order in which they are read.
pub(super) const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// The places of a document that reading needs.
#[derive(Debug)]
pub(super) struct Index<'a> {
    root: Node<'a>,
    pub(super) openapi: Option<Node<'a>>,
    pub(super) swagger: Option<Node<'a>>,
    paths: Paths<'a>,
    /// Whether it describes what is no operation, which is enough since 3.1.
    pub(super) describes_more: bool,
    components: IndexMap<Cow<'a, str>, IndexMap<Cow<'a, str>, Node<'a>, RandomState>, RandomState>,
    servers: Vec<Cow<'a, str>>,
    own_address: Option<Node<'a>>,
    dialect: Option<Node<'a>>,
}

/// What a text has of a document.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) index: Index<'a>,
    /// Its path items, in the order of [`Index::item_paths`].
    pub(super) items: Vec<Item<'a>>,
    /// What the parameters of the items are the numbers of.
    pub(super) words: Words<'a>,
}

/// What a document has as its paths.
#[derive(Debug)]
pub(super) enum Paths<'a> {
    Missing,
    /// Something that is no object.
    Other(Node<'a>),
    /// Where each path item is.
    Items(IndexMap<Cow<'a, str>, Node<'a>, RandomState>),
}

/// A path item.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) node: Node<'a>,
    pub(super) reference: Option<Node<'a>>,
    pub(super) parameters: Option<Parameters<'a>>,
    pub(super) additional: Option<Node<'a>>,
    pub(super) summary: Option<Node<'a>>,
    pub(super) description: Option<Node<'a>>,
    /// Each with its method, in the order of [`METHODS`].
    pub(super) operations: Vec<(&'static str, Operation<'a>)>,
}

/// What stands where parameters do.
#[derive(Debug, Clone)]
pub(super) struct Parameters<'a> {
    /// All of it, which may be no list.
    pub(super) node: Node<'a>,
    /// The numbers of the words of each. What refers to it has the same list.
    pub(super) items: Rc<[u32]>,
}

/// Values of the text, those in the same words as one: most parameters are said many times.
#[derive(Debug, Default)]
pub(super) struct Words<'a>(IndexSet<&'a str, RandomState>);

impl<'a> Words<'a> {
    fn number(&mut self, node: Node<'a>) -> u32 {
        self.0.insert_full(node.text()).0 as u32
    }

    /// A value with these words.
    pub(super) fn node(&self, number: u32) -> Node<'a> {
        Node::trusted(self.0[number as usize])
    }
}

/// An operation's fields that reading needs.
#[derive(Debug, Clone)]
pub(super) struct Operation<'a> {
    pub(super) node: Node<'a>,
    /// OpenAPI has none here. Documents have all the same, mostly of several files.
    pub(super) reference: Option<Node<'a>>,
    pub(super) id: Option<Node<'a>>,
    pub(super) summary: Option<Node<'a>>,
    pub(super) description: Option<Node<'a>>,
    pub(super) parameters: Option<Parameters<'a>>,
    pub(super) body: Option<Rc<RequestBody<'a>>>,
    pub(super) deprecated: Option<Node<'a>>,
}

impl<'a> Index<'a> {
    /// # Errors
    /// The text is not JSON.
    pub(super) fn of(text: &'a str) -> Result<Found<'a>, NotJson> {
        let (mut items, mut words) = (Vec::new(), Words::default());
        let mut index = Self {
            root: Node::trusted("null"),
            openapi: None,
            swagger: None,
            paths: Paths::Missing,
            describes_more: false,
            components: IndexMap::default(),
            servers: Vec::new(),
            own_address: None,
            dialect: None,
        };
        let mut cursor = Cursor::at_start(text);
        let root = cursor.members(|key, cursor| match key.as_ref() {
            "openapi" => index.openapi = Some(cursor.value()),
            "swagger" => index.swagger = Some(cursor.value()),
            "paths" => {
                items.clear();
                index.paths = match cursor.kind() {
                    Kind::Object => Paths::Items(paths(cursor, &mut items, &mut words)),
                    _ => Paths::Other(cursor.value()),
                }
            }
            "components" => {
                index.describes_more = true;
                index.components.clear();
                cursor.members(|section, cursor| {
                    let mut named = IndexMap::default();
                    cursor.members(|name, cursor| {
                        named.insert(name, cursor.value());
                    });
                    index.components.insert(section, named);
                });
            }
            "servers" => {
                let servers = cursor.value().items();
                index.servers = servers.filter_map(|server| server.get("url")?.as_str()).collect();
            }
            "webhooks" => index.describes_more = true,
            "$self" => index.own_address = Some(cursor.value()),
            "jsonSchemaDialect" => index.dialect = Some(cursor.value()),
            _ => {}
        });
        index.root = root;
        // The words for what is wrong, and where, are serde_json's.
        if cursor.is_at_end() { Ok(Found { index, items, words }) } else { Err(NotJson::of(text)) }
    }

    /// The whole document.
    pub(super) fn root(&self) -> Node<'a> {
        self.root
    }

    pub(super) fn paths(&self) -> &Paths<'a> {
        &self.paths
    }

    /// The paths of the path items in the document's order.
    pub(super) fn item_paths(&self) -> impl Iterator<Item = &str> {
        let items = if let Paths::Items(items) = &self.paths { Some(items) } else { None };
        items.into_iter().flat_map(IndexMap::keys).map(Cow::as_ref)
    }

    pub(super) fn path_item(&self, path: &str) -> Option<Node<'a>> {
        if let Paths::Items(items) = &self.paths { items.get(path).copied() } else { None }
    }

    pub(super) fn component(&self, section: &str, name: &str) -> Option<Node<'a>> {
        self.components.get(section)?.get(name).copied()
    }

    pub(super) fn has_schema(&self, name: &str) -> bool {
        self.component("schemas", name).is_some()
    }

    /// Where the document says it is from.
    pub(super) fn own_address(&self) -> Option<Cow<'a, str>> {
        self.own_address.and_then(Node::as_str)
    }

    /// The dialect of JSON Schema that the document's schemas are in, where it says so.
    pub(super) fn dialect(&self) -> Option<Cow<'a, str>> {
        self.dialect.and_then(Node::as_str)
    }

    /// The document's server addresses, as they are written.
    pub(super) fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(Cow::as_ref)
    }
}

/// Goes through the path items: gives where each is, and appends what is in it.
fn paths<'a>(
    cursor: &mut Cursor<'a>,
    items: &mut Vec<Item<'a>>,
    words: &mut Words<'a>,
) -> IndexMap<Cow<'a, str>, Node<'a>, RandomState> {
    let mut paths = IndexMap::default();
    cursor.members(|path, cursor| {
        if path.starts_with("x-") {
            return;
        }
        let item = Item::read(cursor, words);
        let (at, before) = paths.insert_full(path, item.node);
        match before {
            // Of a path that is there twice the last one counts.
            Some(_) => items[at] = item,
            None => items.push(item),
        }
    });
    paths
}

impl<'a> Item<'a> {
    pub(super) fn of(node: Node<'a>, words: &mut Words<'a>) -> Self {
        Self::read(&mut Cursor::before(node), words)
    }

    fn read(cursor: &mut Cursor<'a>, words: &mut Words<'a>) -> Self {
        let (mut reference, mut parameters, mut additional) = (None, None, None);
        let (mut summary, mut description) = (None, None);
        let mut operations: Vec<(&str, Operation<'a>)> = Vec::new();
        let node = cursor.members(|key, cursor| match key.as_ref() {
            "$ref" => reference = Some(cursor.value()),
            "parameters" => parameters = Some(Parameters::read(cursor, words)),
            "additionalOperations" => additional = Some(cursor.value()),
            "summary" => summary = Some(cursor.value()),
            "description" => description = Some(cursor.value()),
            key => {
                if let Some(method) = METHODS.into_iter().find(|method| *method == key) {
                    let operation = Operation::read(cursor, words);
                    // Of a key that is there twice the last value counts.
                    operations.retain(|(other, _)| *other != method);
                    // Most paths have one or two, and a document may have ten thousands of paths.
                    operations.reserve_exact(1);
                    operations.push((method, operation));
                }
            }
        });
        operations.sort_by_key(|(method, _)| METHODS.iter().position(|other| other == method));
        Self { node, reference, parameters, additional, summary, description, operations }
    }

    /// This item over the one that it refers to: its own fields win.
    pub(super) fn over(mut self, under: &Self) -> Self {
        self.parameters = self.parameters.or_else(|| under.parameters.clone());
        self.additional = self.additional.or(under.additional);
        self.summary = self.summary.or(under.summary);
        self.description = self.description.or(under.description);
        let mut own = self.operations;
        self.operations = METHODS
            .into_iter()
            .filter_map(|method| {
                let is_of_it = |(other, _): &(&str, _)| *other == method;
                match own.iter().position(is_of_it) {
                    Some(at) => Some(own.swap_remove(at)),
                    None => under.operations.iter().find(|operation| is_of_it(operation)).cloned(),
                }
            })
            .collect();
        self
    }
}

impl<'a> Parameters<'a> {
    fn read(cursor: &mut Cursor<'a>, words: &mut Words<'a>) -> Self {
        let mut items = Vec::new();
        let node = cursor.items(|cursor| items.push(words.number(cursor.value())));
        Self { node, items: items.into() }
    }
}

impl<'a> Operation<'a> {
    pub(super) fn of(node: Node<'a>, words: &mut Words<'a>) -> Self {
        Self::read(&mut Cursor::before(node), words)
    }

    fn read(cursor: &mut Cursor<'a>, words: &mut Words<'a>) -> Self {
        let (mut reference, mut id, mut summary, mut description) = (None, None, None, None);
        let (mut parameters, mut body, mut deprecated) = (None, None, None);
        let node = cursor.members(|key, cursor| {
            let field = match key.as_ref() {
                "$ref" => &mut reference,
                "operationId" => &mut id,
                "summary" => &mut summary,
                "description" => &mut description,
                "parameters" => {
                    parameters = Some(Parameters::read(cursor, words));
                    return;
                }
                "requestBody" => {
                    body = Some(Rc::new(RequestBody::read(cursor)));
                    return;
                }
                "deprecated" => &mut deprecated,
                _ => return,
            };
            *field = Some(cursor.value());
        });
        Self { node, reference, id, summary, description, parameters, body, deprecated }
    }
}

/// A request body's fields.
#[derive(Debug)]
pub(super) struct RequestBody<'a> {
    pub(super) node: Node<'a>,
    pub(super) reference: Option<Node<'a>>,
    pub(super) required: Option<Node<'a>>,
    pub(super) content: IndexMap<Cow<'a, str>, MediaType<'a>, RandomState>,
}

impl<'a> RequestBody<'a> {
    pub(super) fn of(node: Node<'a>) -> Self {
        Self::read(&mut Cursor::before(node))
    }

    fn read(cursor: &mut Cursor<'a>) -> Self {
        let (mut reference, mut required, mut content) = (None, None, IndexMap::default());
        let node = cursor.members(|key, cursor| match key.as_ref() {
            "$ref" => reference = Some(cursor.value()),
            "required" => required = Some(cursor.value()),
            "content" => {
                content.clear();
                cursor.members(|name, cursor| {
                    content.insert(name, MediaType::read(cursor));
                });
            }
            _ => {}
        });
        Self { node, reference, required, content }
    }
}

/// A media type's fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct MediaType<'a> {
    node: Node<'a>,
    reference: Option<Node<'a>>,
    pub(super) schema: Option<Node<'a>>,
    pub(super) encoding: Option<Node<'a>>,
}

impl<'a> MediaType<'a> {
    pub(super) fn of(node: Node<'a>) -> Self {
        Self::read(&mut Cursor::before(node))
    }

    fn read(cursor: &mut Cursor<'a>) -> Self {
        let (mut reference, mut schema, mut encoding) = (None, None, None);
        let node = cursor.members(|key, cursor| match key.as_ref() {
            "$ref" => reference = Some(cursor.value()),
            "schema" => schema = Some(cursor.value()),
            "encoding" => encoding = Some(cursor.value()),
            _ => {}
        });
        Self { node, reference, schema, encoding }
    }

    /// The one that it is or refers to.
    pub(super) fn resolved(self, references: &References<'a>) -> Result<Self, Reason> {
        let media = match self.reference {
            Some(_) => Self::of(references.resolve(self.node)?),
            None => self,
        };
        Reason::unless_object(media.node)?;
        Ok(media)
    }
}
