//! What a tool says of itself.

use std::collections::HashSet;

use super::Reading;
use super::index::{Item, Operation};
use crate::json::{self, Node};

/// The description of an operation's tool, as JSON text.
pub(super) fn of(method: &str, path: &str, operation: &Operation<'_>, item: &Item<'_>, reading: Reading) -> String {
    let said = |text: Option<Node<'_>>| {
        text.filter(|text| text.as_str().is_some_and(|text| !text.trim().is_empty())).map(|text| text.text().to_owned())
    };
    let (summary, description) = (said(operation.summary), said(operation.description));
    let own_name = || {
        let mut out = String::new();
        json::write_string(&format!("{} {path}", method.to_ascii_uppercase()), &mut out);
        out
    };
    if reading == Reading::Documented {
        return description.or(summary).unwrap_or_else(own_name);
    }
    let deprecated = operation.deprecated.is_some_and(Node::is_true).then(|| "\"Deprecated.\"".to_owned());
    let has_own = summary.is_some() || description.is_some();
    let parts = [
        summary.or_else(|| (!has_own).then(own_name)),
        description,
        said(item.summary),
        said(item.description),
        deprecated,
    ];
    // Joined as they are written, so that what no Rust string can hold stays. Many documents say the same thing twice.
    let mut seen = HashSet::new();
    let parts: Vec<&str> =
        parts.iter().flatten().map(|part| &part[1..part.len() - 1]).filter(|part| seen.insert(*part)).collect();
    format!("\"{}\"", parts.join("\\n\\n"))
}
