//! The declaration of one tool: a method of `tools`.

use super::print::type_text;
use super::render::{MAX_DEPTH, Renderer};
use super::schema::References;
use super::text::{Out, comment, property_name, write_comment};
use super::types::{Id, Types};
use crate::json::{Node, Tape};
use crate::stack;

/// Levels of objects and lists that are shown, the input itself being the first.
const MAX_LEVELS: usize = 6;

/// Longest type in UTF-16 units for each byte of its schema, between bounds: one that its references make longer shows
/// fewer levels.
const UNITS_PER_BYTE: usize = 2;
const TYPE_UNITS: std::ops::RangeInclusive<usize> = 8_000..=60_000;

/// Longest description of a tool in UTF-16 units.
const MAX_DESCRIPTION_UNITS: usize = 10_000;

/// What may be looked at for one character that is printed: keywords that say nothing of a type are looked at too.
const WORK_PER_UNIT: usize = 4;

/// Stack that a schema within another takes, and the text of its type.
const BYTES_PER_LEVEL: usize = 2 << 10;

/// Where a method of `tools` stands.
const INDENT: usize = 2;

/// A tool as it crosses; what is not there, or is something else, is not told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tool<'a> {
    description: Option<Node<'a>>,
    pub(super) input: Option<Node<'a>>,
    output: Option<Node<'a>>,
}

impl<'a> Tool<'a> {
    pub(super) fn of(node: Node<'a>) -> Self {
        let [description, input, output] = node.fields(["description", "inputSchema", "outputSchema"]);
        Self { description, input, output }
    }

    /// The declaration, under a name that is a JSON string.
    pub(super) fn declaration(self, name: &str) -> String {
        let mut out = Out::of_at_most(usize::MAX);
        out.line(INDENT);
        if let Some(text) = self.description.and_then(Node::as_str).and_then(|text| comment(&text)) {
            write_comment(crate::http::cut(&text, MAX_DESCRIPTION_UNITS), INDENT, &mut out);
        }
        // `new(…)` would declare a constructor.
        let name = property_name(name);
        out.push(if name == "new" { "\"new\"" } else { &name });
        out.push("(input: ");
        out.push(&type_of(self.input, Types::ANY_OBJECT));
        out.push("): Promise<");
        out.push(&type_of(self.output, Types::UNKNOWN));
        out.push(">;");
        out.finish().unwrap_or_default()
    }
}

/// The type of a schema. `in_place` stands for unknown.
pub(super) fn type_of(schema: Option<Node<'_>>, in_place: Id) -> String {
    let shown = schema
        .and_then(|schema| stack::with_room(MAX_DEPTH, BYTES_PER_LEVEL, || with_levels(schema, in_place)).flatten());
    shown.or_else(|| type_text(&Types::new(), in_place, INDENT, usize::MAX)).unwrap_or_default()
}

/// The type with as many levels and comments as there is room for; none where there is none even for the first.
fn with_levels(schema: Node<'_>, in_place: Id) -> Option<String> {
    let tape = Tape::of(schema, usize::MAX).ok()?;
    let mut references = References::within(tape.root());
    let most = (schema.text().len() * UNITS_PER_BYTE).clamp(*TYPE_UNITS.start(), *TYPE_UNITS.end());
    let with_comments = (1..=MAX_LEVELS).rev().map(|levels| (levels, true));
    with_comments.chain([(1, false)]).find_map(|(levels, has_comments)| {
        let mut renderer = Renderer::new(&mut references, levels, has_comments, most * WORK_PER_UNIT);
        let id = renderer.root(tape.root())?;
        let id = if id == Types::UNKNOWN { in_place } else { id };
        type_text(&renderer.types, id, INDENT, most)
    })
}
