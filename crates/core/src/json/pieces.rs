//! A large JSON text in pieces that are parsed one by one, so that a thread with other work to do is never held up long.

use std::collections::HashMap;

use super::node::{Kind, Node, after_string, after_value, kind_of, to_token};

/// A value of fewer bytes stays whole.
const MAX_WHOLE: usize = 256 << 10;

/// The longest piece in bytes: what is parsed in a millisecond or two.
const MAX_PIECE: usize = 64 << 10;

/// The longest part of a string in bytes, which is read faster than what has structure.
const MAX_PART: usize = 512 << 10;

/// A JSON value as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonText {
    /// All of it.
    Whole(String),
    /// In pieces, to be put together in this order.
    Pieces(Vec<Piece>),
}

/// A piece of a value that is being put together. What is opened is where the next pieces go until it is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A list begins: under this key, JSON text, where an object is open.
    OpenList(Option<String>),
    /// An object begins.
    OpenObject(Option<String>),
    /// Items of the open list: JSON text of a list.
    Items(String),
    /// Members of the open object: JSON text of an object.
    Members(String),
    /// A long string begins.
    OpenString(Option<String>),
    /// A part of the open string: JSON text of a string.
    Part(String),
    /// The open list, object or string is whole.
    Close,
}

impl JsonText {
    /// The text of a valid value, in pieces if it is large.
    pub(crate) fn of(value: Node<'_>) -> Self {
        let text = value.text();
        if text.len() <= MAX_WHOLE {
            return Self::Whole(text.to_owned());
        }
        let ends = large_ends(text);
        let mut splitter = Splitter { text, ends, pieces: Vec::new(), open: Vec::new(), run: None };
        splitter.split();
        Self::Pieces(splitter.pieces)
    }
}

/// A value on its way to be split.
struct Splitter<'a> {
    text: &'a str,
    /// Where the large lists and objects end, by where they begin.
    ends: HashMap<usize, usize>,
    pieces: Vec<Piece>,
    /// The lists and objects that are open.
    open: Vec<Kind>,
    /// From where to where children are together in the next piece.
    run: Option<(usize, usize)>,
}

impl Splitter<'_> {
    fn split(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.enter(0, None);
        while let Some(kind) = self.open.last().copied() {
            let child = to_token(bytes, at);
            if matches!(bytes.get(child), None | Some(b']' | b'}')) {
                self.flush();
                self.pieces.push(Piece::Close);
                self.open.pop();
                at = child + 1;
                continue;
            }
            let value = if kind == Kind::Object { to_token(bytes, after_string(bytes, child)) } else { child };
            // What is not large is gone through once more, and not once for each level around it.
            let end = self.ends.get(&value).copied().unwrap_or_else(|| after_value(bytes, value));
            if end - self.run.map_or(child, |(start, _)| start) > MAX_PIECE {
                self.flush();
            }
            if end - value > MAX_PIECE {
                self.flush();
                let key = (kind == Kind::Object).then(|| self.text[child..after_string(bytes, child)].to_owned());
                at = self.enter(value, key);
            } else {
                self.run = Some((self.run.map_or(child, |(start, _)| start), end));
                at = end;
            }
        }
    }

    /// Begins what is large: the place of its first child, or behind it when it has none.
    fn enter(&mut self, at: usize, key: Option<String>) -> usize {
        let bytes = self.text.as_bytes();
        match kind_of(bytes.get(at).copied()) {
            Kind::List => self.pieces.push(Piece::OpenList(key)),
            Kind::Object => self.pieces.push(Piece::OpenObject(key)),
            Kind::String => {
                let end = after_string(bytes, at);
                self.string(at + 1, end - 1, key);
                return end;
            }
            // A number of so many digits.
            _ => {
                let end = after_value(bytes, at);
                let number = &self.text[at..end];
                self.pieces.push(match key {
                    None => Piece::Items(format!("[{number}]")),
                    Some(key) => Piece::Members(format!("{{{key}:{number}}}")),
                });
                return end;
            }
        }
        self.open.push(kind_of(bytes.get(at).copied()));
        at + 1
    }

    fn string(&mut self, at: usize, end: usize, key: Option<String>) {
        self.pieces.push(Piece::OpenString(key));
        self.pieces.extend(parts(&self.text[at..end]).map(|part| Piece::Part(format!("\"{part}\""))));
        self.pieces.push(Piece::Close);
    }

    fn flush(&mut self) {
        let Some((start, end)) = self.run.take() else { return };
        let part = &self.text[start..end];
        let is_list = self.open.last() == Some(&Kind::List);
        self.pieces.push(if is_list {
            Piece::Items(format!("[{part}]"))
        } else {
            Piece::Members(format!("{{{part}}}"))
        });
    }
}

fn large_ends(text: &str) -> HashMap<usize, usize> {
    let bytes = text.as_bytes();
    let mut ends = HashMap::new();
    let mut open = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = after_string(bytes, at);
                continue;
            }
            b'{' | b'[' => open.push(at),
            b'}' | b']' => {
                if let Some(start) = open.pop().filter(|start| at - start > MAX_PIECE) {
                    ends.insert(start, at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    ends
}

/// The inside of a string's JSON text in parts, each of which is the inside of one too.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = part_end(text, start, text.len());
        (start < at).then(|| &text[start..at])
    })
}

/// Where a part of a string may end that begins at `at`: neither within a character nor within an escape. Between the
/// escapes of a surrogate pair it may.
fn part_end(text: &str, at: usize, end: usize) -> usize {
    if end - at <= MAX_PART {
        return end;
    }
    let bytes = text.as_bytes();
    let mut cut = at;
    while cut - at < MAX_PART {
        let rest = &bytes[cut..end];
        match memchr::memchr(b'\\', rest) {
            Some(0) => cut += if rest.get(1) == Some(&b'u') { 6 } else { 2 },
            Some(plain) if cut + plain - at <= MAX_PART => cut += plain,
            _ => {
                cut = at + MAX_PART;
                while !text.is_char_boundary(cut) {
                    cut -= 1;
                }
                return cut;
            }
        }
    }
    cut.min(end)
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;
    use serde_json::{Map, Value, json};

    fn pieces(value: &Value) -> Vec<Piece> {
        match JsonText::of(check(&value.to_string()).unwrap()) {
            JsonText::Whole(text) => panic!("{} bytes are in one piece", text.len()),
            JsonText::Pieces(pieces) => pieces,
        }
    }

    fn attach(open: &mut [(Option<String>, Value)], key: Option<String>, value: Value) {
        match &mut open.last_mut().unwrap().1 {
            Value::Array(items) => items.push(value),
            Value::Object(members) => {
                members.insert(key.unwrap(), value);
            }
            _ => unreachable!(),
        }
    }

    fn join(pieces: Vec<Piece>) -> Value {
        let key = |key: Option<String>| key.map(|text| serde_json::from_str::<String>(&text).unwrap());
        let mut open: Vec<(Option<String>, Value)> = vec![(None, json!([]))];
        for piece in pieces {
            match piece {
                Piece::OpenList(name) => open.push((key(name), json!([]))),
                Piece::OpenObject(name) => open.push((key(name), Value::Object(Map::new()))),
                Piece::OpenString(name) => open.push((key(name), json!(""))),
                Piece::Part(text) => {
                    assert!(text.len() <= MAX_PART + 8);
                    let Value::String(whole) = &mut open.last_mut().unwrap().1 else { unreachable!() };
                    whole.push_str(&serde_json::from_str::<String>(&text).unwrap());
                }
                Piece::Items(text) => {
                    assert!(text.len() <= MAX_PIECE + 2);
                    for item in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
                        attach(&mut open, None, item);
                    }
                }
                Piece::Members(text) => {
                    for (name, value) in serde_json::from_str::<Map<String, Value>>(&text).unwrap() {
                        attach(&mut open, Some(name), value);
                    }
                }
                Piece::Close => {
                    let (name, value) = open.pop().unwrap();
                    attach(&mut open, name, value);
                }
            }
        }
        open.pop().unwrap().1[0].take()
    }

    #[test]
    fn what_is_small_stays_whole() {
        assert_eq!(JsonText::of(check("[1]").unwrap()), JsonText::Whole("[1]".to_owned()));
        let string = format!("\"{}\"", "x".repeat(MAX_WHOLE - 2));
        assert_eq!(JsonText::of(check(&string).unwrap()), JsonText::Whole(string.clone()));
    }

    #[test]
    fn levels_around_a_large_value_cost_little() {
        // Gone through once for each level, this would take minutes.
        let rows = json!(vec!["0123456789"; 400_000]).to_string();
        let text = format!("{}{rows}{}", "[".repeat(400), "]".repeat(400));
        let JsonText::Pieces(pieces) = JsonText::of(check(&text).unwrap()) else { panic!("it is whole") };
        assert_eq!(pieces.iter().filter(|piece| matches!(piece, Piece::OpenList(None))).count(), 401);
    }

    #[test]
    fn pieces_make_the_same_value() {
        let row = |at: usize| json!({ "id": at, "name": format!("row \"{at}\" ]}}"), "tags": ["a", {}, []] });
        let rows: Vec<Value> = (0..20_000).map(row).collect();
        let many: Map<String, Value> = (0..9_000).map(|at| (format!("k\\{at}"), row(at))).collect();
        for value in [
            json!(rows),
            json!({ "content": [{ "type": "text", "text": "é\n\u{1}x".repeat(MAX_PART) }, 1], "after": true }),
            json!("\u{1}".repeat(MAX_PART)),
            json!(["😀é".repeat(MAX_PART), "\\\"".repeat(MAX_PART)]),
            json!({ "a": { "rows": rows, "many": many, "none": {} }, "b": [[[rows]], 2], "\"c\"": null }),
            json!([many, "y".repeat(MAX_PIECE + 1), "z", rows, []]),
        ] {
            let pieces = pieces(&value);
            assert!(pieces.len() > 3, "{}", pieces.len());
            assert_eq!(join(pieces), value);
        }
    }
}
