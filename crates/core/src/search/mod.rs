//! Finds tools by what they do: a match on words, not on meaning.
//!
//! The rule kept here: a word of the query scores for a word of a tool that is the same or that it begins, the name
//! counting most ([`ranking`]). A tool that scores nothing does not match, a query without words lists the tools in their
//! order, a name that is the query comes first, with its source or without, and ties keep the order of the tools. Words like
//! `a` and `the` score only for a tool that another word of the query finds, where there is one.
//!
//! The index is built once and in time linear in the text: [`build`] reads each tool's words ([`words`], [`stem`],
//! [`parameters`]) and puts them in order ([`vocabulary`], [`postings`]); what many tools match is put together before
//! ([`heavy`]). A query looks each of its words up, adds up ([`scores`]), and takes the best.

mod build;
mod heavy;
mod parameters;
mod postings;
mod query;
mod ranking;
mod scores;
mod stem;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

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
    index: Index,
    // What a query works with, kept from one to the next.
    words: words::Words,
    scores: scores::Scores,
    /// What the last query went through: bytes of its text, and places of words.
    #[cfg(test)]
    work: usize,
}

/// What does not change.
#[derive(Debug)]
struct Index {
    ranking: Ranking,
    vocabulary: vocabulary::Vocabulary,
    postings: postings::Postings,
    heavy: heavy::HeavyRanges,
    names: build::Names,
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
        self.len() == 0
    }

    /// How many bytes the index holds, about.
    #[must_use]
    pub fn size(&self) -> usize {
        let Index { vocabulary, postings, heavy, names, .. } = &self.index;
        vocabulary.size() + postings.size() + heavy.size() + names.size() + self.scores.size()
    }
}
