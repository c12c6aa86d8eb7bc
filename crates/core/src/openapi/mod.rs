//! OpenAPI 3 documents, read into tools.
//!
//! One pass lists the operations and components by their place in the text ([`index`]); the operations are then read one
//! by one, each with those schemas that its input needs and no operation before it did, which are converted once, into a shared
//! store ([`store`]). What cannot be a tool is left out with the place and the reason ([`skip`]); one bad operation never
//! fails the read. Nothing is fetched, and no address in the document is used.

mod body;
mod budget;
mod description;
mod dialect;
mod draft;
mod form;
mod index;
mod kept;
mod operation;
mod parameter;
mod parts;
mod path;
mod reference;
mod rows;
mod schema;
mod skip;
mod store;
mod types;
mod version;

use std::collections::{HashSet, VecDeque};

use foldhash::fast::RandomState;

pub use self::kept::SchemaText;
pub use self::parts::{Missing, Parts};
pub use self::rows::{List, Rows, Taker};
pub use self::skip::SkipCode;

use self::dialect::Dialect;
use self::index::{Found, Index};
use self::kept::Store;
use self::reference::References;
use self::rows::{AllRows, Table};
use self::store::StoreBuilder;
use crate::{json, stack, yaml};

/// The text is not an OpenAPI 3.0, 3.1 or 3.2 document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidDocument(String);

/// What was read of a document: rows on their way to JavaScript, unless somebody took them, and the schemas, made when asked
/// for.
#[derive(Debug)]
pub struct Catalog {
    rows: VecDeque<Rows>,
    store: Store,
}

impl Catalog {
    /// The next rows, which are let go.
    pub fn next_rows(&mut self) -> Option<Rows> {
        self.rows.pop_front()
    }

    /// The schema of an operation, by its place in `operations`: what belongs to it alone, and which shared ones it needs.
    #[must_use]
    pub fn schema(&self, operation: usize) -> Option<SchemaText> {
        self.store.schema(operation)
    }

    /// A shared schema as JSON text, by the number that [`SchemaText::shared`] gives.
    #[must_use]
    pub fn shared(&self, schema: usize) -> Option<&str> {
        self.store.shared(schema)
    }

    /// The key of a shared schema under `$defs`.
    #[must_use]
    pub fn shared_name(&self, schema: usize) -> Option<&str> {
        self.store.shared_name(schema)
    }

    /// Shared schemas as JSON text: a list of `[name, schema]` for each. `None` when there is not one of a number.
    #[must_use]
    pub fn shared_texts(&self, schemas: &[u32]) -> Option<String> {
        let mut out = String::from("[");
        for (at, id) in schemas.iter().enumerate() {
            out.push_str(if at > 0 { ",[" } else { "[" });
            json::write_string(self.shared_name(*id as usize)?, &mut out);
            out.push(',');
            out.push_str(self.shared(*id as usize)?);
            out.push(']');
        }
        out.push(']');
        Some(out)
    }

    /// About how many bytes this holds.
    #[must_use]
    pub fn size(&self) -> usize {
        self.rows.iter().map(|rows| rows.text.len()).sum::<usize>() + self.store.size()
    }
}

/// How much of a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// What document 000 reads: JSON bodies, and parameters in the path, query and headers in their default style.
    #[default]
    Documented,
    /// Whatever HTTP can carry besides: every style, forms, text and bytes.
    Extended,
}

/// Reads the text of a document, JSON or YAML.
///
/// # Errors
/// [`InvalidDocument`] when the text is neither, or not an OpenAPI 3.0, 3.1 or 3.2 document, saying what was found.
pub fn read(text: &str, reading: Reading) -> Result<Catalog, InvalidDocument> {
    let mut rows = VecDeque::new();
    let read = read_unless(text, reading, &|| false, &mut |piece| rows.push_back(piece))?;
    let catalog = read.ok_or_else(|| InvalidDocument("the reading was stopped".to_owned()))?;
    Ok(Catalog { rows, ..catalog })
}

/// Reads the text of a document unless it is told to stop: before each path item and before each shared schema it asks
/// whether to. `None` when it was. Rows are given to `take` as they come.
///
/// # Errors
/// As [`read`].
pub fn read_unless(
    text: &str,
    reading: Reading,
    stops: Stops<'_>,
    take: Taker<'_>,
) -> Result<Option<Catalog>, InvalidDocument> {
    // Converting a schema recurses as deep as it is nested, and the caller's stack may be nearly used up.
    let read = stack::with_room(schema::MAX_DEPTH, BYTES_PER_LEVEL, || read_within(text, reading, stops, take));
    read.unwrap_or_else(|| {
        Err(InvalidDocument("the document could not be read: no thread could be had for it".to_owned()))
    })
}

/// Says whether to stop.
pub type Stops<'a> = &'a (dyn Fn() -> bool + Sync);

/// Stack that a level of a schema takes while it is converted.
const BYTES_PER_LEVEL: usize = 4 << 10;

/// The longest document in bytes: what is longer may have texts that are none of JavaScript, where the longest has so many UTF-16
/// units (V8's).
const MAX_DOCUMENT: usize = (1 << 29) - 24;

fn read_within(
    text: &str,
    reading: Reading,
    stops: Stops<'_>,
    take: Taker<'_>,
) -> Result<Option<Catalog>, InvalidDocument> {
    if text.len() > MAX_DOCUMENT {
        let found = text.len();
        return Err(InvalidDocument(format!("the document has {found} bytes, and is read up to {MAX_DOCUMENT}")));
    }
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    match Index::of(text) {
        Ok(found) => read_found(found, reading, stops, take),
        Err(not_json) => {
            let written = yaml::to_json(text).map_err(|not_yaml| version::not_read(text, &not_json, &not_yaml))?;
            let found = Index::of(&written).map_err(|error| InvalidDocument(error.to_string()))?;
            read_found(found, reading, stops, take).map_err(version::of_yaml)
        }
    }
}

fn read_found(
    found: Found<'_>,
    reading: Reading,
    stops: Stops<'_>,
    take: Taker<'_>,
) -> Result<Option<Catalog>, InvalidDocument> {
    let Found { index, items, words } = found;
    let index = &index;
    let version = version::of(index)?;
    version::has_paths(index, version)?;

    let references = References::new(index, version);
    let mut store = StoreBuilder::new(&references, Dialect::of(version, index));
    let mut reader = operation::Reader::new(&references, words, reading);
    let mut rows = AllRows::new(take);
    draft::push_methods(&mut rows);
    let (mut drafts, mut names, mut reasons) = (Vec::new(), HashSet::<_, RandomState>::default(), Table::default());
    // Each item is let go once it has been read: what there is of a large document at a time is little beside its text.
    for (path, item) in index.item_paths().zip(items) {
        if stops() {
            return Ok(None);
        }
        reader.read(path, item, &mut store, &mut drafts);
        if !store.convert_all(stops) {
            return Ok(None);
        }
        reader.push_rows(&mut rows);
        for draft in drafts.drain(..) {
            match draft.and_then(|draft| draft.checked(&mut store, &names)) {
                Ok(draft) => {
                    rows.push(List::Operations, |row| draft.write(row));
                    store.keep(&draft.schema);
                    names.insert(draft.name);
                }
                Err(refused) => {
                    let reason = reasons.number(refused.reason());
                    reasons.push(List::Reasons, &mut rows);
                    rows.push(List::Skipped, |row| refused.write(reason, row));
                }
            }
        }
    }
    for server in index.servers() {
        rows.push(List::Servers, |row| json::write_string(server, row));
    }
    rows.finish();
    Ok(Some(Catalog { rows: VecDeque::new(), store: store.finish() }))
}

#[cfg(test)]
mod extended_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
