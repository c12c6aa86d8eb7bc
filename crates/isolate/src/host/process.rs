//! The process of an isolate, as its host holds it: two pipes and an end.

use std::io::{ErrorKind, Read, Result, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use super::poll::{self, Poll};
use crate::engine::failure;
use crate::frame::{Frames, Malformed, ToHost, ToIsolate};
use crate::limits::Limits;
use crate::{sandbox, system};

/// The pipes of a process are known by twice its key, and the one that is written to by one more.
pub(super) const WRITES: u64 = 1;

pub(super) struct Process {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    /// What its pipe had no room for, and how much of it there may be.
    out: Vec<u8>,
    most_out: usize,
    frames: Frames,
    key: u64,
}

impl Process {
    /// Starts it with nothing of this process but the limits.
    pub(super) fn start(program: &Path, limits: &Limits, key: u64, poll: &Poll) -> Result<Self> {
        let mut child = Command::new(program)
            .args(limits.to_args())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or(ErrorKind::BrokenPipe)?;
        // The most that any of them says, three bytes to a unit of UTF-16.
        let longest = 3 * (limits.input.max(limits.result).max(limits.log) as usize).max(failure::LONGEST) + 64 * 1024;
        // One that is not taken over has as many answers ahead as it may have calls under way.
        let most_out = limits.concurrent as usize * (3 * limits.answer as usize + 64);
        let mut process = Self { child, to, from, out: Vec::new(), most_out, frames: Frames::new(longest), key };
        if let Err(error) = process.join(poll) {
            process.kill();
            process.wait();
            return Err(error);
        }
        Ok(process)
    }

    fn join(&self, poll: &Poll) -> Result<()> {
        poll::never_block(self.to.as_fd())?;
        poll::never_block(self.from.as_fd())?;
        poll.add_writer(&self.to, 2 * self.key + WRITES)?;
        poll.add_reader(&self.from, 2 * self.key)
    }

    pub(super) fn clock(&self) -> Option<libc::clockid_t> {
        system::process_cpu_clock(self.child.id())
    }

    /// Tells it something. It is false where too much waits that it has not read.
    pub(super) fn send(&mut self, poll: &Poll, frame: &ToIsolate) -> bool {
        let is_idle = self.out.is_empty();
        frame.write(&mut self.out);
        if is_idle {
            self.flush(poll);
        }
        self.out.len() <= self.most_out
    }

    /// Writes as much as there is room for, and the rest when there is. Where nobody reads any more the other pipe says so.
    pub(super) fn flush(&mut self, poll: &Poll) {
        let mut written = 0;
        while written < self.out.len() {
            match self.to.write(&self.out[written..]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    if error.kind() == ErrorKind::WouldBlock {
                        let _ = poll.wait_for_room(&self.to, 2 * self.key + WRITES);
                    }
                    break;
                }
            }
        }
        self.out.drain(..written);
        self.out.shrink_to(64 * 1024);
    }

    /// Has somebody else read it than the watch, or the watch again.
    pub(super) fn leave(&self, poll: &Poll, leaves: bool) -> bool {
        poll.leave(&self.from, 2 * self.key, leaves).is_ok()
    }

    /// Reads what is there, up to a piece's length, and says whether more can come.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> bool {
        match self.from.read(bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.frames.push(&bytes[..count]);
                true
            }
            Err(error) => matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock),
        }
    }

    /// The next thing that it has said.
    pub(super) fn said(&mut self) -> std::result::Result<Option<ToHost>, Malformed> {
        self.frames.take()?.map(ToHost::read).transpose()
    }

    pub(super) fn kill(&mut self) {
        // One that has ended already is as good.
        let _ = self.child.kill();
    }

    /// Takes in a process that has been killed, and says how it ended.
    pub(super) fn wait(self) -> String {
        let Self { mut child, to, from, .. } = self;
        drop((to, from));
        child.wait().map_or_else(|error| error.to_string(), how)
    }
}

/// How a process ended that nobody had ended yet, for whoever wrote the code.
fn how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(libc::SIGSYS) => "it asked the system for what it may not have".to_owned(),
        Some(libc::SIGABRT) => "the system gave it no more memory, or it found itself broken".to_owned(),
        Some(libc::SIGKILL) => "the system ended it, as it does when memory or CPU time is short".to_owned(),
        Some(signal) => format!("it crashed (signal {signal})"),
        None => match status.code() {
            Some(sandbox::BROKEN) => "it found itself broken".to_owned(),
            code => format!("it ended with {}", code.unwrap_or_default()),
        },
    }
}
