//! One run of one program: QuickJS with what the prelude makes of it, its limits, and its turns until it has returned.
//!
//! An [`Engine`] is made before there is code, so that a run does not wait for it, and runs one program. What code does
//! reaches the host through a [`Port`] alone.

pub mod failure;
mod globals;
mod memory;
mod prelude;
mod rejections;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::context::EvalOptions;
use rquickjs::{Context, Ctx, Function, Runtime};

use crate::limits::{self, Limits};
use crate::{patience, source, system};
use memory::{Heap, Memory};
use prelude::Api;
use rejections::Rejections;

/// How a run reaches its host.
pub trait Port {
    /// The code logged a line.
    fn log(&self, line: String);
    /// The code calls a tool, by its place among the names, with an input, JSON.
    fn call(&self, call: u32, tool: u32, input: String);
    /// Waits for what the host says; as long as until then, where it is said. Where it owes an answer, that may come at once.
    fn wait(&self, until: Option<Instant>, owes: bool) -> Heard;
    /// Whether the host has given the run up; asked often.
    fn is_over(&self) -> bool;
}

/// What a host says to a run that waits.
#[allow(missing_docs, reason = "what the fields are is in what is said")]
#[derive(Debug)]
pub enum Heard {
    /// What became of a tool call: JSON, of the answer or of a failure.
    Answer { call: u32, is_ok: bool, text: String },
    /// Nothing in that time.
    Nothing,
    /// The run is given up.
    Over,
}

/// Why a run was stopped.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Cpu,
    Wall,
    Over,
}

/// What the functions that the code can call share with the run.
struct Run {
    limits: Limits,
    port: Rc<dyn Port>,
    /// The code has returned JSON, or failed with a message and a stack.
    ended: RefCell<Option<Result<String, (String, String)>>>,
    /// Tool calls under way.
    flying: Cell<u32>,
    timers: RefCell<Timers>,
    /// What the engine is given of the code.
    text: RefCell<String>,
    /// What may still be logged; nothing once something was left out.
    log_left: Cell<Option<usize>>,
    /// When it began, by the wall and by the CPU.
    began: Cell<Option<(Instant, Duration)>>,
    /// CPU time that went into waiting, and not into the code.
    waited: Cell<Duration>,
    stopped: Cell<Option<Stop>>,
}

#[derive(Default)]
struct Timers {
    due: BTreeSet<(Instant, u32)>,
    of: HashMap<u32, Instant>,
}

impl Timers {
    fn remove(&mut self, id: u32) {
        if let Some(due) = self.of.remove(&id) {
            self.due.remove(&(due, id));
        }
    }
}

/// QuickJS, ready for a program. What it holds of JavaScript goes before the context, and that before the runtime.
pub struct Engine {
    rejections: Rejections,
    api: Api,
    context: Context,
    runtime: Runtime,
    run: Rc<Run>,
    memory: Rc<Memory>,
}

/// JavaScript threw something that is still to be caught, or a call into it failed.
type Thrown = rquickjs::Error;

impl Engine {
    /// # Errors
    ///
    /// There is no memory for an engine.
    pub fn new(limits: Limits, port: Rc<dyn Port>) -> Result<Self, String> {
        Self::made(limits, port).map_err(|error| format!("The engine cannot be made: {error}"))
    }

    fn made(limits: Limits, port: Rc<dyn Port>) -> Result<Self, Thrown> {
        let memory = Memory::new(limits.memory);
        let runtime = Runtime::new_with_alloc(Heap(memory.clone()))?;
        runtime.set_max_stack_size(usize::try_from(limits.stack).unwrap_or(usize::MAX));
        let run = Rc::new(Run {
            limits,
            port,
            ended: RefCell::default(),
            flying: Cell::new(0),
            timers: RefCell::default(),
            text: RefCell::default(),
            log_left: Cell::new(Some(limits.log as usize)),
            began: Cell::new(None),
            waited: Cell::default(),
            stopped: Cell::new(None),
        });
        let asked = run.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || asked.is_to_stop())));
        let rejections = Rejections::of(&runtime);
        let context = Context::full(&runtime)?;
        let api = context.with(|ctx| Api::new(&ctx, &run))?;
        // Reading code the first time takes memory and instructions from where they are far away, so that is done before there is
        // any that somebody waits for.
        if let Ok(nothing) = source::function("", 1) {
            context.with(|ctx| ctx.eval::<(), _>(nothing))?;
        }
        Ok(Self { rejections, api, context, runtime, run, memory })
    }

    /// Runs a program: JSON of what it returned, or why not, in words. The tools are a JSON list of names. `levels` is how deeply
    /// nested code this thread can read.
    ///
    /// # Errors
    ///
    /// Why the program has no result.
    pub fn run(&self, tools: &str, code: &str, levels: usize) -> Result<String, String> {
        self.ran(tools, code, levels).map_err(failure::cut)
    }

    fn ran(&self, tools: &str, code: &str, levels: usize) -> Result<String, String> {
        let run = &self.run;
        run.begin();
        let length = code.encode_utf16().count();
        if length > run.limits.source as usize {
            return Err(failure::source(length, &run.limits));
        }
        let function = source::function(code, levels).map_err(|mistake| failure::mistake(&mistake))?;
        run.text.replace(function.clone());
        self.start(tools, function)?;
        loop {
            run.is_to_stop();
            self.turn()?;
            if let Some(ended) = run.ended.take() {
                return self.finish(ended);
            }
            let timer = run.timers.borrow().due.first().copied();
            match timer {
                Some((due, id)) if due <= Instant::now() => {
                    run.timers.borrow_mut().remove(id);
                    self.within(|ctx| self.api.fire.clone().restore(ctx)?.call::<_, ()>((id,)))?;
                    continue;
                }
                None if run.flying.get() == 0 => {
                    self.tell_unhandled();
                    return Err(self.dead());
                }
                _ => {}
            }
            match run.wait(timer.map(|(due, _)| due)) {
                Heard::Answer { call, is_ok, text } => self.settle(call, is_ok, &text)?,
                Heard::Nothing => {}
                Heard::Over => return Err(self.stopped(Stop::Over)),
            }
        }
    }

    fn start(&self, tools: &str, function: String) -> Result<(), String> {
        if function.contains('\0') {
            return Err("SyntaxError: the code holds a NUL character.".to_owned());
        }
        self.within(|ctx| {
            let mut options = EvalOptions::default();
            options.strict = false;
            options.filename = Some(failure::FILE.to_owned());
            let function: Function<'_> = ctx.eval_with_options(function, options)?;
            self.api.start.clone().restore(ctx)?.call::<_, ()>((function, tools))
        })
    }

    fn settle(&self, call: u32, is_ok: bool, text: &str) -> Result<(), String> {
        self.run.flying.set(self.run.flying.get().saturating_sub(1));
        self.within(|ctx| self.api.settle.clone().restore(ctx)?.call::<_, ()>((call, is_ok, text)))
    }

    /// Does what is to be done before something new can happen.
    fn turn(&self) -> Result<(), String> {
        let mut jobs = 0_u32;
        loop {
            if let Some(stop) = self.run.stopped.get() {
                return Err(self.stopped(stop));
            }
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // What a promise does not catch: a microtask of the code's own, or the engine out of memory.
                Err(_) => return Err(self.context.with(|ctx| self.caught(&ctx))),
            }
            jobs = jobs.wrapping_add(1);
            // Jobs that do next to nothing never come to where the engine itself asks.
            if jobs.is_multiple_of(64) {
                self.run.is_to_stop();
            }
        }
    }

    /// Calls into JavaScript; what it throws ends the run.
    fn within<A>(&self, call: impl FnOnce(&Ctx<'_>) -> Result<A, Thrown>) -> Result<A, String> {
        self.context.with(|ctx| call(&ctx).map_err(|_| self.caught(&ctx)))
    }

    /// What was thrown, in words.
    fn caught(&self, ctx: &Ctx<'_>) -> String {
        let thrown = ctx.catch();
        if let Some(stop) = self.run.stopped.get() {
            return self.stopped(stop);
        }
        let describe = self.api.describe.clone().restore(ctx);
        let described = describe.and_then(|describe| describe.call::<_, Vec<String>>((thrown,)));
        match (self.run.stopped.get(), described.as_deref()) {
            (Some(stop), _) => self.stopped(stop),
            (None, Ok([message, stack])) => self.failed(message, stack),
            _ => {
                ctx.catch();
                self.out_of_memory()
            }
        }
    }

    fn failed(&self, message: &str, stack: &str) -> String {
        let is_memory = failure::NO_MEMORY.iter().any(|words| message.contains(words));
        if is_memory && self.memory.has_refused() {
            return self.out_of_memory();
        }
        failure::with_place(message, stack, &self.run.text.borrow())
    }

    fn finish(&self, ended: Result<String, (String, String)>) -> Result<String, String> {
        self.tell_unhandled();
        if let Ok(left) = self.within(|ctx| self.api.unsettled.clone().restore(ctx)?.call::<_, String>(()))
            && !left.is_empty()
        {
            self.run.port.log(format!(
                "[warn] The code ended while tool calls were under way, which were stopped: {left}. Await each call."
            ));
        }
        ended.map_err(|(message, stack)| self.failed(&message, &stack))
    }

    /// What was rejected, such as a tool call that failed, and that the code did not look at, is a line in its log.
    fn tell_unhandled(&self) {
        let (first, more) = self.rejections.take();
        for reason in first {
            let described = self.within(|ctx| {
                let reason = reason.restore(ctx)?;
                self.api.describe.clone().restore(ctx)?.call::<_, Vec<String>>((reason,))
            });
            if let Ok([message, stack]) = described.as_deref() {
                let what = self.failed(message, stack);
                self.run.log(format!("[warn] A promise was rejected and nothing handled it. Await each call: {what}"));
            }
        }
        if more > 0 {
            self.run.log(format!("[warn] {more} more promises were rejected and nothing handled them."));
        }
    }

    fn out_of_memory(&self) -> String {
        format!("The code ran out of memory: it may use {}. Hold less at once.", limits::bytes(self.run.limits.memory))
    }

    fn stopped(&self, stop: Stop) -> String {
        match stop {
            Stop::Cpu => failure::cpu(&self.run.limits),
            Stop::Wall => failure::wall(&self.run.limits),
            Stop::Over => "The run was given up.".to_owned(),
        }
    }

    /// The code waits, and nothing can happen any more.
    fn dead(&self) -> String {
        if self.memory.has_refused() {
            return self.out_of_memory();
        }
        "The code waits for something that cannot happen: no tool call and no timer is under way. Look for a promise that is never resolved."
            .to_owned()
    }
}

impl Run {
    fn begin(&self) {
        self.began.set(Some((Instant::now(), system::thread_cpu_time())));
    }

    /// Whether the run has to stop; the engine asks, and unwinds then without the code's being able to catch it.
    fn is_to_stop(&self) -> bool {
        let Some((instant, cpu)) = self.began.get() else { return false };
        let stop = if self.port.is_over() {
            Some(Stop::Over)
        } else if system::thread_cpu_time().saturating_sub(cpu + self.waited.get())
            > Duration::from_millis(self.limits.cpu)
        {
            Some(Stop::Cpu)
        } else if instant.elapsed() > Duration::from_millis(self.limits.wall) {
            Some(Stop::Wall)
        } else {
            None
        };
        self.stopped.set(self.stopped.get().or(stop));
        self.stopped.get().is_some()
    }

    fn wait(&self, timer: Option<Instant>) -> Heard {
        let from = system::thread_cpu_time();
        let heard = self.port.wait(self.until(timer), self.flying.get() > 0);
        let used = system::thread_cpu_time().saturating_sub(from);
        self.waited.set(self.waited.get() + patience::of_a_wait(used));
        heard
    }

    /// How long it may wait: for the next timer, and no longer than a run may take.
    fn until(&self, timer: Option<Instant>) -> Option<Instant> {
        let end = self.began.get().and_then(|(began, _)| began.checked_add(Duration::from_millis(self.limits.wall)));
        match (timer, end) {
            (Some(timer), Some(end)) => Some(timer.min(end)),
            (one, other) => one.or(other),
        }
    }

    /// What comes first counts.
    fn end(&self, ended: Result<String, (String, String)>) {
        self.ended.borrow_mut().get_or_insert(ended);
    }

    fn log(&self, mut line: String) {
        let Some(left) = self.log_left.get() else { return };
        let length = line.encode_utf16().count() + 1;
        if length > left {
            failure::truncate(&mut line, left);
            line.push_str("… [the rest of the logs is left out]");
        }
        self.log_left.set(left.checked_sub(length));
        self.port.log(line);
    }
}

#[cfg(test)]
mod tests;
