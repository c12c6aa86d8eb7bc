//! A call of a tool with an input made from its schema: what it requires, and nothing that its check would refuse.
//!
//! Rule: values that the schema gives are taken before values that are made up, and an input is shown only when the
//! tool's own check takes it. A pattern is not run, so a value that is made up against one is held to be less certain.

use std::borrow::Cow;
use std::collections::HashSet;

use super::sample::{Sample, number, string};
use super::schema::{Bounds, Keywords, References, place};
use super::text::{is_identifier, property_name};
use crate::input_check::{InputCheck, Mode};
use crate::json::{Kind, Member, Node, Tape, Value};

/// Tools that are looked at before the best call found is taken.
pub(super) const MAX_TOOLS: usize = 8;

/// A larger schema is not made a check of for an example: a call of another tool shows as much.
const MAX_SCHEMA: usize = 32 << 10;

/// Longest call that is shown, in bytes.
const MAX_CALL: usize = 400;

/// Longest value that is taken from a schema, in bytes: its nesting is bounded with it.
const MAX_GIVEN: usize = 160;

/// Most levels of objects and lists, values, and schemas that are taken together, of one input.
const MAX_LEVELS: usize = 6;
const MAX_VALUES: usize = 60;
const MAX_TOGETHER: usize = 16;

/// Most items of one list: lists may stand within lists.
const MAX_ITEMS: usize = 5;

/// A way to make an input.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// Whether values that the schema gives are taken.
    takes_given: bool,
    /// Which of several alternatives is.
    pick: usize,
    /// Whether something is shown where nothing is required.
    is_filled: bool,
}

const WAYS: [Way; 5] = [
    Way { takes_given: true, pick: 0, is_filled: true },
    Way { takes_given: false, pick: 0, is_filled: true },
    Way { takes_given: false, pick: 1, is_filled: true },
    Way { takes_given: false, pick: 2, is_filled: true },
    Way { takes_given: false, pick: 0, is_filled: false },
];

/// Calls of the tools that were looked at.
#[derive(Debug, Default)]
pub(super) struct Examples {
    seen: usize,
    calls: Vec<(Rank, usize, String)>,
}

/// How much a call shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Empty,
    Uncertain,
    /// With something that the tool does not require.
    Optional,
    Certain,
}

impl Examples {
    /// Makes a call of the tool of a number, unless a good one is there.
    pub(super) fn look_at(&mut self, number: usize, name: &str, input: Option<Node<'_>>) {
        let Some(schema) = input.filter(|schema| schema.text().len() <= MAX_SCHEMA) else { return };
        if self.seen >= MAX_TOOLS || self.calls.iter().any(|(rank, ..)| *rank == Rank::Certain) {
            return;
        }
        self.seen += 1;
        self.calls.extend(call(name, schema).map(|(rank, call)| (rank, number, call)));
    }

    /// The call that shows most, the first of equals, of the tools whose numbers are among these.
    pub(super) fn best(&self, is_among: impl Fn(usize) -> bool) -> Option<String> {
        let calls = self.calls.iter().rev().filter(|(_, number, _)| is_among(*number));
        calls.max_by_key(|(rank, ..)| *rank).map(|(.., call)| call.clone())
    }
}

/// A call of a tool, its name a JSON string.
fn call(name: &str, schema: Node<'_>) -> Option<(Rank, String)> {
    let tape = Tape::of(schema, usize::MAX).ok()?;
    let mut references = References::within(tape.root());
    let check = InputCheck::compile(schema.text(), Mode::Full);
    WAYS.into_iter().find_map(|way| {
        let mut maker =
            Maker { references: &mut references, way, values: MAX_VALUES, is_certain: true, is_required: true };
        let input = maker.value(tape.root(), "", 1)?;
        let Sample::Object(properties) = &input else { return None };
        let rank = match properties.is_empty() {
            true => Rank::Empty,
            false if !maker.is_certain => Rank::Uncertain,
            false if maker.is_required => Rank::Certain,
            false => Rank::Optional,
        };
        let mut text = String::new();
        input.write_json(&mut text);
        if text.len() > MAX_CALL || check.check(&text).is_some() {
            return None;
        }
        let mut out = callee(name);
        out.push('(');
        input.write_code(&mut out);
        out.push(')');
        Some((rank, out))
    })
}

/// How code names a tool: `await tools.name`, or in brackets.
pub(super) fn callee(name: &str) -> String {
    let written = property_name(name);
    if is_identifier(&written) { format!("await tools.{written}") } else { format!("await tools[{written}]") }
}

#[derive(Debug)]
struct Maker<'r, 't, 'a> {
    references: &'r mut References<'t, 'a>,
    way: Way,
    /// Values that may still be made.
    values: usize,
    is_certain: bool,
    is_required: bool,
}

impl<'t, 'a> Maker<'_, 't, 'a> {
    /// A value that a schema should take. The depth of this recursion is at most [`MAX_LEVELS`].
    fn value(&mut self, schema: Value<'t, 'a>, name: &str, level: usize) -> Option<Sample> {
        if level > MAX_LEVELS || schema.text() == "false" {
            return None;
        }
        self.values = self.values.checked_sub(1)?;
        let all = self.together(schema)?;
        if let Some(given) = self.given(&all) {
            return Some(Sample::given(given));
        }
        let names = all.iter().map(|words| words.type_names()).find(|names| !names.is_empty()).unwrap_or_default();
        let kind = match names.iter().find(|name| *name != "null").or(names.first()) {
            Some(name) => name.as_ref(),
            None if all.iter().any(|words| words.has_object()) => "object",
            None if all.iter().any(|words| words.has_list()) => "array",
            None => "string",
        };
        match kind {
            "object" => self.object(&all, level),
            "array" => self.list(&all, name, level),
            "number" | "integer" => Some(number(merged(&all), kind == "integer")),
            "boolean" => Some(Sample::Scalar("true".into())),
            "null" => Some(Sample::Scalar("null".into())),
            _ => {
                self.is_certain &= all.iter().all(|words| words.pattern.is_none());
                let format = all.iter().find_map(|words| words.format).and_then(Value::as_str);
                Some(string(format.as_deref(), name, merged(&all)))
            }
        }
    }

    /// A schema with those it refers to and takes together, and one of its alternatives.
    fn together(&mut self, schema: Value<'t, 'a>) -> Option<Vec<Keywords<'t, 'a>>> {
        let mut all = Vec::new();
        let mut together = vec![schema];
        let mut at = 0;
        while let Some(schema) = together.get(at).copied() {
            at += 1;
            if together[..at - 1].iter().any(|known| place(*known) == place(schema)) {
                continue;
            }
            let (words, _) = Keywords::of(schema);
            if let Some(reference) = words.reference.and_then(Value::as_str) {
                together.push(self.references.resolve(&reference)?);
            }
            together.extend(words.all_of.into_iter().flat_map(Value::items));
            for list in [words.any_of, words.one_of].into_iter().flatten() {
                let alternatives: Vec<_> = list.items().filter(|item| !is_null(*item)).collect();
                together.extend(alternatives.get(self.way.pick % alternatives.len().max(1)));
            }
            all.push(words);
            if together.len() > MAX_TOGETHER {
                return None;
            }
        }
        Some(all)
    }

    /// A value that the schema gives itself.
    fn given(&self, all: &[Keywords<'t, 'a>]) -> Option<Value<'t, 'a>> {
        let find = |of: fn(&Keywords<'t, 'a>) -> Option<Value<'t, 'a>>| {
            all.iter().filter_map(of).find(|value| value.text().len() <= MAX_GIVEN)
        };
        let free = |of| if self.way.takes_given { find(of) } else { None };
        find(|words| words.constant)
            .or_else(|| free(|words| words.examples.and_then(|list| list.items().next())))
            .or_else(|| free(|words| words.example))
            .or_else(|| free(|words| words.default.filter(|value| value.kind() != Kind::Null)))
            .or_else(|| {
                let values = all.iter().find_map(|words| words.enumeration)?;
                values.items().nth(self.way.pick).or_else(|| values.items().next())
            })
    }

    fn object(&mut self, all: &[Keywords<'t, 'a>], level: usize) -> Option<Sample> {
        let mut known: HashSet<Cow<'a, str>> = HashSet::new();
        let members = all.iter().filter_map(|words| words.properties).flat_map(Value::members);
        let properties: Vec<Member<'t, 'a>> = members.filter(|member| known.insert(member.name.clone())).collect();
        let required: Vec<Value<'t, 'a>> =
            all.iter().filter_map(|words| words.required).flat_map(Value::items).collect();
        let mut needed_names: HashSet<Cow<'a, str>> = required.iter().filter_map(|name| name.as_str()).collect();
        let mut sample: Vec<(Box<str>, Sample)> = Vec::new();
        let (needed, others): (Vec<_>, Vec<_>) =
            properties.into_iter().partition(|member| needed_names.remove(&member.name));
        for Member { name, key, value } in &needed {
            sample.push(((*key).into(), self.value(*value, name, level + 1)?));
        }
        // What is required and has no schema of its own.
        for name in &required {
            let text = name.as_str().unwrap_or_default();
            if needed_names.remove(&text) {
                let schema = all.iter().find_map(|words| words.additional_properties);
                let value = match schema {
                    Some(schema) => self.value(schema, &text, level + 1)?,
                    None => Sample::string(&text),
                };
                sample.push((name.text().into(), value));
            }
        }
        // An input with nothing in it shows nothing.
        let least = merged(all)
            .min_properties
            .map_or(0, |least| least as usize)
            .max(usize::from(level == 1 && self.way.is_filled));
        for Member { name, key, value } in others {
            if sample.len() >= least {
                break;
            }
            if let Some(value) = self.value(value, &name, level + 1) {
                sample.push((key.into(), value));
                self.is_required = false;
            }
        }
        Some(Sample::Object(sample))
    }

    fn list(&mut self, all: &[Keywords<'t, 'a>], name: &str, level: usize) -> Option<Sample> {
        if let Some(prefix) = all.iter().find_map(|words| words.prefix_items) {
            return prefix
                .items()
                .map(|item| self.value(item, name, level + 1))
                .collect::<Option<_>>()
                .map(Sample::List);
        }
        let least = merged(all).min_items.map_or(0, |least| least as usize);
        let item = match all.iter().find_map(|words| words.items) {
            Some(items) => self.value(items, name, level + 1),
            None => Some(Sample::string(name)),
        };
        match item {
            Some(item) if least <= MAX_ITEMS => Some(Sample::List(vec![item; least.max(1)])),
            None if least == 0 => Some(Sample::List(Vec::new())),
            _ => None,
        }
    }
}

fn is_null(schema: Value<'_, '_>) -> bool {
    schema.kind() == Kind::Object
        && schema.members().iter().any(|member| member.name == "type" && member.value.text() == "\"null\"")
}

/// The bounds of all of them, the first of each kind.
fn merged(all: &[Keywords<'_, '_>]) -> Bounds {
    all.iter().map(|words| words.bounds).fold(Bounds::default(), |one, other| Bounds {
        minimum: one.minimum.or(other.minimum),
        maximum: one.maximum.or(other.maximum),
        exclusive_minimum: one.exclusive_minimum.or(other.exclusive_minimum),
        exclusive_maximum: one.exclusive_maximum.or(other.exclusive_maximum),
        multiple_of: one.multiple_of.or(other.multiple_of),
        min_length: one.min_length.or(other.min_length),
        max_length: one.max_length.or(other.max_length),
        min_items: one.min_items.or(other.min_items),
        min_properties: one.min_properties.or(other.min_properties),
    })
}
