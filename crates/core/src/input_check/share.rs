//! Makes one definition of alternatives that a schema lists at many places.
//!
//! Rule: where types refer to one another through lists of all of them, written out at each property, a value is visited
//! by every path through those lists, of which there are exponentially many. Referred to from each place, one list closes
//! every cycle. What a schema accepts stays the same.

use std::collections::HashMap;
use std::fmt::Write;

use super::cost;
use super::graph::{Graph, Id, Place};
use super::keyword::Applies;

/// Whether alternatives are now shared that were not.
pub(super) fn share_alternatives(graph: &mut Graph<'_>) -> bool {
    let forms = forms(graph);
    let mut first: HashMap<usize, Id> = HashMap::new();
    let mut instead: Vec<Id> = (0..graph.nodes.len()).collect();
    let mut shared = Vec::new();
    for id in 1..graph.nodes.len() {
        if graph.nodes[id].defined || !lists_alternatives(graph, id) {
            continue;
        }
        let kept = *first.entry(forms[id]).or_insert(id);
        if kept != id {
            instead[id] = kept;
            shared.push(kept);
        }
    }
    for node in &mut graph.nodes {
        for edge in &mut node.edges {
            edge.to = instead[edge.to];
        }
    }
    for id in &shared {
        graph.nodes[*id].defined = true;
    }
    !shared.is_empty()
}

fn lists_alternatives(graph: &Graph<'_>, id: Id) -> bool {
    let is_one = |applies| matches!(applies, Applies::AnyOf | Applies::OneOf);
    graph.nodes[id].edges.iter().filter(|edge| is_one(edge.applies)).nth(1).is_some()
}

/// A number for each node, the same for nodes that say the same.
fn forms(graph: &Graph<'_>) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut forms = vec![0; graph.nodes.len()];
    // An inline schema comes before its owner.
    for id in cost::order(graph) {
        let node = &graph.nodes[id];
        let mut parts: Vec<String> = node.assertions.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.extend(node.edges.iter().map(|edge| {
            let mut part = edge.applies.name().to_owned();
            if let Place::Named(name) = edge.place {
                let _ = write!(part, "{name:?}");
            }
            match graph.nodes[edge.to].defined || edge.to == 0 {
                true => format!("{part}#{}", edge.to),
                false => format!("{part}:{}", forms[edge.to]),
            }
        }));
        // The order counts where a schema stands for one item of a list, and nowhere else.
        if !node.edges.iter().any(|edge| matches!(edge.applies, Applies::Items | Applies::PrefixItems)) {
            parts.sort_unstable();
        }
        let next = numbers.len();
        forms[id] = *numbers.entry(format!("{:?}{parts:?}", node.verdict)).or_insert(next);
    }
    forms
}
