//! A valid JSON text as a flat list of its tokens, so that a converter sees a value's members before it writes them, in
//! one pass over the text and without a tree.

use std::borrow::Cow;

use super::node::{Kind, after_scalar, after_string, kind_of, to_token};
use super::{Node, decode};

/// A text that is not made into a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TapeError {
    /// More levels than allowed.
    #[error("is nested more than {0} levels deep")]
    TooDeep(usize),
    /// More bytes than an offset holds.
    #[error("is larger than 4 GiB")]
    TooLarge,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    start: u32,
    end: u32,
    /// The token behind this value and all that is in it.
    next: u32,
}

/// The tokens of one value: an object is followed by its keys and values in turn, a list by its items.
#[derive(Debug)]
pub(crate) struct Tape<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Tape<'a> {
    /// Lists the tokens of a value that is nested at most `max_depth` levels deep.
    pub(crate) fn of(node: Node<'a>, max_depth: usize) -> Result<Self, TapeError> {
        let text = node.text();
        if u32::try_from(text.len()).is_err() {
            return Err(TapeError::TooLarge);
        }
        let bytes = text.as_bytes();
        let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 16 + 1);
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        loop {
            at = to_token(bytes, at);
            let Some(&byte) = bytes.get(at) else { break };
            let index = tokens.len();
            match byte {
                b'}' | b']' => {
                    at += 1;
                    if let Some(container) = open.pop() {
                        tokens[container].end = at as u32;
                        tokens[container].next = index as u32;
                    }
                }
                b'{' | b'[' => {
                    if open.len() >= max_depth {
                        return Err(TapeError::TooDeep(max_depth));
                    }
                    open.push(index);
                    tokens.push(Token { start: at as u32, end: 0, next: 0 });
                    at += 1;
                }
                _ => {
                    let end = if byte == b'"' { after_string(bytes, at) } else { after_scalar(bytes, at) };
                    tokens.push(Token { start: at as u32, end: end as u32, next: index as u32 + 1 });
                    at = end;
                }
            }
            if open.is_empty() {
                break;
            }
        }
        Ok(Self { text, tokens })
    }

    pub(crate) fn root(&self) -> Value<'_, 'a> {
        Value { tape: self, index: 0 }
    }
}

/// One value of a tape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'t, 'a> {
    tape: &'t Tape<'a>,
    index: usize,
}

impl<'t, 'a> Value<'t, 'a> {
    fn token(self) -> Token {
        self.tape.tokens[self.index]
    }

    pub(crate) fn text(self) -> &'a str {
        let token = self.token();
        &self.tape.text[token.start as usize..token.end as usize]
    }

    pub(crate) fn kind(self) -> Kind {
        kind_of(self.tape.text.as_bytes().get(self.token().start as usize).copied())
    }

    pub(crate) fn as_str(self) -> Option<Cow<'a, str>> {
        let text = self.text();
        (self.kind() == Kind::String).then(|| decode(&text[1..text.len() - 1]))
    }

    /// The members of an object, each name once: the place of the first, the value of the last, as `JSON.parse` has it.
    pub(crate) fn members(self) -> Vec<Member<'t, 'a>> {
        let mut members: Vec<Member<'t, 'a>> = Vec::new();
        if self.kind() != Kind::Object {
            return members;
        }
        let end = self.token().next as usize;
        let mut at = self.index + 1;
        while at < end {
            let key = Value { tape: self.tape, index: at };
            let value = Value { tape: self.tape, index: at + 1 };
            members.push(Member { name: key.as_str().unwrap_or_default(), key: key.text(), value });
            at = value.token().next as usize;
        }
        drop_duplicates(&mut members);
        members
    }

    /// The items of a list.
    pub(crate) fn items(self) -> impl Iterator<Item = Value<'t, 'a>> {
        let token = self.token();
        let end = if self.kind() == Kind::List { token.next as usize } else { 0 };
        let mut at = self.index + 1;
        std::iter::from_fn(move || {
            let item = (at < end).then_some(Value { tape: self.tape, index: at })?;
            at = item.token().next as usize;
            Some(item)
        })
    }
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member<'t, 'a> {
    /// The name, decoded.
    pub(crate) name: Cow<'a, str>,
    /// The name as it is written, with its quotes: it may spell what a Rust string cannot hold.
    pub(crate) key: &'a str,
    pub(crate) value: Value<'t, 'a>,
}

fn drop_duplicates(members: &mut Vec<Member<'_, '_>>) {
    const FEW: usize = 16;
    let has_duplicate = if members.len() <= FEW {
        (1..members.len()).any(|at| members[..at].iter().any(|member| member.name == members[at].name))
    } else {
        let mut seen = std::collections::HashSet::with_capacity(members.len());
        members.iter().any(|member| !seen.insert(member.name.as_ref()))
    };
    if has_duplicate {
        let unique: indexmap::IndexMap<Cow<'_, str>, Member<'_, '_>> =
            members.drain(..).map(|member| (member.name.clone(), member)).collect();
        members.extend(unique.into_values());
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    fn tape(text: &str) -> Tape<'_> {
        Tape::of(check(text).unwrap(), 512).unwrap()
    }

    #[test]
    fn walks_members_and_items() {
        let tape = tape(r#" { "a" : [ 1, {"b":"x"} , [] ], "c": null } "#);
        let members = tape.root().members();
        assert_eq!(members.iter().map(|member| member.name.as_ref()).collect::<Vec<_>>(), ["a", "c"]);
        let items: Vec<&str> = members[0].value.items().map(Value::text).collect();
        assert_eq!(items, ["1", r#"{"b":"x"}"#, "[]"]);
        assert_eq!(members[1].value.kind(), Kind::Null);
        assert_eq!(tape.root().items().count(), 0);
    }

    #[test]
    fn keeps_the_last_of_two_members_at_the_place_of_the_first() {
        let tape = tape(r#"{"a":1,"b":2,"a":3}"#);
        let members: Vec<_> =
            tape.root().members().into_iter().map(|member| (member.name.into_owned(), member.value.text())).collect();
        assert_eq!(members, [("a".to_owned(), "3"), ("b".to_owned(), "2")]);
    }

    #[test]
    fn refuses_more_levels_than_allowed_and_takes_as_many() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(Tape::of(check(&nested(512)).unwrap(), 512).is_ok());
        assert_eq!(Tape::of(check(&nested(513)).unwrap(), 512).unwrap_err(), TapeError::TooDeep(512));
        assert!(Tape::of(check(&nested(1_000_000)).unwrap(), 512).is_err());
    }
}
