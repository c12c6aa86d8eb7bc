//! What code finds beside the language, made of the engine before there is code: the prelude, and the functions it calls.
#![allow(unsafe_code, reason = "what is compiled is read by functions of the engine's own")]

use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::{Ctx, Function, Object, Persistent, Value, qjs};

use super::{Run, Thrown, failure, globals};
use crate::limits::Limits;

/// The functions that the prelude gives.
pub(super) struct Api {
    pub(super) start: Persistent<Function<'static>>,
    pub(super) settle: Persistent<Function<'static>>,
    pub(super) fire: Persistent<Function<'static>>,
    pub(super) describe: Persistent<Function<'static>>,
    pub(super) unsettled: Persistent<Function<'static>>,
}

/// One function, compiled by `build.rs` of the parts in `prelude/`.
const PRELUDE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/prelude"));

impl Api {
    /// Makes of the engine what code finds.
    pub(super) fn new(ctx: &Ctx<'_>, run: &Rc<Run>) -> Result<Self, Thrown> {
        let host = Object::new(ctx.clone())?;
        let with = || run.clone();
        let of = with();
        host.set("log", Function::new(ctx.clone(), move |line: String| of.log(line))?)?;
        let of = with();
        host.set(
            "call",
            Function::new(ctx.clone(), move |call: u32, tool: u32, input: String| {
                of.flying.set(of.flying.get() + 1);
                of.port.call(call, tool, input);
            })?,
        )?;
        let of = with();
        host.set(
            "timer",
            Function::new(ctx.clone(), move |id: u32, after: f64| {
                let due = Instant::now() + Duration::try_from_secs_f64(after / 1000.0).unwrap_or_default();
                let mut timers = of.timers.borrow_mut();
                timers.due.insert((due, id));
                timers.of.insert(id, due);
            })?,
        )?;
        let of = with();
        host.set(
            "clear",
            Function::new(ctx.clone(), move |id: u32| {
                of.timers.borrow_mut().remove(id);
            })?,
        )?;
        let of = with();
        host.set("returned", Function::new(ctx.clone(), move |text: String| of.end(Ok(text)))?)?;
        let of = with();
        host.set(
            "failed",
            Function::new(ctx.clone(), move |message: String, stack: String| of.end(Err((message, stack))))?,
        )?;
        globals::add(ctx, &host)?;

        let limits = Object::new(ctx.clone())?;
        let Limits { calls, concurrent, input, result, log, wall, .. } = run.limits;
        for (name, value) in
            [("calls", calls), ("concurrent", concurrent), ("input", input), ("result", result), ("log", log)]
        {
            limits.set(name, value)?;
        }
        limits.set("failure", failure::LONGEST)?;
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run are far below where it would lose one")]
        limits.set("wall", wall as f64)?;

        let make = make(ctx)?;
        let api: Object<'_> = make.call((host, limits))?;
        let function = |name: &str| api.get::<_, Function<'_>>(name).map(|function| Persistent::save(ctx, function));
        Ok(Self {
            start: function("start")?,
            settle: function("settle")?,
            fire: function("fire")?,
            describe: function("describe")?,
            unsettled: function("unsettled")?,
        })
    }
}

/// The prelude's function.
fn make<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>, Thrown> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the bytes are what this very engine has written. What both calls give is a value of this context, or says that it has
    // thrown, which is looked at before it is used; the first one's is taken by the second.
    let value = unsafe {
        let function = qjs::JS_ReadObject(raw, PRELUDE.as_ptr(), PRELUDE.len() as _, qjs::JS_READ_OBJ_BYTECODE as _);
        if qjs::JS_IsException(function) {
            return Err(Thrown::Exception);
        }
        let value = qjs::JS_EvalFunction(raw, function);
        if qjs::JS_IsException(value) {
            return Err(Thrown::Exception);
        }
        Value::from_raw(ctx.clone(), value)
    };
    Function::from_value(value)
}
