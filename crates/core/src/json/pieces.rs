//! A large JSON text in pieces that are parsed one by one, so that a thread with other work to do is never held up long.

use super::node::{Kind, Node, after_string, after_value, kind_of, to_token};

/// The longest piece in bytes, a longer string or number aside.
const MAX_PIECE: usize = 256 << 10;

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
    /// The open list or object is whole.
    Close,
}

impl JsonText {
    /// The text of a valid value, in pieces if it is large.
    pub(crate) fn of(value: Node<'_>) -> Self {
        if value.text().len() <= MAX_PIECE || !matches!(value.kind(), Kind::Object | Kind::List) {
            return Self::Whole(value.text().to_owned());
        }
        let mut pieces = Vec::new();
        let text = value.text();
        let bytes = text.as_bytes();
        // The lists and objects that are open, and where in each the next piece begins.
        let mut open: Vec<Kind> = Vec::new();
        let mut at = 0;
        let mut run: Option<usize> = None;
        let mut run_end = 0;
        let mut key = None;
        loop {
            // At the beginning of a large list or object.
            let kind = kind_of(bytes.get(at).copied());
            pieces.push(if kind == Kind::List { Piece::OpenList(key.take()) } else { Piece::OpenObject(key.take()) });
            open.push(kind);
            at += 1;
            // Its children, up to one that is large itself; behind its end those of what is around it.
            let large = loop {
                let Some(kind) = open.last().copied() else { return Self::Pieces(pieces) };
                let child = to_token(bytes, at);
                let value = match (bytes.get(child), kind) {
                    (Some(b'"'), Kind::Object) => to_token(bytes, after_string(bytes, child)),
                    (Some(b']' | b'}') | None, _) => {
                        flush(text, &mut run, run_end, kind, &mut pieces);
                        pieces.push(Piece::Close);
                        open.pop();
                        at = child + 1;
                        continue;
                    }
                    _ => child,
                };
                let end = after_value(bytes, value);
                let start = run.unwrap_or(child);
                if end - start > MAX_PIECE {
                    flush(text, &mut run, run_end, kind, &mut pieces);
                    if end - value > MAX_PIECE && matches!(bytes[value], b'{' | b'[') {
                        key = (kind == Kind::Object).then(|| text[child..after_string(bytes, child)].to_owned());
                        break value;
                    }
                }
                run.get_or_insert(child);
                run_end = end;
                at = end;
            };
            at = large;
        }
    }
}

fn flush(text: &str, run: &mut Option<usize>, end: usize, kind: Kind, pieces: &mut Vec<Piece>) {
    let Some(start) = run.take() else { return };
    let part = &text[start..end];
    pieces.push(if kind == Kind::List {
        Piece::Items(format!("[{part}]"))
    } else {
        Piece::Members(format!("{{{part}}}"))
    });
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
                Piece::Items(text) => {
                    assert!(text.len() <= MAX_PIECE + 2 || text.starts_with("[\""));
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
        let string = format!("\"{}\"", "x".repeat(MAX_PIECE));
        assert_eq!(JsonText::of(check(&string).unwrap()), JsonText::Whole(string.clone()));
    }

    #[test]
    fn pieces_make_the_same_value() {
        let row = |at: usize| json!({ "id": at, "name": format!("row \"{at}\" ]}}"), "tags": ["a", {}, []] });
        let rows: Vec<Value> = (0..20_000).map(row).collect();
        let many: Map<String, Value> = (0..9_000).map(|at| (format!("k\\{at}"), row(at))).collect();
        for value in [
            json!(rows),
            json!({ "content": [{ "type": "text", "text": "x".repeat(2 * MAX_PIECE) }, 1], "after": true }),
            json!({ "a": { "rows": rows, "many": many, "none": {} }, "b": [[[rows]], 2], "\"c\"": null }),
            json!([many, "y".repeat(MAX_PIECE + 1), "z", rows, []]),
        ] {
            let pieces = pieces(&value);
            assert!(pieces.len() > 3);
            assert_eq!(join(pieces), value);
        }
    }
}
