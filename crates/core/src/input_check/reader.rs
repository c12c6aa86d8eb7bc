//! Reads JSON text into a tree, in one pass and without trusting it.
//!
//! Rule: a loop, whatever the nesting, which is bounded with the number of values while they are read. What is taken is
//! what RFC 8259 has for JSON, and of equal names in an object the last one counts, as for `JSON.parse`.

use std::borrow::Cow;
use std::collections::HashMap;

use super::tree::{Cell, Entry, MAX_NESTING, MAX_SAFE, MAX_VALUES, Span, Text, Tree, Unreadable};
use crate::json::decode;

/// Objects of at most so many members are searched one by one: for equal names, and for one name.
pub(super) const FEW_MEMBERS: usize = 12;

/// What a member of an object takes in the text, and most members that room is made for beforehand.
const BYTES_PER_MEMBER: usize = 24;
const MOST_AHEAD: usize = 4096;

/// The tree of a text that is no longer than an offset holds.
pub(super) fn read(text: &str) -> Result<Tree<'_>, Unreadable> {
    let mut reader = Reader::new(text);
    match reader.read() {
        Ok(()) => Ok(reader.tree),
        Err(Failure::Other(unreadable)) => Err(unreadable),
        Err(Failure::Syntax) => Err(reader.not_json()),
    }
}

enum Failure {
    /// At the place that was reached.
    Syntax,
    Other(Unreadable),
}

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        Failure::Other(unreadable)
    }
}

/// A container that is being read, and where its members begin among those that wait.
enum Open {
    List { from: usize },
    Object { from: usize, name: Cell },
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    tree: Tree<'t>,
    open: Vec<Open>,
    /// Members of containers that are not closed yet.
    items: Vec<Cell>,
    entries: Vec<Entry>,
    values: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let tree = Tree {
            text: Cow::Borrowed(text),
            decoded: String::new(),
            items: Vec::new(),
            // About as many as a text of this length has, so that few have to be moved.
            entries: Vec::with_capacity((text.len() / BYTES_PER_MEMBER).min(MOST_AHEAD)),
            root: Cell::Null,
            depth: 0,
            has_unsafe_integers: false,
        };
        Reader {
            text,
            bytes: text.as_bytes(),
            at: 0,
            tree,
            open: Vec::new(),
            items: Vec::new(),
            entries: Vec::with_capacity(FEW_MEMBERS),
            values: 0,
        }
    }

    fn read(&mut self) -> Result<(), Failure> {
        loop {
            let Some(mut value) = self.value()? else { continue };
            loop {
                match self.open.last() {
                    None => {
                        self.tree.root = value;
                        self.skip_space();
                        return if self.at == self.bytes.len() { Ok(()) } else { Err(Failure::Syntax) };
                    }
                    Some(Open::List { .. }) => self.items.push(value),
                    Some(Open::Object { name, .. }) => self.entries.push(Entry { name: *name, value }),
                }
                self.skip_space();
                let byte = self.peek();
                match (byte, self.open.last_mut()) {
                    (Some(b','), Some(Open::List { .. })) => {
                        self.at += 1;
                        break;
                    }
                    (Some(b','), Some(Open::Object { .. })) => {
                        self.at += 1;
                        let next = self.name()?;
                        if let Some(Open::Object { name, .. }) = self.open.last_mut() {
                            *name = next;
                        }
                        break;
                    }
                    (Some(b']'), Some(Open::List { .. })) | (Some(b'}'), Some(Open::Object { .. })) => {
                        self.at += 1;
                        value = self.close();
                    }
                    _ => return Err(Failure::Syntax),
                }
            }
        }
    }

    /// A value that stands here; None where it begins a container that has members.
    fn value(&mut self) -> Result<Option<Cell>, Failure> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(Unreadable::TooMany.into());
        }
        self.skip_space();
        let value = match self.peek() {
            Some(b'"') => Cell::Text(self.string()?),
            Some(b'{') => return self.begin(b'}'),
            Some(b'[') => return self.begin(b']'),
            Some(b'-' | b'0'..=b'9') => Cell::Number(self.number()?),
            Some(b't') => self.word(b"true", Cell::Bool(true))?,
            Some(b'f') => self.word(b"false", Cell::Bool(false))?,
            Some(b'n') => self.word(b"null", Cell::Null)?,
            _ => return Err(Failure::Syntax),
        };
        Ok(Some(value))
    }

    fn begin(&mut self, end: u8) -> Result<Option<Cell>, Failure> {
        self.at += 1;
        let depth = self.open.len() + 1;
        if depth > MAX_NESTING {
            return Err(Unreadable::TooDeep.into());
        }
        self.tree.depth = self.tree.depth.max(depth);
        self.skip_space();
        if self.peek() == Some(end) {
            self.at += 1;
            let none = Span { start: 0, len: 0 };
            return Ok(Some(if end == b']' { Cell::List(none) } else { Cell::Object(none) }));
        }
        let open = match end {
            b']' => Open::List { from: self.items.len() },
            _ => Open::Object { from: self.entries.len(), name: self.name()? },
        };
        self.open.push(open);
        Ok(None)
    }

    /// Moves what waits for the innermost container to its place.
    // A text of 32 MiB has fewer members than an offset holds.
    #[allow(clippy::cast_possible_truncation)]
    fn close(&mut self) -> Cell {
        match self.open.pop() {
            Some(Open::List { from }) => {
                let span = Span { start: self.tree.items.len() as u32, len: (self.items.len() - from) as u32 };
                self.tree.items.extend(self.items.drain(from..));
                Cell::List(span)
            }
            Some(Open::Object { from, .. }) => {
                self.keep_last(from);
                let span = Span { start: self.tree.entries.len() as u32, len: (self.entries.len() - from) as u32 };
                self.tree.entries.extend(self.entries.drain(from..));
                Cell::Object(span)
            }
            None => Cell::Null,
        }
    }

    /// Of members with the same name the last one counts, at the place of the first.
    fn keep_last(&mut self, from: usize) {
        let (tree, members) = (&self.tree, &self.entries[from..]);
        let is_same = |one: &Entry, other: &Entry| match (one.name, other.name) {
            (Cell::Text(one), Cell::Text(other)) => {
                one.span.len == other.span.len && tree.text(one) == tree.text(other)
            }
            _ => false,
        };
        if members.len() <= FEW_MEMBERS {
            let is_twice = |at: usize| members[..at].iter().any(|member| is_same(member, &members[at]));
            if !(1..members.len()).any(is_twice) {
                return;
            }
        }
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(members.len());
        let mut kept: Vec<Entry> = Vec::with_capacity(members.len());
        for member in members {
            let at = *first.entry(tree.name(member)).or_insert(kept.len());
            match kept.get_mut(at) {
                Some(known) => *known = *member,
                None => kept.push(*member),
            }
        }
        self.entries.truncate(from);
        self.entries.append(&mut kept);
    }

    /// A name, and the colon behind it.
    fn name(&mut self) -> Result<Cell, Failure> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return Err(Failure::Syntax);
        }
        let name = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(Failure::Syntax);
        }
        self.at += 1;
        Ok(Cell::Text(name))
    }

    // A text of 32 MiB is shorter than an offset holds.
    #[allow(clippy::cast_possible_truncation)]
    fn string(&mut self) -> Result<Text, Failure> {
        self.at += 1;
        let start = self.at;
        let mut has_escapes = false;
        loop {
            self.at = after_plain(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    self.at += self.escape().ok_or(Failure::Syntax)?;
                }
                _ => return Err(Failure::Syntax),
            }
        }
        let raw = &self.text[start..self.at];
        self.at += 1;
        if !has_escapes {
            return Ok(Text { span: Span { start: start as u32, len: raw.len() as u32 }, is_decoded: false });
        }
        let start = self.tree.decoded.len() as u32;
        self.tree.decoded.push_str(&decode(raw));
        let len = self.tree.decoded.len() as u32 - start;
        Ok(Text { span: Span { start, len }, is_decoded: true })
    }

    /// The length of the escape that stands here, if it is one.
    fn escape(&self) -> Option<usize> {
        match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
            b'u' => {
                let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(6)
            }
            _ => None,
        }
    }

    fn number(&mut self) -> Result<f64, Failure> {
        /// Fewer digits than would lose one in a float.
        const EXACT_DIGITS: usize = 15;
        let start = self.at;
        let is_negative = self.peek() == Some(b'-');
        self.at += usize::from(is_negative);
        let whole = self.at;
        let mut value = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - whole;
        if digits == 0 || (digits > 1 && self.bytes[whole] == b'0') {
            self.at = whole + digits.min(1);
            return Err(Failure::Syntax);
        }
        let mut is_whole = true;
        if self.peek() == Some(b'.') {
            is_whole = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_whole = false;
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        if is_whole && digits <= EXACT_DIGITS {
            #[allow(clippy::cast_precision_loss)]
            let value = value as f64;
            return Ok(if is_negative { -value } else { value });
        }
        let number: f64 = self.text[start..self.at].parse().map_err(|_| Failure::Syntax)?;
        if !number.is_finite() {
            return Err(Unreadable::NumberOutOfRange.into());
        }
        self.tree.has_unsafe_integers |= number.abs() > MAX_SAFE;
        Ok(number)
    }

    fn digits(&mut self) -> Result<(), Failure> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(Failure::Syntax) } else { Ok(()) }
    }

    fn word(&mut self, word: &[u8], value: Cell) -> Result<Cell, Failure> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Failure::Syntax);
        }
        self.at += word.len();
        Ok(value)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The place that was reached, by line and byte from 1.
    fn not_json(&self) -> Unreadable {
        let end = (self.at + 1).min(self.bytes.len());
        let read = &self.bytes[..end];
        let line = 1 + memchr::memchr_iter(b'\n', read).count();
        let column = end - memchr::memrchr(b'\n', read).map_or(0, |at| at + 1);
        Unreadable::NotJson { line, column }
    }
}

/// The place of the next byte that ends a plain part of a string: a quote, a backslash or a control character.
fn after_plain(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero; bytes above a zero may be marked too, which costs a look at each.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*eight);
        let quotes = zeros(word ^ (ONES * 0x22));
        let backslashes = zeros(word ^ (ONES * 0x5C));
        let controls = zeros(word & (ONES * 0xE0));
        if quotes | backslashes | controls != 0 {
            break;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
        at += 1;
    }
    at
}
