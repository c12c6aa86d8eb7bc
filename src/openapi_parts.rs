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

    /// Takes the document without its components, as JSON text. Gives what is missing: a list of names for each kind of
    /// components, as JSON text; nothing (`""`); or, when only the whole text will do, null.
    #[napi(catch_unwind)]
    pub fn begin(&mut self, text: String) -> Option<String> {
        told(self.parts.begin(text))
    }

    /// Takes the components that were asked for and are there, by kind and name, as JSON text. Gives what is missing.
    #[napi(catch_unwind)]
    pub fn add(&mut self, components: String) -> Option<String> {
        told(self.parts.add(&components))
    }

    /// Reads the document, once nothing is missing. `schemas` is a JSON list of the names of all its schemas.
    #[napi(catch_unwind)]
    pub fn read(&mut self, env: Env, schemas: String, extended: bool) -> Result<Either<OpenApiCatalog, Refusal>> {
        let text = std::mem::take(&mut self.parts).into_text(&schemas);
        openapi_catalog::read(env, &text, extended)
    }
}

fn told(missing: Missing) -> Option<String> {
    match missing {
        Missing::Nothing => Some(String::new()),
        Missing::Components(names) => Some(names),
        Missing::Whole => None,
    }
}
