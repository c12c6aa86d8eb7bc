//! Objects: what each property is after all schemas for one value were put together, and whether the importer can say it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::super::view::{List, Object as Members, Value};
use super::keywords::Keywords;
use super::shape::{Held, Object, Property, Scope, Shape};
use super::{Gate, Refusal, Verdict};

impl<'a> Gate<'a> {
    pub(super) fn object(&mut self, keywords: &Keywords<'a>) -> Verdict<Held> {
        let scope = self.scope(keywords)?;
        let names = match keywords.property_names {
            Some(names) => {
                let names = self.translate(names, false)?;
                vec![self.intersect(Held::TEXT, names)?]
            }
            None => Vec::new(),
        };
        self.lower(vec![Rc::new(scope)], names)
    }

    fn scope(&mut self, keywords: &Keywords<'a>) -> Verdict<Scope<'a>> {
        let names = || keywords.required.into_iter().flat_map(List::iter).filter_map(Value::as_str);
        let required: HashSet<&str, RandomState> = names().collect();
        let mut properties = Vec::with_capacity(keywords.properties.map_or(0, Members::len));
        for (name, schema) in keywords.properties.into_iter().flat_map(Members::iter) {
            let held = Some(self.translate(schema, false)?);
            properties.push(Property { name, held, required: required.contains(name) });
        }
        let has_properties = !properties.is_empty();
        let is_named = |name: &str| keywords.properties.is_some_and(|named| named.has(name));
        let mut unnamed = HashSet::with_hasher(RandomState::default());
        for name in names() {
            if !is_named(name) && unnamed.insert(name) {
                properties.push(Property { name, held: None, required: true });
            }
        }
        let additional = match keywords.additional_properties {
            _ if keywords.has_patterns => Held::UNKNOWN,
            Some(schema) if schema.as_bool() == Some(false) => Held::NEVER,
            Some(schema) if schema.is_object() => self.translate(schema, false)?,
            _ => Held::UNKNOWN,
        };
        Ok(Scope { properties, has_properties, additional })
    }

    /// The object that several schemas describe together.
    pub(super) fn lower(&mut self, scopes: Vec<Rc<Scope<'a>>>, names: Vec<Held>) -> Verdict<Held> {
        let is_closed = scopes.iter().any(|scope| scope.additional.is_never());
        let is_typed = |scope: &Rc<Scope<'_>>| !scope.additional.is_unknown() && scope.has_properties;
        if !is_closed && scopes.iter().any(is_typed) {
            return Err(Refusal::NotImportable);
        }
        let Some(properties) = self.merged(&scopes)? else { return Ok(Held::NEVER) };
        let index = match is_closed {
            true => None,
            false => Some(self.intersect_all(scopes.iter().map(|scope| scope.additional).collect())?),
        };
        Ok(self.add(Shape::Object(Rc::new(Object { properties, index, names, scopes }))))
    }

    /// What each property is that a scope names; None where one is required and can be nothing.
    fn merged(&mut self, scopes: &[Rc<Scope<'a>>]) -> Verdict<Option<Vec<Held>>> {
        let mut merged = Vec::new();
        if let [scope] = scopes {
            self.step(scope.properties.len())?;
            merged.reserve(scope.properties.len());
            for property in &scope.properties {
                let held = property.held.unwrap_or(scope.additional);
                if property.required && held.is_never() {
                    return Ok(None);
                }
                merged.push(held);
            }
            return Ok(Some(merged));
        }
        let by_name: Vec<HashMap<&str, &Property<'a>>> = scopes
            .iter()
            .map(|scope| scope.properties.iter().map(|property| (property.name, property)).collect())
            .collect();
        let mut seen = HashSet::new();
        for property in scopes.iter().flat_map(|scope| &scope.properties) {
            if !seen.insert(property.name) {
                continue;
            }
            self.step(scopes.len())?;
            let found = by_name.iter().map(|named| named.get(property.name));
            let required = found.clone().flatten().any(|property| property.required);
            let of = |(property, scope): (Option<&&Property<'_>>, &Rc<Scope<'_>>)| {
                property.and_then(|property| property.held).unwrap_or(scope.additional)
            };
            let held = self.intersect_all(found.zip(scopes).map(of).collect())?;
            if required && held.is_never() {
                return Ok(None);
            }
            merged.push(held);
        }
        Ok(Some(merged))
    }
}
