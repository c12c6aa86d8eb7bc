//! Hearing what code does with an answer without leaving the caller's thread: it mostly calls the next tool, or ends, in less
//! time than that thread takes to be woken.
//!
//! It is done where nothing else is to be heard of the run, so that events keep their order, and where no other run needs the
//! thread. Now and then it is not, so that the caller's thread comes to what else it has.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Event;
use super::isolates::{Shared, State};
use crate::patience::Patience;

/// After so long a row of them the caller's thread is let go.
const IN_A_ROW: Duration = Duration::from_millis(1);

/// What whoever listens has for it.
pub(super) struct Ear {
    patience: Patience,
    /// Since when one call has followed another without the caller's thread being let go.
    in_a_row: Option<Instant>,
    /// The process that it reads itself: what wakes nobody else is heard the sooner.
    reads: Option<u64>,
    bytes: Vec<u8>,
}

impl Default for Ear {
    fn default() -> Self {
        Self { patience: Patience::default(), in_a_row: None, reads: None, bytes: vec![0; 64 * 1024] }
    }
}

/// The run that is listened to, and what was heard of it.
#[derive(Default)]
pub(super) struct Listening {
    run: Option<u32>,
    heard: Option<Event>,
}

impl Ear {
    /// Whether to listen to a run in this isolate, which begins before it can be heard.
    pub(super) fn begins(&mut self, shared: &Shared, state: &mut State, id: u32, key: u64) -> bool {
        let since = self.in_a_row.take().unwrap_or_else(Instant::now);
        let is_silent = state.runs.len() == 1 && state.runs.get(&id).is_some_and(|run| run.owes_nothing());
        if !is_silent || since.elapsed() > IN_A_ROW || !self.patience.looks() {
            return false;
        }
        self.in_a_row = Some(since);
        let is_left = state.process(key).is_some_and(|process| process.leave(&shared.poll, true));
        self.reads = is_left.then_some(key);
        state.listening.run = Some(id);
        true
    }

    /// What the run says, if it does at once. Later it is told as all else is.
    pub(super) fn listen(&mut self, shared: &Arc<Shared>) -> Option<Event> {
        let Self { patience, in_a_row, reads, bytes } = self;
        patience.look(None, || {
            if let Some(key) = reads {
                shared.with(|shared, state| shared.serve(state, 2 * *key, bytes));
            }
            shared.has_heard.load(Ordering::Acquire).then_some(())
        });
        let heard = shared.with(|shared, state| {
            if let Some(key) = reads.take()
                && state.process(key).is_some_and(|process| !process.leave(&shared.poll, false))
            {
                shared.lose(state, key, "the system does not let it be heard");
            }
            state.listening.run = None;
            shared.has_heard.store(false, Ordering::Relaxed);
            state.listening.heard.take()
        });
        if !matches!(heard, Some(Event::Call { .. })) {
            *in_a_row = None;
        }
        heard
    }
}

impl Shared {
    /// Keeps an event for whoever listens to its run.
    pub(super) fn keep(&self, state: &mut State) {
        let Some(listened) = state.listening.run else { return };
        let at = state.events.iter().position(|event| match event {
            Event::Call { run, .. } | Event::Done { run, .. } => *run == listened,
            _ => false,
        });
        if let Some(at) = at {
            state.listening.run = None;
            state.listening.heard = Some(state.events.remove(at));
            self.has_heard.store(true, Ordering::Release);
        }
    }
}
