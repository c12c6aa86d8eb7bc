//! References within a document (`$ref`), found by their place in the text.
//!
//! A parameter, body, path item or media type behind a reference is read as if it stood there; a schema is kept by
//! reference ([`super::store`]). Nothing is fetched: a reference to another document is a reason to leave out.

use std::cell::RefCell;
use std::collections::HashMap;

use super::index::Index;
use super::skip::{Reason, SkipCode};
use crate::json::{Kind, Node, parse_fragment};

/// References that lead to references: more than this many in a row are a loop, or as good as one.
const LONGEST_CHAIN: usize = 64;

/// Looks references up, each once.
#[derive(Debug)]
pub(super) struct References<'a> {
    root: Node<'a>,
    index: &'a Index<'a>,
    found: RefCell<HashMap<String, Option<Node<'a>>>>,
}

impl<'a> References<'a> {
    pub(super) fn new(root: Node<'a>, index: &'a Index<'a>) -> Self {
        Self { root, index, found: RefCell::default() }
    }

    pub(super) fn index(&self) -> &Index<'a> {
        self.index
    }

    /// The value itself, or what the reference in its place leads to.
    pub(super) fn resolve(&self, node: Node<'a>) -> Result<Node<'a>, Reason> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            if node.kind() != Kind::Object {
                return Ok(node);
            }
            let Some(reference) = node.get("$ref") else { return Ok(node) };
            let Some(reference) = reference.as_str() else {
                return Err(Reason::new(
                    SkipCode::Reference,
                    format!("$ref is {}, not a string", reference.kind().name()),
                ));
            };
            node = self.lookup(&reference)?;
        }
        Err(Reason::new(SkipCode::Reference, "$ref leads into a loop of references"))
    }

    /// The fields of an object, or of the one that it refers to, which comes along.
    pub(super) fn fields<const N: usize>(
        &self,
        node: Node<'a>,
        names: [&str; N],
    ) -> Result<(Node<'a>, [Option<Node<'a>>; N]), Reason> {
        let (fields, is_reference) = fields_of(node, names);
        let (node, fields) = if is_reference {
            let node = self.resolve(node)?;
            (node, fields_of(node, names).0)
        } else {
            (node, fields)
        };
        match node.kind() {
            Kind::Object => Ok((node, fields)),
            other => Err(Reason::new(SkipCode::Malformed, format!("is {}, not an object", other.name()))),
        }
    }

    /// What stands at the place that a reference names.
    pub(super) fn lookup(&self, reference: &str) -> Result<Node<'a>, Reason> {
        let segments = segments_of(reference)?;
        if let Some(found) = self.found.borrow().get(reference) {
            return found.ok_or_else(|| dangling(reference));
        }
        let found = self.walk(&segments);
        self.found.borrow_mut().insert(reference.to_owned(), found);
        found.ok_or_else(|| dangling(reference))
    }

    fn walk(&self, segments: &[String]) -> Option<Node<'a>> {
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (start, rest) = match names.as_slice() {
            ["components", section, name, rest @ ..] => (self.index.component(section, name)?, rest),
            ["paths", path, rest @ ..] => (self.index.path_item(path)?, rest),
            rest => (self.root, rest),
        };
        rest.iter().try_fold(start, |node, segment| match node.kind() {
            Kind::Object => node.get(segment),
            Kind::List => node.items().nth(list_index(segment)?),
            _ => None,
        })
    }
}

/// The members of these names, in one pass, and whether there is a `$ref`.
fn fields_of<'a, const N: usize>(node: Node<'a>, names: [&str; N]) -> ([Option<Node<'a>>; N], bool) {
    let mut fields = [None; N];
    let mut is_reference = false;
    for (key, value) in node.entries() {
        is_reference |= key == "$ref";
        if let Some(at) = names.iter().position(|name| *name == key) {
            fields[at] = Some(value);
        }
    }
    (fields, is_reference)
}

/// The segments of a reference into this document.
pub(super) fn segments_of(reference: &str) -> Result<Vec<String>, Reason> {
    parse_fragment(reference).ok_or_else(|| {
        let what = if reference.starts_with('#') { "is not a JSON pointer" } else { "leads out of the document" };
        Reason::new(SkipCode::Reference, format!("$ref {reference:?} {what}"))
    })
}

fn dangling(reference: &str) -> Reason {
    Reason::new(SkipCode::Reference, format!("$ref {reference:?} leads to nothing in the document"))
}

/// An index as RFC 6901 §4 writes it: no sign, no leading zero.
fn list_index(segment: &str) -> Option<usize> {
    let is_plain = segment == "0" || (!segment.starts_with('0') && segment.bytes().all(|byte| byte.is_ascii_digit()));
    if is_plain { segment.parse().ok() } else { None }
}
