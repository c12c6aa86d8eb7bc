//! Turns a schema's text into a program, or says that it cannot.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compile::compile;
use super::keyword::Dialect;
use super::program::Program;
use super::tree::Tree;
use super::view::Document;
use super::{Mode, gate, graph, levels, widen};
use crate::stack;

/// Stack that a level of the schema's text takes while it is read and written.
const BYTES_PER_LEVEL: usize = if cfg!(debug_assertions) { 8 << 10 } else { 2 << 10 };

/// Builds a program from a schema's text; None where only "is an object" can be asked.
///
/// It may run on a thread whose end would be the process's: no panic leaves this function.
pub(super) fn build(schema_text: &str, mode: Mode) -> Option<Program> {
    let tree = Tree::read(schema_text).ok()?;
    let build = || build_read(&tree, mode);
    catch_unwind(AssertUnwindSafe(|| stack::with_room(tree.depth, BYTES_PER_LEVEL, build))).ok()??
}

fn build_read(tree: &Tree<'_>, mode: Mode) -> Option<Program> {
    let document = Document::of(tree);
    let root = document.root();
    if !(root.is_object() || root.as_bool() == Some(false)) {
        return None;
    }
    let dialect = root.as_object().map_or(Dialect::Draft202012, Dialect::of);
    if mode == Mode::Compatible && !gate::admits(root, dialect) {
        return None;
    }
    let mut graph = graph::read(root, dialect, mode).ok()?;
    widen::widen(&mut graph);
    let levels = levels::bound(&mut graph)?;
    compile(&graph, levels)
}
