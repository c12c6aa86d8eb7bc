//! How much work a schema can ask for, known before anything is built.
//!
//! Rule: a schema whose references fan out is refused a check rather than let loose. The measure is how often one value
//! of the input may be visited: references to the same value add up, while different properties do not, since each is
//! another value. In a cycle the work is bounded by the input: the validator remembers, for arrays and objects, what
//! the schema that closes a cycle said, so that a closing edge counts once. It remembers nothing for scalars, which a
//! cycle through the same value would visit by every path; such a cycle is allowed only if it does not branch
//! (and does not contradict itself).
//! Nothing here recurses.

use std::borrow::Cow;

use serde_json::Value;

use super::graph::{Edge, Graph, Id, Node};
use super::keyword::Applies;

/// Most visits of one value of the input. An input of a thousand values can then be checked against any schema that is
/// checked at all, and a larger one is refused: whether an input is checked must not depend on what a model adds to it.
const MAX_VISITS: u64 = 20_000;

/// Most visits that the validator spends on looking through branches while it is built.
const MAX_BUILD_VISITS: u64 = 10_000_000;

/// Most schemas that apply, one within another, to the same value.
const MAX_HEIGHT: usize = 300;

/// What a division by a fraction takes, in visits.
const FRACTION_VISITS: u64 = 400;

/// The validator follows so many references before it puts one off, when it is built.
const NESTED_REFERENCES: usize = 8;

/// Bounds that hold for any input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Visits of one value of the input; in a cycle, for each schema that closes one.
    pub(super) visits: u64,
    /// Schemas that apply, one within another, to one value.
    pub(super) height: usize,
    /// Schemas that apply, one within another, to one value and those within it; None in a cycle.
    pub(super) depth: Option<usize>,
    /// Schemas nested while the validator is built.
    pub(super) build_depth: usize,
}

impl Cost {
    /// Levels of recursion that checking an input of this nesting takes.
    pub(super) fn levels(&self, input_depth: usize) -> usize {
        let by_input = (input_depth + 1).saturating_mul(self.height + 1);
        self.depth.map_or(by_input, |depth| depth.min(by_input))
    }
}

/// The bounds; None if the schema may ask for too much.
pub(super) fn bound(graph: &Graph<'_>) -> Option<Cost> {
    let height = height(graph)?;
    let walk = walk(graph, |_| true);
    let mut visits = vec![Visits::ONE; graph.nodes.len()];
    let mut depths = vec![1_usize; graph.nodes.len()];
    let mut build_visits = 0_u64;
    for &id in &walk.order {
        let node = &graph.nodes[id];
        let closes = |edge: &Edge<'_>| walk.position[edge.to] >= walk.position[id];
        visits[id] = visits_of(node, |edge| if closes(edge) { Visits::ONE } else { visits[edge.to] });
        let inner = node.edges.iter().filter(|edge| !closes(edge)).map(|edge| depths[edge.to]).max();
        depths[id] = 1 + inner.unwrap_or(0);
        if looks_through_branches(node) {
            build_visits = build_visits.saturating_add(visits[id].judging);
        }
    }
    let visits = visits[0].judging.saturating_mul(walk.closing.max(1));
    if visits > MAX_VISITS || build_visits > MAX_BUILD_VISITS {
        return None;
    }
    let depth = (walk.closing == 0).then_some(depths[0]);
    Some(Cost { visits, height, depth, build_depth: build_depth(graph, &walk) })
}

/// How often a value is visited to judge it, and to mark what of it was evaluated.
#[derive(Clone, Copy)]
struct Visits {
    judging: u64,
    marking: u64,
}

impl Visits {
    const ONE: Self = Visits { judging: 1, marking: 1 };
}

/// Marking judges each branch again before it marks within it, and `unevaluated…` marks on top of judging; so a few
/// levels of `unevaluated…` within one another multiply.
fn visits_of(node: &Node<'_>, of: impl Fn(&Edge<'_>) -> Visits) -> Visits {
    let (mut same, mut marking, mut overlapping, mut within) = (0_u64, 1_u64, 0_u64, 1_u64);
    for edge in &node.edges {
        let visits = of(edge);
        if edge.applies.to_same_value() {
            same = same.saturating_add(visits.judging);
            marking = marking.saturating_add(visits.judging).saturating_add(visits.marking);
        } else if edge.applies.overlaps() {
            overlapping = overlapping.saturating_add(visits.judging);
        } else {
            within = within.max(visits.judging);
        }
    }
    let judging = same.saturating_add(overlapping).saturating_add(within).saturating_add(weight(node));
    if !has_unevaluated(node) {
        return Visits { judging, marking };
    }
    let marking = marking.saturating_mul(2);
    Visits { judging: judging.saturating_add(marking), marking }
}

/// What judging a value takes beyond a visit, in visits.
fn weight(node: &Node<'_>) -> u64 {
    let of = |(name, value): &(&str, Cow<'_, Value>)| match (*name, value.as_ref()) {
        ("enum", Value::Array(members)) if !is_looked_up(members) => members.iter().map(values_in).sum(),
        ("dependentRequired", Value::Object(named)) => named.len() as u64,
        // Exact division of a number with hundreds of digits.
        ("multipleOf", by) if by.as_f64().is_some_and(|by| by.fract() != 0.0) => FRACTION_VISITS,
        _ => 0,
    };
    node.assertions.iter().map(of).fold(0, u64::saturating_add)
}

/// Whether the validator finds a member without going through all of them.
fn is_looked_up(members: &[Value]) -> bool {
    members.iter().all(Value::is_string) || members.iter().all(Value::is_number)
}

fn values_in(value: &Value) -> u64 {
    let mut count = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(named) => open.extend(named.values()),
            _ => {}
        }
    }
    count
}

fn has_unevaluated(node: &Node<'_>) -> bool {
    node.edges.iter().any(|edge| matches!(edge.applies, Applies::UnevaluatedItems | Applies::UnevaluatedProperties))
}

/// From three branches on the validator looks for a property that tells them apart.
fn looks_through_branches(node: &Node<'_>) -> bool {
    let count = |applies| node.edges.iter().filter(|edge| edge.applies == applies).count();
    has_unevaluated(node) || count(Applies::AnyOf) > 2 || count(Applies::OneOf) > 2
}

/// The longest chain of schemas for one value; None if it is too long, or if a cycle of them branches.
fn height(graph: &Graph<'_>) -> Option<usize> {
    let walk = walk(graph, |edge| edge.applies.to_same_value());
    if walk.branches_in_cycle {
        return None;
    }
    let mut heights = vec![1_usize; graph.nodes.len()];
    for &id in &walk.order {
        let same = graph.nodes[id].edges.iter().filter(|edge| edge.applies.to_same_value());
        let inner = same.filter(|edge| walk.position[edge.to] < walk.position[id]).map(|edge| heights[edge.to]).max();
        heights[id] = 1 + inner.unwrap_or(0);
    }
    heights.into_iter().max().filter(|height| *height <= MAX_HEIGHT)
}

/// Schemas nested on the call stack while the validator is built: inline ones, and through a few references.
fn build_depth(graph: &Graph<'_>, walk: &Walk) -> usize {
    let is_hop = |edge: &Edge<'_>| edge.applies == Applies::Ref || edge.to == 0 || graph.nodes[edge.to].defined;
    let mut before = vec![0_usize; graph.nodes.len()];
    for _ in 0..=NESTED_REFERENCES {
        let mut depths = vec![0_usize; graph.nodes.len()];
        for &id in &walk.order {
            let inner = graph.nodes[id].edges.iter();
            // An inline schema comes before its owner in the order.
            let inner = inner.map(|edge| if is_hop(edge) { before[edge.to] } else { depths[edge.to] }).max();
            depths[id] = 1 + inner.unwrap_or(0);
        }
        before = depths;
    }
    before.into_iter().max().unwrap_or(0)
}

/// Every schema, after those that stand in it.
pub(super) fn order(graph: &Graph<'_>) -> Vec<Id> {
    walk(graph, |_| true).order
}

/// What a depth-first walk found.
struct Walk {
    /// Every node, after those that it reaches, but for the edges that close a cycle.
    order: Vec<Id>,
    /// Where in the order each node is.
    position: Vec<usize>,
    /// How many nodes an edge leads back to.
    closing: u64,
    /// Whether a node of a cycle has more than one of the edges that were followed, or one that turns meaning around.
    branches_in_cycle: bool,
}

fn walk(graph: &Graph<'_>, follows: impl Fn(&Edge<'_>) -> bool) -> Walk {
    const UNSEEN: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    let count = graph.nodes.len();
    let mut found =
        Walk { order: Vec::with_capacity(count), position: vec![UNSEEN; count], closing: 0, branches_in_cycle: false };
    let mut is_closing = vec![false; count];
    // Where on the path each node is, while it is there.
    let mut on_path = vec![UNSEEN; count];
    let mut path: Vec<(Id, usize)> = Vec::new();
    let branches = |id: Id| {
        let mut followed = graph.nodes[id].edges.iter().filter(|edge| follows(edge));
        let first = followed.next().map(|edge| edge.applies);
        followed.next().is_some() || matches!(first, Some(Applies::Not | Applies::OneOf | Applies::If))
    };
    for start in 0..count {
        if on_path[start] != UNSEEN {
            continue;
        }
        on_path[start] = 0;
        path.push((start, 0));
        while let Some((id, next)) = path.last_mut() {
            let id = *id;
            let Some(edge) = graph.nodes[id].edges.get(*next) else {
                path.pop();
                on_path[id] = DONE;
                found.position[id] = found.order.len();
                found.order.push(id);
                continue;
            };
            *next += 1;
            if !follows(edge) {
                continue;
            }
            match on_path[edge.to] {
                UNSEEN => {
                    on_path[edge.to] = path.len();
                    path.push((edge.to, 0));
                }
                DONE => {}
                closed => {
                    if !std::mem::replace(&mut is_closing[edge.to], true) {
                        found.closing += 1;
                    }
                    found.branches_in_cycle =
                        found.branches_in_cycle || path[closed..].iter().any(|(id, _)| branches(*id));
                }
            }
        }
    }
    found
}
