//! One exchange with a server, from the first message to the outcome: what is sent and told, step by step.

use std::fmt::Debug;
use std::sync::Arc;

use super::call::Call;
use super::delivery::{Delivery, Head, Progress, Reply, Why};
use super::failure::Failure;
use super::list::List;
use super::negotiation::Negotiation;
use super::request::Request;
use super::server::Server;
use super::tool::Tools;
use crate::json::JsonText;

/// How an exchange goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send this, and tell of the head of its answer, or that there is none. What was not read of an answer before is not
    /// needed.
    Send(Request),
    /// Tell of more of the body.
    Read,
    /// Call [`Exchange::think`], from a thread that has time.
    Think,
    /// It has to be settled first how the server is spoken to, by a [`Exchange::negotiation`]. Then call
    /// [`Exchange::begin`] again.
    Negotiate,
    /// It is over.
    Done(Outcome),
    /// It is over, without an outcome.
    Fail(Failure),
}

/// What an exchange was for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// How the server is spoken to is settled.
    Settled,
    /// The tools of the server.
    Tools(Tools),
    /// What a tool answered.
    Value(JsonText),
}

/// What an exchange does with what comes back.
pub(super) trait Task: Debug + Send {
    fn begin(&mut self, server: &Server) -> Step;
    fn delivery(&mut self) -> Option<&mut Delivery>;
    fn progress(&mut self, server: &Server, progress: Progress) -> Step;

    /// Whether the head of the answer is all there is to know.
    fn head_says_all(&self) -> bool {
        false
    }

    /// What takes a while and is not about a message, if anything is left of that.
    fn think(&mut self, _server: &Server) -> Option<Step> {
        None
    }

    fn cancel(&mut self) -> Option<Request> {
        None
    }
}

/// An exchange. It is told what happened to what it sent, one thing after another.
#[derive(Debug)]
pub struct Exchange {
    server: Arc<Server>,
    task: Box<dyn Task>,
}

impl Exchange {
    /// Settles how the server is spoken to; none where it is settled.
    pub fn negotiation(server: &Arc<Server>) -> Option<Self> {
        Some(Self { server: Arc::clone(server), task: Box::new(Negotiation::with(server)?) })
    }

    /// Lists the tools.
    pub fn list(server: &Arc<Server>) -> Self {
        Self { server: Arc::clone(server), task: Box::new(List::new()) }
    }

    /// Calls a tool with an input, JSON text of an object.
    pub fn call(server: &Arc<Server>, tool: &str, input: &str) -> Self {
        Self { server: Arc::clone(server), task: Box::new(Call::new(server, tool, input)) }
    }

    /// Begins, or goes on after a negotiation.
    pub fn begin(&mut self) -> Step {
        self.task.begin(&self.server)
    }

    /// The head of an answer is there.
    pub fn head(&mut self, status: u16, media_type: Option<&str>, session_id: Option<&str>) -> Step {
        let head = Head { status, media_type, session_id };
        let says_all = self.task.head_says_all();
        self.tell(|delivery| match delivery.head(head) {
            Progress::Read if says_all => Progress::Reply(Reply::None(Why::Status)),
            progress => progress,
        })
    }

    /// More of the body is there.
    pub fn chunk(&mut self, bytes: &[u8]) -> Step {
        self.tell(|delivery| delivery.chunk(bytes))
    }

    /// The body is over.
    pub fn end(&mut self) -> Step {
        self.tell(Delivery::end)
    }

    /// The request could not be sent, or the connection broke.
    pub fn broke(&mut self) -> Step {
        self.tell(Delivery::broke)
    }

    /// Does what takes a while: looks at a large message, or finishes a large outcome.
    pub fn think(&mut self) -> Step {
        match self.task.think(&self.server) {
            Some(step) => step,
            None => self.tell(Delivery::think),
        }
    }

    /// Nobody waits for the outcome any more: what is to be sent, without waiting for an answer.
    pub fn cancel(&mut self) -> Option<Request> {
        self.task.cancel()
    }

    fn tell(&mut self, event: impl FnOnce(&mut Delivery) -> Progress) -> Step {
        let progress = match self.task.delivery() {
            Some(delivery) => event(delivery),
            None => Progress::Reply(Reply::None(Why::Broken)),
        };
        self.task.progress(&self.server, progress)
    }
}
