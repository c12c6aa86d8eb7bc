//! Reads JSON text into a tree, in one pass and without trusting it.
//!
//! Rule: a loop, whatever the nesting, which is bounded with the number of values while they are read. What is taken is
//! what RFC 8259 has for JSON, and of equal names in an object the last one counts, as for `JSON.parse`.

use std::borrow::Cow;
use std::collections::HashMap;

use super::tree::{Cell, Entry, MAX_NESTING, MAX_SAFE, MAX_VALUES, Span, Text, Tree, Unreadable};
use crate::json::decode;

/// Objects of at most so many members are searched for equal names pair by pair.
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
            entries: Vec::new(),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::input_check::tree::MAX_BYTES;

    fn value(text: &str) -> Result<Value, Unreadable> {
        Tree::read(text).map(|tree| tree.to_value(tree.root))
    }

    #[test]
    fn reads_values_of_every_kind() {
        let text =
            " {\"a\" : [1,-2.5e3,0, true ,false,null,\"x\\n\\u0041\" ], \"b\":{} ,\"c\":[],\"\":{\"d\":[[{}]]} }\r\n";
        let tree = Tree::read(text).unwrap();
        assert_eq!((tree.depth, tree.values()), (5, 20));
        assert_eq!(
            tree.to_value(tree.root),
            json!({ "a": [1, -2500, 0, true, false, null, "x\nA"], "b": {}, "c": [], "": { "d": [[{}]] } })
        );
    }

    #[test]
    fn counts_levels_and_ignores_brackets_within_strings() {
        assert_eq!(Tree::read(r#"{"a":["[[[\"{{",[1]]}"#).map(|tree| tree.depth), Ok(3));
    }

    #[test]
    fn refuses_one_level_more_than_the_limit() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Tree::read(&nested(MAX_NESTING)).is_ok());
        assert_eq!(Tree::read(&nested(MAX_NESTING + 1)).map(|_| ()), Err(Unreadable::TooDeep));
        assert_eq!(Tree::read(&"[".repeat(100_000)).map(|_| ()), Err(Unreadable::TooDeep));
    }

    #[test]
    fn refuses_more_values_and_bytes_than_the_limits() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 2));
        assert!(Tree::read(&list(MAX_VALUES)).is_ok());
        assert_eq!(Tree::read(&list(MAX_VALUES + 1)).map(|_| ()), Err(Unreadable::TooMany));
        assert_eq!(Tree::read(&" ".repeat(MAX_BYTES + 1)).map(|_| ()), Err(Unreadable::TooLong));
    }

    #[test]
    fn reads_each_half_of_a_surrogate_pair_as_a_character_of_its_own() {
        assert_eq!(value(r#""\ud800""#), Ok(json!("\u{10f800}")));
        assert_eq!(value(r#""\uDC00\uD83D\uDE00\ud83d""#), Ok(json!("\u{10fc00}😀\u{10f83d}")));
        assert_eq!(value(r#""\\ud800""#), Ok(json!(r"\ud800")));
    }

    #[test]
    fn keeps_the_last_of_equal_names_among_few_and_many() {
        assert_eq!(value(r#"{"a":1,"b":2,"\u0061":3}"#), Ok(json!({ "a": 3, "b": 2 })));
        let many: String = (0..40).map(|at| format!("\"n{}\":{at},", at % 20)).collect();
        let read = value(&format!("{{{many}\"z\":0}}")).unwrap();
        assert_eq!(read.as_object().map(Map::len), Some(21));
        assert_eq!(read["n0"], json!(20));
    }

    #[test]
    fn tells_a_number_out_of_range_from_text_that_is_not_json() {
        assert_eq!(value("[1e400]"), Err(Unreadable::NumberOutOfRange));
        assert_eq!(value("{} x"), Err(Unreadable::NotJson { line: 1, column: 4 }));
        assert_eq!(value("{\n  \"a\": tru\n}"), Err(Unreadable::NotJson { line: 2, column: 8 }));
        for text in [
            "",
            " ",
            "{",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "--1",
            "\"",
            "\"\\",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "nul",
            "True",
            "1 2",
            "]",
            "[}",
            "{]",
            "NaN",
            "\u{feff}1",
            "'a'",
        ] {
            assert!(matches!(value(text), Err(Unreadable::NotJson { .. })), "{text:?}");
        }
    }

    #[test]
    fn reads_numbers_as_the_nearest_that_a_float_has() {
        for text in ["0.1", "0.30000000000000004", "1e-320", "123456789012345678", "9007199254740993", "-0.0", "5e-324"]
        {
            let tree = Tree::read(text).unwrap();
            assert_eq!(tree.root, Cell::Number(text.parse().unwrap()), "{text}");
        }
        assert!(Tree::read("[9007199254740992]").unwrap().has_unsafe_integers);
        assert!(!Tree::read("[9007199254740991, 0.5]").unwrap().has_unsafe_integers);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// The same, be a whole number written with a fraction or without.
    fn is_same(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1))
            }
            (one, other) => one == other,
        }
    }

    proptest! {
        #[test]
        fn reads_what_another_reader_reads(value in any_value(), spaced in any::<bool>()) {
            let text = if spaced { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let tree = Tree::read(&text).unwrap();
            prop_assert!(is_same(&tree.to_value(tree.root), &value), "{}", text);
        }

        #[test]
        fn takes_and_refuses_the_texts_that_another_reader_does(text in "[\\[\\]{},:\"\\\\a0-9e.+-]{0,12}") {
            let other: Result<Value, _> = serde_json::from_str(&text);
            match Tree::read(&text) {
                Ok(_) => prop_assert!(other.is_ok(), "{}", text),
                Err(Unreadable::NumberOutOfRange) => prop_assert!(other.is_err()),
                Err(_) => prop_assert!(other.is_err(), "{}", text),
            }
        }
    }
}
