//! What went wrong, as data: the shim makes Effect's errors of it.

use napi_derive::napi;

/// An error of the user's or of the document's, in words.
#[napi(object, object_from_js = false)]
pub struct Refusal {
    /// What is wrong and where.
    pub error: String,
}

impl Refusal {
    pub(crate) fn of(error: impl ToString) -> Self {
        Self { error: error.to_string() }
    }
}
