//! How a value is written where only text stands: the styles of OpenAPI ("Style Values"), in a path, a query, a header or
//! a form.
//!
//! The rule: what a server reads back is what the model gave. A value that holds the very character that separates values
//! in its place is refused rather than sent as two, and nothing but a style's own depth is made of what is nested.

use std::borrow::Cow;

use serde::Deserialize;

use super::encode::{push_path_value, push_query_value, push_reserved_value};
use super::header::check_value;
use super::mistake::{Allowed, InvalidInput, Mistake};
use super::value::scalar;
use crate::json::{Kind, Node, holds_half};

/// A style, as OpenAPI names it.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Style {
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
    Simple,
    Label,
    Matrix,
}

impl Style {
    /// The styles of a parameter in the path, the default first.
    pub(crate) const OF_PATH: &'static [Self] = &[Self::Simple, Self::Label, Self::Matrix];
    /// The styles of a parameter in the query and of a field of a form, the default first.
    pub(crate) const OF_QUERY: &'static [Self] =
        &[Self::Form, Self::SpaceDelimited, Self::PipeDelimited, Self::DeepObject];
    /// The style of a header.
    pub(crate) const OF_HEADER: &'static [Self] = &[Self::Simple];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::SpaceDelimited => "spaceDelimited",
            Self::PipeDelimited => "pipeDelimited",
            Self::DeepObject => "deepObject",
            Self::Simple => "simple",
            Self::Label => "label",
            Self::Matrix => "matrix",
        }
    }

    /// What `explode` is where it is not said.
    pub(crate) fn explodes(self) -> bool {
        self == Self::Form
    }
}

/// A style with what goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Styled {
    pub(super) style: Style,
    pub(super) explode: bool,
    pub(super) allow_reserved: bool,
}

/// How the value of a place is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// One value, or where a list may stand one for each item: document 000's way.
    Plain,
    /// As a style has it.
    Styled(Styled),
    /// As JSON text.
    Json,
}

/// What stands between the values of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    Comma,
    Space,
    Pipe,
}

impl Joint {
    /// As it stands in a query. Where values are encoded a comma is one, so that an unencoded one separates.
    fn encoded(self) -> &'static str {
        match self {
            Self::Comma => ",",
            Self::Space => "%20",
            Self::Pipe => "%7C",
        }
    }

    /// As it stands where nothing is encoded.
    pub(super) fn raw(self) -> &'static str {
        match self {
            Self::Comma => ",",
            Self::Space => " ",
            Self::Pipe => "|",
        }
    }
}

/// A key and what it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    pub(super) key: Cow<'a, str>,
    /// Whether the key is one that the input gave.
    pub(super) is_given: bool,
    pub(super) values: Vec<Cow<'a, str>>,
    pub(super) joint: Joint,
}

/// What the texts of a value may not hold, since nothing encodes it there.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// What separates values; nothing when that can be told apart.
    separator: &'static str,
    /// What separates a key from its value.
    equals: &'static str,
    is_header: bool,
}

impl Limits {
    const NONE: Self = Self { separator: "", equals: "", is_header: false };

    fn check(self, text: &str, is_key: bool) -> Result<(), Mistake> {
        if self.is_header {
            check_value(text)?;
        }
        // Keys are decoded leniently, and half of a surrogate pair cannot be sent.
        if is_key && holds_half(text) {
            return Err(Mistake::HalfSurrogate);
        }
        let equals = if is_key { self.equals } else { "" };
        match [self.separator, equals].into_iter().find(|held| !held.is_empty() && text.contains(held)) {
            Some(held) => Err(Mistake::Separator(held)),
            None => Ok(()),
        }
    }
}

/// A value without further nesting.
enum Shape<'a> {
    One(Cow<'a, str>),
    List(Vec<Cow<'a, str>>),
    Object(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

impl<'a> Shape<'a> {
    fn of(property: &str, node: Node<'a>, limits: Limits) -> Result<Self, InvalidInput> {
        let read = |node: Node<'a>, allowed| {
            let text = scalar(node.text(), allowed)?;
            limits.check(&text, false)?;
            Ok(text)
        };
        Ok(match node.kind() {
            Kind::List => {
                let mut texts = Vec::new();
                for (at, item) in node.items().enumerate() {
                    let text = read(item, Allowed::One);
                    texts.push(text.map_err(|mistake| InvalidInput::at_item(property, at, &mistake))?);
                }
                Self::List(texts)
            }
            Kind::Object => {
                let mut members = Vec::new();
                for (key, value) in node.members() {
                    let text = limits.check(&key, true).and_then(|()| read(value, Allowed::One));
                    let text = text.map_err(|mistake| InvalidInput::at_member(property, &key, &mistake))?;
                    members.push((key, text));
                }
                Self::Object(members)
            }
            _ => Self::One(read(node, Allowed::Any).map_err(|mistake| InvalidInput::at(property, &mistake))?),
        })
    }
}

/// The text of a path place, encoded. It is never empty or dots alone, so that no segment that holds one becomes `.` or
/// `..`, whatever stands beside it.
pub(super) fn path_text(styled: Styled, name: &str, property: &str, node: Node<'_>) -> Result<String, InvalidInput> {
    let Styled { style, explode, .. } = styled;
    // The only separator that is not encoded in a value.
    let separator = if style == Style::Label && explode { "." } else { "" };
    let shape = Shape::of(property, node, Limits { separator, ..Limits::NONE })?;
    let encoded = |text: &str| {
        let mut out = String::new();
        push_path_value(&mut out, text);
        out
    };
    let is_object = matches!(shape, Shape::Object(_));
    let pieces: Vec<String> = match shape {
        Shape::One(text) => vec![encoded(&text)],
        Shape::List(texts) => texts.iter().map(|text| encoded(text)).collect(),
        Shape::Object(members) if explode => members
            .iter()
            .map(|(key, value)| match (style, value.is_empty()) {
                (Style::Matrix, true) => encoded(key),
                _ => format!("{}={}", encoded(key), encoded(value)),
            })
            .collect(),
        Shape::Object(members) => members.iter().flat_map(|(key, value)| [encoded(key), encoded(value)]).collect(),
    };
    let named = |text: &str| if text.is_empty() { encoded(name) } else { format!("{}={text}", encoded(name)) };
    let text = match style {
        _ if pieces.is_empty() => String::new(),
        Style::Label => format!(".{}", pieces.join(if explode { "." } else { "," })),
        Style::Matrix if explode && is_object => pieces.iter().map(|piece| format!(";{piece}")).collect(),
        Style::Matrix if explode => pieces.iter().map(|piece| format!(";{}", named(piece))).collect(),
        Style::Matrix => format!(";{}", named(&pieces.join(","))),
        _ => pieces.join(","),
    };
    match text.as_str() {
        "" => Err(InvalidInput::at(property, &Mistake::Empty)),
        "." | ".." => Err(InvalidInput::at(property, &Mistake::Dots)),
        _ => Ok(text),
    }
}

/// The value of a header, which nothing encodes; none for a list or an object of nothing.
pub(super) fn header_value(styled: Styled, property: &str, node: Node<'_>) -> Result<Option<String>, InvalidInput> {
    let is_one = !matches!(node.kind(), Kind::List | Kind::Object);
    let limits = Limits {
        separator: if is_one { "" } else { "," },
        equals: if styled.explode { "=" } else { "" },
        is_header: true,
    };
    let pieces: Vec<String> = match Shape::of(property, node, limits)? {
        Shape::One(text) => vec![text.into_owned()],
        Shape::List(texts) => texts.into_iter().map(Cow::into_owned).collect(),
        Shape::Object(members) if styled.explode => {
            members.into_iter().map(|(key, value)| format!("{key}={value}")).collect()
        }
        Shape::Object(members) => {
            members.into_iter().flat_map(|(key, value)| [key, value]).map(Cow::into_owned).collect()
        }
    };
    Ok(if pieces.is_empty() { None } else { Some(pieces.join(",")) })
}

/// The pairs of a query place or a field of a form.
pub(super) fn pairs<'a>(
    styled: Styled,
    name: &'a str,
    property: &str,
    node: Node<'a>,
) -> Result<Vec<Pair<'a>>, InvalidInput> {
    let Styled { style, explode, .. } = styled;
    if style == Style::DeepObject {
        let mut deep = Deep { name, property, pairs: Vec::new(), bytes: 0 };
        deep.add(name.to_owned(), node, 0)?;
        return Ok(deep.pairs);
    }
    let (joint, separator) = match style {
        Style::SpaceDelimited => (Joint::Space, " "),
        Style::PipeDelimited => (Joint::Pipe, "|"),
        _ => (Joint::Comma, ""),
    };
    // Exploded, all of them are written as `form` is: what Swagger's `multi` became.
    let separator = if explode { "" } else { separator };
    let pair = |key: Cow<'a, str>, is_given, values| Pair { key, is_given, values, joint };
    Ok(match Shape::of(property, node, Limits { separator, ..Limits::NONE })? {
        Shape::One(text) => vec![pair(Cow::Borrowed(name), false, vec![text])],
        Shape::List(texts) if explode => {
            texts.into_iter().map(|text| pair(Cow::Borrowed(name), false, vec![text])).collect()
        }
        Shape::Object(members) if explode => {
            members.into_iter().map(|(key, value)| pair(key, true, vec![value])).collect()
        }
        Shape::List(texts) if texts.is_empty() => Vec::new(),
        Shape::List(texts) => vec![pair(Cow::Borrowed(name), false, texts)],
        Shape::Object(members) if members.is_empty() => Vec::new(),
        Shape::Object(members) => {
            let flat = members.into_iter().flat_map(|(key, value)| [key, value]).collect();
            vec![pair(Cow::Borrowed(name), false, flat)]
        }
    })
}

/// Appends a pair to a query or to a form that is written as one.
pub(super) fn push_pair(out: &mut String, Pair { key, values, joint, .. }: &Pair<'_>, allow_reserved: bool) {
    if !out.is_empty() {
        out.push('&');
    }
    push_query_value(out, key);
    out.push('=');
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push_str(joint.encoded());
        }
        match allow_reserved {
            true => push_reserved_value(out, value, values.len() > 1),
            false => push_query_value(out, value),
        }
    }
}

/// An object by its keys in brackets. OpenAPI leaves open how what is nested further is written; here it is as most parsers
/// of such keys read it back: `[key]` at each level, `[]` for the items of a list of plain values, and the index of an item
/// where items have keys of their own.
struct Deep<'p, 'a> {
    name: &'p str,
    property: &'p str,
    pairs: Vec<Pair<'a>>,
    bytes: usize,
}

impl<'a> Deep<'_, 'a> {
    /// More levels than any API has.
    const MAX_LEVELS: usize = 32;
    /// Each pair repeats the keys above it, so that little input could be a large request.
    const MAX_BYTES: usize = 8 << 20;

    fn add(&mut self, key: String, node: Node<'a>, level: usize) -> Result<(), InvalidInput> {
        if level > Self::MAX_LEVELS {
            return Err(self.mistake(&key, &Mistake::TooDeep(Self::MAX_LEVELS)));
        }
        match node.kind() {
            Kind::List => {
                let is_plain = node.items().all(|item| !matches!(item.kind(), Kind::List | Kind::Object));
                for (at, item) in node.items().enumerate() {
                    let key = if is_plain { format!("{key}[]") } else { format!("{key}[{at}]") };
                    self.add(key, item, level + 1)?;
                }
                Ok(())
            }
            Kind::Object => {
                for (name, value) in node.members() {
                    let below = format!("{key}[{name}]");
                    Limits::NONE.check(&name, true).map_err(|mistake| self.mistake(&below, &mistake))?;
                    if name.is_empty() || name.contains(['[', ']']) {
                        return Err(self.mistake(&below, &Mistake::Bracket));
                    }
                    self.add(below, value, level + 1)?;
                }
                Ok(())
            }
            _ => {
                let value = scalar(node.text(), Allowed::Any).map_err(|mistake| self.mistake(&key, &mistake))?;
                self.bytes += key.len() + value.len();
                if self.bytes > Self::MAX_BYTES {
                    return Err(InvalidInput::at(self.property, &Mistake::TooLarge));
                }
                self.pairs.push(Pair {
                    key: Cow::Owned(key),
                    is_given: false,
                    values: vec![value],
                    joint: Joint::Comma,
                });
                Ok(())
            }
        }
    }

    fn mistake(&self, key: &str, mistake: &Mistake) -> InvalidInput {
        InvalidInput::at(&format!("{}{}", self.property, &key[self.name.len()..]), mistake)
    }
}

#[cfg(test)]
#[path = "style_tests.rs"]
mod tests;
