//! JSON text as a flat tree.
//!
//! Rule: nothing here recurses, neither reading (`reader`) nor dropping. Levels, values and bytes are bounded. A
//! value is a few words that say where its text or its members stand, so that judging it again and again copies nothing.
//! A lone surrogate escape, which JavaScript writes without a murmur, is read as a character of its own; the text that
//! is sent is not touched.

use std::borrow::Cow;

use serde_json::Value;
use thiserror::Error;

use super::reader;

/// Most levels of arrays and objects in an input or a schema.
pub(super) const MAX_NESTING: usize = 512;

/// Longest text, in bytes.
pub(super) const MAX_BYTES: usize = 32 << 20;

/// Most values: reading them takes a tenth of a second.
pub(super) const MAX_VALUES: usize = 2_000_000;

/// The largest integer up to which every integer is a number of its own.
pub(super) const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Why a text gave no tree. Says nothing of what the text holds.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum Unreadable {
    #[error("nested more than {MAX_NESTING} levels deep")]
    TooDeep,
    #[error("more than {MAX_VALUES} values are too many to check: send fewer at a time")]
    TooMany,
    #[error("more than 32 MiB are too much to check: send less at a time")]
    TooLong,
    #[error("holds a number that is too large to represent")]
    NumberOutOfRange,
    #[error("is not valid JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
}

/// Where something stands in a list of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A string: a part of the text, or of what was decoded of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) span: Span,
    pub(super) is_decoded: bool,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Null,
    Bool(bool),
    Number(f64),
    Text(Text),
    List(Span),
    Object(Span),
}

/// A member of an object. The name is a value of its own, which `propertyNames` judges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: Cell,
    pub(super) value: Cell,
}

/// A value and all that it holds.
#[derive(Debug)]
pub(super) struct Tree<'t> {
    pub(super) text: Cow<'t, str>,
    /// Strings that have escapes, decoded.
    pub(super) decoded: String,
    pub(super) items: Vec<Cell>,
    pub(super) entries: Vec<Entry>,
    pub(super) root: Cell,
    /// Levels of arrays and objects.
    pub(super) depth: usize,
    /// Whether an integer is so large that others are the same number.
    pub(super) has_unsafe_integers: bool,
}

impl<'t> Tree<'t> {
    pub(super) fn read(text: &'t str) -> Result<Self, Unreadable> {
        if text.len() > MAX_BYTES {
            return Err(Unreadable::TooLong);
        }
        reader::read(text)
    }

    pub(super) fn text(&self, text: Text) -> &str {
        let from = if text.is_decoded { &self.decoded } else { self.text.as_ref() };
        let start = text.span.start as usize;
        from.get(start..start + text.span.len as usize).unwrap_or_default()
    }

    pub(super) fn items(&self, list: Span) -> &[Cell] {
        self.items.get(list.start as usize..(list.start + list.len) as usize).unwrap_or_default()
    }

    pub(super) fn entries(&self, object: Span) -> &[Entry] {
        self.entries.get(object.start as usize..(object.start + object.len) as usize).unwrap_or_default()
    }

    /// A member's name.
    pub(super) fn name(&self, entry: &Entry) -> &str {
        match entry.name {
            Cell::Text(text) => self.text(text),
            _ => "",
        }
    }

    pub(super) fn has(&self, object: Span, name: &str) -> bool {
        self.entries(object).iter().any(|entry| self.name(entry) == name)
    }

    /// How many values there are, names of members among them.
    pub(super) fn values(&self) -> usize {
        1 + self.items.len() + 2 * self.entries.len()
    }

    /// A tree to which values are added.
    pub(super) fn empty() -> Tree<'static> {
        Tree {
            text: Cow::Borrowed(""),
            decoded: String::new(),
            items: Vec::new(),
            entries: Vec::new(),
            root: Cell::Null,
            depth: 0,
            has_unsafe_integers: false,
        }
    }

    /// Gives back the room that nothing took.
    pub(super) fn shrink(&mut self) {
        self.decoded.shrink_to_fit();
        self.items.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    /// Adds the items of an array.
    // A tree holds fewer values than an offset does.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn push_items(&mut self, items: &[Cell]) -> Span {
        let span = Span { start: self.items.len() as u32, len: items.len() as u32 };
        self.items.extend_from_slice(items);
        span
    }

    /// Adds the members of an object.
    // As above.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn push_entries(&mut self, entries: &[Entry]) -> Span {
        let span = Span { start: self.entries.len() as u32, len: entries.len() as u32 };
        self.entries.extend_from_slice(entries);
        span
    }

    /// Adds a string.
    // A tree holds less text than an offset does.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn push_text(&mut self, text: &str) -> Cell {
        let span = Span { start: self.decoded.len() as u32, len: text.len() as u32 };
        self.decoded.push_str(text);
        Cell::Text(Text { span, is_decoded: true })
    }

    /// The bytes that the tree holds, with its text.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
            + self.decoded.capacity()
            + self.items.capacity() * size_of::<Cell>()
            + self.entries.capacity() * size_of::<Entry>()
    }
}

/// A number as JSON writes it: one that is whole without a fraction.
// The range is asked for before.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn to_number(number: f64) -> Value {
    const WHOLE: f64 = 1e18;
    if number.fract() == 0.0 && number.abs() <= WHOLE { Value::from(number as i64) } else { Value::from(number) }
}
