//! What was read on its way to JavaScript: lists of rows as JSON text, in pieces of which each is parsed in a millisecond or
//! two, unless one row is longer: of what rows have a long description alone is cut. What many operations say in the same words, and
//! a long description, stands once, in a list of its own, and their rows have its number. A piece is given away as soon as it is
//! long enough, behind all that its rows have by number, so that operations are put together while others are read.

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::json::parts;

/// A piece of so many bytes is given no more rows.
const FULL: usize = 64 << 10;

/// Which list rows are of. What a row has by number is of a list before its own.
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

const LISTS: [List; 8] = [
    List::Methods,
    List::Parameters,
    List::Bodies,
    List::Descriptions,
    List::Operations,
    List::Reasons,
    List::Skipped,
    List::Servers,
];

/// Some rows of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Which list.
    pub list: List,
    /// A JSON list.
    pub text: String,
}

/// Who is given the pieces.
pub type Taker<'t> = &'t mut (dyn FnMut(Rows) + Send);

/// The rows of all lists.
pub(super) struct AllRows<'t> {
    /// The rows of each list that have not been given away.
    open: [String; LISTS.len()],
    take: Taker<'t>,
}

impl<'t> AllRows<'t> {
    pub(super) fn new(take: Taker<'t>) -> Self {
        Self { open: Default::default(), take }
    }

    /// Appends a row to a list.
    pub(super) fn push(&mut self, list: List, write: impl FnOnce(&mut String)) {
        let text = &mut self.open[list as usize];
        if text.is_empty() {
            text.reserve_exact(FULL);
        }
        text.push(if text.is_empty() { '[' } else { ',' });
        write(text);
        if text.len() >= FULL {
            self.give(list);
        }
    }

    /// Gives away what there is of a list and of those before it.
    fn give(&mut self, last: List) {
        for list in &LISTS[..=last as usize] {
            let mut text = std::mem::take(&mut self.open[*list as usize]);
            if !text.is_empty() {
                text.push(']');
                text.shrink_to_fit();
                (self.take)(Rows { list: *list, text });
            }
        }
    }

    /// Gives away the rest, once there are no more to come.
    pub(super) fn finish(mut self) {
        self.give(List::Servers);
    }
}

/// Rows that others have by their numbers, each once.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: IndexSet<String, RandomState>,
    /// How many have been appended to their list.
    pushed: usize,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of a row.
    pub(super) fn number(&mut self, row: String) -> u32 {
        self.rows.insert_full(row).0 as u32
    }

    /// Appends the rows that there are since the last time, which are strings, in parts.
    pub(super) fn push_parts(&mut self, list: List, rows: &mut AllRows<'_>) {
        for number in self.pushed..self.rows.len() {
            let row = &self.rows[number];
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
        self.pushed = self.rows.len();
    }

    /// Appends the rows that there are since the last time to their list.
    pub(super) fn push(&mut self, list: List, rows: &mut AllRows<'_>) {
        for number in self.pushed..self.rows.len() {
            rows.push(list, |out| out.push_str(&self.rows[number]));
        }
        self.pushed = self.rows.len();
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

    fn given(fill: impl FnOnce(&mut AllRows<'_>)) -> Vec<Rows> {
        let mut given = Vec::new();
        let mut take = |rows| given.push(rows);
        let mut rows = AllRows::new(&mut take);
        fill(&mut rows);
        rows.finish();
        given
    }

    #[test]
    fn pieces_are_given_once_they_are_full_behind_what_they_have_by_number() {
        let row = |list: usize, at: usize| 100_000 * list + at;
        let pieces = given(|rows| {
            for at in 0..40_000 {
                // Each list at its own pace.
                for (number, list) in LISTS.into_iter().enumerate().filter(|(number, _)| at % (number + 1) == 0) {
                    rows.push(list, |out| out.push_str(&row(number, at).to_string()));
                }
            }
        });
        let mut seen = [0; LISTS.len()];
        for Rows { list, text } in &pieces {
            assert!(text.len() <= FULL + "100000]".len());
            let number = *list as usize;
            for found in serde_json::from_str::<Vec<usize>>(text).unwrap() {
                // What came with it or before it of the lists before.
                let at = found - row(number, 0);
                assert!(seen[..number].iter().all(|last| *last + LISTS.len() >= at), "{list:?} {at} {seen:?}");
                assert!(at == 0 || at == seen[number] + number + 1);
                seen[number] = at;
            }
        }
        assert!(seen.iter().all(|last| last + LISTS.len() >= 40_000));
        assert!(given(|_| ()).is_empty());
    }

    #[test]
    fn a_long_row_ends_its_piece() {
        let long = format!("\"{}\"", "x".repeat(FULL));
        let pieces = given(|rows| {
            for row in ["1", &long, "2"] {
                rows.push(List::Servers, |out| out.push_str(row));
            }
        });
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, [format!("[1,{long}]").as_str(), "[2]"]);
    }

    #[test]
    fn a_row_said_twice_stands_once_and_is_appended_once() {
        let mut table = Table::default();
        let pieces = given(|rows| {
            let mut numbers = |words: [&str; 3]| words.map(|row| table.number(format!("\"{row}\"")));
            assert_eq!(numbers(["a", "b", "a"]), [0, 1, 0]);
            table.push(List::Bodies, rows);
            table.push(List::Bodies, rows);
            assert_eq!(["b", "c"].map(|row| table.number(format!("\"{row}\""))), [1, 2]);
            table.push(List::Bodies, rows);
        });
        assert_eq!(pieces, [Rows { list: List::Bodies, text: "[\"a\",\"b\",\"c\"]".to_owned() }]);
    }
}
