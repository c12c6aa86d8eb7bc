//! A JSON Schema by its keywords, and what its references mean.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{Kind, Member, Value, parse_fragment};

/// The keywords that say something of a type or of an example. Those of all versions are read alike.
#[derive(Debug, Default)]
pub(super) struct Keywords<'t, 'a> {
    pub(super) reference: Option<Value<'t, 'a>>,
    pub(super) description: Option<Value<'t, 'a>>,
    pub(super) types: Option<Value<'t, 'a>>,
    pub(super) is_nullable: bool,
    pub(super) constant: Option<Value<'t, 'a>>,
    pub(super) enumeration: Option<Value<'t, 'a>>,
    pub(super) all_of: Option<Value<'t, 'a>>,
    pub(super) any_of: Option<Value<'t, 'a>>,
    pub(super) one_of: Option<Value<'t, 'a>>,
    pub(super) not: Option<Value<'t, 'a>>,
    pub(super) properties: Option<Value<'t, 'a>>,
    pub(super) required: Option<Value<'t, 'a>>,
    pub(super) pattern_properties: Option<Value<'t, 'a>>,
    pub(super) additional_properties: Option<Value<'t, 'a>>,
    pub(super) items: Option<Value<'t, 'a>>,
    pub(super) prefix_items: Option<Value<'t, 'a>>,
    pub(super) additional_items: Option<Value<'t, 'a>>,
    pub(super) example: Option<Value<'t, 'a>>,
    pub(super) examples: Option<Value<'t, 'a>>,
    pub(super) default: Option<Value<'t, 'a>>,
    pub(super) format: Option<Value<'t, 'a>>,
    pub(super) pattern: Option<Value<'t, 'a>>,
    pub(super) bounds: Bounds,
}

/// The keywords that bound a value by a number.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) minimum: Option<f64>,
    pub(super) maximum: Option<f64>,
    pub(super) exclusive_minimum: Option<f64>,
    pub(super) exclusive_maximum: Option<f64>,
    pub(super) multiple_of: Option<f64>,
    pub(super) min_length: Option<f64>,
    pub(super) max_length: Option<f64>,
    pub(super) min_items: Option<f64>,
    pub(super) min_properties: Option<f64>,
}

impl<'t, 'a> Keywords<'t, 'a> {
    /// The keywords of a schema that is an object, and how many members it has.
    pub(super) fn of(schema: Value<'t, 'a>) -> (Self, usize) {
        let members = schema.members();
        let mut words = Self::default();
        let mut evaluated = None;
        for Member { name, value, .. } in &members {
            let value = *value;
            let number = || value.text().parse().ok();
            match name.as_ref() {
                "$ref" => words.reference = Some(value),
                "description" => words.description = Some(value),
                "type" => words.types = Some(value),
                "nullable" => words.is_nullable = value.text() == "true",
                "const" => words.constant = Some(value),
                "enum" => words.enumeration = of_kind(value, Kind::List),
                "allOf" => words.all_of = of_kind(value, Kind::List),
                "anyOf" => words.any_of = of_kind(value, Kind::List),
                "oneOf" => words.one_of = of_kind(value, Kind::List),
                "not" => words.not = Some(value),
                "properties" => words.properties = of_kind(value, Kind::Object),
                "required" => words.required = of_kind(value, Kind::List),
                "patternProperties" => words.pattern_properties = of_kind(value, Kind::Object),
                "additionalProperties" => words.additional_properties = Some(value),
                // Only as a boolean: what another schema evaluates is not known here.
                "unevaluatedProperties" => evaluated = of_kind(value, Kind::Bool),
                "items" => words.items = Some(value),
                "prefixItems" => words.prefix_items = of_kind(value, Kind::List),
                "additionalItems" => words.additional_items = Some(value),
                "example" => words.example = Some(value),
                "examples" => words.examples = of_kind(value, Kind::List),
                "default" => words.default = Some(value),
                "format" => words.format = Some(value),
                "pattern" => words.pattern = Some(value),
                "minimum" => words.bounds.minimum = number(),
                "maximum" => words.bounds.maximum = number(),
                "exclusiveMinimum" => words.bounds.exclusive_minimum = number(),
                "exclusiveMaximum" => words.bounds.exclusive_maximum = number(),
                "multipleOf" => words.bounds.multiple_of = number(),
                "minLength" => words.bounds.min_length = number(),
                "maxLength" => words.bounds.max_length = number(),
                "minItems" => words.bounds.min_items = number(),
                "minProperties" => words.bounds.min_properties = number(),
                _ => {}
            }
        }
        words.additional_properties = words.additional_properties.or(evaluated);
        // The list form of older versions.
        if words.prefix_items.is_none()
            && let Some(list) = words.items.and_then(|items| of_kind(items, Kind::List))
        {
            words.prefix_items = Some(list);
            words.items = words.additional_items;
        }
        words.prefix_items = words.prefix_items.filter(|list| list.items().next().is_some());
        (words, members.len())
    }

    /// The names that `type` gives; none: it says nothing.
    pub(super) fn type_names(&self) -> Vec<Cow<'a, str>> {
        match self.types {
            Some(types) if types.kind() == Kind::List => types.items().filter_map(Value::as_str).collect(),
            Some(types) => types.as_str().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Whether a keyword speaks of objects.
    pub(super) fn has_object(&self) -> bool {
        [self.properties, self.required, self.pattern_properties, self.additional_properties]
            .iter()
            .any(Option::is_some)
    }

    /// Whether a keyword speaks of lists.
    pub(super) fn has_list(&self) -> bool {
        self.items.is_some() || self.prefix_items.is_some()
    }
}

fn of_kind<'t, 'a>(value: Value<'t, 'a>, kind: Kind) -> Option<Value<'t, 'a>> {
    (value.kind() == kind).then_some(value)
}

/// The place of a value in its text: what it is known by.
pub(super) fn place(value: Value<'_, '_>) -> usize {
    value.text().as_ptr().addr()
}

/// Values by name.
pub(super) type ByName<'t, 'a> = HashMap<Cow<'a, str>, Value<'t, 'a>>;

/// What the references of one document mean. What they go through is listed once, so that many references into a large
/// object cost no more than the object.
#[derive(Debug)]
pub(super) struct References<'t, 'a> {
    root: Value<'t, 'a>,
    /// The members of objects and the items of lists, by the places of these.
    listed: HashMap<usize, ByName<'t, 'a>>,
}

impl<'t, 'a> References<'t, 'a> {
    pub(super) fn within(root: Value<'t, 'a>) -> Self {
        Self { root, listed: HashMap::new() }
    }

    /// What a reference leads to within the document; nothing is fetched.
    pub(super) fn resolve(&mut self, reference: &str) -> Option<Value<'t, 'a>> {
        if reference == "#" {
            return Some(self.root);
        }
        parse_fragment(reference)?.iter().try_fold(self.root, |value, segment| self.step(value, segment))
    }

    fn step(&mut self, value: Value<'t, 'a>, segment: &str) -> Option<Value<'t, 'a>> {
        let listed = self.listed.entry(place(value)).or_insert_with(|| match value.kind() {
            Kind::Object => value.members().into_iter().map(|member| (member.name, member.value)).collect(),
            _ => value.items().enumerate().map(|(at, item)| (at.to_string().into(), item)).collect(),
        });
        listed.get(segment).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Tape};

    #[test]
    fn follows_pointers_within_the_document_and_no_others() {
        let text = r##"{"$defs":{"a/b":{"anyOf":[1,{"type":"null"}]},"~":2,"é %":3},"":4}"##;
        let tape = Tape::of(json::check(text).unwrap(), usize::MAX).unwrap();
        let mut references = References::within(tape.root());
        let mut at = |reference: &'static str| references.resolve(reference).map(Value::text);
        assert_eq!(at("#"), Some(text));
        assert_eq!(at("#/$defs/a~1b/anyOf/1/type"), Some("\"null\""));
        assert_eq!(at("#/$defs/~0"), Some("2"));
        assert_eq!(at("#/$defs/%C3%A9%20%25"), Some("3"));
        assert_eq!(at("#/"), Some("4"));
        for reference in ["", "#a", "#/$defs/none", "#/$defs/a~1b/anyOf/2", "other.json#/$defs/~0", "#/$defs/~0/x"] {
            assert_eq!(at(reference), None, "{reference}");
        }
    }
}
