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
        self.delivery = Some(Delivery::new(id, session).last(self.renewed));
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
            let (again, after) = match &settled.manner {
                Manner::Stateless => stateless_again(&reply, status),
                Manner::Session(session) => session_again(&reply, status, session),
            };
            let may = match again {
                Again::No => false,
                Again::TheSame => !std::mem::replace(&mut self.repeated, true),
                Again::Anew => !std::mem::replace(&mut self.renewed, true),
            };
            if let Some(knowledge) = after {
                server.unsettle(&settled, knowledge);
            }
            if may {
                return Asked::Step(self.send(server));
            }
            let was_in_session = matches!(&settled.manner, Manner::Session(session) if session.id.is_some());
            if was_in_session && status == 404 && !matches!(reply, Reply::Error(_)) {
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
}

/// Whether the request is to be sent again, and how often that is done.
#[derive(Debug, Clone, Copy)]
enum Again {
    No,
    /// Once, as it was.
    TheSame,
    /// Once, in the manner that is settled on then.
    Anew,
}

/// What an answer in the stateless protocol means for how the server is spoken to.
fn stateless_again(reply: &Reply, status: u16) -> (Again, Option<Knowledge>) {
    match reply {
        Reply::Error(error) if error.code == code::UNSUPPORTED_VERSION => {
            if error.supported.iter().any(|version| version == STATELESS) {
                (Again::TheSame, None)
            } else {
                (Again::Anew, Some(Knowledge::Nothing))
            }
        }
        // A server that wants a session to be begun first says so in words, under no code of its own.
        Reply::Error(error) if status >= 400 && speaks_of_session(error) => (Again::Anew, Some(Knowledge::Nothing)),
        // Whoever answers that does not speak the protocol (any more): it is not asked again, but the next request asks how.
        Reply::None(Why::Status) if matches!(status, 400 | 404 | 405 | 406 | 410 | 415 | 422) => {
            (Again::No, Some(Knowledge::Nothing))
        }
        _ => (Again::No, None),
    }
}

/// What an answer in a session means for it. It is over on 404 (2025-11-25, "Session Management"), and servers say so with 400
/// too; but an error that names this request was an answer within the session.
fn session_again(reply: &Reply, status: u16, session: &Session) -> (Again, Option<Knowledge>) {
    match reply {
        Reply::Error(error) if matches!(error.code, code::UNSUPPORTED_VERSION | code::HEADER_MISMATCH) => {
            return (Again::Anew, Some(Knowledge::Nothing));
        }
        Reply::Error(error) if status == 400 && error.is_own && !may_be_of_session(error) => {
            // A stateless server misses in a session's request what each of its own has (2026-07-28, "Request Metadata").
            let words = error.message.to_ascii_lowercase();
            let misses_metadata = words.contains("metadata") || words.contains("_meta");
            return (Again::No, misses_metadata.then_some(Knowledge::Nothing));
        }
        Reply::Result { .. } | Reply::None(Why::RefusedResult) => return (Again::No, None),
        _ => {}
    }
    match (status, &session.id) {
        (400 | 404, Some(_)) => (Again::Anew, Some(Knowledge::SessionOver)),
        (400 | 404, None) => (Again::No, Some(Knowledge::Nothing)),
        _ => (Again::No, None),
    }
}

/// Whether an error may be what a server says of a session that is over: the codes for that are many.
fn may_be_of_session(error: &RpcError) -> bool {
    matches!(error.code, code::INVALID_REQUEST | -32000 | -32001) || speaks_of_session(error)
}

/// Whether an error is about a session that is not there. One about arguments is not, whatever their names are.
fn speaks_of_session(error: &RpcError) -> bool {
    let words = error.message.to_ascii_lowercase();
    error.code != code::INVALID_PARAMS && (words.contains("session") || words.contains("initializ"))
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
