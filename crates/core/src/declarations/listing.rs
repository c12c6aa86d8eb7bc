//! Tools that are not declared, listed by their names in groups.
//!
//! A group is what a source's tools have in common: the source before `__`, and for many of them the first word after it.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::text::{is_identifier, property_name, string_literal, units};
use crate::json::write_string;

/// A source of more tools than this is listed by their first words.
const MANY: usize = 40;

/// A first word of fewer tools than this makes no group.
const FEW: usize = 3;

/// The name of a tool.
#[derive(Debug, Clone)]
pub(super) struct Name<'a> {
    /// As a JSON string spells it.
    pub(super) json: &'a str,
    pub(super) text: Cow<'a, str>,
}

/// The numbers of the names of each source, a source being what stands before `__`.
pub(super) fn by_source(names: &[Name<'_>]) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..names.len()).collect();
    group(&all, |at| source_of(&names[at].text)).into_values().collect()
}

fn group<'n>(which: &[usize], key: impl Fn(usize) -> &'n str) -> IndexMap<&'n str, Vec<usize>> {
    let mut groups: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for at in which {
        groups.entry(key(*at)).or_default().push(*at);
    }
    groups
}

/// The source of a name, with the `__` behind it; nothing where there is none.
pub(crate) fn source_of(name: &str) -> &str {
    match name.find("__") {
        Some(at) if at > 0 => &name[..at + 2],
        _ => "",
    }
}

/// The source and the first word behind it.
fn first_word_of(name: &str) -> &str {
    let start = source_of(name).len();
    let mut is_after_lower = false;
    for (at, c) in name[start..].char_indices() {
        let ends = matches!(c, '_' | '-' | '.' | '/' | ' ' | ':') || (is_after_lower && c.is_ascii_uppercase());
        if at > 0 && ends {
            return &name[..start + at];
        }
        is_after_lower = c.is_ascii_lowercase();
    }
    name
}

/// A line of the list: what its names begin with, and the names.
#[derive(Debug)]
struct Group {
    label: String,
    names: Vec<String>,
}

impl Group {
    fn of(label: &str, which: &[usize], names: &[Name<'_>]) -> Self {
        let names = which.iter().map(|at| property_name(names[*at].json).into_owned()).collect();
        let label = if label.is_empty() {
            String::new()
        } else if is_identifier(label) {
            format!("{label}… ")
        } else {
            let mut json = String::new();
            write_string(label, &mut json);
            format!("{}… ", string_literal(&json))
        };
        Self { label, names }
    }

    /// The line with so many of its names.
    fn line(&self, most: usize) -> String {
        let Self { label, names } = self;
        let shown = &names[..most.min(names.len())];
        let left = names.len() - shown.len();
        let colon = if shown.is_empty() { "" } else { ": " };
        let more = if left == 0 || shown.is_empty() { String::new() } else { format!(", and {left} more") };
        format!("// {label}({}){colon}{}{more}\n", names.len(), shown.join(", "))
    }

    /// The length of that line, or more.
    fn line_units(&self, most: usize) -> usize {
        const AROUND: usize = 48;
        let shown = self.names.iter().take(most);
        AROUND + units(&self.label) + shown.map(|name| units(name) + ", ".len()).sum::<usize>()
    }
}

fn groups_of(which: &[usize], names: &[Name<'_>]) -> Vec<Group> {
    let mut groups = Vec::new();
    for (source, of_source) in group(which, |at| source_of(&names[at].text)) {
        if of_source.len() <= MANY {
            groups.push(Group::of(source, &of_source, names));
            continue;
        }
        let (words, rest): (Vec<_>, Vec<_>) = group(&of_source, |at| first_word_of(&names[at].text))
            .into_iter()
            .partition(|(_, of_word)| of_word.len() >= FEW);
        groups.extend(words.iter().map(|(word, of_word)| Group::of(word, of_word, names)));
        let rest: Vec<usize> = rest.into_iter().flat_map(|(_, of_word)| of_word).collect();
        if !rest.is_empty() {
            groups.push(Group::of(source, &rest, names));
        }
    }
    groups
}

/// The list of these tools in at most so many UTF-16 units: each group with as many names as there is room for, the same
/// number for all; where there is none even for the groups, as many of these.
pub(super) fn listing(which: &[usize], names: &[Name<'_>], has_declared: bool, most: usize) -> String {
    let groups = groups_of(which, names);
    let head = format!("// {}{} tools, by name:\n", which.len(), if has_declared { " more" } else { "" });
    let Some(most) = most.checked_sub(units(&head)) else { return String::new() };
    let fits = |shown: usize| {
        let mut left = most;
        groups.iter().all(|group| match left.checked_sub(group.line_units(shown)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
    };
    // The most names for which the list fits.
    let (mut least, mut beyond) = (0, groups.iter().map(|group| group.names.len()).max().unwrap_or(0) + 1);
    while beyond - least > 1 {
        let middle = least + (beyond - least) / 2;
        if fits(middle) { least = middle } else { beyond = middle }
    }
    let mut text = head;
    let mut left = most;
    let last = "// and 00000000 more groups\n".len();
    for (at, group) in groups.iter().enumerate() {
        let line = group.line(least);
        let needed = units(&line) + if at + 1 < groups.len() { last } else { 0 };
        if needed > left {
            if left >= last {
                text.push_str(&format!("// and {} more groups\n", groups.len() - at));
            }
            break;
        }
        left -= units(&line);
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[String]) -> Vec<Name<'_>> {
        texts.iter().map(|json| Name { json, text: json.trim_matches('"').into() }).collect()
    }

    fn quoted(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
        texts.into_iter().map(|text| format!("\"{}\"", text.as_ref())).collect()
    }

    #[test]
    fn lists_each_source_on_a_line() {
        let texts = quoted(["git__a", "git__b-c", "web__a", "plain"]);
        let names = names(&texts);
        assert_eq!(by_source(&names), [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(
            listing(&[0, 1, 2, 3], &names, true, 1000),
            "// 4 more tools, by name:\n// git__… (2): git__a, \"git__b-c\"\n// web__… (1): web__a\n// (1): plain\n"
        );
    }

    #[test]
    fn lists_a_large_source_by_first_words() {
        let texts: Vec<String> = (0..30)
            .flat_map(|n| [format!("a__issues_x{n}"), format!("a__pullsList{n}")])
            .chain(["a__zen".to_owned()])
            .collect();
        let texts = quoted(texts);
        let text = listing(&(0..61).collect::<Vec<_>>(), &names(&texts), false, 100_000);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("// a__issues… (30): a__issues_x0, a__issues_x1,"), "{text}");
        assert!(lines[2].starts_with("// a__pulls… (30): a__pullsList0,"), "{text}");
        assert_eq!(lines[3], "// a__… (1): a__zen");
    }

    #[test]
    fn fits_into_any_length() {
        let texts = quoted((0..2000).map(|n| format!("s{}__tool_{n}", n % 90)));
        let names = names(&texts);
        let which: Vec<usize> = (0..2000).collect();
        let mut before = 0;
        for most in [0, 10, 40, 100, 1000, 5000, 20_000, 100_000] {
            let text = listing(&which, &names, false, most);
            assert!(units(&text) <= most, "{} of {most}", units(&text));
            assert!(text.len() >= before);
            before = text.len();
        }
        assert!(listing(&which, &names, false, 3000).contains("(23)"));
        assert!(listing(&which, &names, false, 1000).contains("more groups"));
        assert!(listing(&which, &names, false, 100_000).contains("tool_1999"));
    }
}
