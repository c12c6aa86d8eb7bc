//! An answer's body between the connection and who reads it: read ahead by a little, and then no further than it is read.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::fault::Fault;

/// What is kept of a body that is not read, in bytes, before the connection has to wait.
const ENOUGH: usize = 256 * 1024;
/// The longest body that is given in one piece, in bytes.
const LONGEST: usize = 2 * 1024 * 1024 * 1024 - 1;

/// What there is of a body, and how it ended when that was all.
#[derive(Debug, Default)]
pub struct Piece {
    /// The bytes, in turn.
    pub chunks: Vec<Bytes>,
    /// `None` while more may come.
    pub ended: Option<Result<(), Fault>>,
}

impl Piece {
    /// How many bytes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
}

/// What whoever reads waits for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Wanted {
    #[default]
    Nothing,
    Some,
    All,
}

#[derive(Default)]
struct State {
    chunks: VecDeque<Bytes>,
    held: usize,
    ended: Option<Result<(), Fault>>,
    wanted: Wanted,
}

impl State {
    /// What is wanted, where it is there. What came before a failure is given before it, unless all was wanted.
    fn take(&mut self) -> Option<Piece> {
        let is_there = match self.wanted {
            Wanted::Nothing => false,
            Wanted::Some => self.held > 0 || self.ended.is_some(),
            Wanted::All => self.ended.is_some(),
        };
        if !is_there {
            return None;
        }
        let fails = matches!(self.ended, Some(Err(_)));
        let chunks = if fails && self.wanted == Wanted::All { Vec::new() } else { self.chunks.drain(..).collect() };
        let ended = if fails && self.held > 0 && self.wanted == Wanted::Some { None } else { self.ended.clone() };
        self.held = 0;
        self.wanted = Wanted::Nothing;
        Some(Piece { chunks, ended })
    }
}

/// The body of an answer.
#[derive(Default)]
pub(crate) struct Download {
    state: Mutex<State>,
    read: Notify,
}

impl Download {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what came, and gives what is to be told of it.
    pub(crate) fn add(&self, chunk: Bytes) -> Option<Piece> {
        let mut state = self.state();
        if chunk.is_empty() || state.ended.is_some() {
            return None;
        }
        state.held += chunk.len();
        state.chunks.push_back(chunk);
        if state.held > LONGEST {
            let text = "the body is longer than 2 GiB, which cannot be given in one piece: read it as a stream";
            state.ended = Some(Err(Fault::new("ERR_TOO_LARGE", text)));
        }
        state.take()
    }

    /// Ends it, and gives what is to be told of that.
    pub(crate) fn end(&self, ended: Result<(), Fault>) -> Option<Piece> {
        let mut state = self.state();
        state.ended.get_or_insert(ended);
        state.take()
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.state().ended.is_some()
    }

    /// Waits until more may be added.
    pub(crate) async fn room(&self) {
        loop {
            {
                let state = self.state();
                if state.held < ENOUGH || state.wanted == Wanted::All {
                    return;
                }
            }
            self.read.notified().await;
        }
    }

    /// Asks for what there is, or for all there will be. What is not there yet is told when it is.
    pub(crate) fn read(&self, all: bool) -> Option<Piece> {
        let mut state = self.state();
        state.wanted = if all { Wanted::All } else { Wanted::Some };
        let piece = state.take();
        drop(state);
        self.read.notify_one();
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(piece: Option<Piece>) -> Option<(String, Option<bool>)> {
        let piece = piece?;
        let bytes = piece.chunks.concat();
        Some((String::from_utf8(bytes).unwrap(), piece.ended.map(|ended| ended.is_ok())))
    }

    #[test]
    fn gives_what_there_is_and_tells_what_was_waited_for() {
        let body = Download::default();
        assert_eq!(text(body.add("a".into())), None);
        assert_eq!(text(body.add("b".into())), None);
        assert_eq!(text(body.read(false)), Some(("ab".to_owned(), None)));
        assert_eq!(text(body.read(false)), None);
        assert_eq!(text(body.add("c".into())), Some(("c".to_owned(), None)));
        assert_eq!(text(body.end(Ok(()))), None);
        assert_eq!(text(body.read(false)), Some((String::new(), Some(true))));
    }

    #[test]
    fn gives_all_at_the_end_and_what_came_before_a_failure_first() {
        let body = Download::default();
        assert_eq!(text(body.read(true)), None);
        assert_eq!(text(body.add("a".into())), None);
        assert_eq!(text(body.add("b".into())), None);
        assert_eq!(text(body.end(Ok(()))), Some(("ab".to_owned(), Some(true))));

        let body = Download::default();
        body.add("a".into());
        body.end(Err(Fault::silent()));
        assert_eq!(text(body.read(false)), Some(("a".to_owned(), None)));
        assert_eq!(text(body.read(false)), Some((String::new(), Some(false))));
        assert_eq!(text(body.read(true)), Some((String::new(), Some(false))));
    }
}
