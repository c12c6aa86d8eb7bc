//! Definitions, and the references that the importer follows: `#/$defs/Name`, and places below one.
//!
//! Rule: a definition is read when something has to look into it, once; what refers to itself on the way is refused.

use std::rc::Rc;

use super::super::view::{Kind, Value};
use super::shape::{Held, Shape};
use super::{Gate, Refusal, Verdict};

/// What a reference leads to.
pub(super) struct Definition<'a> {
    target: Value<'a>,
    /// Whether a reference below a definition led here, and whether that passed a schema with an `$id`.
    crosses_resource: Option<bool>,
    state: State,
    /// Whether its schema was made.
    pub(super) finished: bool,
    /// Whether it is being looked through for alternatives, and whether it is known to have none.
    pub(super) looked_into: bool,
    pub(super) has_no_choices: bool,
    /// Whether it is known to end in something else than a reference to itself.
    is_no_cycle: bool,
}

#[derive(Clone, Copy)]
enum State {
    Unread,
    Open,
    Read(Held),
}

/// The place of a definition among those known.
pub(super) type Key = usize;

impl Definition<'_> {
    /// Whether it is being read.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }
}

impl<'a> Gate<'a> {
    /// What a reference names.
    pub(super) fn key_of(&mut self, reference: &str) -> Verdict<Key> {
        let tokens = pointer_of(reference).ok_or(Refusal::NotImportable)?;
        let ["$defs", name, below @ ..] = &tokens.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
            return Err(Refusal::NotImportable);
        };
        let definitions = self.definitions;
        let defined = |name: &str| definitions.and_then(|definitions| definitions.get(name));
        if below.is_empty() {
            if let Some(key) = self.keys.get(*name) {
                return Ok(*key);
            }
            let target = defined(name).ok_or(Refusal::NotImportable)?;
            return Ok(self.know(name, target, None));
        }
        let path = tokens[1..].iter().map(|token| token.replace('~', "~0").replace('/', "~1")).collect::<Vec<_>>();
        let path = path.join("/");
        if defined(&path).is_some() {
            return Err(Refusal::NotImportable);
        }
        if let Some(key) = self.keys.get(path.as_str()) {
            return Ok(*key);
        }
        let (target, crosses) = defined(name).and_then(|from| below_of(from, below)).ok_or(Refusal::NotImportable)?;
        Ok(self.know(&path, target, Some(crosses)))
    }

    fn know(&mut self, name: &str, target: Value<'a>, crosses_resource: Option<bool>) -> Key {
        let key = self.known.len();
        self.keys.insert(Rc::from(name), key);
        self.known.push(Definition {
            target,
            crosses_resource,
            state: State::Unread,
            finished: false,
            looked_into: false,
            has_no_choices: false,
            is_no_cycle: false,
        });
        key
    }

    /// What a definition is, which may be a reference.
    pub(super) fn definition(&mut self, key: Key) -> Verdict<Held> {
        match self.known[key].state {
            State::Read(held) => return Ok(held),
            State::Open => return Err(Refusal::NotImportable),
            State::Unread => {}
        }
        self.known[key].state = State::Open;
        let outside = self.in_nested_resource;
        let (target, crosses) = (self.known[key].target, self.known[key].crosses_resource);
        if let Some(crosses) = crosses {
            self.in_nested_resource = crosses;
        }
        let held = self.deeper(|gate| gate.translate(target, false))?;
        self.in_nested_resource = outside;
        self.known[key].state = State::Read(held);
        if crosses.is_some() {
            self.ends(held, &mut Vec::new())?;
        }
        Ok(held)
    }

    /// What a reference means, through references to references.
    pub(super) fn resolve(&mut self, key: Key) -> Verdict<Held> {
        let mut seen = vec![key];
        let mut held = self.definition(key)?;
        let mut noted = false;
        while let Shape::Reference(next) = self.shapes[held.id()] {
            self.step(seen.len())?;
            if seen.contains(&next) {
                return Err(Refusal::NotImportable);
            }
            seen.push(next);
            noted |= held.noted();
            held = self.definition(next)?;
        }
        Ok(held.note(noted))
    }

    /// Refuses what, by references and alternatives alone, comes back to itself.
    fn ends(&mut self, held: Held, path: &mut Vec<Key>) -> Verdict<()> {
        self.step(1)?;
        match &self.shapes[held.id()] {
            Shape::Reference(key) => {
                let key = *key;
                if self.known[key].is_no_cycle {
                    return Ok(());
                }
                if path.contains(&key) {
                    return Err(Refusal::NotImportable);
                }
                self.step(path.len())?;
                path.push(key);
                let target = self.definition(key)?;
                self.deeper(|gate| gate.ends(target, path))?;
                path.pop();
                self.known[key].is_no_cycle = true;
            }
            Shape::Union(union) => {
                for member in Rc::clone(&union.members).iter() {
                    self.deeper(|gate| gate.ends(*member, path))?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What stands below a definition, and whether a schema with an `$id` is passed on the way.
fn below_of<'a>(from: Value<'a>, tokens: &[&str]) -> Option<(Value<'a>, bool)> {
    #[derive(PartialEq)]
    enum Position {
        Schema,
        Schemas,
        Data,
    }
    let (mut at, mut position, mut crosses) = (from, Position::Schema, false);
    for token in tokens {
        position = match position {
            Position::Schemas => Position::Schema,
            Position::Schema if at.is_object() => {
                crosses |= at.get("$id").is_some_and(Value::is_str);
                holds(token)
            }
            _ => Position::Data,
        };
        at = match at.kind() {
            Kind::Object(object) => object.get(token)?,
            Kind::List(list) => list.get(index(token)?)?,
            _ => return None,
        };
    }
    return at.is_schema().then_some((at, crosses));

    fn holds(keyword: &str) -> Position {
        match keyword {
            "not"
            | "additionalProperties"
            | "propertyNames"
            | "unevaluatedProperties"
            | "items"
            | "contains"
            | "unevaluatedItems"
            | "if"
            | "then"
            | "else"
            | "contentSchema" => Position::Schema,
            "$defs" | "properties" | "patternProperties" | "dependentSchemas" | "allOf" | "anyOf" | "oneOf"
            | "prefixItems" => Position::Schemas,
            _ => Position::Data,
        }
    }
}

/// A place in a list, as JavaScript names it.
pub(super) fn index(token: &str) -> Option<usize> {
    token.parse::<usize>().ok().filter(|index| index.to_string() == token)
}

/// The names of a JSON pointer in a fragment. Only one is taken that is escaped as a URI's fragment is and no further.
pub(super) fn pointer_of(reference: &str) -> Option<Vec<String>> {
    let fragment = reference.strip_prefix('#')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b";,/?:@&=+$-_.!~*'()%".contains(&byte);
    if !fragment.bytes().all(plain) {
        return None;
    }
    let pointer = super::super::resource::percent_decoded(fragment)?;
    let names = pointer.strip_prefix('/')?.split('/');
    names
        .map(|name| {
            let escapes_are_sound = name.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
            escapes_are_sound.then(|| name.replace("~1", "/").replace("~0", "~"))
        })
        .collect()
}
