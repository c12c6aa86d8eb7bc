//! The words that many tools match, a byte per tool.
//!
//! The rule kept here: what a query's word costs is bounded by the number of tools, however common it is. Where the tools'
//! words that it begins stand in more places than an eighth of the tools, their best impacts are put together when the
//! index is built, and a query adds them from end to end.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::postings::Postings;
use super::ranking::Likeness;
use super::vocabulary::Vocabulary;

/// Fewer places are gone through one by one as quickly.
const LEAST: usize = 64;

/// What the words of a range are worth to each tool.
#[derive(Debug)]
pub(super) struct Heavy {
    /// The best whole match.
    whole: Box<[u8]>,
    /// Where the first of the range begins the others: the best match of that word itself, by what it is to each.
    own: Option<Box<[u8]>>,
    /// How many tools match.
    pub(super) matching: usize,
}

impl Heavy {
    /// The impacts for a query's word that is the first of the range, and what is left of them; or that begins all.
    pub(super) fn impacts(&self, word: &str, is_first: bool) -> (&[u8], Likeness) {
        match &self.own {
            Some(own) if is_first => (own, Likeness::Same),
            None if is_first => (&self.whole, Likeness::Same),
            _ => (&self.whole, Likeness::begun(word)),
        }
    }

    fn of(range: &Range<usize>, shared: usize, vocabulary: &Vocabulary, postings: &Postings, tools: usize) -> Self {
        let best_of = |likeness: &dyn Fn(&str) -> Likeness| {
            let mut best = vec![0; tools].into_boxed_slice();
            for at in range.clone() {
                let likeness = likeness(vocabulary.word(at));
                for (tool, impact) in postings.of(at..at + 1) {
                    let best = &mut best[tool as usize];
                    *best = likeness.left_of(impact).max(*best);
                }
            }
            best
        };
        let whole = best_of(&|_| Likeness::Same);
        let first = Some(vocabulary.word(range.start)).filter(|word| word.len() == shared && range.len() > 1);
        let own = first.map(|first| best_of(&|other| Likeness::of(first, other)));
        let matching = whole.iter().filter(|&&impact| impact > 0).count();
        Self { whole, own, matching }
    }

    fn size(&self) -> usize {
        self.whole.len() + self.own.as_ref().map_or(0, |own| own.len())
    }
}

/// The heavy ranges of a vocabulary.
#[derive(Debug)]
pub(super) struct HeavyRanges {
    /// The number of places that makes one.
    least: usize,
    by_range: HashMap<Range<usize>, Heavy, RandomState>,
}

impl HeavyRanges {
    pub(super) fn of(vocabulary: &Vocabulary, postings: &Postings, tools: usize) -> Self {
        let least = LEAST.max(tools / 8);
        let mut by_range = HashMap::default();
        // Ranges of words, and how many bytes all words of it share.
        let mut left = vec![(0..vocabulary.len(), 0)];
        while let Some((range, shared)) = left.pop() {
            let mut start = range.start;
            while start < range.end {
                let Some(next) = vocabulary.word(start)[shared..].chars().next() else {
                    start += 1;
                    continue;
                };
                let end = vocabulary.first_from(start..range.end, |word| !word[shared..].starts_with(next));
                if postings.count(start..end) >= least {
                    let range = start..end;
                    let shared = vocabulary.shared(&range);
                    by_range.insert(range.clone(), Heavy::of(&range, shared, vocabulary, postings, tools));
                    left.push((range, shared));
                }
                start = end;
            }
        }
        Self { least, by_range }
    }

    /// The words of a range, where they stand in many places.
    pub(super) fn get(&self, range: &Range<usize>, places: usize) -> Option<&Heavy> {
        if places < self.least { None } else { self.by_range.get(range) }
    }

    pub(super) fn size(&self) -> usize {
        self.by_range.values().map(Heavy::size).sum()
    }
}
