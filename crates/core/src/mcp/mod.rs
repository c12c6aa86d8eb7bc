//! The Model Context Protocol as a machine without I/O: a client that lists tools and calls them, over Streamable HTTP
//! (document 000, "MCP"; the specification's revisions 2024-11-05 to 2026-07-28).
//!
//! The rule: no clock and no socket. An [`Exchange`] says what to send, is told what came back, as it came back, and says
//! how to go on, until it is done. What several exchanges have in common is a [`Server`]: how it is spoken to, which
//! parameters its tools want mirrored in headers, the ids in use.
//!
//! Reading is lenient, tool by tool and message by message, since real servers are not strict; what is sent is exact.

mod address;
mod answer;
mod ask;
mod call;
mod delivery;
mod event_stream;
mod exchange;
mod failure;
mod header_marks;
mod header_value;
mod json_end;
mod list;
mod message;
mod negotiation;
mod request;
mod server;
mod tool;
mod tool_result;
mod version;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;

pub use exchange::{Exchange, Outcome, Step};
pub use failure::{Failure, Reason};
pub use request::{Request, Verb};
pub use server::Server;
pub use tool::Tools;
