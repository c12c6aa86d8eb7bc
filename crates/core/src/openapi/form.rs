//! How the fields of a form are written: the Encoding Objects of a document, and which fields are files.

use super::index::MediaType;
use super::reference::References;
use super::skip::{Reason, SkipCode};
use super::version::Version;
use crate::http::{Style, essence, is_sendable_media_type};
use crate::json::{self, Kind, Node, holds_half};
use indexmap::IndexMap;

/// What a template says of a form's fields.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// `,"fields":[…]`, or nothing.
    pub(super) written: String,
    /// How many `written` has.
    pub(super) count: usize,
    /// Those that are files.
    files: Vec<String>,
}

impl Fields {
    /// What a model has to know of the files: JSON text of a string.
    pub(super) fn note(&self) -> Option<String> {
        if self.files.is_empty() {
            return None;
        }
        const MOST_NAMED: usize = 20;
        let what = if self.files.len() == 1 { "A file, given in base64" } else { "Files, each given in base64" };
        let more = if self.files.len() > MOST_NAMED { " and others" } else { "" };
        let named = &self.files[..self.files.len().min(MOST_NAMED)];
        let mut note = String::new();
        json::write_string(&format!("{what}: {}{more}.", named.join(", ")), &mut note);
        Some(note)
    }
}

/// What a field's schema says of how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Bytes, which a model gives in base64.
    File,
    /// A string that stands for bytes and is sent as it is (`contentEncoding`).
    Encoded,
    /// Text or JSON, by what is given.
    Plain,
}

/// Reads what a media type says of its fields.
pub(super) fn read<'a>(media: MediaType<'a>, references: &References<'a>) -> Result<Fields, Reason> {
    let mut properties = IndexMap::new();
    if let Some(schema) = media.schema {
        let mut left = MOST_SCHEMAS;
        gather(schema, references, 0, &mut left, &mut properties);
    }
    let encodings = media.encoding.map(Node::members).unwrap_or_default();
    let mut fields = Fields::default();
    let only_encoded = encodings.keys().filter(|name| !properties.contains_key(name.as_ref())).cloned();
    let names: Vec<_> = properties.keys().cloned().chain(only_encoded.collect::<Vec<_>>()).collect();
    for name in names {
        let kind = properties.get(&name).map_or(Part::Plain, |schema| part_of(*schema, references));
        let written = match encodings.get(&name) {
            Some(encoding) => {
                let of_field = |reason: Reason| reason.at(format_args!("encoding {name:?}"));
                let encoding = references.resolve(*encoding).map_err(of_field)?;
                Reason::unless_object(encoding).map_err(of_field)?;
                field(encoding, kind, references).map_err(of_field)?
            }
            None => typed(None, kind),
        };
        let Some(written) = written else { continue };
        if holds_half(&name) {
            return Err(Reason::new(SkipCode::Body, format!("has a field {name:?}, a name that no request can carry")));
        }
        if written.contains(BASE64) {
            fields.files.push(name.to_string());
        }
        fields.count += 1;
        fields.written.push_str(if fields.written.is_empty() { ",\"fields\":[" } else { "," });
        fields.written.push_str("{\"name\":");
        json::write_string(&name, &mut fields.written);
        fields.written.push_str(&written);
        fields.written.push('}');
    }
    if !fields.written.is_empty() {
        fields.written.push(']');
    }
    Ok(fields)
}

const BASE64: &str = ",\"contentEncoding\":\"base64\"";

/// The members of a field after its name; none when it is written as any other.
fn field<'a>(encoding: Node<'a>, kind: Part, references: &References<'a>) -> Result<Option<String>, Reason> {
    let names = ["style", "explode", "allowReserved", "contentType", "headers"];
    let [style, explode, reserved, content_type, headers] = encoding.fields(names);
    for (name, header) in headers.into_iter().flat_map(Node::members) {
        let header = references.resolve(header)?;
        if !name.eq_ignore_ascii_case("content-type") && header.get("required").is_some_and(Node::is_true) {
            return Err(Reason::new(SkipCode::Body, format!("needs the header {name:?}, which no tool can give")));
        }
    }
    // Bytes are written by no style.
    if kind != Part::File && (style.is_some() || explode.is_some() || reserved.is_some()) {
        let style = match style {
            None => Style::Form,
            Some(said) => {
                let known = Style::OF_QUERY.iter().find(|style| said.as_str().as_deref() == Some(style.name()));
                *known.ok_or_else(|| Reason::new(SkipCode::Style, format!("has the style {}", said.text())))?
            }
        };
        let explode = explode.and_then(|explode| explode.text().parse().ok()).unwrap_or_else(|| style.explodes());
        let mut written = format!(",\"style\":\"{}\"", style.name());
        if explode != style.explodes() && style != Style::DeepObject {
            written.push_str(if explode { ",\"explode\":true" } else { ",\"explode\":false" });
        }
        if reserved.is_some_and(Node::is_true) {
            written.push_str(",\"allowReserved\":true");
        }
        return Ok(Some(written));
    }
    let content_type = content_type.and_then(Node::as_str);
    // Of several types the first one that is not a range: which of them a value is nobody says.
    let mut named = content_type.iter().flat_map(|types| types.split(',')).map(str::trim);
    let media_type = named.find(|media_type| is_sendable_media_type(media_type));
    Ok(typed(media_type, kind))
}

/// The members of a field of that media type; none when it is written as any other.
fn typed(media_type: Option<&str>, kind: Part) -> Option<String> {
    let media_type = match (media_type, kind) {
        (None, Part::Plain) => return None,
        (None, Part::Encoded) => Some("application/octet-stream"),
        (named, _) => named,
    };
    let mut written = String::new();
    if let Some(media_type) = media_type {
        written.push_str(",\"mediaType\":");
        json::write_string(media_type, &mut written);
    }
    if kind == Part::File {
        written.push_str(BASE64);
    }
    Some(written)
}

/// References and combinations are followed a few levels and a few hundred schemas.
const MOST_SCHEMAS: usize = 256;
const DEEPEST: usize = 16;

/// The properties that an object's schema names, by the schemas it is made of.
fn gather<'a>(
    schema: Node<'a>,
    references: &References<'a>,
    depth: usize,
    left: &mut usize,
    properties: &mut IndexMap<std::borrow::Cow<'a, str>, Node<'a>>,
) {
    if depth > DEEPEST || *left == 0 || schema.kind() != Kind::Object {
        return;
    }
    *left -= 1;
    let [own, reference, all_of, any_of, one_of] = schema.fields(["properties", "$ref", "allOf", "anyOf", "oneOf"]);
    for (name, property) in own.into_iter().flat_map(Node::members) {
        properties.entry(name).or_insert(property);
    }
    if let Some(target) = reference.and_then(Node::as_str).and_then(|reference| references.lookup(&reference).ok()) {
        gather(target, references, depth + 1, left, properties);
    }
    for branch in [all_of, any_of, one_of].into_iter().flatten().flat_map(Node::items) {
        gather(branch, references, depth + 1, left, properties);
    }
}

/// Whether the value of a schema is bytes.
pub(super) fn is_file<'a>(schema: Node<'a>, references: &References<'a>) -> bool {
    part_of(schema, references) == Part::File
}

/// Whether the value of a schema is a string that stands for bytes and is sent as it is.
pub(super) fn is_encoded<'a>(schema: Node<'a>, references: &References<'a>) -> bool {
    part_of(schema, references) == Part::Encoded
}

fn part_of<'a>(schema: Node<'a>, references: &References<'a>) -> Part {
    let mut left = MOST_SCHEMAS;
    part(schema, references, 0, &mut left)
}

fn part<'a>(schema: Node<'a>, references: &References<'a>, depth: usize, left: &mut usize) -> Part {
    if depth > DEEPEST || *left == 0 || schema.kind() != Kind::Object {
        return Part::Plain;
    }
    *left -= 1;
    let names = ["format", "contentEncoding", "contentMediaType", "items", "$ref", "allOf", "anyOf", "oneOf"];
    let [format, encoding, media_type, items, reference, all_of, any_of, one_of] = schema.fields(names);
    if format.and_then(Node::as_str).as_deref() == Some("binary") {
        return Part::File;
    }
    if encoding.is_some() {
        return Part::Encoded;
    }
    if let Some(media_type) = media_type.and_then(Node::as_str) {
        let name = essence(&media_type);
        let is_text = name.starts_with("text/") || name.ends_with("json") || name.ends_with("xml");
        return if is_text { Part::Plain } else { Part::File };
    }
    // Since 3.1 bytes are what a schema says nothing of.
    if references.version() > Version::V30 && schema.entries().next().is_none() {
        return Part::File;
    }
    let target = reference.and_then(Node::as_str).and_then(|reference| references.lookup(&reference).ok());
    if let Some(inner) = items.or(target) {
        return part(inner, references, depth + 1, left);
    }
    for branch in all_of.into_iter().flat_map(Node::items) {
        let kind = part(branch, references, depth + 1, left);
        if kind != Part::Plain {
            return kind;
        }
    }
    // Where a file is one of several things, what is given is text.
    let branches = [any_of, one_of].into_iter().flatten().flat_map(Node::items);
    let mut of_all = None;
    for branch in branches.filter(|branch| branch.get("type").map(Node::text) != Some("\"null\"")) {
        let kind = part(branch, references, depth + 1, left);
        if *of_all.get_or_insert(kind) != kind {
            return Part::Plain;
        }
    }
    of_all.unwrap_or(Part::Plain)
}
