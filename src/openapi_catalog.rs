//! A document that was read.

use std::collections::VecDeque;

use napi::bindgen_prelude::Either;
use napi::{Env, Result};
use napi_derive::napi;
use toolkit_core::Piece;
use toolkit_core::openapi::{self, Catalog, Reading, SchemaText};

use crate::json_piece::JsonPiece;
use crate::outcome::Refusal;

/// The operations of a document, and its schemas for when they are asked for.
#[napi(custom_finalize)]
pub struct OpenApiCatalog {
    catalog: Catalog,
    /// What is left to hand over of a long text.
    pieces: VecDeque<Piece>,
    size: i64,
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
        Ok(catalog) => Ok(Either::A(OpenApiCatalog::held(env, catalog, Vec::new())?)),
        Err(error) => Ok(Either::B(Refusal::of(error))),
    }
}

pub(crate) fn reading_of(extended: bool) -> Reading {
    if extended { Reading::Extended } else { Reading::Documented }
}

impl OpenApiCatalog {
    /// The catalog for JavaScript to hold, which is told how much that is.
    pub(crate) fn held(env: Env, catalog: Catalog, pieces: Vec<Piece>) -> Result<Self> {
        let size = i64::try_from(catalog.size()).unwrap_or(i64::MAX);
        env.adjust_external_memory(size)?;
        Ok(Self { catalog, pieces: pieces.into(), size })
    }
}

#[napi]
impl OpenApiCatalog {
    /// `{ operations, skipped, servers }` as JSON text; the second call gives nothing, since it is let go. Nothing either of
    /// what is handed over in pieces.
    #[napi(catch_unwind)]
    pub fn take_text(&mut self) -> String {
        self.catalog.take_text()
    }

    /// The next piece of it, where it is long and was read on another thread; null when there are no more.
    #[napi(catch_unwind)]
    pub fn next_piece(&mut self) -> Option<JsonPiece> {
        self.pieces.pop_front().map(JsonPiece::of)
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
        env.adjust_external_memory(-self.size)?;
        Ok(())
    }
}
