//! What the value of a schema may be, as far as text is concerned: a plain value, a list, an object.

use super::reference::References;
use crate::json::{Kind, Node};

/// What a value may be, as far as its schema says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const SCALAR: Self = Self(1);
    pub(super) const LIST: Self = Self(2);
    pub(super) const OBJECT: Self = Self(4);
    pub(super) const ANY: Self = Self(7);
    const NONE: Self = Self(0);

    pub(super) fn may_be_scalar(self) -> bool {
        self.0 & Self::SCALAR.0 != 0
    }

    pub(super) fn may_be_list(self) -> bool {
        self.0 & Self::LIST.0 != 0
    }

    pub(super) fn may_be_object(self) -> bool {
        self.0 & Self::OBJECT.0 != 0
    }

    fn and(self, other: Self) -> Self {
        let both = Self(self.0 & other.0);
        // A contradiction allows nothing; what one of the two says is then the better guess.
        if both == Self::NONE { self } else { both }
    }

    pub(super) fn of<'a>(schema: Node<'a>, references: &References<'a>) -> Self {
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
