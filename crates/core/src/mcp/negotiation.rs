//! How a server is spoken to, found out: asked with `server/discover` in the stateless protocol, and if it does not answer
//! that, spoken to with a session (2026-07-28, "Backward Compatibility"; document 000, "MCP").
//!
//! The rule: a server that refuses the credentials, that is not available, or that cannot be reached has not said anything
//! about the protocol. Any other answer that is not the stateless protocol's means a session.

use std::sync::Arc;

use super::ask::failure_of;
use super::delivery::{Delivery, Progress, Reply, Why};
use super::exchange::{Outcome, Step, Task};
use super::failure::{Failure, Reason, code};
use super::message::RpcError;
use super::request::{Method, Request, initialized};
use super::server::{Knowledge, Manner, Server, Session};
use super::version::{STATELESS, SessionVersion};
use crate::json::{Kind, Node};

#[derive(Debug)]
enum Phase {
    /// Whether it was asked again, since it refused the very version that it supports.
    Discover {
        again: bool,
    },
    Initialize {
        again: bool,
    },
    Initialized(Arc<Session>),
}

/// A negotiation with a server.
#[derive(Debug)]
pub(super) struct Negotiation {
    phase: Phase,
    delivery: Option<Delivery>,
}

impl Negotiation {
    /// The negotiation that a server needs, if it needs one.
    pub(super) fn with(server: &Server) -> Option<Self> {
        let phase = match server.knowledge() {
            Knowledge::Nothing => Phase::Discover { again: false },
            Knowledge::SessionOver => Phase::Initialize { again: false },
            Knowledge::Settled(_) => return None,
        };
        Some(Self { phase, delivery: None })
    }

    fn discover(&mut self, server: &Server, again: bool) -> Step {
        self.phase = Phase::Discover { again };
        self.send(server, |id| Method::Discover.stateless(id))
    }

    fn initialize(&mut self, server: &Server, version: SessionVersion, again: bool) -> Step {
        self.phase = Phase::Initialize { again };
        self.send(server, |id| Method::Initialize { version: version.name() }.before_session(id))
    }

    fn send(&mut self, server: &Server, request: impl FnOnce(u64) -> Request) -> Step {
        let id = server.next_id();
        self.delivery = Some(Delivery::new(id, None));
        Step::Send(request(id))
    }

    fn discovered(&mut self, server: &Server, reply: &Reply, status: u16, again: bool) -> Step {
        match reply {
            Reply::Result { text, range } => {
                if supports_stateless(Node::trusted(&text[range.clone()])) {
                    server.settle(Manner::Stateless);
                    return Step::Done(Outcome::Settled);
                }
            }
            Reply::Error(error) if error.code == code::UNSUPPORTED_VERSION => {
                if error.supported.iter().any(|version| version == STATELESS) {
                    return if again { Step::Fail(Failure::of_request(error)) } else { self.discover(server, true) };
                }
                let speaks_sessions = error.supported.iter().any(|version| SessionVersion::parse(version).is_some());
                if !speaks_sessions && !error.supported.is_empty() {
                    return Step::Fail(Failure::of_request(error));
                }
            }
            Reply::Error(_) => {}
            Reply::None(why) => {
                if *why == Why::Broken || *why == Why::Status && Failure::of_status(status).is_some() {
                    return Step::Fail(failure_of(*why, status));
                }
            }
        }
        self.initialize(server, SessionVersion::NEWEST, false)
    }

    fn begun(&mut self, server: &Server, reply: &Reply, head: (u16, Option<String>), again: bool) -> Step {
        let (status, session_id) = head;
        match reply {
            Reply::Result { text, range } => match session_of(Node::trusted(&text[range.clone()]), session_id) {
                Ok(session) => {
                    let session = Arc::new(session);
                    let request = initialized(&session);
                    self.phase = Phase::Initialized(session);
                    // A notification has no id.
                    self.delivery = Some(Delivery::new(0, None));
                    Step::Send(request)
                }
                Err(failure) => fail(server, failure),
            },
            Reply::Error(error) => match newest_of(error) {
                Some(version) if !again => self.initialize(server, version, true),
                _ => fail(server, Failure::of_beginning(error)),
            },
            Reply::None(why) => fail(server, failure_of(*why, status)),
        }
    }
}

impl Task for Negotiation {
    fn begin(&mut self, server: &Server) -> Step {
        match self.phase {
            Phase::Discover { again } => self.discover(server, again),
            _ => self.initialize(server, SessionVersion::NEWEST, false),
        }
    }

    fn delivery(&mut self) -> Option<&mut Delivery> {
        self.delivery.as_mut()
    }

    fn head_says_all(&self) -> bool {
        matches!(self.phase, Phase::Initialized(_))
    }

    fn progress(&mut self, server: &Server, progress: Progress) -> Step {
        let reply = match progress {
            Progress::Read => return Step::Read,
            Progress::Think => return Step::Think,
            Progress::Send(request) => return Step::Send(request),
            Progress::Reply(reply) => reply,
        };
        let (status, session_id) =
            self.delivery.take().map_or((0, None), |delivery| (delivery.status, delivery.session_id));
        match &self.phase {
            Phase::Discover { again } => {
                let again = *again;
                self.discovered(server, &reply, status, again)
            }
            Phase::Initialize { again } => {
                let again = *again;
                self.begun(server, &reply, (status, session_id), again)
            }
            Phase::Initialized(session) => {
                // Whatever a server makes of a notification, but for what says that it will take no request either.
                let refused = match status {
                    0 => Some(failure_of(Why::Broken, 0)),
                    300..=399 => None,
                    _ => Failure::of_status(status),
                };
                match refused {
                    Some(failure) => fail(server, failure),
                    None => {
                        server.settle(Manner::Session(Arc::clone(session)));
                        Step::Done(Outcome::Settled)
                    }
                }
            }
        }
    }
}

fn fail(server: &Server, failure: Failure) -> Step {
    server.forget();
    Step::Fail(failure)
}

fn supports_stateless(result: Node<'_>) -> bool {
    let versions = result.get("supportedVersions");
    versions.is_some_and(|versions| versions.items().any(|version| version.as_str().as_deref() == Some(STATELESS)))
}

fn session_of(result: Node<'_>, id: Option<String>) -> Result<Session, Failure> {
    let Some(version) = result.get("protocolVersion").and_then(Node::as_str).filter(|_| result.kind() == Kind::Object)
    else {
        return Err(Failure::new(Reason::InvalidResponse, "The server began a session without saying its version."));
    };
    let Some(version) = SessionVersion::parse(&version) else {
        return Err(Failure::new(
            Reason::Unsupported,
            "The server speaks a version of the protocol that is not supported.",
        ));
    };
    // An id is visible ASCII (2025-11-25, "Session Management"): another could not be sent back as it is.
    let is_sendable = |id: &String| id.bytes().all(|byte| (0x21..0x7F).contains(&byte));
    match id.filter(|id| !id.is_empty()) {
        Some(id) if !is_sendable(&id) => Err(Failure::new(
            Reason::InvalidResponse,
            "The server gave an id of the session that a header cannot carry.",
        )),
        id => Ok(Session { version, id }),
    }
}

/// The newest version with sessions that a refusal names.
fn newest_of(error: &RpcError) -> Option<SessionVersion> {
    error.supported.iter().filter_map(|version| SessionVersion::parse(version)).max()
}
