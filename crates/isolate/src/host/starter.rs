//! The thread that starts isolates and takes in the processes that have ended, so that nobody else waits for either.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::isolates::{Body, Shared, State, Worker};
use super::process::Process;
use super::thread::Thread;

/// What the starter is to do.
pub(super) enum Order {
    Start,
    /// A process has been killed. What it had ended by itself is told how.
    TakeIn(Process, Option<Cut>),
    /// Everything has been ordered.
    Stop,
}

/// What a process was at that has ended by itself.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    /// Becoming ready.
    Start,
    Run(u32),
}

pub(super) fn work(shared: &Arc<Shared>, orders: &Receiver<Order>) {
    while let Ok(order) = orders.recv() {
        match order {
            Order::Start => start(shared),
            Order::TakeIn(process, cut) => take_in(shared, process, cut),
            Order::Stop => break,
        }
    }
    // One that was being started when the host was closed has been killed after.
    while let Ok(order) = orders.try_recv() {
        if let Order::TakeIn(process, cut) = order {
            take_in(shared, process, cut);
        }
    }
}

fn take_in(shared: &Arc<Shared>, process: Process, cut: Option<Cut>) {
    let how = process.wait();
    if let Some(cut) = cut {
        shared.with(|shared, state| shared.taken_in(state, cut, &how));
    }
}

fn start(shared: &Arc<Shared>) {
    let key = shared.with(|_, state| {
        state.last_worker += 1;
        (!state.is_closing).then_some(state.last_worker)
    });
    let Some(key) = key else { return };
    let Some(program) = &shared.options.program else {
        // It is known before it can be heard.
        return shared.with(|shared, state| match Thread::start(shared, key) {
            Ok(thread) => keep(shared, state, key, Body::Thread(thread)),
            Err(error) => shared.not_started(state, &error.to_string()),
        });
    };
    // What it says before it is known is there still when it is.
    let started = Process::start(program, &shared.options.limits, key, &shared.poll);
    shared.with(|shared, state| match started {
        Ok(process) => keep(shared, state, key, Body::Process(process)),
        Err(error) => shared.not_started(state, &error.to_string()),
    });
}

fn keep(shared: &Shared, state: &mut State, key: u64, body: Body) {
    state.workers.insert(key, Worker::new(body));
    if state.is_closing {
        shared.end(state, key);
    }
}
