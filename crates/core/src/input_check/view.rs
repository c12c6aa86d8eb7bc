//! The values of a schema, as they stand in the tree that its text was read into.
//!
//! Rule: nothing is copied; a value is told from others by where it stands, and a member of a large object is found
//! without going through the others. What recurses does so no deeper than the text is nested.

use super::reader::FEW_MEMBERS;
use super::tree::{Cell, Entry, Span, Tree, to_number};

/// A schema's text that was read.
#[derive(Debug)]
pub(super) struct Document<'a> {
    tree: &'a Tree<'a>,
    /// The places of the entries of large objects, by the length of their names, then by their bytes.
    sorted: Vec<u32>,
}

impl<'a> Document<'a> {
    // A tree has fewer entries than an offset holds.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn of(tree: &'a Tree<'a>) -> Self {
        let values = tree.items.iter().chain(tree.entries.iter().map(|entry| &entry.value)).chain([&tree.root]);
        let large = values.filter_map(|cell| match cell {
            Cell::Object(object) if object.len as usize > FEW_MEMBERS => Some(*object),
            _ => None,
        });
        let mut sorted = Vec::new();
        for object in large {
            if sorted.is_empty() {
                sorted.extend(0..tree.entries.len() as u32);
            }
            let of = |at: &u32| key(tree.name(&tree.entries[*at as usize]));
            sorted[object.start as usize..(object.start + object.len) as usize].sort_unstable_by_key(of);
        }
        Document { tree, sorted }
    }

    pub(super) fn root(&'a self) -> Value<'a> {
        Value { document: self, cell: &self.tree.root }
    }
}

fn key(name: &str) -> (usize, &[u8]) {
    (name.len(), name.as_bytes())
}

/// One value of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    document: &'a Document<'a>,
    cell: &'a Cell,
}

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(&'a str),
    List(List<'a>),
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    pub(super) fn kind(self) -> Kind<'a> {
        let Value { document, cell } = self;
        match *cell {
            Cell::Null => Kind::Null,
            Cell::Bool(value) => Kind::Bool(value),
            Cell::Number(number) => Kind::Number(number),
            Cell::Text(text) => Kind::Text(document.tree.text(text)),
            Cell::List(list) => Kind::List(List { document, items: document.tree.items(list) }),
            Cell::Object(span) => Kind::Object(Object { document, span, entries: document.tree.entries(span) }),
        }
    }

    /// What no other value of the document has.
    pub(super) fn address(self) -> usize {
        std::ptr::from_ref(self.cell).addr()
    }

    pub(super) fn as_bool(self) -> Option<bool> {
        match *self.cell {
            Cell::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn as_number(self) -> Option<f64> {
        match *self.cell {
            Cell::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn as_str(self) -> Option<&'a str> {
        match *self.cell {
            Cell::Text(text) => Some(self.document.tree.text(text)),
            _ => None,
        }
    }

    pub(super) fn as_list(self) -> Option<List<'a>> {
        match self.kind() {
            Kind::List(list) => Some(list),
            _ => None,
        }
    }

    pub(super) fn as_object(self) -> Option<Object<'a>> {
        match self.kind() {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn is_str(self) -> bool {
        matches!(self.cell, Cell::Text(_))
    }

    pub(super) fn is_list(self) -> bool {
        matches!(self.cell, Cell::List(_))
    }

    pub(super) fn is_object(self) -> bool {
        matches!(self.cell, Cell::Object(_))
    }

    /// Whether a schema may stand here: an object, true or false.
    pub(super) fn is_schema(self) -> bool {
        matches!(self.cell, Cell::Object(_) | Cell::Bool(_))
    }

    /// The member of this name, of an object that has it.
    pub(super) fn get(self, name: &str) -> Option<Value<'a>> {
        self.as_object()?.get(name)
    }

    /// Writes the value as JSON.
    pub(super) fn write(self, out: &mut String) {
        match self.kind() {
            Kind::Null => out.push_str("null"),
            Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            Kind::Number(number) => out.push_str(&to_number(number).to_string()),
            Kind::Text(text) => write_text(text, out),
            Kind::List(list) => {
                out.push('[');
                for (at, item) in list.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Kind::Object(object) => {
                out.push('{');
                for (at, (name, value)) in object.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Copies the value into another tree.
    pub(super) fn copy(self, into: &mut Tree<'static>) -> Cell {
        match self.kind() {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) => *self.cell,
            Kind::Text(text) => into.push_text(text),
            Kind::List(list) => {
                let items: Vec<Cell> = list.iter().map(|item| item.copy(into)).collect();
                Cell::List(into.push_items(&items))
            }
            Kind::Object(object) => {
                let copied = object.iter().map(|(name, value)| {
                    let value = value.copy(into);
                    Entry { name: into.push_text(name), value }
                });
                let entries: Vec<Entry> = copied.collect();
                Cell::Object(into.push_entries(&entries))
            }
        }
    }
}

/// Writes a string as JSON.
pub(super) fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[derive(Debug, Clone, Copy)]
pub(super) struct List<'a> {
    document: &'a Document<'a>,
    items: &'a [Cell],
}

impl<'a> List<'a> {
    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = Value<'a>> + ExactSizeIterator + Clone {
        let List { document, items } = self;
        items.iter().map(move |cell| Value { document, cell })
    }

    pub(super) fn len(self) -> usize {
        self.items.len()
    }

    pub(super) fn is_empty(self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn get(self, at: usize) -> Option<Value<'a>> {
        self.items.get(at).map(|cell| Value { document: self.document, cell })
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Object<'a> {
    document: &'a Document<'a>,
    span: Span,
    entries: &'a [Entry],
}

impl<'a> Object<'a> {
    /// The members in the order of the text.
    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = (&'a str, Value<'a>)> + ExactSizeIterator + Clone {
        let Object { document, entries, .. } = self;
        entries.iter().map(move |entry| (document.tree.name(entry), Value { document, cell: &entry.value }))
    }

    pub(super) fn len(self) -> usize {
        self.entries.len()
    }

    pub(super) fn values(self) -> impl DoubleEndedIterator<Item = Value<'a>> {
        self.iter().map(|(_, value)| value)
    }

    pub(super) fn is_empty(self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn get(self, name: &str) -> Option<Value<'a>> {
        let Object { document, span, entries } = self;
        let entry = if entries.len() <= FEW_MEMBERS {
            entries.iter().find(|entry| document.tree.name(entry) == name)?
        } else {
            let start = span.start as usize;
            let sorted = document.sorted.get(start..start + entries.len())?;
            let of = |at: &u32| key(document.tree.name(&document.tree.entries[*at as usize]));
            let known = sorted.binary_search_by(|at| of(at).cmp(&key(name))).ok()?;
            document.tree.entries.get(sorted[known] as usize)?
        };
        Some(Value { document, cell: &entry.value })
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }
}
