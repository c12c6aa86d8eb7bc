//! Where the words of the vocabulary stand, and what a whole match is worth there.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct Postings {
    /// Where the places of each word begin, and the end of the last.
    starts: Vec<usize>,
    tools: Vec<u32>,
    impacts: Vec<u8>,
}

impl Postings {
    /// Of places of words, by word in any order, by tool in the order of the tools.
    pub(super) fn new(words: usize, places: impl ExactSizeIterator<Item = (u32, u32, u8)> + Clone) -> Self {
        let mut starts = vec![0; words + 1];
        for (word, _, _) in places.clone() {
            starts[word as usize + 1] += 1;
        }
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut tools = vec![0; places.len()];
        let mut impacts = vec![0; places.len()];
        for (word, tool, impact) in places {
            let at = &mut next[word as usize];
            tools[*at] = tool;
            impacts[*at] = impact;
            *at += 1;
        }
        Self { starts, tools, impacts }
    }

    /// How many places words of a range have.
    pub(super) fn count(&self, words: Range<usize>) -> usize {
        self.starts[words.end] - self.starts[words.start]
    }

    /// The places of the words of a range.
    pub(super) fn of(&self, words: Range<usize>) -> impl Iterator<Item = (u32, u8)> {
        let places = self.starts[words.start]..self.starts[words.end];
        self.tools[places.clone()].iter().copied().zip(self.impacts[places].iter().copied())
    }

    pub(super) fn size(&self) -> usize {
        size_of_val(self.starts.as_slice()) + size_of_val(self.tools.as_slice()) + self.impacts.len()
    }
}
