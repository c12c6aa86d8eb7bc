//! Starts isolates, hands what they say to whoever opened the host, and ends each at its limits, whatever it does.
//!
//! One thread watches: it reads the pipes and knows the time. Another starts isolates ahead of need, and takes in the
//! processes that have ended; it lives as long as any of them, since the system ends a process with the thread that began
//! it. Everything else happens on the caller's thread: beginning a run is one write to a pipe.
//!
//! What an isolate says is not trusted: it may call the tools of its run only, in turn, and no more often, at once or at
//! greater length than it may; any other word ends it.

mod isolates;
mod listen;
mod poll;
mod process;
mod run;
mod starter;
mod thread;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use crate::frame::ToIsolate;
use crate::limits::Limits;
use crate::sandbox::Sandbox;
use isolates::Shared;
use listen::Ear;
use poll::Poll;
use run::Run;
use starter::Order;

/// How isolates are run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What each run may take.
    pub limits: Limits,
    /// The executable of an isolate's process; without one a run is a thread of this process.
    pub program: Option<PathBuf>,
    /// How many isolates are kept ready.
    pub warm: usize,
    /// How many runs there may be at once; others wait.
    pub max: usize,
}

/// What happens in a host.
#[allow(missing_docs, reason = "what the fields are is in what is said")]
#[derive(Debug)]
pub enum Event {
    /// The first isolate is ready, shut in like this.
    Ready(Sandbox),
    /// The first isolate cannot be started.
    Unavailable(String),
    /// Code calls a tool, by its place among the names, with an input, JSON.
    Call { run: u32, call: u32, tool: u32, input: String },
    /// A run is over: JSON of what its code returned, or why not, and the lines that it logged.
    Done { run: u32, result: Result<String, String>, logs: Vec<String> },
    /// Every isolate has ended.
    Closed,
}

/// Is told what happens, on any thread.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// How many threads that cannot be stopped are borne with before no more code is run.
pub const MOST_STUCK: usize = 4;

/// Isolates, and what runs in them.
pub struct Host {
    shared: Arc<Shared>,
    ear: Mutex<Ear>,
}

impl Host {
    /// Starts the first isolates. [`Event::Ready`] or [`Event::Unavailable`] says how that went.
    ///
    /// # Errors
    ///
    /// The system gives no threads or pipes.
    pub fn open(options: Options, sink: Sink) -> std::io::Result<Self> {
        let (orders, ordered) = channel();
        let shared = Arc::new(Shared {
            options,
            sink,
            poll: Poll::new()?,
            orders,
            state: Mutex::default(),
            has_heard: AtomicBool::default(),
        });
        let starting = shared.clone();
        let starter = std::thread::Builder::new()
            .name("isolates".to_owned())
            .spawn(move || starter::work(&starting, &ordered))?;
        let watching = shared.clone();
        let watch = std::thread::Builder::new().name("isolate-watch".to_owned()).spawn(move || {
            watching.watch();
            // It takes in what has ended.
            let _ = starter.join();
            (watching.sink)(Event::Closed);
        });
        if let Err(error) = watch {
            // The starter, which is there already, would wait for orders for ever.
            let _ = shared.orders.send(Order::Stop);
            return Err(error);
        }
        shared.with(|shared, state| shared.order(state, 1));
        Ok(Self { shared, ear: Mutex::default() })
    }

    /// Runs code with tools, a JSON list of so many names. Its events have the number that this gives.
    #[must_use]
    pub fn start(&self, tools: String, count: u32, code: String) -> u32 {
        self.shared.with(|shared, state| {
            state.last_run = state.last_run.wrapping_add(1);
            let id = state.last_run;
            let mut run = Run::new(count, &shared.options.limits);
            if state.is_closing {
                state.done(id, run, Err("The isolates are closed.".to_owned()));
                return id;
            }
            run.program = Some((tools, code));
            state.runs.insert(id, run);
            state.waiting.push_back(id);
            shared.assign(state);
            if state.idle.is_empty() {
                shared.order(state, 0);
            }
            id
        })
    }

    /// Answers a tool call of a run. One that is over hears nothing. What the code does next is given where it does it at once,
    /// and is told where not.
    #[must_use]
    pub fn answer(&self, run: u32, call: u32, is_ok: bool, text: String) -> Option<Event> {
        // Somebody else listens already.
        let mut ear = self.ear.try_lock().ok();
        let listened = self.shared.with(|shared, state| {
            let held = state.runs.get_mut(&run)?;
            let is_quick = held.answers(call)?;
            let key = held.worker?;
            if !is_quick {
                // What takes its isolate's place is made when it has ended, so that neither slows the other, or once it is a long one.
                shared.order(state, 0);
            }
            let listens = ear.as_mut().is_some_and(|ear| ear.begins(shared, state, run, key));
            let is_sent = state
                .workers
                .get_mut(&key)
                .is_some_and(|worker| worker.send(&shared.poll, ToIsolate::Answer { call, is_ok, text }));
            if !is_sent {
                shared.lose(state, key, "it does not read what its calls are answered");
            }
            listens.then_some(())
        });
        ear.as_mut().zip(listened).and_then(|(ear, ())| ear.listen(&self.shared))
    }

    /// Ends a run that nobody waits for any more. It has no further event.
    pub fn interrupt(&self, run: u32) {
        self.shared.with(|shared, state| {
            state.waiting.retain(|waiting| *waiting != run);
            if let Some(run) = state.runs.remove(&run) {
                shared.free(state, &run);
            }
        });
    }

    /// Ends all isolates; [`Event::Closed`] says when they have.
    pub fn close(&self) {
        self.shared.with(|shared, state| shared.close(state));
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.close();
    }
}
