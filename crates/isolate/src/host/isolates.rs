//! The isolates of a host: one state behind a lock, what happens to it, and the thread that watches.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::listen::Listening;
use super::poll::{self, Poll};
use super::process::{self, Process};
use super::run::Run;
use super::starter::{Cut, Order};
use super::thread::{Inside, Thread};
use super::{Event, MOST_STUCK, Options, Sink};
use crate::engine::failure;
use crate::frame::{ToHost, ToIsolate};
use crate::sandbox::Sandbox;

/// How long an isolate may take to be ready.
const START: Duration = Duration::from_secs(30);

/// After this long a thread that is to end is one that cannot be stopped.
const STUCK: Duration = Duration::from_millis(250);

pub(super) struct Shared {
    pub(super) options: Options,
    pub(super) sink: Sink,
    pub(super) poll: Poll,
    pub(super) orders: Sender<Order>,
    pub(super) state: Mutex<State>,
    /// Whether whoever listens has something.
    pub(super) has_heard: AtomicBool,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) runs: HashMap<u32, Run>,
    pub(super) last_run: u32,
    pub(super) workers: HashMap<u64, Worker>,
    pub(super) last_worker: u64,
    /// Ready, and without a run.
    pub(super) idle: Vec<u64>,
    /// Ordered, and not ready yet.
    pub(super) starting: usize,
    /// Those that the starter has not been told of.
    pub(super) ordered: usize,
    /// Runs without an isolate.
    pub(super) waiting: VecDeque<u32>,
    /// Threads that are to end and have not, and since when.
    pub(super) ending: HashMap<u64, Instant>,
    /// Whether an isolate has been ready, or could not be started.
    pub(super) is_known: bool,
    /// How the first one that was ready is shut in, which no other may be with less.
    pub(super) first: Option<Sandbox>,
    pub(super) is_closing: bool,
    /// Until when the watch waits; none while it does not, or waits for a wake.
    pub(super) asleep_until: Option<Instant>,
    pub(super) events: Vec<Event>,
    pub(super) listening: Listening,
}

/// An isolate.
pub(super) struct Worker {
    pub(super) body: Body,
    pub(super) is_ready: bool,
    /// The run that it has.
    pub(super) run: Option<u32>,
    /// When it was ordered.
    pub(super) since: Instant,
}

/// What an isolate lives in.
pub(super) enum Body {
    Process(Process),
    Thread(Thread),
}

impl Shared {
    /// Does something to the state, and tells what happened after.
    pub(super) fn with<A>(self: &Arc<Self>, act: impl FnOnce(&Arc<Self>, &mut State) -> A) -> A {
        let mut state = self.state();
        let given = act(self, &mut state);
        self.keep(&mut state);
        let events = std::mem::take(&mut state.events);
        let ordered = std::mem::take(&mut state.ordered);
        drop(state);
        for event in events {
            (self.sink)(event);
        }
        // After what somebody waits for.
        for _ in 0..ordered {
            // The starter is there as long as this is.
            let _ = self.orders.send(Order::Start);
        }
        given
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere does not make the isolates any less in need of an end.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many of the runs that wait may begin.
    fn due(&self, state: &State) -> usize {
        let under_way = state.runs.len().saturating_sub(state.waiting.len());
        self.options.max.saturating_sub(under_way).min(state.waiting.len())
    }

    /// Begins what can be begun, and orders as many isolates as are wanted then, and `least` in any case.
    pub(super) fn order(&self, state: &mut State, least: usize) {
        self.assign(state);
        let wanted = (self.options.warm + self.due(state)).max(least);
        for _ in (state.idle.len() + state.starting)..wanted {
            state.starting += 1;
            state.ordered += 1;
        }
    }

    /// Gives runs that wait to isolates that are ready.
    pub(super) fn assign(&self, state: &mut State) {
        let stuck = state.ending.values().filter(|since| since.elapsed() > STUCK).count();
        while self.due(state) > 0
            && let Some(id) = state.waiting.pop_front()
        {
            if stuck >= MOST_STUCK {
                if let Some(run) = state.runs.remove(&id) {
                    let error = format!(
                        "No code is run: {stuck} earlier runs went past their limits in threads that cannot be stopped, and have not ended. Isolates in processes of their own can be."
                    );
                    state.done(id, run, Err(error));
                }
                continue;
            }
            let Some(run) = state.runs.get_mut(&id) else { continue };
            let Some(key) = state.idle.pop() else {
                state.waiting.push_front(id);
                return;
            };
            // It keeps its program until the isolate is heard, which may have ended by now.
            let Some((worker, (tools, code))) = state.workers.get_mut(&key).zip(run.program.clone()) else { continue };
            run.begin(key, worker.clock(), &self.options.limits);
            worker.run = Some(id);
            worker.send(&self.poll, ToIsolate::Begin { tools, code });
            let next = run.next_look();
            if state.asleep_until.is_none_or(|until| next < until) {
                self.poll.wake();
            }
        }
    }

    /// An isolate says something.
    pub(super) fn hear(self: &Arc<Self>, key: u64, said: ToHost) {
        self.with(|shared, state| shared.heard(state, key, said));
    }

    pub(super) fn heard(&self, state: &mut State, key: u64, said: ToHost) {
        let Some(worker) = state.workers.get(&key) else { return };
        let held = worker.run;
        let said = match said {
            ToHost::Ready(sandbox) if !worker.is_ready => return self.ready(state, key, sandbox),
            said => said,
        };
        let Some((id, run)) = held.and_then(|id| Some((id, state.runs.get_mut(&id)?))) else {
            return self.lose(state, key, "it spoke out of turn");
        };
        run.program = None;
        match said {
            ToHost::Log(line) if run.takes_log(&line, &self.options.limits) => {}
            ToHost::Call { call, tool, input } if run.takes_call(call, tool, &input, &self.options.limits) => {
                state.events.push(Event::Call { run: id, call, tool, input });
            }
            ToHost::Done(result) => {
                let Some(run) = state.runs.remove(&id) else { return };
                self.end(state, key);
                state.done(id, run, result);
                if self.options.program.is_some() {
                    self.order(state, 0);
                } else {
                    // The thread has its engine to throw away first.
                    self.assign(state);
                }
            }
            _ => self.lose(state, key, "it said what it may not"),
        }
    }

    pub(super) fn ready(&self, state: &mut State, key: u64, sandbox: Sandbox) {
        if !sandbox.has_all_of(*state.first.get_or_insert(sandbox)) {
            return self.lose(state, key, "it is not shut in as the first one was");
        }
        if let Some(worker) = state.workers.get_mut(&key) {
            worker.is_ready = true;
        }
        state.starting = state.starting.saturating_sub(1);
        if !std::mem::replace(&mut state.is_known, true) {
            state.events.push(Event::Ready(sandbox));
        }
        state.idle.push(key);
        self.assign(state);
    }

    /// An isolate could not be started.
    pub(super) fn not_started(&self, state: &mut State, why: &str) {
        state.starting = state.starting.saturating_sub(1);
        if !std::mem::replace(&mut state.is_known, true) {
            let program = self.options.program.as_deref().map(|path| format!("{}: ", path.display()));
            let program = program.unwrap_or_default();
            state.events.push(Event::Unavailable(format!("An isolate could not be started: {program}{why}.")));
            return;
        }
        // The system may have no more processes just now. Whoever waits has another one coming, or has one ordered when a run
        // that is under way ends.
        if state.starting >= self.due(state) || state.runs.len() > state.waiting.len() {
            return;
        }
        // Whoever waits longest had this one coming. Nothing is ordered in its place until there is another run. The model
        // reads this, and is told no path of the host's.
        let why = format!("An isolate could not be started: {why}.");
        while let Some(id) = state.waiting.pop_front() {
            if let Some(run) = state.runs.remove(&id) {
                return state.done(id, run, Err(why));
            }
        }
    }

    /// An isolate is ended, for what it did.
    pub(super) fn lose(&self, state: &mut State, key: u64, why: &str) {
        let Some(worker) = state.workers.get(&key) else { return };
        let (is_ready, held) = (worker.is_ready, worker.run);
        self.end(state, key);
        if !is_ready {
            return self.not_started(state, why);
        }
        if let Some(id) = held
            && let Some(run) = state.runs.remove(&id)
        {
            state.done(id, run, Err(failure::lost(why)));
            self.order(state, 0);
        }
    }

    /// Ends an isolate, whatever it is at.
    pub(super) fn end(&self, state: &mut State, key: u64) {
        state.idle.retain(|idle| *idle != key);
        match state.workers.remove(&key).map(|worker| worker.body) {
            Some(Body::Process(process)) => self.take_in(process, None),
            Some(Body::Thread(thread)) => {
                thread.end();
                state.ending.insert(key, Instant::now());
            }
            None => {}
        }
    }

    /// Kills a process, and has it taken in. What it ended before its time is told how.
    pub(super) fn take_in(&self, mut process: Process, cut: Option<Cut>) {
        process.kill();
        let _ = self.orders.send(Order::TakeIn(process, cut));
    }

    /// Lets go of what a run has.
    pub(super) fn free(&self, state: &mut State, run: &Run) {
        if let Some(key) = run.worker {
            self.end(state, key);
            self.order(state, 0);
        }
    }

    pub(super) fn close(&self, state: &mut State) {
        state.is_closing = true;
        for (id, run) in std::mem::take(&mut state.runs) {
            state.done(id, run, Err("The isolates are closed.".to_owned()));
        }
        let keys: Vec<u64> = state.workers.keys().copied().collect();
        for key in keys {
            self.end(state, key);
        }
        self.poll.wake();
    }

    /// Reads the pipes and looks at the time, until the host is closed.
    pub(super) fn watch(self: &Arc<Self>) {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            let until = {
                let mut state = self.state();
                if state.is_closing {
                    let _ = self.orders.send(Order::Stop);
                    return;
                }
                state.asleep_until = Self::next_look(&state);
                state.asleep_until
            };
            for key in self.poll.wait(until) {
                if key != poll::WOKEN {
                    self.with(|shared, state| shared.serve(state, key, &mut bytes));
                }
            }
            self.with(|shared, state| shared.look(state));
        }
    }

    /// A pipe of a process is ready.
    pub(super) fn serve(&self, state: &mut State, pipe: u64, bytes: &mut [u8]) {
        let key = pipe / 2;
        let Some(process) = state.process(key) else { return };
        if pipe % 2 == process::WRITES {
            return process.flush(&self.poll);
        }
        let is_open = process.read(bytes);
        loop {
            let Some(process) = state.process(key) else { return };
            match process.said() {
                Ok(Some(said)) => self.heard(state, key, said),
                Ok(None) => break,
                Err(_) => return self.lose(state, key, "it said what cannot be read"),
            }
        }
        if !is_open {
            self.ended(state, key);
        }
    }

    /// A process has closed its pipe, which it does by ending.
    pub(super) fn ended(&self, state: &mut State, key: u64) {
        let Some(Worker { body: Body::Process(process), is_ready, run, .. }) = state.workers.remove(&key) else {
            return;
        };
        state.idle.retain(|idle| *idle != key);
        if let Some(run) = run.and_then(|run| state.runs.get_mut(&run)) {
            run.worker = None;
        }
        self.take_in(process, if is_ready { run.map(Cut::Run) } else { Some(Cut::Start) });
    }

    /// An isolate has ended in a thread, of which nobody may have known that it would. The thread goes on as the next one, where it
    /// can and one is wanted.
    pub(super) fn thread_ended(&self, state: &mut State, key: u64, goes_on: bool) -> Option<Inside> {
        state.ending.remove(&key);
        self.lose(state, key, "its thread ended");
        state.ending.remove(&key);
        if state.is_closing {
            return None;
        }
        self.order(state, 0);
        state.ordered = state.ordered.checked_sub(1).filter(|_| goes_on)?;
        state.last_worker += 1;
        let (thread, inside) = Thread::of(state.last_worker);
        state.workers.insert(state.last_worker, Worker::new(Body::Thread(thread)));
        Some(inside)
    }

    /// A process has been taken in that had ended before what it was at had.
    pub(super) fn taken_in(&self, state: &mut State, cut: Cut, how: &str) {
        let id = match cut {
            Cut::Start => return self.not_started(state, &format!("its process ended before it was ready: {how}")),
            Cut::Run(id) => id,
        };
        if state.runs.get_mut(&id).is_some_and(Run::begins_again) {
            // What ended an isolate that did nothing may have ended others that are not known to have, so it gets a new one.
            for idle in state.idle.clone() {
                self.end(state, idle);
            }
            state.waiting.push_front(id);
        } else if let Some(run) = state.runs.remove(&id) {
            state.done(id, run, Err(failure::lost(how)));
        }
        self.order(state, 0);
    }

    /// When to look at the time again.
    pub(super) fn next_look(state: &State) -> Option<Instant> {
        let runs = state.runs.values().filter(|run| run.worker.is_some()).map(Run::next_look);
        let starts = state.workers.values().filter(|worker| !worker.is_ready).map(|worker| worker.since + START);
        runs.chain(starts).min()
    }

    /// Ends the runs that have gone past their limits.
    pub(super) fn look(&self, state: &mut State) {
        let now = Instant::now();
        let limits = &self.options.limits;
        let past: Vec<(u32, String)> =
            state.runs.iter_mut().filter_map(|(id, run)| Some((*id, run.look(now, limits)?))).collect();
        for (id, why) in past {
            if let Some(run) = state.runs.remove(&id) {
                self.free(state, &run);
                state.done(id, run, Err(why));
            }
        }
        let slow: Vec<u64> = state
            .workers
            .iter()
            .filter(|(_, worker)| !worker.is_ready && worker.since + START <= now)
            .map(|(key, _)| *key)
            .collect();
        for key in slow {
            self.lose(state, key, "it was not ready in time");
        }
    }
}

impl State {
    pub(super) fn process(&mut self, key: u64) -> Option<&mut Process> {
        match &mut self.workers.get_mut(&key)?.body {
            Body::Process(process) => Some(process),
            Body::Thread(_) => None,
        }
    }

    pub(super) fn done(&mut self, id: u32, run: Run, result: Result<String, String>) {
        self.events.push(Event::Done { run: id, result, logs: run.logs });
    }
}

impl Worker {
    pub(super) fn new(body: Body) -> Self {
        Self { body, is_ready: false, run: None, since: Instant::now() }
    }

    /// Tells it something. It is false where too much waits that it has not read.
    pub(super) fn send(&mut self, poll: &Poll, frame: ToIsolate) -> bool {
        match &mut self.body {
            Body::Process(process) => process.send(poll, &frame),
            Body::Thread(thread) => {
                thread.send(frame);
                true
            }
        }
    }

    /// The clock of its CPU time.
    pub(super) fn clock(&self) -> Option<libc::clockid_t> {
        match &self.body {
            Body::Process(process) => process.clock(),
            Body::Thread(thread) => thread.clock(),
        }
    }
}
