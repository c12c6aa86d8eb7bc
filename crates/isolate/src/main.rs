//! The process of one isolate: shuts itself in, makes an engine ready, runs the one program that it is given, and ends. It
//! reads frames on standard input and writes them on standard output, and ends as soon as nobody holds the other end.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Instant;

use toolkit_isolate::engine::{Engine, Heard, Port};
use toolkit_isolate::frame::{Frames, LONGEST, ToHost, ToIsolate};
use toolkit_isolate::limits::Limits;
use toolkit_isolate::patience::Patience;
use toolkit_isolate::sandbox::{self, Sandbox};
use toolkit_isolate::source;

/// What the engine's thread needs of stack beside what the engine may take and what reading code does.
const STACK: usize = 512 * 1024;

fn main() {
    sandbox::end_when_broken();
    sandbox::ignore_signals();
    let Some(limits) = Limits::from_args(std::env::args().skip(1)) else { std::process::exit(2) };
    sandbox::keep_memory_together();
    // Code finds UTC, whatever the machine's zone is.
    sandbox::use_utc();
    let stack = usize::try_from(limits.stack).unwrap_or_default() + source::stack(source::MOST_LEVELS) + STACK;
    let mut sandbox = sandbox::give_up(&limits, stack as u64);
    let (is_up, up) = mpsc::channel();
    let (shut, is_shut) = mpsc::channel();
    let engine = std::thread::Builder::new().stack_size(stack).spawn(move || {
        // The filter takes what a thread needs to begin, so this one begins before.
        if is_up.send(()).is_ok()
            && let Ok(sandbox) = is_shut.recv()
        {
            run(limits, sandbox);
        }
        std::process::exit(0);
    });
    if engine.is_err() || up.recv().is_err() {
        std::process::exit(3);
    }
    sandbox::give_up_calls(&mut sandbox);
    if shut.send(sandbox).is_err() {
        std::process::exit(3);
    }
    sandbox::until_nobody_is_there();
    std::process::exit(0);
}

fn run(limits: Limits, sandbox: Sandbox) {
    let frames = RefCell::new(Frames::new(LONGEST));
    let pipe = Rc::new(Pipe { out: RefCell::default(), frames, patience: Patience::default() });
    let engine = Engine::new(limits, pipe.clone());
    pipe.send(&ToHost::Ready(sandbox));
    let Some(ToIsolate::Begin { tools, code }) = pipe.next(None).ok().flatten() else { return };
    let result = match &engine {
        Ok(engine) => engine.run(&tools, &code, source::MOST_LEVELS),
        Err(error) => Err(error.clone()),
    };
    pipe.send(&ToHost::Done(result));
    // Nothing is freed: the process is.
    std::process::exit(0);
}

/// The two pipes to the host.
struct Pipe {
    out: RefCell<Vec<u8>>,
    frames: RefCell<Frames>,
    patience: Patience,
}

/// The host is gone, or says what is no frame.
struct Gone;

impl Pipe {
    fn send(&self, frame: &ToHost) {
        frame.write(&mut self.out.borrow_mut());
        self.flush();
    }

    fn flush(&self) {
        let mut out = self.out.borrow_mut();
        if !out.is_empty() {
            let mut to = std::io::stdout().lock();
            // Standard output keeps lines back.
            if to.write_all(&out).and_then(|()| to.flush()).is_err() {
                std::process::exit(0);
            }
            out.clear();
            out.shrink_to(64 * 1024);
        }
    }

    /// The next frame; none at that time.
    fn next(&self, until: Option<Instant>) -> Result<Option<ToIsolate>, Gone> {
        let mut frames = self.frames.borrow_mut();
        loop {
            if let Some(frame) = frames.take().map_err(|_| Gone)? {
                return ToIsolate::read(frame).map(Some).map_err(|_| Gone);
            }
            if !sandbox::has_input(until) {
                return Ok(None);
            }
            let mut bytes = [0; 64 * 1024];
            match std::io::stdin().lock().read(&mut bytes) {
                Ok(0) | Err(_) => return Err(Gone),
                Ok(count) => frames.push(&bytes[..count]),
            }
        }
    }
}

impl Port for Pipe {
    fn log(&self, line: String) {
        // At once, so that it is there whatever becomes of the code.
        self.send(&ToHost::Log(line));
    }

    fn call(&self, call: u32, tool: u32, input: String) {
        ToHost::Call { call, tool, input }.write(&mut self.out.borrow_mut());
    }

    fn wait(&self, until: Option<Instant>, owes: bool) -> Heard {
        self.flush();
        let look = || self.next(Some(Instant::now())).transpose();
        let found = if owes && self.patience.looks() { self.patience.look(until, look) } else { None };
        let heard = match found {
            Some(found) => found.map(Some),
            None => self.next(until),
        };
        match heard {
            Ok(Some(ToIsolate::Answer { call, is_ok, text })) => Heard::Answer { call, is_ok, text },
            Ok(None) => Heard::Nothing,
            Ok(Some(ToIsolate::Begin { .. })) | Err(Gone) => Heard::Over,
        }
    }

    fn is_over(&self) -> bool {
        // Then the process is over as well.
        false
    }
}
