//! Runs JavaScript that a model wrote, with nothing in its reach but the tools it is given.
//!
//! [`engine`] runs one program; [`source`] takes its types away first. A program runs in a process of its own, which
//! [`sandbox`] shuts in and which speaks [`frame`]s over pipes, or in a thread of its own. [`host`] starts either, keeps
//! some ready, and ends every one at its limits, whatever it does.
//!
//! Two rules: nothing of one run is left to another, since each has an engine of its own that is thrown away; and nothing
//! that an isolate says is trusted, since the code in it may have taken it over.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod engine;
pub mod frame;
pub mod host;
pub mod limits;
pub mod patience;
pub mod sandbox;
pub mod source;
mod system;

pub use limits::Limits;
