//! Parameters: where each goes, and how its value is written there.

use std::rc::Rc;

use super::Reading;
use super::budget::LONGEST_NAME;
use super::index::MediaType;
use super::reference::References;
use super::skip::{Reason, SkipCode};
use super::types::Types;
use super::version::Version;
use crate::http::{Style, is_client_header, is_header_name, is_json_media_type};
use crate::json::{self, Node, holds_half};
use crate::names::sanitize;

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl Place {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// A parameter whose name and place are known.
#[derive(Debug)]
pub(super) struct Parameter<'a> {
    pub(super) name: Rc<str>,
    pub(super) place: Place,
    /// What makes two parameters the same one beside the place: the name, a header's in any case.
    pub(super) identity: Rc<str>,
    /// The name in the characters that agents accept.
    pub(super) property: Rc<str>,
    pub(super) required: bool,
    pub(super) schema: Option<Node<'a>>,
    pub(super) description: Option<Node<'a>>,
    /// How its place says that the value is written, where that is not the place's own way: members of JSON text.
    pub(super) writing: Option<Rc<str>>,
    style: Option<Node<'a>>,
    explode: Option<bool>,
    content: Option<Node<'a>>,
    /// `allowReserved: true`.
    is_reserved: bool,
    /// Why no template can hold it, if none can.
    pub(super) refused: Option<Reason>,
}

impl<'a> Parameter<'a> {
    /// Reads a parameter, any reference to it followed.
    pub(super) fn read(node: Node<'a>, references: &References<'a>, reading: Reading) -> Result<Self, Reason> {
        Reason::unless_object(node)?;
        let names = ["name", "in", "required", "schema", "description", "style", "explode", "content", "allowReserved"];
        let [name, place, required, schema, description, style, explode, content, allow_reserved] = node.fields(names);
        let name: Rc<str> = match name.and_then(Node::as_str) {
            Some(name) if holds_half(&name) => {
                return Err(Reason::new(SkipCode::Parameter, format!("{name:?} is a name that no request can carry")));
            }
            Some(name) if name.len() > LONGEST_NAME => {
                let text = format!("has a name of {} bytes, and is read with up to {LONGEST_NAME}", name.len());
                return Err(Reason::new(SkipCode::Parameter, text));
            }
            Some(name) if !name.is_empty() => name.into(),
            _ => return Err(Reason::new(SkipCode::Parameter, "has no name")),
        };
        let place = match place.and_then(Node::as_str).as_deref() {
            Some("path") => Place::Path,
            Some("query") => Place::Query,
            Some("header") => Place::Header,
            Some("cookie") => Place::Cookie,
            Some("querystring") if references.version() >= Version::V32 => {
                return Err(Reason::new(SkipCode::QueryString, format!("{name:?} is the whole query")));
            }
            Some(other) => {
                return Err(Reason::new(
                    SkipCode::Parameter,
                    format!("{name:?} is in {other:?}, not in the path, query, header or cookie"),
                ));
            }
            None => return Err(Reason::new(SkipCode::Parameter, format!("{name:?} does not say where it goes"))),
        };
        let identity = if place == Place::Header { name.to_lowercase().into() } else { Rc::clone(&name) };
        let property = match sanitize(&name) {
            property if *property == *name => Rc::clone(&name),
            property => property.into(),
        };
        let mut parameter = Self {
            name,
            place,
            identity,
            property,
            required: place == Place::Path || required.is_some_and(Node::is_true),
            schema,
            description,
            writing: None,
            style,
            explode: explode.map(Node::text).and_then(|text| text.parse().ok()),
            content,
            is_reserved: allow_reserved.is_some_and(Node::is_true),
            refused: None,
        };
        if !parameter.is_ignored() {
            let checked = match reading {
                Reading::Documented => parameter.check(references),
                Reading::Extended => parameter.set_writing(references),
            };
            parameter.refused = checked.err();
        }
        Ok(parameter)
    }

    /// Whether it is left to the client, and never a property: an optional cookie, and the headers that OpenAPI or HTTP
    /// give to somebody else.
    pub(super) fn is_ignored(&self) -> bool {
        match self.place {
            Place::Cookie => !self.required,
            Place::Header => self.name.eq_ignore_ascii_case("accept") || is_client_header(&self.name),
            Place::Path | Place::Query => false,
        }
    }

    fn refuse<T>(&self, code: SkipCode, text: impl std::fmt::Display) -> Result<T, Reason> {
        Err(Reason::new(code, format!("{} parameter {:?} {text}", self.place.name(), self.name)))
    }

    /// What holds of a parameter however much is read.
    fn check_place(&self) -> Result<(), Reason> {
        if self.place == Place::Cookie {
            return self.refuse(SkipCode::Cookie, "is a cookie that the operation needs");
        }
        if self.place == Place::Header && !is_header_name(&self.name) {
            return self.refuse(SkipCode::Parameter, "has a name that no header can have");
        }
        Ok(())
    }

    /// Whether the value can be written as document 000's templates write it.
    fn check(&self, references: &References<'a>) -> Result<(), Reason> {
        self.check_place()?;
        if self.content.is_some() {
            return self.refuse(SkipCode::Style, "is written as \"content\"");
        }
        let default = self.styles()[0];
        if let Some(style) = self.style.filter(|style| style.as_str().as_deref() != Some(default.name())) {
            return self.refuse(SkipCode::Style, format_args!("has the style {}", style.text()));
        }
        if self.place == Place::Query && self.is_reserved {
            return self.refuse(SkipCode::Style, "has \"allowReserved\"");
        }
        let types = self.schema.map_or(Types::ANY, |schema| Types::of(schema, references));
        if types == Types::OBJECT {
            return self.refuse(SkipCode::Object, "is an object");
        }
        if types == Types::LIST && self.place == Place::Path {
            return self.refuse(SkipCode::List, "is a list");
        }
        if self.place == Place::Query && self.explode == Some(false) && types.may_be_list() {
            return self.refuse(SkipCode::Style, "is a list with \"explode\": false");
        }
        Ok(())
    }

    /// Settles how the value is written, whatever HTTP can carry.
    fn set_writing(&mut self, references: &References<'a>) -> Result<(), Reason> {
        self.check_place()?;
        if let Some(content) = self.content {
            return self.set_content(content, references);
        }
        let style = match self.style {
            None => self.styles()[0],
            Some(said) => match self.styles().iter().find(|style| said.as_str().as_deref() == Some(style.name())) {
                Some(style) => *style,
                None => return self.refuse(SkipCode::Style, format_args!("has the style {}", said.text())),
            },
        };
        let explode = self.explode.unwrap_or_else(|| style.explodes());
        let reserved = self.place == Place::Query && self.is_reserved;
        let types = self.schema.map_or(Types::ANY, |schema| Types::of(schema, references));
        // What nothing is said of is taken as document 000 has it: no object, and no list in the path.
        let is_known = types != Types::ANY;
        let is_own_way = style == self.styles()[0]
            && !reserved
            && !(is_known && types.may_be_object())
            && match self.place {
                Place::Path => !(is_known && types.may_be_list()),
                Place::Query => explode || !types.may_be_list(),
                Place::Header | Place::Cookie => true,
            };
        if !is_own_way {
            let mut writing = format!(",\"style\":\"{}\"", style.name());
            if explode != style.explodes() && style != Style::DeepObject {
                writing.push_str(if explode { ",\"explode\":true" } else { ",\"explode\":false" });
            }
            if reserved {
                writing.push_str(",\"allowReserved\":true");
            }
            self.writing = Some(writing.into());
        }
        Ok(())
    }

    /// A value of a media type: JSON text, or the text of a plain value.
    fn set_content(&mut self, content: Node<'a>, references: &References<'a>) -> Result<(), Reason> {
        let media_types = content.members();
        let json = media_types.iter().find(|(media_type, _)| is_json_media_type(media_type));
        let Some((media_type, value)) = json.or_else(|| media_types.first()) else {
            return self.refuse(SkipCode::Style, "is written as \"content\" of no media type");
        };
        let value = MediaType::of(*value).resolved(references).map_err(|reason| reason.at("content"))?;
        self.schema = value.schema;
        if json.is_some() {
            let mut writing = String::from(",\"mediaType\":");
            json::write_string(media_type, &mut writing);
            self.writing = Some(writing.into());
            return Ok(());
        }
        match self.schema.map(|schema| Types::of(schema, references)) {
            Some(Types::SCALAR) => Ok(()),
            _ => self.refuse(SkipCode::Style, format_args!("is not JSON but {media_type}")),
        }
    }

    /// The styles that it may have, the default first.
    fn styles(&self) -> &'static [Style] {
        match self.place {
            Place::Path => Style::OF_PATH,
            Place::Query | Place::Cookie => Style::OF_QUERY,
            Place::Header => Style::OF_HEADER,
        }
    }
}
