//! How deep judging a value may recurse, known before anything is judged.
//!
//! Rule: a schema that comes back to itself for the same value has no meaning beyond what else it says, so that the last
//! reference of such a cycle is taken away. A cycle that branches, or turns meaning around, is refused a check: what it
//! accepts depends on who reads it. Nothing here recurses.

use super::graph::{Edge, Graph, Id};
use super::keyword::Applies;

/// Most schemas that apply, one within another, to the same value.
const MAX_HEIGHT: usize = 300;

/// Bounds that hold for any input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Levels {
    /// Schemas that apply, one within another, to one value.
    height: usize,
    /// Schemas that apply, one within another, to one value and those within it; None in a cycle.
    depth: Option<usize>,
}

impl Levels {
    /// Levels of recursion that judging an input of this nesting takes.
    pub(super) fn of(self, input_depth: usize) -> usize {
        let by_input = (input_depth + 1).saturating_mul(self.height + 1);
        self.depth.map_or(by_input, |depth| depth.min(by_input))
    }
}

/// The bounds, after what closes a cycle was taken away; None if the schema cannot be judged.
pub(super) fn bound(graph: &mut Graph<'_>) -> Option<Levels> {
    let same = walk(graph, |edge| edge.applies.to_same_value());
    if same.branches_in_cycle {
        return None;
    }
    for (id, node) in graph.nodes.iter_mut().enumerate() {
        let at = same.position[id];
        node.edges.retain(|edge| !edge.applies.to_same_value() || same.position[edge.to] < at);
    }
    let mut heights = vec![1_usize; graph.nodes.len()];
    for &id in &same.order {
        let inner = graph.nodes[id].edges.iter().filter(|edge| edge.applies.to_same_value());
        heights[id] = 1 + inner.map(|edge| heights[edge.to]).max().unwrap_or(0);
    }
    let height = heights.into_iter().max().filter(|height| *height <= MAX_HEIGHT)?;
    let all = walk(graph, |_| true);
    let mut depths = vec![1_usize; graph.nodes.len()];
    for &id in &all.order {
        let inner = graph.nodes[id].edges.iter().filter(|edge| all.position[edge.to] < all.position[id]);
        depths[id] = 1 + inner.map(|edge| depths[edge.to]).max().unwrap_or(0);
    }
    Some(Levels { height, depth: (!all.has_cycle).then_some(depths[0]) })
}

/// What a depth-first walk found.
struct Walk {
    /// Every node, after those that it reaches, but for the edges that close a cycle.
    order: Vec<Id>,
    /// Where in the order each node is.
    position: Vec<usize>,
    has_cycle: bool,
    /// Whether a node of a cycle has more than one of the edges that were followed, or one that turns meaning around.
    branches_in_cycle: bool,
}

fn walk(graph: &Graph<'_>, follows: impl Fn(&Edge<'_>) -> bool) -> Walk {
    const UNSEEN: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    let count = graph.nodes.len();
    let mut found = Walk {
        order: Vec::with_capacity(count),
        position: vec![UNSEEN; count],
        has_cycle: false,
        branches_in_cycle: false,
    };
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
                    found.has_cycle = true;
                    // Once one was found, further ones are not looked for.
                    found.branches_in_cycle |=
                        !found.branches_in_cycle && path[closed..].iter().any(|(id, _)| branches(*id));
                }
            }
        }
    }
    found
}
