//! What the exchanges with one server have in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::header_marks::Mark;
use super::version::SessionVersion;

/// A session with a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) version: SessionVersion,
    /// None: the server gave no id, and keeps no session.
    pub(super) id: Option<String>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Manner {
    /// In the stateless protocol.
    Stateless,
    Session(Arc<Session>),
}

/// A manner of speaking, and which one it is, of all that were settled on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) manner: Manner,
    number: u64,
}

/// What is known of how a server is to be spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// Nothing: it is asked with `server/discover`.
    Nothing,
    /// It has sessions, and the last one is over.
    SessionOver,
    Settled(Settled),
}

/// The marks of each tool.
pub(super) type Marks = HashMap<String, Vec<Mark>>;

#[derive(Debug)]
struct State {
    knowledge: Knowledge,
    settled: u64,
    last_id: u64,
    marks: Option<Arc<Marks>>,
}

/// A server as a source knows it, shared by all exchanges with it. Making one contacts nobody.
#[derive(Debug)]
pub struct Server {
    host: String,
    state: Mutex<State>,
}

impl Server {
    /// The server at that host, which no model is to read of.
    #[must_use]
    pub fn new(host: &str) -> Self {
        let state = State { knowledge: Knowledge::Nothing, settled: 0, last_id: 0, marks: None };
        Self { host: host.to_ascii_lowercase(), state: Mutex::new(state) }
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that no other request of this source has.
    pub(super) fn next_id(&self) -> u64 {
        let mut state = self.state();
        state.last_id += 1;
        state.last_id
    }

    pub(super) fn knowledge(&self) -> Knowledge {
        self.state().knowledge.clone()
    }

    /// The manner that is settled on now.
    pub(super) fn settled(&self) -> Option<Settled> {
        match self.knowledge() {
            Knowledge::Settled(settled) => Some(settled),
            _ => None,
        }
    }

    pub(super) fn settle(&self, manner: Manner) {
        let mut state = self.state();
        state.settled += 1;
        state.knowledge = Knowledge::Settled(Settled { manner, number: state.settled });
    }

    /// The server speaks otherwise than was settled, or its session is over; whoever settled anew since is left alone.
    pub(super) fn unsettle(&self, settled: &Settled, knowledge: Knowledge) {
        let mut state = self.state();
        if matches!(&state.knowledge, Knowledge::Settled(now) if now.number == settled.number) {
            state.knowledge = knowledge;
        }
    }

    /// A session could not be begun again: the next negotiation asks from the start.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        if state.knowledge == Knowledge::SessionOver {
            state.knowledge = Knowledge::Nothing;
        }
    }

    /// The marks of the last listing; none when there was none.
    pub(super) fn marks(&self) -> Option<Arc<Marks>> {
        self.state().marks.clone()
    }

    pub(super) fn learn(&self, marks: Marks) {
        self.state().marks = Some(Arc::new(marks));
    }
}
