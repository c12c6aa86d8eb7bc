//! A schema as a list of checks, made of its graph.
//!
//! Rule: it holds no text twice and nothing of the graph, and takes the bytes that [`Program::bytes`] says, whatever names
//! and nesting the schema has. Nothing here recurses.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use serde_json::Value;

use super::graph::{self, Graph, Place};
use super::keyword::{Applies, Dialect};
use super::levels::Levels;
use super::tree::{Cell, Entry, Span, Text, Tree};

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
    DependentRequired(Box<[(Box<str>, Box<[Box<str>]>)]>),
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

/// The single values of an `enum` or `const`.
#[derive(Debug)]
pub(super) struct Allowed {
    /// In the order of the schema, among the constants.
    pub(super) list: Span,
    null: bool,
    /// False and true.
    booleans: [bool; 2],
    numbers: Box<[f64]>,
    /// By length, then by bytes.
    texts: Box<[Text]>,
    /// Arrays and objects by their hash.
    compound: Box<[(u64, Cell)]>,
}

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

/// Keys made anew in each process, so that nobody can prepare values with the same hash.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let text = RandomState::new();
    let [one, other] = [0_u8, 1].map(|at| text.hash_one(at) | 1);
    Keys { text, one, other }
});

struct Keys {
    text: RandomState,
    one: u64,
    other: u64,
}

impl Keys {
    /// Two hashes as one, in their order.
    fn mix(&self, one: u64, other: u64) -> u64 {
        let product = u128::from(one ^ self.one) * u128::from(other.rotate_left(32) ^ self.other);
        // Both halves count.
        #[allow(clippy::cast_possible_truncation)]
        let halves = (product as u64) ^ ((product >> 64) as u64);
        halves
    }
}

impl Program {
    /// None where the constants of the schema cannot be read again, which are then nested too deep.
    pub(super) fn new(graph: &Graph<'_>, levels: Levels) -> Option<Self> {
        let constants = Constants::gather(graph)?;
        let mut compiler = Compiler {
            graph,
            constants: &constants,
            ids: vec![UNSEEN; graph.nodes.len()],
            from: Vec::new(),
            entered: Vec::new(),
        };
        let mut nodes = Vec::new();
        compiler.id_of(0);
        while let Some(&id) = compiler.from.get(nodes.len()) {
            let checks = compiler.checks(id);
            nodes.push(Node { checks, is_shared: false });
        }
        for (node, entered) in nodes.iter_mut().zip(compiler.entered) {
            node.is_shared = entered > 1;
        }
        share_beneath_unevaluated(&mut nodes);
        nodes.shrink_to_fit();
        Some(Program { nodes, constants: constants.tree, levels })
    }

    /// The bytes that the program takes.
    pub(super) fn bytes(&self) -> usize {
        let of = |node: &Node| size_of::<Node>() + node.checks.iter().map(Check::bytes).sum::<usize>();
        self.constants.bytes() + self.nodes.iter().map(of).sum::<usize>()
    }
}

impl Members {
    pub(super) fn find(&self, name: &str) -> Option<&Named> {
        let by = |named: &Named| (named.name.len(), named.name.as_bytes()).cmp(&(name.len(), name.as_bytes()));
        self.named.binary_search_by(by).ok().and_then(|at| self.named.get(at))
    }
}

impl Allowed {
    /// Whether this value that holds no others is listed.
    pub(super) fn has_scalar(&self, constants: &Tree<'_>, tree: &Tree<'_>, cell: Cell) -> bool {
        match cell {
            Cell::Null => self.null,
            Cell::Bool(value) => self.booleans[usize::from(value)],
            Cell::Number(number) => self.numbers.binary_search_by(|other| other.total_cmp(&(number + 0.0))).is_ok(),
            Cell::Text(text) => {
                let text = tree.text(text);
                let by = |other: &Text| {
                    let other = constants.text(*other);
                    (other.len(), other.as_bytes()).cmp(&(text.len(), text.as_bytes()))
                };
                self.texts.binary_search_by(by).is_ok()
            }
            Cell::List(_) | Cell::Object(_) => false,
        }
    }

    /// The listed arrays and objects that have this hash.
    pub(super) fn compound(&self, hash: u64) -> impl Iterator<Item = Cell> + '_ {
        let start = self.compound.partition_point(|(other, _)| *other < hash);
        self.compound[start..].iter().take_while(move |(other, _)| *other == hash).map(|(_, cell)| *cell)
    }

    pub(super) fn has_compound(&self) -> bool {
        !self.compound.is_empty()
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
            Check::Allowed(allowed) => {
                size_of::<Allowed>()
                    + size_of_val(&*allowed.numbers)
                    + size_of_val(&*allowed.texts)
                    + size_of_val(&*allowed.compound)
            }
            Check::Members(members) => {
                let names = members.named.iter().map(|named| named.name.len()).sum::<usize>();
                size_of::<Members>() + size_of_val(&*members.named) + names
            }
            Check::DependentRequired(names) => {
                let of = |(name, names): &(Box<str>, Box<[Box<str>]>)| {
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

/// What all `enum` and `const` list.
struct Constants {
    tree: Tree<'static>,
    /// By the node of the graph and the keyword's place there.
    lists: Vec<(graph::Id, usize, Span)>,
}

impl Constants {
    fn gather(graph: &Graph<'_>) -> Option<Self> {
        let mut text = String::from("[");
        let mut places = Vec::new();
        for (id, node) in graph.nodes.iter().enumerate() {
            for (at, (name, value)) in node.assertions.iter().enumerate() {
                let list = match *name {
                    "enum" => value.to_string(),
                    "const" => format!("[{value}]"),
                    _ => continue,
                };
                if !places.is_empty() {
                    text.push(',');
                }
                text.push_str(&list);
                places.push((id, at));
            }
        }
        text.push(']');
        let tree = Tree::read(&text).ok()?.into_owned();
        let Cell::List(all) = tree.root else { return None };
        let spans = tree.items(all).iter().filter_map(|list| match list {
            Cell::List(list) => Some(*list),
            _ => None,
        });
        let lists = places.into_iter().zip(spans).map(|((id, at), span)| (id, at, span)).collect();
        Some(Constants { tree, lists })
    }

    fn allowed(&self, id: graph::Id, at: usize) -> Option<Allowed> {
        let known = self.lists.binary_search_by_key(&(id, at), |(id, at, _)| (*id, *at)).ok()?;
        let list = self.lists[known].2;
        let (mut null, mut booleans) = (false, [false; 2]);
        let (mut numbers, mut texts, mut compound) = (Vec::new(), Vec::new(), Vec::new());
        for cell in self.tree.items(list) {
            match cell {
                Cell::Null => null = true,
                Cell::Bool(value) => booleans[usize::from(*value)] = true,
                Cell::Number(number) => numbers.push(number + 0.0),
                Cell::Text(text) => texts.push(*text),
                cell => compound.push((hash_whole(&self.tree, *cell), *cell)),
            }
        }
        numbers.sort_by(f64::total_cmp);
        texts.sort_by_key(|text| {
            let text = self.tree.text(*text);
            (text.len(), text.as_bytes())
        });
        compound.sort_by_key(|(hash, _)| *hash);
        Some(Allowed { list, null, booleans, numbers: numbers.into(), texts: texts.into(), compound: compound.into() })
    }
}

/// The hash of a value that holds no others, and of an array or object without its members.
pub(super) fn hash_scalar(tree: &Tree<'_>, cell: Cell) -> u64 {
    let keys = &*KEYS;
    match cell {
        Cell::Null => keys.mix(0, 0),
        Cell::Bool(value) => keys.mix(1, value.into()),
        // Both zeros are one number.
        Cell::Number(number) => keys.mix(2, (number + 0.0).to_bits()),
        Cell::Text(text) => keys.text.hash_one(tree.text(text)),
        Cell::List(list) => keys.mix(3, list.len.into()),
        Cell::Object(object) => keys.mix(4, object.len.into()),
    }
}

/// The hash of an array with one item more.
pub(super) fn hash_item(before: u64, item: u64) -> u64 {
    KEYS.mix(before, item)
}

/// The hash of an object with one member more, whatever their order.
pub(super) fn hash_member(tree: &Tree<'_>, before: u64, entry: &Entry, value: u64) -> u64 {
    before.wrapping_add(KEYS.mix(hash_scalar(tree, entry.name), value))
}

/// The hash of a value with all that it holds, in a loop.
fn hash_whole(tree: &Tree<'_>, cell: Cell) -> u64 {
    /// A container, how many of its members are hashed, and their hash.
    struct Frame {
        cell: Cell,
        done: usize,
        hash: u64,
    }
    let begin = |cell| Frame { cell, done: 0, hash: hash_scalar(tree, cell) };
    let mut open = vec![begin(cell)];
    let mut last = None;
    while let Some(frame) = open.last_mut() {
        if let Some(value) = last.take() {
            frame.hash = match frame.cell {
                Cell::Object(object) => hash_member(tree, frame.hash, &tree.entries(object)[frame.done], value),
                _ => hash_item(frame.hash, value),
            };
            frame.done += 1;
        }
        let next = match frame.cell {
            Cell::List(list) => tree.items(list).get(frame.done).copied(),
            Cell::Object(object) => tree.entries(object).get(frame.done).map(|entry| entry.value),
            _ => None,
        };
        match next {
            Some(next) => open.push(begin(next)),
            None => last = open.pop().map(|frame| frame.hash),
        }
    }
    last.unwrap_or_default()
}

const UNSEEN: Id = Id::MAX;

struct Compiler<'g, 'a> {
    graph: &'g Graph<'a>,
    constants: &'g Constants,
    /// By node of the graph.
    ids: Vec<Id>,
    /// The node of the graph that each of the program is made of, and how often it is referred to.
    from: Vec<graph::Id>,
    entered: Vec<u32>,
}

impl Compiler<'_, '_> {
    /// The node for a schema; one that is only a reference is what it refers to.
    // A graph has fewer nodes than an id holds.
    #[allow(clippy::cast_possible_truncation)]
    fn id_of(&mut self, mut from: graph::Id) -> Id {
        // What refers to itself had its last reference taken away, so that this ends.
        while let Some(next) = self.only_refers_to(from) {
            from = next;
        }
        if self.ids[from] == UNSEEN {
            self.ids[from] = self.from.len() as Id;
            self.from.push(from);
            self.entered.push(0);
        }
        let id = self.ids[from];
        self.entered[id as usize] += 1;
        id
    }

    fn only_refers_to(&self, id: graph::Id) -> Option<graph::Id> {
        let node = &self.graph.nodes[id];
        match node.edges[..] {
            [edge] if edge.applies == Applies::Ref && node.verdict.is_none() && node.assertions.is_empty() => {
                Some(edge.to)
            }
            _ => None,
        }
    }

    fn checks(&mut self, id: graph::Id) -> Vec<Check> {
        let graph = self.graph;
        let node = &graph.nodes[id];
        match node.verdict {
            Some(true) => return Vec::new(),
            Some(false) => return vec![Check::Never],
            None => {}
        }
        let mut checks = Vec::new();
        for (at, (name, _)) in node.assertions.iter().enumerate() {
            if matches!(*name, "enum" | "const") {
                checks.extend(self.constants.allowed(id, at).map(|allowed| Check::Allowed(Box::new(allowed))));
            }
        }
        // What a value may be at all comes first: the rest is not worth telling where it fails.
        let mut plain: Vec<Check> =
            node.assertions.iter().filter_map(|(name, value)| simple(name, value, node)).collect();
        plain.sort_by_key(|check| !matches!(check, Check::Kinds(_)));
        checks.extend(plain);
        self.structure(node, &mut checks);
        self.applicators(node, &mut checks);
        checks.shrink_to_fit();
        checks
    }

    fn structure(&mut self, node: &graph::Node<'_>, checks: &mut Vec<Check>) {
        let one = |compiler: &mut Self, applies| only(node, applies).map(|edge| compiler.id_of(edge));
        checks.extend(self.members(node).map(|members| Check::Members(Box::new(members))));
        checks.extend(one(self, Applies::PropertyNames).map(Check::Names));
        let mut prefix = Vec::new();
        let mut rest = None;
        let mut additional = None;
        let mut has_list = false;
        for edge in &node.edges {
            match (edge.applies, edge.place) {
                (Applies::PrefixItems, _) | (Applies::Items, Place::Listed) => {
                    has_list |= edge.applies == Applies::Items;
                    prefix.push(self.id_of(edge.to));
                }
                (Applies::Items, _) => rest = Some(edge.to),
                (Applies::AdditionalItems, _) => additional = Some(edge.to),
                _ => {}
            }
        }
        // Behind one schema for all items there are no additional ones.
        if has_list {
            rest = rest.or(additional);
        }
        if !prefix.is_empty() || rest.is_some() {
            let is_closed = rest.is_some_and(|rest| self.graph.nodes[rest].verdict == Some(false));
            let rest = rest.map(|rest| self.id_of(rest));
            checks.push(Check::Items(Box::new(Items { prefix: prefix.into(), rest, is_closed })));
        }
        if let Some(item) = one(self, Applies::Contains) {
            let count = |name| assertion(node, name).and_then(Value::as_u64);
            checks.push(Check::Contains(Box::new(Contains {
                item,
                min: count("minContains").unwrap_or(1),
                max: count("maxContains"),
                evaluates: self.graph.dialect == Dialect::Draft202012,
            })));
        }
    }

    // A schema has fewer names than an offset holds.
    #[allow(clippy::cast_possible_truncation)]
    fn members(&mut self, node: &graph::Node<'_>) -> Option<Members> {
        let mut named: Vec<Named> = Vec::new();
        let sort = |named: &mut Vec<Named>| {
            named.sort_by(|one, other| (one.name.len(), &one.name).cmp(&(other.name.len(), &other.name)));
        };
        for edge in &node.edges {
            if let (Applies::Properties, Place::Named(name)) = (edge.applies, edge.place) {
                let property = Some(self.id_of(edge.to));
                named.push(Named { name: name.into(), property, is_required: false, order: named.len() as u32 });
            }
        }
        sort(&mut named);
        let properties = named.len();
        let required = assertion(node, "required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (at, name) in required.iter().filter_map(Value::as_str).enumerate() {
            let by = |named: &Named| (named.name.len(), named.name.as_bytes()).cmp(&(name.len(), name.as_bytes()));
            match named[..properties].binary_search_by(by) {
                Ok(known) => named[known].is_required = true,
                Err(_) => {
                    let order = (properties + at) as u32;
                    named.push(Named { name: name.into(), property: None, is_required: true, order });
                }
            }
        }
        sort(&mut named);
        let additional = only(node, Applies::AdditionalProperties);
        if named.is_empty() && additional.is_none() {
            return None;
        }
        let is_closed = additional.is_some_and(|additional| self.graph.nodes[additional].verdict == Some(false));
        let additional = additional.map(|additional| self.id_of(additional));
        let required = named.iter().filter(|named| named.is_required).count() as u32;
        Some(Members { named: named.into(), required, additional, is_closed })
    }

    fn applicators(&mut self, node: &graph::Node<'_>, checks: &mut Vec<Check>) {
        let all = |compiler: &mut Self, wanted: &[Applies]| -> Box<[Id]> {
            let edges = node.edges.iter().filter(|edge| wanted.contains(&edge.applies));
            edges.map(|edge| compiler.id_of(edge.to)).collect()
        };
        let every = all(self, &[Applies::Ref, Applies::AllOf]);
        let any = all(self, &[Applies::AnyOf]);
        let exclusive = all(self, &[Applies::OneOf]);
        for (ids, check) in [(every, Check::All as fn(Box<[Id]>) -> Check), (any, Check::Any), (exclusive, Check::One)]
        {
            if !ids.is_empty() {
                checks.push(check(ids));
            }
        }
        let one = |compiler: &mut Self, applies| only(node, applies).map(|edge| compiler.id_of(edge));
        checks.extend(one(self, Applies::Not).map(Check::Not));
        let outcome = [Applies::Then, Applies::Else].map(|applies| only(node, applies));
        // Since 2019-09 a condition without an outcome counts for what it evaluates.
        let counts = outcome != [None, None] || self.graph.dialect > Dialect::Draft7;
        if let Some(condition) = only(node, Applies::If).filter(|_| counts) {
            let condition = self.id_of(condition);
            let [then, otherwise] = outcome.map(|edge| edge.map(|edge| self.id_of(edge)));
            checks.push(Check::If(Box::new(Condition { condition, then, otherwise })));
        }
        let mut dependent: Vec<(Box<str>, Id)> = Vec::new();
        for edge in &node.edges {
            if let (Applies::DependentSchemas | Applies::Dependencies, Place::Named(name)) = (edge.applies, edge.place)
            {
                dependent.push((name.into(), self.id_of(edge.to)));
            }
        }
        if !dependent.is_empty() {
            checks.push(Check::Dependent(dependent.into()));
        }
        checks.extend(one(self, Applies::UnevaluatedProperties).map(Check::UnevaluatedProperties));
        checks.extend(one(self, Applies::UnevaluatedItems).map(Check::UnevaluatedItems));
    }
}

fn only(node: &graph::Node<'_>, applies: Applies) -> Option<graph::Id> {
    node.edges.iter().find(|edge| edge.applies == applies).map(|edge| edge.to)
}

fn assertion<'n>(node: &'n graph::Node<'_>, name: &str) -> Option<&'n Value> {
    node.assertions.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_ref())
}

/// An assertion that needs nothing but its value.
fn simple(name: &str, value: &Value, node: &graph::Node<'_>) -> Option<Check> {
    let number = value.as_f64();
    let count = value.as_u64();
    // In draft 4 a flag beside the bound.
    let is_exclusive = |name| assertion(node, name) == Some(&Value::Bool(true));
    match name {
        "type" => Some(Check::Kinds(kinds_of(value))),
        "maximum" if is_exclusive("exclusiveMaximum") => number.map(Check::ExclusiveMaximum),
        "minimum" if is_exclusive("exclusiveMinimum") => number.map(Check::ExclusiveMinimum),
        "maximum" => number.map(Check::Maximum),
        "minimum" => number.map(Check::Minimum),
        "exclusiveMaximum" => number.map(Check::ExclusiveMaximum),
        "exclusiveMinimum" => number.map(Check::ExclusiveMinimum),
        "multipleOf" => number.map(Check::MultipleOf),
        "maxLength" => count.map(Check::MaxLength),
        "minLength" => count.map(Check::MinLength),
        "maxItems" => count.map(Check::MaxItems),
        "minItems" => count.map(Check::MinItems),
        "maxProperties" => count.map(Check::MaxProperties),
        "minProperties" => count.map(Check::MinProperties),
        "uniqueItems" => (value == &Value::Bool(true)).then_some(Check::Unique),
        "dependentRequired" => {
            let names = |held: &Value| -> Box<[Box<str>]> {
                held.as_array().into_iter().flatten().filter_map(Value::as_str).map(Box::from).collect()
            };
            let all = value.as_object()?.iter().map(|(name, held)| (Box::from(name.as_str()), names(held)));
            Some(Check::DependentRequired(all.collect()))
        }
        _ => None,
    }
}

fn kinds_of(value: &Value) -> u8 {
    let of = |value: &Value| {
        let name = value.as_str().unwrap_or_default();
        kinds::NAMES.iter().find(|(_, known)| *known == name).map_or(0, |(kind, _)| *kind)
    };
    value.as_array().map_or_else(|| of(value), |list| list.iter().map(of).fold(0, |all, kind| all | kind))
}

/// What applies to the same value as an `unevaluated…` is judged once for itself and once to see what it evaluated.
fn share_beneath_unevaluated(nodes: &mut [Node]) {
    let is_marking = |check: &Check| matches!(check, Check::UnevaluatedProperties(_) | Check::UnevaluatedItems(_));
    let mut open: Vec<Id> = Vec::new();
    for node in nodes.iter() {
        if node.checks.iter().any(is_marking) {
            open.extend(node.checks.iter().flat_map(Check::to_same_value));
        }
    }
    let mut seen = vec![false; nodes.len()];
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut seen[id as usize], true) {
            nodes[id as usize].is_shared = true;
            open.extend(nodes[id as usize].checks.iter().flat_map(Check::to_same_value));
        }
    }
}
