//! Asking the index.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::build::Names;
use super::ranking::{Likeness, MAX_WEIGHT, Ranking, is_function_word, plural_ending, weight};
use super::stem::stem;
use super::{Hits, ToolIndex};

/// What is behind this many bytes of a query, from its first letter on, is not read, so that none takes long.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// More different words of a query are not looked up, so that no sum leaves its number.
pub(super) const MAX_WORDS: usize = 1000;

/// What each step of exactness of a name is worth: more than all words of a query together.
const EXACT: i32 = 1 << 28;
const _: () = assert!((MAX_WORDS * MAX_WEIGHT as usize * u8::MAX as usize) < EXACT as usize);
const _: () = assert!(EXACT.checked_mul(Names::MOST + 1).is_some());

/// Scores that are looked at together.
const CHUNK: usize = 64;

impl ToolIndex {
    /// The best of the tools that match, as many as asked for. Without a word in the query: the first ones.
    pub fn search(&mut self, query: &str, limit: usize) -> Hits {
        let mut words = std::mem::take(&mut self.words);
        let text = query.trim();
        let query = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let query = &query[..query.floor_char_boundary(MAX_BYTES)];
        words.read(query);
        #[cfg(test)]
        {
            self.work = query.len();
        }
        let hits = if words.count() == 0 {
            Hits { tools: (0..self.len().min(limit) as u32).collect(), matched: self.len() as u32 }
        } else {
            let mut seen = HashSet::new();
            let mut is_found = false;
            for is_function in [false, true] {
                let only_found = is_function && is_found;
                let asked = words.iter().chain(words.glued_pairs());
                for word in asked.filter(|word| is_function_word(word) == is_function) {
                    let form = if self.ranking == Ranking::Bm25 { stem(word) } else { word.into() };
                    if seen.len() < MAX_WORDS && !seen.contains(&form) {
                        is_found |= self.add_word(&form, is_function, only_found);
                        seen.insert(form);
                    }
                }
            }
            for (tool, steps) in self.names.tools(text, &words) {
                self.scores[tool as usize] += EXACT * steps;
            }
            self.take(limit)
        };
        self.words = words;
        hits
    }

    /// Adds what a word is worth to each tool, or to each that has a score already. Whether there is such a tool.
    fn add_word(&mut self, word: &str, is_function_word: bool, only_found: bool) -> bool {
        let range = self.vocabulary.begun_by(word);
        if range.is_empty() {
            return false;
        }
        let tools = self.len();
        let weight_for = |matching| weight(self.ranking, is_function_word, matching, tools);
        let scores = self.scores.as_mut_slice();
        let add = |score: &mut i32, impact: u8, weight: u16| {
            *score += if only_found && *score == 0 { 0 } else { i32::from(impact) * i32::from(weight) };
        };
        let is_first = self.vocabulary.word(range.start).len() == word.len();
        if let Some(heavy) = self.heavy.get(&range) {
            let (impacts, likeness) = heavy.impacts(word, is_first);
            let weight = weight_for(heavy.matching);
            #[cfg(test)]
            {
                self.work += tools;
            }
            match likeness {
                Likeness::Half => add_all(scores, impacts, weight, only_found, |impact| Likeness::Half.left_of(impact)),
                Likeness::Faint => {
                    add_all(scores, impacts, weight, only_found, |impact| Likeness::Faint.left_of(impact))
                }
                _ => add_all(scores, impacts, weight, only_found, |impact| impact),
            }
            if is_first {
                return true;
            }
            // The plural counts more, which is not in what was put together for every word that begins the range.
            let plural = [word, plural_ending(word)].concat();
            let at = self.vocabulary.first_from(range.clone(), |other| other >= plural.as_str());
            if at < range.end && self.vocabulary.word(at) == plural {
                for (tool, impact) in self.postings.of(at..at + 1) {
                    let more =
                        Likeness::Plural.left_of(impact).saturating_sub(likeness.left_of(impacts[tool as usize]));
                    add(&mut scores[tool as usize], more, weight);
                }
            }
            return true;
        }
        #[cfg(test)]
        {
            self.work += self.postings.count(range.clone());
        }
        if range.len() == 1 {
            let likeness = Likeness::of(word, self.vocabulary.word(range.start));
            let weight = weight_for(self.postings.count(range.clone()));
            for (tool, impact) in self.postings.of(range) {
                add(&mut scores[tool as usize], likeness.left_of(impact), weight);
            }
            return true;
        }
        let mut matching = Vec::with_capacity(self.postings.count(range.clone()));
        for at in range {
            let likeness = Likeness::of(word, self.vocabulary.word(at));
            for (tool, impact) in self.postings.of(at..at + 1) {
                let best = &mut self.best[tool as usize];
                if *best == 0 {
                    matching.push(tool);
                }
                *best = likeness.left_of(impact).max(*best);
            }
        }
        let weight = weight_for(matching.len());
        for tool in matching {
            add(&mut scores[tool as usize], std::mem::take(&mut self.best[tool as usize]), weight);
        }
        true
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
fn add_all(scores: &mut [i32], impacts: &[u8], weight: u16, only_found: bool, left: impl Fn(u8) -> u8) {
    for (score, &impact) in scores.iter_mut().zip(impacts) {
        let counts = i32::from(!only_found) | i32::from(*score > 0);
        *score += i32::from(u16::from(left(impact))) * i32::from(weight) * counts;
    }
}
