//! A schema as a list of checks.
//!
//! Rule: it holds no text twice and nothing of the graph that it was made of (`compile`), and takes the bytes that [`Program::bytes`] says, whatever names
//! and nesting the schema has. Nothing here recurses.

use super::constants::Allowed;
use super::levels::Levels;
use super::tags::Tag;
use super::tree::Tree;

/// The place of a node in a program.
pub(super) type Id = u32;

/// The kinds of values that a `type` names, as bits.
pub(super) mod kinds {
    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const BOOLEAN: u8 = 2;
    pub(in super::super) const NUMBER: u8 = 4;
    pub(in super::super) const STRING: u8 = 8;
    pub(in super::super) const ARRAY: u8 = 16;
    pub(in super::super) const OBJECT: u8 = 32;
    /// Numbers that are whole.
    pub(in super::super) const INTEGER: u8 = 64;

    /// In the order in which they are told.
    pub(in super::super) const NAMES: [(u8, &str); 7] = [
        (ARRAY, "array"),
        (BOOLEAN, "boolean"),
        (INTEGER, "integer"),
        (NULL, "null"),
        (NUMBER, "number"),
        (OBJECT, "object"),
        (STRING, "string"),
    ];
}

/// The checks of a schema; its root is node 0.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    /// What `enum` and `const` list, for all nodes.
    pub(super) constants: Tree<'static>,
    pub(super) levels: Levels,
}

/// One schema. None of its checks looks at more than it names, and all have to pass.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) checks: Vec<Check>,
    /// Whether a value may come here by several ways.
    pub(super) is_shared: bool,
    /// What tells its forms apart.
    pub(super) tag: Option<Box<Tag>>,
}

#[derive(Debug)]
pub(super) enum Check {
    Never,
    Allowed(Box<Allowed>),
    Kinds(u8),
    Maximum(f64),
    Minimum(f64),
    ExclusiveMaximum(f64),
    ExclusiveMinimum(f64),
    MultipleOf(f64),
    MaxLength(u64),
    MinLength(u64),
    MaxItems(u64),
    MinItems(u64),
    MaxProperties(u64),
    MinProperties(u64),
    Unique,
    Members(Box<Members>),
    Names(Id),
    DependentRequired(Box<[(Box<str>, Names)]>),
    Items(Box<Items>),
    Contains(Box<Contains>),
    All(Box<[Id]>),
    Any(Box<[Id]>),
    One(Box<[Id]>),
    Not(Id),
    If(Box<Condition>),
    Dependent(Box<[(Box<str>, Id)]>),
    UnevaluatedProperties(Id),
    UnevaluatedItems(Id),
}

/// Names of members.
pub(super) type Names = Box<[Box<str>]>;

/// What the members of an object have to be.
#[derive(Debug)]
pub(super) struct Members {
    /// By the length of the name, then by its bytes.
    pub(super) named: Box<[Named]>,
    pub(super) required: u32,
    pub(super) additional: Option<Id>,
    /// Whether no other members may be there.
    pub(super) is_closed: bool,
}

#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: Box<str>,
    /// None where only `required` names it.
    pub(super) property: Option<Id>,
    pub(super) is_required: bool,
    /// Its place in the schema.
    pub(super) order: u32,
}

#[derive(Debug)]
pub(super) struct Items {
    pub(super) prefix: Box<[Id]>,
    pub(super) rest: Option<Id>,
    /// Whether there may be no more than the first ones.
    pub(super) is_closed: bool,
}

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) item: Id,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    /// Whether an item that fits counts as evaluated.
    pub(super) evaluates: bool,
}

#[derive(Debug)]
pub(super) struct Condition {
    pub(super) condition: Id,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
}

impl Program {
    /// The bytes that the program takes.
    pub(super) fn bytes(&self) -> usize {
        let of = |node: &Node| {
            let tag = node.tag.as_ref().map_or(0, |tag| tag.bytes());
            size_of::<Node>() + tag + node.checks.iter().map(Check::bytes).sum::<usize>()
        };
        self.constants.bytes() + self.nodes.iter().map(of).sum::<usize>()
    }
}

impl Members {
    pub(super) fn find(&self, name: &str) -> Option<&Named> {
        let by = |named: &Named| (named.name.len(), named.name.as_bytes()).cmp(&(name.len(), name.as_bytes()));
        self.named.binary_search_by(by).ok().and_then(|at| self.named.get(at))
    }
}

impl Check {
    /// The schemas that a check has the very value judged by.
    pub(super) fn to_same_value(&self) -> Vec<Id> {
        match self {
            Check::All(ids) | Check::Any(ids) | Check::One(ids) => ids.to_vec(),
            Check::Not(id) => vec![*id],
            Check::If(of) => [Some(of.condition), of.then, of.otherwise].into_iter().flatten().collect(),
            Check::Dependent(ids) => ids.iter().map(|(_, id)| *id).collect(),
            _ => Vec::new(),
        }
    }

    fn bytes(&self) -> usize {
        let held = match self {
            Check::Allowed(allowed) => allowed.bytes(),
            Check::Members(members) => {
                let names = members.named.iter().map(|named| named.name.len()).sum::<usize>();
                size_of::<Members>() + size_of_val(&*members.named) + names
            }
            Check::DependentRequired(names) => {
                let of = |(name, names): &(Box<str>, Names)| {
                    name.len() + size_of_val(&**names) + names.iter().map(|name| name.len()).sum::<usize>()
                };
                size_of_val(&**names) + names.iter().map(of).sum::<usize>()
            }
            Check::Items(items) => size_of::<Items>() + size_of_val(&*items.prefix),
            Check::Contains(_) => size_of::<Contains>(),
            Check::All(ids) | Check::Any(ids) | Check::One(ids) => size_of_val(&**ids),
            Check::If(_) => size_of::<Condition>(),
            Check::Dependent(ids) => size_of_val(&**ids) + ids.iter().map(|(name, _)| name.len()).sum::<usize>(),
            _ => 0,
        };
        size_of::<Check>() + held
    }
}
