//! Tools as TypeScript.

use napi::bindgen_prelude::Function;
use napi::{Error, Result};
use napi_derive::napi;
use toolkit_core::declarations::{self, DeclareError};

/// What a model reads of tools.
#[napi(object, object_from_js = false)]
pub struct ToolDeclarations {
    /// The TypeScript.
    pub text: String,
    /// Whether every tool is declared; where not, the others are listed by name, and the finders are declared.
    pub is_complete: bool,
    /// A call of one of the tools, as an expression.
    pub example: Option<String>,
}

/// Declares tools. `names` is JSON text of their names; `read` gives the JSON text of the one of that number, `{
/// description?, inputSchema?, outputSchema? }`, and is asked only for those that are looked at. Beyond `limit` UTF-16 units
/// tools are listed by name, and the `finders` (JSON text of `[{ name, description?, inputSchema?, outputSchema? }]`),
/// which do not count, are declared.
#[napi(catch_unwind)]
pub fn declare_tools(
    names: String,
    read: Function<'_, u32, String>,
    limit: Option<u32>,
    finders: Option<String>,
) -> Result<ToolDeclarations> {
    let limit = limit.map(|limit| limit as usize);
    match declarations::declare(&names, limit, finders.as_deref(), |at| read.call(at as u32)) {
        Ok(declared) => {
            Ok(ToolDeclarations { text: declared.text, is_complete: declared.is_complete, example: declared.example })
        }
        Err(DeclareError::Read(error)) => Err(error),
        Err(DeclareError::Shape(what)) => {
            Err(Error::from_reason(format!("the {what} are not of the shape that is expected")))
        }
    }
}
