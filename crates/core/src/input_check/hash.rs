//! Hashes of values, by which equal ones are found.
//!
//! Rule: nobody can prepare values with the same hash, and a hash is never taken for equality.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::tree::{Cell, Entry, Tree};

/// Keys made anew in each process, so that nobody can prepare values with the same hash.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let text = RandomState::new();
    let [one, other] = [0_u8, 1].map(|at| text.hash_one(at) | 1);
    Keys { text, one, other }
});

struct Keys {
    text: RandomState,
    one: u64,
    other: u64,
}

impl Keys {
    /// Two hashes as one, in their order.
    fn mix(&self, one: u64, other: u64) -> u64 {
        let product = u128::from(one ^ self.one) * u128::from(other.rotate_left(32) ^ self.other);
        // Both halves count.
        #[allow(clippy::cast_possible_truncation)]
        let halves = (product as u64) ^ ((product >> 64) as u64);
        halves
    }
}

/// The hash of a value that holds no others, and of an array or object without its members.
pub(super) fn hash_scalar(tree: &Tree<'_>, cell: Cell) -> u64 {
    let keys = &*KEYS;
    match cell {
        Cell::Null => keys.mix(0, 0),
        Cell::Bool(value) => keys.mix(1, value.into()),
        // Both zeros are one number.
        Cell::Number(number) => keys.mix(2, (number + 0.0).to_bits()),
        Cell::Text(text) => keys.text.hash_one(tree.text(text)),
        Cell::List(list) => keys.mix(3, list.len.into()),
        Cell::Object(object) => keys.mix(4, object.len.into()),
    }
}

/// The hash of an array with one item more.
pub(super) fn hash_item(before: u64, item: u64) -> u64 {
    KEYS.mix(before, item)
}

/// The hash of an object with one member more, whatever their order.
pub(super) fn hash_member(tree: &Tree<'_>, before: u64, entry: &Entry, value: u64) -> u64 {
    before.wrapping_add(KEYS.mix(hash_scalar(tree, entry.name), value))
}

/// The hash of a value with all that it holds, in a loop.
pub(super) fn hash_whole(tree: &Tree<'_>, cell: Cell) -> u64 {
    /// A container, how many of its members are hashed, and their hash.
    struct Frame {
        cell: Cell,
        done: usize,
        hash: u64,
    }
    let begin = |cell| Frame { cell, done: 0, hash: hash_scalar(tree, cell) };
    let mut open = vec![begin(cell)];
    let mut last = None;
    while let Some(frame) = open.last_mut() {
        if let Some(value) = last.take() {
            frame.hash = match frame.cell {
                Cell::Object(object) => hash_member(tree, frame.hash, &tree.entries(object)[frame.done], value),
                _ => hash_item(frame.hash, value),
            };
            frame.done += 1;
        }
        let next = match frame.cell {
            Cell::List(list) => tree.items(list).get(frame.done).copied(),
            Cell::Object(object) => tree.entries(object).get(frame.done).map(|entry| entry.value),
            _ => None,
        };
        match next {
            Some(next) => open.push(begin(next)),
            None => last = open.pop().map(|frame| frame.hash),
        }
    }
    last.unwrap_or_default()
}
