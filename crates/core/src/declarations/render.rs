//! From a schema to a type.
//!
//! Rule: a type that is narrower than its schema is better than one that is wider, since what the model writes by it is
//! always taken; `unknown` stands for what a type cannot say: a cycle, at the place where it closes, and an object or a
//! list that is nested in more than six. What a reference leads to is rendered once for each level at which it stands, unless
//! it is part of a cycle, and the work is counted.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::print::type_text;
use super::schema::{ByName, Keywords, References, place};
use super::text::{comment, property_name, string_literal};
use super::types::{Id, Kinds, Property, Rest, Type, Types};
use super::work::Work;
use crate::json::{self, Kind, Member, Value};

/// Levels of objects and lists that are shown, the input itself being the first.
const MAX_LEVELS: usize = 6;

/// Most schemas within each other, references and combinations among them. What is deeper is unknown.
pub(super) const MAX_DEPTH: usize = 48;

/// Longest type that is told in a comment.
const MAX_IN_COMMENT: usize = 400;

/// More values than this are many, and so many of them are told in place of all, each no longer than this.
const MANY_VALUES: usize = 12;
const SOME_VALUES: usize = 5;
const MAX_VALUE: usize = 60;

/// Steps for a schema and for each of its keywords.
const STEPS: usize = 32;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Telling {
    levels: usize,
    has_all_values: bool,
    has_comments: bool,
}

impl Telling {
    pub(super) const ALL: Self = Self { levels: MAX_LEVELS, has_all_values: true, has_comments: true };
}

#[derive(Debug)]
pub(super) struct Renderer<'r, 't, 'a> {
    pub(super) types: Types,
    references: &'r mut References<'t, 'a>,
    telling: Telling,
    work: &'r mut Work,
    /// The schemas that are being rendered, by their places.
    open: Vec<usize>,
    /// The most of them that there were at once, since something began that may be told again.
    deepest: usize,
    /// How often a cycle was closed, and how often something left out that is too deep.
    cycles: usize,
    too_deep: usize,
    /// What references lead to, by place and level.
    known: HashMap<(usize, usize), Known>,
    /// The deepest level that is shown, and whether many values are.
    levels: usize,
    has_many_values: bool,
}

/// A type, and what its schema says of it.
type Rendered = (Id, Option<Box<str>>);

/// What was rendered without closing a cycle.
#[derive(Debug)]
struct Known {
    rendered: Rendered,
    /// How many schemas within each other it takes.
    height: usize,
    /// Within how many it stood, where something in it was too deep for that: within others it is something else.
    within: Option<usize>,
}

impl Known {
    /// Whether it is the same within so many.
    fn holds_within(&self, depth: usize) -> bool {
        self.within.map_or(depth + self.height <= MAX_DEPTH, |within| within == depth)
    }
}

impl<'r, 't, 'a> Renderer<'r, 't, 'a> {
    pub(super) fn new(references: &'r mut References<'t, 'a>, telling: Telling, work: &'r mut Work) -> Self {
        Self {
            types: Types::new(),
            references,
            telling,
            work,
            open: Vec::new(),
            deepest: 0,
            cycles: 0,
            too_deep: 0,
            known: HashMap::new(),
            levels: 0,
            has_many_values: false,
        }
    }

    /// The type of a whole document. None: there was more to do than is allowed.
    pub(super) fn root(&mut self, schema: Value<'t, 'a>) -> Option<Id> {
        let (id, _) = self.schema(schema, 1);
        (!self.work.is_out()).then_some(id)
    }

    /// What would be told in less than what was. None: there is nothing to leave out.
    pub(super) fn shorter(&self) -> Option<Telling> {
        let Telling { has_all_values, has_comments, levels } = self.telling;
        let levels = levels.min(self.levels);
        if has_all_values && self.has_many_values {
            Some(Telling { has_all_values: false, levels, has_comments })
        } else if levels > 1 {
            Some(Telling { has_all_values: false, levels: levels - 1, has_comments })
        } else {
            has_comments.then_some(Telling { has_all_values: false, levels, has_comments: false })
        }
    }

    /// `level` is that of an object or a list which stands here. The depth of this recursion is at most [`MAX_DEPTH`].
    fn schema(&mut self, schema: Value<'t, 'a>, level: usize) -> Rendered {
        self.work.spend(STEPS);
        match schema.kind() {
            Kind::Object => {}
            Kind::Bool if schema.text() == "false" => return (Types::NEVER, None),
            _ => return (Types::UNKNOWN, None),
        }
        let place = place(schema);
        if self.open.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return (Types::UNKNOWN, None);
        }
        if self.work.is_out() || self.open.contains(&place) {
            self.cycles += 1;
            return (Types::UNKNOWN, None);
        }
        let (words, size) = Keywords::of(schema);
        // Out of this frame, of which there may be many.
        let words = Box::new(words);
        self.work.spend(STEPS * size);
        self.open.push(place);
        self.deepest = self.deepest.max(self.open.len());
        let rendered = self.combined(&words, level);
        self.open.pop();
        rendered
    }

    /// What a reference leads to. Where it was rendered before, at the same level and not in a cycle, it is the same again.
    fn target(&mut self, schema: Value<'t, 'a>, level: usize) -> Rendered {
        let (key, depth) = ((place(schema), level), self.open.len());
        if let Some(Known { rendered, height, within }) = self.known.get(&key).filter(|known| known.holds_within(depth))
        {
            self.work.spend(STEPS + rendered.1.as_ref().map_or(0, |comment| comment.len()));
            self.deepest = self.deepest.max(depth + height);
            self.too_deep += usize::from(within.is_some());
            return rendered.clone();
        }
        let (cycles, too_deep) = (self.cycles, self.too_deep);
        let deepest = std::mem::replace(&mut self.deepest, depth);
        let rendered = self.schema(schema, level);
        if self.cycles == cycles {
            let within = (self.too_deep > too_deep).then_some(depth);
            let known = Known { rendered: rendered.clone(), height: self.deepest - depth, within };
            self.known.insert(key, known);
        }
        self.deepest = self.deepest.max(deepest);
        rendered
    }

    fn union(&mut self, parts: &[Id]) -> Id {
        self.work.spend(parts.iter().map(|part| self.types.alternatives(*part).len().max(1)).sum());
        self.types.union(parts)
    }

    /// What a schema says itself, and what the schemas say that it takes together.
    fn combined(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Rendered {
        let mut described = self.comment_of(words.description);
        let base = self.base(words, level);
        let mut parts = Vec::new();
        if let Some(reference) = words.reference.and_then(Value::as_str) {
            self.work.spend(reference.len());
            let target = self.references.resolve(&reference);
            let (id, of_target) = target.map_or((Types::UNKNOWN, None), |target| self.target(target, level));
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
            let id = self.union(&alternatives);
            parts.push(self.of_many(id));
        }
        if words.not.is_some_and(|not| matches!(not.text(), "true" | "{}")) {
            parts.push(Types::NEVER);
        }
        self.work.spend(parts.iter().map(|part| self.types.parts(*part).len().max(1)).sum());
        let mut id = self.types.intersection(base, parts);
        if words.is_nullable {
            id = self.union(&[id, Types::NULL]);
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
        let description = description.filter(|_| self.telling.has_comments)?;
        self.work.spend(description.text().len());
        if self.work.is_out() { None } else { comment(&description.as_str()?) }
    }

    /// The type that a schema gives without those it refers to. None: it says nothing of it.
    fn base(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Option<Id> {
        let names = words.type_names();
        self.work.spend(names.len());
        let constant = words.constant.map(|value| vec![value]);
        if let Some(values) = constant.or_else(|| Some(words.enumeration?.items().collect())) {
            let values = values.into_iter().filter(|value| is_of(&names, *value));
            let values: Vec<Id> = values.map(|value| self.literal(value, level)).collect();
            let id = self.union(&values);
            return Some(self.of_many(id));
        }
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
                "object" => self.object(words, level),
                "array" => self.list(words, level),
                name => Types::plain(name),
            });
        }
        (!alternatives.is_empty()).then(|| self.union(&alternatives))
    }

    /// Whether an object or a list is shown at a level.
    fn shows(&mut self, level: usize) -> bool {
        if level > self.telling.levels {
            return false;
        }
        self.levels = self.levels.max(level);
        true
    }

    /// A type as it is, or, where it is one of many values and they are not all told, their kind, and some of them in a comment.
    fn of_many(&mut self, id: Id) -> Id {
        let values = self.types.alternatives(id);
        if values.len() <= MANY_VALUES {
            return id;
        }
        let Some(kinds) = values.iter().map(|id| self.types.kind_of_value(*id)).collect::<Option<Vec<Id>>>() else {
            return id;
        };
        self.has_many_values = true;
        if self.telling.has_all_values {
            return id;
        }
        let some = values.iter().filter_map(|id| type_text(&self.types, self.types.bare(*id), 0, MAX_VALUE));
        let some: Vec<String> = some.take(SOME_VALUES).collect();
        let text = format!("One of {} values: {}, …", values.len(), some.join(", "));
        let kind = self.union(&kinds);
        match comment(&text) {
            Some(text) => self.types.add(Type::Described(text, kind)),
            None => kind,
        }
    }

    fn object(&mut self, words: &Keywords<'t, 'a>, level: usize) -> Id {
        if !self.shows(level) {
            return Types::UNKNOWN;
        }
        let rest = self.rest(words, level);
        let mut required = ByName::new();
        for name in words.required.into_iter().flat_map(Value::items) {
            self.work.spend(name.text().len());
            required.extend(name.as_str().map(|text| (text, name)));
        }
        let mut properties = Vec::new();
        for Member { name, key, value } in words.properties.map(Value::members).unwrap_or_default() {
            self.work.spend(key.len());
            if self.work.is_out() {
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
        (!alternatives.is_empty()).then(|| self.union(&alternatives))
    }

    /// TypeScript holds every property to the type of those without a name, which JSON Schema does not: where they differ,
    /// the type is told in a comment.
    fn beside(&mut self, type_: Id, properties: &[Property]) -> Rest {
        let bare = self.types.bare(type_);
        let alternatives: HashSet<Id> = self.types.alternatives(bare).iter().copied().collect();
        self.work.spend(alternatives.len() + MAX_IN_COMMENT);
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
        if !self.shows(level) {
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
        let is_nested = matches!(kind, Kind::Object | Kind::List);
        if is_nested && !self.shows(level) {
            return Types::UNKNOWN;
        }
        self.work.spend(if is_nested { STEPS } else { text.len() });
        if self.work.is_out() {
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
                    self.work.spend(key.len());
                    let type_ = self.literal(value, level + 1);
                    let name = property_name(key).into();
                    properties.push(Property { name, is_optional: false, comment: None, type_ });
                }
                self.types.add(Type::Object(properties.into(), None))
            }
        }
    }
}

/// Whether a value is of one of the types of these names. Where none is known, it is.
fn is_of(names: &[Cow<'_, str>], value: Value<'_, '_>) -> bool {
    let is_whole = || value.text().parse::<f64>().is_ok_and(|number| number.fract() == 0.0);
    names.is_empty()
        || names.iter().any(|name| match name.as_ref() {
            "null" => value.kind() == Kind::Null,
            "boolean" => value.kind() == Kind::Bool,
            "string" => value.kind() == Kind::String,
            "number" => value.kind() == Kind::Number,
            "integer" => value.kind() == Kind::Number && is_whole(),
            "object" => value.kind() == Kind::Object,
            "array" => value.kind() == Kind::List,
            _ => true,
        })
}
