//! How the process of an isolate gives up what it does not need, before it reads a byte of code.
//!
//! What it gives up it cannot get back, and whoever takes the process over finds it given up. Each part stands without the
//! others; where the kernel lacks one, [`Sandbox`] says so. What is left: reading and writing the pipes that are open,
//! memory that is not executable, time, random bytes, and the end.
#![allow(unsafe_code, reason = "the calls of libc that give something up")]

mod filter;
mod landlock;

use crate::{Limits, patience};

/// How a process ends that has found itself broken.
pub const BROKEN: i32 = 4;

/// What a process is shut in with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Of the system's calls only a few are left, and any other ends the process.
    pub seccomp: bool,
    /// No file and no port can be reached, nor processes be signalled, as far as this kernel's landlock goes.
    pub landlock: bool,
    /// Memory, CPU time, files and processes are limited by the system, too.
    pub limits: bool,
}

impl Sandbox {
    /// Whether it is shut in with no less than another.
    #[must_use]
    pub fn has_all_of(self, other: Self) -> bool {
        self.seccomp >= other.seccomp && self.landlock >= other.landlock && self.limits >= other.limits
    }
}

/// What the process needs beside the code's own memory: the program, its libraries, what it has in hand.
const OWN_MEMORY: u64 = 96 << 20;

/// Gives up files, credentials and resources. What begins as a thread after it has given them up, too.
///
/// `stacks` is how much the threads that begin later need, in bytes.
#[must_use]
pub fn give_up(limits: &Limits, stacks: u64) -> Sandbox {
    close_others();
    end_with_parent();
    // Nothing that is run from here on has more rights than this process; a filter and landlock need it.
    // SAFETY: an operation on this process, with numbers only.
    let is_bound = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } == 0;
    // Nobody of the same user looks into it, and it leaves nothing behind when it crashes.
    // SAFETY: as above.
    let is_closed = unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) } == 0;
    // Landlock needs a descriptor, which the limits then leave none of.
    let is_shut_off = is_bound && landlock::shut();
    let is_limited = limit(limits, stacks);
    Sandbox { seccomp: false, landlock: is_shut_off, limits: is_closed && is_limited }
}

/// Gives up the system's calls, for all threads. It is the last thing, since what gives up the rest needs them.
pub fn give_up_calls(sandbox: &mut Sandbox) {
    // SAFETY: an operation on this process, with numbers only.
    let has_no_processes = set(libc::RLIMIT_NPROC, 0);
    sandbox.limits &= has_no_processes;
    sandbox.seccomp = filter::install();
}

/// A mistake of ours ends the process, whichever thread it is in: its host would wait for the others.
pub fn end_when_broken() {
    std::panic::set_hook(Box::new(|_| std::process::exit(BROKEN)));
}

/// Nothing is asked of it by signals. Those that a terminal or a supervisor sends to a whole group are for its host, which may
/// have runs to end first; the host's end and the system's own are left.
pub fn ignore_signals() {
    let signals =
        [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGTSTP, libc::SIGUSR1, libc::SIGUSR2];
    for signal in signals {
        // SAFETY: a signal that is ignored runs nothing.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// One arena for all threads: each further one would take 64 MiB of the address space that is limited.
pub fn keep_memory_together() {
    // SAFETY: a setting of the allocator, made before other threads are there.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Closes all but the two pipes and standard error, which is `/dev/null`, whatever was handed down.
fn close_others() {
    // SAFETY: nothing of this process has opened a file of its own yet. Kernels before 5.9 do not have it; what is handed
    // down there is what was not opened to be closed, which neither Node.js nor Bun does.
    unsafe { libc::close_range(3, libc::c_uint::MAX, 0) };
}

/// The system ends this process when the thread that started it ends. The pipe that it reads says so, too.
fn end_with_parent() {
    // SAFETY: an operation on this process, with numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
}

fn limit(limits: &Limits, stacks: u64) -> bool {
    let texts =
        3 * (u64::from(limits.input) + u64::from(limits.answer) + u64::from(limits.result) + u64::from(limits.source));
    let memory = limits.memory.saturating_add(stacks).saturating_add(2 * texts).saturating_add(OWN_MEMORY);
    // The host ends it to the millisecond; this is for a host that does not. The time awake counts here.
    let awake = u64::try_from(patience::of_answers(limits.calls).as_millis()).unwrap_or(u64::MAX);
    let seconds = limits.cpu.saturating_add(awake).div_ceil(1000).saturating_add(2);
    [
        (libc::RLIMIT_AS, memory),
        (libc::RLIMIT_CPU, seconds),
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, 0),
        (libc::RLIMIT_NOFILE, 3),
        (libc::RLIMIT_MEMLOCK, 0),
        (libc::RLIMIT_MSGQUEUE, 0),
    ]
    .into_iter()
    // One that cannot be set keeps none of the others from being.
    .fold(true, |is_set, (resource, most)| set(resource, most) && is_set)
}

/// Sets a limit, which stays where it is where it is lower already.
fn set(resource: libc::__rlimit_resource_t, most: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: `limit` is a limit that the calls write and read.
    unsafe {
        if libc::getrlimit(resource, &raw mut limit) != 0 {
            return false;
        }
        let most = most.min(limit.rlim_max);
        limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        libc::setrlimit(resource, &raw const limit) == 0
    }
}

/// Local time is UTC from here on.
pub fn use_utc() {
    unsafe extern "C" {
        fn tzset();
    }
    // SAFETY: no other thread is there that could read the environment.
    unsafe {
        libc::setenv(c"TZ".as_ptr(), c"UTC0".as_ptr(), 1);
        tzset();
    }
}

/// Waits until standard input can be read; false when it is that time.
#[must_use]
pub fn has_input(until: Option<std::time::Instant>) -> bool {
    let Some(until) = until else { return true };
    loop {
        let left = until.saturating_duration_since(std::time::Instant::now());
        // Up to the next millisecond, or it would be awake just before, and wait again for nothing.
        let wait = libc::c_int::try_from(left.as_micros().div_ceil(1000)).unwrap_or(libc::c_int::MAX);
        let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
        // SAFETY: `input` is one descriptor that the call reads and writes.
        match unsafe { libc::poll(&raw mut input, 1, wait) } {
            0 => return false,
            1.. => return true,
            _ => {}
        }
    }
}

/// Waits until nobody holds the other end of standard input.
pub fn until_nobody_is_there() {
    loop {
        let mut input = libc::pollfd { fd: 0, events: 0, revents: 0 };
        // SAFETY: `input` is one descriptor that the call reads and writes.
        if unsafe { libc::poll(&raw mut input, 1, -1) } > 0 {
            return;
        }
    }
}
