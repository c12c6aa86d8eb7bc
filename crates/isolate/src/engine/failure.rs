//! Why a run has no result, in words for whoever wrote the code: with the line and column of their own text, and a short
//! stack.

use crate::Limits;
use crate::limits::{count, milliseconds};
use crate::source::{self, Mistake};

/// The name that the engine knows the code by.
pub(super) const FILE: &str = "code";

/// How long what is told of a failure may be, in UTF-16 units: a model is to read it.
pub(crate) const LONGEST: usize = 16 * 1024;

/// How many places of a stack are told.
const MOST_PLACES: usize = 6;

/// Code that cannot be read.
pub(super) fn mistake(Mistake { message, place }: &Mistake) -> String {
    match place {
        Some((line, column)) => format!("{message}\n    at line {line}, column {column}"),
        None => message.clone(),
    }
}

/// What is said where the engine has no memory: by itself, where that leaves no memory for an error, and where a function of ours
/// is given a text that there is none for.
pub(super) const NO_MEMORY: [&str; 4] = [
    "out of memory",
    "The code threw null",
    "The code threw [uninitialized]",
    "QuickJS library created a unknown error",
];

/// What is told of a failure, cut where it is too long.
pub(super) fn cut(mut text: String) -> String {
    if truncate(&mut text, LONGEST) {
        text.push('…');
    }
    text
}

/// Leaves no more UTF-16 units than these of a text, and says whether there were more.
pub(super) fn truncate(text: &mut String, most: usize) -> bool {
    let mut units = 0;
    let cut = text.char_indices().find(|(_, char)| {
        units += char.len_utf16();
        units > most
    });
    let Some((at, _)) = cut else { return false };
    text.truncate(at);
    true
}

/// A message with the places of the code in an engine's stack below it. The text is what the engine was given.
pub(super) fn with_place(message: &str, stack: &str, text: &str) -> String {
    let places = stack.lines().filter_map(|frame| place(frame, text));
    let mut text = message.to_owned();
    for place in places.take(MOST_PLACES) {
        text.push_str("\n    at ");
        text.push_str(&place);
    }
    text
}

/// A place of the code: `    at name (code:4:5)` or `    at code:4:5`. The code begins on the engine's second line and ends before
/// its last, and columns are bytes to the engine.
fn place(frame: &str, text: &str) -> Option<String> {
    let frame = frame.trim().strip_prefix("at ")?;
    let (name, place) = match frame.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")) {
        Some((name, place)) => (name, place),
        None => ("", frame),
    };
    let mut numbers = place.strip_prefix(FILE)?.strip_prefix(':')?.split(':');
    let line: usize = numbers.next()?.parse().ok()?;
    let column: usize = numbers.next()?.parse().ok()?;
    let line = line.checked_sub(1).filter(|line| *line > 0)?;
    // What the engine finds out at the end of what the code stands in is not within the code.
    let last = source::lines(text).count().saturating_sub(2);
    let place = match source::lines(text).nth(line) {
        Some(text) if line <= last => {
            let before = &text[..text.floor_char_boundary(column.saturating_sub(1))];
            format!("line {line}, column {}", before.encode_utf16().count() + 1)
        }
        _ => format!("line {last}"),
    };
    Some(match name {
        "" | "<anonymous>" | "<eval>" => place,
        name => format!("{name} ({place})"),
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

/// Code that is longer than what is run, in UTF-16 units.
#[must_use]
pub fn source(length: usize, limits: &Limits) -> String {
    format!(
        "The code is {} characters long, more than the {} that can be run.",
        count(length as u64),
        count(u64::from(limits.source))
    )
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
