//! What a match is worth.
//!
//! The rule kept here: a word of the query scores once for a tool, by its best match there, and a tool's score is the sum
//! over the words of the query. A match is worth an *impact*, which stands in the index, times the *weight* of the query's
//! word. Everything is a whole number, so that a sum is the same in any order and ties are ties.
//!
//! A word of a name is worth the more the fewer there are, so that the sum also says how much of the name the query covers:
//! of all names with `get`, `repos_get` is the one for `get repos`. The source before `__` is no part of that.
//!
//! The numbers were chosen on queries that the published figures are not of (`bench/search.ts`).

use super::vocabulary::head;

/// How tools are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranking {
    /// A match on words, by where it is and whether it is whole.
    #[default]
    Words,
    /// The same, and the rarer a word is among the tools, the more it says.
    Rarity,
    /// BM25 over word forms: also how often a word stands in a tool, and how much else does.
    Bm25,
}

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// What a name has before `__`.
    Source,
    Name,
    Description,
    Parameters,
}

pub(super) const FIELDS: [Field; 4] = [Field::Source, Field::Name, Field::Description, Field::Parameters];

/// Something of each field.
pub(super) type ByField<T> = [T; FIELDS.len()];

/// What a whole name is worth beside its words, under `Words` and `Rarity` and under `Bm25`, for each word of the shortest
/// names.
const COVERED: u32 = 90;
const COVERED_BM25: u32 = 60;

/// The part of it that one of so many words covers. A name of one word is no more easily meant than one of two.
fn covered(whole: u32, name_words: u32) -> u32 {
    2 * whole / name_words.max(2)
}

impl Field {
    /// A whole match there under `Words` and `Rarity`, where the name has so many words.
    fn impact(self, name_words: u32) -> u8 {
        match self {
            Self::Source => 100,
            Self::Name => (100 + covered(COVERED, name_words)).min(255) as u8,
            Self::Description => 70,
            Self::Parameters => 46,
        }
    }

    /// How much an occurrence counts there under `Bm25`.
    fn share(self) -> f64 {
        match self {
            Self::Source | Self::Name => 2.0,
            Self::Description => 1.0,
            Self::Parameters => 0.5,
        }
    }
}

/// Of how often a word stands in each field of a tool: the best.
pub(super) fn best_field(counts: ByField<u8>, lengths: ByField<u32>) -> u8 {
    let found = FIELDS.into_iter().filter(|&field| counts[field as usize] > 0);
    found.map(|field| field.impact(lengths[Field::Name as usize])).max().unwrap_or(0)
}

/// How much more of a word in a tool says less and less.
const SATURATION: f64 = 1.2;
/// How far a longer field makes each of its words say less.
const LENGTH_SHARE: f64 = 0.75;

/// The impact under `Bm25`: of how often a word stands in each field, the lengths of the fields and the usual lengths.
pub(super) fn bm25(counts: ByField<u8>, lengths: ByField<u32>, usual: ByField<f64>) -> u8 {
    let count: f64 = FIELDS
        .into_iter()
        .filter(|&field| counts[field as usize] > 0)
        .map(|field| {
            let length = f64::from(lengths[field as usize]) / usual[field as usize];
            field.share() * f64::from(counts[field as usize]) / (1.0 - LENGTH_SHARE + LENGTH_SHARE * length)
        })
        .sum();
    let most = f64::from(255 - COVERED_BM25);
    let impact = (most * count / (count + SATURATION)).max(1.0) as u32;
    let is_in_name = u32::from(counts[Field::Name as usize] > 0);
    (impact + is_in_name * covered(COVERED_BM25, lengths[Field::Name as usize])).min(255) as u8
}

/// How far a word of the query is the tool's word that it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    Same,
    /// The tool's word is its plural: nearly the same.
    Plural,
    Half,
    /// One or two letters begin so many words that they say next to nothing.
    Faint,
}

impl Likeness {
    pub(super) fn of(word: &str, other: &str) -> Self {
        match &other[word.len()..] {
            "" => Self::Same,
            rest if rest == plural_ending(word) => Self::Plural,
            _ => Self::begun(word),
        }
    }

    /// Of words that go on otherwise.
    pub(super) fn begun(word: &str) -> Self {
        // Syllables of other scripts say as much as several letters.
        let is_alphabet = |c: char| c < '\u{590}';
        let is_short = word.len() <= 4 && word.chars().count() < 3 && word.chars().all(is_alphabet);
        if is_short { Self::Faint } else { Self::Half }
    }

    /// What is left of each impact, to be looked up.
    pub(super) fn of_each(self) -> &'static [u8; 256] {
        &LEFT[self as usize]
    }

    /// What is left of an impact. Never nothing of something: a tool that matches has a score. Keeps order, so the best of
    /// some may be taken first.
    pub(super) const fn left_of(self, impact: u8) -> u8 {
        match self {
            Self::Same => impact,
            Self::Plural => impact - impact / 10,
            Self::Half => impact - impact / 2,
            Self::Faint => (impact > 0) as u8 + (impact.saturating_sub(1) >> 5),
        }
    }
}

/// What is left of each impact, for each likeness.
static LEFT: [[u8; 256]; 4] = {
    let mut left = [[0; 256]; 4];
    let mut impact = 0;
    while impact < 256 {
        let of = impact as u8;
        left[Likeness::Same as usize][impact] = Likeness::Same.left_of(of);
        left[Likeness::Plural as usize][impact] = Likeness::Plural.left_of(of);
        left[Likeness::Half as usize][impact] = Likeness::Half.left_of(of);
        left[Likeness::Faint as usize][impact] = Likeness::Faint.left_of(of);
        impact += 1;
    }
    left
};

/// What makes a plural of a word that is spelled like it.
pub(super) fn plural_ending(word: &str) -> &'static str {
    if ["s", "x", "z", "ch", "sh"].iter().any(|ending| word.ends_with(ending)) { "es" } else { "s" }
}

/// Weights are in sixteenths.
const WHOLE: u16 = 16;

/// No word weighs more: only among millions of tools would one.
pub(super) const MAX_WEIGHT: u16 = 1000;

/// The weight of a query's word that so many of the tools match.
pub(super) fn weight(ranking: Ranking, is_function_word: bool, matching: usize, tools: usize) -> u16 {
    let weight = match ranking {
        Ranking::Words => WHOLE,
        Ranking::Rarity | Ranking::Bm25 => {
            let (matching, tools) = (matching as f64, tools as f64);
            let rarity = (1.0 + (tools - matching + 0.5) / (matching + 0.5)).ln();
            (rarity * 64.0).round().clamp(1.0, f64::from(MAX_WEIGHT)) as u16
        }
    };
    if is_function_word { (weight / WHOLE).max(1) } else { weight }
}

/// Words that hold an English sentence together and say little of what a tool does. They weigh a sixteenth, and make no
/// match by themselves beside words that do. In order.
const FUNCTION_WORDS: [&str; 77] = [
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into",
    "is", "it", "its", "may", "me", "might", "must", "my", "of", "on", "or", "our", "please", "shall", "she", "should",
    "so", "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "us", "was", "we",
    "were", "what", "when", "where", "which", "who", "whose", "why", "will", "with", "would", "you", "your",
];

/// They are short, so that their heads are all of them.
static FUNCTION_HEADS: [u64; FUNCTION_WORDS.len()] = {
    let mut heads = [0; FUNCTION_WORDS.len()];
    let mut at = 0;
    while at < heads.len() {
        assert!(FUNCTION_WORDS[at].len() < size_of::<u64>());
        heads[at] = head(FUNCTION_WORDS[at]);
        at += 1;
    }
    heads
};

pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_HEADS.binary_search(&head(word)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_the_function_words_in_order() {
        assert!(FUNCTION_WORDS.is_sorted());
        assert!(is_function_word("the") && !is_function_word("then"));
    }

    #[test]
    fn lets_a_whole_match_beat_a_begun_one_and_a_name_beat_a_description() {
        for name_words in [0, 1, 2, 3, 10, 1000] {
            let [source, name, description, parameters] = FIELDS.map(|field| field.impact(name_words));
            for likeness in [Likeness::Same, Likeness::Plural, Likeness::Half] {
                let left = [name, source, description, parameters].map(|impact| likeness.left_of(impact));
                assert!(left[0] >= left[1] && left[1..].is_sorted_by(|one, other| one > other), "{left:?}");
            }
            for impact in [name, source, description, parameters] {
                let left = [Likeness::Same, Likeness::Plural, Likeness::Half, Likeness::Faint];
                let left = left.map(|likeness| likeness.left_of(impact));
                assert!(left.is_sorted_by(|one, other| one > other), "{left:?}");
            }
        }
    }

    #[test]
    fn lets_a_name_that_is_covered_beat_one_of_which_as_many_words_are_meant() {
        for whole in [COVERED, COVERED_BM25] {
            let worth = [1, 2, 3, 4, 8].map(|words| covered(whole, words));
            assert!(worth.is_sorted_by(|one, other| one >= other) && worth[1] > worth[2], "{worth:?}");
            assert_eq!((worth[0], worth[3], covered(whole, 0)), (whole, whole / 2, whole));
        }
    }

    #[test]
    fn knows_a_plural() {
        for (word, other) in [("user", "users"), ("branch", "branches"), ("box", "boxes"), ("id", "ids")] {
            assert_eq!(Likeness::of(word, other), Likeness::Plural, "{other}");
        }
        for (word, other) in [("user", "username"), ("branch", "branchs"), ("use", "uses_of"), ("user", "userses")] {
            assert_eq!(Likeness::of(word, other), Likeness::Half, "{other}");
        }
        assert_eq!(Likeness::of("user", "user"), Likeness::Same);
    }

    #[test]
    fn leaves_something_of_every_impact_and_keeps_their_order() {
        for likeness in [Likeness::Same, Likeness::Plural, Likeness::Half, Likeness::Faint] {
            let left: Vec<u8> = (0..=255).map(|impact| likeness.left_of(impact)).collect();
            assert!(left.is_sorted());
            assert_eq!((left[0], left[1]), (0, 1));
        }
        assert_eq!(["is", "по", "이슈", "iss"].map(|word| Likeness::begun(word).left_of(160)), [5, 5, 80, 80]);
    }

    #[test]
    fn weighs_rare_words_more_and_every_word_something() {
        for ranking in [Ranking::Rarity, Ranking::Bm25] {
            let weights = [1, 10, 500, 900, 1000].map(|matching| weight(ranking, false, matching, 1000));
            assert!(weights.is_sorted_by(|one, other| one > other), "{weights:?}");
            assert!(weights[4] > 0);
        }
        assert_eq!(weight(Ranking::Words, false, 1, 1000), weight(Ranking::Words, false, 1000, 1000));
        assert_eq!(weight(Ranking::Bm25, false, 1, usize::MAX), MAX_WEIGHT);
        for ranking in [Ranking::Words, Ranking::Rarity, Ranking::Bm25] {
            assert!(weight(ranking, true, 1000, 1000) > 0);
            assert!(weight(ranking, true, 10, 1000) < weight(ranking, false, 10, 1000));
        }
    }

    #[test]
    fn counts_a_word_of_a_short_text_more_and_never_more_than_fits() {
        let usual = [1.0, 2.0, 10.0, 20.0];
        assert!(bm25([0, 1, 0, 0], [1, 2, 10, 20], usual) > bm25([0, 0, 1, 0], [1, 2, 10, 20], usual));
        assert!(bm25([0, 1, 0, 0], [1, 2, 10, 20], usual) > bm25([1, 0, 0, 0], [1, 2, 10, 20], usual));
        assert!(bm25([0, 0, 1, 0], [1, 2, 5, 20], usual) > bm25([0, 0, 1, 0], [1, 2, 10, 20], usual));
        assert!(bm25([255; 4], [1; 4], usual) > 250);
        assert_eq!(bm25([0, 0, 0, 1], [1, 2, 10, u32::MAX], usual), 1);
    }
}
