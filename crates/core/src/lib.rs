//! Everything of toolkit-native that thinks: JSON text and bytes in, JSON text and plain outcomes out.
//!
//! Pure Rust: no Node-API, no clock, no socket, no unsafe code. What comes in is untrusted (a document, a schema, what a
//! model wrote), so nothing here recurses further than a stated depth, and nothing panics.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(test)]
mod cases;
pub mod credentials;
pub mod declarations;
pub mod http;
pub mod input_check;
mod json;
pub mod mcp;
pub mod names;
pub mod openapi;
pub mod search;
mod stack;
mod yaml;

pub use json::{JsonText, Piece};
