//! The words for what is wrong with a value.
//!
//! Rule: names and values of the schema may be told, and names of unexpected properties, but no value of the input.

use super::place::value;
use super::program::{Check, kinds};
use super::tree::{Cell, Tree};

/// Longest text that is looked into for JSON.
const MAX_HELD_JSON: usize = 64 << 10;

/// Deepest JSON in a string that is looked at.
const MAX_HELD_DEPTH: usize = 32;

pub(super) const LEAVE_OUT: &str = ": leave it out";
pub(super) const RULED_OUT: &str = "is of a form that the schema rules out";
pub(super) const SEVERAL_FORMS: &str = "fits more than one form, where exactly one may fit";

/// What is said of an input that its schema's check cannot afford.
pub(super) fn too_large(tree: &Tree<'_>) -> String {
    format!(
        "input: {} values are too many to check against this tool's parameters: send fewer at a time",
        tree.values()
    )
}

/// Where telling more would take too much work.
pub(super) fn no_match() -> String {
    "input: does not match the input schema of the tool".to_owned()
}

/// What a check that needs no look around says of a value that does not pass it.
pub(super) fn says(check: &Check) -> String {
    let count = |what, count, one, more| format!("expected at {what} {}", counted(count, one, more));
    match check {
        Check::Maximum(limit) => format!("expected at most {}", number(*limit)),
        Check::Minimum(limit) => format!("expected at least {}", number(*limit)),
        Check::ExclusiveMaximum(limit) => format!("expected less than {}", number(*limit)),
        Check::ExclusiveMinimum(limit) => format!("expected more than {}", number(*limit)),
        Check::MultipleOf(divisor) => format!("expected a multiple of {}", number(*divisor)),
        Check::MaxLength(limit) => count("most", *limit, "character", "characters"),
        Check::MinLength(limit) => count("least", *limit, "character", "characters"),
        Check::MaxItems(limit) => count("most", *limit, "item", "items"),
        Check::MinItems(limit) => count("least", *limit, "item", "items"),
        Check::MaxProperties(limit) => count("most", *limit, "property", "properties"),
        Check::MinProperties(limit) => count("least", *limit, "property", "properties"),
        Check::Unique => "has an item twice: each may be there once".to_owned(),
        Check::Contains(_) => "does not have the items that the schema asks for".to_owned(),
        Check::Not(_) => RULED_OUT.to_owned(),
        Check::One(_) => SEVERAL_FORMS.to_owned(),
        _ => "is not accepted".to_owned(),
    }
}

pub(super) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn number(number: f64) -> String {
    super::tree::to_number(number).to_string()
}

/// What was expected of a value.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// Kinds of values, by name.
    pub(super) kinds: Vec<&'static str>,
    /// Single values, among the constants of the schema.
    pub(super) options: Vec<Cell>,
}

impl Expected {
    pub(super) fn kinds(kinds: u8) -> Self {
        let mut expected = Expected::default();
        expected.add_kinds(kinds);
        expected
    }

    pub(super) fn add_kinds(&mut self, kinds: u8) {
        for (kind, name) in kinds::NAMES {
            if kinds & kind != 0 && !self.kinds.contains(&name) {
                self.kinds.push(name);
            }
        }
    }

    /// What was expected, and what kind of value is there.
    pub(super) fn says(&self, constants: &Tree<'_>, tree: &Tree<'_>, got: Cell) -> String {
        let mut wanted: Vec<String> = self.kinds.iter().map(|kind| (*kind).to_owned()).collect();
        match self.options[..] {
            [] => {}
            [only] => wanted.push(value(constants, only)),
            _ => {
                let options = self.options.iter().map(|option| value(constants, *option));
                wanted.push(format!("one of {}", super::place::list(options)));
            }
        }
        let expected = format!("expected {}", either(&wanted));
        if let Some(kind) = self.kind_of_held_json(constants, tree, got) {
            return format!("{expected}, got a string holding JSON: send the {kind} itself");
        }
        // Of the right kind, but another value: its kind says nothing.
        let is_same_kind = self.kinds.is_empty() && self.options.iter().any(|option| kind_of(*option) == kind_of(got));
        if is_same_kind {
            return expected;
        }
        if self.kinds.contains(&"integer") && matches!(got, Cell::Number(_)) {
            return format!("{expected}, got a number that is not whole");
        }
        format!("{expected}, got {}", kind_of(got))
    }

    /// The kind of the value that a string holds as JSON, if that value is what is wanted.
    fn kind_of_held_json(&self, constants: &Tree<'_>, tree: &Tree<'_>, got: Cell) -> Option<&'static str> {
        let Cell::Text(text) = got else { return None };
        let text = tree.text(text);
        if text.len() > MAX_HELD_JSON || self.kinds.contains(&"string") {
            return None;
        }
        let held = Tree::read(text).ok().filter(|held| held.depth <= MAX_HELD_DEPTH)?;
        let is_option = |option: &Cell| {
            !matches!(held.root, Cell::List(_) | Cell::Object(_))
                && is_same_scalar(constants, *option, &held, held.root)
        };
        let is_kind = |kind: &&str| match held.root {
            Cell::Number(number) => *kind == "number" || (*kind == "integer" && number.fract() == 0.0),
            held => *kind == kind_of(held),
        };
        (self.options.iter().any(is_option) || self.kinds.iter().any(is_kind)).then(|| kind_of(held.root))
    }
}

fn is_same_scalar(constants: &Tree<'_>, option: Cell, tree: &Tree<'_>, cell: Cell) -> bool {
    match (option, cell) {
        (Cell::Text(one), Cell::Text(other)) => constants.text(one) == tree.text(other),
        (one, other) => one == other,
    }
}

fn either(wanted: &[String]) -> String {
    match wanted {
        [] => "another value".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

pub(super) fn kind_of(cell: Cell) -> &'static str {
    match cell {
        Cell::Null => "null",
        Cell::Bool(_) => "boolean",
        Cell::Number(_) => "number",
        Cell::Text(_) => "string",
        Cell::List(_) => "array",
        Cell::Object(_) => "object",
    }
}
