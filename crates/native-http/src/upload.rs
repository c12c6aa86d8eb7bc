//! A request's body that is written while it is sent: no further than there is room for, and not before the connection takes it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// What is kept of a body before the writer has to wait, in bytes.
const ENOUGH: usize = 64 * 1024;
/// The pieces that a body which is all there is sent in, in bytes.
const SLICE: usize = 64 * 1024;

/// What a writer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There is room: write more.
    Some,
    /// Wait until it is told that there is room.
    None,
    /// Nothing more is taken.
    Closed,
    /// Write all of it once more: it was redirected.
    Again,
    /// More was written than was said.
    Excess,
}

type Tell = Box<dyn Fn(Room) + Send + Sync>;

#[derive(Default)]
struct State {
    pieces: VecDeque<Bytes>,
    held: usize,
    /// What is still to be written, where that is known.
    left: Option<u64>,
    is_ended: bool,
    is_closed: bool,
    /// How many times it was begun anew. What was written or read before is of no account afterwards.
    round: u32,
    /// The writer waits to be told.
    is_waited: bool,
    reader: Option<Waker>,
    tell: Option<Tell>,
}

/// A body between who writes it and the connection.
pub struct Upload {
    state: Mutex<State>,
    length: Option<u64>,
    is_repeatable: bool,
}

impl std::fmt::Debug for Upload {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Upload").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Upload {
    /// A body of so many bytes, or of however many are written, which can be written more than once or not. Nothing is to be written
    /// before there is room.
    #[must_use]
    pub fn new(length: Option<u64>, is_repeatable: bool) -> Arc<Self> {
        let state = State { left: length, is_waited: true, ..State::default() };
        Arc::new(Self { state: Mutex::new(state), length, is_repeatable })
    }

    /// Has it written once more, if it can be.
    pub(crate) fn begin_again(&self) -> bool {
        if !self.is_repeatable {
            return false;
        }
        let mut state = self.state();
        let (round, tell) = (state.round.wrapping_add(1), state.tell.take());
        let reader = state.reader.take();
        *state = State { left: self.length, is_waited: true, round, tell, ..State::default() };
        if let Some(tell) = &state.tell {
            tell(Room::Again);
        }
        state.reader = reader;
        wake(state);
        true
    }

    pub(crate) fn listen(&self, tell: impl Fn(Room) + Send + Sync + 'static) {
        self.state().tell = Some(Box::new(tell));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a piece, and says whether there is room for another.
    pub(crate) fn write(&self, round: u32, piece: Bytes) -> Room {
        let mut state = self.state();
        if state.round != round {
            return Room::Closed;
        }
        // A connection that has as much as was said reads no further, and would not see that there is more.
        if let Some(left) = state.left {
            match left.checked_sub(piece.len() as u64) {
                Some(left) => state.left = Some(left),
                None => return Room::Excess,
            }
        }
        if state.is_closed || state.is_ended {
            return Room::Closed;
        }
        state.held += piece.len();
        state.pieces.push_back(piece);
        let room = if state.held < ENOUGH { Room::Some } else { Room::None };
        state.is_waited = room == Room::None;
        wake(state);
        room
    }

    /// Says that nothing more comes.
    pub(crate) fn end(&self, round: u32) {
        let mut state = self.state();
        state.is_ended |= state.round == round;
        wake(state);
    }

    /// Whether the connection waits for the writer, and not the other way round.
    pub(crate) fn is_awaited(&self) -> bool {
        let state = self.state();
        state.reader.is_some() && state.pieces.is_empty() && !state.is_ended && !state.is_closed
    }

    /// Takes nothing more, and ends the request that it is the body of where it is not all there.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        let was_over = state.is_closed || (state.is_ended && state.pieces.is_empty());
        state.is_closed = true;
        state.pieces.clear();
        if !was_over && let Some(tell) = &state.tell {
            tell(Room::Closed);
        }
        wake(state);
    }

    fn poll(&self, round: u32, context: &Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
        let mut state = self.state();
        if state.round != round {
            return Poll::Ready(Some(Err(Broken("it is sent elsewhere"))));
        }
        let next = if state.is_closed {
            Poll::Ready(Some(Err(Broken("nothing more of it is wanted"))))
        } else if let Some(piece) = state.pieces.pop_front() {
            state.held -= piece.len();
            Poll::Ready(Some(Ok(piece)))
        } else if state.is_ended {
            Poll::Ready(state.left.filter(|&left| left > 0).map(|_| Err(Broken("it is shorter than was said"))))
        } else {
            state.reader = Some(context.waker().clone());
            Poll::Pending
        };
        if state.is_waited && !state.is_closed && !state.is_ended && state.held < ENOUGH {
            state.is_waited = false;
            if let Some(tell) = &state.tell {
                tell(Room::Some);
            }
        }
        next
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

/// Why a body that was begun has no end.
#[derive(Debug)]
pub(crate) struct Broken(&'static str);

impl std::fmt::Display for Broken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the body of the request was not sent to its end: {}", self.0)
    }
}

impl std::error::Error for Broken {}

/// An upload as the connection reads it. One that it lets go of is closed.
pub(crate) struct Written {
    upload: Arc<Upload>,
    round: u32,
    sent: Arc<AtomicUsize>,
}

impl Written {
    pub(crate) fn new(upload: Arc<Upload>, sent: Arc<AtomicUsize>) -> Self {
        let round = upload.state().round;
        Self { upload, round, sent }
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let is_current = self.upload.state().round == self.round;
        if is_current {
            self.upload.close();
        }
    }
}

impl Body for Written {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let next = self.upload.poll(self.round, context);
        if next.is_ready() {
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
        next.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        self.upload.length.map(SizeHint::with_exact).unwrap_or_default()
    }
}

/// Bytes that are all there, in slices.
pub(crate) struct Slices {
    bytes: Bytes,
    sent: Arc<AtomicUsize>,
}

impl Slices {
    pub(crate) fn new(bytes: Bytes, sent: Arc<AtomicUsize>) -> Self {
        Self { bytes, sent }
    }
}

impl Body for Slices {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        let length = self.bytes.len().min(SLICE);
        Poll::Ready(Some(Ok(Frame::data(self.bytes.split_to(length)))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
