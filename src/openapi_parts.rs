//! A document that is handed over in parts.

use napi::bindgen_prelude::Either;
use napi::{Env, Result};
use napi_derive::napi;
use toolkit_core::openapi::{Missing, Parts};

use crate::openapi_catalog::{self, OpenApiCatalog};
use crate::outcome::Refusal;

/// What there is of a document that JavaScript holds as an object.
#[napi]
pub struct OpenApiParts {
    parts: Parts,
}

#[napi]
impl OpenApiParts {
    /// Holds nothing yet.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self { parts: Parts::default() }
    }

    /// Takes the document without its path items and components, as JSON text.
    #[napi(catch_unwind)]
    pub fn begin(&mut self, text: String) {
        self.parts.begin(text);
    }

    /// Takes path items by their paths, as JSON text. They come in their order, in as many texts as there are.
    #[napi(catch_unwind)]
    pub fn add_path_items(&mut self, text: String) {
        self.parts.add_path_items(&text);
    }

    /// Takes components of a kind that were asked for and are there, by their names, as JSON text.
    #[napi(catch_unwind)]
    pub fn add_components(&mut self, kind: String, text: String) {
        self.parts.add_components(kind, &text);
    }

    /// What is missing and nobody was told of: a list of names for each kind of components, as JSON text; nothing (`""`); or,
    /// when only the whole text will do, null.
    #[napi(catch_unwind)]
    pub fn missing(&mut self) -> Option<String> {
        match self.parts.missing() {
            Missing::Nothing => Some(String::new()),
            Missing::Components(names) => Some(names),
            Missing::Whole => None,
        }
    }

    /// Reads the document, once nothing is missing. `schemas` is a JSON list of the names of all its schemas.
    #[napi(catch_unwind)]
    pub fn read(&mut self, env: Env, schemas: String, extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
        let text = std::mem::take(&mut self.parts).into_text(&schemas);
        openapi_catalog::read(env, &text, extended)
    }
}
