//! A request in the manner that the server is spoken to, sent once more where the server means that it is to be.

use std::ops::Range;
use std::sync::Arc;

use super::delivery::{Delivery, Progress, Reply, Why};
use super::exchange::Step;
use super::failure::{Failure, Reason, code};
use super::message::RpcError;
use super::request::{Method, Request, cancelled};
use super::server::{Knowledge, Manner, Server, Session, Settled};
use super::version::STATELESS;

/// What became of a request.
#[derive(Debug)]
pub(super) enum Asked {
    /// It goes on.
    Step(Step),
    Result {
        text: String,
        range: Range<usize>,
    },
    Error(RpcError),
    /// The answer is larger than a message may be.
    TooLarge,
    None(Failure),
}

/// A request that is being made.
#[derive(Debug)]
pub(super) struct Ask {
    method: Method,
    settled: Option<Settled>,
    delivery: Option<Delivery>,
    /// Whether the server was taken to have changed, or its session to be over, already.
    renewed: bool,
    /// Whether the very same was sent again already.
    repeated: bool,
}

impl Ask {
    pub(super) fn new(method: Method) -> Self {
        Self { method, settled: None, delivery: None, renewed: false, repeated: false }
    }

    /// Whether it was sent in the stateless protocol.
    pub(super) fn is_stateless(&self) -> bool {
        self.settled.as_ref().is_some_and(|settled| settled.manner == Manner::Stateless)
    }

    pub(super) fn delivery(&mut self) -> Option<&mut Delivery> {
        self.delivery.as_mut()
    }

    /// Sends it, once it is known how.
    pub(super) fn send(&mut self, server: &Server) -> Step {
        self.delivery = None;
        let Some(settled) = server.settled() else { return Step::Negotiate };
        let id = server.next_id();
        let (request, session) = match &settled.manner {
            Manner::Stateless => (self.method.stateless(id), None),
            Manner::Session(session) => (self.method.in_session(id, session), Some(Arc::clone(session))),
        };
        self.settled = Some(settled);
        self.delivery = Some(Delivery::new(id, session));
        Step::Send(request)
    }

    /// What tells a server with sessions that nobody waits any more, when a request is on its way.
    pub(super) fn cancel(&mut self) -> Option<Request> {
        let id = self.delivery.take()?.id();
        match &self.settled.as_ref()?.manner {
            Manner::Stateless => None,
            Manner::Session(session) => Some(cancelled(session, id)),
        }
    }

    pub(super) fn progress(&mut self, server: &Server, progress: Progress) -> Asked {
        match progress {
            Progress::Read => Asked::Step(Step::Read),
            Progress::Think => Asked::Step(Step::Think),
            Progress::Send(request) => Asked::Step(Step::Send(request)),
            Progress::Reply(reply) => self.reply(server, reply),
        }
    }

    fn reply(&mut self, server: &Server, reply: Reply) -> Asked {
        let status = self.delivery.take().map_or(0, |delivery| delivery.status);
        if let Some(settled) = self.settled.clone() {
            let again = match &settled.manner {
                Manner::Stateless => self.stateless_again(&reply, status),
                Manner::Session(session) => self.session_again(&reply, status, session),
            };
            match again {
                Again::No => {}
                Again::TheSame => return Asked::Step(self.send(server)),
                Again::Anew(knowledge) => {
                    server.unsettle(&settled, knowledge);
                    return Asked::Step(self.send(server));
                }
            }
            let was_in_session = matches!(&settled.manner, Manner::Session(session) if session.id.is_some());
            if was_in_session && status == 404 {
                server.unsettle(&settled, Knowledge::SessionOver);
                return Asked::None(Failure::new(Reason::Unavailable, "The server ended the session twice."));
            }
        }
        match reply {
            Reply::Result { text, range } => Asked::Result { text, range },
            Reply::Error(error) => Asked::Error(error),
            Reply::None(Why::TooLarge) => Asked::TooLarge,
            Reply::None(why) => Asked::None(failure_of(why, status)),
        }
    }

    fn stateless_again(&mut self, reply: &Reply, status: u16) -> Again {
        let Reply::Error(error) = reply else { return Again::No };
        let is_refused_version = error.code == code::UNSUPPORTED_VERSION;
        if is_refused_version && error.supported.iter().any(|version| version == STATELESS) {
            return if std::mem::replace(&mut self.repeated, true) { Again::No } else { Again::TheSame };
        }
        // A server that wants a session to be begun first says so with a status of 400 and words, under no code of its own.
        let words = error.message.to_ascii_lowercase();
        let wants_session = status == 400 && (words.contains("session") || words.contains("initializ"));
        if (is_refused_version || wants_session) && !std::mem::replace(&mut self.renewed, true) {
            return Again::Anew(Knowledge::Nothing);
        }
        Again::No
    }

    /// A session is over on 404 (2025-11-25, "Session Management"), and servers say so with 400 too.
    fn session_again(&mut self, reply: &Reply, status: u16, session: &Session) -> Again {
        let is_result = matches!(reply, Reply::Result { .. } | Reply::None(Why::RefusedResult));
        let is_over = session.id.is_some() && (status == 404 || status == 400 && !is_result);
        if is_over && !std::mem::replace(&mut self.renewed, true) {
            return Again::Anew(Knowledge::SessionOver);
        }
        Again::No
    }
}

enum Again {
    No,
    TheSame,
    Anew(Knowledge),
}

/// What it means that there is no answer.
pub(super) fn failure_of(why: Why, status: u16) -> Failure {
    let (reason, words) = match why {
        Why::Status | Why::RefusedResult => {
            return Failure::of_status(status).unwrap_or_else(|| {
                Failure::new(Reason::InvalidResponse, format!("The server answered with status {status}."))
            });
        }
        Why::Broken if status == 0 => (Reason::Unavailable, "The server cannot be reached."),
        Why::Broken => (Reason::Unavailable, "The answer broke off."),
        Why::Cut => (Reason::Unavailable, "The stream of the answer ended before the answer came."),
        Why::Empty => {
            return Failure::new(
                Reason::InvalidResponse,
                format!("The server answered with status {status} and nothing in it."),
            );
        }
        Why::NotRpc => (Reason::InvalidResponse, "The server answered with something that is no JSON-RPC."),
        Why::AnotherId => (Reason::InvalidResponse, "The server answered another request."),
        Why::TooLarge => (Reason::InvalidResponse, "The answer is larger than 16 MiB."),
    };
    Failure::new(reason, words)
}
