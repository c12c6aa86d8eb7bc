//! Makes a program of a graph, in a loop: each schema that the root reaches becomes a node.

use super::constants::Constants;
use super::graph::{self, Graph, Place};
use super::keyword::{Applies, Asserted, Dialect};
use super::levels::Levels;
use super::program::{Check, Condition, Contains, Id, Items, Members, Named, Names, Node, Program};
use super::tags::tag_of;

/// The program of a graph; None where its constants are too many.
pub(super) fn compile(graph: &Graph<'_>, levels: Levels) -> Option<Program> {
    let mut compiler = Compiler {
        graph,
        constants: Constants::new(),
        ids: vec![UNSEEN; graph.nodes.len()],
        from: Vec::with_capacity(graph.nodes.len()),
        entered: Vec::with_capacity(graph.nodes.len()),
    };
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    compiler.id_of(0);
    while let Some(&id) = compiler.from.get(nodes.len()) {
        let checks = compiler.checks(id);
        nodes.push(Node { checks, is_shared: false, tag: None });
        if compiler.constants.are_too_many() {
            return None;
        }
    }
    let mut constants = compiler.constants.tree;
    constants.shrink();
    for (node, entered) in nodes.iter_mut().zip(compiler.entered) {
        node.is_shared = entered > 1;
    }
    share_beneath_unevaluated(&mut nodes);
    let tags: Vec<_> = nodes.iter().map(|node| tag_of(node, &nodes, &constants)).collect();
    for (node, tag) in nodes.iter_mut().zip(tags) {
        node.tag = tag.map(Box::new);
    }
    nodes.shrink_to_fit();
    Some(Program { nodes, constants, levels })
}

const UNSEEN: Id = Id::MAX;

struct Compiler<'g, 'a> {
    graph: &'g Graph<'a>,
    constants: Constants,
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
        // Most schemas have one check or two.
        let mut checks = Vec::with_capacity(2);
        // What a value may be at all comes first: the rest is not worth telling where it fails.
        for (_, asserted) in &node.assertions {
            if let Asserted::Values(values) = asserted {
                checks.push(Check::Allowed(Box::new(self.constants.allow(values))));
            }
        }
        for (_, asserted) in &node.assertions {
            if let Asserted::Kinds(kinds) = asserted {
                checks.push(Check::Kinds(*kinds));
            }
        }
        checks.extend(node.assertions.iter().filter_map(|(name, asserted)| simple(name, asserted, node)));
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
            let count = |name| match assertion(node, name) {
                Some(Asserted::Count(count)) => Some(*count),
                _ => None,
            };
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
        let properties = node.edges.iter().filter(|edge| edge.applies == Applies::Properties).count();
        let mut named: Vec<Named> = Vec::with_capacity(properties);
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
        let required: &[&str] = match assertion(node, "required") {
            Some(Asserted::Names(names)) => names,
            _ => &[],
        };
        for (at, name) in required.iter().copied().enumerate() {
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

fn assertion<'n, 'a>(node: &'n graph::Node<'a>, name: &str) -> Option<&'n Asserted<'a>> {
    node.assertions.iter().find(|(known, _)| *known == name).map(|(_, asserted)| asserted)
}

/// An assertion of one bound, or of names.
fn simple(name: &str, asserted: &Asserted<'_>, node: &graph::Node<'_>) -> Option<Check> {
    // In draft 4 a flag beside the bound.
    let is_exclusive = |name| matches!(assertion(node, name), Some(Asserted::Flag(true)));
    let check = match (name, asserted) {
        ("maximum", Asserted::Number(most)) if is_exclusive("exclusiveMaximum") => Check::ExclusiveMaximum(*most),
        ("minimum", Asserted::Number(least)) if is_exclusive("exclusiveMinimum") => Check::ExclusiveMinimum(*least),
        ("maximum", Asserted::Number(most)) => Check::Maximum(*most),
        ("minimum", Asserted::Number(least)) => Check::Minimum(*least),
        ("exclusiveMaximum", Asserted::Number(most)) => Check::ExclusiveMaximum(*most),
        ("exclusiveMinimum", Asserted::Number(least)) => Check::ExclusiveMinimum(*least),
        ("multipleOf", Asserted::Number(by)) => Check::MultipleOf(*by),
        ("maxLength", Asserted::Count(most)) => Check::MaxLength(*most),
        ("minLength", Asserted::Count(least)) => Check::MinLength(*least),
        ("maxItems", Asserted::Count(most)) => Check::MaxItems(*most),
        ("minItems", Asserted::Count(least)) => Check::MinItems(*least),
        ("maxProperties", Asserted::Count(most)) => Check::MaxProperties(*most),
        ("minProperties", Asserted::Count(least)) => Check::MinProperties(*least),
        ("uniqueItems", Asserted::Flag(true)) => Check::Unique,
        ("dependentRequired", Asserted::NamesByName(all)) => {
            let names = |names: &[&str]| -> Names { names.iter().copied().map(Box::from).collect() };
            Check::DependentRequired(all.iter().map(|(name, held)| (Box::from(*name), names(held))).collect())
        }
        _ => return None,
    };
    Some(check)
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
