//! A server of the Model Context Protocol, and the exchanges with it: what to send, and what came of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;
use toolkit_core::mcp::{Exchange, Outcome, Reason, Request, Server, Step, Verb};
use toolkit_core::{JsonText, Piece};

/// A server, as a source knows it.
#[napi]
pub struct McpServer {
    server: Arc<Server>,
}

/// An exchange with a server. What happens to what it sends is told to it, one thing after another.
#[napi]
pub struct McpExchange {
    exchange: Arc<Mutex<Exchange>>,
}

/// A request to be sent by the caller's client.
#[napi(object, object_from_js = false)]
pub struct McpRequest {
    #[napi(ts_type = "'GET' | 'POST'")]
    pub method: &'static str,
    /// Names and values in turn.
    pub headers: Vec<String>,
    /// JSON text.
    pub body: Option<String>,
    /// How long to wait before, in milliseconds.
    pub wait: u32,
}

/// A piece of a large value: what is opened is where the next pieces go until it is closed.
#[napi(object, object_from_js = false)]
pub struct JsonPiece {
    #[napi(ts_type = "'list' | 'object' | 'items' | 'members' | 'close'")]
    pub kind: &'static str,
    /// JSON text: of a list with the items, of an object with the members, of the key of what is opened in an object.
    pub text: Option<String>,
}

/// How an exchange goes on.
#[napi(object, object_from_js = false)]
pub struct McpStep {
    /// Send the `request`; tell of more of the body; `think`; settle how the server is spoken to, then begin again; it is
    /// done; it failed for the `reason`.
    #[napi(ts_type = "'send' | 'read' | 'think' | 'negotiate' | 'done' | 'fail'")]
    pub kind: &'static str,
    pub request: Option<McpRequest>,
    /// JSON text of the definitions, or of what the tool answered.
    pub value: Option<String>,
    /// The same where it is large.
    pub pieces: Option<Vec<JsonPiece>>,
    pub warnings: Option<Vec<String>>,
    #[napi(
        ts_type = "'AuthenticationError' | 'NotFoundError' | 'InvalidInputError' | 'CallFailedError' | 'UnavailableError' | 'InvalidResponseError' | 'UnsupportedError' | 'UnknownError'"
    )]
    pub reason: Option<&'static str>,
    pub description: Option<String>,
}

impl McpStep {
    fn bare(kind: &'static str) -> Self {
        Self { kind, request: None, value: None, pieces: None, warnings: None, reason: None, description: None }
    }

    fn with(mut self, text: JsonText) -> Self {
        match text {
            JsonText::Whole(text) => self.value = Some(text),
            JsonText::Pieces(pieces) => self.pieces = Some(pieces.into_iter().map(JsonPiece::of).collect()),
        }
        self
    }

    fn of(step: Step) -> Self {
        match step {
            Step::Send(request) => Self { request: Some(McpRequest::of(request)), ..Self::bare("send") },
            Step::Read => Self::bare("read"),
            Step::Think => Self::bare("think"),
            Step::Negotiate => Self::bare("negotiate"),
            Step::Done(Outcome::Settled) => Self::bare("done"),
            Step::Done(Outcome::Tools(tools)) => {
                Self { warnings: Some(tools.warnings), ..Self::bare("done") }.with(tools.definitions)
            }
            Step::Done(Outcome::Value(text)) => Self::bare("done").with(text),
            Step::Fail(failure) => {
                Self { reason: Some(name_of(failure.reason)), description: failure.description, ..Self::bare("fail") }
            }
        }
    }
}

impl McpRequest {
    fn of(request: Request) -> Self {
        Self {
            method: if request.verb == Verb::Get { "GET" } else { "POST" },
            headers: request.headers.into_iter().flat_map(|(name, value)| [name, value]).collect(),
            body: request.body,
            wait: request.wait_ms,
        }
    }
}

impl JsonPiece {
    fn of(piece: Piece) -> Self {
        let (kind, text) = match piece {
            Piece::OpenList(key) => ("list", key),
            Piece::OpenObject(key) => ("object", key),
            Piece::Items(text) => ("items", Some(text)),
            Piece::Members(text) => ("members", Some(text)),
            Piece::Close => ("close", None),
        };
        Self { kind, text }
    }
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
    /// Contacts nobody.
    #[napi(constructor, catch_unwind)]
    #[expect(clippy::new_without_default, reason = "it is JavaScript's constructor")]
    pub fn new() -> Self {
        Self { server: Arc::default() }
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
        Self { exchange: Arc::new(Mutex::new(exchange)) }
    }

    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[napi]
impl McpExchange {
    /// Begins, or goes on after a negotiation.
    #[napi(catch_unwind)]
    pub fn begin(&self) -> McpStep {
        McpStep::of(self.exchange().begin())
    }

    /// The head of an answer is there: its status, and the headers Content-Type and Mcp-Session-Id.
    #[napi(catch_unwind)]
    pub fn head(&self, status: u16, media_type: Option<String>, session_id: Option<String>) -> McpStep {
        McpStep::of(self.exchange().head(status, media_type.as_deref(), session_id.as_deref()))
    }

    /// More of the body is there. Null: read on.
    #[napi(catch_unwind)]
    pub fn chunk(&self, bytes: &[u8]) -> Option<McpStep> {
        match self.exchange().chunk(bytes) {
            Step::Read => None,
            step => Some(McpStep::of(step)),
        }
    }

    /// The body is over.
    #[napi(catch_unwind)]
    pub fn end(&self) -> McpStep {
        McpStep::of(self.exchange().end())
    }

    /// The request could not be sent, or the connection broke.
    #[napi(catch_unwind)]
    pub fn broke(&self) -> McpStep {
        McpStep::of(self.exchange().broke())
    }

    /// Looks at a large message, on another thread.
    #[napi(catch_unwind, ts_return_type = "Promise<McpStep>")]
    pub fn think(&self) -> AsyncTask<Think> {
        AsyncTask::new(Think { exchange: Arc::clone(&self.exchange) })
    }

    /// Nobody waits for the outcome any more: what is to be sent without waiting for an answer, if anything.
    #[napi(catch_unwind)]
    pub fn cancel(&self) -> Option<McpRequest> {
        self.exchange().cancel().map(McpRequest::of)
    }
}

/// See [`McpExchange::think`].
pub struct Think {
    exchange: Arc<Mutex<Exchange>>,
}

impl Task for Think {
    type Output = Step;
    type JsValue = McpStep;

    fn compute(&mut self) -> Result<Step> {
        let thinking =
            std::panic::AssertUnwindSafe(|| self.exchange.lock().unwrap_or_else(PoisonError::into_inner).think());
        std::panic::catch_unwind(thinking).map_err(|_| napi::Error::from_reason("the answer could not be looked at"))
    }

    fn resolve(&mut self, _: Env, step: Step) -> Result<McpStep> {
        Ok(McpStep::of(step))
    }
}
