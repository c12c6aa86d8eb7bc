//! What a query adds up, tool by tool.
//!
//! The rule kept here: what few tools match is added place by place, and what many match block by block, without a branch
//! that depends on what is found. What only tells apart the tools that match is added while the best are taken, to the
//! blocks in which it could bring one among them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Hits;
use super::ranking::Likeness;

/// Tools whose scores are looked at together.
const BLOCK: usize = 64;

/// A word of a query that many tools match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// What a whole match is worth to each tool.
    pub(super) impacts: &'a [u8],
    pub(super) likeness: Likeness,
    pub(super) weight: u16,
}

impl Row<'_> {
    /// No tool gets more of it.
    fn most(&self) -> i32 {
        i32::from(self.likeness.left_of(u8::MAX)) * i32::from(self.weight)
    }

    /// Adds it to the scores of a block that begins at a tool.
    fn add(&self, scores: &mut [i32], from: usize) {
        let impacts = &self.impacts[from..from + scores.len()];
        match self.likeness {
            Likeness::Same => add(scores, impacts, self.weight, |impact| impact),
            Likeness::Plural => add(scores, impacts, self.weight, |impact| Likeness::Plural.left_of(impact)),
            Likeness::Half => add(scores, impacts, self.weight, |impact| Likeness::Half.left_of(impact)),
            Likeness::Faint => add(scores, impacts, self.weight, |impact| Likeness::Faint.left_of(impact)),
        }
    }
}

/// Plain enough for the compiler to do many at once.
fn add(scores: &mut [i32], impacts: &[u8], weight: u16, left: impl Fn(u8) -> u8) {
    for (score, &impact) in scores.iter_mut().zip(impacts) {
        *score += i32::from(u16::from(left(impact))) * i32::from(weight);
    }
}

fn highest(scores: &[i32]) -> i32 {
    scores.iter().fold(0, |highest, &score| highest.max(score))
}

/// The scores of the tools. All are nothing between two queries, which share the room.
#[derive(Debug)]
pub(super) struct Scores {
    scores: Vec<i32>,
    /// Of the words that one word of the query begins, the best match of each tool, and the tools that have one.
    best: Vec<u8>,
    matching: Vec<u32>,
}

impl Scores {
    pub(super) fn new(tools: usize) -> Self {
        Self { scores: vec![0; tools], best: vec![0; tools], matching: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    pub(super) fn size(&self) -> usize {
        size_of_val(self.scores.as_slice()) + self.best.len()
    }

    /// Adds to each tool, or to each that has a score.
    pub(super) fn add(&mut self, worth: impl IntoIterator<Item = (u32, i32)>, only_found: bool) {
        for (tool, worth) in worth {
            let score = &mut self.scores[tool as usize];
            *score += if only_found && *score == 0 { 0 } else { worth };
        }
    }

    /// Adds the best of what each tool has, which are in so many places, times what the number of the tools makes it weigh.
    pub(super) fn add_best<P: Iterator<Item = (u32, u8)>>(
        &mut self,
        places: usize,
        parts: impl IntoIterator<Item = (Likeness, P)>,
        weight: impl Fn(usize) -> u16,
        only_found: bool,
    ) {
        if self.matching.len() <= places {
            self.matching.resize(places + 1, 0);
        }
        let (scores, best, matching) = (&mut *self.scores, &mut *self.best, &mut *self.matching);
        let mut count = 0;
        for (likeness, places) in parts {
            let left = likeness.of_each();
            for (tool, impact) in places {
                let best = &mut best[tool as usize];
                matching[count] = tool;
                count += usize::from(*best == 0);
                *best = left[impact as usize].max(*best);
            }
        }
        let weight = i32::from(weight(count));
        for &tool in &matching[..count] {
            let worth = i32::from(std::mem::take(&mut best[tool as usize])) * weight;
            let score = &mut scores[tool as usize];
            *score += if only_found && *score == 0 { 0 } else { worth };
        }
    }

    /// Adds rows to every tool.
    pub(super) fn add_rows(&mut self, rows: &[Row<'_>]) {
        for (block, scores) in self.scores.chunks_mut(BLOCK).enumerate() {
            rows.iter().for_each(|row| row.add(scores, block * BLOCK));
        }
    }

    /// The best of those with a score, and leaves none behind. The rows are worth something to these alone.
    pub(super) fn take(&mut self, limit: usize, rows: &[Row<'_>]) -> Hits {
        let most: i32 = rows.iter().map(Row::most).sum();
        let mut matched = 0;
        let mut best = BinaryHeap::new();
        // What the next has to be better than: of equals the first stays.
        let mut least = 0;
        for (block, scores) in self.scores.chunks_mut(BLOCK).enumerate() {
            let matching: u32 = scores.iter().map(|&score| u32::from(score > 0)).sum();
            if matching == 0 {
                continue;
            }
            matched += matching;
            if limit > 0 && highest(scores) + most > least {
                let mut more = [0; BLOCK];
                rows.iter().for_each(|row| row.add(&mut more[..scores.len()], block * BLOCK));
                for (score, more) in scores.iter_mut().zip(more) {
                    *score += if *score > 0 { more } else { 0 };
                }
                if highest(scores) > least {
                    for (at, &score) in scores.iter().enumerate() {
                        if score > least {
                            if best.len() == limit {
                                best.pop();
                            }
                            best.push(Reverse((score, Reverse((block * BLOCK + at) as u32))));
                            if best.len() == limit {
                                least = best.peek().map_or(0, |&Reverse((score, _))| score);
                            }
                        }
                    }
                }
            }
            scores.fill(0);
        }
        let tools = best.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(tool)))| tool).collect();
        Hits { tools, matched }
    }
}
