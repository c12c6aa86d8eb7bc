//! Turns a schema's text into a validator, or says that it cannot.
//!
//! Rule: nothing is fetched, no format is asserted, and what the validator's own check of the schema refuses is left
//! out keyword by keyword, unless that could make some input fail that the schema accepts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::cost::{self, Cost};
use super::graph::{self, Graph};
use super::keyword::Dialect;
use super::{Mode, gate, parse, rewrite, share};
use crate::stack;

/// Most keywords that are left out before the schema is given up.
const MAX_REPAIRS: usize = 32;

/// Stack that a level of nested schemas takes while the validator is built.
const BYTES_PER_LEVEL: usize = 8 << 10;

/// A validator, and what is known of it.
pub(super) struct Built {
    pub(super) validator: Validator,
    /// The schema as it was given to the validator.
    pub(super) schema: Value,
    pub(super) cost: Cost,
    /// Levels of the schema's text.
    pub(super) depth: usize,
}

/// Stack that a level of the schema's text takes while it is read, rewritten and dropped.
const BYTES_PER_TEXT_LEVEL: usize = 2 << 10;

/// Builds a validator from a schema's text; None where only "is an object" can be asked.
///
/// The validator's builder has assertions of its own, and it may run on a thread whose end would be the process's: no
/// panic leaves this function.
pub(super) fn build(schema_text: &str, mode: Mode) -> Option<Built> {
    let survey = parse::survey(schema_text).ok()?;
    let build = || build_surveyed(schema_text, survey.depth, mode);
    catch_unwind(AssertUnwindSafe(|| stack::with_room(survey.depth, BYTES_PER_TEXT_LEVEL, build))).ok()??
}

fn build_surveyed(schema_text: &str, depth: usize, mode: Mode) -> Option<Built> {
    let (document, _) = parse::parse(schema_text).ok()?;
    if !(document.is_object() || document == Value::Bool(false)) {
        return None;
    }
    let dialect = document.as_object().map_or(Dialect::Draft202012, Dialect::of);
    if mode == Mode::Compatible && !gate::admits(&document, dialect) {
        return None;
    }
    let mut graph = graph::read(&document, dialect, mode).ok()?;
    rewrite::widen(&mut graph);
    rewrite::define_negated(&mut graph);
    let cost = match cost::bound(&graph) {
        Some(cost) => cost,
        None if share::share_alternatives(&mut graph) => cost::bound(&graph)?,
        None => return None,
    };
    stack::with_room(cost.build_depth, BYTES_PER_LEVEL, || compile(&graph, cost, depth))?
}

fn compile(graph: &Graph<'_>, cost: Cost, depth: usize) -> Option<Built> {
    let mut schema = rewrite::write(graph);
    let repairs = if rewrite::can_narrow(graph) { 0 } else { MAX_REPAIRS };
    for _ in 0..=repairs {
        match compile_once(&schema, graph.dialect) {
            Ok(validator) => return Some(Built { validator, schema, cost, depth }),
            Err(error) => leave_out(&mut schema, error.instance_path().as_str())?,
        }
    }
    None
}

fn compile_once(schema: &Value, dialect: Dialect) -> Result<Validator, ValidationError<'static>> {
    let options = jsonschema::options().with_draft(dialect.draft()).should_validate_formats(false).offline();
    options.build(schema)
}

/// Removes what stands at a pointer, but for the root and its definitions.
fn leave_out(schema: &mut Value, pointer: &str) -> Option<()> {
    let (owner, name) = pointer.rsplit_once('/')?;
    if matches!(owner, "/$defs" | "/definitions") {
        return None;
    }
    let name = name.replace("~1", "/").replace("~0", "~");
    match schema.pointer_mut(owner)? {
        Value::Object(map) => map.shift_remove(&name).map(|_| ()),
        Value::Array(list) => {
            let at = name.parse::<usize>().ok().filter(|at| *at < list.len())?;
            list.remove(at);
            Some(())
        }
        _ => None,
    }
}
