//! Waiting for many pipes at once: epoll, and an event to wake it by.
#![allow(unsafe_code, reason = "epoll, eventfd and fcntl of libc")]

use std::io::{Error, Result};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// What waits for pipes.
#[derive(Debug)]
pub(super) struct Poll {
    epoll: OwnedFd,
    event: OwnedFd,
}

/// By what the event is known.
pub(super) const WOKEN: u64 = 0;

fn owned(descriptor: libc::c_int) -> Result<OwnedFd> {
    if descriptor < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the system has just given it, to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

impl Poll {
    pub(super) fn new() -> Result<Self> {
        // SAFETY: both calls take numbers and give a descriptor.
        let (epoll, event) = unsafe {
            (libc::epoll_create1(libc::EPOLL_CLOEXEC), libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))
        };
        let poll = Self { epoll: owned(epoll)?, event: owned(event)? };
        poll.control(libc::EPOLL_CTL_ADD, &poll.event, WOKEN, libc::EPOLLIN)?;
        Ok(poll)
    }

    /// Waits for a pipe that is read from.
    pub(super) fn add_reader(&self, pipe: &impl AsRawFd, key: u64) -> Result<()> {
        self.control(libc::EPOLL_CTL_ADD, pipe, key, libc::EPOLLIN)
    }

    /// Knows a pipe that is written to, and waits for nothing of it yet.
    pub(super) fn add_writer(&self, pipe: &impl AsRawFd, key: u64) -> Result<()> {
        self.control(libc::EPOLL_CTL_ADD, pipe, key, 0)
    }

    /// Leaves a pipe that is read from to somebody else, or takes it back.
    pub(super) fn leave(&self, pipe: &impl AsRawFd, key: u64, leaves: bool) -> Result<()> {
        self.control(libc::EPOLL_CTL_MOD, pipe, key, if leaves { 0 } else { libc::EPOLLIN })
    }

    /// Waits, once, for a pipe to take more.
    pub(super) fn wait_for_room(&self, pipe: &impl AsRawFd, key: u64) -> Result<()> {
        self.control(libc::EPOLL_CTL_MOD, pipe, key, libc::EPOLLOUT | libc::EPOLLONESHOT)
    }

    fn control(&self, operation: libc::c_int, pipe: &impl AsRawFd, key: u64, events: libc::c_int) -> Result<()> {
        let mut event = libc::epoll_event { events: events.cast_unsigned(), u64: key };
        // SAFETY: `event` is read by the call, and both descriptors are open.
        let status = unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), operation, pipe.as_raw_fd(), &raw mut event) };
        if status == 0 { Ok(()) } else { Err(Error::last_os_error()) }
    }

    /// Ends the wait that is under way, or the next one.
    pub(super) fn wake(&self) {
        let one = 1_u64.to_ne_bytes();
        // SAFETY: `one` has the eight bytes that the event takes.
        unsafe { libc::write(self.event.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// The keys of what is ready, until then at the latest.
    pub(super) fn wait(&self, until: Option<Instant>) -> Vec<u64> {
        let wait = match until {
            None => -1,
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                libc::c_int::try_from((left + Duration::from_micros(999)).as_millis()).unwrap_or(libc::c_int::MAX)
            }
        };
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
        // SAFETY: `events` has room for 64 of them.
        let count = unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), 64, wait) };
        let keys: Vec<u64> = events[..usize::try_from(count).unwrap_or(0)].iter().map(|event| event.u64).collect();
        if keys.contains(&WOKEN) {
            let mut count = [0_u8; 8];
            // SAFETY: `count` has the eight bytes that the event gives.
            unsafe { libc::read(self.event.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
        }
        keys
    }
}

/// What is written to a pipe is taken at once or not at all.
pub(super) fn never_block(pipe: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: flags of a descriptor that is open.
    let status = unsafe {
        let flags = libc::fcntl(pipe.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    if status == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}
