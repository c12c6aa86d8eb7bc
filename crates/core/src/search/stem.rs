//! The forms of an English word as one: `issues`, `creating` and `created` as `issu` and `creat`.
//!
//! Light on purpose: plurals, `-ing`, `-ed` and the final `e` and `y`. Stronger stemming found no more in the measured
//! sets. Words of other alphabets stay as they are.

use std::borrow::Cow;

pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let mut cut = Cow::Borrowed(singular(word));
    if word.len() > 4 && word.ends_with("ies") {
        cut.to_mut().push('y');
    }
    if let Some(root) = without_ending(&cut) {
        cut = Cow::Owned(root.to_owned());
    }
    if cut.len() > 3 {
        if cut.ends_with('e') {
            cut.to_mut().pop();
        }
        if cut.len() > 3 && cut.ends_with('y') {
            let cut = cut.to_mut();
            cut.pop();
            cut.push('i');
        }
    }
    cut
}

/// Without the ending of a plural; `ies` wants a `y` then.
fn singular(word: &str) -> &str {
    let without = |ending: &str| &word[..word.len() - ending.len()];
    if word.len() > 4 && word.ends_with("ies") {
        without("ies")
    } else if ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        without("es")
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        without("s")
    } else {
        word
    }
}

/// Without `-ing` or `-ed`, where a word is left, and without the letter that they double.
fn without_ending(word: &str) -> Option<&str> {
    if word.len() <= 4 || word.ends_with("eed") {
        return None;
    }
    let root = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"))?;
    if root.len() < 3 || !root.bytes().any(|byte| b"aeiouy".contains(&byte)) {
        return None;
    }
    let bytes = root.as_bytes();
    let last = bytes[bytes.len() - 1];
    let is_doubled = last == bytes[bytes.len() - 2] && !b"lsz".contains(&last);
    Some(if is_doubled { &root[..root.len() - 1] } else { root })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn assert_same(forms: &[&str]) {
        for form in forms {
            assert_eq!(stem(form), stem(forms[0]), "{form}");
        }
    }

    #[test]
    fn reads_the_forms_of_a_word_as_one() {
        assert_same(&["create", "creates", "created", "creating"]);
        assert_same(&["issue", "issues"]);
        assert_same(&["repository", "repositories"]);
        assert_same(&["movie", "movies"]);
        assert_same(&["run", "runs", "running"]);
        assert_same(&["search", "searches", "searched", "searching"]);
        assert_same(&["box", "boxes"]);
        assert_same(&["bill", "bills", "billed", "billing"]);
    }

    #[test]
    fn leaves_words_that_only_look_like_a_form() {
        for word in ["string", "status", "speed", "red", "is", "address", "analysis", "größen", "v2s", "ping"] {
            assert_eq!(stem(word), word);
        }
    }

    proptest! {
        #[test]
        fn leaves_something_of_any_word(word in "[a-zé]{1,12}") {
            prop_assert!(stem(&word).len() >= word.len().min(2));
        }
    }
}
