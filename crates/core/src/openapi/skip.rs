//! What was left out of a document, and why.

use std::borrow::Cow;

use super::rows::push_number;
use crate::json::{self, Kind, Node};

/// Why an operation is no tool. The list is closed: a host counts by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkipCode {
    /// A request body that is not JSON.
    Body,
    /// A parameter written in a style other than the default, or with `content` or `allowReserved`.
    Style,
    /// A parameter that is an object.
    Object,
    /// A list in the path.
    List,
    /// A cookie that the operation needs.
    Cookie,
    /// A path whose placeholders and path parameters differ.
    Path,
    /// A reference that is remote, dangling, a loop, or to the wrong kind of thing.
    Reference,
    /// A name that another operation has.
    Name,
    /// A property name that two parameters would share.
    Property,
    /// A method that is not sent.
    Method,
    /// A parameter without a name, or in an unknown place.
    Parameter,
    /// A schema that is nested too deep, or one too many.
    Schema,
    /// A parameter that is the whole query (`in: querystring` of OpenAPI 3.2).
    QueryString,
    /// A part of the document that is not what OpenAPI says it is.
    Malformed,
}

impl SkipCode {
    /// The code as it is shown and stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Style => "style",
            Self::Object => "object",
            Self::List => "list",
            Self::Cookie => "cookie",
            Self::Path => "path",
            Self::Reference => "reference",
            Self::Name => "name",
            Self::Property => "property",
            Self::Method => "method",
            Self::Parameter => "parameter",
            Self::Schema => "schema",
            Self::QueryString => "querystring",
            Self::Malformed => "malformed",
        }
    }
}

/// The reason alone, before it is known which operation it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) code: SkipCode,
    pub(super) text: String,
}

impl Reason {
    pub(super) fn new(code: SkipCode, text: impl Into<String>) -> Self {
        Self { code, text: shortened(text.into()) }
    }

    /// What is no object where one has to be.
    pub(super) fn unless_object(node: Node<'_>) -> Result<(), Self> {
        match node.kind() {
            Kind::Object => Ok(()),
            other => Err(Self::new(SkipCode::Malformed, format!("is {}, not an object", other.name()))),
        }
    }

    /// The same reason, found at a place: `parameter "id": …`.
    pub(super) fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.text = shortened(format!("{place}: {}", self.text));
        self
    }
}

/// The beginning of a name, as far as a reason may have it: what is not told is not written either.
pub(super) fn brief(name: &str) -> &str {
    &name[..name.floor_char_boundary(4 * LONGEST)]
}

/// The longest text of a reason in characters.
const LONGEST: usize = 400;

/// What a document says may be as long as it likes, and is kept for each operation that is left out.
fn shortened(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// An operation that was left out.
#[derive(Debug)]
pub(super) struct Skipped<'i> {
    path: &'i str,
    /// Its key in the path item; none when a whole path item could not be read.
    key: Option<Cow<'static, str>>,
    /// The method in upper case, where the key does not spell it.
    method: Option<String>,
    reason: Reason,
}

impl<'i> Skipped<'i> {
    /// `key` is the operation's key in its path item; none for the whole item.
    pub(super) fn new(path: &'i str, key: Option<&'static str>, reason: Reason) -> Self {
        Self { path, key: key.map(Cow::Borrowed), method: None, reason }
    }

    /// One of a path item's `additionalOperations`.
    pub(super) fn additional(path: &'i str, method: &str, reason: Reason) -> Self {
        let method = shortened(method.to_owned());
        let key = format!("additionalOperations.{method}");
        Self { path, key: Some(key.into()), method: Some(method.to_uppercase()), reason }
    }

    /// The row of the reason, which others may have too.
    pub(super) fn reason(&self) -> String {
        let mut row = String::from("{\"code\":\"");
        row.push_str(self.reason.code.name());
        row.push_str("\",\"text\":");
        json::write_string(&self.reason.text, &mut row);
        row.push('}');
        row
    }

    /// Writes its row, with the number of the reason.
    pub(super) fn write(&self, reason: u32, out: &mut String) {
        out.push('[');
        match &self.method {
            Some(method) => json::write_string(method, out),
            None => {
                let key = self.key.as_deref().unwrap_or("*");
                out.push('"');
                out.extend(key.chars().map(|c| c.to_ascii_uppercase()));
                out.push('"');
            }
        }
        out.push(',');
        json::write_string(self.path, out);
        out.push(',');
        match &self.key {
            Some(key) => json::write_string(key, out),
            None => out.push_str("null"),
        }
        out.push(',');
        push_number(reason, out);
        out.push(']');
    }
}
