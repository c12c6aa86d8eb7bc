//! One pass over a text that goes into some values and past the others, and says in the end whether all of it was JSON: no
//! byte is looked at twice.

use std::borrow::Cow;

use super::decode;
use super::node::{Kind, Node, kind_of};
use super::scan::{past_colon, past_space, past_string, past_value};

/// A place before a value.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Something that is not JSON was come upon, and nothing is found any more.
    is_broken: bool,
    room: Vec<u8>,
}

impl<'a> Cursor<'a> {
    /// Before the one value of a text.
    pub(crate) fn at_start(text: &'a str) -> Self {
        Self { text, at: past_space(text.as_bytes(), 0), is_broken: false, room: Vec::new() }
    }

    /// Before a value that is known.
    pub(crate) fn before(node: Node<'a>) -> Self {
        Self::at_start(node.text())
    }

    /// Whether all of the text was JSON, once its value has been gone past.
    pub(crate) fn is_at_end(&self) -> bool {
        !self.is_broken && past_space(self.text.as_bytes(), self.at) == self.text.len()
    }

    pub(crate) fn kind(&self) -> Kind {
        kind_of(self.text.as_bytes().get(self.at).copied())
    }

    /// Goes past the value.
    pub(crate) fn value(&mut self) -> Node<'a> {
        let start = self.at;
        match past_value(self.text.as_bytes(), start, &mut self.room) {
            Some(end) => self.past(start, end),
            None => self.broken(),
        }
    }

    fn past(&mut self, start: usize, end: usize) -> Node<'a> {
        self.at = end;
        Node::trusted(&self.text[start..end])
    }

    fn broken(&mut self) -> Node<'a> {
        self.is_broken = true;
        self.at = self.text.len();
        Node::trusted("null")
    }

    /// Goes through the items of a list; past any other value. `item` may go into the value it is put before, or leave it.
    pub(crate) fn items(&mut self, mut item: impl FnMut(&mut Self)) -> Node<'a> {
        if self.kind() != Kind::List {
            return self.value();
        }
        self.each(b']', |cursor| {
            let value = cursor.at;
            item(cursor);
            Some(value)
        })
    }

    /// Goes through the members of an object; past any other value. `member` may go into the value it is put before, or
    /// leave it.
    pub(crate) fn members(&mut self, mut member: impl FnMut(Cow<'a, str>, &mut Self)) -> Node<'a> {
        if self.kind() != Kind::Object {
            return self.value();
        }
        self.each(b'}', |cursor| {
            let bytes = cursor.text.as_bytes();
            let key = cursor.at;
            let key_end = past_string(bytes, key)?;
            let value = past_colon(bytes, key_end)?;
            cursor.at = value;
            member(decode(&cursor.text[key + 1..key_end - 1]), cursor);
            Some(value)
        })
    }

    /// Goes through what is in a list or object, up to what closes it. `one` says where the value is that it was given, and
    /// may have left.
    fn each(&mut self, close: u8, mut one: impl FnMut(&mut Self) -> Option<usize>) -> Node<'a> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        self.at = past_space(bytes, start + 1);
        if bytes.get(self.at) == Some(&close) {
            return self.past(start, self.at + 1);
        }
        loop {
            match one(self) {
                Some(value) if self.at == value && !self.is_broken => {
                    self.value();
                }
                Some(_) => {}
                None => return self.broken(),
            }
            if self.is_broken {
                return self.broken();
            }
            let end = past_space(bytes, self.at);
            match bytes.get(end) {
                Some(b',') => self.at = past_space(bytes, end + 1),
                Some(byte) if *byte == close => return self.past(start, end + 1),
                _ => return self.broken(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{check, texts};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn goes_into_some_values_and_past_others() {
        let text = r#" { "a" : { "b" : [ 1, "}" ] , "c":{} } , "d" : [ {} ] , "e" : 7 } "#;
        let mut seen = Vec::new();
        let mut cursor = Cursor::at_start(text);
        let whole = cursor.members(|key, cursor| match key.as_ref() {
            "a" => {
                let inner = cursor.members(|key, cursor| seen.push(format!("a.{key} {}", cursor.value().text())));
                assert_eq!(inner.text(), r#"{ "b" : [ 1, "}" ] , "c":{} }"#);
            }
            "d" => {
                cursor.items(|cursor| seen.push(format!("d {}", cursor.value().text())));
            }
            _ => seen.push(format!("{key} {:?}", cursor.members(|_, _| {}).kind())),
        });
        assert!(cursor.is_at_end());
        assert_eq!(whole.text(), text.trim());
        assert_eq!(seen, ["a.b [ 1, \"}\" ]", "a.c {}", "d {}", "e Number"]);
    }

    /// Goes into everything that is at most so deep, and past the rest.
    fn walk<'a>(cursor: &mut Cursor<'a>, depth: usize) -> Node<'a> {
        match (cursor.kind(), depth) {
            (_, 0) => cursor.value(),
            (Kind::Object, _) => cursor.members(|_, cursor| {
                walk(cursor, depth - 1);
            }),
            (Kind::List, _) => cursor.items(|cursor| {
                walk(cursor, depth - 1);
            }),
            _ => cursor.value(),
        }
    }

    /// The whole text, where it is JSON; the same however far it is gone into.
    fn read(text: &str) -> Option<&str> {
        let read = |depth| {
            let mut cursor = Cursor::at_start(text);
            let node = walk(&mut cursor, depth);
            cursor.is_at_end().then(|| node.text())
        };
        let whole = read(0);
        assert!((1..5).all(|depth| read(depth) == whole), "{text}");
        whole
    }

    fn is_read_as_serde_json_does(text: &str) {
        assert_eq!(read(text), check(text).ok().map(Node::text), "{text:?}");
    }

    #[test]
    fn takes_what_json_is_and_nothing_else() {
        let long = "x".repeat(100);
        let texts = [
            "",
            " ",
            "\u{FEFF}1",
            "nul",
            "nulll",
            "True",
            "truefalse",
            "1 2",
            "-",
            "-a",
            "01",
            "-01",
            "0.",
            ".5",
            "+1",
            "1.e1",
            "1e",
            "1e+",
            "1E-2",
            "1.5e+10",
            "-0",
            "0x1",
            "1_0",
            "Infinity",
            "NaN",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\uD800\"",
            "\"\t\"",
            "\"\u{7F}\u{80}é😀\"",
            "\"\u{1F}\"",
            "\"1234567\\",
            "\"12345678\"",
            "'a'",
            "[",
            "[,]",
            "[1,]",
            "[1 2]",
            "[]]",
            "[1,2]",
            "[[],[[]]]",
            "{",
            "{}",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1]",
            "[1}",
            "\u{A0}1",
            "\u{B}1",
            "\u{C}1",
            "//1",
            "1//",
            "\0",
            "{\"a\":{\"b\":[{\"c\":null}]}}",
            "[1,[2,[3,[4,[5,[6]]]]]]",
            "[1,[2,[3,[4,[5,[6}]]]]]]",
        ];
        for text in texts {
            is_read_as_serde_json_does(text);
            for spaced in [
                format!(" \n\t\r{text}        \n"),
                format!("[\"{long}\",\n          {text}\n\n]"),
                format!("{{ \"{long}\" : {text}}}"),
            ] {
                is_read_as_serde_json_does(&spaced);
            }
        }
        for at in 0..20 {
            for byte in 0..0x80_u8 {
                let text = format!("\"{}{}{}\"", &long[..at], char::from(byte), &long[..20 - at]);
                is_read_as_serde_json_does(&text);
            }
        }
    }

    #[test]
    fn nesting_reaches_no_stack() {
        let text = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert!(Cursor::at_start(&text).value().text() == text);
        let open = &text[..text.len() - 1];
        assert!(Cursor::at_start(open).items(|_| {}).text() == "null");
    }

    proptest! {
        #[test]
        fn reads_any_text_as_serde_json_does(text in texts()) {
            is_read_as_serde_json_does(&text);
        }

        /// What is JSON but for one byte, or for what is behind some place.
        #[test]
        fn reads_a_text_with_a_fault_as_serde_json_does(text in texts(), at in any::<prop::sample::Index>(), byte in 0..0x80_u8, cuts in any::<bool>()) {
            let mut bytes = text.into_bytes();
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                if cuts { bytes.truncate(at) } else { bytes[at] = byte }
            }
            if let Ok(text) = std::str::from_utf8(&bytes) {
                is_read_as_serde_json_does(text);
            }
        }
    }
}
