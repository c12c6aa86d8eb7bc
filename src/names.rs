//! Names of tools.

use napi::{Error, Result};
use napi_derive::napi;
use toolkit_core::names;

/// The name a model knows a source's tool by.
#[napi(catch_unwind)]
#[must_use]
pub fn tool_name(source: String, tool: String, max_length: u32) -> String {
    names::tool_name(&source, &tool, max_length as usize)
}

/// The names of a whole assembly: JSON text of `[{ source, tools }]` in, `{ names, clashes }` out.
#[napi(catch_unwind)]
pub fn assembly_names(members: String, max_length: u32) -> Result<String> {
    names::assembly_names(&members, max_length as usize).map_err(|error| Error::from_reason(error.to_string()))
}
