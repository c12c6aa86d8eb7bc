//! What the importer makes of a schema, as far as that decides whether it can go on.
//!
//! Rule: shapes live in one list and hold one another by number, so that nothing is copied deeply and dropping them
//! recurses nowhere.

use std::rc::Rc;

use super::Gate;
use super::literal::{Bounds, Literal};

/// The kinds of JSON values, as bits.
pub(super) mod kinds {
    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const TEXT: u8 = 2;
    pub(in super::super) const NUMBER: u8 = 4;
    pub(in super::super) const BOOLEAN: u8 = 8;
    pub(in super::super) const OBJECT: u8 = 16;
    pub(in super::super) const LIST: u8 = 32;
    pub(in super::super) const ALL: u8 = 63;
}

/// A shape by number, the kinds of values it may be, and whether it has annotations, which decides how far a reference
/// is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    id: u32,
    kinds: u8,
    noted: bool,
}

impl Held {
    pub(super) const NEVER: Self = Held { id: 0, kinds: 0, noted: false };
    pub(super) const UNKNOWN: Self = Held { id: 1, kinds: kinds::ALL, noted: false };
    pub(super) const NULL: Self = Held { id: 2, kinds: kinds::NULL, noted: false };
    pub(super) const BOOLEAN: Self = Held { id: 3, kinds: kinds::BOOLEAN, noted: false };
    pub(super) const TEXT: Self = Held { id: 4, kinds: kinds::TEXT, noted: false };
    pub(super) const NUMBER: Self = Held { id: 5, kinds: kinds::NUMBER, noted: false };
    pub(super) const LIST: Self = Held { id: 6, kinds: kinds::LIST, noted: false };

    pub(super) fn id(self) -> usize {
        self.id as usize
    }

    pub(super) fn kinds(self) -> u8 {
        self.kinds
    }

    pub(super) fn noted(self) -> bool {
        self.noted
    }

    pub(super) fn is_never(self) -> bool {
        self.id == Self::NEVER.id
    }

    pub(super) fn is_unknown(self) -> bool {
        self.id == Self::UNKNOWN.id
    }

    /// With the annotations of another one too.
    pub(super) fn note(self, noted: bool) -> Self {
        Held { noted: self.noted || noted, ..self }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Shape<'a> {
    Never,
    Unknown,
    Null,
    Boolean,
    Text(Vec<Bounds<'a>>),
    Number(Vec<Bounds<'a>>),
    Literal(Literal<'a>),
    List(Rc<List>),
    Object(Rc<Object<'a>>),
    Union(Union),
    /// The place of a definition.
    Reference(usize),
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) elements: Vec<Element>,
    /// What further items are; None where there may be none.
    pub(super) rest: Option<Held>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) held: Held,
    pub(super) optional: bool,
}

#[derive(Debug)]
pub(super) struct Object<'a> {
    /// What each named property is.
    pub(super) properties: Vec<Held>,
    /// What the others are; None where there may be none.
    pub(super) index: Option<Held>,
    /// What the names have to be.
    pub(super) names: Vec<Held>,
    /// The schemas that it was made of.
    pub(super) scopes: Vec<Rc<Scope<'a>>>,
}

/// The properties that one schema names.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) properties: Vec<Property<'a>>,
    /// Whether `properties` has any; others come of `required`.
    pub(super) has_properties: bool,
    pub(super) additional: Held,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Property<'a> {
    pub(super) name: &'a str,
    /// None where only `required` names it.
    pub(super) held: Option<Held>,
    pub(super) required: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Union {
    pub(super) members: Rc<[Held]>,
    /// Exactly one has to fit.
    pub(super) exclusive: bool,
}

impl<'a> Shape<'a> {
    /// Those that `Held` has names for.
    pub(super) fn common() -> Vec<Self> {
        let any_list = Rc::new(List { elements: Vec::new(), rest: Some(Held::UNKNOWN) });
        vec![
            Self::Never,
            Self::Unknown,
            Self::Null,
            Self::Boolean,
            Self::Text(Vec::new()),
            Self::Number(Vec::new()),
            Self::List(any_list),
        ]
    }
}

impl<'a> Gate<'a> {
    pub(super) fn add(&mut self, shape: Shape<'a>) -> Held {
        let kinds = match &shape {
            Shape::Never => 0,
            Shape::Unknown | Shape::Reference(_) => kinds::ALL,
            Shape::Null => kinds::NULL,
            Shape::Boolean => kinds::BOOLEAN,
            Shape::Text(_) => kinds::TEXT,
            Shape::Number(_) => kinds::NUMBER,
            Shape::Literal(literal) => literal.kind(),
            Shape::List(_) => kinds::LIST,
            Shape::Object(_) => kinds::OBJECT,
            Shape::Union(union) => union.members.iter().fold(0, |kinds, member| kinds | member.kinds),
        };
        // The number of steps, each of which adds one shape at most, is far below.
        let id = u32::try_from(self.shapes.len()).unwrap_or(u32::MAX);
        self.shapes.push(shape);
        Held { id, kinds, noted: false }
    }

    pub(super) fn union(&mut self, members: Vec<Held>, exclusive: bool) -> Held {
        self.add(Shape::Union(Union { members: members.into(), exclusive }))
    }
}
