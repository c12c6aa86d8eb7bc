//! One pass over a valid JSON text that goes into some values and past the others, so that no byte is looked at twice.

use std::borrow::Cow;

use super::decode;
use super::node::{Kind, Node, after_string, after_value, kind_of, to_token};

/// A place before a value.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Before a value of a text that has been checked.
    pub(crate) fn before(node: Node<'a>) -> Self {
        Self { text: node.text(), at: 0 }
    }

    pub(crate) fn kind(&self) -> Kind {
        kind_of(self.text.as_bytes().get(self.at).copied())
    }

    /// Goes past the value.
    pub(crate) fn value(&mut self) -> Node<'a> {
        let start = self.at;
        self.at = after_value(self.text.as_bytes(), start);
        Node::trusted(&self.text[start..self.at])
    }

    /// Goes through the items of a list; past any other value. `item` may go into the value it is put before, or leave it.
    pub(crate) fn items(&mut self, mut item: impl FnMut(&mut Self)) {
        if self.kind() != Kind::List {
            self.value();
            return;
        }
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            let value = to_token(bytes, self.at);
            if matches!(bytes.get(value), None | Some(b']')) {
                self.at = (value + 1).min(bytes.len());
                return;
            }
            self.at = value;
            item(self);
            if self.at == value {
                self.value();
            }
        }
    }

    /// Goes through the members of an object; past any other value. `member` may go into the value it is put before, or
    /// leave it.
    pub(crate) fn members(&mut self, mut member: impl FnMut(Cow<'a, str>, &mut Self)) -> Node<'a> {
        if self.kind() != Kind::Object {
            return self.value();
        }
        let bytes = self.text.as_bytes();
        let start = self.at;
        self.at += 1;
        loop {
            let key = to_token(bytes, self.at);
            if bytes.get(key) != Some(&b'"') {
                self.at = (key + 1).min(bytes.len());
                return Node::trusted(&self.text[start..self.at]);
            }
            let key_end = after_string(bytes, key);
            let value = to_token(bytes, key_end);
            self.at = value;
            member(decode(&self.text[key + 1..key_end - 1]), self);
            if self.at == value {
                self.value();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn goes_into_some_values_and_past_others() {
        let text = r#" { "a" : { "b" : [ 1, "}" ] , "c":{} } , "d" : [ {} ] , "e" : 7 } "#;
        let mut seen = Vec::new();
        let whole = Cursor::before(check(text).unwrap()).members(|key, cursor| match key.as_ref() {
            "a" => {
                let inner = cursor.members(|key, cursor| seen.push(format!("a.{key} {}", cursor.value().text())));
                assert_eq!(inner.text(), r#"{ "b" : [ 1, "}" ] , "c":{} }"#);
            }
            "d" => cursor.items(|cursor| seen.push(format!("d {}", cursor.value().text()))),
            _ => seen.push(format!("{key} {:?}", cursor.members(|_, _| {}).kind())),
        });
        assert_eq!(whole.text(), text.trim());
        assert_eq!(seen, ["a.b [ 1, \"}\" ]", "a.c {}", "d {}", "e Number"]);
    }
}
