//! The check of a tool's input.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, ObjectFinalize};
use napi::{Env, Error, Result, Task};
use napi_derive::napi;
use toolkit_core::input_check::{self, Mode};

/// A compiled check of one schema.
#[napi(custom_finalize)]
pub struct InputCheck {
    check: Arc<input_check::InputCheck>,
    size: i64,
}

#[napi]
impl InputCheck {
    /// Compiles a schema's JSON text, or finds it compiled. In full, what Effect's importer cannot read is checked too.
    #[napi(factory, catch_unwind)]
    pub fn compile(env: Env, schema: String, full: bool) -> Result<Self> {
        Self::held(env, compile(&schema, full))
    }

    /// Does so on another thread.
    #[napi(catch_unwind, ts_return_type = "Promise<InputCheck>")]
    pub fn compile_apart(schema: String, full: bool) -> AsyncTask<Compilation> {
        AsyncTask::new(Compilation { schema, full })
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

    fn held(env: Env, check: Arc<input_check::InputCheck>) -> Result<Self> {
        let size = i64::try_from(input_check::InputCheck::bytes_held(&check)).unwrap_or(i64::MAX);
        env.adjust_external_memory(size)?;
        Ok(Self { check, size })
    }
}

impl ObjectFinalize for InputCheck {
    fn finalize(self, env: Env) -> Result<()> {
        env.adjust_external_memory(-self.size)?;
        Ok(())
    }
}

fn compile(schema: &str, full: bool) -> Arc<input_check::InputCheck> {
    input_check::InputCheck::compile(schema, if full { Mode::Full } else { Mode::Compatible })
}

/// A compilation off the JavaScript thread.
pub struct Compilation {
    schema: String,
    full: bool,
}

impl Task for Compilation {
    type Output = Arc<input_check::InputCheck>;
    type JsValue = InputCheck;

    /// Runs on a thread of the pool, where a panic would end the process.
    fn compute(&mut self) -> Result<Self::Output> {
        catch_unwind(AssertUnwindSafe(|| compile(&self.schema, self.full)))
            .map_err(|_| Error::from_reason("the schema could not be compiled, by a defect of the compiler"))
    }

    fn resolve(&mut self, env: Env, check: Self::Output) -> Result<InputCheck> {
        InputCheck::held(env, check)
    }
}
