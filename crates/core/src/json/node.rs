//! One value of a valid JSON text, by its place in it.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::{decode, decode_readable};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    List,
    String,
    Number,
    Bool,
    Null,
}

impl Kind {
    /// The word for it, with its article, as an error names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::List => "a list",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
        }
    }
}

/// The text of one valid JSON value, without white space around it. Copying it copies a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node<'a>(&'a str);

impl<'a> Node<'a> {
    /// A value of a text that has been checked.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    pub(crate) fn text(self) -> &'a str {
        self.0
    }

    pub(crate) fn kind(self) -> Kind {
        kind_of(self.0.as_bytes().first().copied())
    }

    /// Where the value begins in memory: the identity of a place in the document.
    pub(crate) fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    /// The string, decoded.
    pub(crate) fn as_str(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| decode(&self.0[1..self.0.len() - 1]))
    }

    /// The string for a person, a model or a header to have, which need not be one that names something.
    pub(crate) fn as_readable(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| decode_readable(&self.0[1..self.0.len() - 1]))
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == "true"
    }

    /// The members of an object, in order, duplicates included; none for any other value.
    pub(crate) fn entries(self) -> Entries<'a> {
        let is_object = self.kind() == Kind::Object;
        Entries { text: self.0, at: if is_object { 1 } else { self.0.len() } }
    }

    /// The members of an object, each name once: the place of the first, the value of the last, as `JSON.parse` has it.
    pub(crate) fn members(self) -> IndexMap<Cow<'a, str>, Node<'a>> {
        self.entries().collect()
    }

    /// The members of these names, in one pass; the last one of a name counts.
    pub(crate) fn fields<const N: usize>(self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        let mut fields = [None; N];
        for (key, value) in self.entries() {
            if let Some(at) = names.iter().position(|name| *name == key) {
                fields[at] = Some(value);
            }
        }
        fields
    }

    /// The items of a list, in order; none for any other value.
    pub(crate) fn items(self) -> Items<'a> {
        let is_list = self.kind() == Kind::List;
        Items { text: self.0, at: if is_list { 1 } else { self.0.len() } }
    }

    /// The member of that name; the last one counts, as `JSON.parse` has it.
    pub(crate) fn get(self, name: &str) -> Option<Node<'a>> {
        self.entries().filter(|(key, _)| key == name).last().map(|(_, value)| value)
    }
}

/// See [`Node::entries`].
#[derive(Debug, Clone)]
pub(crate) struct Entries<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Cow<'a, str>, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let key = to_token(bytes, self.at);
        if bytes.get(key) != Some(&b'"') {
            self.at = bytes.len();
            return None;
        }
        let key_end = after_string(bytes, key);
        let value = to_token(bytes, key_end);
        let value_end = after_value(bytes, value);
        self.at = value_end;
        Some((decode(&self.text[key + 1..key_end - 1]), Node(&self.text[value..value_end])))
    }
}

/// See [`Node::items`].
#[derive(Debug, Clone)]
pub(crate) struct Items<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let value = to_token(bytes, self.at);
        if value >= bytes.len() || bytes[value] == b']' {
            self.at = bytes.len();
            return None;
        }
        self.at = after_value(bytes, value);
        Some(Node(&self.text[value..self.at]))
    }
}

pub(super) fn kind_of(first: Option<u8>) -> Kind {
    match first {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::List,
        Some(b'"') => Kind::String,
        Some(b't' | b'f') => Kind::Bool,
        Some(b'n') | None => Kind::Null,
        Some(_) => Kind::Number,
    }
}

/// The next byte that is neither white space nor a comma or colon.
pub(super) fn to_token(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && matches!(bytes[at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
        at += 1;
    }
    at
}

/// The place behind the string whose opening quote is at `at`.
pub(super) fn after_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// The place behind a number, `true`, `false` or `null`.
pub(super) fn after_scalar(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && !matches!(bytes[at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b']' | b'}') {
        at += 1;
    }
    at
}

/// The place behind the value that begins at `at`: a loop, so that no nesting reaches the stack.
pub(super) fn after_value(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'"') => return after_string(bytes, at),
        Some(b'{' | b'[') => {}
        _ => return after_scalar(bytes, at),
    }
    let mut depth = 0_usize;
    let mut at = at;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = after_string(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::super::{check, texts};
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn read(node: Node<'_>) -> Value {
        match node.kind() {
            Kind::Object => Value::Object(node.entries().map(|(key, value)| (key.into_owned(), read(value))).collect()),
            Kind::List => Value::Array(node.items().map(read).collect()),
            _ => serde_json::from_str(node.text()).unwrap(),
        }
    }

    #[test]
    fn takes_the_last_of_two_members_of_one_name() {
        let node = check(r#"{"a":1,"\u0061":2}"#).unwrap();
        assert_eq!(node.get("a").unwrap().text(), "2");
        assert_eq!(node.get("b"), None);
        assert_eq!(check("[1]").unwrap().get("0"), None);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Whether a value is walked as serde_json cuts it.
    fn is_cut_alike(node: Node<'_>) -> bool {
        use serde_json::value::RawValue;
        use std::collections::BTreeMap;
        match node.kind() {
            Kind::List => {
                let items: Vec<&RawValue> = serde_json::from_str(node.text()).unwrap();
                let own: Vec<Node<'_>> = node.items().collect();
                own.len() == items.len()
                    && own.iter().zip(items).all(|(own, item)| own.text() == item.get() && is_cut_alike(*own))
            }
            Kind::Object => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(node.text()).unwrap();
                let own = node.members();
                own.len() == members.len()
                    && members.iter().all(|(name, member)| {
                        let value = own[name.as_str()];
                        value.text() == member.get() && node.get(name) == Some(value) && is_cut_alike(value)
                    })
            }
            _ => serde_json::from_str::<&RawValue>(node.text()).is_ok_and(|raw| raw.get() == node.text()),
        }
    }

    proptest! {
        #[test]
        fn cuts_any_text_as_serde_json_does(text in texts()) {
            match (check(&text), serde_json::from_str::<serde::de::IgnoredAny>(&text)) {
                (Ok(node), Ok(_)) => prop_assert!(is_cut_alike(node), "{text}"),
                (Err(_), Err(_)) => {}
                (own, _) => prop_assert!(false, "{text}: {own:?}"),
            }
        }

        #[test]
        fn reads_what_serde_json_reads(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(&read(check(&text).unwrap()), &value);
            }
        }
    }
}
