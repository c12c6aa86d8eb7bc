//! What is kept of the schemas once a document has been read: a tool's schema is put together when somebody reads it, of the
//! properties that are its own and the numbers of the shared schemas that it reaches. It is in few pieces of memory, since
//! JavaScript waits until all of it is let go.

use super::rows::push_numbers;
use crate::json;

/// One tool's schema, in the two parts that JavaScript joins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaText {
    /// The schema without its `$defs`, as JSON text.
    pub own: String,
    /// The shared schemas it reaches, by number.
    pub shared: Vec<u32>,
}

impl SchemaText {
    /// One JSON text: the schema, with the list of its shared ones in the place of its `$defs` where it has any.
    #[must_use]
    pub fn numbered(self) -> String {
        let Self { own: mut text, shared } = self;
        if shared.is_empty() {
            return text;
        }
        text.pop();
        text.push_str(",\"$defs\":");
        push_numbers(&shared, &mut text);
        text.push('}');
        text
    }
}

/// A property of a tool's input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Property {
    /// Its name, in the names of the store.
    pub(super) name: u32,
    pub(super) schema: u32,
    pub(super) required: bool,
}

/// Lists by their numbers.
#[derive(Debug)]
pub(super) struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// The number of a list more.
    pub(super) fn push(&mut self, list: &[T]) -> u32 {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len());
        (self.ends.len() - 1) as u32
    }

    pub(super) fn get(&self, number: usize) -> Option<&[T]> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.items[start..end])
    }

    fn size(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.ends.capacity() * size_of::<usize>()
    }
}

/// Converted schemas by their numbers: the text of each, and the shared schemas that it names.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    texts: String,
    ends: Vec<usize>,
    refs: Lists<u32>,
}

impl Schemas {
    /// The number of a schema more.
    pub(super) fn push(&mut self, text: &str, refs: &[u32]) -> u32 {
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        self.refs.push(refs)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes the texts have.
    pub(super) fn written(&self) -> usize {
        self.texts.len()
    }

    fn text(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.texts[start..end])
    }

    pub(super) fn refs(&self, number: usize) -> &[u32] {
        self.refs.get(number).unwrap_or_default()
    }

    fn size(&self) -> usize {
        self.texts.capacity() + self.ends.capacity() * size_of::<usize>() + self.refs.size()
    }
}

/// The store once a document is read.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) names: Vec<String>,
    pub(super) own: Schemas,
    pub(super) shared_names: Vec<String>,
    pub(super) shared: Schemas,
    /// Of each operation that is a tool.
    pub(super) properties: Lists<Property>,
}

impl Store {
    pub(super) fn schema(&self, operation: usize) -> Option<SchemaText> {
        let properties = self.properties.get(operation)?;
        let mut own = String::from("{\"type\":\"object\",\"properties\":{");
        let mut required = String::new();
        let mut refs: Vec<u32> = Vec::new();
        for (at, property) in properties.iter().enumerate() {
            if at > 0 {
                own.push(',');
            }
            let name = &self.names[property.name as usize];
            let schema = property.schema as usize;
            json::write_string(name, &mut own);
            own.push(':');
            own.push_str(self.own.text(schema)?);
            refs.extend(self.own.refs(schema));
            if property.required {
                if !required.is_empty() {
                    required.push(',');
                }
                json::write_string(name, &mut required);
            }
        }
        own.push_str("},\"required\":[");
        own.push_str(&required);
        own.push_str("],\"additionalProperties\":false}");
        Some(SchemaText { own, shared: self.closure(refs) })
    }

    /// The shared schemas that are reached, in the order in which they are met.
    fn closure(&self, refs: Vec<u32>) -> Vec<u32> {
        let mut seen = vec![false; self.shared_names.len()];
        let mut reached = Vec::new();
        let mut at = 0;
        let mut reach = |refs: &[u32], reached: &mut Vec<u32>| {
            for id in refs {
                if !std::mem::replace(&mut seen[*id as usize], true) {
                    reached.push(*id);
                }
            }
        };
        reach(&refs, &mut reached);
        while let Some(id) = reached.get(at) {
            reach(self.shared.refs(*id as usize), &mut reached);
            at += 1;
        }
        reached
    }

    pub(super) fn shared(&self, schema: usize) -> Option<&str> {
        self.shared.text(schema)
    }

    pub(super) fn shared_name(&self, schema: usize) -> Option<&str> {
        self.shared_names.get(schema).map(String::as_str)
    }

    pub(super) fn size(&self) -> usize {
        self.own.size() + self.shared.size() + self.properties.size()
    }
}
