//! Server-sent events, as bytes arrive (HTML Living Standard §9.2.6).
//!
//! An event counts here when its data is a JSON object or list, and counts as soon as that is whole: servers forget the
//! blank line that ends an event, or keep the stream open behind it. Other data is passed over, and not kept.

use super::json_end::JsonEnd;

/// The longest id that is kept: it goes back in a header.
const MAX_ID: usize = 1024;

/// The longest wait that a server can ask for, in milliseconds.
const MAX_RETRY_MS: u32 = 3_600_000;

/// What a line's field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Data,
    Id,
    Retry,
    /// A comment, `event`, or any other.
    Other,
}

/// The place within a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Name,
    /// Behind the colon, where one space is left out.
    Colon(Field),
    Value(Field),
}

/// What was found in a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// An event's data: from its first byte to its last an object or a list, as far as brackets tell.
    Data(Vec<u8>),
    /// An event's data is longer than allowed.
    TooLarge,
}

/// A stream of events that is being read.
#[derive(Debug)]
pub(super) struct EventStream {
    max_data: usize,
    place: Place,
    /// Whether a line feed now belongs to the carriage return before it.
    after_return: bool,
    /// The name of the field in this line, as much of it as tells one from another.
    name: Vec<u8>,
    /// The value of `id` or `retry` in this line.
    value: Vec<u8>,
    data: Vec<u8>,
    json: JsonEnd,
    /// Whether the event has a line of data before this one.
    has_data: bool,
    event_id: Vec<u8>,
    last_id: Vec<u8>,
    retry_ms: Option<u32>,
}

impl EventStream {
    pub(super) fn new(max_data: usize) -> Self {
        Self {
            max_data,
            place: Place::Name,
            after_return: false,
            name: Vec::new(),
            value: Vec::new(),
            data: Vec::new(),
            json: JsonEnd::default(),
            has_data: false,
            event_id: Vec::new(),
            last_id: Vec::new(),
            retry_ms: None,
        }
    }

    /// The id of the last event that came whole, when a header can carry it.
    pub(super) fn last_id(&self) -> Option<&str> {
        let id = std::str::from_utf8(&self.last_id).ok()?;
        (!id.is_empty() && id.bytes().all(|byte| (0x21..0x7F).contains(&byte))).then_some(id)
    }

    /// How long the server wants to be left alone before the stream is asked for again.
    pub(super) fn retry_ms(&self) -> Option<u32> {
        self.retry_ms
    }

    /// Reads on up to something, and how many bytes that took; all of them when nothing was found.
    pub(super) fn read(&mut self, bytes: &[u8]) -> (usize, Option<Found>) {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte == b'\n' && self.after_return {
                self.after_return = false;
                at += 1;
                continue;
            }
            self.after_return = false;
            match self.place {
                _ if byte == b'\r' || byte == b'\n' => {
                    self.after_return = byte == b'\r';
                    self.end_line();
                    at += 1;
                }
                Place::Name if byte == b':' => {
                    let field = self.field();
                    self.begin_value(field);
                    self.place = Place::Colon(field);
                    at += 1;
                }
                Place::Name => {
                    // One byte more than the longest name that means something.
                    if self.name.len() <= b"retry".len() {
                        self.name.push(byte);
                    }
                    at += 1;
                }
                Place::Colon(field) => {
                    self.place = Place::Value(field);
                    if byte == b' ' {
                        at += 1;
                    }
                }
                Place::Value(field) => {
                    let rest = &bytes[at..];
                    let part = &rest[..memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len())];
                    let (taken, found) = self.value(field, part);
                    at += taken;
                    if found.is_some() {
                        return (at, found);
                    }
                }
            }
        }
        (at, None)
    }

    fn field(&self) -> Field {
        match self.name.as_slice() {
            b"data" => Field::Data,
            b"id" => Field::Id,
            b"retry" => Field::Retry,
            _ => Field::Other,
        }
    }

    fn begin_value(&mut self, field: Field) {
        self.value.clear();
        if field == Field::Data {
            if self.has_data && !self.json.is_over() {
                // Lines of data are joined by line feeds, which are white space here or end a string that JSON does not allow.
                self.json.scan(b"\n");
                if self.data.len() < self.max_data {
                    self.data.push(b'\n');
                }
            }
            self.has_data = true;
        }
    }

    fn value(&mut self, field: Field, part: &[u8]) -> (usize, Option<Found>) {
        match field {
            Field::Data if !self.json.is_over() => {
                let end = self.json.scan(part);
                let taken = end.unwrap_or(part.len());
                if self.json.is_over() && end.is_none() {
                    self.data = Vec::new();
                    return (part.len(), None);
                }
                if self.data.len() + taken > self.max_data {
                    return (taken, Some(Found::TooLarge));
                }
                self.data.extend_from_slice(&part[..taken]);
                (taken, end.map(|_| Found::Data(std::mem::take(&mut self.data))))
            }
            Field::Id | Field::Retry => {
                let room = (MAX_ID + 1).saturating_sub(self.value.len());
                self.value.extend_from_slice(&part[..part.len().min(room)]);
                (part.len(), None)
            }
            Field::Data | Field::Other => (part.len(), None),
        }
    }

    fn end_line(&mut self) {
        match self.place {
            Place::Name if self.name.is_empty() => self.end_event(),
            Place::Name => {
                let field = self.field();
                self.begin_value(field);
                self.end_field(field);
            }
            Place::Colon(field) | Place::Value(field) => self.end_field(field),
        }
        self.place = Place::Name;
        self.name.clear();
    }

    fn end_field(&mut self, field: Field) {
        match field {
            Field::Id if self.value.len() <= MAX_ID && !self.value.contains(&0) => {
                self.event_id = std::mem::take(&mut self.value);
            }
            Field::Retry => {
                let digits = std::str::from_utf8(&self.value).ok();
                let digits = digits.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
                if let Some(digits) = digits {
                    self.retry_ms = Some(digits.parse().unwrap_or(MAX_RETRY_MS).min(MAX_RETRY_MS));
                }
            }
            _ => {}
        }
    }

    fn end_event(&mut self) {
        self.last_id.clone_from(&self.event_id);
        self.data.clear();
        self.json = JsonEnd::default();
        self.has_data = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(stream: &mut EventStream, mut bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let (taken, one) = stream.read(bytes);
            bytes = &bytes[taken..];
            match one {
                Some(Found::Data(data)) => found.push(String::from_utf8_lossy(&data).into_owned()),
                Some(Found::TooLarge) => {
                    found.push("too large".to_owned());
                    return found;
                }
                None => assert!(bytes.is_empty()),
            }
        }
        found
    }

    fn all(text: &str) -> Vec<String> {
        read(&mut EventStream::new(1000), text.as_bytes())
    }

    #[test]
    fn r_000_116_lines_end_in_any_of_three_ways() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["event: message", "data: {\"a\":", "data:1}", "", ": keep", "data:[]", ""].join(end);
            assert_eq!(all(&text), ["{\"a\":\n1}", "[]"], "{end:?}");
        }
    }

    #[test]
    fn r_000_116_comments_events_without_data_and_what_is_no_json_are_passed_over() {
        let text =
            ": hi\n\nid: 1\ndata:\n\ndata\n\ndata: hello {}\n\ndata: null\n\nevent: x\nfoo: {}\ndata: {\"b\":2}\n\n";
        assert_eq!(all(text), ["{\"b\":2}"]);
    }

    #[test]
    fn takes_data_once_it_is_whole() {
        assert_eq!(all("data: {\"a\":1}"), ["{\"a\":1}"]);
        assert_eq!(all("data: {\"a\":1}\ndata: {\"a\":2}\n\ndata: {\"a\":3}\n"), ["{\"a\":1}", "{\"a\":3}"]);
        assert_eq!(all("data: {\"a\":1"), [""; 0]);
        assert_eq!(all("data: {\"a\":1\n\ndata: {}\n"), ["{}"]);
    }

    #[test]
    fn keeps_the_id_of_the_last_event_that_came_whole() {
        let mut stream = EventStream::new(1000);
        read(&mut stream, b"id: a1\ndata:\nretry: 500\n\n");
        assert_eq!((stream.last_id(), stream.retry_ms()), (Some("a1"), Some(500)));
        read(&mut stream, b"id: b2\ndata: {\"cut");
        assert_eq!(stream.last_id(), Some("a1"));
        read(&mut stream, b"\"}\n\nretry: soon\nretry:\n: x\n\nretry: 99999999999\n");
        assert_eq!((stream.last_id(), stream.retry_ms()), (Some("b2"), Some(MAX_RETRY_MS)));
        read(&mut stream, "id: é\n\n".as_bytes());
        assert_eq!(stream.last_id(), None);
        read(&mut stream, format!("id: ok\n\nid: {}\n\n", "x".repeat(MAX_ID + 1)).as_bytes());
        assert_eq!(stream.last_id(), Some("ok"));
    }

    #[test]
    fn data_has_a_limit_and_other_lines_need_none() {
        let mut stream = EventStream::new(10);
        assert_eq!(
            read(
                &mut stream,
                format!("x: {}\n: {}\ndata: x{}\n\n", "y".repeat(99), "z".repeat(99), "w".repeat(99)).as_bytes()
            ),
            [""; 0]
        );
        assert_eq!(read(&mut stream, b"data: [1,2,3,4]\n\ndata: [1,2,3,4,5]\n\n"), ["[1,2,3,4]", "too large"]);
    }

    proptest! {
        #[test]
        fn r_000_115_pieces_change_nothing(text in "(data|id|retry|:|event|da)?(: ?)?[{}\\[\\]\"a1,:\\\\]{0,9}(\r\n|\n|\r)(\n|\r|\r\n)?(data: ?\\{\"a\":\"é\"\\}(\r|\n|\r\n)){0,3}", cuts in prop::collection::vec(1_usize..7, 0..30)) {
            let mut whole = EventStream::new(20);
            let expected = read(&mut whole, text.as_bytes());
            let mut pieces = EventStream::new(20);
            let mut found = Vec::new();
            let mut rest = text.as_bytes();
            let mut cuts = cuts.into_iter();
            while !rest.is_empty() && found.last().map(String::as_str) != Some("too large") {
                let (piece, after) = rest.split_at(cuts.next().unwrap_or(rest.len()).min(rest.len()));
                found.extend(read(&mut pieces, piece));
                rest = after;
            }
            prop_assert_eq!(found, expected);
            prop_assert_eq!(pieces.last_id(), whole.last_id());
        }
    }
}
