//! Whether telling all mistakes of an input is worth the work.
//!
//! Rule: the validator gathers every mistake before it gives the first, remembers nothing while it does, and copies the
//! value once more for each mistake within a branch. So the work is counted beforehand for this very input, up to a
//! budget, in a loop. Counting assumes the worst: that every branch is gathered.

use serde_json::Value;

use super::definition;

/// Most visits and copied values; a few tens of milliseconds.
const BUDGET: usize = 100_000;

struct Count<'a> {
    schema: &'a Value,
    left: usize,
    /// A schema, the value it judges, and whether a mistake copies the value.
    open: Vec<(&'a Value, &'a Value, bool)>,
}

/// Whether gathering every mistake of the input stays within the budget.
pub(super) fn is_affordable(schema: &Value, input: &Value) -> bool {
    let mut count = Count { schema, left: BUDGET, open: Vec::new() };
    count.run(schema, input).is_some()
}

impl<'a> Count<'a> {
    fn run(&mut self, schema: &'a Value, input: &'a Value) -> Option<()> {
        self.push(schema, input, false)?;
        while let Some((schema, value, copied)) = self.open.pop() {
            let Value::Object(keywords) = schema else { continue };
            // Each missing name is a mistake of its own.
            let missing = if value.is_object() { names_in(keywords.get("required")) } else { 0 };
            self.spend(missing)?;
            if copied {
                let size = self.size(value)?;
                self.spend(size.saturating_mul(1 + missing))?;
            }
            for (keyword, held) in keywords {
                self.visit(keyword, held, value, copied, schema)?;
            }
        }
        Some(())
    }

    fn visit(
        &mut self,
        keyword: &str,
        held: &'a Value,
        value: &'a Value,
        copied: bool,
        owner: &'a Value,
    ) -> Option<()> {
        match (keyword, held) {
            ("$ref", Value::String(reference)) => self.push(definition(self.schema, reference)?, value, copied),
            ("allOf", Value::Array(list)) => list.iter().try_for_each(|held| self.push(held, value, copied)),
            ("anyOf" | "oneOf", Value::Array(list)) => list.iter().try_for_each(|held| self.push(held, value, true)),
            ("not" | "if" | "then" | "else", held) => self.push(held, value, copied),
            ("dependentSchemas" | "dependencies", Value::Object(named)) => {
                named.values().try_for_each(|held| self.push(held, value, copied))
            }
            ("dependentRequired", Value::Object(named)) if value.is_object() => {
                self.spend(named.values().map(|names| names_in(Some(names))).sum())
            }
            ("enum", Value::Array(members)) => self.spend(members.len() / 8),
            ("properties", Value::Object(named)) => self.each_property(value, |name| named.get(name), copied),
            ("additionalProperties", held) => {
                let named = owner.get("properties");
                let is_named = |name: &str| named.is_some_and(|named| named.get(name).is_some());
                self.each_property(value, |name| (!is_named(name)).then_some(held), copied)
            }
            ("propertyNames", held) => {
                // A name is a value of its own, of which only the size matters here.
                let entries = value.as_object().map_or(0, serde_json::Map::len);
                (0..entries).try_for_each(|_| self.push(held, &Value::Null, copied))
            }
            ("unevaluatedProperties", held) => self.each_property(value, |_| Some(held), copied),
            ("items" | "prefixItems", Value::Array(list)) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                list.iter().zip(items).try_for_each(|(held, item)| self.push(held, item, copied))
            }
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", held) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                items.iter().try_for_each(|item| self.push(held, item, copied))
            }
            _ => Some(()),
        }
    }

    fn each_property(
        &mut self,
        value: &'a Value,
        schema: impl Fn(&str) -> Option<&'a Value>,
        copied: bool,
    ) -> Option<()> {
        let Value::Object(properties) = value else { return Some(()) };
        for (name, value) in properties {
            match schema(name) {
                Some(schema) => self.push(schema, value, copied)?,
                None => self.spend(1)?,
            }
        }
        Some(())
    }

    fn push(&mut self, schema: &'a Value, value: &'a Value, copied: bool) -> Option<()> {
        self.spend(1)?;
        self.open.push((schema, value, copied));
        Some(())
    }

    fn spend(&mut self, amount: usize) -> Option<()> {
        self.left = self.left.checked_sub(amount)?;
        Some(())
    }

    /// What copying a value takes, in values of a few words.
    fn size(&self, value: &Value) -> Option<usize> {
        let mut size = 0_usize;
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            size += 1;
            match value {
                Value::String(text) => size += text.len() / 64,
                Value::Array(items) => open.extend(items),
                Value::Object(map) => open.extend(map.values()),
                _ => {}
            }
            if size + open.len() > self.left {
                return None;
            }
        }
        Some(size)
    }
}

fn names_in(names: Option<&Value>) -> usize {
    names.and_then(Value::as_array).map_or(0, Vec::len)
}
