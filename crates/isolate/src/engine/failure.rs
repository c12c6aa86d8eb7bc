//! Why a run has no result, in words for whoever wrote the code: with the line and column of their own text, and a short
//! stack.

use crate::Limits;
use crate::limits::{count, milliseconds};
use crate::source::Mistake;

/// The name that the engine knows the code by.
pub(super) const FILE: &str = "code";

/// How many places of a stack are told.
const MOST_PLACES: usize = 6;

/// Code that cannot be read.
pub(super) fn mistake(Mistake { message, place }: &Mistake) -> String {
    match place {
        Some((line, column)) => format!("{message}\n    at line {line}, column {column}"),
        None => message.clone(),
    }
}

/// A message with the places of the code in an engine's stack below it.
pub(super) fn with_place(message: &str, stack: &str) -> String {
    let places = stack.lines().filter_map(place);
    let mut text = message.to_owned();
    for place in places.take(MOST_PLACES) {
        text.push_str("\n    at ");
        text.push_str(&place);
    }
    text
}

/// A place of the code: `    at name (code:4:5)` or `    at code:4:5`. The code begins on the engine's second line.
fn place(frame: &str) -> Option<String> {
    let frame = frame.trim().strip_prefix("at ")?;
    let (name, place) = match frame.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")) {
        Some((name, place)) => (name, place),
        None => ("", frame),
    };
    let mut numbers = place.strip_prefix(FILE)?.strip_prefix(':')?.split(':');
    let line: usize = numbers.next()?.parse().ok()?;
    let column: usize = numbers.next()?.parse().ok()?;
    let line = line.checked_sub(1).filter(|line| *line > 0)?;
    Some(match name {
        "" | "<anonymous>" | "<eval>" => format!("line {line}, column {column}"),
        name => format!("{name} (line {line}, column {column})"),
    })
}

/// The code took more CPU time than it may.
#[must_use]
pub fn cpu(limits: &Limits) -> String {
    format!(
        "The code ran longer than {} of its own time, tool calls not counted. Do less in one run.",
        milliseconds(limits.cpu)
    )
}

/// The run took longer than it may.
#[must_use]
pub fn wall(limits: &Limits) -> String {
    format!("The code ran longer than {}, its tool calls included. Do less in one run.", milliseconds(limits.wall))
}

/// What went wrong is not the code's doing, as far as can be told.
#[must_use]
pub fn lost(how: &str) -> String {
    format!("The isolate of the code ended before the code did: {how}.")
}

/// An answer that is longer than a run takes.
#[must_use]
pub fn answer(length: usize, limits: &Limits) -> String {
    format!(
        "The answer is {} characters of JSON, more than the {} that code can be given.",
        count(length as u64),
        count(u64::from(limits.answer))
    )
}
