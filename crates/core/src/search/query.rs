//! Asking the index.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::iter;

use super::ranking::{Begun, Ranking, is_function_word, weight};
use super::stem::stem;
use super::{Hits, ToolIndex};

/// What is behind this many bytes of a query is not read, so that none takes long.
const MAX_BYTES: usize = 64 << 10;

/// More different words of a query are not looked up, so that no sum leaves its number.
const MAX_WORDS: usize = 1000;

/// What an exact name is worth: more than all words of a query together.
const EXACT: i32 = 1 << 30;

/// Scores that are looked at together.
const CHUNK: usize = 64;

impl ToolIndex {
    /// The best of the tools that match, as many as asked for. Without a word in the query: the first ones.
    pub fn search(&mut self, query: &str, limit: usize) -> Hits {
        let mut words = std::mem::take(&mut self.words);
        words.read(&query[..query.floor_char_boundary(MAX_BYTES)]);
        let hits = if words.count() == 0 {
            Hits { tools: (0..self.len().min(limit) as u32).collect(), matched: self.len() as u32 }
        } else {
            let mut seen = HashSet::new();
            for word in words.iter().chain(words.glued_pairs()) {
                let form = if self.ranking == Ranking::Bm25 { stem(word) } else { word.into() };
                if seen.len() < MAX_WORDS && !seen.contains(&form) {
                    self.add_word(&form, is_function_word(word));
                    seen.insert(form);
                }
            }
            for tool in self.names.tools(&words) {
                self.scores[tool as usize] += EXACT;
            }
            self.take(limit)
        };
        self.words = words;
        hits
    }

    /// Adds what a word is worth to each tool.
    fn add_word(&mut self, word: &str, is_function_word: bool) {
        let range = self.vocabulary.begun_by(word);
        if range.is_empty() {
            return;
        }
        let tools = self.len();
        let weight_for = |matching| weight(self.ranking, is_function_word, matching, tools);
        let is_first = self.vocabulary.word(range.start).len() == word.len();
        if let Some(heavy) = self.heavy.get(&range) {
            let (impacts, begun) = heavy.impacts(word, is_first);
            let weight = weight_for(heavy.matching);
            match begun {
                None => add_all(&mut self.scores, impacts, weight, |impact| impact),
                Some(Begun::Half) => add_all(&mut self.scores, impacts, weight, |impact| Begun::Half.of(impact)),
                Some(Begun::Faint) => add_all(&mut self.scores, impacts, weight, |impact| Begun::Faint.of(impact)),
            }
            return;
        }
        let begun = Begun::by(word);
        let own = range.start..range.start + usize::from(is_first);
        let places = iter::chain(
            self.postings.of(own.clone()),
            self.postings.of(own.end..range.end).map(|(tool, impact)| (tool, begun.of(impact))),
        );
        let (scores, best) = (self.scores.as_mut_slice(), self.best.as_mut_slice());
        let mut add = |tool: u32, impact: u8, weight: u16| {
            scores[tool as usize] += i32::from(impact) * i32::from(weight);
        };
        if range.len() == 1 {
            let weight = weight_for(self.postings.count(range));
            places.for_each(|(tool, impact)| add(tool, impact, weight));
            return;
        }
        let mut matching = Vec::with_capacity(self.postings.count(range));
        places.for_each(|(tool, impact)| {
            let best = &mut best[tool as usize];
            if *best == 0 {
                matching.push(tool);
            }
            *best = impact.max(*best);
        });
        let weight = weight_for(matching.len());
        for tool in matching {
            add(tool, std::mem::take(&mut best[tool as usize]), weight);
        }
    }

    /// The best of those with a score, and leaves none behind.
    fn take(&mut self, limit: usize) -> Hits {
        let mut matched = 0;
        let mut best = BinaryHeap::new();
        for (chunk, scores) in self.scores.chunks_mut(CHUNK).enumerate() {
            let matching: u32 = scores.iter().map(|&score| u32::from(score > 0)).sum();
            if matching == 0 {
                continue;
            }
            matched += matching;
            let highest = scores.iter().fold(0, |highest, &score| highest.max(score));
            let least = |best: &BinaryHeap<_>| match best.peek() {
                Some(&Reverse((score, _))) if best.len() == limit => score,
                _ => 0,
            };
            if limit > 0 && highest > least(&best) {
                for (at, &score) in scores.iter().enumerate() {
                    // Of equals the first stays.
                    if score > least(&best) {
                        if best.len() == limit {
                            best.pop();
                        }
                        best.push(Reverse((score, Reverse((chunk * CHUNK + at) as u32))));
                    }
                }
            }
            scores.fill(0);
        }
        let tools = best.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(tool)))| tool).collect();
        Hits { tools, matched }
    }
}

/// Adds what impacts are worth, tool by tool: plain enough for the compiler to do many at once.
fn add_all(scores: &mut [i32], impacts: &[u8], weight: u16, left: impl Fn(u8) -> u8) {
    for (score, &impact) in scores.iter_mut().zip(impacts) {
        *score += i32::from(u16::from(left(impact))) * i32::from(weight);
    }
}
