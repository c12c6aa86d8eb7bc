//! The least that is told of an object: the names of its properties, which of them it requires, and of which kind they are.
//!
//! Rule: it takes time in proportion to the schema, whatever this refers to, and every required name is told as long as
//! there is room for it.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::print::type_text;
use super::schema::{Keywords, References, place};
use super::text::{comment, property_name, units};
use super::types::{Id, Property, Rest, Type, Types};
use crate::json::{Kind, Member, Value};

/// Most schemas that are taken together.
const MAX_TOGETHER: usize = 32;

/// Room that a property takes on its line besides its name and its type, and that what is left out is told in.
const AROUND: usize = "\n  ?: ;".len();
const FOR_REST: usize = 120;

struct Outline<'t, 'a> {
    /// The name as JSON, and the type, by name.
    properties: IndexMap<Cow<'a, str>, (&'a str, Id)>,
    required: IndexMap<Cow<'a, str>, &'a str>,
    together: Vec<Value<'t, 'a>>,
}

/// The type of an object in at most so many UTF-16 units, its lines after the first indented. None: it has no properties.
pub(super) fn outline<'t, 'a>(
    root: Value<'t, 'a>,
    references: &mut References<'t, 'a>,
    indent: usize,
    most: usize,
) -> Option<String> {
    let mut types = Types::new();
    let mut outline = Outline { properties: IndexMap::new(), required: IndexMap::new(), together: vec![root] };
    outline.gather(references, &mut types);
    let Outline { properties, mut required, .. } = outline;
    let mut all: Vec<Property> = Vec::with_capacity(properties.len());
    for (name, (key, type_)) in properties {
        let is_optional = required.shift_remove(&name).is_none();
        all.push(Property { name: property_name(key).into(), is_optional, comment: None, type_ });
    }
    for key in required.into_values() {
        all.push(Property {
            name: property_name(key).into(),
            is_optional: false,
            comment: None,
            type_: Types::UNKNOWN,
        });
    }
    if all.is_empty() {
        return None;
    }
    let whole = types.add(Type::Object(all.clone().into(), None));
    type_text(&types, whole, indent, most).or_else(|| {
        let (shown, rest) = shortened(all, &types, indent, most);
        let short = types.add(Type::Object(shown.into(), Some(rest)));
        type_text(&types, short, indent, most)
    })
}

/// As many as there is room for, those first that are required, and in place of the others how many they are.
fn shortened(all: Vec<Property>, types: &Types, indent: usize, most: usize) -> (Vec<Property>, Rest) {
    let mut left = most.saturating_sub(FOR_REST);
    let (mut more, mut needed) = (0, 0);
    let (optional, required): (Vec<_>, Vec<_>) = all.into_iter().partition(|property| property.is_optional);
    let mut shown = Vec::new();
    for property in required.into_iter().chain(optional) {
        let length = AROUND + indent + units(&property.name) + types.length(property.type_);
        match left.checked_sub(length) {
            Some(rest) if more == 0 => {
                left = rest;
                shown.push(property);
            }
            _ => {
                more += 1;
                needed += usize::from(!property.is_optional);
            }
        }
    }
    let of_them = if needed > 0 { format!(", {needed} of them required") } else { String::new() };
    (shown, Rest { comment: comment(&format!("And {more} more properties{of_them}.")), type_: Types::UNKNOWN })
}

impl<'t, 'a> Outline<'t, 'a> {
    /// The properties of a schema with those of what it refers to and takes together.
    fn gather(&mut self, references: &mut References<'t, 'a>, types: &mut Types) {
        let mut at = 0;
        while let Some(schema) = self.together.get(at).copied() {
            at += 1;
            let is_known = self.together[..at - 1].iter().any(|known| place(*known) == place(schema));
            if schema.kind() != Kind::Object || is_known || at > MAX_TOGETHER {
                continue;
            }
            let (words, _) = Keywords::of(schema);
            let target = words.reference.and_then(Value::as_str).and_then(|reference| references.resolve(&reference));
            let all = words.all_of.into_iter().flat_map(Value::items);
            self.together.extend(target.into_iter().chain(all).take(MAX_TOGETHER));
            for Member { name, key, value } in words.properties.map(Value::members).unwrap_or_default() {
                let type_ = kind_of(value, types);
                self.properties.entry(name).or_insert((key, type_));
            }
            for name in words.required.into_iter().flat_map(Value::items) {
                if let Some(text) = name.as_str() {
                    self.required.entry(text).or_insert(name.text());
                }
            }
        }
    }
}

/// Of which kinds a value is, as far as its schema says so itself.
fn kind_of(schema: Value<'_, '_>, types: &mut Types) -> Id {
    if schema.kind() != Kind::Object {
        return Types::UNKNOWN;
    }
    let (words, _) = Keywords::of(schema);
    let names = words.type_names();
    let kinds: Vec<Id> = names.iter().map(|name| Types::plain(name)).collect();
    match types.union(&kinds) {
        _ if kinds.is_empty() => Types::UNKNOWN,
        id if words.is_nullable => types.union(&[id, Types::NULL]),
        id => id,
    }
}
