//! The request body: JSON, what else HTTP carries where that is asked for, or a reason.

use std::rc::Rc;

use super::Reading;
use super::form;
use super::index::{MediaType, RequestBody};
use super::reference::References;
use super::skip::{Reason, SkipCode};
use super::types::Types;
use crate::http::{FORM, MULTIPART, essence, is_json_media_type, is_sendable_media_type};
use crate::json::{self, Node};

/// A body that a tool can send.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) schema: Option<Node<'a>>,
    pub(super) required: bool,
    /// How it is written, where that is not as `application/json`: members of JSON text.
    pub(super) writing: Option<Rc<str>>,
    /// How many of its fields are written in a way of their own.
    pub(super) fields: usize,
    /// What a model has to know to give it: JSON text of a string.
    pub(super) note: Option<Rc<str>>,
}

/// Reads a body, any reference to it followed; `None` when there is none to send.
pub(super) fn read<'a>(
    body: &RequestBody<'a>,
    has_no_body: bool,
    references: &References<'a>,
    reading: Reading,
) -> Result<Option<Body<'a>>, Reason> {
    Reason::unless_object(body.node)?;
    let required = body.required.is_some_and(Node::is_true);
    if has_no_body {
        return if required {
            Err(Reason::new(SkipCode::Body, "is required, and the method has none"))
        } else {
            Ok(None)
        };
    }
    let mut chosen: Option<(MediaType<'a>, Option<String>)> = None;
    let mut others = Vec::new();
    for (media_type, value) in &body.content {
        match json_type(media_type) {
            Some(Json::Plain) => {
                chosen = Some((*value, None));
                break;
            }
            Some(Json::Named(name)) if chosen.is_none() => chosen = Some((*value, Some(name))),
            _ => others.push((media_type.as_ref(), *value)),
        }
    }
    if let Some((value, media_type)) = chosen {
        let value = value.resolved(references).map_err(|reason| reason.at("content"))?;
        let writing = media_type.map(|media_type| writing_of(&media_type, "").into());
        return Ok(Some(Body { schema: value.schema, required, writing, fields: 0, note: None }));
    }
    if others.is_empty() && !required {
        return Ok(None);
    }
    let mut refused = None;
    if reading == Reading::Extended {
        match extended(&others, references) {
            Ok(Some(body)) => return Ok(Some(Body { required, ..body })),
            // What a tool cannot send it does without, where it may.
            _ if !required => return Ok(None),
            Ok(None) => {}
            Err(reason) => refused = Some(reason),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let found: Vec<&str> = others.iter().map(|(media_type, _)| *media_type).collect();
        let what = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        match reading {
            Reading::Documented => Reason::new(SkipCode::Body, format!("is not JSON but {what}")),
            Reading::Extended => Reason::new(SkipCode::Body, format!("is {what}, which no tool can give")),
        }
    }))
}

/// The ways in which a body that is not JSON is written, in the order in which they are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Form,
    Multipart,
    Text,
    Bytes,
    /// Any type will do (`*/*`): what the schema speaks of says which.
    Any,
}

fn way(essence: &str) -> Option<Way> {
    match essence {
        FORM => Some(Way::Form),
        MULTIPART => Some(Way::Multipart),
        "*/*" | "application/*" => Some(Way::Any),
        _ if essence.starts_with("multipart/") => None,
        _ if essence.starts_with("text/") => Some(Way::Text),
        "application/xml" | "application/yaml" | "application/x-yaml" | "application/graphql" | "application/sql" => {
            Some(Way::Text)
        }
        _ if essence.ends_with("+xml") || essence.ends_with("+yaml") => Some(Way::Text),
        _ => Some(Way::Bytes),
    }
}

/// The first media type, by the order of [`Way`], that can be sent; the first reason when none can.
fn extended<'a>(
    media_types: &[(&str, MediaType<'a>)],
    references: &References<'a>,
) -> Result<Option<Body<'a>>, Reason> {
    let mut refused = None;
    for wanted in [Way::Form, Way::Multipart, Way::Any, Way::Text, Way::Bytes] {
        for (media_type, value) in media_types {
            if way(&essence(media_type)) != Some(wanted) {
                continue;
            }
            match in_way(wanted, media_type, *value, references) {
                Ok(body) => return Ok(Some(body)),
                Err(reason) => refused = refused.or(Some(reason.at(format_args!("content {media_type:?}")))),
            }
        }
    }
    refused.map_or(Ok(None), Err)
}

fn in_way<'a>(
    way: Way,
    media_type: &str,
    value: MediaType<'a>,
    references: &References<'a>,
) -> Result<Body<'a>, Reason> {
    let value = value.resolved(references)?;
    let schema = value.schema;
    let types = schema.map_or(Types::ANY, |schema| Types::of(schema, references));
    let body = |schema, writing: String, note: Option<String>| Body {
        schema,
        required: false,
        writing: Some(writing.into()),
        fields: 0,
        note: note.map(Into::into),
    };
    match way {
        Way::Form | Way::Multipart => {
            if !types.may_be_object() {
                return Err(Reason::new(SkipCode::Body, "is a form of something other than an object"));
            }
            let fields = form::read(value, references)?;
            let name = if way == Way::Form { FORM } else { MULTIPART };
            let written = writing_of(name, &fields.written);
            Ok(Body { fields: fields.count, ..body(schema, written, fields.note()) })
        }
        Way::Any if !schema.is_some_and(|schema| schema.text() != "{}" && form::is_file(schema, references)) => {
            Ok(Body { schema, required: false, writing: None, fields: 0, note: None })
        }
        _ if !types.may_be_scalar() => Err(Reason::new(SkipCode::Body, "is an object or a list that is not JSON")),
        _ if way == Way::Text || schema.is_some_and(|schema| form::is_encoded(schema, references)) => {
            let media_type = sendable(media_type).unwrap_or_else(|| "text/plain".to_owned());
            Ok(body(schema.or(Some(Node::trusted(TEXT))), writing_of(&media_type, ""), None))
        }
        _ => {
            let media_type = sendable(media_type).unwrap_or_else(|| OCTETS.to_owned());
            let writing = writing_of(&media_type, ",\"contentEncoding\":\"base64\"");
            Ok(body(schema.or(Some(Node::trusted(BASE64))), writing, Some("\"The bytes, in base64.\"".to_owned())))
        }
    }
}

const OCTETS: &str = "application/octet-stream";

/// The schemas of what a document says no schema of.
const TEXT: &str = r#"{"type":"string"}"#;
const BASE64: &str = r#"{"type":"string","contentEncoding":"base64"}"#;

/// The media type as it can be sent: a range is none.
fn sendable(media_type: &str) -> Option<String> {
    Some(media_type.trim().to_owned()).filter(|media_type| is_sendable_media_type(media_type))
}

/// The members of a template that say how its body is written.
fn writing_of(media_type: &str, more: &str) -> String {
    let mut writing = String::from(",\"mediaType\":");
    json::write_string(media_type, &mut writing);
    writing.push_str(more);
    writing
}

enum Json {
    /// `application/json`, whatever its parameters.
    Plain,
    /// A type of its own that is JSON by its suffix (RFC 6839 §3.1).
    Named(String),
}

fn json_type(media_type: &str) -> Option<Json> {
    let name = essence(media_type);
    if name == "application/json" {
        return Some(Json::Plain);
    }
    let is_type = name
        .strip_prefix("application/")
        .and_then(|rest| rest.strip_suffix("+json"))
        .is_some_and(|rest| !rest.is_empty());
    match is_type {
        true if name.contains('*') => Some(Json::Plain),
        true if is_json_media_type(&name) => Some(Json::Named(name)),
        _ => None,
    }
}
