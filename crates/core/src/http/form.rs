//! Bodies that are not JSON: forms in both encodings, text, and bytes.
//!
//! The rule: a field is written as the template says of it, and one that it says nothing of as OpenAPI's Encoding Object
//! has it by default: a plain value as text, an object as JSON, a list as a field for each item.

use std::borrow::Cow;

use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER};
use indexmap::IndexMap;
use sha2::{Digest, Sha256};

use super::encode::{push_query_bytes, push_query_value};
use super::mistake::{Allowed, InvalidInput, Mistake};
use super::style::{self, Styled};
use super::value::scalar;
use crate::json::{Kind, Node, holds_half};

/// How a body is written.
#[derive(Debug, Clone)]
pub(super) enum BodyWriting {
    /// As the model wrote it.
    Json,
    /// The text of a plain value.
    Text,
    /// The bytes that a string gives in base64.
    Bytes,
    /// `application/x-www-form-urlencoded`.
    Form(Fields),
    /// `multipart/form-data`.
    Multipart(Fields),
}

/// The fields of a form that are written in a way of their own.
pub(super) type Fields = IndexMap<String, Field>;

/// How a field is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    /// As a parameter of the query is.
    Styled(Styled),
    /// As a value of that media type: JSON or text.
    Typed { media_type: String, is_json: bool },
    /// The bytes that a string gives in base64, as a file.
    File { media_type: Option<String> },
}

/// What is sent of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text, sent in UTF-8.
    Text(String),
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

/// A body as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The value of its Content-Type header.
    pub media_type: String,
    /// What it holds.
    pub content: Content,
}

/// Writes the body that a property gives.
pub(super) fn write(
    writing: &BodyWriting,
    media_type: &str,
    property: &str,
    node: Node<'_>,
) -> Result<Body, InvalidInput> {
    let mut media_type = media_type.to_owned();
    let content = match writing {
        BodyWriting::Json => Content::Text(node.text().to_owned()),
        BodyWriting::Text => {
            let text = scalar(node.text(), Allowed::One).map_err(|mistake| InvalidInput::at(property, &mistake))?;
            // What has no charset may be read as anything, which differs only beyond ASCII.
            if !text.is_ascii() && !media_type.to_ascii_lowercase().contains("charset") {
                media_type.push_str("; charset=utf-8");
            }
            Content::Text(text.into_owned())
        }
        BodyWriting::Bytes => Content::Bytes(bytes_of(node).map_err(|mistake| InvalidInput::at(property, &mistake))?),
        BodyWriting::Form(fields) => Content::Text(as_query(&parts(fields, property, node)?)),
        BodyWriting::Multipart(fields) => {
            let (boundary, bytes) = as_multipart(&parts(fields, property, node)?);
            media_type = format!("{media_type}; boundary={boundary}");
            Content::Bytes(bytes)
        }
    };
    Ok(Body { media_type, content })
}

/// One field as it is sent.
#[derive(Debug)]
struct Part<'a> {
    value: Value<'a>,
    media_type: Option<&'a str>,
}

#[derive(Debug)]
enum Value<'a> {
    /// A key and its values, as a style writes them.
    Pair {
        pair: style::Pair<'a>,
        allow_reserved: bool,
    },
    Text {
        name: Cow<'a, str>,
        text: Cow<'a, str>,
    },
    File {
        name: Cow<'a, str>,
        bytes: Vec<u8>,
    },
}

impl Value<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Pair { pair, .. } => &pair.key,
            Self::Text { name, .. } | Self::File { name, .. } => name,
        }
    }
}

/// Each item of a list repeats its field's name, so that little input could be a large body.
const MAX_NAMES: usize = 8 << 20;

fn parts<'a>(fields: &'a Fields, property: &str, node: Node<'a>) -> Result<Vec<Part<'a>>, InvalidInput> {
    if node.kind() != Kind::Object {
        return Err(InvalidInput::at(property, &Mistake::NotAForm(node.kind().name())));
    }
    let mut parts = Vec::new();
    let mut names = 0;
    for (name, value) in node.members() {
        if holds_half(&name) {
            return Err(InvalidInput::at_member(property, &name, &Mistake::HalfSurrogate));
        }
        let before = parts.len();
        match fields.get_key_value(name.as_ref()) {
            Some((name, Field::Styled(styled))) => {
                for pair in style::pairs(*styled, name, &format!("{property}.{name}"), value)? {
                    let value = Value::Pair { pair, allow_reserved: styled.allow_reserved };
                    parts.push(Part { value, media_type: None });
                }
            }
            field => {
                let field = field.map(|(_, field)| field);
                match value.kind() {
                    Kind::List => {
                        for (at, item) in value.items().enumerate() {
                            let part = part(name.clone(), field, item);
                            parts.push(part.map_err(|mistake| {
                                InvalidInput::at_item(&format!("{property}.{name}"), at, &mistake)
                            })?);
                        }
                    }
                    _ => {
                        let part = part(name.clone(), field, value);
                        parts.push(part.map_err(|mistake| InvalidInput::at_member(property, &name, &mistake))?);
                    }
                }
            }
        }
        names += parts[before..].iter().map(|part| part.value.name().len()).sum::<usize>();
        if names > MAX_NAMES {
            return Err(InvalidInput::at_member(property, &name, &Mistake::TooLarge));
        }
    }
    Ok(parts)
}

fn part<'a>(name: Cow<'a, str>, field: Option<&'a Field>, node: Node<'a>) -> Result<Part<'a>, Mistake> {
    let (text, media_type) = match (field, node.kind()) {
        (Some(Field::File { media_type }), _) => {
            let value = Value::File { name, bytes: bytes_of(node)? };
            return Ok(Part { value, media_type: media_type.as_deref() });
        }
        (Some(Field::Typed { media_type, is_json: true }), _) => {
            (Cow::Borrowed(node.text()), Some(media_type.as_str()))
        }
        (Some(Field::Typed { media_type, .. }), _) => (scalar(node.text(), Allowed::One)?, Some(media_type.as_str())),
        (_, Kind::Object | Kind::List) => (Cow::Borrowed(node.text()), Some("application/json")),
        _ => (scalar(node.text(), Allowed::Any)?, None),
    };
    Ok(Part { value: Value::Text { name, text }, media_type })
}

/// The bytes that a string gives in base64, with or without its padding, line breaks aside.
fn bytes_of(node: Node<'_>) -> Result<Vec<u8>, Mistake> {
    if node.kind() != Kind::String {
        return Err(Mistake::NotBase64);
    }
    let text = scalar(node.text(), Allowed::One)?;
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let encoding = if digits.ends_with(b"=") { BASE64 } else { BASE64_NOPAD };
    encoding.decode(&digits).map_err(|_| Mistake::NotBase64)
}

fn as_query(parts: &[Part<'_>]) -> String {
    let mut out = String::new();
    let push_key = |out: &mut String, name: &str| {
        if !out.is_empty() {
            out.push('&');
        }
        push_query_value(out, name);
        out.push('=');
    };
    for Part { value, .. } in parts {
        match value {
            Value::Pair { pair, allow_reserved } => style::push_pair(&mut out, pair, *allow_reserved),
            Value::Text { name, text } => {
                push_key(&mut out, name);
                push_query_value(&mut out, text);
            }
            Value::File { name, bytes } => {
                push_key(&mut out, name);
                push_query_bytes(&mut out, bytes);
            }
        }
    }
    out
}

/// The parts between boundaries (RFC 7578). The boundary is a hash of what they hold, which nothing can hold itself.
fn as_multipart(parts: &[Part<'_>]) -> (String, Vec<u8>) {
    let heads_and_bodies: Vec<(String, Cow<'_, [u8]>)> = parts.iter().map(head_and_body).collect();
    let mut hash = Sha256::new();
    for (head, body) in &heads_and_bodies {
        hash.update(head);
        hash.update(body);
    }
    let boundary = HEXLOWER.encode(&hash.finalize()[..24]);
    let mut out = Vec::new();
    for (head, body) in &heads_and_bodies {
        out.extend_from_slice(format!("--{boundary}\r\n{head}\r\n").as_bytes());
        out.extend_from_slice(body);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (boundary, out)
}

fn head_and_body<'p>(Part { value, media_type }: &'p Part<'_>) -> (String, Cow<'p, [u8]>) {
    let name = quoted(value.name());
    let mut head = format!("Content-Disposition: form-data; name=\"{name}\"");
    let mut media_type = *media_type;
    let body = match value {
        Value::Pair { pair, .. } => Cow::Owned(pair.values.join(pair.joint.raw()).into_bytes()),
        Value::Text { text, .. } => Cow::Borrowed(text.as_bytes()),
        Value::File { bytes, .. } => {
            // A part without a file name is no file to many parsers, and no other name is known.
            head.push_str(&format!("; filename=\"{name}\""));
            media_type = media_type.or(Some("application/octet-stream"));
            Cow::Borrowed(bytes.as_slice())
        }
    };
    head.push_str("\r\n");
    if let Some(media_type) = media_type {
        head.push_str(&format!("Content-Type: {media_type}\r\n"));
    }
    (head, body)
}

/// A name between quotes, as browsers write it (HTML Standard, multipart/form-data encoding algorithm).
fn quoted(name: &str) -> String {
    name.replace('\r', "%0D").replace('\n', "%0A").replace('"', "%22")
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
