//! The body of an answer as it arrives, told apart: one JSON text, or a stream of events.
//!
//! The rule: which of the two it is says the body, since servers get the media type wrong; the media type only says
//! whether to look at all. The same bytes in other pieces are the same answer.

use super::event_stream::{EventStream, Found};

/// The longest message, in bytes: what document 000 calls more than a tool can return.
pub(super) const MAX_MESSAGE: usize = 16 << 20;

/// The longest body of a refusal.
const MAX_REFUSAL: usize = 64 << 10;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Nothing yet.
    More,
    /// A message: an event's data, or the whole body.
    Message(Vec<u8>),
    /// It can be neither JSON nor a stream of events.
    Unreadable,
    TooLarge,
    /// It ended.
    End,
}

#[derive(Debug)]
enum Shape {
    /// Not enough was read to tell. The byte order mark and white space before are gone.
    Unknown,
    Json,
    Events(Box<EventStream>),
}

/// A body that is being read.
#[derive(Debug)]
pub(super) struct Answer {
    shape: Shape,
    /// The media type says that it is a stream of events.
    says_events: bool,
    max_json: usize,
    /// What has arrived and was not read: of JSON everything, of events what follows the last one found.
    bytes: Vec<u8>,
    at: usize,
    seen_mark: bool,
    ended: bool,
}

/// Whether a body of that media type is looked at.
pub(super) fn is_readable(media_type: Option<&str>) -> bool {
    let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.is_empty() || essence == "text/plain" || essence == "text/event-stream" || essence.contains("json")
}

impl Answer {
    pub(super) fn new(media_type: Option<&str>) -> Self {
        let says_events =
            media_type.is_some_and(|text| text.trim_start().to_ascii_lowercase().starts_with("text/event-stream"));
        Self {
            shape: Shape::Unknown,
            says_events,
            max_json: MAX_MESSAGE,
            bytes: Vec::new(),
            at: 0,
            seen_mark: false,
            ended: false,
        }
    }

    /// The body of an answer whose status says that it is a refusal.
    pub(super) fn refusal(media_type: Option<&str>) -> Self {
        Self { max_json: MAX_REFUSAL, ..Self::new(media_type) }
    }

    pub(super) fn events(&self) -> Option<&EventStream> {
        match &self.shape {
            Shape::Events(events) => Some(events),
            _ => None,
        }
    }

    /// Whether it is a stream, or is said to be one.
    pub(super) fn is_stream(&self) -> bool {
        match self.shape {
            Shape::Unknown => self.says_events,
            Shape::Json => false,
            Shape::Events(_) => true,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.at > 0 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Reads on.
    pub(super) fn read(&mut self) -> Read {
        if matches!(self.shape, Shape::Unknown) {
            match self.tell() {
                Some(shape) => self.shape = shape,
                None if self.ended && self.rest().is_empty() => return Read::End,
                None if self.ended => return Read::Unreadable,
                None if self.rest().len() >= LONGEST_FIELD => return Read::Unreadable,
                None => return Read::More,
            }
        }
        match &mut self.shape {
            Shape::Unknown => Read::Unreadable,
            Shape::Json => {
                if self.bytes.len() - self.at > self.max_json {
                    return Read::TooLarge;
                }
                if !self.ended {
                    return Read::More;
                }
                let at = std::mem::take(&mut self.at);
                let mut message = std::mem::take(&mut self.bytes);
                message.drain(..at);
                if message.is_empty() { Read::End } else { Read::Message(message) }
            }
            Shape::Events(events) => {
                let (taken, found) = events.read(&self.bytes[self.at..]);
                self.at += taken;
                match found {
                    Some(Found::Data(data)) => Read::Message(data),
                    Some(Found::TooLarge) => Read::TooLarge,
                    None => {
                        self.bytes.clear();
                        self.at = 0;
                        if self.ended { Read::End } else { Read::More }
                    }
                }
            }
        }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Which shape it has, from how it begins.
    fn tell(&mut self) -> Option<Shape> {
        const MARK: &[u8] = "\u{FEFF}".as_bytes();
        if !self.seen_mark {
            if self.rest().starts_with(MARK) {
                self.at += MARK.len();
            } else if MARK.starts_with(self.rest()) && !self.ended {
                return None;
            }
            self.seen_mark = true;
        }
        let blank = self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at += blank;
        let rest = self.rest();
        match rest.first()? {
            b'{' | b'[' => Some(Shape::Json),
            _ if self.says_events || begins_as_field(rest) => {
                Some(Shape::Events(Box::new(EventStream::new(MAX_MESSAGE))))
            }
            _ => None,
        }
    }
}

const LONGEST_FIELD: usize = "event:".len();

/// Whether a text begins as a line of an event does. A field's name can stand alone in its line, too.
fn begins_as_field(text: &[u8]) -> bool {
    text.first() == Some(&b':')
        || [&b"data"[..], b"event", b"id", b"retry"].iter().any(|name| {
            text.strip_prefix(*name).and_then(<[u8]>::first).is_some_and(|byte| matches!(byte, b':' | b'\r' | b'\n'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(media_type: Option<&str>, pieces: &[&[u8]]) -> Vec<Read> {
        let mut answer = Answer::new(media_type);
        let mut all = Vec::new();
        for piece in pieces {
            answer.push(piece);
            loop {
                match answer.read() {
                    Read::More => break,
                    Read::Message(message) => all.push(Read::Message(message)),
                    read => {
                        all.push(read);
                        return all;
                    }
                }
            }
        }
        answer.end();
        loop {
            let read = answer.read();
            let is_over = !matches!(read, Read::Message(_));
            all.push(read);
            if is_over || answer.ended && answer.rest().is_empty() && matches!(answer.shape, Shape::Json) {
                return all;
            }
        }
    }

    fn message(text: &str) -> Read {
        Read::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn r_000_115_json_and_events_are_told_apart_by_how_they_begin() {
        let events = [message("{\"a\":1}"), Read::End];
        for media_type in
            [None, Some("text/plain"), Some("text/event-stream; charset=latin1"), Some("application/json")]
        {
            assert_eq!(read(media_type, &[b"\xEF\xBB\xBF {\"a\"", b":1}"]), [message("{\"a\":1}")]);
            assert_eq!(read(media_type, &[b"\n", b"dat", b"a: {\"a\":1}\n\n"]), events, "{media_type:?}");
            assert_eq!(read(media_type, &[b": hi\n\ndata: {\"a\":1}"]), events, "{media_type:?}");
        }
        assert_eq!(read(Some("text/event-stream"), &[b"x"]), [Read::End]);
    }

    #[test]
    fn r_000_118_what_is_neither_is_unreadable_at_once() {
        for text in ["null", "\"x\"", "<html>", "database is down", "ok", "retrying", "\u{FEFF}x"] {
            assert_eq!(read(None, &[text.as_bytes()]), [Read::Unreadable], "{text}");
        }
        for text in ["", " \r\n", "\u{FEFF}"] {
            assert_eq!(read(Some("application/json"), &[text.as_bytes()]), [Read::End], "{text:?}");
        }
        assert!(!is_readable(Some("text/html; charset=utf-8")) && !is_readable(Some("image/png")));
        assert!(is_readable(Some("Application/JSON-RPC")) && is_readable(Some(" ;q")) && is_readable(None));
    }

    #[test]
    fn a_message_has_a_limit_and_a_refusal_a_smaller_one() {
        let long = format!("[{}]", " ".repeat(MAX_REFUSAL));
        let mut refusal = Answer::refusal(None);
        refusal.push(long.as_bytes());
        assert_eq!(refusal.read(), Read::TooLarge);
        assert_eq!(read(None, &[long.as_bytes()]), [message(&long)]);
        let mut answer = Answer::new(None);
        answer.push(b"[");
        answer.push(&vec![b' '; MAX_MESSAGE]);
        assert_eq!(answer.read(), Read::TooLarge);
    }
}
