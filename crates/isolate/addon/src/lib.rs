//! The binding of `toolkit-native/isolate`: text and plain outcomes over, and no logic.
//!
//! Every function has `catch_unwind`, so that a mistake of ours becomes an error and not the end of the user's process. Names
//! begin with nothing of the public API: `ts/internal/isolates.ts` is the only reader.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "napi-derive exports these items, and generates some without documentation"
)]

use std::sync::Arc;

use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue};
use napi::{Result, Status};
use napi_derive::napi;
use toolkit_isolate::Limits;
use toolkit_isolate::engine::failure;
use toolkit_isolate::host::{Event, Host, Options};

/// The version of the addon, which the shim compares with its own.
#[napi(catch_unwind)]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// How isolates are run. Sizes are in bytes or UTF-16 units, times in milliseconds; the shim has checked them.
#[napi(object, object_to_js = false)]
pub struct IsolateOptions {
    /// The executable of an isolate's process; without one a run is a thread.
    pub program: Option<String>,
    pub warm: u32,
    pub max: u32,
    pub memory: f64,
    pub stack: f64,
    pub cpu: f64,
    pub wall: f64,
    pub calls: u32,
    pub concurrent: u32,
    pub source: u32,
    pub log: u32,
    pub input: u32,
    pub answer: u32,
    pub result: u32,
}

/// Something that happened, as its kind, the number of its run, two further numbers and texts.
///
/// - `ready`: how the isolates are shut in (bits: 1 seccomp, 2 landlock, 4 limits)
/// - `unavailable`: why (first text)
/// - `call`: the call's number, the tool's place, the input
/// - `returned`, `failed`: the JSON or why not, and the log's lines as a list
/// - `closed`
type Told = (&'static str, u32, u32, u32, String, Vec<String>);
type Tell = ThreadsafeFunction<FnArgs<Told>, UnknownReturnValue, FnArgs<Told>, Status, false, true>;

/// Isolates, and what runs in them.
#[napi]
pub struct Isolates {
    /// None once they are closed: what the system gave for them goes back then, and not when somebody collects this.
    host: Option<Host>,
    limits: Limits,
}

/// Starts isolates. What happens is told, and does not keep the process from ending.
#[napi(
    catch_unwind,
    ts_args_type = "options: IsolateOptions, tell: (kind: 'ready' | 'unavailable' | 'call' | 'returned' | 'failed' | 'closed', run: number, first: number, second: number, text: string, lines: Array<string>) => void"
)]
pub fn open_isolates(options: IsolateOptions, tell: Tell) -> Result<Isolates> {
    let whole = |number: f64| number as u64;
    let limits = Limits {
        memory: whole(options.memory),
        stack: whole(options.stack),
        cpu: whole(options.cpu),
        wall: whole(options.wall),
        calls: options.calls,
        concurrent: options.concurrent,
        source: options.source,
        log: options.log,
        input: options.input,
        answer: options.answer,
        result: options.result,
    };
    let sink = Arc::new(move |event| {
        tell.call(told(event).into(), ThreadsafeFunctionCallMode::NonBlocking);
    });
    let (warm, max) = (options.warm as usize, options.max as usize);
    let options = Options { limits, program: options.program.map(Into::into), warm, max };
    Ok(Isolates { host: Some(Host::open(options, sink)?), limits })
}

fn told(event: Event) -> Told {
    match event {
        Event::Ready(sandbox) => {
            let bits = u32::from(sandbox.seccomp) | u32::from(sandbox.landlock) << 1 | u32::from(sandbox.limits) << 2;
            ("ready", 0, bits, 0, String::new(), Vec::new())
        }
        Event::Unavailable(why) => ("unavailable", 0, 0, 0, why, Vec::new()),
        Event::Call { run, call, tool, input } => ("call", run, call, tool, input, Vec::new()),
        Event::Done { run, result: Ok(text), logs } => ("returned", run, 0, 0, text, logs),
        Event::Done { run, result: Err(why), logs } => ("failed", run, 0, 0, why, logs),
        Event::Closed => ("closed", 0, 0, 0, String::new(), Vec::new()),
    }
}

#[napi]
impl Isolates {
    /// Runs code with tools, a JSON list of so many names, and gives the number of the run; null when they are closed.
    #[napi(catch_unwind)]
    pub fn start(&self, tools: String, count: u32, code: String) -> Option<u32> {
        Some(self.host.as_ref()?.start(tools, count, code))
    }

    /// Answers a tool call with JSON: of the answer, or of a failure. What happens next in the run is given as it is told, where
    /// it does at once.
    #[napi(
        catch_unwind,
        ts_return_type = "[kind: 'call' | 'returned' | 'failed', run: number, first: number, second: number, text: string, lines: Array<string>] | null"
    )]
    pub fn answer(&self, run: u32, call: u32, is_ok: bool, text: String) -> Option<Told> {
        Some(told(self.host.as_ref()?.answer(run, call, is_ok, text)?))
    }

    /// Why an answer of so many UTF-16 units, which are too many, cannot be given to code.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn refusal(&self, length: u32) -> String {
        failure::answer(length as usize, &self.limits)
    }

    /// Why code of so many UTF-16 units, which are too many, is not run.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn source_refusal(&self, length: u32) -> String {
        failure::source(length as usize, &self.limits)
    }

    /// Ends a run, which has no further event.
    #[napi(catch_unwind)]
    pub fn interrupt(&self, run: u32) {
        if let Some(host) = &self.host {
            host.interrupt(run);
        }
    }

    /// Ends all isolates; `closed` is told when they have.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        // It closes what it lets go of.
        self.host = None;
    }
}
