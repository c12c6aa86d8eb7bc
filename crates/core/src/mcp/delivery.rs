//! One request and what comes back for it: an answer, or why there is none.

use std::ops::Range;
use std::sync::Arc;

use super::answer::{Answer, Read, is_readable};
use super::message::{self, ErrorId, RpcError};
use super::request::{self, Request};
use super::server::Session;

/// The head of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) status: u16,
    pub(super) media_type: Option<&'a str>,
    pub(super) session_id: Option<&'a str>,
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// A result, by its place in the text.
    Result {
        text: String,
        range: Range<usize>,
    },
    Error(RpcError),
    /// Nothing that is JSON-RPC for this request.
    None(Why),
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The status says it all, or its body says nothing more.
    Status,
    /// A status that refuses, and a result all the same.
    RefusedResult,
    /// Nobody was reached, or the connection broke.
    Broken,
    /// A stream ended before the answer, and cannot be taken up again.
    Cut,
    /// A success without a body.
    Empty,
    /// A body that is no JSON-RPC, nor a stream of it.
    NotRpc,
    /// The answer to another request.
    AnotherId,
    TooLarge,
}

/// How to go on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Read,
    /// There is a large message to look at, which takes a while.
    Think,
    /// Ask for the rest.
    Send(Request),
    Reply(Reply),
}

/// A message larger than this is looked at apart: what a thread should not be held up by.
pub(super) const LARGE: usize = 256 << 10;

/// How often the rest of a stream is asked for without anything new in between.
const MAX_FRUITLESS: u32 = 3;

/// How often the rest of a stream is asked for at all.
const MAX_RESUMED: u32 = 100;

/// How long to wait before that when the server does not say, in milliseconds.
const DEFAULT_RETRY_MS: u32 = 1000;

/// A request on its way.
#[derive(Debug)]
pub(super) struct Delivery {
    id: u64,
    /// The session in which the rest of a stream can be asked for.
    session: Option<Arc<Session>>,
    /// Whether the request is not sent again, whatever comes back.
    is_last: bool,
    /// The status of the answer; 0 before there is one.
    pub(super) status: u16,
    /// What the head of the answer said of a session.
    pub(super) session_id: Option<String>,
    body: Option<Answer>,
    /// A message that was found and is large.
    large: Option<Vec<u8>>,
    heard_another: bool,
    last_event_id: Option<String>,
    retry_ms: Option<u32>,
    fruitless: u32,
    resumed: u32,
}

impl Delivery {
    pub(super) fn new(id: u64, session: Option<Arc<Session>>) -> Self {
        Self {
            id,
            session,
            is_last: false,
            status: 0,
            session_id: None,
            body: None,
            large: None,
            heard_another: false,
            last_event_id: None,
            retry_ms: None,
            fruitless: 0,
            resumed: 0,
        }
    }

    /// The same for a request that was sent before.
    pub(super) fn last(self, is_last: bool) -> Self {
        Self { is_last, ..self }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn head(&mut self, head: Head<'_>) -> Progress {
        self.body = None;
        if self.resumed > 0 {
            if matches!(head.status, 401 | 403) {
                self.status = head.status;
                return Progress::Reply(Reply::None(Why::Status));
            }
            let is_answer = matches!(head.status, 200 | 201 | 203) && is_readable(head.media_type);
            if !is_answer {
                return Progress::Reply(Reply::None(Why::Cut));
            }
            self.body = Some(Answer::new(head.media_type));
            return Progress::Read;
        }
        self.status = head.status;
        self.session_id = head.session_id.map(str::to_owned);
        let body = match head.status {
            202 | 204 | 205 => return Progress::Reply(Reply::None(Why::Empty)),
            200..=299 if !is_readable(head.media_type) => return Progress::Reply(Reply::None(Why::NotRpc)),
            200..=299 => Answer::new(head.media_type),
            // The session is over, whatever is said of it; but when it was only just begun, there may be more to it.
            404 if !self.is_last && self.session.as_ref().is_some_and(|session| session.id.is_some()) => {
                return Progress::Reply(Reply::None(Why::Status));
            }
            401 | 403 | 408 | 429 => return Progress::Reply(Reply::None(Why::Status)),
            400..=499 if is_readable(head.media_type) => Answer::refusal(head.media_type),
            _ => return Progress::Reply(Reply::None(Why::Status)),
        };
        self.body = Some(body);
        Progress::Read
    }

    pub(super) fn chunk(&mut self, bytes: &[u8]) -> Progress {
        match &mut self.body {
            Some(body) => body.push(bytes),
            None => return Progress::Reply(Reply::None(Why::Broken)),
        }
        self.read_on()
    }

    pub(super) fn end(&mut self) -> Progress {
        match &mut self.body {
            Some(body) => body.end(),
            None => return Progress::Reply(Reply::None(Why::Broken)),
        }
        self.read_on()
    }

    /// The connection broke, before the head or within the body.
    pub(super) fn broke(&mut self) -> Progress {
        self.resume().unwrap_or(Progress::Reply(Reply::None(Why::Broken)))
    }

    /// Looks at the large message.
    pub(super) fn think(&mut self) -> Progress {
        match self.large.take().and_then(|bytes| self.look(bytes)) {
            Some(reply) => Progress::Reply(reply),
            None => self.read_on(),
        }
    }

    fn is_refusal(&self) -> bool {
        self.status >= 400
    }

    fn read_on(&mut self) -> Progress {
        loop {
            let Some(body) = &mut self.body else { return Progress::Reply(Reply::None(Why::Broken)) };
            match body.read() {
                Read::More => {
                    self.note_events();
                    return Progress::Read;
                }
                Read::Message(bytes) if bytes.len() > LARGE => {
                    self.large = Some(bytes);
                    return Progress::Think;
                }
                Read::Message(bytes) => {
                    if let Some(reply) = self.look(bytes) {
                        return Progress::Reply(reply);
                    }
                }
                Read::Unreadable => return self.without(Why::NotRpc),
                Read::TooLarge => return self.without(Why::TooLarge),
                Read::End => {
                    self.note_events();
                    if self.resumed == 0 && !self.body.as_ref().is_some_and(Answer::is_stream) {
                        return self.without(Why::Empty);
                    }
                    let why = if self.heard_another { Why::AnotherId } else { Why::Cut };
                    return self.resume().unwrap_or_else(|| self.without(why));
                }
            }
        }
    }

    fn without(&self, why: Why) -> Progress {
        Progress::Reply(Reply::None(if self.is_refusal() { Why::Status } else { why }))
    }

    /// Takes a message for the answer if it is.
    fn look(&mut self, bytes: Vec<u8>) -> Option<Reply> {
        let text =
            String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let error_id = if self.is_refusal() { ErrorId::Any } else { ErrorId::Own };
        let is_stream = self.body.as_ref().is_some_and(Answer::is_stream);
        let why = match message::find(&text, self.id, error_id) {
            message::Found::Result(_) if self.is_refusal() => return Some(Reply::None(Why::RefusedResult)),
            message::Found::Result(range) => return Some(Reply::Result { text, range }),
            message::Found::Error(error) => return Some(Reply::Error(error)),
            message::Found::AnotherId if is_stream => {
                self.heard_another = true;
                return None;
            }
            message::Found::NotAnAnswer | message::Found::NotJson if is_stream => return None,
            message::Found::AnotherId => Why::AnotherId,
            message::Found::NotAnAnswer | message::Found::NotJson | message::Found::NotRpc => Why::NotRpc,
        };
        Some(Reply::None(if self.is_refusal() { Why::Status } else { why }))
    }

    fn note_events(&mut self) {
        let Some(events) = self.body.as_ref().and_then(Answer::events) else { return };
        self.retry_ms = events.retry_ms().or(self.retry_ms);
        if let Some(id) = events.last_id().filter(|id| Some(*id) != self.last_event_id.as_deref()) {
            self.last_event_id = Some(id.to_owned());
            self.fruitless = 0;
        }
    }

    /// Asks for the rest of a stream whose server promised, by giving its events ids, to keep it (2025-11-25, "Resumability
    /// and Redelivery").
    fn resume(&mut self) -> Option<Progress> {
        let session = self.session.as_ref()?;
        self.body = None;
        let last_event_id = self.last_event_id.as_ref()?;
        if self.is_refusal() || self.fruitless == MAX_FRUITLESS || self.resumed == MAX_RESUMED {
            return None;
        }
        self.fruitless += 1;
        self.resumed += 1;
        let wait_ms = self.retry_ms.unwrap_or(DEFAULT_RETRY_MS);
        Some(Progress::Send(request::resume(session, last_event_id, wait_ms)))
    }
}
