//! Asking the index.

use std::collections::HashSet;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::build::Names;
use super::ranking::{Likeness, MAX_WEIGHT, Ranking, is_function_word, plural_ending, weight};
use super::scores::{Row, Scores};
use super::stem::stem;
use super::{Hits, Index, ToolIndex};

/// What is behind this many bytes of a query, from its first letter on, is not read, so that none takes long.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// More different words of a query are not looked up, so that no sum leaves its number.
pub(super) const MAX_WORDS: usize = 1000;

/// What each step of exactness of a name is worth: more than all words of a query together.
const EXACT: i32 = 1 << 28;
const _: () = assert!((MAX_WORDS * MAX_WEIGHT as usize * u8::MAX as usize) < EXACT as usize);
const _: () = assert!(EXACT.checked_mul(Names::MOST + 1).is_some());

impl ToolIndex {
    /// The best of the tools that match, as many as asked for. Without a word in the query: the first ones.
    pub fn search(&mut self, query: &str, limit: usize) -> Hits {
        let text = query.trim();
        let query = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let query = &query[..query.floor_char_boundary(MAX_BYTES)];
        let Self { index, words, scores, .. } = self;
        words.read(query);
        if words.count() == 0 {
            let tools = scores.len();
            return Hits { tools: (0..tools.min(limit) as u32).collect(), matched: tools as u32 };
        }
        let asked = words.iter().chain(words.glued_pairs());
        let (functions, others): (Vec<_>, Vec<_>) = asked.partition(|word| is_function_word(word));
        let mut seen = HashSet::with_capacity_and_hasher(words.count().min(MAX_WORDS), RandomState::default());
        let mut asking = Asking { index, scores, rows: Vec::new(), work: query.len() };
        let mut is_found = false;
        let mut only_found = false;
        for (words, is_function) in [(others, false), (functions, true)] {
            if is_function && is_found {
                only_found = true;
                asking.add_rows();
            }
            for word in words {
                let form = if index.ranking == Ranking::Bm25 { stem(word) } else { word.into() };
                if seen.len() < MAX_WORDS && !seen.contains(&form) {
                    is_found |= asking.add_word(&form, is_function, only_found);
                    seen.insert(form);
                }
            }
        }
        if !only_found {
            asking.add_rows();
        }
        #[cfg(test)]
        {
            self.work = asking.work;
        }
        let Asking { rows, .. } = asking;
        for (tool, steps) in index.names.tools(text, words) {
            scores.add([(tool, EXACT * steps)], false);
        }
        scores.take(limit, &rows)
    }
}

/// A query under way.
struct Asking<'a, 's> {
    index: &'a Index,
    scores: &'s mut Scores,
    /// What is not in the scores yet.
    rows: Vec<Row<'a>>,
    /// What was gone through: bytes of the query, and places of words.
    work: usize,
}

impl Asking<'_, '_> {
    fn add_rows(&mut self) {
        self.scores.add_rows(&self.rows);
        self.rows.clear();
    }

    /// Adds what a word is worth to each tool, or to each that has a score already. Whether there is such a tool.
    fn add_word(&mut self, word: &str, is_function_word: bool, only_found: bool) -> bool {
        let Index { ranking, vocabulary, postings, heavy, .. } = self.index;
        let range = vocabulary.begun_by(word);
        if range.is_empty() {
            return false;
        }
        let tools = self.scores.len();
        let weight = |matching| weight(*ranking, is_function_word, matching, tools);
        let places = postings.count(range.clone());
        let is_first = vocabulary.word(range.start).len() == word.len();
        if let Some(heavy) = heavy.get(&range, places) {
            self.work += tools;
            let (impacts, likeness) = heavy.impacts(word, is_first);
            let weight = weight(heavy.matching);
            if !is_first {
                // The plural counts more, which is not in what was put together for every word that begins the range.
                let more = postings.of(self.plural(word, &range)).map(|(tool, impact)| {
                    let more =
                        Likeness::Plural.left_of(impact).saturating_sub(likeness.left_of(impacts[tool as usize]));
                    (tool, i32::from(more) * i32::from(weight))
                });
                self.scores.add(more, only_found);
            }
            self.rows.push(Row { impacts, likeness, weight });
            return true;
        }
        self.work += places;
        if range.len() == 1 {
            let left = Likeness::of(word, vocabulary.word(range.start)).of_each();
            let weight = i32::from(weight(places));
            let worth = postings.of(range).map(|(tool, impact)| (tool, i32::from(left[impact as usize]) * weight));
            self.scores.add(worth, only_found);
            return true;
        }
        let others = range.start + usize::from(is_first)..range.end;
        let plural = self.plural(word, &range);
        let parts = [
            (Likeness::Same, range.start..others.start),
            (Likeness::begun(word), others),
            // Once more, since the better counts.
            (Likeness::Plural, plural),
        ];
        let parts = parts.map(|(likeness, words)| (likeness, postings.of(words)));
        self.scores.add_best(places, parts, weight, only_found);
        true
    }

    /// The plural of a word among those that it begins.
    fn plural(&self, word: &str, begun: &Range<usize>) -> Range<usize> {
        let ending = plural_ending(word);
        let vocabulary = &self.index.vocabulary;
        let at = vocabulary.first_from(begun.clone(), |other| &other[word.len()..] >= ending);
        let is_there = at < begun.end && &vocabulary.word(at)[word.len()..] == ending;
        at..at + usize::from(is_there)
    }
}
