//! The few things that only the operating system can tell.
#![allow(unsafe_code, reason = "clocks and random bytes of libc")]

use std::time::Duration;

/// How much CPU time a clock has counted; none where what it belongs to has ended.
#[must_use]
pub(crate) fn cpu_time(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that the call may write to.
    let status = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    (status == 0).then(|| Duration::new(seconds, nanoseconds))
}

/// The CPU time of this thread.
#[must_use]
pub(crate) fn thread_cpu_time() -> Duration {
    cpu_time(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default()
}

/// The clock of this thread's CPU time, for other threads to read.
#[must_use]
pub(crate) fn thread_cpu_clock() -> Option<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: the thread is this one, so it is alive, and `clock` may be written to.
    let status = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
    (status == 0).then_some(clock)
}

/// The clock of a process's CPU time.
#[must_use]
pub(crate) fn process_cpu_clock(process: u32) -> Option<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: `clock` may be written to; a process that is gone is an error of the call.
    let status = unsafe { libc::clock_getcpuclockid(libc::pid_t::try_from(process).ok()?, &raw mut clock) };
    (status == 0).then_some(clock)
}

/// Random bytes, 256 at most.
#[must_use]
pub(crate) fn random<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0_u8; N];
    // SAFETY: `bytes` has `N` bytes to write to. Up to 256 bytes are given at once or not at all.
    let given = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), N, 0) };
    (usize::try_from(given) == Ok(N)).then_some(bytes)
}
