//! Whether Effect's importer of JSON Schema can turn a schema into a check.
//!
//! Rule: yes exactly where `SchemaRepresentation.fromJsonSchemaDocument` of Effect 4.1, which leaves patterns out, gives a
//! schema; where it throws, a tool is held only to being given an object (R-000-042). The importer refuses keywords it has
//! no equivalent for, and combinations that it cannot bring into one normal form, as far as the root reaches them. So the
//! gate follows what it makes of each schema (`shape`), in its order, but builds nothing: `translate` reads a schema,
//! `object` and `intersect` combine what was read, `reference` follows definitions, `literal` judges single values,
//! `draft7` first brings older dialects into the newest form.
//!
//! Effect has importers for 2020-12 and draft 7. Drafts 4 and 6 go through that for draft 7, and 2019-09 through that for 2020-12.

mod draft7;
mod intersect;
mod keywords;
mod literal;
mod object;
mod reference;
mod shape;
mod translate;

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::keyword::Dialect;
use super::tree::Tree;
use super::view::{Document, Object, Value};
use crate::stack;
use reference::{Definition, Key};
use shape::{Held, Shape};

/// Deepest recursion. Effect's own ends between 900 and 3,600 levels, by what they hold, for want of stack.
const MAX_LEVELS: usize = 1_500;

/// Deepest recursion on the caller's own stack.
const INLINE_LEVELS: usize = 16;

/// Stack that a level takes.
const BYTES_PER_LEVEL: usize = 3 << 10;

/// Most steps; some tens of milliseconds. Effect's importer takes longer for what needs more, if it ends.
const MAX_STEPS: usize = 200_000;

/// Single values that are looked at in a step.
const LITERALS_A_STEP: usize = 16;

/// Why the importer would not give a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    NotImportable,
    /// Deeper than the stack allows.
    TooDeep,
}

type Verdict<T> = Result<T, Refusal>;

/// Whether the importer gives a schema for the document.
pub(super) fn admits(document: Value<'_>, dialect: Dialect) -> bool {
    if dialect > Dialect::Draft7 {
        return admits_newest(document);
    }
    let Ok(text) = draft7::convert(document) else { return false };
    Tree::read(&text).is_ok_and(|tree| admits_newest(Document::of(&tree).root()))
}

fn admits_newest(document: Value<'_>) -> bool {
    match Gate::new(document, INLINE_LEVELS).import(document) {
        Err(Refusal::TooDeep) => {
            let import = || Gate::new(document, MAX_LEVELS).import(document).is_ok();
            stack::with_room(MAX_LEVELS, BYTES_PER_LEVEL, import) == Some(true)
        }
        verdict => verdict.is_ok(),
    }
}

/// The state of one import.
struct Gate<'a> {
    definitions: Option<Object<'a>>,
    shapes: Vec<Shape<'a>>,
    /// What references lead to, and their places by name.
    known: Vec<Definition<'a>>,
    keys: HashMap<Rc<str>, Key, RandomState>,
    /// Whether the schema of a shape was made, by its number.
    finished: Vec<bool>,
    /// Whether what is read stands within a schema that has an `$id` of its own.
    in_nested_resource: bool,
    depth: usize,
    max_depth: usize,
    steps: usize,
}

impl<'a> Gate<'a> {
    fn new(document: Value<'a>, max_depth: usize) -> Self {
        Gate {
            definitions: document.get("$defs").and_then(Value::as_object),
            shapes: Shape::common(),
            known: Vec::new(),
            keys: HashMap::default(),
            finished: Vec::new(),
            in_nested_resource: false,
            depth: 0,
            max_depth,
            steps: MAX_STEPS,
        }
    }

    fn import(mut self, document: Value<'a>) -> Verdict<()> {
        let root = self.translate(document, true)?;
        self.finish(root)
    }

    /// Whether the schema itself can be made of what was read: what a reference leads to is only read here, where nothing
    /// before needed to look into it.
    fn finish(&mut self, held: Held) -> Verdict<()> {
        if let Shape::Reference(key) = self.shapes[held.id()] {
            if held.noted() {
                self.resolve(key)?;
            }
            if !std::mem::replace(&mut self.known[key].finished, true) {
                let target = self.definition(key)?;
                self.deeper(|gate| gate.finish(target))?;
            }
            return Ok(());
        }
        if self.finished.len() <= held.id() {
            self.finished.resize(self.shapes.len(), false);
        }
        if std::mem::replace(&mut self.finished[held.id()], true) {
            return Ok(());
        }
        let inner = self.inner(held);
        self.step(inner.len() / LITERALS_A_STEP)?;
        for inner in inner {
            if matches!(self.shapes[inner.id()], Shape::Literal(_)) {
                continue;
            }
            self.step(1)?;
            self.deeper(|gate| gate.finish(inner))?;
        }
        Ok(())
    }

    /// The shapes that one holds.
    fn inner(&self, held: Held) -> Vec<Held> {
        match &self.shapes[held.id()] {
            Shape::List(list) => list.elements.iter().map(|element| element.held).chain(list.rest).collect(),
            Shape::Object(object) => {
                object.properties.iter().chain(&object.index).chain(&object.names).copied().collect()
            }
            Shape::Union(union) => union.members.to_vec(),
            _ => Vec::new(),
        }
    }

    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Verdict<T>) -> Verdict<T> {
        self.depth += 1;
        if self.depth > self.max_depth {
            return Err(Refusal::TooDeep);
        }
        let done = work(self)?;
        self.depth -= 1;
        Ok(done)
    }

    fn step(&mut self, steps: usize) -> Verdict<()> {
        self.steps = self.steps.checked_sub(steps).ok_or(Refusal::NotImportable)?;
        Ok(())
    }
}
