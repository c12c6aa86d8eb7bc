//! Promises that were rejected and that nothing handles: mostly tool calls that failed and were never awaited.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Persistent, Runtime, Value};

/// As many are told; of more, how many they are.
const MOST_TOLD: usize = 10;

/// A promise that nothing has handled so far, and what it was rejected with.
type Unhandled = (Persistent<Value<'static>>, Persistent<Value<'static>>);

/// What nothing has handled. It holds values of the engine, and so goes before it.
#[derive(Default)]
pub(super) struct Rejections(Rc<RefCell<Found>>);

#[derive(Default)]
struct Found {
    first: Vec<Unhandled>,
    more: usize,
}

impl Rejections {
    /// Those of an engine's promises.
    pub(super) fn of(runtime: &Runtime) -> Self {
        let rejections = Self::default();
        // The engine's own part holds no value: it lives until there is nothing left that could take one back.
        let found = Rc::downgrade(&rejections.0);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, is_handled| {
            if let Some(found) = found.upgrade() {
                found.borrow_mut().told(&ctx, promise, reason, is_handled);
            }
        })));
        rejections
    }

    /// Takes out what the first of them were rejected with, and how many more there are.
    pub(super) fn take(&self) -> (Vec<Persistent<Value<'static>>>, usize) {
        let Found { first, more } = std::mem::take(&mut *self.0.borrow_mut());
        (first.into_iter().map(|(_, reason)| reason).collect(), more)
    }
}

impl Found {
    fn told<'js>(&mut self, ctx: &Ctx<'js>, promise: Value<'js>, reason: Value<'js>, is_handled: bool) {
        let promise = Persistent::save(ctx, promise);
        if is_handled {
            match self.first.iter().position(|(other, _)| *other == promise) {
                Some(at) => drop(self.first.remove(at)),
                None => self.more = self.more.saturating_sub(1),
            }
        } else if self.first.len() < MOST_TOLD {
            self.first.push((promise, Persistent::save(ctx, reason)));
        } else {
            self.more += 1;
        }
    }
}
