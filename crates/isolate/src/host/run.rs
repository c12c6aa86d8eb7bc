//! What the host knows of a run, and what it holds it to. The isolate keeps the same limits; here they are kept although it
//! may have been taken over.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::engine::failure;
use crate::limits::Limits;
use crate::{patience, system};

/// What the notes take, in bytes, that say where the logs were cut and which calls were stopped.
const NOTES: usize = 16 * 1024;

/// An isolate that stops at its limit itself says more, so it is given this long to.
const GRACE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Run {
    /// The tools and the code, until an isolate that has them has said something.
    pub(super) program: Option<(String, String)>,
    /// Whether it has been begun a second time.
    is_again: bool,
    /// The isolate that it is in.
    pub(super) worker: Option<u64>,
    /// What the code logged.
    pub(super) logs: Vec<String>,
    /// How much of it may still come, in bytes.
    log_left: usize,
    tools: u32,
    next_call: u32,
    /// Calls that are not answered, and since when.
    calls: HashMap<u32, Instant>,
    /// How many were answered so soon that it may have been awake until then.
    quick: u32,
    /// When it is over by the wall, and when its CPU time is looked at next.
    wall: Instant,
    look: Instant,
    /// The clock of its CPU time, and what that said when it began.
    cpu: Option<(libc::clockid_t, Duration)>,
}

impl Run {
    pub(super) fn new(tools: u32, limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            program: None,
            is_again: false,
            worker: None,
            logs: Vec::new(),
            // A unit of UTF-16 is three bytes at the most.
            log_left: 3 * limits.log as usize + NOTES,
            tools,
            next_call: 0,
            calls: HashMap::new(),
            quick: 0,
            wall: now,
            look: now,
            cpu: None,
        }
    }

    /// It begins, in an isolate with this clock.
    pub(super) fn begin(&mut self, worker: u64, clock: Option<libc::clockid_t>, limits: &Limits) {
        let now = Instant::now();
        self.worker = Some(worker);
        if !self.is_again {
            self.wall = far(now, Duration::from_millis(limits.wall));
        }
        self.look = far(now, Duration::from_millis(limits.cpu) + GRACE);
        self.cpu = clock.and_then(|clock| Some((clock, system::cpu_time(clock)?)));
    }

    /// Whether it can begin again in another isolate: its own has ended without a word, perhaps before it had the code. Twice is
    /// no accident.
    pub(super) fn begins_again(&mut self) -> bool {
        self.program.is_some() && !std::mem::replace(&mut self.is_again, true)
    }

    /// When it is to be looked at.
    pub(super) fn next_look(&self) -> Instant {
        self.wall.min(self.look)
    }

    /// Why it is to be ended now, if it is.
    pub(super) fn look(&mut self, now: Instant, limits: &Limits) -> Option<String> {
        self.worker?;
        if now >= self.wall {
            return Some(failure::wall(limits));
        }
        if now < self.look {
            return None;
        }
        // While it waits it is awake for a while, which is not the code's time.
        let most = Duration::from_millis(limits.cpu) + GRACE + patience::of_answers(self.quick);
        // A clock that is gone was of an isolate that is about to say that it has ended.
        let used = self.cpu.and_then(|(clock, began)| system::cpu_time(clock)?.checked_sub(began)).unwrap_or_default();
        if used >= most {
            return Some(failure::cpu(limits));
        }
        self.look = far(now, (most - used).max(Duration::from_millis(1)));
        None
    }

    pub(super) fn takes_log(&mut self, line: &str, limits: &Limits) -> bool {
        let Some(left) = self.log_left.checked_sub(line.len() + 1) else { return false };
        if self.logs.len() > limits.log as usize + 2 {
            return false;
        }
        self.log_left = left;
        self.logs.push(line.to_owned());
        true
    }

    pub(super) fn takes_call(&mut self, call: u32, tool: u32, input: &str, limits: &Limits) -> bool {
        let takes = tool < self.tools
            && input.len() <= 3 * limits.input as usize
            && call == self.next_call
            && call < limits.calls
            && self.calls.len() < limits.concurrent as usize;
        if takes {
            self.next_call += 1;
            self.calls.insert(call, Instant::now());
        }
        takes
    }

    /// Whether all its calls are answered.
    pub(super) fn owes_nothing(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether the answer to a call is a quick one; none where it does not wait for any, as after the first.
    pub(super) fn answers(&mut self, call: u32) -> Option<bool> {
        let is_quick = patience::is_quick(self.calls.remove(&call)?.elapsed());
        self.quick += u32::from(is_quick);
        Some(is_quick)
    }
}

/// Later by a time, which may be longer than there will be time.
fn far(from: Instant, by: Duration) -> Instant {
    from.checked_add(by).unwrap_or(from + Duration::from_secs(3600 * 24 * 365))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        memory: 1,
        stack: 1,
        cpu: 40,
        wall: 60_000,
        calls: 1,
        concurrent: 1,
        source: 1,
        log: 1,
        input: 1,
        answer: 1,
        result: 1,
    };

    fn begun(limits: &Limits) -> Run {
        let mut run = Run::new(0, limits);
        run.begin(1, system::thread_cpu_clock(), limits);
        run
    }

    /// No clock is held to anything here but that it goes on: what is checked is when the host means to look.
    #[test]
    fn a_run_is_looked_at_before_it_can_be_a_hundred_milliseconds_past_a_limit() {
        let most = Duration::from_millis(LIMITS.cpu) + GRACE + patience::of_answers(0);
        assert!(GRACE + Duration::from_millis(1) < Duration::from_millis(100));
        let mut run = begun(&LIMITS);
        // Code that does nothing but compute takes no more CPU time than there is time.
        assert!(run.next_look() <= Instant::now() + most);
        // One that has waited all that time is looked at again when it could have used up the rest.
        let began = system::thread_cpu_time();
        while system::thread_cpu_time() - began < Duration::from_millis(5) {}
        let now = run.next_look();
        let before = system::thread_cpu_time() - began;
        if run.look(now, &LIMITS).is_none() {
            assert!(
                run.next_look() <= now + (most - before).max(Duration::from_millis(1)),
                "{:?}",
                run.next_look() - now
            );
        }
        while system::thread_cpu_time() - began <= most {}
        assert_eq!(run.look(run.next_look(), &LIMITS), Some(failure::cpu(&LIMITS)));
        let limits = Limits { cpu: 60_000, wall: 30, ..LIMITS };
        let mut run = begun(&limits);
        assert!(run.next_look() <= Instant::now() + Duration::from_millis(30));
        assert_eq!(run.look(run.next_look(), &limits), Some(failure::wall(&limits)));
    }

    /// Of what took longer nobody was awake.
    #[test]
    fn a_run_has_more_processor_time_for_quick_answers_only() {
        let limits = Limits { calls: 1000, concurrent: 1000, ..LIMITS };
        let mut run = begun(&limits);
        run.tools = 1;
        for call in 0..1000 {
            assert!(run.takes_call(call, 0, "1", &limits));
        }
        std::thread::sleep(Duration::from_millis(2));
        assert!((0..500).all(|call| run.answers(call) == Some(false)) && run.answers(0).is_none());
        assert_eq!(run.quick, 0);
        let now = Instant::now();
        run.calls.values_mut().for_each(|since| *since = now);
        assert!((500..1000).all(|call| run.answers(call).is_some()));
        assert!(run.quick <= 500);
    }

    #[test]
    fn a_run_that_begins_again_has_no_more_time_for_it() {
        let limits = Limits { cpu: 60_000, wall: 30, ..LIMITS };
        let mut run = begun(&limits);
        run.program = Some(Default::default());
        let end = run.next_look();
        assert!(run.begins_again());
        run.begin(2, None, &limits);
        assert_eq!(run.next_look(), end);
        assert!(!run.begins_again());
    }
}
