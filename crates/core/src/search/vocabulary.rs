//! The words of all tools, in order, so that those which a word begins stand together.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct Vocabulary {
    letters: String,
    /// Where each word begins, and the end of the last.
    starts: Vec<usize>,
}

impl Vocabulary {
    /// Of words that are in order, each once.
    pub(super) fn new<'a>(words: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut letters = String::new();
        let mut starts = Vec::with_capacity(words.len() + 1);
        for word in words {
            starts.push(letters.len());
            letters.push_str(word);
        }
        starts.push(letters.len());
        letters.shrink_to_fit();
        Self { letters, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn size(&self) -> usize {
        self.letters.len() + size_of_val(self.starts.as_slice())
    }

    pub(super) fn word(&self, at: usize) -> &str {
        &self.letters[self.starts[at]..self.starts[at + 1]]
    }

    /// The words that a word is or begins.
    pub(super) fn begun_by(&self, word: &str) -> Range<usize> {
        let first = self.first_from(0..self.len(), |other| other >= word);
        // Few words begin alike, so the end is looked for from the start, in steps that double.
        let mut known = first;
        let mut step = 1;
        while known + step <= self.len() && self.word(known + step - 1).starts_with(word) {
            known += step;
            step *= 2;
        }
        let beyond = (known + step - 1).min(self.len());
        first..self.first_from(known..beyond, |other| !other.starts_with(word))
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
        fn finds_all_words_that_a_word_begins(words in btree_set("[ab\u{e9}\u{e8}]{1,5}", 0..60), word in "[ab\u{e9}]{0,3}") {
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
