//! Parameters: where each goes, and whether its way of being written is the default's.

use std::rc::Rc;

use super::reference::References;
use super::skip::{Reason, SkipCode};
use crate::http::{is_client_header, is_header_name};
use crate::json::{Kind, Node, holds_half};

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
#[derive(Debug, Clone)]
pub(super) struct Parameter<'a> {
    pub(super) name: Rc<str>,
    pub(super) place: Place,
    pub(super) required: bool,
    pub(super) schema: Option<Node<'a>>,
    pub(super) description: Option<Node<'a>>,
    style: Option<Node<'a>>,
    /// `explode: false`.
    is_joined: bool,
    has_content: bool,
    /// `allowReserved: true`.
    is_reserved: bool,
    /// Why no template can hold it, if none can.
    pub(super) refused: Option<Reason>,
}

impl<'a> Parameter<'a> {
    /// Reads a parameter, any reference to it followed.
    pub(super) fn read(node: Node<'a>, references: &References<'a>) -> Result<Self, Reason> {
        Reason::unless_object(node)?;
        let names = ["name", "in", "required", "schema", "description", "style", "explode", "content", "allowReserved"];
        let [name, place, required, schema, description, style, explode, content, allow_reserved] = node.fields(names);
        let name: Rc<str> = match name.and_then(Node::as_str) {
            Some(name) if holds_half(&name) => {
                return Err(Reason::new(SkipCode::Parameter, format!("{name:?} is a name that no request can carry")));
            }
            Some(name) if !name.is_empty() => name.into(),
            _ => return Err(Reason::new(SkipCode::Parameter, "has no name")),
        };
        let place = match place.and_then(Node::as_str).as_deref() {
            Some("path") => Place::Path,
            Some("query") => Place::Query,
            Some("header") => Place::Header,
            Some("cookie") => Place::Cookie,
            Some(other) => {
                return Err(Reason::new(
                    SkipCode::Parameter,
                    format!("{name:?} is in {other:?}, not in the path, query, header or cookie"),
                ));
            }
            None => return Err(Reason::new(SkipCode::Parameter, format!("{name:?} does not say where it goes"))),
        };
        let mut parameter = Self {
            name,
            place,
            required: place == Place::Path || required.is_some_and(Node::is_true),
            schema,
            description,
            style,
            is_joined: explode.is_some_and(|explode| explode.text() == "false"),
            has_content: content.is_some(),
            is_reserved: allow_reserved.is_some_and(Node::is_true),
            refused: None,
        };
        if !parameter.is_ignored() {
            parameter.refused = parameter.check(references).err();
        }
        Ok(parameter)
    }

    /// What makes two parameters the same one: name and place, and a header's name in any case.
    pub(super) fn identity(&self) -> (Place, String) {
        let name = if self.place == Place::Header { self.name.to_lowercase() } else { self.name.to_string() };
        (self.place, name)
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

    /// Whether the value can be written as document 000's templates write it.
    fn check(&self, references: &References<'a>) -> Result<(), Reason> {
        let refuse = |code, text: String| {
            Err(Reason::new(code, format!("{} parameter {:?} {text}", self.place.name(), self.name)))
        };
        if self.place == Place::Cookie {
            return refuse(SkipCode::Cookie, "is a cookie that the operation needs".to_owned());
        }
        if self.place == Place::Header && !is_header_name(&self.name) {
            return refuse(SkipCode::Parameter, "has a name that no header can have".to_owned());
        }
        if self.has_content {
            return refuse(SkipCode::Style, "is written as \"content\"".to_owned());
        }
        let default = if self.place == Place::Query { "form" } else { "simple" };
        if let Some(style) = self.style.filter(|style| style.as_str().as_deref() != Some(default)) {
            return refuse(SkipCode::Style, format!("has the style {}", style.text()));
        }
        if self.place == Place::Query && self.is_reserved {
            return refuse(SkipCode::Style, "has \"allowReserved\"".to_owned());
        }
        let types = self.schema.map_or(Types::ANY, |schema| Types::of(schema, references));
        if types == Types::OBJECT {
            return refuse(SkipCode::Object, "is an object".to_owned());
        }
        if types == Types::LIST && self.place == Place::Path {
            return refuse(SkipCode::List, "is a list".to_owned());
        }
        if self.place == Place::Query && self.is_joined && types.may_be_list() {
            return refuse(SkipCode::Style, "is a list with \"explode\": false".to_owned());
        }
        Ok(())
    }
}

/// What a value may be, as far as its schema says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    const SCALAR: Self = Self(1);
    const LIST: Self = Self(2);
    const OBJECT: Self = Self(4);
    const ANY: Self = Self(7);
    const NONE: Self = Self(0);

    fn may_be_list(self) -> bool {
        self.0 & Self::LIST.0 != 0
    }

    fn and(self, other: Self) -> Self {
        let both = Self(self.0 & other.0);
        // A contradiction allows nothing; what one of the two says is then the better guess.
        if both == Self::NONE { self } else { both }
    }

    fn of<'a>(schema: Node<'a>, references: &References<'a>) -> Self {
        let mut left = 256;
        Self::within(schema, references, 0, &mut left)
    }

    /// References and combinations are followed a few levels and a few hundred schemas; beyond them anything may be.
    fn within<'a>(schema: Node<'a>, references: &References<'a>, depth: usize, left: &mut usize) -> Self {
        const DEEPEST: usize = 16;
        if depth > DEEPEST || *left == 0 || schema.kind() != Kind::Object {
            return Self::ANY;
        }
        *left -= 1;
        let mut of = |schema: Node<'a>| Self::within(schema, references, depth + 1, left);
        let names = ["type", "properties", "items", "enum", "$ref", "allOf", "anyOf", "oneOf"];
        let [named, properties, items, values, reference, all_of, any_of, one_of] = schema.fields(names);
        let mut types = match named {
            Some(name) if name.kind() == Kind::String => Self::named(name),
            Some(names) if names.kind() == Kind::List => {
                // Null is sent by nobody: it does not make a list a scalar.
                let not_null = names.items().filter(|name| name.text() != "\"null\"");
                let of_names = not_null.fold(0, |all, name| all | Self::named(name).0);
                if of_names == 0 { Self::SCALAR } else { Self(of_names) }
            }
            _ if properties.is_some_and(|properties| properties.kind() == Kind::Object) => Self::OBJECT,
            _ if items.is_some() => Self::LIST,
            _ if values.is_some_and(is_scalars) => Self::SCALAR,
            _ => Self::ANY,
        };
        if let Some(reference) = reference.and_then(Node::as_str) {
            types = types.and(references.lookup(&reference).map_or(Self::ANY, |target| {
                let known = references.types.borrow().get(&target.address()).copied();
                known.unwrap_or_else(|| {
                    let found = of(target);
                    references.types.borrow_mut().insert(target.address(), found);
                    found
                })
            }));
        }
        for branch in all_of.into_iter().flat_map(Node::items) {
            types = types.and(of(branch));
        }
        for branches in [any_of, one_of] {
            let branches = branches.into_iter().flat_map(Node::items);
            let not_null = branches.filter(|branch| branch.get("type").map(Node::text) != Some("\"null\""));
            let any = not_null.fold(0, |all, branch| all | of(branch).0);
            if any != 0 {
                types = types.and(Self(any));
            }
        }
        types
    }

    fn named(name: Node<'_>) -> Self {
        match name.as_str().as_deref() {
            Some("object") => Self::OBJECT,
            Some("array") => Self::LIST,
            Some("string" | "number" | "integer" | "boolean" | "null") => Self::SCALAR,
            _ => Self::ANY,
        }
    }
}

fn is_scalars(values: Node<'_>) -> bool {
    values.kind() == Kind::List && values.items().all(|value| !matches!(value.kind(), Kind::Object | Kind::List))
}
