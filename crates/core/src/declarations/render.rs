//! From a schema to a type.
//!
//! Rule: a type that is narrower than its schema is better than one that is wider, since what the model writes by it is
//! always taken; `unknown` stands for what a type cannot say: a cycle, at the place where it closes, and an object or a
//! list that is nested in more than six. The work is metered, so that it grows with what is printed and not with the
//! number of ways through the references.

use super::print::type_text;
use super::schema::{ByName, Keywords, References, place};
use super::text::{comment, property_name, string_literal};
use super::types::{Id, Kinds, Property, Rest, Type, Types};
use crate::json::{self, Kind, Member, Value};

/// Most schemas within each other, references and combinations among them. What is deeper is unknown.
pub(super) const MAX_DEPTH: usize = 48;

/// Longest type that is told in a comment.
const MAX_IN_COMMENT: usize = 400;

#[derive(Debug)]
pub(super) struct Renderer<'r, 't, 'a> {
    pub(super) types: Types,
    references: &'r mut References<'t, 'a>,
    /// Levels of objects and lists that are shown.
    levels: usize,
    has_comments: bool,
    /// The schemas that are being rendered, by their places.
    open: Vec<usize>,
    /// What may still be looked at: members, items, and characters that are copied.
    left: usize,
    is_exhausted: bool,
}

/// A type, and what its schema says of it.
type Rendered = (Id, Option<Box<str>>);

impl<'r, 't, 'a> Renderer<'r, 't, 'a> {
    pub(super) fn new(references: &'r mut References<'t, 'a>, levels: usize, has_comments: bool, work: usize) -> Self {
        Self {
            types: Types::new(),
            references,
            levels,
            has_comments,
            open: Vec::new(),
            left: work,
            is_exhausted: false,
        }
    }

    /// The type of a whole document. None: there was more to look at than is allowed.
    pub(super) fn root(&mut self, schema: Value<'t, 'a>) -> Option<Id> {
        let (id, _) = self.schema(schema, 1);
        (!self.is_exhausted).then_some(id)
    }

    fn spend(&mut self, work: usize) {
        self.is_exhausted |= work > self.left;
        self.left = self.left.saturating_sub(work);
    }

    /// `level` is that of an object or a list which stands here. The depth of this recursion is at most [`MAX_DEPTH`].
    fn schema(&mut self, schema: Value<'t, 'a>, level: usize) -> Rendered {
        self.spend(1);
        match schema.kind() {
            Kind::Object => {}
            Kind::Bool if schema.text() == "false" => return (Types::NEVER, None),
            _ => return (Types::UNKNOWN, None),
        }
        let place = place(schema);
        if self.is_exhausted || self.open.len() >= MAX_DEPTH || self.open.contains(&place) {
            return (Types::UNKNOWN, None);
        }
        let (words, size) = Keywords::of(schema);
        // Out of this frame, of which there may be many.
        let words = Box::new(words);
        self.spend(size);
        self.open.push(place);
        let rendered = self.combined(&words, level);
        self.open.pop();
        rendered
    }

    /// What a schema says itself, and what the schemas say that it takes together.
    fn combined(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Rendered {
        let mut described = self.comment_of(words.description);
        let base = self.base(words, level);
        let mut parts = Vec::new();
        if let Some(reference) = words.reference.and_then(Value::as_str) {
            self.spend(reference.len());
            let target = self.references.resolve(&reference);
            let (id, of_target) = target.map_or((Types::UNKNOWN, None), |target| self.schema(target, level));
            described = described.or(of_target);
            parts.push(id);
        }
        let all: Vec<_> = words.all_of.into_iter().flat_map(Value::items).collect();
        for part in &all {
            let (id, of_part) = self.schema(*part, level);
            if all.len() == 1 {
                described = described.or(of_part);
            }
            parts.push(id);
        }
        for list in [words.any_of, words.one_of].into_iter().flatten() {
            let alternatives: Vec<Id> = list.items().map(|item| self.described(item, level)).collect();
            parts.push(self.types.union(&alternatives));
        }
        if words.not.is_some_and(|not| matches!(not.text(), "true" | "{}")) {
            parts.push(Types::NEVER);
        }
        let mut id = self.types.intersection(base, parts);
        if words.is_nullable {
            id = self.types.union(&[id, Types::NULL]);
        }
        (id, described)
    }

    /// A schema that is no property: what it says of itself stands before its type.
    fn described(&mut self, schema: Value<'t, 'a>, level: usize) -> Id {
        let (id, described) = self.schema(schema, level);
        match described {
            Some(comment) => {
                let line = comment.split_whitespace().collect::<Vec<_>>().join(" ");
                self.types.add(Type::Described(line.into(), id))
            }
            None => id,
        }
    }

    fn comment_of(&mut self, description: Option<Value<'t, 'a>>) -> Option<Box<str>> {
        let description = description.filter(|_| self.has_comments)?;
        self.spend(description.text().len());
        if self.is_exhausted { None } else { comment(&description.as_str()?) }
    }

    /// The type that a schema gives without those it refers to. None: it says nothing of it.
    fn base(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Option<Id> {
        if let Some(value) = words.constant {
            return Some(self.literal(value, level));
        }
        if let Some(list) = words.enumeration {
            let values: Vec<Id> = list.items().map(|value| self.literal(value, level)).collect();
            return Some(self.types.union(&values));
        }
        let names = words.type_names();
        self.spend(names.len());
        let mut alternatives = Vec::with_capacity(names.len());
        if words.types.is_none() {
            if words.has_object() {
                alternatives.push(self.object(words, level));
            }
            if words.has_list() {
                alternatives.push(self.list(words, level));
            }
        }
        for name in &names {
            alternatives.push(match name.as_ref() {
                "null" => Types::NULL,
                "boolean" => Types::BOOLEAN,
                "number" | "integer" => Types::NUMBER,
                "string" => Types::STRING,
                "object" => self.object(words, level),
                "array" => self.list(words, level),
                _ => Types::UNKNOWN,
            });
        }
        (!alternatives.is_empty()).then(|| self.types.union(&alternatives))
    }

    fn object(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Id {
        if level > self.levels {
            return Types::UNKNOWN;
        }
        let rest = self.rest(words, level);
        let mut required = ByName::new();
        for name in words.required.into_iter().flat_map(Value::items) {
            self.spend(name.text().len());
            required.extend(name.as_str().map(|text| (text, name)));
        }
        let mut properties = Vec::new();
        for Member { name, key, value } in words.properties.map(Value::members).unwrap_or_default() {
            self.spend(key.len());
            if self.is_exhausted {
                break;
            }
            let (type_, comment) = self.schema(value, level + 1);
            let is_optional = required.remove(&name).is_none();
            properties.push(Property { name: property_name(key).into(), is_optional, comment, type_ });
        }
        // What is required and has no schema of its own.
        for name in words.required.into_iter().flat_map(Value::items) {
            if name.as_str().is_some_and(|text| required.remove(&text).is_some()) {
                let type_ = rest.unwrap_or(Types::UNKNOWN);
                properties.push(Property {
                    name: property_name(name.text()).into(),
                    is_optional: false,
                    comment: None,
                    type_,
                });
            }
        }
        match rest {
            Some(Types::NEVER) => self.types.add(Type::Object(properties.into(), None)),
            Some(type_) if properties.is_empty() => self.types.add(Type::Record(type_)),
            None if properties.is_empty() => Types::ANY_OBJECT,
            Some(type_) => {
                let rest = self.beside(type_, &properties);
                self.types.add(Type::Object(properties.into(), Some(rest)))
            }
            None => self.types.add(Type::Object(properties.into(), None)),
        }
    }

    /// The type of the properties that have no name. None: nothing is said of them.
    fn rest(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Option<Id> {
        let patterns = words.pattern_properties.map(Value::members).unwrap_or_default();
        let mut alternatives = Vec::with_capacity(patterns.len() + 1);
        for Member { value, .. } in &patterns {
            alternatives.push(self.described(*value, level + 1));
        }
        if let Some(additional) = words.additional_properties {
            alternatives.push(self.described(additional, level + 1));
        }
        (!alternatives.is_empty()).then(|| self.types.union(&alternatives))
    }

    /// TypeScript holds every property to the type of those without a name, which JSON Schema does not: where they differ,
    /// the type is told in a comment.
    fn beside(&mut self, type_: Id, properties: &[Property]) -> Rest {
        let bare = self.types.bare(type_);
        let alternatives = self.types.alternatives(bare);
        let agrees = |property: &Property| {
            let own = self.types.bare(property.type_);
            !property.is_optional && (own == bare || alternatives.contains(&own))
        };
        if bare == Types::UNKNOWN || properties.iter().all(agrees) {
            return Rest { comment: None, type_ };
        }
        let printed = type_text(&self.types, bare, 0, MAX_IN_COMMENT);
        let comment = printed.and_then(|text| comment(&format!("Other properties: {text}")));
        Rest { comment, type_: Types::UNKNOWN }
    }

    fn list(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Id {
        if level > self.levels {
            return Types::UNKNOWN;
        }
        let rest = words.items.map(|items| self.described(items, level + 1));
        match words.prefix_items {
            Some(prefix) => {
                let items: Vec<Id> = prefix.items().map(|item| self.described(item, level + 1)).collect();
                self.types.add(Type::Tuple(items.into(), rest.filter(|rest| *rest != Types::NEVER)))
            }
            None => self.types.add(Type::Array(rest.unwrap_or(Types::UNKNOWN))),
        }
    }

    /// The type that holds one value.
    fn literal(&mut self, value: Value<'t, 'a>, level: usize) -> Id {
        let text = value.text();
        let kind = value.kind();
        if matches!(kind, Kind::Object | Kind::List) && level > self.levels {
            return Types::UNKNOWN;
        }
        self.spend(if matches!(kind, Kind::Object | Kind::List) { 1 } else { text.len() });
        if self.is_exhausted {
            return Types::UNKNOWN;
        }
        match kind {
            Kind::Null => Types::NULL,
            Kind::Bool => self.types.add(Type::Literal(text.into(), Kinds::BOOLEAN)),
            Kind::String => self.types.add(Type::Literal(string_literal(text).into(), Kinds::STRING)),
            Kind::Number => {
                let mut number = String::new();
                json::write_compact(text, &mut number);
                self.types.add(Type::Literal(number.into(), Kinds::NUMBER))
            }
            Kind::List => {
                let items: Vec<Id> = value.items().map(|item| self.literal(item, level + 1)).collect();
                self.types.add(Type::Tuple(items.into(), None))
            }
            Kind::Object => {
                let mut properties = Vec::new();
                for Member { key, value, .. } in value.members() {
                    self.spend(key.len());
                    let type_ = self.literal(value, level + 1);
                    let name = property_name(key).into();
                    properties.push(Property { name, is_optional: false, comment: None, type_ });
                }
                self.types.add(Type::Object(properties.into(), None))
            }
        }
    }
}
