//! Which schemas of a document have a URI of their own, and what a reference means within them.
//!
//! Rule: only schema positions are looked at, so that an `$id` within data names nothing; what the document does not hold
//! is never fetched. Nothing here recurses.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use url::Url;

use super::keyword::{self, Dialect, Holds};
use super::view::{Kind, Object, Value};

/// Where a document is that does not say so.
const NOWHERE: &str = "https://document.invalid/";

/// Longest URI that names anything, and most bytes of URIs that are read of one document.
const MAX_URI: usize = 2 << 10;
const MAX_URI_BYTES: usize = 1 << 20;

/// The name by which a draft 2019-09 schema is found that says `$recursiveAnchor: true`.
pub(super) const RECURSIVE: &str = "";

/// A schema, and the resource that it stands in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) schema: Value<'a>,
    pub(super) resource: usize,
}

/// Resolves URIs, as long as there are not too many bytes of them.
#[derive(Debug)]
pub(super) struct Joiner {
    left: Cell<usize>,
}

impl Joiner {
    pub(super) fn new() -> Self {
        Joiner { left: Cell::new(MAX_URI_BYTES) }
    }

    /// What a reference means against a base, without its fragment.
    pub(super) fn join(&self, base: &Url, reference: &str) -> Option<Url> {
        let left = self.left.get().checked_sub(base.as_str().len() + reference.len())?;
        self.left.set(left);
        if reference.len() > MAX_URI {
            return None;
        }
        let mut url = base.join(reference).ok().filter(|url| url.as_str().len() <= MAX_URI)?;
        url.set_fragment(None);
        Some(url)
    }
}

struct Resource<'a> {
    root: Value<'a>,
    base: Option<Url>,
    anchors: HashMap<&'a str, Value<'a>>,
    /// Anchors that a reference finds by who refers to it.
    dynamic: Vec<(&'a str, Value<'a>)>,
}

/// The resources of a document; the document's own is number 0.
pub(super) struct Resources<'a> {
    list: Vec<Resource<'a>>,
    by_uri: HashMap<Url, usize>,
    by_address: HashMap<usize, usize>,
    dialect: Dialect,
    joiner: Joiner,
}

impl<'a> Resources<'a> {
    pub(super) fn read(document: Value<'a>, dialect: Dialect) -> Self {
        let mut resources = Resources {
            list: Vec::new(),
            by_uri: HashMap::new(),
            by_address: HashMap::new(),
            dialect,
            joiner: Joiner::new(),
        };
        let id = document.as_object().and_then(|schema| own_id(schema, dialect));
        let nowhere = Url::parse(NOWHERE).ok();
        let base = nowhere.and_then(|nowhere| match id {
            Some(id) => resources.joiner.join(&nowhere, id),
            None => Some(nowhere),
        });
        resources.add(document, base);
        let mut open = vec![(document, 0)];
        while let Some((value, outer)) = open.pop() {
            let Some(schema) = value.as_object() else { continue };
            let resource = resources.enter(value, schema, outer);
            resources.note_anchors(value, schema, resource);
            for (keyword, held) in schema.iter().rev() {
                match (positions(keyword, dialect), held.kind()) {
                    (Some(Holds::List(_) | Holds::OneOrList(_)), Kind::List(list)) => {
                        open.extend(list.iter().rev().map(|held| (held, resource)));
                    }
                    (Some(Holds::Named(_) | Holds::NamedOrRequired(_)), Kind::Object(named)) => {
                        open.extend(named.values().rev().map(|held| (held, resource)));
                    }
                    (Some(Holds::One(_) | Holds::OneOrList(_)), _) => open.push((held, resource)),
                    _ => {}
                }
            }
        }
        resources
    }

    fn add(&mut self, root: Value<'a>, base: Option<Url>) -> usize {
        let number = self.list.len();
        if let Some(base) = &base {
            self.by_uri.entry(base.clone()).or_insert(number);
        }
        self.by_address.insert(root.address(), number);
        self.list.push(Resource { root, base, anchors: HashMap::new(), dynamic: Vec::new() });
        number
    }

    /// The resource of a schema that stands in this one.
    fn enter(&mut self, value: Value<'a>, schema: Object<'a>, outer: usize) -> usize {
        if let Some(known) = self.by_address.get(&value.address()) {
            return *known;
        }
        let Some(id) = own_id(schema, self.dialect) else { return outer };
        // One whose URI cannot be read is a resource all the same, which only its own references find their way in.
        let base = self.list[outer].base.as_ref().and_then(|base| self.joiner.join(base, id));
        self.add(value, base)
    }

    fn note_anchors(&mut self, value: Value<'a>, schema: Object<'a>, resource: usize) {
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        let id = text(self.dialect.id()).and_then(|id| id.strip_prefix('#')).filter(|name| !name.is_empty());
        let dynamic = text("$dynamicAnchor").filter(|_| self.dialect == Dialect::Draft202012);
        let resource = &mut self.list[resource];
        for name in [text("$anchor"), dynamic, id].into_iter().flatten() {
            resource.anchors.entry(name).or_insert(value);
        }
        if let Some(name) = dynamic {
            resource.dynamic.push((name, value));
        }
        let says = || schema.get("$recursiveAnchor").and_then(Value::as_bool) == Some(true);
        if self.dialect == Dialect::Draft201909 && resource.root.address() == value.address() && says() {
            resource.dynamic.push((RECURSIVE, value));
        }
    }

    /// The resource whose root the schema is.
    pub(super) fn of_root(&self, schema: Value<'_>) -> Option<usize> {
        self.by_address.get(&schema.address()).copied()
    }

    /// The anchors of a resource that a dynamic reference finds.
    pub(super) fn dynamic(&self, resource: usize) -> impl Iterator<Item = (&'a str, Target<'a>)> + '_ {
        let of = move |(name, schema): &(&'a str, Value<'a>)| (*name, Target { schema: *schema, resource });
        self.list[resource].dynamic.iter().map(of)
    }

    /// What a reference means that stands in this resource; None when the document does not hold it.
    pub(super) fn resolve(&self, reference: &str, from: usize) -> Option<Target<'a>> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = match uri {
            "" => from,
            uri => {
                let uri = self.joiner.join(self.list[from].base.as_ref()?, uri)?;
                *self.by_uri.get(&uri)?
            }
        };
        let fragment = percent_decoded(fragment)?;
        let root = Target { schema: self.list[resource].root, resource };
        match fragment.strip_prefix('/') {
            Some(pointer) => self.at_pointer(root, pointer),
            None if fragment.is_empty() => Some(root),
            None => {
                self.list[resource].anchors.get(fragment.as_ref()).map(|schema| Target { schema: *schema, resource })
            }
        }
    }

    fn at_pointer(&self, root: Target<'a>, pointer: &str) -> Option<Target<'a>> {
        let Target { mut schema, mut resource } = root;
        for name in pointer.split('/') {
            schema = member(schema, name)?;
            resource = self.of_root(schema).unwrap_or(resource);
        }
        Some(Target { schema, resource })
    }
}

/// What a name of a JSON pointer leads to.
pub(super) fn member<'a>(value: Value<'a>, name: &str) -> Option<Value<'a>> {
    let name = name.replace("~1", "/").replace("~0", "~");
    match value.kind() {
        Kind::Object(object) => object.get(&name),
        Kind::List(list) => list.get(name.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Whether the schema names a resource of its own.
pub(super) fn names_resource(schema: Object<'_>, dialect: Dialect) -> bool {
    own_id(schema, dialect).is_some()
}

/// An `$id` that is more than a fragment, which would be an anchor. Beside a reference that stands alone it says nothing.
fn own_id(schema: Object<'_>, dialect: Dialect) -> Option<&str> {
    let id = schema.get(dialect.id()).and_then(Value::as_str).filter(|id| !id.starts_with('#'))?;
    let is_ignored = dialect.ref_stands_alone() && schema.get("$ref").is_some_and(Value::is_str);
    (!is_ignored).then_some(id)
}

/// Where a keyword holds schemas, among them those that are not checked but may be referred to.
fn positions(name: &str, dialect: Dialect) -> Option<Holds> {
    match name {
        "$defs" | "definitions" | "patternProperties" => Some(Holds::Named(keyword::Applies::Ref)),
        name => keyword::holds(name, dialect),
    }
}

/// A fragment without its escapes; None where they are not sound.
pub(super) fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
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
