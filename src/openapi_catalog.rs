//! A document that was read.

use napi::bindgen_prelude::Either;
use napi::{Env, Result};
use napi_derive::napi;
use toolkit_core::openapi::{self, Catalog, List, Reading, Rows, SchemaText};

use crate::outcome::Refusal;

/// The operations of a document, and its schemas for when they are asked for.
#[napi(custom_finalize)]
pub struct OpenApiCatalog {
    catalog: Catalog,
    /// How many bytes JavaScript has been told of.
    told: i64,
}

/// Reads a document's text; whatever HTTP can carry of it when `extended`.
#[napi(catch_unwind)]
pub fn read_open_api_text(env: Env, text: String, extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
    read(env, &text, extended)
}

/// Reads a document's bytes, which are UTF-8.
#[napi(catch_unwind)]
pub fn read_open_api_bytes(env: Env, bytes: &[u8], extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
    match text_of(bytes) {
        Ok(text) => read(env, text, extended),
        Err(refusal) => Ok(Either::B(refusal)),
    }
}

pub(crate) fn text_of(bytes: &[u8]) -> std::result::Result<&str, Refusal> {
    std::str::from_utf8(bytes)
        .map_err(|error| Refusal::of(format!("the bytes of the document are not UTF-8: byte {}", error.valid_up_to())))
}

pub(crate) fn read(env: Env, text: &str, extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
    match openapi::read(text, reading_of(extended)) {
        Ok(catalog) => Ok(Either::A(OpenApiCatalog::held(env, catalog)?)),
        Err(error) => Ok(Either::B(Refusal::of(error))),
    }
}

pub(crate) fn reading_of(extended: bool) -> Reading {
    if extended { Reading::Extended } else { Reading::Documented }
}

impl OpenApiCatalog {
    /// The catalog for JavaScript to hold, which is told how much that is.
    pub(crate) fn held(env: Env, catalog: Catalog) -> Result<Self> {
        let told = i64::try_from(catalog.size()).unwrap_or(i64::MAX);
        env.adjust_external_memory(told)?;
        Ok(Self { catalog, told })
    }
}

/// Some rows of a list of a catalog. What a row has by number is in rows before it.
#[napi(object, object_from_js = false)]
pub struct OpenApiRows {
    #[napi(
        ts_type = "'methods' | 'parameters' | 'bodies' | 'descriptions' | 'operations' | 'reasons' | 'skipped' | 'servers'"
    )]
    pub list: &'static str,
    /// A JSON list: of `{ method, annotations }`; of a template's parameters; of `{ body, … }`, which a template with a body has
    /// beside them; of a long description's number and a part of it; of `[name, description, method, path, parameters, body?]`, where what comes before has its number in its
    /// list; of `{ code, text }`; of `[method, path, key, reason]` of what was left out, the key null for a whole path item; of
    /// addresses.
    pub text: String,
}

impl OpenApiRows {
    pub(crate) fn of(Rows { list, text }: Rows) -> Self {
        let list = match list {
            List::Methods => "methods",
            List::Parameters => "parameters",
            List::Bodies => "bodies",
            List::Descriptions => "descriptions",
            List::Operations => "operations",
            List::Reasons => "reasons",
            List::Skipped => "skipped",
            List::Servers => "servers",
        };
        Self { list, text }
    }
}

#[napi]
impl OpenApiCatalog {
    /// The next rows, which are let go; null when there are no more.
    #[napi(catch_unwind)]
    pub fn next_rows(&mut self, env: Env) -> Result<Option<OpenApiRows>> {
        let Some(rows) = self.catalog.next_rows() else { return Ok(None) };
        let gone = i64::try_from(rows.text.len()).unwrap_or(i64::MAX).min(self.told);
        self.told -= gone;
        env.adjust_external_memory(-gone)?;
        Ok(Some(OpenApiRows::of(rows)))
    }

    /// The schema of an operation, by its place in `operations`, as JSON text: in the place of its `$defs` is the list of the
    /// shared schemas that it needs, by number.
    #[napi(catch_unwind)]
    pub fn schema(&self, operation: u32) -> Option<String> {
        self.catalog.schema(operation as usize).map(SchemaText::numbered)
    }

    /// Shared schemas by their numbers, as JSON text: a list of the key under `$defs` and the schema for each.
    #[napi(catch_unwind)]
    pub fn shared(&self, schemas: Vec<u32>) -> Option<String> {
        self.catalog.shared_texts(&schemas)
    }
}

impl napi::bindgen_prelude::ObjectFinalize for OpenApiCatalog {
    fn finalize(self, env: Env) -> Result<()> {
        env.adjust_external_memory(-self.told)?;
        Ok(())
    }
}
