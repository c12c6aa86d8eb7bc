//! What was read on its way to JavaScript: lists of rows as JSON text, in pieces of which each is parsed in a millisecond or
//! two, unless one row is longer: a path or the address of a server is not cut. What many operations say in the same words, and
//! a long description, stands once, in a list of its own, and their rows have its number.

use std::collections::VecDeque;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::json::parts;

/// The longest piece in bytes, unless one row is longer.
const MAX_PIECE: usize = 64 << 10;

/// Which list rows are of. The lists come in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Methods: `{ method, annotations }`, in upper case and what it says of the tools that have it.
    Methods,
    /// Parameters of request templates: `{ property, in, name, … }`.
    Parameters,
    /// What a template with a body has beside its parameters: `{ body, … }`.
    Bodies,
    /// Descriptions that are long, in parts: the number of the description, and the part.
    Descriptions,
    /// Operations: the tool's name, its description or the number of that, the number of the method, the path, the numbers of its parameters, and
    /// where it has a body the number of that.
    Operations,
    /// Why something was left out: `{ code, text }`.
    Reasons,
    /// What was left out: the method in upper case, the path, the operation's key in its path item (null for the whole item), and
    /// the number of the reason. `paths.` and the path, `.` and the key, `: ` and the text are the whole reason.
    Skipped,
    /// The addresses of servers.
    Servers,
}

/// Some rows of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Which list.
    pub list: List,
    /// A JSON list.
    pub text: String,
}

/// The rows of all lists.
#[derive(Debug, Default)]
pub(super) struct AllRows {
    pieces: VecDeque<Rows>,
    /// Room for one row.
    row: String,
}

impl AllRows {
    /// Appends a row to a list: the lists in their order.
    pub(super) fn push(&mut self, list: List, write: impl FnOnce(&mut String)) {
        self.row.clear();
        write(&mut self.row);
        let needed = self.row.len() + 2;
        match self.pieces.back_mut() {
            Some(piece) if piece.list == list && piece.text.len() + needed <= MAX_PIECE => piece.text.push(','),
            _ => {
                self.close();
                let mut text = String::with_capacity(MAX_PIECE.max(needed));
                text.push('[');
                self.pieces.push_back(Rows { list, text });
            }
        }
        if let Some(piece) = self.pieces.back_mut() {
            piece.text.push_str(&self.row);
        }
    }

    fn close(&mut self) {
        if let Some(piece) = self.pieces.back_mut() {
            piece.text.push(']');
            piece.text.shrink_to_fit();
        }
    }

    /// All of them, once there are no more to come.
    pub(super) fn finish(mut self) -> VecDeque<Rows> {
        self.close();
        self.pieces
    }
}

/// Rows that others have by their numbers, each once.
#[derive(Debug, Default)]
pub(super) struct Table(IndexSet<String, RandomState>);

impl Table {
    /// The number of a row.
    pub(super) fn number(&mut self, row: String) -> u32 {
        self.0.insert_full(row).0 as u32
    }

    /// Appends all rows, which are strings, in parts.
    pub(super) fn push_parts(&self, list: List, rows: &mut AllRows) {
        for (number, row) in self.0.iter().enumerate() {
            for part in parts(&row[1..row.len() - 1]) {
                rows.push(list, |out| {
                    out.push('[');
                    push_number(number as u32, out);
                    out.push_str(",\"");
                    out.push_str(part);
                    out.push_str("\"]");
                });
            }
        }
    }

    /// Appends all rows to their list.
    pub(super) fn push(&self, list: List, rows: &mut AllRows) {
        for row in &self.0 {
            rows.push(list, |out| out.push_str(row));
        }
    }
}

pub(super) fn push_number(number: u32, out: &mut String) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// Appends a list of numbers.
pub(super) fn push_numbers(numbers: &[u32], out: &mut String) {
    out.push('[');
    for (at, number) in numbers.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_number(*number, out);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_no_longer_than_they_may_be_unless_a_row_is() {
        let mut rows = AllRows::default();
        let long = format!("\"{}\"", "x".repeat(MAX_PIECE));
        for at in 0..40_000 {
            rows.push(List::Operations, |out| out.push_str(&at.to_string()));
        }
        rows.push(List::Operations, |out| out.push_str(&long));
        rows.push(List::Operations, |out| out.push('1'));
        rows.push(List::Servers, |out| out.push('2'));
        let pieces = rows.finish();
        let (texts, last): (Vec<_>, Vec<_>) = pieces.iter().partition(|piece| piece.text.len() < MAX_PIECE);
        assert_eq!(last.iter().map(|piece| piece.text.len()).collect::<Vec<_>>(), [MAX_PIECE + 4]);
        let read = |piece: &&Rows| serde_json::from_str::<Vec<u32>>(&piece.text).unwrap();
        let numbers: Vec<u32> = texts.iter().flat_map(read).collect();
        assert_eq!(numbers, (0..40_000).chain([1, 2]).collect::<Vec<_>>());
        assert_eq!(pieces.back().unwrap(), &Rows { list: List::Servers, text: "[2]".to_owned() });
        assert!(AllRows::default().finish().is_empty());
    }

    #[test]
    fn a_row_said_twice_stands_once() {
        let mut table = Table::default();
        let numbers = ["a", "b", "a"].map(|row| table.number(format!("\"{row}\"")));
        let mut rows = AllRows::default();
        table.push(List::Bodies, &mut rows);
        assert_eq!(numbers, [0, 1, 0]);
        assert_eq!(rows.finish(), [Rows { list: List::Bodies, text: "[\"a\",\"b\"]".to_owned() }]);
    }
}
