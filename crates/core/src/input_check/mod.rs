//! Checks what a model wrote against a tool's input schema, before it goes to the source.
//!
//! Rule: nothing is coerced, defaulted or stripped; the check only says yes, or what is wrong, and never repeats a value.
//! A schema that cannot become a check within the limits is held to "is an object" only, so that no schema can refuse
//! what it would accept, hang, or take the process down. `pattern`, `patternProperties` and `format` are never run.
//!
//! `tree` reads text, `view` shows what stands in it, `graph` reads a schema of it (`resource` its references), `gate` says
//! whether Effect would check it, `widen` makes up for what is not run, `levels` bounds its nesting, `compile` makes a
//! `program` of it, `judge` holds an input to that, counting its steps, and `explain` finds what is wrong (`message`,
//! `place` and `found` have the words).

mod build;
mod cache;
mod compile;
mod constants;
mod equal;
mod evaluated;
mod explain;
mod forms;
mod found;
mod gate;
mod graph;
mod hash;
mod judge;
mod keyword;
mod levels;
mod message;
mod multiple;
mod place;
mod program;
mod reader;
mod resource;
mod tags;
#[cfg(test)]
mod tests;
mod tree;
mod view;
mod widen;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use judge::{Judge, Stop, Verdict};
use message::Expected;
use program::{Program, kinds};
use tree::{Cell, Tree};

use crate::stack;

/// Longest schema text that becomes a check, in bytes.
const MAX_SCHEMA_BYTES: usize = 1 << 20;

/// Levels of schemas that are judged on the caller's own stack.
const INLINE_LEVELS: usize = if cfg!(debug_assertions) { 12 } else { 80 };

/// Stack that a level of schemas takes while an input is judged, and while its mistakes are told.
const BYTES_PER_LEVEL: usize = if cfg!(debug_assertions) { 6 << 10 } else { 1 << 10 };
const BYTES_PER_TOLD_LEVEL: usize = if cfg!(debug_assertions) { 16 << 10 } else { 3 << 10 };

static OBJECT_ONLY: LazyLock<Arc<InputCheck>> = LazyLock::new(|| Arc::new(InputCheck { program: None }));

/// Which schemas become a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those that Effect's importer of JSON Schema can turn into one.
    Compatible,
    /// Every schema that can be checked within the limits.
    Full,
}

/// A compiled check of one JSON Schema.
pub struct InputCheck {
    /// None: only "is an object" is checked.
    program: Option<Program>,
}

impl std::fmt::Debug for InputCheck {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("InputCheck").field("object_only", &self.object_only()).finish_non_exhaustive()
    }
}

impl InputCheck {
    /// Compiles a schema's JSON text, or gives the check compiled before from the same text. Never fails: a schema that
    /// cannot become a check is held to "is an object" only.
    #[must_use]
    pub fn compile(schema_text: &str, mode: Mode) -> Arc<InputCheck> {
        if schema_text.len() > MAX_SCHEMA_BYTES {
            return Arc::clone(&OBJECT_ONLY);
        }
        cache::get_or_compile(schema_text, mode, || InputCheck { program: build::build(schema_text, mode) })
    }

    /// Checks an input's JSON text. None: it may go to the source. Some: what is wrong, for the model to read, one line
    /// for each mistake; at most 2 KB, and never a value of the input.
    #[must_use]
    pub fn check(&self, input_text: &str) -> Option<String> {
        // Nothing in here is known to panic; that it did is no reason to pass an input on.
        catch_unwind(AssertUnwindSafe(|| self.check_text(input_text)))
            .unwrap_or_else(|_| Some("input: could not be checked, by a defect of the check itself".to_owned()))
    }

    fn check_text(&self, input_text: &str) -> Option<String> {
        let tree = match Tree::read(input_text) {
            Ok(tree) => tree,
            Err(unreadable) => return Some(format!("input: {unreadable}")),
        };
        if !matches!(tree.root, Cell::Object(_)) {
            let expected = Expected::kinds(kinds::OBJECT);
            return Some(format!("input: {}", expected.says(&tree, &tree, tree.root)));
        }
        let program = self.program.as_ref()?;
        match judge(program, &tree) {
            Ok(true) => None,
            Ok(false) => Some(explain(program, &tree)),
            Err(_) => Some(message::too_large(&tree)),
        }
    }

    /// Whether only "is an object" is checked.
    #[must_use]
    pub fn object_only(&self) -> bool {
        self.program.is_none()
    }

    /// The bytes that only this holder and the cache keep from being freed; none where others do too.
    #[must_use]
    pub fn bytes_held(check: &Arc<Self>) -> usize {
        if Arc::strong_count(check) > 2 { 0 } else { check.bytes() }
    }

    fn bytes(&self) -> usize {
        self.program.as_ref().map_or(0, Program::bytes)
    }
}

/// Whether an input keeps the schema.
fn judge(program: &Program, tree: &Tree<'_>) -> Verdict<bool> {
    match Judge::new(program, tree, judge::MAX_STEPS, INLINE_LEVELS).judge(0, &tree.root) {
        Err(Stop::TooDeep) => {
            let judge = || Judge::new(program, tree, judge::MAX_STEPS, usize::MAX).judge(0, &tree.root);
            stack::with_room(levels(program, tree), BYTES_PER_LEVEL, judge).unwrap_or(Err(Stop::TooDeep))
        }
        verdict => verdict,
    }
}

/// What is wrong with an input that does not keep the schema.
fn explain(program: &Program, tree: &Tree<'_>) -> String {
    let explain = || explain::explain(Judge::new(program, tree, explain::MAX_STEPS, usize::MAX)).tell();
    stack::with_room(levels(program, tree), BYTES_PER_TOLD_LEVEL, explain).flatten().unwrap_or_else(message::no_match)
}

/// Levels of recursion that judging an input takes, and hashing what it holds.
fn levels(program: &Program, tree: &Tree<'_>) -> usize {
    program.levels.of(tree.depth) + tree.depth + 1
}
