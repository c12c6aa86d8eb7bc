//! An operation that was read, on its way to be a row.

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::index::METHODS;
use super::kept::Property;
use super::rows::{AllRows, List, push_number, push_numbers};
use super::skip::{Reason, SkipCode, Skipped, brief};
use super::store::StoreBuilder;
use crate::json;

/// An operation that reads well so far: its schemas may yet turn out broken, and its name taken.
#[derive(Debug)]
pub(super) struct Draft<'i> {
    pub(super) method: &'static str,
    pub(super) path: &'i str,
    pub(super) name: String,
    pub(super) description: Description<'i>,
    /// The rows of its parameters and of its body.
    pub(super) parameters: Box<[u32]>,
    pub(super) body: Option<u32>,
    pub(super) schema: Box<[Property]>,
}

/// What a tool says of itself.
#[derive(Debug)]
pub(super) enum Description<'i> {
    /// As JSON text.
    Text(Cow<'i, str>),
    /// The number of its row: a long one, which many may say where they refer to the same path item.
    Row(u32),
}

/// What HTTP says of a method (RFC 9110 §9.2), and nothing beyond it.
fn annotations(method: &str) -> &'static str {
    match method {
        "get" | "head" | "options" | "query" => r#"{"readOnly":true,"idempotent":true}"#,
        "put" => r#"{"idempotent":true}"#,
        "delete" => r#"{"destructive":true,"idempotent":true}"#,
        "post" | "patch" => r#"{"idempotent":false}"#,
        _ => "{}",
    }
}

/// Appends what a method says of every operation that has it, which their rows have by number.
pub(super) fn push_methods(rows: &mut AllRows<'_>) {
    for method in METHODS {
        rows.push(List::Methods, |out| {
            out.push_str("{\"method\":\"");
            out.push_str(&method.to_ascii_uppercase());
            out.push_str("\",\"annotations\":");
            out.push_str(annotations(method));
            out.push('}');
        });
    }
}

impl<'i> Draft<'i> {
    /// The same draft, once all schemas are converted and the names before it are known.
    pub(super) fn checked(
        self,
        store: &mut StoreBuilder<'_>,
        names: &HashSet<String, RandomState>,
    ) -> Result<Self, Skipped<'i>> {
        let reason = match store.broken(&self.schema) {
            Some(reason) => reason,
            None if !names.contains(&self.name) => return Ok(self),
            None => Reason::new(SkipCode::Name, format!("the name {:?} is another operation's", brief(&self.name))),
        };
        Err(Skipped::new(self.path, Some(self.method), reason))
    }

    /// Writes its row.
    pub(super) fn write(&self, out: &mut String) {
        out.push('[');
        json::write_string(&self.name, out);
        out.push(',');
        match &self.description {
            Description::Text(text) => out.push_str(text),
            Description::Row(number) => push_number(*number, out),
        }
        out.push(',');
        push_number(METHODS.iter().take_while(|method| **method != self.method).count() as u32, out);
        out.push(',');
        json::write_string(self.path, out);
        out.push(',');
        push_numbers(&self.parameters, out);
        if let Some(row) = self.body {
            out.push(',');
            push_number(row, out);
        }
        out.push(']');
    }
}
