//! A server of the Model Context Protocol, and the exchanges with it: what to send, and what came of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;
use toolkit_core::credentials::Credentials;
use toolkit_core::mcp::{Exchange, Failure, Outcome, Reason, Request, Server, Step, Verb};
use toolkit_core::{JsonText, Piece};

use crate::http_requests::pairs;
use crate::json_piece::JsonPiece;

/// A server, as a source knows it.
#[napi]
pub struct McpServer {
    server: Arc<Server>,
}

/// An exchange with a server. What happens to what it sends is told to it, one thing after another.
#[napi]
pub struct McpExchange {
    held: Arc<Mutex<Held>>,
}

/// An exchange, and what is left to hand over of its outcome.
struct Held {
    exchange: Exchange,
    pieces: VecDeque<Piece>,
    /// The failure that it came to, with words of the server's that nobody was told of.
    untold: Option<Failure>,
}

/// A request to be sent by the caller's client.
#[napi(object, object_from_js = false)]
pub struct McpRequest {
    #[napi(ts_type = "'GET' | 'POST'")]
    pub method: &'static str,
    /// Names and values in turn, a line each.
    pub headers: String,
    /// JSON text.
    pub body: Option<String>,
    /// How long to wait before, in milliseconds.
    pub wait: u32,
}

/// How an exchange goes on.
#[napi(object, object_from_js = false)]
pub struct McpStep {
    /// Send the `request`; tell of more of the body; `think`; settle how the server is spoken to, then begin again; it is
    /// done; it failed for the `reason`.
    #[napi(ts_type = "'send' | 'read' | 'think' | 'negotiate' | 'done' | 'fail'")]
    pub kind: &'static str,
    pub request: Option<McpRequest>,
    /// JSON text of the definitions, or of what the tool answered. Where it is large, ask for its pieces instead.
    pub value: Option<String>,
    pub warnings: Option<Vec<String>>,
    #[napi(
        ts_type = "'AuthenticationError' | 'NotFoundError' | 'InvalidInputError' | 'CallFailedError' | 'UnavailableError' | 'InvalidResponseError' | 'UnsupportedError' | 'UnknownError'"
    )]
    pub reason: Option<&'static str>,
    pub description: Option<String>,
    /// True: the server's own words describe it better. They are asked for with `tell`.
    pub has_words: Option<bool>,
}

impl McpStep {
    fn bare(kind: &'static str) -> Self {
        Self { kind, request: None, value: None, warnings: None, reason: None, description: None, has_words: None }
    }
}

impl Held {
    fn step(&mut self, step: Step) -> McpStep {
        match step {
            Step::Send(request) => McpStep { request: Some(McpRequest::of(request)), ..McpStep::bare("send") },
            Step::Read => McpStep::bare("read"),
            Step::Think => McpStep::bare("think"),
            Step::Negotiate => McpStep::bare("negotiate"),
            Step::Done(Outcome::Settled) => McpStep::bare("done"),
            Step::Done(Outcome::Tools(tools)) => McpStep {
                value: self.value(tools.definitions),
                warnings: Some(tools.warnings),
                ..McpStep::bare("done")
            },
            Step::Done(Outcome::Value(text)) => McpStep { value: self.value(text), ..McpStep::bare("done") },
            Step::Fail(failure) => {
                let step = McpStep {
                    reason: Some(name_of(failure.reason)),
                    description: failure.description.clone(),
                    has_words: failure.has_words().then_some(true),
                    ..McpStep::bare("fail")
                };
                self.untold = Some(failure);
                step
            }
        }
    }

    fn value(&mut self, text: JsonText) -> Option<String> {
        match text {
            JsonText::Whole(text) => Some(text),
            JsonText::Pieces(pieces) => {
                self.pieces = pieces.into();
                None
            }
        }
    }

    /// Null where there is nothing to do but to read on.
    fn unless_read(&mut self, step: Step) -> Option<McpStep> {
        (step != Step::Read).then(|| self.step(step))
    }
}

impl McpRequest {
    fn of(request: Request) -> Self {
        Self {
            method: if request.verb == Verb::Get { "GET" } else { "POST" },
            headers: lines(&request.headers),
            body: request.body,
            wait: request.wait_ms,
        }
    }
}

/// No name and no value holds a line end.
fn lines(headers: &[(String, String)]) -> String {
    let mut lines = String::with_capacity(256);
    for (name, value) in headers {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(name);
        lines.push('\n');
        lines.push_str(value);
    }
    lines
}

fn name_of(reason: Reason) -> &'static str {
    match reason {
        Reason::Authentication => "AuthenticationError",
        Reason::NotFound => "NotFoundError",
        Reason::InvalidInput => "InvalidInputError",
        Reason::CallFailed => "CallFailedError",
        Reason::Unavailable => "UnavailableError",
        Reason::InvalidResponse => "InvalidResponseError",
        Reason::Unsupported => "UnsupportedError",
        Reason::Unknown => "UnknownError",
    }
}

#[napi]
impl McpServer {
    /// The server at that host. Contacts nobody.
    #[napi(constructor, catch_unwind)]
    pub fn new(host: String) -> Self {
        Self { server: Arc::new(Server::new(&host)) }
    }

    /// Settles how the server is spoken to; null where it is settled.
    #[napi(catch_unwind)]
    pub fn negotiation(&self) -> Option<McpExchange> {
        Exchange::negotiation(&self.server).map(McpExchange::of)
    }

    /// Lists the tools.
    #[napi(catch_unwind)]
    pub fn list(&self) -> McpExchange {
        McpExchange::of(Exchange::list(&self.server))
    }

    /// Calls a tool with an input, JSON text of an object.
    #[napi(catch_unwind)]
    pub fn call(&self, tool: String, input: String) -> McpExchange {
        McpExchange::of(Exchange::call(&self.server, &tool, &input))
    }
}

impl McpExchange {
    fn of(exchange: Exchange) -> Self {
        Self { held: Arc::new(Mutex::new(Held { exchange, pieces: VecDeque::new(), untold: None })) }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        hold(&self.held)
    }
}

fn hold(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[napi]
impl McpExchange {
    /// Begins, or goes on after a negotiation.
    #[napi(catch_unwind)]
    pub fn begin(&self) -> McpStep {
        let mut held = self.held();
        let step = held.exchange.begin();
        held.step(step)
    }

    /// The head of an answer is there: its status, and the headers Content-Type and Mcp-Session-Id. Null: read the body.
    #[napi(catch_unwind)]
    pub fn head(&self, status: u16, media_type: Option<String>, session_id: Option<String>) -> Option<McpStep> {
        let mut held = self.held();
        let step = held.exchange.head(status, media_type.as_deref(), session_id.as_deref());
        held.unless_read(step)
    }

    /// A whole answer is there, with a body of this length read to its end. `read`: after thinking, tell of its end.
    #[napi(catch_unwind)]
    pub fn whole(&self, status: u16, media_type: Option<String>, session_id: Option<String>, bytes: &[u8]) -> McpStep {
        let mut held = self.held();
        let exchange = &mut held.exchange;
        let mut step = exchange.head(status, media_type.as_deref(), session_id.as_deref());
        if step == Step::Read {
            step = exchange.chunk(bytes);
        }
        if step == Step::Read {
            step = exchange.end();
        }
        held.step(step)
    }

    /// More of the body is there. Null: read on.
    #[napi(catch_unwind)]
    pub fn chunk(&self, bytes: &[u8]) -> Option<McpStep> {
        let mut held = self.held();
        let step = held.exchange.chunk(bytes);
        held.unless_read(step)
    }

    /// The body is over.
    #[napi(catch_unwind)]
    pub fn end(&self) -> McpStep {
        let mut held = self.held();
        let step = held.exchange.end();
        held.step(step)
    }

    /// The request could not be sent, or the connection broke.
    #[napi(catch_unwind)]
    pub fn broke(&self) -> McpStep {
        let mut held = self.held();
        let step = held.exchange.broke();
        held.step(step)
    }

    /// Looks at a large message, on another thread.
    #[napi(catch_unwind, ts_return_type = "Promise<McpStep>")]
    pub fn think(&self) -> AsyncTask<Think> {
        AsyncTask::new(Think { held: Arc::clone(&self.held) })
    }

    /// The next piece of a large outcome; null when there are no more.
    #[napi(catch_unwind)]
    pub fn next_piece(&self) -> Option<JsonPiece> {
        self.held().pieces.pop_front().map(JsonPiece::of)
    }

    /// The description of the failure in the server's own words, without what the client authenticated with: whatever is in
    /// the URLs that the request was made for and sent to, one a line, and in these headers, names and values in turn.
    #[napi(catch_unwind)]
    pub fn tell(&self, url: String, headers: Vec<String>) -> Option<String> {
        let untold = self.held().untold.take()?;
        untold.told(&Credentials::of(&url, "", pairs(&headers))).description
    }

    /// Nobody waits for the outcome any more: what is to be sent without waiting for an answer, if anything.
    #[napi(catch_unwind)]
    pub fn cancel(&self) -> Option<McpRequest> {
        // While a message is looked at the answer is there: nothing is left to give up, and nobody waits here for a thread.
        self.held.try_lock().ok()?.exchange.cancel().map(McpRequest::of)
    }
}

/// See [`McpExchange::think`].
pub struct Think {
    held: Arc<Mutex<Held>>,
}

impl Task for Think {
    type Output = Step;
    type JsValue = McpStep;

    fn compute(&mut self) -> Result<Step> {
        let thinking = std::panic::AssertUnwindSafe(|| hold(&self.held).exchange.think());
        std::panic::catch_unwind(thinking).map_err(|_| napi::Error::from_reason("the answer could not be looked at"))
    }

    fn resolve(&mut self, _: Env, step: Step) -> Result<McpStep> {
        Ok(hold(&self.held).step(step))
    }
}
