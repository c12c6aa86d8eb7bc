//! From the tools' texts to the index.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::RandomState;
use indexmap::IndexSet;

use super::heavy::HeavyRanges;
use super::parameters::each_text;
use super::postings::Postings;
use super::ranking::{ByField, FIELDS, Field, Ranking, best_field, bm25};
use super::scores::Scores;
use super::stem::stem;
use super::vocabulary::Vocabulary;
use super::words::Words;
use super::{BadTools, Index, Options, ToolIndex};
use crate::declarations::source_of;
use crate::json::{self, Node};

/// A word in a tool, and how often it stands in each field.
#[derive(Debug, Clone, Copy)]
struct Place {
    word: u32,
    tool: u32,
    counts: ByField<u8>,
}

#[derive(Debug)]
struct Builder {
    options: Options,
    words: Words,
    vocabulary: IndexSet<String>,
    /// For each word: its last place.
    latest: Vec<u32>,
    places: Vec<Place>,
    /// For each tool: how many words its fields have.
    lengths: Vec<ByField<u32>>,
    names: Names,
}

/// Which tools have a name of these words, in this order, or have it behind their source.
#[derive(Debug, Default)]
pub(super) struct Names {
    by_words: Vec<Name>,
    hasher: RandomState,
}

/// A name by the hashes of its words and of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    words: u64,
    text: u64,
    tool: u32,
    is_behind_source: bool,
}

impl Names {
    fn words_of<'a>(&self, words: impl Iterator<Item = &'a str>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        words.for_each(|word| word.hash(&mut hasher));
        hasher.finish()
    }

    fn add(&mut self, text: &str, words: &Words, from: usize, tool: u32) {
        let name = Name {
            words: self.words_of(words.iter().skip(from)),
            text: self.hasher.hash_one(text),
            tool,
            is_behind_source: from > 0,
        };
        self.by_words.push(name);
    }

    /// The tools whose name is a text of these words, and from 1 to [`Self::MOST`] how exactly: the whole name before one
    /// behind a source, and then a name that is spelled the same.
    pub(super) fn tools(&self, text: &str, words: &Words) -> impl Iterator<Item = (u32, i32)> {
        let words = self.words_of(words.iter());
        let text = self.hasher.hash_one(text);
        let first = self.by_words.partition_point(|name| name.words < words);
        let named = self.by_words[first..].iter().take_while(move |name| name.words == words);
        named.map(move |name| (name.tool, 1 + i32::from(name.text == text) + if name.is_behind_source { 0 } else { 2 }))
    }

    pub(super) const MOST: i32 = 4;

    pub(super) fn size(&self) -> usize {
        size_of_val(self.by_words.as_slice())
    }
}

pub(super) fn build(tools: &str, options: Options) -> Result<ToolIndex, BadTools> {
    let list = json::check(tools).map_err(|error| BadTools(error.to_string()))?;
    if list.kind() != json::Kind::List {
        return Err(BadTools(format!("expected a list of tools, got {}", list.kind().name())));
    }
    let mut builder = Builder {
        options,
        words: Words::default(),
        vocabulary: IndexSet::new(),
        latest: Vec::new(),
        places: Vec::new(),
        lengths: Vec::new(),
        names: Names::default(),
    };
    for tool in list.items() {
        builder.add_tool(tool)?;
    }
    Ok(builder.finish())
}

impl Builder {
    fn add_tool(&mut self, tool: Node<'_>) -> Result<(), BadTools> {
        let [name, description, schema] = tool.fields(["name", "description", "inputSchema"]);
        let Some(name) = name.and_then(Node::as_str) else {
            return Err(BadTools(format!("tool {} has no name", self.lengths.len())));
        };
        let mut words = std::mem::take(&mut self.words);
        self.lengths.push(ByField::default());
        let tool = (self.lengths.len() - 1) as u32;

        let source = source_of(&name);
        words.read(source);
        let of_source = words.count();
        words.read(&name);
        self.names.add(&name, &words, 0, tool);
        if of_source > 0 {
            self.names.add(&name[source.len()..], &words, of_source, tool);
        }
        let field = |at: usize| if at < of_source { Field::Source } else { Field::Name };
        for (at, word) in words.iter().enumerate() {
            self.lengths[tool as usize][field(at) as usize] += 1;
            self.add(word, field(at));
        }
        // All neighbours, so that a name is found by the same words in every way of writing it.
        words.pairs().enumerate().for_each(|(at, pair)| self.add(pair, field(at)));

        if let Some(description) = description.and_then(Node::as_str) {
            words.read(&description);
            self.add_words(&words, Field::Description);
            words.glued_pairs().for_each(|pair| self.add(pair, Field::Description));
        }
        if let Some(schema) = schema.filter(|_| self.options.parameters) {
            each_text(schema, |text| {
                words.read(text);
                self.add_words(&words, Field::Parameters);
                words.glued_pairs().for_each(|pair| self.add(pair, Field::Parameters));
            });
        }
        self.words = words;
        Ok(())
    }

    fn add_words(&mut self, words: &Words, field: Field) {
        if let Some(lengths) = self.lengths.last_mut() {
            lengths[field as usize] += words.count() as u32;
        }
        words.iter().for_each(|word| self.add(word, field));
    }

    fn add(&mut self, word: &str, field: Field) {
        let form = if self.options.ranking == Ranking::Bm25 { stem(word) } else { word.into() };
        let tool = (self.lengths.len() - 1) as u32;
        let word = match self.vocabulary.get_index_of(form.as_ref()) {
            Some(word) => word,
            None => {
                self.latest.push(u32::MAX);
                self.vocabulary.insert_full(form.into_owned()).0
            }
        };
        let latest = self.latest[word] as usize;
        let place = match self.places.get_mut(latest) {
            Some(place) if place.tool == tool => place,
            _ => {
                self.latest[word] = self.places.len() as u32;
                self.places.push(Place { word: word as u32, tool, counts: ByField::default() });
                let latest = self.places.len() - 1;
                &mut self.places[latest]
            }
        };
        let count = &mut place.counts[field as usize];
        *count = count.saturating_add(1);
    }

    fn finish(mut self) -> ToolIndex {
        let tools = self.lengths.len();
        let usual = FIELDS.map(|field| {
            let total: u64 = self.lengths.iter().map(|lengths| u64::from(lengths[field as usize])).sum();
            (total as f64 / tools as f64).max(1.0)
        });
        let mut order: Vec<u32> = (0..self.vocabulary.len() as u32).collect();
        order.sort_unstable_by(|&one, &other| self.vocabulary[one as usize].cmp(&self.vocabulary[other as usize]));
        let mut ranks = vec![0; order.len()];
        for (rank, &word) in order.iter().enumerate() {
            ranks[word as usize] = rank as u32;
        }
        let vocabulary = Vocabulary::new(order.iter().map(|&word| self.vocabulary[word as usize].as_str()));
        let places = self.places.iter().map(|place| {
            let lengths = self.lengths[place.tool as usize];
            let impact = match self.options.ranking {
                Ranking::Words | Ranking::Rarity => best_field(place.counts, lengths),
                Ranking::Bm25 => bm25(place.counts, lengths, usual),
            };
            (ranks[place.word as usize], place.tool, impact)
        });
        let postings = Postings::new(vocabulary.len(), places);
        self.names.by_words.sort_unstable();
        let index = Index {
            ranking: self.options.ranking,
            heavy: HeavyRanges::of(&vocabulary, &postings, tools),
            vocabulary,
            postings,
            names: self.names,
        };
        ToolIndex {
            index,
            words: self.words,
            scores: Scores::new(tools),
            #[cfg(test)]
            work: 0,
        }
    }
}
