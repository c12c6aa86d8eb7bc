//! A server from a script, for the tests: what it answers to each message, in whatever pieces.

use std::sync::Arc;

use serde_json::Value;

use super::{Exchange, Failure, Outcome, Request, Server, Step, Tools, Verb};
use crate::credentials::Credentials;
use crate::json::{JsonText, Piece};

/// How a body goes on after its last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    End,
    Break,
    /// Nothing comes any more.
    Silence,
}

/// An answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) media_type: Option<&'static str>,
    pub(super) session_id: Option<String>,
    pub(super) body: Vec<u8>,
    pub(super) then: Then,
}

pub(super) fn answer(status: u16, media_type: &'static str, body: impl Into<Vec<u8>>) -> Answer {
    Answer { status, media_type: Some(media_type), session_id: None, body: body.into(), then: Then::End }
}

/// A result, with the id that was asked with.
pub(super) fn result(sent: &Sent, result: &Value) -> Answer {
    answer(200, "application/json", format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, sent.message["id"]))
}

pub(super) fn error(sent: &Sent, status: u16, error: &Value) -> Answer {
    answer(status, "application/json", format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, sent.message["id"]))
}

/// A request as a server sees it.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) message: Value,
    pub(super) request: Request,
}

impl Sent {
    pub(super) fn method(&self) -> &str {
        if self.request.verb == Verb::Get { "GET" } else { self.message["method"].as_str().unwrap_or("?") }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.request.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What became of an exchange. Silence: it would wait for ever.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Done(Outcome),
    Failed(Failure),
    Silence,
}

impl Ended {
    pub(super) fn value(self) -> Value {
        match self {
            Self::Done(Outcome::Value(JsonText::Whole(text))) => serde_json::from_str(&text).unwrap(),
            Self::Done(Outcome::Value(JsonText::Pieces(pieces))) => {
                Value::from(pieces.iter().filter(|piece| !matches!(piece, Piece::Close)).count())
            }
            ended => panic!("{ended:?}"),
        }
    }

    pub(super) fn tools(self) -> (Value, Vec<String>) {
        match self {
            Self::Done(Outcome::Tools(Tools { definitions: JsonText::Whole(definitions), warnings })) => {
                (serde_json::from_str(&definitions).unwrap(), warnings)
            }
            ended => panic!("{ended:?}"),
        }
    }

    pub(super) fn failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure.told(&Credentials::default()),
            ended => panic!("{ended:?}"),
        }
    }
}

/// Drives exchanges against a server, whose answers come in pieces of so many bytes.
pub(super) struct Driver<'a> {
    pub(super) serve: Box<dyn FnMut(&Sent) -> Answer + 'a>,
    pub(super) sent: Vec<Sent>,
    pub(super) piece: usize,
    /// After how many more events of an answer the exchange is given up; none: never.
    pub(super) give_up_in: Option<usize>,
    pub(super) said_on_giving_up: Option<Request>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(serve: impl FnMut(&Sent) -> Answer + 'a) -> Self {
        Self { serve: Box::new(serve), sent: Vec::new(), piece: usize::MAX, give_up_in: None, said_on_giving_up: None }
    }

    pub(super) fn methods(&self) -> Vec<&str> {
        self.sent.iter().map(Sent::method).collect()
    }

    pub(super) fn call(&mut self, server: &Arc<Server>, tool: &str, input: &str) -> Ended {
        self.run(server, Exchange::call(server, tool, input))
    }

    pub(super) fn list(&mut self, server: &Arc<Server>) -> Ended {
        self.run(server, Exchange::list(server))
    }

    pub(super) fn run(&mut self, server: &Arc<Server>, mut exchange: Exchange) -> Ended {
        let mut step = exchange.begin();
        loop {
            step = match step {
                Step::Send(request) => match self.deliver(&mut exchange, request) {
                    Some(step) => step,
                    None => return Ended::Silence,
                },
                Step::Negotiate => {
                    if let Some(negotiation) = Exchange::negotiation(server) {
                        match self.run(server, negotiation) {
                            Ended::Done(_) => {}
                            ended => return ended,
                        }
                    }
                    exchange.begin()
                }
                Step::Think => exchange.think(),
                Step::Read => panic!("an exchange reads where nothing was sent"),
                Step::Done(outcome) => return Ended::Done(outcome),
                Step::Fail(failure) => return Ended::Failed(failure),
            }
        }
    }

    /// Tells of an event, of one that is given up too.
    fn tell(&mut self, exchange: &mut Exchange, event: impl FnOnce(&mut Exchange) -> Step) -> Step {
        if self.give_up_in == Some(0) {
            self.said_on_giving_up = exchange.cancel();
            assert_eq!(exchange.cancel(), None, "it is said once");
        }
        self.give_up_in = self.give_up_in.and_then(|left| left.checked_sub(1));
        event(exchange)
    }

    /// The step after the answer; none when it waits for more.
    fn deliver(&mut self, exchange: &mut Exchange, request: Request) -> Option<Step> {
        assert!(self.sent.len() < 5000, "an exchange has no end");
        let message = request.body.as_ref().map_or(Value::Null, |body| serde_json::from_str(body).unwrap());
        self.sent.push(Sent { message, request });
        let answer = (self.serve)(self.sent.last().unwrap());
        if answer.status == 0 {
            return (answer.then == Then::Break).then(|| self.tell(exchange, Exchange::broke));
        }
        let mut step = self
            .tell(exchange, |exchange| exchange.head(answer.status, answer.media_type, answer.session_id.as_deref()));
        for piece in answer.body.chunks(self.piece.min(answer.body.len()).max(1)) {
            if step != Step::Read {
                return Some(step);
            }
            step = self.tell(exchange, |exchange| exchange.chunk(piece));
            while step == Step::Think {
                step = self.tell(exchange, Exchange::think);
            }
        }
        match (step, answer.then) {
            (Step::Read, Then::End) => Some(self.tell(exchange, Exchange::end)),
            (Step::Read, Then::Break) => Some(self.tell(exchange, Exchange::broke)),
            (Step::Read, Then::Silence) => None,
            (step, _) => Some(step),
        }
    }
}

/// A server that cannot be reached.
pub(super) fn unreachable() -> Answer {
    Answer { status: 0, media_type: None, session_id: None, body: Vec::new(), then: Then::Break }
}
