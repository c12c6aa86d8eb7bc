//! The thread of an isolate, for hosts that may not start processes. Its code can be asked to stop, and cannot be made to.
//!
//! A thread that has thrown its engine away is the next isolate, where one is wanted, with an engine of its own again: then the
//! system has no thread to make and to end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::isolates::Shared;
use crate::engine::{Engine, Heard, Port};
use crate::frame::{ToHost, ToIsolate};
use crate::patience::Patience;
use crate::sandbox::Sandbox;
use crate::{source, system};

/// How deeply nested code a thread can read without another one.
const LEVELS: usize = 1024;

/// What the engine's thread needs of stack beside what the engine may take and what reading code does.
const STACK: usize = 512 * 1024;

pub(super) struct Thread {
    to: Sender<ToIsolate>,
    is_over: Arc<AtomicBool>,
    clock: Arc<OnceLock<Option<libc::clockid_t>>>,
}

/// The side of it that is within.
pub(super) struct Inside {
    key: u64,
    from: Receiver<ToIsolate>,
    is_over: Arc<AtomicBool>,
    clock: Arc<OnceLock<Option<libc::clockid_t>>>,
}

impl Thread {
    /// Both sides of it. It is heard of under its key.
    pub(super) fn of(key: u64) -> (Self, Inside) {
        let (to, from) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let clock = Arc::new(OnceLock::new());
        (Self { to, is_over: is_over.clone(), clock: clock.clone() }, Inside { key, from, is_over, clock })
    }

    /// Starts it.
    pub(super) fn start(shared: &Arc<Shared>, key: u64) -> std::io::Result<Self> {
        let (thread, inside) = Self::of(key);
        let stack = usize::try_from(shared.options.limits.stack).unwrap_or_default() + source::stack(LEVELS) + STACK;
        let shared = shared.clone();
        std::thread::Builder::new().name("isolate".to_owned()).stack_size(stack).spawn(move || {
            let mut next = Some(inside);
            while let Some(inside) = next.take() {
                let key = inside.key;
                let _ = inside.clock.set(system::thread_cpu_clock());
                // A mistake of ours ends the run and the thread, and nothing else.
                let ran = catch_unwind(AssertUnwindSafe(|| run(&shared, inside)));
                next = shared.with(|shared, state| shared.thread_ended(state, key, ran.is_ok()));
            }
        })?;
        Ok(thread)
    }

    pub(super) fn clock(&self) -> Option<libc::clockid_t> {
        self.clock.get().copied().flatten()
    }

    pub(super) fn send(&self, frame: ToIsolate) {
        // A thread that has ended hears nothing.
        let _ = self.to.send(frame);
    }

    /// Asks it to end: where it runs, and, as the last that could say something lets go, where it waits.
    pub(super) fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn run(shared: &Arc<Shared>, Inside { key, from, is_over, .. }: Inside) {
    let port = Rc::new(Channel { shared: shared.clone(), key, from, is_over, patience: Patience::default() });
    let engine = Engine::new(shared.options.limits, port.clone());
    port.say(ToHost::Ready(Sandbox::default()));
    let Ok(ToIsolate::Begin { tools, code }) = port.from.recv() else { return };
    let result = match &engine {
        Ok(engine) => engine.run(&tools, &code, LEVELS),
        Err(error) => Err(error.clone()),
    };
    port.say(ToHost::Done(result));
}

struct Channel {
    shared: Arc<Shared>,
    key: u64,
    from: Receiver<ToIsolate>,
    is_over: Arc<AtomicBool>,
    patience: Patience,
}

impl Channel {
    fn say(&self, said: ToHost) {
        self.shared.hear(self.key, said);
    }
}

impl Port for Channel {
    fn log(&self, line: String) {
        self.say(ToHost::Log(line));
    }

    fn call(&self, call: u32, tool: u32, input: String) {
        self.say(ToHost::Call { call, tool, input });
    }

    fn wait(&self, until: Option<Instant>, owes: bool) -> Heard {
        let look = || match self.from.try_recv() {
            Ok(frame) => Some(Ok(frame)),
            Err(TryRecvError::Disconnected) => Some(Err(RecvTimeoutError::Disconnected)),
            Err(TryRecvError::Empty) => None,
        };
        let found = if owes && self.patience.looks() { self.patience.look(until, look) } else { None };
        let heard = match (found, until) {
            (Some(found), _) => found,
            (None, Some(until)) => self.from.recv_timeout(until.saturating_duration_since(Instant::now())),
            (None, None) => self.from.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match heard {
            Ok(ToIsolate::Answer { call, is_ok, text }) => Heard::Answer { call, is_ok, text },
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Ok(ToIsolate::Begin { .. }) | Err(RecvTimeoutError::Disconnected) => Heard::Over,
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}
