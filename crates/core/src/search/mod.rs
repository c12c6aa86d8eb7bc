//! Finds tools by what they do: a match on words, not on meaning.
//!
//! The rule kept here: a word of the query scores for a word of a tool that is the same or that it begins, the name
//! counting most ([`ranking`]). A tool that scores nothing does not match, a query without words lists the tools in their
//! order, a name that is the query comes first, with its source or without, and ties keep the order of the tools. Words like
//! `a` and `the` score only for a tool that another word of the query finds, where there is one.
//!
//! The index is built once and in time linear in the text: [`build`] reads each tool's words ([`words`], [`stem`],
//! [`parameters`]) and puts them in order ([`vocabulary`], [`postings`]); what many tools match is put together before
//! ([`heavy`]). A query looks each of its words up, adds up, and takes the best.

mod build;
mod heavy;
mod parameters;
mod postings;
mod query;
mod ranking;
mod stem;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use std::collections::HashMap;
use std::ops::Range;

pub use ranking::Ranking;

/// How an index is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How tools are ranked.
    pub ranking: Ranking,
    /// Whether the words of a tool's input schema are searched too.
    pub parameters: bool,
}

/// Why tools cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadTools(String);

/// What a query finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    /// The best, by their place among the tools.
    pub tools: Vec<u32>,
    /// How many match, also where there are more than were asked for.
    pub matched: u32,
}

/// The words of a list of tools.
#[derive(Debug)]
pub struct ToolIndex {
    ranking: Ranking,
    vocabulary: vocabulary::Vocabulary,
    postings: postings::Postings,
    heavy: HashMap<Range<usize>, heavy::Heavy>,
    names: build::Names,
    // What a query works with, kept from one to the next: the scores and best impacts are all nothing in between.
    words: words::Words,
    scores: Vec<i32>,
    best: Vec<u8>,
    /// What the last query went through: bytes of its text, and places of words.
    #[cfg(test)]
    work: usize,
}

impl ToolIndex {
    /// Reads tools: JSON text of `[{ name, description, inputSchema? }]`.
    ///
    /// # Errors
    /// When the text is not of that shape.
    pub fn new(tools: &str, options: Options) -> Result<Self, BadTools> {
        build::build(tools, options)
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// How many bytes the index holds, about.
    #[must_use]
    pub fn size(&self) -> usize {
        let heavy: usize = self.heavy.values().map(heavy::Heavy::size).sum();
        let per_tool = size_of::<i32>() + size_of::<u8>();
        self.vocabulary.size() + self.postings.size() + heavy + self.names.size() + self.len() * per_tool
    }
}
