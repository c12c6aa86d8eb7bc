//! What is kept of the schemas once a document has been read: a tool's schema is put together when somebody reads it, of the
//! properties that are its own and the numbers of the shared schemas that it reaches.

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

/// A piece of converted text, and the shared schemas that it names.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    pub(super) text: Box<str>,
    pub(super) refs: Box<[u32]>,
}

/// The store once a document is read.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) names: Vec<String>,
    pub(super) own: Vec<Piece>,
    pub(super) shared_names: Vec<String>,
    pub(super) shared: Vec<Piece>,
    pub(super) operations: Vec<Box<[Property]>>,
}

impl Store {
    pub(super) fn schema(&self, operation: usize) -> Option<SchemaText> {
        let properties = self.operations.get(operation)?;
        let mut own = String::from("{\"type\":\"object\",\"properties\":{");
        let mut required = String::new();
        let mut refs: Vec<u32> = Vec::new();
        for (at, property) in properties.iter().enumerate() {
            if at > 0 {
                own.push(',');
            }
            let name = &self.names[property.name as usize];
            let piece = &self.own[property.schema as usize];
            json::write_string(name, &mut own);
            own.push(':');
            own.push_str(&piece.text);
            refs.extend(piece.refs.iter());
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
        let mut seen = vec![false; self.shared.len()];
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
            reach(&self.shared[*id as usize].refs, &mut reached);
            at += 1;
        }
        reached
    }

    pub(super) fn shared(&self, schema: usize) -> Option<&str> {
        self.shared.get(schema).map(|piece| &*piece.text)
    }

    pub(super) fn shared_name(&self, schema: usize) -> Option<&str> {
        self.shared_names.get(schema).map(String::as_str)
    }

    pub(super) fn size(&self) -> usize {
        let lists: usize = self.operations.iter().map(|list| list.len() * size_of::<Property>()).sum();
        let pieces = self.own.iter().chain(&self.shared).map(|piece| piece.text.len() + size_of::<Piece>());
        lists + pieces.sum::<usize>()
    }
}
