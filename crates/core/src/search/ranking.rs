//! What a match is worth.
//!
//! The rule kept here: a word of the query scores once for a tool, by its best match there, and a tool's score is the sum
//! over the words of the query. A match is worth an *impact*, which stands in the index, times the *weight* of the query's
//! word. Everything is a whole number, so that a sum is the same in any order and ties are ties.
//!
//! The numbers were chosen on queries that the published figures are not of (`bench/search.ts`).

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
    Name,
    Description,
    Parameters,
}

pub(super) const FIELDS: [Field; 3] = [Field::Name, Field::Description, Field::Parameters];

impl Field {
    /// A whole match there under `Words` and `Rarity`. One that is only begun is worth half, so a name that is begun is
    /// still worth more than a description's whole word.
    fn impact(self) -> u8 {
        match self {
            Self::Name => 160,
            Self::Description => 60,
            Self::Parameters => 40,
        }
    }

    /// How much an occurrence counts there under `Bm25`.
    fn share(self) -> f64 {
        match self {
            Self::Name => 2.0,
            Self::Description => 1.0,
            Self::Parameters => 0.5,
        }
    }
}

/// Of how often a word stands in each field of a tool: the best.
pub(super) fn best_field(counts: [u8; 3]) -> u8 {
    FIELDS.into_iter().filter(|&field| counts[field as usize] > 0).map(Field::impact).max().unwrap_or(0)
}

/// How much more of a word in a tool says less and less.
const SATURATION: f64 = 1.2;
/// How far a longer field makes each of its words say less.
const LENGTH_SHARE: f64 = 0.75;

/// The impact under `Bm25`: of how often a word stands in each field, the lengths of the fields and the usual lengths.
pub(super) fn bm25(counts: [u8; 3], lengths: [u32; 3], usual: [f64; 3]) -> u8 {
    let count: f64 = FIELDS
        .into_iter()
        .filter(|&field| counts[field as usize] > 0)
        .map(|field| {
            let length = f64::from(lengths[field as usize]) / usual[field as usize];
            field.share() * f64::from(counts[field as usize]) / (1.0 - LENGTH_SHARE + LENGTH_SHARE * length)
        })
        .sum();
    (256.0 * count / (count + SATURATION)).clamp(1.0, 255.0) as u8
}

/// What is left of an impact where the query's word only begins the tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    Half,
    /// One or two letters begin so many words that they say next to nothing.
    Faint,
}

impl Begun {
    pub(super) fn by(word: &str) -> Self {
        // Syllables of other scripts say as much as several letters.
        let is_alphabet = |c: char| c < '\u{590}';
        let is_short = word.len() <= 4 && word.chars().count() < 3 && word.chars().all(is_alphabet);
        if is_short { Self::Faint } else { Self::Half }
    }

    /// Never nothing of something: a tool that matches has a score. Keeps order, so the best of some may be taken first.
    pub(super) fn of(self, impact: u8) -> u8 {
        match self {
            Self::Half => impact - impact / 2,
            Self::Faint => u8::from(impact > 0) + (impact.saturating_sub(1) >> 5),
        }
    }
}

/// Weights are in sixteenths.
const WHOLE: u16 = 16;

/// The weight of a query's word that so many of the tools match.
pub(super) fn weight(ranking: Ranking, is_function_word: bool, matching: usize, tools: usize) -> u16 {
    let weight = match ranking {
        Ranking::Words => WHOLE,
        Ranking::Rarity | Ranking::Bm25 => {
            let (matching, tools) = (matching as f64, tools as f64);
            let rarity = (1.0 + (tools - matching + 0.5) / (matching + 0.5)).ln();
            (rarity * 64.0).round().max(1.0) as u16
        }
    };
    if is_function_word { (weight / WHOLE).max(1) } else { weight }
}

/// Words that hold an English sentence together and say little of what a tool does. They match as any other, and weigh a
/// sixteenth. In order.
static FUNCTION_WORDS: [&str; 77] = [
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into",
    "is", "it", "its", "may", "me", "might", "must", "my", "of", "on", "or", "our", "please", "shall", "she", "should",
    "so", "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "us", "was", "we",
    "were", "what", "when", "where", "which", "who", "whose", "why", "will", "with", "would", "you", "your",
];

pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word).is_ok()
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
        let [name, description, parameters] = FIELDS.map(Field::impact);
        let half = |impact| Begun::Half.of(impact);
        let order = [name, half(name), description, parameters, half(description), half(parameters)];
        assert!(order.is_sorted_by(|one, other| one > other), "{order:?}");
    }

    #[test]
    fn leaves_something_of_every_impact_and_keeps_their_order() {
        for begun in [Begun::Half, Begun::Faint] {
            let left: Vec<u8> = (0..=255).map(|impact| begun.of(impact)).collect();
            assert!(left.is_sorted());
            assert_eq!((left[0], left[1]), (0, 1));
        }
        assert_eq!(
            [Begun::by("is"), Begun::by("по"), Begun::by("이슈"), Begun::by("iss")].map(|begun| begun.of(160)),
            [5, 5, 80, 80]
        );
    }

    #[test]
    fn weighs_rare_words_more_and_every_word_something() {
        for ranking in [Ranking::Rarity, Ranking::Bm25] {
            let weights = [1, 10, 500, 900, 1000].map(|matching| weight(ranking, false, matching, 1000));
            assert!(weights.is_sorted_by(|one, other| one > other), "{weights:?}");
            assert!(weights[4] > 0);
        }
        assert_eq!(weight(Ranking::Words, false, 1, 1000), weight(Ranking::Words, false, 1000, 1000));
        for ranking in [Ranking::Words, Ranking::Rarity, Ranking::Bm25] {
            assert!(weight(ranking, true, 1000, 1000) > 0);
            assert!(weight(ranking, true, 10, 1000) < weight(ranking, false, 10, 1000));
        }
    }

    #[test]
    fn counts_a_word_of_a_short_text_more_and_never_more_than_fits() {
        let usual = [2.0, 10.0, 20.0];
        assert!(bm25([1, 0, 0], [2, 10, 20], usual) > bm25([0, 1, 0], [2, 10, 20], usual));
        assert!(bm25([0, 1, 0], [2, 5, 20], usual) > bm25([0, 1, 0], [2, 10, 20], usual));
        assert_eq!(bm25([255, 255, 255], [1, 1, 1], usual), 255);
        assert_eq!(bm25([0, 0, 1], [2, 10, u32::MAX], usual), 1);
    }
}
