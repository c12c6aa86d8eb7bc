//! A text as words.
//!
//! The rule kept here: a text is parted where neither a letter nor a digit stands and where its case says that a word
//! begins (`createIssue`, `HTTPServer`, `v2Api`), and is NFKC and folded, so that `create_issue`, `create-issue` and
//! `createIssue` are the same words. A digit stays with the letters around it. An ideograph is a word of its own, since
//! nothing parts the words of Chinese and Japanese.
//!
//! Folding is the mapping of UTS #46, which is NFKC and case folding but for `ß` and `ς`; that crate is there already, for
//! host names. What that mapping leaves out (soft hyphens) is left out, and what it forbids (`⒈`) is a gap.

use icu_normalizer::uts46::Uts46MapperBorrowed;
use unicode_general_category::{GeneralCategory, get_general_category};

const MAPPING: Uts46MapperBorrowed<'static> = Uts46MapperBorrowed::new();

/// Put where case parts two words. A control character of a text is a gap before it comes to this.
const SEAM: char = '\u{1}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Upper,
    Lower,
    Digit,
    /// A letter without case.
    Letter,
    /// An accent, a vowel sign, a virama: part of the word it stands in.
    Mark,
    Ideograph,
    Gap,
}

/// The kinds of the first characters.
static ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Gap; 128];
    let mut at = 0;
    while at < kinds.len() {
        kinds[at] = match at as u8 {
            b'a'..=b'z' => Kind::Lower,
            b'A'..=b'Z' => Kind::Upper,
            b'0'..=b'9' => Kind::Digit,
            _ => Kind::Gap,
        };
        at += 1;
    }
    kinds
};

fn kind_of(c: char) -> Kind {
    if let Some(&kind) = ASCII.get(c as usize) {
        return kind;
    }
    match c {
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => {
            Kind::Ideograph
        }
        _ => match get_general_category(c) {
            GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter => Kind::Upper,
            GeneralCategory::LowercaseLetter => Kind::Lower,
            GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber | GeneralCategory::OtherNumber => {
                Kind::Digit
            }
            GeneralCategory::ModifierLetter | GeneralCategory::OtherLetter => Kind::Letter,
            GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark => {
                Kind::Mark
            }
            _ => Kind::Gap,
        },
    }
}

/// Whether a capital begins a word, behind a letter or digit and before another.
fn begins(before: Kind, has_letter: bool, next: impl FnOnce() -> Option<Kind>) -> bool {
    match before {
        Kind::Lower => true,
        Kind::Digit => has_letter,
        Kind::Upper => next() == Some(Kind::Lower),
        _ => false,
    }
}

/// A text with seams where its case says that a word begins.
fn with_seams(text: &str) -> impl Iterator<Item = char> {
    let mut chars = text.chars().peekable();
    let mut before = Kind::Gap;
    let mut has_letter = false;
    let mut held = None;
    std::iter::from_fn(move || {
        if let Some(c) = held.take() {
            return Some(c);
        }
        let c = chars.next()?;
        let kind = kind_of(c);
        let begins = kind == Kind::Upper && begins(before, has_letter, || chars.peek().map(|&next| kind_of(next)));
        match kind {
            Kind::Mark => return Some(c),
            Kind::Gap => has_letter = false,
            Kind::Digit => {}
            _ => has_letter = true,
        }
        before = kind;
        let c = if c == SEAM { ' ' } else { c };
        if begins {
            held = Some(c);
            return Some(SEAM);
        }
        Some(c)
    })
}

#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    /// Whether only its case parts it from the word before.
    is_glued: bool,
}

/// The words of a text, one behind the other in one string.
#[derive(Debug, Default)]
pub(super) struct Words {
    letters: String,
    places: Vec<Place>,
}

impl Words {
    /// Reads a text in place of the one before.
    pub(super) fn read(&mut self, text: &str) {
        self.letters.clear();
        self.places.clear();
        if text.is_ascii() { self.part_ascii(text) } else { self.part(MAPPING.map_normalize(with_seams(text))) }
    }

    /// As [`Self::part`] parts a text with its seams, which nearly every text is read by.
    fn part_ascii(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let kind_at = |at: usize| bytes.get(at).and_then(|&byte| ASCII.get(byte as usize)).copied();
        let mut at = 0;
        while let Some(first) = kind_at(at) {
            if first == Kind::Gap {
                at += 1;
                continue;
            }
            let mut start = at;
            let mut is_glued = false;
            let mut before = first;
            let mut has_letter = first != Kind::Digit;
            at += 1;
            while let Some(kind) = kind_at(at).filter(|&kind| kind != Kind::Gap) {
                if kind == Kind::Upper && begins(before, has_letter, || kind_at(at + 1)) {
                    self.add_ascii(&text[start..at], is_glued);
                    start = at;
                    is_glued = true;
                }
                before = kind;
                has_letter |= kind != Kind::Digit;
                at += 1;
            }
            self.add_ascii(&text[start..at], is_glued);
        }
    }

    fn add_ascii(&mut self, word: &str, is_glued: bool) {
        let start = self.letters.len();
        self.letters.push_str(word);
        self.letters[start..].make_ascii_lowercase();
        self.end(start, is_glued);
    }

    fn part(&mut self, chars: impl Iterator<Item = char>) {
        let mut start = 0;
        let mut is_glued = false;
        for c in chars {
            let kind = kind_of(c);
            if matches!(kind, Kind::Gap | Kind::Ideograph) {
                self.end(start, is_glued);
                start = self.letters.len();
                is_glued = c == SEAM;
            }
            match kind {
                Kind::Gap => {}
                Kind::Mark if self.letters.len() == start => {}
                Kind::Ideograph => {
                    self.letters.push(c);
                    self.end(start, false);
                    start = self.letters.len();
                }
                _ => match c {
                    'ß' => self.letters.push_str("ss"),
                    'ς' => self.letters.push('σ'),
                    _ => self.letters.push(c.to_ascii_lowercase()),
                },
            }
        }
        self.end(start, is_glued);
    }

    fn end(&mut self, start: usize, is_glued: bool) {
        if self.letters.len() > start {
            self.places.push(Place { start, end: self.letters.len(), is_glued });
        }
    }

    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| &self.letters[place.start..place.end])
    }

    /// Two words that follow each other, as one: `GitHub` is also `github`.
    pub(super) fn pairs(&self) -> impl Iterator<Item = &str> {
        self.places.windows(2).map(|pair| &self.letters[pair[0].start..pair[1].end])
    }

    /// The pairs that only their case parts.
    pub(super) fn glued_pairs(&self) -> impl Iterator<Item = &str> {
        let glued = self.places.windows(2).filter(|pair| pair[1].is_glued);
        glued.map(|pair| &self.letters[pair[0].start..pair[1].end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Words::default();
        words.read(text);
        words.iter().map(str::to_owned).collect()
    }

    #[track_caller]
    fn assert_words(text: &str, expected: &str) {
        assert_eq!(words(text).join(" "), expected, "{text}");
    }

    #[test]
    fn reads_a_name_the_same_in_every_way_of_writing_it() {
        for name in ["create_issue", "create-issue", "createIssue", "CreateIssue", "CREATE_ISSUE", "create.issue"] {
            assert_words(name, "create issue");
        }
    }

    #[test]
    fn parts_capitals_and_digits_where_a_reader_would() {
        assert_words("HTTPServer", "http server");
        assert_words("parseJSON", "parse json");
        assert_words("v2Api", "v2 api");
        assert_words("v2API", "v2 api");
        assert_words("getV2API", "get v2 api");
        assert_words("sha256Hash", "sha256 hash");
        assert_words("enable2FA", "enable2 fa");
        assert_words("2FA", "2fa");
        assert_words("3DModel", "3d model");
        assert_words("__proto__", "proto");
    }

    #[test]
    fn folds_what_unicode_holds_to_be_the_same() {
        assert_words("Straße", "strasse");
        assert_words("STRASSE", "strasse");
        assert_words("ΣΊΣΥΦΟΣ", "σίσυφοσ");
        assert_words("σίσυφος", "σίσυφοσ");
        assert_words("ＣｒｅａｔｅＩｓｓｕｅ", "create issue");
        assert_words("ﬁle", "file");
        assert_words("cafe\u{301}", "caf\u{e9}");
        assert_words("СоздатьЗадачу", "создать задачу");
        assert_words("हिन्दी में", "हिन्दी में");
        assert_words("创建issue", "创 建 issue");
        assert_words("イシューを作成", "イシューを 作 成");
        assert_words("\u{301}\u{301}", "");
    }

    #[test]
    fn joins_neighbours_and_knows_those_that_only_their_case_parts() {
        let mut words = Words::default();
        words.read("GitHub create_pull");
        assert_eq!(words.pairs().collect::<Vec<_>>(), ["github", "hubcreate", "createpull"]);
        assert_eq!(words.glued_pairs().collect::<Vec<_>>(), ["github"]);
        words.read("one");
        assert_eq!((words.count(), words.pairs().count()), (1, 0));
    }

    proptest! {
        #[test]
        fn reads_plain_letters_as_it_reads_all_others(text in "[a-cA-C0-2 _\u{0}\u{1}\u{7f}-]{0,24}|[\u{0}-\u{7f}]{0,24}") {
            let mut plain = Words::default();
            plain.read(&text);
            let mut other = Words::default();
            other.part(MAPPING.map_normalize(with_seams(&text)));
            prop_assert_eq!(plain.letters, other.letters);
            let places = |places: &[Place]| places.iter().map(|place| (place.start, place.end, place.is_glued)).collect::<Vec<_>>();
            prop_assert_eq!(places(&plain.places), places(&other.places));
        }

        #[test]
        fn makes_words_of_any_text_and_reads_them_again_as_they_are(text in any::<String>()) {
            for word in words(&text) {
                prop_assert!(!word.is_empty());
                prop_assert!(word.chars().all(|c| kind_of(c) != Kind::Gap));
            }
        }

        #[test]
        fn reads_the_words_of_plain_text_again_as_they_are(text in "[a-zA-Z0-9_ß-ÿΑ-ω-]{0,40}") {
            for word in words(&text) {
                prop_assert_eq!(words(&word), vec![word.clone()]);
            }
        }
    }
}
