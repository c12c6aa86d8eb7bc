//! Which document it is: OpenAPI 3.0, 3.1 or 3.2, or what was found instead.

use super::InvalidDocument;
use super::index::{Index, Paths};
use crate::json::{Kind, NotJson};
use crate::yaml::NotYaml;

/// The versions that differ in what is read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V30,
    V31,
    V32,
}

const WANTED: &str = "expected an OpenAPI document of version 3.0, 3.1 or 3.2";

pub(super) fn of(index: &Index<'_>) -> Result<Version, InvalidDocument> {
    if index.root().kind() != Kind::Object {
        return Err(InvalidDocument(format!("{WANTED}, found {}", index.root().kind().name())));
    }
    let Some(openapi) = index.openapi else {
        return Err(InvalidDocument(match index.swagger {
            Some(swagger) => format!(
                "{WANTED}, found Swagger {}: convert it to OpenAPI 3 first",
                swagger.as_str().as_deref().unwrap_or_else(|| short(swagger.text()))
            ),
            None => format!("{WANTED}, found an object without \"openapi\""),
        }));
    };
    let Some(text) = openapi.as_str() else {
        return Err(InvalidDocument(format!(
            "{WANTED}, found {} ({}) as \"openapi\": it has to be a string such as \"3.1.0\"",
            openapi.kind().name(),
            short(openapi.text())
        )));
    };
    let mut parts = text.trim().split('.');
    match (parts.next(), parts.next().map(|minor| minor.split('-').next().unwrap_or(minor))) {
        (Some("3"), Some("0")) => Ok(Version::V30),
        (Some("3"), Some("1")) => Ok(Version::V31),
        (Some("3"), Some("2")) => Ok(Version::V32),
        _ => Err(InvalidDocument(format!("{WANTED}, found version {:?}", short(&text)))),
    }
}

/// Whether there may be operations. Since 3.1 a document may describe only components or webhooks, which are none.
pub(super) fn has_paths(index: &Index<'_>, version: Version) -> Result<(), InvalidDocument> {
    let found = match index.paths() {
        Paths::Items(_) => return Ok(()),
        Paths::Other(paths) => format!("found {} as \"paths\": it has to be an object", paths.kind().name()),
        Paths::Missing if version == Version::V30 => "found no \"paths\", which OpenAPI 3.0 requires".to_owned(),
        Paths::Missing if index.describes_more => return Ok(()),
        Paths::Missing => "found no \"paths\", no \"components\" and no \"webhooks\"".to_owned(),
    };
    Err(InvalidDocument(format!("{WANTED}, {found}")))
}

/// A text that is neither JSON nor YAML. Which of the two it was meant to be, its first character says.
pub(super) fn not_read(text: &str, not_json: &NotJson, not_yaml: &NotYaml) -> InvalidDocument {
    InvalidDocument(if text.trim_start().starts_with(['{', '[']) {
        format!("the text of the document is not JSON: {not_json}")
    } else {
        format!("the text of the document, read as YAML since it does not begin as JSON, cannot be read: {not_yaml}")
    })
}

/// An error in a text that was read as YAML says so: whoever meant another format has to know.
pub(super) fn of_yaml(InvalidDocument(error): InvalidDocument) -> InvalidDocument {
    InvalidDocument(format!("{error} (the text was read as YAML)"))
}

/// A piece of the document that an error shows.
fn short(text: &str) -> &str {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}
