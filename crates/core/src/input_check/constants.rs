//! What `enum` and `const` list, so that a value is found among many without going through them.

use super::hash::hash_whole;
use super::tree::{Cell, MAX_BYTES, MAX_VALUES, Span, Text, Tree};
use super::view::Value;

/// The single values of an `enum` or `const`.
#[derive(Debug)]
pub(super) struct Allowed {
    /// In the order of the schema, among the constants.
    pub(super) list: Span,
    null: bool,
    /// False and true.
    booleans: [bool; 2],
    numbers: Box<[f64]>,
    /// By length, then by bytes.
    texts: Box<[Text]>,
    /// Arrays and objects by their hash.
    compound: Box<[(u64, Cell)]>,
}

impl Allowed {
    /// Whether this value that holds no others is listed.
    pub(super) fn has_scalar(&self, constants: &Tree<'_>, tree: &Tree<'_>, cell: Cell) -> bool {
        match cell {
            Cell::Null => self.null,
            Cell::Bool(value) => self.booleans[usize::from(value)],
            Cell::Number(number) => self.numbers.binary_search_by(|other| other.total_cmp(&(number + 0.0))).is_ok(),
            Cell::Text(text) => {
                let text = tree.text(text);
                let by = |other: &Text| {
                    let other = constants.text(*other);
                    (other.len(), other.as_bytes()).cmp(&(text.len(), text.as_bytes()))
                };
                self.texts.binary_search_by(by).is_ok()
            }
            Cell::List(_) | Cell::Object(_) => false,
        }
    }

    /// The listed arrays and objects that have this hash.
    pub(super) fn compound(&self, hash: u64) -> impl Iterator<Item = Cell> + '_ {
        let start = self.compound.partition_point(|(other, _)| *other < hash);
        self.compound[start..].iter().take_while(move |(other, _)| *other == hash).map(|(_, cell)| *cell)
    }

    /// The strings that are listed, where nothing else is.
    pub(super) fn only_texts(&self) -> Option<&[Text]> {
        (self.texts.len() == self.list.len as usize).then_some(&self.texts)
    }

    pub(super) fn has_compound(&self) -> bool {
        !self.compound.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.numbers) + size_of_val(&*self.texts) + size_of_val(&*self.compound)
    }
}

/// What all `enum` and `const` list.
pub(super) struct Constants {
    pub(super) tree: Tree<'static>,
}

impl Constants {
    pub(super) fn new() -> Self {
        Constants { tree: Tree::empty() }
    }

    /// Whether they are more than what a text may hold.
    pub(super) fn are_too_many(&self) -> bool {
        self.tree.decoded.len() > MAX_BYTES || self.tree.values() > MAX_VALUES
    }

    /// Adds what one assertion lists.
    pub(super) fn allow(&mut self, values: &[Value<'_>]) -> Allowed {
        let cells: Vec<Cell> = values.iter().map(|value| value.copy(&mut self.tree)).collect();
        let list = self.tree.push_items(&cells);
        let (mut null, mut booleans) = (false, [false; 2]);
        let (mut numbers, mut texts, mut compound) = (Vec::new(), Vec::new(), Vec::new());
        for cell in cells {
            match cell {
                Cell::Null => null = true,
                Cell::Bool(value) => booleans[usize::from(value)] = true,
                Cell::Number(number) => numbers.push(number + 0.0),
                Cell::Text(text) => texts.push(text),
                cell => compound.push((hash_whole(&self.tree, cell), cell)),
            }
        }
        numbers.sort_by(f64::total_cmp);
        texts.sort_by_key(|text| {
            let text = self.tree.text(*text);
            (text.len(), text.as_bytes())
        });
        compound.sort_by_key(|(hash, _)| *hash);
        Allowed { list, null, booleans, numbers: numbers.into(), texts: texts.into(), compound: compound.into() }
    }
}
