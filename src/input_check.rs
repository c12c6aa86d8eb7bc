//! The check of a tool's input.

use std::sync::Arc;

use napi_derive::napi;
use toolkit_core::input_check;

/// A compiled check of one schema.
#[napi]
pub struct InputCheck {
    check: Arc<input_check::InputCheck>,
}

#[napi]
impl InputCheck {
    /// Compiles a schema's JSON text, or finds it compiled.
    #[napi(factory, catch_unwind)]
    pub fn compile(schema: String) -> Self {
        Self { check: input_check::InputCheck::compile(&schema) }
    }

    /// What is wrong with an input's JSON text, for the model to read; null when nothing is.
    #[napi(catch_unwind)]
    pub fn check(&self, input: String) -> Option<String> {
        self.check.check(&input)
    }

    /// Whether only "is an object" is checked.
    #[napi(getter, catch_unwind)]
    pub fn object_only(&self) -> bool {
        self.check.object_only()
    }
}
