//! The words that many tools match, a byte per tool.
//!
//! The rule kept here: what a query's word costs is bounded by the number of tools, however common it is. Where the tools'
//! words that it begins stand in more places than an eighth of the tools, their best impacts are put together when the
//! index is built, and a query adds them from end to end.

use std::collections::HashMap;
use std::ops::Range;

use super::postings::Postings;
use super::ranking::Begun;
use super::vocabulary::Vocabulary;

/// Fewer places are gone through one by one as quickly.
const LEAST: usize = 64;

/// What the words of a range are worth to each tool.
#[derive(Debug)]
pub(super) struct Heavy {
    /// The best whole match.
    whole: Box<[u8]>,
    /// Where the first of the range begins the others: the best match of that word itself.
    own: Option<Box<[u8]>>,
    /// How many tools match.
    pub(super) matching: usize,
}

impl Heavy {
    /// The impacts for a query's word that is the first of the range, and what is left of them; or that begins all.
    pub(super) fn impacts(&self, word: &str, is_first: bool) -> (&[u8], Option<Begun>) {
        match &self.own {
            Some(own) if is_first => (own, None),
            None if is_first => (&self.whole, None),
            _ => (&self.whole, Some(Begun::by(word))),
        }
    }

    fn of(range: &Range<usize>, first: Option<&str>, postings: &Postings, tools: usize) -> Self {
        let mut whole = vec![0; tools].into_boxed_slice();
        let put = |range: Range<usize>, whole: &mut [u8]| {
            for (tool, impact) in postings.of(range) {
                let best = &mut whole[tool as usize];
                *best = impact.max(*best);
            }
        };
        let own = first.filter(|_| range.len() > 1).map(|first| {
            put(range.start + 1..range.end, &mut whole);
            let begun = Begun::by(first);
            let mut own: Box<[u8]> = whole.iter().map(|&impact| begun.of(impact)).collect();
            put(range.start..range.start + 1, &mut own);
            own
        });
        put(range.clone(), &mut whole);
        let matching = whole.iter().filter(|&&impact| impact > 0).count();
        Self { whole, own, matching }
    }

    pub(super) fn size(&self) -> usize {
        self.whole.len() + self.own.as_ref().map_or(0, |own| own.len())
    }
}

/// The heavy ranges of a vocabulary.
pub(super) fn heavy(vocabulary: &Vocabulary, postings: &Postings, tools: usize) -> HashMap<Range<usize>, Heavy> {
    let least = LEAST.max(tools / 8);
    let mut found = HashMap::new();
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
                let first = Some(vocabulary.word(start)).filter(|word| word.len() == shared);
                found.insert(range.clone(), Heavy::of(&range, first, postings, tools));
                left.push((range, shared));
            }
            start = end;
        }
    }
    found
}
