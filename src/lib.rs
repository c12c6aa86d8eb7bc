//! The binding: one file per thing that JavaScript can hold, and no logic.
//!
//! JSON text and bytes come in, JSON text and plain outcomes go out; nothing that a user did wrong is thrown. Every
//! function has `catch_unwind`, so that a mistake of ours becomes an error and not the end of the user's process.
//! Names begin with nothing of the public API: `ts/internal/native.ts` is the only reader.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "napi-derive exports these items, and generates some without documentation"
)]

mod copied;
mod declarations;
mod http_requests;
mod input_check;
mod json_piece;
mod mcp;
mod names;
mod openapi_catalog;
mod openapi_parts;
mod openapi_reading;
mod outcome;
mod tool_search;

use napi_derive::napi;

/// The version of the addon, which the shim compares with its own.
#[napi(catch_unwind)]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
