//! The declaration of one tool: a method of `tools`.
//!
//! Rule: a type that would be too long is told shorter, what repeats first: many values become their kind, then fewer levels
//! are shown, then no comments. Its names, and which of them are required, are told always. All of this together may take so
//! many steps; when they are out, what is left is an outline, at once.

use super::outline::outline;
use super::print::type_text;
use super::render::{MAX_DEPTH, Renderer, Telling};
use super::schema::References;
use super::text::{Out, comment, property_name, units, write_comment};
use super::types::{Id, Types};
use super::work::Work;
use crate::json::{Node, Tape};
use crate::stack;

/// Longest type in UTF-16 units for each byte of its schema, between bounds.
const UNITS_PER_BYTE: usize = 2;
const TYPE_UNITS: std::ops::RangeInclusive<usize> = 16_000..=60_000;

/// Longest description of a tool in UTF-16 units.
const MAX_DESCRIPTION_UNITS: usize = 10_000;

/// Steps for all that is tried for a schema: for each of its bytes, and for each unit that its type may have.
const STEPS_PER_BYTE: usize = 16;
const STEPS_PER_UNIT: usize = 8;

/// Units that are written in a step.
const UNITS_PER_STEP: usize = 4;

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

    /// The declaration, under a name that is a JSON string, and how many steps it took.
    pub(super) fn declaration(self, name: &str) -> (String, usize) {
        let schemas = [self.input, self.output].into_iter().flatten();
        let mut work = Work::of_at_most(schemas.map(|schema| steps_for(schema.text().len())).sum());
        let mut out = Out::of_at_most(usize::MAX);
        out.line(INDENT);
        if let Some(text) = self.description.and_then(Node::as_str).and_then(|text| comment(&text)) {
            write_comment(crate::http::cut(&text, MAX_DESCRIPTION_UNITS), INDENT, &mut out);
        }
        // `new(…)` would declare a constructor.
        let name = property_name(name);
        out.push(if name == "new" { "\"new\"" } else { &name });
        out.push("(input: ");
        out.push(&type_of(self.input, Types::ANY_OBJECT, &mut work));
        out.push("): Promise<");
        out.push(&type_of(self.output, Types::UNKNOWN, &mut work));
        out.push(">;");
        (out.finish().unwrap_or_default(), work.spent())
    }
}

fn units_for(bytes: usize) -> usize {
    (bytes * UNITS_PER_BYTE).clamp(*TYPE_UNITS.start(), *TYPE_UNITS.end())
}

/// Steps that a schema of so many bytes may take.
pub(super) fn steps_for(bytes: usize) -> usize {
    bytes * STEPS_PER_BYTE + units_for(bytes) * STEPS_PER_UNIT
}

/// The type of a schema. `in_place` stands for unknown.
pub(super) fn type_of(schema: Option<Node<'_>>, in_place: Id, work: &mut Work) -> String {
    let shown = schema
        .and_then(|schema| stack::with_room(MAX_DEPTH, BYTES_PER_LEVEL, || told(schema, in_place, work)).flatten());
    shown.or_else(|| type_text(&Types::new(), in_place, INDENT, usize::MAX)).unwrap_or_default()
}

/// As much of the type as there is room and work for.
fn told(schema: Node<'_>, in_place: Id, work: &mut Work) -> Option<String> {
    let tape = Tape::of(schema, usize::MAX).ok()?;
    let mut references = References::within(tape.root());
    let most = units_for(schema.text().len());
    let mut telling = Some(Telling::ALL);
    while let Some(now) = telling {
        let mut renderer = Renderer::new(&mut references, now, work);
        let Some(id) = renderer.root(tape.root()) else { break };
        let id = if id == Types::UNKNOWN { in_place } else { id };
        let text = type_text(&renderer.types, id, INDENT, most);
        telling = renderer.shorter();
        work.spend(text.as_deref().map_or(most, units) / UNITS_PER_STEP);
        if text.is_some() {
            return text;
        }
    }
    work.spend(schema.text().len());
    outline(tape.root(), &mut references, INDENT, most)
}
