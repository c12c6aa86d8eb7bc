//! Makes up for what a schema lost, so that no valid input is refused because of it.
//!
//! Rule: a schema that lost something accepts more. That is harmless where accepting more makes its owner accept more,
//! and turned around under `not`, `oneOf`, `if` and `maxContains`; there the owner is widened in turn. "Lost something"
//! follows every edge, references and cycles of them too.

use super::graph::{Edge, Graph, Id, Node, Place};
use super::keyword::Applies;

/// Widens every schema that what was lost would otherwise make narrower.
pub(super) fn widen(graph: &mut Graph<'_>) {
    let lossy = lossy(graph);
    for id in 0..lossy.len() {
        if !lossy[id] {
            continue;
        }
        let reaches_loss = |graph: &Graph<'_>, applies: Applies| {
            graph.nodes[id].edges.iter().any(|edge| edge.applies == applies && lossy[edge.to])
        };
        if reaches_loss(graph, Applies::Not) {
            graph.nodes[id].edges.retain(|edge| edge.applies != Applies::Not);
        }
        if reaches_loss(graph, Applies::Contains) {
            graph.nodes[id].assertions.retain(|(name, _)| *name != "maxContains");
        }
        if reaches_loss(graph, Applies::OneOf) {
            widen_exclusive(graph, id, &lossy);
        }
        if reaches_loss(graph, Applies::If) {
            widen_condition(graph, id);
        }
    }
}

/// Which schemas accept more than as written, themselves or by what they apply.
fn lossy(graph: &Graph<'_>) -> Vec<bool> {
    let mut owners: Vec<Vec<Id>> = vec![Vec::new(); graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        for edge in &node.edges {
            owners[edge.to].push(id);
        }
    }
    let mut lossy: Vec<bool> = graph.nodes.iter().map(|node| node.lost).collect();
    let mut open: Vec<Id> = (0..lossy.len()).filter(|id| lossy[*id]).collect();
    while let Some(id) = open.pop() {
        for &owner in &owners[id] {
            if !lossy[owner] {
                lossy[owner] = true;
                open.push(owner);
            }
        }
    }
    lossy
}

fn take<'a>(node: &mut Node<'a>, applies: Applies) -> Vec<Edge<'a>> {
    let (taken, kept) = std::mem::take(&mut node.edges).into_iter().partition(|edge| edge.applies == applies);
    node.edges = kept;
    taken
}

/// A branch that lost something may fit where it should not, so whatever fits one passes. The others stay exclusive
/// among themselves, where none of the first kind fits.
fn widen_exclusive(graph: &mut Graph<'_>, id: Id, lossy: &[bool]) {
    let branches = take(&mut graph.nodes[id], Applies::OneOf);
    let (mut any, sound): (Vec<Edge<'_>>, Vec<Edge<'_>>) = branches.into_iter().partition(|edge| lossy[edge.to]);
    if sound.len() > 1 {
        let to = add(graph, Node { edges: sound, ..Node::default() });
        any.insert(0, Edge { applies: Applies::OneOf, place: Place::Listed, to });
    } else {
        any.extend(sound);
    }
    add_branches(graph, id, any.into_iter().map(|edge| edge.to).collect());
}

/// Adds "any of these", beside an `anyOf` that may be there.
fn add_branches(graph: &mut Graph<'_>, id: Id, branches: Vec<Id>) {
    let any_of = |to| Edge { applies: Applies::AnyOf, place: Place::Listed, to };
    let edges = branches.into_iter().map(any_of);
    if !graph.nodes[id].edges.iter().any(|edge| edge.applies == Applies::AnyOf) {
        graph.nodes[id].edges.extend(edges);
        return;
    }
    let group = Node { edges: edges.collect(), ..Node::default() };
    let to = add(graph, group);
    graph.nodes[id].edges.push(Edge { applies: Applies::AllOf, place: Place::Listed, to });
}

/// `if` cannot be trusted to fail: whatever passes both `if` and `then`, or passes `else`, passes. Branches rather than
/// nothing, so that what they evaluate still counts for `unevaluatedProperties`.
fn widen_condition(graph: &mut Graph<'_>, id: Id) {
    let decides = |edge: &Edge<'_>| matches!(edge.applies, Applies::Then | Applies::Else);
    if !graph.nodes[id].edges.iter().any(decides) {
        return;
    }
    let [condition, then, otherwise] = [Applies::If, Applies::Then, Applies::Else].map(|applies| {
        let taken = take(&mut graph.nodes[id], applies);
        taken.into_iter().map(|edge| Edge { applies: Applies::AllOf, place: Place::Listed, to: edge.to })
    });
    let met = add(graph, Node { edges: condition.chain(then).collect(), ..Node::default() });
    let otherwise = otherwise.map(|edge| edge.to).next();
    let unmet = otherwise.unwrap_or_else(|| add(graph, Node { verdict: Some(true), ..Node::default() }));
    add_branches(graph, id, vec![met, unmet]);
}

fn add<'a>(graph: &mut Graph<'a>, node: Node<'a>) -> Id {
    graph.nodes.push(node);
    graph.nodes.len() - 1
}
