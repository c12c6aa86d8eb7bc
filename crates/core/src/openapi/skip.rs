//! What was left out of a document, and why.

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
    /// A schema that is nested too deep.
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
        // What a document says may be as long as it likes, and a reason is kept for each operation.
        const LONGEST: usize = 400;
        let mut text: String = text.into();
        if let Some((at, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(at);
            text.push('…');
        }
        Self { code, text }
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
        self.text = format!("{place}: {}", self.text);
        self
    }
}

/// An operation that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The method in upper case; `*` when a whole path item could not be read.
    pub method: String,
    /// The path as the document has it.
    pub path: String,
    /// Why, from a closed list.
    pub code: SkipCode,
    /// Why, in words that name the place.
    pub reason: String,
}

impl Skipped {
    /// `key` is the operation's key in its path item; none for the whole item.
    pub(super) fn new(path: &str, key: Option<&str>, reason: Reason) -> Self {
        let place = match key {
            Some(key) => format!("paths.{path}.{key}"),
            None => format!("paths.{path}"),
        };
        Self {
            method: key.map_or_else(|| "*".to_owned(), str::to_uppercase),
            path: path.to_owned(),
            code: reason.code,
            reason: format!("{place}: {}", reason.text),
        }
    }

    /// The same, of a method that the place does not spell.
    pub(super) fn of_method(mut self, method: &str) -> Self {
        self.method = method.to_uppercase();
        self
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push_str("{\"method\":");
        json::write_string(&self.method, out);
        out.push_str(",\"path\":");
        json::write_string(&self.path, out);
        out.push_str(",\"code\":\"");
        out.push_str(self.code.name());
        out.push_str("\",\"reason\":");
        json::write_string(&self.reason, out);
        out.push('}');
    }
}
