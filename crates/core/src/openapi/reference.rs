//! References within a document (`$ref`), found by their place in the text.
//!
//! A parameter, body, path item or media type behind a reference is read as if it stood there; a schema is kept by
//! reference ([`super::store`]). Nothing is fetched: a reference to another document is a reason to leave out, and one to
//! the address that a document of 3.2 says it has itself is one into it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use url::Url;

use super::index::Index;
use super::skip::{Reason, SkipCode};
use super::types::Types;
use super::version::Version;
use crate::json::{Kind, Node, parse_fragment};

/// What an address that is no whole one stands under, since nobody says where the document is from. Nothing is fetched.
const SOMEWHERE: &str = "http://document.invalid/";

/// References that lead to references: more than this many in a row are a loop, or as good as one.
const LONGEST_CHAIN: usize = 64;

#[derive(Debug)]
enum Members<'a> {
    Named(IndexMap<Cow<'a, str>, Node<'a>>),
    Listed(Vec<Node<'a>>),
}

/// Looks references up, each once.
#[derive(Debug)]
pub(super) struct References<'a> {
    index: &'a Index<'a>,
    version: Version,
    /// Where the document says it is from (`$self` of OpenAPI 3.2), against which references are read.
    own_address: Option<Url>,
    found: RefCell<HashMap<String, Option<Node<'a>>, RandomState>>,
    /// The members of what pointers lead through, by its place.
    members: RefCell<HashMap<usize, Rc<Members<'a>>, RandomState>>,
    resolved: RefCell<HashMap<String, Result<Node<'a>, Reason>, RandomState>>,
    /// What the value of a schema may be, by the schema's place.
    pub(super) types: RefCell<HashMap<usize, Types, RandomState>>,
}

impl<'a> References<'a> {
    pub(super) fn new(index: &'a Index<'a>, version: Version) -> Self {
        let own_address = index.own_address().filter(|_| version >= Version::V32);
        Self {
            index,
            version,
            own_address: own_address.and_then(|address| Url::parse(SOMEWHERE).ok()?.join(&address).ok()),
            found: RefCell::default(),
            members: RefCell::default(),
            resolved: RefCell::default(),
            types: RefCell::default(),
        }
    }

    pub(super) fn index(&self) -> &Index<'a> {
        self.index
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// The value itself, or what the reference in its place leads to, through other references if need be.
    pub(super) fn resolve(&self, node: Node<'a>) -> Result<Node<'a>, Reason> {
        let Some(reference) = reference_of(node)? else { return Ok(node) };
        if let Some(resolved) = self.resolved.borrow().get(reference.as_ref()) {
            return resolved.clone();
        }
        let resolved = self.follow(&reference);
        self.resolved.borrow_mut().insert(reference.into_owned(), resolved.clone());
        resolved
    }

    fn follow(&self, reference: &str) -> Result<Node<'a>, Reason> {
        let mut node = self.lookup(reference)?;
        for _ in 0..LONGEST_CHAIN {
            match reference_of(node)? {
                Some(reference) => node = self.lookup(&reference)?,
                None => return Ok(node),
            }
        }
        Err(Reason::new(SkipCode::Reference, "$ref leads into a loop of references"))
    }

    /// What stands at the place that a reference names.
    pub(super) fn lookup(&self, reference: &str) -> Result<Node<'a>, Reason> {
        if let Some(found) = self.found.borrow().get(reference) {
            return found.ok_or_else(|| dangling(reference));
        }
        self.place(reference).map(|(_, node)| node)
    }

    /// The segments of a reference into this document, and what stands there.
    pub(super) fn place(&self, reference: &str) -> Result<(Vec<String>, Node<'a>), Reason> {
        let segments = self.segments(reference)?;
        let found = self.walk(&segments);
        self.found.borrow_mut().insert(reference.to_owned(), found);
        found.map(|node| (segments, node)).ok_or_else(|| dangling(reference))
    }

    fn segments(&self, reference: &str) -> Result<Vec<String>, Reason> {
        let local = self.local(reference);
        parse_fragment(local).ok_or_else(|| {
            let what = if local.starts_with('#') { "is not a JSON pointer" } else { "leads out of the document" };
            Reason::new(SkipCode::Reference, format!("$ref {reference:?} {what}"))
        })
    }

    /// The fragment of a reference that spells out this document's own address; any other reference as it is.
    fn local<'r>(&self, reference: &'r str) -> &'r str {
        let Some(own) = self.own_address.as_ref().filter(|_| !reference.starts_with('#')) else { return reference };
        let (address, fragment) = reference.split_at(reference.find('#').unwrap_or(reference.len()));
        if own.join(address).is_ok_and(|address| address == *own) { fragment } else { reference }
    }

    fn walk(&self, segments: &[String]) -> Option<Node<'a>> {
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (start, rest) = match names.as_slice() {
            ["components", section, name, rest @ ..] => (self.index.component(section, name)?, rest),
            ["paths", path, rest @ ..] => (self.index.path_item(path)?, rest),
            rest => (self.index.root(), rest),
        };
        rest.iter().try_fold(start, |node, segment| match &*self.members(node) {
            Members::Named(members) => members.get(*segment).copied(),
            Members::Listed(items) => items.get(list_index(segment)?).copied(),
        })
    }

    /// Looked up once for a place, since many pointers may lead through a large one.
    fn members(&self, node: Node<'a>) -> Rc<Members<'a>> {
        let list = || match node.kind() {
            Kind::List => Members::Listed(node.items().collect()),
            _ => Members::Named(node.members()),
        };
        Rc::clone(self.members.borrow_mut().entry(node.address()).or_insert_with(|| Rc::new(list())))
    }
}

fn reference_of<'a>(node: Node<'a>) -> Result<Option<Cow<'a, str>>, Reason> {
    let Some(reference) = node.get("$ref") else { return Ok(None) };
    let not_text = || format!("$ref is {}, not a string", reference.kind().name());
    reference.as_str().map(Some).ok_or_else(|| Reason::new(SkipCode::Reference, not_text()))
}

fn dangling(reference: &str) -> Reason {
    Reason::new(SkipCode::Reference, format!("$ref {reference:?} leads to nothing in the document"))
}

/// An index as RFC 6901 §4 writes it: no sign, no leading zero.
fn list_index(segment: &str) -> Option<usize> {
    let is_plain = segment == "0" || (!segment.starts_with('0') && segment.bytes().all(|byte| byte.is_ascii_digit()));
    if is_plain { segment.parse().ok() } else { None }
}
