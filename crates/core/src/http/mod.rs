//! HTTP operations: requests built from templates, and what the head of an answer means (document 000, "HTTP and
//! OpenAPI").
//!
//! The rule: what a model gives fills the places its operation has, and decides nothing else. Method, scheme, host,
//! port, the literal parts of the path, the number of its segments, the query keys and the header names are the
//! template's; credentials are the client's and never enter. Text comes in, data goes out: no socket, no clock.

mod answer;
mod base;
mod encode;
mod fault;
mod form;
mod header;
mod mistake;
mod path;
mod request;
mod style;
mod template;
mod value;

#[cfg(test)]
mod properties;

pub use answer::{Reason, Verdict, cut, judge};
pub use fault::{BaseUrlFault, Fault, TemplateError};
pub use form::{Body, Content};
pub use header::is_client_header;
pub use mistake::InvalidInput;
pub use request::Request;
pub use template::Requests;

pub(crate) use encode::COMPONENT;
pub(crate) use style::Style;
pub(crate) use template::{FORM, MULTIPART, essence};

/// Why a path could not be sent as a template's, its placeholders aside.
pub(crate) fn path_fault(path: &str) -> Option<Fault> {
    if path::is_plain(path) { None } else { path::Path::parse(path, |_| Some(0)).err() }
}

/// Whether a header parameter can be sent at all: its name is a token (RFC 9110 §5.6.2).
pub(crate) fn is_header_name(name: &str) -> bool {
    header::is_token(name)
}

/// Whether a body can be labelled so.
pub(crate) fn is_sendable_media_type(media_type: &str) -> bool {
    template::is_sendable(media_type)
}

/// Whether a body can be labelled so, and is JSON then.
pub(crate) fn is_json_media_type(media_type: &str) -> bool {
    template::is_sendable(media_type) && answer::is_json(media_type)
}
