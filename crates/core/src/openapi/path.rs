//! The placeholders of a path: each has a parameter, and each path parameter has one.

use std::collections::HashSet;

use super::parameter::{Parameter, Place};
use super::skip::{Reason, SkipCode, brief};
use crate::http::path_fault;
use crate::json::holds_half;

/// A path, and what it asks of every operation under it.
pub(super) struct PathPlaces<'i> {
    pub(super) text: &'i str,
    /// Its placeholders, each once and sorted.
    placeholders: Result<Vec<&'i str>, Reason>,
    fault: Option<String>,
}

impl<'i> PathPlaces<'i> {
    pub(super) fn of(text: &'i str) -> Self {
        let fault = path_fault(text).map(|fault| format!("the path {fault}"));
        let placeholders = match holds_half(text) {
            true => Err(Reason::new(SkipCode::Path, "the path holds a character that no request can carry")),
            false => placeholders(text).collect::<Result<Vec<_>, _>>().map(|mut found| {
                found.sort_unstable();
                found.dedup();
                found
            }),
        };
        Self { text, placeholders, fault }
    }

    /// Every placeholder has a parameter, and every path parameter a placeholder.
    pub(super) fn check<'p>(&self, parameters: impl Iterator<Item = &'p Parameter<'p>> + Clone) -> Result<(), Reason> {
        let refuse = |text: String| Err(Reason::new(SkipCode::Path, text));
        let needed = self.placeholders.as_ref().map_err(Reason::clone)?;
        let given = || parameters.clone().filter(|one| one.place == Place::Path);
        if let Some(Parameter { name, .. }) = given().find(|one| needed.binary_search(&one.name.as_ref()).is_err()) {
            return refuse(format!("the path has no placeholder for its parameter {:?}", brief(name)));
        }
        // No two of the parameters have the same name.
        if given().count() < needed.len() {
            let given: HashSet<&str> = given().map(|one| one.name.as_ref()).collect();
            if let Some(name) = placeholders(self.text).flatten().find(|name| !given.contains(name)) {
                return refuse(format!("the path's placeholder {:?} has no parameter", brief(name)));
            }
        }
        self.fault.as_ref().map_or(Ok(()), |fault| refuse(fault.clone()))
    }
}

/// The placeholders of a path in their order.
fn placeholders(path: &str) -> impl Iterator<Item = Result<&str, Reason>> {
    // What is behind a `#` is never sent, and fills nothing.
    let mut rest = path.split('#').next().unwrap_or_default();
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once('{')?;
        let Some((name, after)) = after.split_once('}') else {
            rest = "";
            return Some(Err(Reason::new(SkipCode::Path, "a placeholder of the path is not closed")));
        };
        rest = after;
        Some(Ok(name))
    })
}
