//! What the host knows of a run, and what it holds it to. The isolate keeps the same limits; here they are kept although it
//! may have been taken over.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::engine::failure;
use crate::limits::Limits;
use crate::system;

/// An isolate that stops at its limit itself says more, so it is given this long to.
const GRACE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Run {
    /// The tools and the code, until an isolate has them.
    pub(super) program: Option<(String, String)>,
    /// The isolate that it is in.
    pub(super) worker: Option<u64>,
    /// What the code logged.
    pub(super) logs: Vec<String>,
    /// How much of it may still come, in bytes.
    log_left: usize,
    tools: u32,
    next_call: u32,
    /// Calls that are not answered.
    calls: HashSet<u32>,
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
            worker: None,
            logs: Vec::new(),
            // A unit of UTF-16 is three bytes at the most; a note says where the logs were cut, and one which calls were stopped.
            log_left: 3 * limits.log as usize + 4096 + 64 * limits.calls as usize,
            tools,
            next_call: 0,
            calls: HashSet::new(),
            wall: now,
            look: now,
            cpu: None,
        }
    }

    /// It begins, in an isolate with this clock.
    pub(super) fn begin(&mut self, worker: u64, clock: Option<libc::clockid_t>, limits: &Limits) {
        let now = Instant::now();
        self.worker = Some(worker);
        self.wall = far(now, Duration::from_millis(limits.wall));
        self.look = far(now, Duration::from_millis(limits.cpu) + GRACE);
        self.cpu = clock.and_then(|clock| Some((clock, system::cpu_time(clock)?)));
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
        let most = Duration::from_millis(limits.cpu) + GRACE;
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

    pub(super) fn takes_call(&mut self, call: u32, tool: u32, limits: &Limits) -> bool {
        let takes = tool < self.tools
            && call == self.next_call
            && call < limits.calls
            && self.calls.len() < limits.concurrent as usize;
        if takes {
            self.next_call += 1;
            self.calls.insert(call);
        }
        takes
    }

    /// Whether a call waits for an answer, which it does only once.
    pub(super) fn answers(&mut self, call: u32) -> bool {
        self.calls.remove(&call)
    }
}

/// Later by a time, which may be longer than there will be time.
fn far(from: Instant, by: Duration) -> Instant {
    from.checked_add(by).unwrap_or(from + Duration::from_secs(3600 * 24 * 365))
}
