//! What a tool says of itself.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Reading;
use super::index::{Item, Operation};
use crate::json::{self, Node};

/// The description of an operation's tool, as JSON text.
pub(super) fn of<'a>(
    method: &str,
    path: &str,
    operation: &Operation<'a>,
    item: &Item<'a>,
    reading: Reading,
) -> Cow<'a, str> {
    let said = |text: Option<Node<'a>>| {
        text.filter(|text| text.as_str().is_some_and(|text| !text.trim().is_empty())).map(|text| text.text().into())
    };
    let (summary, description): (Option<Cow<'a, str>>, _) = (said(operation.summary), said(operation.description));
    let own_name = || {
        let mut out = String::new();
        json::write_string(&format!("{} {path}", method.to_ascii_uppercase()), &mut out);
        out.into()
    };
    if reading == Reading::Documented {
        return description.or(summary).unwrap_or_else(own_name);
    }
    let deprecated = operation.deprecated.is_some_and(Node::is_true).then_some("\"Deprecated.\"".into());
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
    format!("\"{}\"", parts.join("\\n\\n")).into()
}
