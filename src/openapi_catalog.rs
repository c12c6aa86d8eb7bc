//! A document that was read.

use napi::bindgen_prelude::{Either, Uint32Array};
use napi::{Env, Result};
use napi_derive::napi;
use toolkit_core::openapi::{self, Catalog, Reading};

use crate::outcome::Refusal;

/// The operations of a document, and its schemas for when they are asked for.
#[napi(custom_finalize)]
pub struct OpenApiCatalog {
    catalog: Catalog,
    size: i64,
}

/// A tool's own part of its schema, and the numbers of the shared ones it needs.
#[napi(object, object_from_js = false)]
pub struct OperationSchema {
    /// JSON text.
    pub own: String,
    /// To be asked for with `shared` and `sharedName`.
    pub shared: Uint32Array,
}

/// Reads a document's text; whatever HTTP can carry of it when `extended`.
#[napi(catch_unwind)]
pub fn read_open_api_text(env: Env, text: String, extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
    read(env, &text, extended)
}

/// Reads a document's bytes, which are UTF-8.
#[napi(catch_unwind)]
pub fn read_open_api_bytes(env: Env, bytes: &[u8], extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(env, text, extended),
        Err(error) => {
            Ok(Either::B(Refusal::of(format!("the bytes of the document are not UTF-8: byte {}", error.valid_up_to()))))
        }
    }
}

fn read(env: Env, text: &str, extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
    let reading = if extended { Reading::Extended } else { Reading::Documented };
    match openapi::read(text, reading) {
        Ok(catalog) => {
            let size = i64::try_from(catalog.size()).unwrap_or(i64::MAX);
            env.adjust_external_memory(size)?;
            Ok(Either::A(OpenApiCatalog { catalog, size }))
        }
        Err(error) => Ok(Either::B(Refusal::of(error))),
    }
}

#[napi]
impl OpenApiCatalog {
    /// `{ operations, skipped, servers }` as JSON text; the second call gives nothing, since it is let go.
    #[napi(catch_unwind)]
    pub fn take_text(&mut self) -> String {
        self.catalog.take_text()
    }

    /// The schema of an operation, by its place in `operations`.
    #[napi(catch_unwind)]
    pub fn schema(&self, operation: u32) -> Option<OperationSchema> {
        let schema = self.catalog.schema(operation as usize)?;
        Some(OperationSchema { own: schema.own, shared: schema.shared.into() })
    }

    /// A shared schema as JSON text.
    #[napi(catch_unwind)]
    pub fn shared(&self, schema: u32) -> Option<String> {
        self.catalog.shared(schema as usize).map(str::to_owned)
    }

    /// The key of a shared schema under `$defs`.
    #[napi(catch_unwind)]
    pub fn shared_name(&self, schema: u32) -> Option<String> {
        self.catalog.shared_name(schema as usize).map(str::to_owned)
    }
}

impl napi::bindgen_prelude::ObjectFinalize for OpenApiCatalog {
    fn finalize(self, env: Env) -> Result<()> {
        env.adjust_external_memory(-self.size)?;
        Ok(())
    }
}
