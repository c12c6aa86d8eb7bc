//! Checks what a model wrote against a tool's input schema, before it goes to the source.
//!
//! Rule: nothing is coerced, defaulted or stripped; the check only says yes, or what is wrong, and never repeats a value.
//! A schema that cannot become a check within the limits is held to "is an object" only, so that no schema can refuse
//! what it would accept, hang, or take the process down. `pattern`, `patternProperties` and `format` are never run.
//!
//! `parse` reads text, `graph` reads a schema of it (`resource` its references), `gate` says whether Effect would check it, `rewrite` widens and
//! writes it, `cost` bounds its work, `share` lessens it, `build` makes the validator, `message` says what is wrong,
//! `effort` when that is too much to say.

mod build;
mod cache;
mod cost;
mod effort;
mod gate;
mod graph;
mod keyword;
mod message;
mod nearest;
mod parse;
mod place;
mod resource;
mod rewrite;
mod schema_at;
mod share;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use build::Built;

use crate::stack;
use message::About;

/// Longest schema text that becomes a check, in bytes.
const MAX_SCHEMA_BYTES: usize = 1 << 20;

/// Most visits that one check may take: values of the input, times the most visits of one value.
const MAX_CHECK_VISITS: u64 = 20_000_000;

/// Stack that a level of schemas takes while an input is checked and its mistakes are gathered.
const BYTES_PER_LEVEL: usize = 1 << 10;

/// Most mistakes that are told one by one.
const MAX_MISTAKES: usize = 10;

static OBJECT_ONLY: LazyLock<Arc<InputCheck>> = LazyLock::new(|| Arc::new(InputCheck { built: None, bytes: 0 }));

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
    built: Option<Built>,
    bytes: usize,
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
        cache::get_or_compile(schema_text, mode, || {
            let built = build::build(schema_text, mode);
            let bytes = if built.is_some() { cache::bytes_of(schema_text.len()) } else { 0 };
            InputCheck { built, bytes }
        })
    }

    /// Checks an input's JSON text. None: it may go to the source. Some: what is wrong, for the model to read, one line
    /// for each mistake; at most 2 KB, and never a value of the input.
    #[must_use]
    pub fn check(&self, input_text: &str) -> Option<String> {
        let survey = match parse::survey(input_text) {
            Ok(survey) => survey,
            Err(unreadable) => return Some(format!("input: {unreadable}")),
        };
        // Reading, judging and dropping the input all recurse as deep as it is nested.
        let levels = self.built.as_ref().map_or(0, |built| built.cost.levels(survey.depth)).max(survey.depth);
        let checked = stack::with_room(levels, BYTES_PER_LEVEL, || self.check_surveyed(input_text, survey.values));
        checked.unwrap_or_else(|| Some(message::too_large(survey.values)))
    }

    fn check_surveyed(&self, input_text: &str, values: usize) -> Option<String> {
        let input = match parse::parse(input_text) {
            Ok((input, _)) => input,
            Err(unreadable) => return Some(format!("input: {unreadable}")),
        };
        if !input.is_object() {
            return Some(message::not_an_object(&input));
        }
        let built = self.built.as_ref()?;
        let visits = built.cost.visits.saturating_mul(u64::try_from(values).unwrap_or(u64::MAX));
        if visits > MAX_CHECK_VISITS {
            return Some(message::too_large(values));
        }
        judge(built, &input)
    }

    /// Whether only "is an object" is checked.
    #[must_use]
    pub fn object_only(&self) -> bool {
        self.built.is_none()
    }

    /// The bytes, by estimate, that only this holder and the cache keep from being freed; none where others do too.
    #[must_use]
    pub fn bytes_held(check: &Arc<Self>) -> usize {
        if Arc::strong_count(check) > 2 { 0 } else { check.bytes }
    }
}

impl Drop for InputCheck {
    /// A validator is dropped level by level, on whichever thread happens to be the last to hold it.
    fn drop(&mut self) {
        let mut built = self.built.take();
        let levels = built.as_ref().map_or(0, |built| built.cost.build_depth.max(built.depth));
        let done = stack::with_room(levels, BYTES_PER_LEVEL, || drop(built.take()));
        if done.is_none() {
            // No room for it: better lost than a stack overflow.
            std::mem::forget(built);
        }
    }
}

fn judge(built: &Built, input: &Value) -> Option<String> {
    if built.validator.is_valid(input) {
        return None;
    }
    if !effort::is_affordable(&built.schema, input) {
        return Some(message::no_match());
    }
    let mistakes: Vec<_> = built.validator.iter_errors(input).collect();
    Some(message::tell(About { schema: &built.schema, input }, &mistakes))
}

/// What a reference of a written schema means.
fn definition<'a>(schema: &'a Value, reference: &str) -> Option<&'a Value> {
    schema.pointer(reference.strip_prefix('#')?)
}
