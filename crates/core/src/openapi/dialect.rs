//! The dialects of JSON Schema that a document's schemas may be in, as far as they are written otherwise than 2020-12, in
//! which tools have theirs.

use super::index::Index;
use super::version::Version;

/// A dialect, by what is written in a way of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// That of OpenAPI 3.0: `nullable`, and a `$ref` that stands alone.
    OpenApi30,
    /// Drafts 4 to 7: a `$ref` that stands alone, lists under `items`, `dependencies`.
    UpToDraft7,
    /// 2019-09: lists under `items`.
    Draft2019,
    /// 2020-12, that of OpenAPI 3.1, and any that is not known.
    Draft2020,
}

impl Dialect {
    /// What the schemas of a document are in, as long as they do not say it themselves.
    pub(super) fn of(version: Version, index: &Index<'_>) -> Self {
        match index.dialect() {
            _ if version == Version::V30 => Self::OpenApi30,
            Some(name) => Self::named(&name).unwrap_or(Self::Draft2020),
            None => Self::Draft2020,
        }
    }

    /// The dialect of that URI, where it is one of JSON Schema's.
    pub(super) fn named(uri: &str) -> Option<Self> {
        let name = uri.trim_end_matches('#');
        let name = name.strip_prefix("http://").or_else(|| name.strip_prefix("https://"))?;
        match name.strip_prefix("json-schema.org/")? {
            "draft-04/schema" | "draft-06/schema" | "draft-07/schema" => Some(Self::UpToDraft7),
            "draft/2019-09/schema" => Some(Self::Draft2019),
            "draft/2020-12/schema" => Some(Self::Draft2020),
            _ => None,
        }
    }

    /// Whether what stands beside a `$ref` is nothing.
    pub(super) fn has_lone_references(self) -> bool {
        matches!(self, Self::OpenApi30 | Self::UpToDraft7)
    }

    /// Whether `items` may be a list, with `additionalItems` for the rest.
    pub(super) fn has_item_lists(self) -> bool {
        matches!(self, Self::UpToDraft7 | Self::Draft2019)
    }
}
