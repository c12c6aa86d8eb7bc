//! Two shapes for one value, as one. Alternatives are only told apart by kind or as single values; those that would have
//! to be multiplied out are refused.

use std::collections::HashMap;
use std::rc::Rc;

use super::literal::Literal;
use super::shape::{Element, Held, List, Shape, Union};
use super::{Gate, LITERALS_A_STEP, Refusal, Verdict};

/// A single value as a key, by JavaScript's equality.
#[derive(PartialEq, Eq, Hash)]
enum Single<'a> {
    Null,
    Text(&'a str),
    Number(u64),
    Boolean(bool),
}

impl<'a> Gate<'a> {
    pub(super) fn intersect_all(&mut self, shapes: Vec<Held>) -> Verdict<Held> {
        let mut shapes = shapes.into_iter();
        let first = shapes.next().unwrap_or(Held::UNKNOWN);
        shapes.try_fold(first, |one, other| self.intersect(one, other))
    }

    pub(super) fn intersect(&mut self, left: Held, right: Held) -> Verdict<Held> {
        if left.is_never() || right.is_never() {
            return Ok(Held::NEVER);
        }
        if left.is_unknown() {
            return Ok(right.note(left.noted()));
        }
        if right.is_unknown() {
            return Ok(left.note(right.noted()));
        }
        self.step(1)?;
        self.deeper(|gate| gate.intersect_known(left, right))
    }

    fn intersect_known(&mut self, left: Held, right: Held) -> Verdict<Held> {
        let shapes = (&self.shapes[left.id()], &self.shapes[right.id()]);
        match shapes {
            (Shape::Reference(key), other) => {
                // A reference without annotations is looked into first.
                if let Shape::Reference(other) = *other
                    && left.noted()
                    && !right.noted()
                {
                    let right = self.resolve(other)?;
                    return self.intersect(left, right);
                }
                let target = self.resolve(*key)?;
                Ok(self.intersect(target, right)?.note(left.noted()))
            }
            (_, Shape::Reference(key)) => {
                let target = self.resolve(*key)?;
                Ok(self.intersect(left, target)?.note(right.noted()))
            }
            (Shape::Union(one), Shape::Union(other)) => {
                let (one, other) = ((left, one.clone()), (right, other.clone()));
                self.intersect_unions(one, other)
            }
            (Shape::Union(union), _) => {
                let union = union.clone();
                self.intersect_members((left, &union), right, true)
            }
            (_, Shape::Union(union)) => {
                let union = union.clone();
                self.intersect_members((right, &union), left, false)
            }
            (Shape::Null, Shape::Null) | (Shape::Boolean, Shape::Boolean) => Ok(left),
            (Shape::Text(one), Shape::Text(other)) => {
                let both = one.iter().chain(other).copied().collect::<Vec<_>>();
                self.step(both.len())?;
                Ok(self.add(Shape::Text(both)))
            }
            (Shape::Number(one), Shape::Number(other)) => {
                let both = one.iter().chain(other).copied().collect::<Vec<_>>();
                self.step(both.len())?;
                Ok(self.add(Shape::Number(both)))
            }
            (shape, Shape::Literal(literal)) if allows(shape, *literal) => Ok(right),
            (Shape::Literal(literal), shape) if allows(shape, *literal) => Ok(left),
            (Shape::List(one), Shape::List(other)) => {
                let (one, other) = (Rc::clone(one), Rc::clone(other));
                self.intersect_lists(&one, &other)
            }
            (Shape::Object(one), Shape::Object(other)) => {
                let scopes: Vec<_> = one.scopes.iter().chain(&other.scopes).cloned().collect();
                let names: Vec<_> = one.names.iter().chain(&other.names).copied().collect();
                self.step(scopes.len() + names.len())?;
                self.lower(scopes, names)
            }
            _ => Ok(Held::NEVER),
        }
    }

    fn intersect_lists(&mut self, left: &List, right: &List) -> Verdict<Held> {
        let mut elements = Vec::new();
        let mut rest = None;
        let mut is_open = true;
        for at in 0..left.elements.len().max(right.elements.len()) {
            let (one, other) = (left.elements.get(at), right.elements.get(at));
            let optional = [one, other].into_iter().flatten().all(|element| element.optional);
            let one = one.map(|element| element.held).or(left.rest);
            let other = other.map(|element| element.held).or(right.rest);
            let held = match (one, other) {
                (Some(one), Some(other)) => self.intersect(one, other)?,
                _ => Held::NEVER,
            };
            if held.is_never() {
                if !optional {
                    return Ok(Held::NEVER);
                }
                is_open = false;
                break;
            }
            elements.push(Element { held, optional });
        }
        if let (true, Some(one), Some(other)) = (is_open, left.rest, right.rest) {
            rest = Some(self.intersect(one, other)?).filter(|rest| !rest.is_never());
        }
        Ok(self.add(Shape::List(Rc::new(List { elements, rest }))))
    }

    fn intersect_unions(&mut self, left: (Held, Union), right: (Held, Union)) -> Verdict<Held> {
        if let Some(both) = self.intersect_single_values(&left, &right)? {
            return Ok(both);
        }
        if tells_kinds_apart(&left.1) {
            return self.intersect_partition(&left, &right, true);
        }
        if tells_kinds_apart(&right.1) {
            return self.intersect_partition(&right, &left, false);
        }
        Err(Refusal::NotImportable)
    }

    /// Two lists of single values; None where either holds anything else.
    fn intersect_single_values(&mut self, left: &(Held, Union), right: &(Held, Union)) -> Verdict<Option<Held>> {
        if left.1.exclusive || right.1.exclusive {
            return Ok(None);
        }
        self.step(left.1.members.len() + right.1.members.len())?;
        let mut by_value = HashMap::new();
        for member in right.1.members.iter() {
            let Some(value) = self.single(*member) else { return Ok(None) };
            by_value.insert(value, *member);
        }
        let mut members = Vec::new();
        for member in left.1.members.iter() {
            let Some(value) = self.single(*member) else { return Ok(None) };
            if by_value.contains_key(&value) {
                members.push(*member);
            }
        }
        Ok(Some(self.made_of(left, members)))
    }

    fn single(&self, held: Held) -> Option<Single<'a>> {
        match &self.shapes[held.id()] {
            Shape::Null => Some(Single::Null),
            Shape::Literal(Literal::Text(text)) => Some(Single::Text(text)),
            // Both zeros are one value.
            Shape::Literal(Literal::Number(number)) => Some(Single::Number((number + 0.0).to_bits())),
            Shape::Literal(Literal::Boolean(value)) => Some(Single::Boolean(*value)),
            _ => None,
        }
    }

    /// Members of different kinds, each with those of the other union that can be of its kind.
    fn intersect_partition(&mut self, parts: &(Held, Union), other: &(Held, Union), left: bool) -> Verdict<Held> {
        for member in other.1.members.iter() {
            self.step(parts.1.members.len())?;
            let overlapping = parts.1.members.iter().filter(|part| part.kinds() & member.kinds() != 0).count();
            if overlapping > 1 && self.has_choices(*member)? {
                return Err(Refusal::NotImportable);
            }
        }
        let mut members = Vec::new();
        for part in parts.1.members.iter() {
            let member = self.intersect_members((other.0, &other.1), *part, !left)?;
            if !member.is_never() {
                members.push(member);
            }
        }
        Ok(self.made_of(parts, members))
    }

    fn intersect_members(&mut self, union: (Held, &Union), other: Held, union_is_left: bool) -> Verdict<Held> {
        self.step(union.1.members.len() / LITERALS_A_STEP)?;
        let overlapping = union.1.members.iter().filter(|member| member.kinds() & other.kinds() != 0);
        let overlapping: Vec<Held> = overlapping.copied().collect();
        if overlapping.len() > 1 && self.has_choices(other)? {
            return Err(Refusal::NotImportable);
        }
        let mut both = |member| match union_is_left {
            true => self.intersect(member, other),
            false => self.intersect(other, member),
        };
        if let [only] = overlapping[..] {
            return both(only.note(union.0.noted()));
        }
        let mut members = Vec::new();
        for member in overlapping {
            let member = both(member)?;
            if !member.is_never() {
                members.push(member);
            }
        }
        Ok(self.made_of(&(union.0, union.1.clone()), members))
    }

    /// A union with other members.
    fn made_of(&mut self, union: &(Held, Union), members: Vec<Held>) -> Held {
        match members[..] {
            [] => Held::NEVER,
            [only] => only.note(union.0.noted()),
            _ => self.union(members, union.1.exclusive).note(union.0.noted()),
        }
    }

    /// Whether a shape has alternatives within, so that putting it beside others would multiply them.
    fn has_choices(&mut self, held: Held) -> Verdict<bool> {
        self.step(1)?;
        if let Shape::Reference(key) = self.shapes[held.id()] {
            return self.reference_has_choices(key);
        }
        if matches!(&self.shapes[held.id()], Shape::Union(union) if union.members.len() > 1) {
            return Ok(true);
        }
        for inner in self.inner(held) {
            if self.deeper(|gate| gate.has_choices(inner))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn reference_has_choices(&mut self, key: usize) -> Verdict<bool> {
        if self.known[key].is_open() || self.known[key].looked_into {
            return Ok(true);
        }
        if self.known[key].has_no_choices {
            return Ok(false);
        }
        self.known[key].looked_into = true;
        let target = self.definition(key)?;
        let found = self.deeper(|gate| gate.has_choices(target))?;
        self.known[key].looked_into = false;
        // No alternatives were met on the way, and no cycle, so none will be.
        self.known[key].has_no_choices = !found;
        Ok(found)
    }
}

/// Whether every two members are of different kinds.
fn tells_kinds_apart(union: &Union) -> bool {
    let mut kinds = 0;
    for member in union.members.iter() {
        if kinds & member.kinds() != 0 {
            return false;
        }
        kinds |= member.kinds();
    }
    true
}

/// Whether a shape of single values, texts, numbers or booleans allows this value.
fn allows(shape: &Shape<'_>, literal: Literal<'_>) -> bool {
    match (shape, literal) {
        (Shape::Boolean, Literal::Boolean(_)) => true,
        (Shape::Literal(other), literal) => *other == literal,
        (Shape::Text(bounds), Literal::Text(text)) => bounds.iter().all(|bounds| bounds.keeps_text(text)),
        (Shape::Number(bounds), Literal::Number(number)) => bounds.iter().all(|bounds| bounds.keeps_number(number)),
        _ => false,
    }
}
