//! The request body: JSON, or a reason.

use super::reference::References;
use super::skip::{Reason, SkipCode};
use crate::http::is_json_media_type;
use crate::json::Node;

/// A body that a tool can send.
#[derive(Debug, Clone)]
pub(super) struct Body<'a> {
    pub(super) schema: Option<Node<'a>>,
    pub(super) required: bool,
    /// The media type, where it is not `application/json`.
    pub(super) media_type: Option<String>,
}

/// Reads a body, any reference to it followed; `None` when there is none to send.
pub(super) fn read<'a>(
    node: Node<'a>,
    has_no_body: bool,
    references: &References<'a>,
) -> Result<Option<Body<'a>>, Reason> {
    Reason::unless_object(node)?;
    let [required, content] = node.fields(["required", "content"]);
    let required = required.is_some_and(Node::is_true);
    if has_no_body {
        return if required {
            Err(Reason::new(SkipCode::Body, "is required, and the method has none"))
        } else {
            Ok(None)
        };
    }
    let mut chosen: Option<(Node<'a>, Option<String>)> = None;
    let mut found = Vec::new();
    for (media_type, value) in content.into_iter().flat_map(Node::members) {
        match json_type(&media_type) {
            Some(Json::Plain) => {
                chosen = Some((value, None));
                break;
            }
            Some(Json::Named(name)) if chosen.is_none() => chosen = Some((value, Some(name))),
            _ => found.push(media_type),
        }
    }
    let Some((value, media_type)) = chosen else {
        if found.is_empty() && !required {
            return Ok(None);
        }
        let what = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        return Err(Reason::new(SkipCode::Body, format!("is not JSON but {what}")));
    };
    let value = references.resolve(value).map_err(|reason| reason.at("content"))?;
    Reason::unless_object(value).map_err(|reason| reason.at("content"))?;
    let schema = value.get("schema");
    Ok(Some(Body { schema, required, media_type }))
}

enum Json {
    /// `application/json`, whatever its parameters.
    Plain,
    /// A type of its own that is JSON by its suffix (RFC 6839 §3.1).
    Named(String),
}

fn json_type(media_type: &str) -> Option<Json> {
    let name = media_type.split(';').next().unwrap_or(media_type).trim().to_ascii_lowercase();
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
