//! The mistakes that were found: the first of them as they are told, and how many there are.
//!
//! Rule: what is kept is small, however many mistakes there are and however long the names are.

/// Most mistakes that are told one by one.
const MAX_MISTAKES: usize = 10;

/// Longest message, in bytes of UTF-8.
const MAX_BYTES: usize = 2048;

/// Longest line, in bytes.
const MAX_LINE: usize = 600;

/// What the last line may take.
const MORE_BYTES: usize = 40;

/// Most mistakes that are put into words, to see which say the same.
const MAX_WRITTEN: usize = 1_000;

/// Distinct lines, and how many mistakes say each.
type Lines = Vec<(String, usize)>;

#[derive(Debug, Default)]
pub(super) struct Found {
    /// What is missing or unexpected, which is told first.
    first: Lines,
    rest: Lines,
    /// All mistakes.
    pub(super) count: usize,
    written: usize,
    /// Whether there may be more that were not looked for.
    pub(super) is_cut: bool,
}

impl Found {
    /// Adds a mistake, put into words where it may be told.
    pub(super) fn add(&mut self, is_first: bool, line: impl FnOnce() -> String) {
        self.count += 1;
        let lines = if is_first { &mut self.first } else { &mut self.rest };
        if lines.len() == MAX_MISTAKES || self.written == MAX_WRITTEN {
            return;
        }
        self.written += 1;
        let line = super::place::cut(&line(), MAX_LINE);
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, times)) => *times += 1,
            None => lines.push((line, 1)),
        }
    }

    /// So many mistakes in one line, and how many are left.
    pub(super) fn inline(&self, most: usize) -> String {
        let told: Vec<&str> = self.first.iter().chain(&self.rest).take(most).map(|(line, _)| line.as_str()).collect();
        let told_mistakes: usize = self.first.iter().chain(&self.rest).take(most).map(|(_, times)| times).sum();
        let mut out = told.join("; ");
        if let Some(more) = more(self.count - told_mistakes) {
            out.push_str("; ");
            out.push_str(&more);
        }
        out
    }

    /// One line for each mistake, within the bounds; None where none was found.
    pub(super) fn tell(&self) -> Option<String> {
        let mut out = String::new();
        let mut told = 0;
        for (line, times) in self.first.iter().chain(&self.rest).take(MAX_MISTAKES) {
            if !out.is_empty() && out.len() + line.len() + MORE_BYTES > MAX_BYTES {
                break;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(line);
            told += times;
        }
        if out.is_empty() {
            return None;
        }
        match (more(self.count - told), self.is_cut) {
            (_, true) => out.push_str("\n(and maybe more mistakes)"),
            (Some(more), false) => {
                out.push_str("\n(");
                out.push_str(&more);
                out.push(')');
            }
            (None, false) => {}
        }
        Some(out)
    }
}

fn more(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 more mistake".to_owned()),
        count => Some(format!("{count} more mistakes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_each_line_once_and_counts_what_it_does_not_tell() {
        let mut found = Found::default();
        assert_eq!(found.tell(), None);
        for at in 0..30 {
            found.add(false, || if at < 20 { "the same".to_owned() } else { format!("line {at}") });
        }
        found.add(true, || "first".to_owned());
        let told = found.tell().unwrap();
        assert!(
            told.starts_with("first\nthe same\nline 20\n") && told.ends_with("line 27\n(2 more mistakes)"),
            "{told}"
        );
        let mut same = Found::default();
        (0..500_000).for_each(|_| same.add(false, || "the same".to_owned()));
        assert_eq!(same.tell().unwrap(), "the same\n(499000 more mistakes)");
        let mut long = Found::default();
        (0..12).for_each(|at| long.add(false, || format!("{at}{}", "é".repeat(400))));
        assert!(long.tell().is_some_and(|told| told.len() <= MAX_BYTES && told.ends_with("…\n(9 more mistakes)")));
    }
}
