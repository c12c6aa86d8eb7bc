//! What holds of any value written as YAML in any style, and of any text at all.
//!
//! The rule: the YAML is made here by hand from a value, each way of writing it picked from a list of numbers, and what has
//! to come back is that value as serde_json writes it.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use super::to_json;
use crate::cases::cases;

/// Texts, many of which mean something else where they are plain.
fn text() -> BoxedStrategy<String> {
    let traps = [
        "",
        " ",
        "~",
        "null",
        "true",
        "no",
        "1",
        "08",
        "0x1f",
        "1e3",
        ".5",
        "-",
        "- a",
        "?",
        "? a",
        ": ",
        "a: b",
        "a #b",
        "#",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "---",
        "...",
        "<<",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "\\",
        "it's",
        "a\nb",
        "a\n\nb\n",
        "\n",
        "\ta",
        "a ",
        "2024-01-31",
        ".inf",
        "/a/{b}",
        "200",
        "x\u{2028}y",
        "\u{feff}z",
        "\u{85}",
        "é",
        "😀",
    ];
    prop_oneof![3 => select(traps.to_vec()).prop_map(str::to_owned), 2 => "[a-z]{1,8}( [a-z]{1,4}){0,3}", 2 => any::<String>()].boxed()
}

fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_filter("no JSON", |number| number.is_finite()).prop_map(Value::from),
        4 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
    .boxed()
}

/// A value in block style: what follows on the line, or lines that begin on one of their own. Both are without indentation.
enum Written {
    Inline(Vec<String>),
    Block(Vec<String>),
}

/// Writes values, each in a way that the numbers pick.
struct Pen {
    picks: Vec<u8>,
    at: usize,
    anchors: Vec<Value>,
}

impl Pen {
    /// One of so many ways.
    fn pick(&mut self, ways: u8) -> u8 {
        self.at += 1;
        self.picks[self.at % self.picks.len()].wrapping_add(u8::try_from(self.at / self.picks.len() % 251).unwrap())
            % ways
    }

    /// A text as a scalar on one line.
    fn quoted(&mut self, text: &str) -> String {
        let is_plain = text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.ends_with(|last: char| last.is_ascii_alphanumeric())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'/' | b'.' | b'-'))
            && !["null", "true", "false"].contains(&text);
        let is_single = !text.chars().any(|c| c.is_control() || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}'));
        match self.pick(3) {
            0 if is_plain => text.to_owned(),
            1 if is_single => format!("'{}'", text.replace('\'', "''")),
            _ => {
                let escaped = text.chars().map(|c| match c {
                    '"' | '\\' => format!("\\{c}"),
                    '\n' => "\\n".to_owned(),
                    ' '..='~' => c.to_string(),
                    _ if c.is_alphanumeric() => c.to_string(),
                    _ if u32::from(c) <= 0xFF => format!("\\x{:02x}", u32::from(c)),
                    _ if u32::from(c) <= 0xFFFF => format!("\\u{:04X}", u32::from(c)),
                    _ => format!("\\U{:08X}", u32::from(c)),
                });
                format!("\"{}\"", escaped.collect::<String>())
            }
        }
    }

    fn scalar(&mut self, value: &Value) -> String {
        match value {
            Value::String(text) => self.quoted(text),
            Value::Null => ["null", "~", "Null", "!!null ''"][usize::from(self.pick(4))].to_owned(),
            Value::Bool(true) => ["true", "True", "TRUE", "!!bool \"true\""][usize::from(self.pick(4))].to_owned(),
            other => other.to_string(),
        }
    }

    /// Any value on one line.
    fn flow(&mut self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let end = ["]", ",]", " ]"][usize::from(self.pick(if items.is_empty() { 1 } else { 3 }))];
                let items: Vec<String> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{}{end}", items.join([",", ", "][usize::from(self.pick(2))]))
            }
            Value::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| {
                        let mark = ["", "? "][usize::from(self.pick(2))];
                        format!("{mark}{}: {}", self.quoted(key), self.flow(value))
                    })
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
            scalar => self.scalar(scalar),
        }
    }

    /// Any value, with an anchor or as an alias of one now and then.
    fn block(&mut self, value: &Value) -> Written {
        if let Some(at) = self.anchors.iter().position(|named| named == value)
            && self.pick(2) == 0
        {
            return Written::Inline(vec![format!("*a{at}")]);
        }
        let written = self.unnamed(value);
        if self.pick(5) != 0 {
            return written;
        }
        let name = format!("&a{}", self.anchors.len());
        self.anchors.push(value.clone());
        Written::Inline(match written {
            Written::Inline(mut lines) => {
                lines[0] = format!("{name} {}", lines[0]);
                lines
            }
            Written::Block(lines) => std::iter::once(name).chain(indented(lines, 1)).collect(),
        })
    }

    fn unnamed(&mut self, value: &Value) -> Written {
        let way = self.pick(4);
        match value {
            Value::Array(items) if way > 0 && !items.is_empty() => {
                Written::Block(items.iter().flat_map(|item| self.entry("-", item, false)).collect())
            }
            Value::Object(members) if way > 0 && !members.is_empty() => {
                Written::Block(members.iter().flat_map(|(key, value)| self.member(key, value)).collect())
            }
            Value::String(text) if way > 0 && is_lines(text) => {
                let end = if text.ends_with('\n') { "" } else { "-" };
                let lines: Vec<String> = text.trim_end_matches('\n').split('\n').map(str::to_owned).collect();
                let style = if lines.len() == 1 && way == 1 { ">" } else { "|" };
                Written::Inline(std::iter::once(format!("{style}{end}")).chain(indented(lines, 1)).collect())
            }
            other => Written::Inline(vec![self.flow(other)]),
        }
    }

    fn member(&mut self, key: &str, value: &Value) -> Vec<String> {
        if self.pick(4) == 0 {
            let mut lines = self.entry("?", &Value::from(key), true);
            lines.extend(self.entry(":", value, false));
            return lines;
        }
        let key = self.quoted(key);
        let comment = ["", "", "", " # a comment"][usize::from(self.pick(4))];
        match self.block(value) {
            Written::Inline(lines) => beside(&format!("{key}: "), lines),
            Written::Block(lines) => {
                // A list may be indented as far as its key.
                let spaces =
                    if lines[0].starts_with("- ") || lines[0] == "-" { self.pick(4) } else { 1 + self.pick(4) };
                std::iter::once(format!("{key}:{comment}")).chain(indented(lines, usize::from(spaces))).collect()
            }
        }
    }

    /// What stands behind `-`, `?` or `:` in block style.
    fn entry(&mut self, mark: &str, value: &Value, is_key: bool) -> Vec<String> {
        let written = if is_key { self.unnamed(value) } else { self.block(value) };
        match written {
            Written::Inline(lines) => beside(&format!("{mark} "), lines),
            Written::Block(lines) if self.pick(2) == 0 => beside(&format!("{mark} "), lines),
            Written::Block(lines) => {
                let spaces = 1 + usize::from(self.pick(3));
                std::iter::once(mark.to_owned()).chain(indented(lines, spaces)).collect()
            }
        }
    }

    fn document(&mut self, value: &Value) -> String {
        let (Written::Inline(lines) | Written::Block(lines)) = self.block(value);
        let mark = ["", "# a document\n", "---\n", "%YAML 1.2\n---\n"][usize::from(self.pick(4))];
        let end = ["\n", "\n...\n", "\n# the end"][usize::from(self.pick(3))];
        let text = format!("{mark}{}{end}", lines.join("\n"));
        if self.pick(3) == 0 { text.replace('\n', "\r\n") } else { text }
    }
}

/// Lines that a block scalar writes as they are, its indentation found by the first of them.
fn is_lines(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_line = |line: &str| {
        !line.is_empty() && line.trim() == line && !line.chars().any(|c| c.is_control() || c == '\u{feff}')
    };
    text.split('\n').all(is_line) && !text.contains(['\u{fffe}', '\u{ffff}'])
}

fn indented(lines: Vec<String>, spaces: usize) -> impl Iterator<Item = String> {
    lines.into_iter().map(move |line| format!("{}{line}", " ".repeat(spaces)))
}

/// The first line behind a mark, and the others below it.
fn beside(mark: &str, lines: Vec<String>) -> Vec<String> {
    let spaces = mark.len().min(2);
    let mut lines = lines.into_iter();
    let first = format!("{mark}{}", lines.next().unwrap_or_default());
    std::iter::once(first).chain(indented(lines.collect(), spaces)).collect()
}

/// Pieces of which YAML is made, and mistakes are.
fn soup() -> BoxedStrategy<String> {
    let pieces = [
        "- ",
        "a: ",
        "b",
        "1",
        "&a ",
        "*a",
        "*a : ",
        "&b ",
        "*b",
        "<<: ",
        "<<: *a",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ": ",
        "? ",
        "\n",
        "\n  ",
        "\n    ",
        " ",
        "|",
        ">-\n",
        "\"",
        "'",
        "\\",
        "# c\n",
        "!!int ",
        "!x ",
        "!!str",
        "---\n",
        "...\n",
        "%TAG ! a\n",
        "\t",
        "\r\n",
        "é",
        "~",
        ".inf",
        "\u{feff}",
    ];
    vec(select(pieces.to_vec()), 0..60).prop_map(|pieces| pieces.concat()).boxed()
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn any_value_in_any_style_reads_back(value in value(), picks in vec(any::<u8>(), 1..64)) {
        let yaml = Pen { picks, at: 0, anchors: Vec::new() }.document(&value);
        let json = to_json(&yaml);
        prop_assert!(json.is_ok(), "{:?} in\n{}", json, yaml);
        let read: Value = serde_json::from_str(&json.unwrap()).unwrap();
        // Through its text, since that is how a number is compared: by its digits.
        prop_assert_eq!(read, serde_json::from_str::<Value>(&value.to_string()).unwrap(), "{}", yaml);
    }

    #[test]
    fn json_is_yaml(value in value(), is_pretty in any::<bool>()) {
        let json = if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        // YAML has no control characters that are not escaped, and JSON has: DEL and those behind it.
        let is_printable = |c: char| !matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
        prop_assume!(json.chars().all(is_printable));
        let read: Value = serde_json::from_str(&to_json(&json).unwrap()).unwrap();
        prop_assert_eq!(read, serde_json::from_str::<Value>(&json).unwrap());
    }

    #[test]
    fn any_text_is_read_as_json_or_refused_with_its_place(text in prop_oneof![3 => soup(), 1 => any::<String>()]) {
        match to_json(&text) {
            Ok(json) => {
                prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&json).is_ok(), "{} of {:?}", json, text);
                // The budget is far from these: aliases of aliases in sixty pieces.
                prop_assert!(json.len() < 17 << 20);
            }
            Err(error) => {
                let lines = text.split('\n').flat_map(|line| line.split('\r')).count();
                prop_assert!((1..=lines + 1).contains(&error.line) && error.column >= 1, "{} of {:?}", error, text);
                prop_assert!(!error.message.is_empty());
            }
        }
    }
}
