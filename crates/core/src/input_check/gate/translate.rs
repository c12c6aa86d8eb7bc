//! Reads one schema: what its type allows, and what each keyword beside it takes away from that, in the importer's order.

use std::rc::Rc;

use super::super::view::{self, Kind, Object, Value};
use super::keywords::Keywords;
use super::literal::{Bounds, Literal};
use super::shape::{Element, Held, List, Shape};
use super::{Gate, LITERALS_A_STEP, Refusal, Verdict};

/// What a schema without a type is read as, if it has a keyword for values of one kind.
const KINDS: [&str; 6] = ["null", "string", "number", "boolean", "object", "array"];

impl<'a> Gate<'a> {
    pub(super) fn translate(&mut self, input: Value<'a>, is_root: bool) -> Verdict<Held> {
        match input.kind() {
            Kind::Bool(false) => Ok(Held::NEVER),
            Kind::Object(schema) => {
                self.step(1)?;
                self.deeper(|gate| gate.translate_object(schema, is_root))
            }
            _ => Ok(Held::UNKNOWN),
        }
    }

    fn translate_object(&mut self, schema: Object<'a>, is_root: bool) -> Verdict<Held> {
        let keywords = Keywords::read(schema);
        if keywords.is_never {
            return Ok(Held::NEVER);
        }
        if keywords.has_no_equivalent {
            return Err(Refusal::NotImportable);
        }
        let outside = self.in_nested_resource;
        self.in_nested_resource |= !is_root && keywords.names_resource;
        let mut held = self.by_type(schema, &keywords)?;
        if let Some(value) = keywords.constant {
            let literal = self.literal(value)?;
            held = self.intersect(held, literal)?;
        }
        if let Some(options) = keywords.options {
            self.step(options.len() / LITERALS_A_STEP)?;
            let members = options.iter().map(|value| self.literal(value)).collect::<Verdict<Vec<_>>>()?;
            let options = if let [only] = members[..] { only } else { self.union(members, false) };
            held = self.intersect(held, options)?;
        }
        if let Some(reference) = keywords.reference {
            held = self.beside_reference(held, reference)?;
        }
        held = held.note(keywords.noted);
        for member in keywords.all_of.into_iter().flat_map(view::List::iter) {
            let member = self.translate(member, false)?;
            held = self.intersect(held, member)?;
        }
        for (members, exclusive) in [(keywords.any_of, false), (keywords.one_of, true)] {
            if let Some(members) = members {
                let members = members.iter().map(|member| self.translate(member, false)).collect::<Verdict<_>>()?;
                let union = self.union(members, exclusive);
                held = self.intersect(union, held)?;
            }
        }
        self.in_nested_resource = outside;
        Ok(held)
    }

    /// What a reference leads to, with what stands beside it.
    fn beside_reference(&mut self, held: Held, reference: &str) -> Verdict<Held> {
        if self.in_nested_resource {
            return Err(Refusal::NotImportable);
        }
        let key = self.key_of(reference)?;
        if held.is_unknown() {
            return Ok(self.add(Shape::Reference(key)));
        }
        if held.is_never() {
            return Ok(held);
        }
        let target = self.resolve(key)?;
        self.intersect(target, held)
    }

    fn by_type(&mut self, schema: Object<'a>, keywords: &Keywords<'a>) -> Verdict<Held> {
        let list = keywords.kind.and_then(Value::as_list);
        let listed = list.and_then(|list| list.iter().map(type_of).collect::<Option<Vec<&str>>>());
        let kinds = match (listed, keywords.kind.and_then(type_of)) {
            (Some(kinds), _) => kinds,
            (None, Some(kind)) => return self.by_one_type(kind, schema, keywords),
            (None, None) if keywords.for_one_kind => KINDS.to_vec(),
            (None, None) => return Ok(Held::UNKNOWN),
        };
        // A kind that is named again is what it was: what is in it is read once.
        let mut known: Vec<(&str, Held)> = Vec::new();
        let mut members = Vec::new();
        for kind in kinds {
            self.step(1)?;
            let read = known.iter().find(|(other, _)| *other == kind).map(|(_, held)| *held);
            let held = match read {
                Some(held) => held,
                None => {
                    let held = self.by_one_type(kind, schema, keywords)?;
                    known.push((kind, held));
                    held
                }
            };
            members.push(held);
        }
        Ok(self.union(members, false))
    }

    fn by_one_type(&mut self, kind: &str, schema: Object<'a>, keywords: &Keywords<'a>) -> Verdict<Held> {
        match kind {
            "null" => Ok(Held::NULL),
            "boolean" => Ok(Held::BOOLEAN),
            "string" if keywords.bounds_text => Ok(self.add(Shape::Text(vec![Bounds { schema, whole: false }]))),
            "string" => Ok(Held::TEXT),
            "array" => self.list(keywords),
            "object" => self.object(keywords),
            number => {
                if keywords.multiple_of == Some(0.0) {
                    return Err(Refusal::NotImportable);
                }
                let whole = number == "integer";
                if whole || keywords.bounds_number {
                    return Ok(self.add(Shape::Number(vec![Bounds { schema, whole }])));
                }
                Ok(Held::NUMBER)
            }
        }
    }

    fn list(&mut self, keywords: &Keywords<'a>) -> Verdict<Held> {
        if keywords.prefix_items.is_none() && keywords.items.is_none() {
            return Ok(Held::LIST);
        }
        let mut elements = Vec::new();
        let mut count = 0.0;
        for element in keywords.prefix_items.into_iter().flat_map(view::List::iter) {
            count += 1.0;
            let optional = count > keywords.min_items.unwrap_or(0.0);
            elements.push(Element { held: self.translate(element, false)?, optional });
        }
        let is_closed = match keywords.items {
            Some(items) => items.as_bool() == Some(false),
            None => keywords.max_items == Some(count),
        };
        let rest = match keywords.items {
            _ if is_closed => None,
            Some(items) => Some(self.translate(items, false)?),
            None => Some(Held::UNKNOWN),
        };
        Ok(self.add(Shape::List(Rc::new(List { elements, rest }))))
    }

    fn literal(&mut self, value: Value<'a>) -> Verdict<Held> {
        let literal = match value.kind() {
            Kind::Null => return Ok(Held::NULL),
            Kind::Bool(value) => Literal::Boolean(value),
            Kind::Number(value) => Literal::Number(value),
            Kind::Text(value) => Literal::Text(value),
            Kind::List(_) | Kind::Object(_) => return Err(Refusal::NotImportable),
        };
        Ok(self.add(Shape::Literal(literal)))
    }
}

/// The name of a type, if the value is one.
fn type_of(value: Value<'_>) -> Option<&str> {
    value.as_str().filter(|name| *name == "integer" || KINDS.contains(name))
}
