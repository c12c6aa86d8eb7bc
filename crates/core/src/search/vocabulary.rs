//! The words of all tools, in order, so that those which a word begins stand together.
//!
//! The rule kept here: a word is looked for among numbers, its first eight bytes, which are in the order of the words since
//! no word holds a zero. Few words are longer, and of those few begin with the same eight.

use std::ops::Range;

/// The first bytes of a word as a number.
pub(super) const fn head(word: &str) -> u64 {
    let word = word.as_bytes();
    let mut head = [0; size_of::<u64>()];
    let mut at = 0;
    while at < word.len() && at < head.len() {
        head[at] = word[at];
        at += 1;
    }
    u64::from_be_bytes(head)
}

#[derive(Debug)]
pub(super) struct Vocabulary {
    heads: Vec<u64>,
    letters: String,
    /// Where each word begins, and the end of the last.
    starts: Vec<usize>,
}

impl Vocabulary {
    /// Of words that are in order, each once.
    pub(super) fn new<'a>(words: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut letters = String::new();
        let mut heads = Vec::with_capacity(words.len());
        let mut starts = Vec::with_capacity(words.len() + 1);
        for word in words {
            heads.push(head(word));
            starts.push(letters.len());
            letters.push_str(word);
        }
        starts.push(letters.len());
        letters.shrink_to_fit();
        Self { heads, letters, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(super) fn size(&self) -> usize {
        size_of_val(self.heads.as_slice()) + self.letters.len() + size_of_val(self.starts.as_slice())
    }

    pub(super) fn word(&self, at: usize) -> &str {
        &self.letters[self.starts[at]..self.starts[at + 1]]
    }

    /// The words that a word is or begins.
    pub(super) fn begun_by(&self, word: &str) -> Range<usize> {
        let least = head(word);
        let most = least | u64::MAX.checked_shr(8 * word.len() as u32).unwrap_or(0);
        let first = self.heads.partition_point(|&head| head < least);
        // Few words begin alike, so the end is looked for from the start, in steps that double.
        let mut known = first;
        let mut step = 1;
        while self.heads.get(known + step - 1).is_some_and(|&head| head <= most) {
            known += step;
            step *= 2;
        }
        let beyond = (known + step - 1).min(self.len());
        let end = known + self.heads[known..beyond].partition_point(|&head| head <= most);
        if word.len() <= size_of::<u64>() {
            return first..end;
        }
        let first = self.first_from(first..end, |other| other >= word);
        first..self.first_from(first..end, |other| !other.starts_with(word))
    }

    /// The first of a range that passes a test which all behind it pass too, or its end.
    pub(super) fn first_from(&self, range: Range<usize>, passes: impl Fn(&str) -> bool) -> usize {
        let Range { mut start, mut end } = range;
        while start < end {
            let middle = start + (end - start) / 2;
            if passes(self.word(middle)) { end = middle } else { start = middle + 1 }
        }
        start
    }

    /// How many bytes of their beginning all words of a range share.
    pub(super) fn shared(&self, range: &Range<usize>) -> usize {
        let (first, last) = (self.word(range.start), self.word(range.end - 1));
        let bytes = first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count();
        first.floor_char_boundary(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_all_words_that_a_word_begins(words in btree_set("[ab\u{e9}\u{e8}]{1,5}|a{4,7}[ab\u{e9}]{1,5}", 0..60), word in "[ab\u{e9}]{0,3}|a{4,7}[ab\u{e9}]{0,4}") {
            let vocabulary = Vocabulary::new(words.iter().map(String::as_str));
            let found: Vec<&str> = vocabulary.begun_by(&word).map(|at| vocabulary.word(at)).collect();
            let expected: Vec<&str> = words.iter().map(String::as_str).filter(|other| other.starts_with(&word)).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn says_what_all_words_of_a_range_share(words in btree_set("[ab\u{e9}\u{e8}]{1,5}", 1..9)) {
            let vocabulary = Vocabulary::new(words.iter().map(String::as_str));
            let shared = vocabulary.shared(&(0..vocabulary.len()));
            let first = words.first().unwrap();
            let expected = first.char_indices().map(|(at, c)| at + c.len_utf8()).filter(|&end| words.iter().all(|word| word.starts_with(&first[..end]))).max();
            prop_assert_eq!(shared, expected.unwrap_or(0));
        }
    }
}
