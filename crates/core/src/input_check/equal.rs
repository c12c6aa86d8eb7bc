//! Which values are equal: to one that a schema lists, and to another one of the same list.
//!
//! Rule: equal hashes are looked into, and every value that is hashed or compared is a step.

use super::constants::Allowed;
use super::hash::{hash_item, hash_member, hash_scalar};
use super::judge::{BYTES_A_STEP, Judge, Verdict};
use super::tree::{Cell, Span, Tree};

/// Lists of at most so many single values are searched for equal ones pair by pair.
const FEW_ITEMS: usize = 8;

impl<'a> Judge<'a> {
    /// Whether a value is one that is listed.
    pub(super) fn is_allowed(&mut self, allowed: &'a Allowed, cell: &'a Cell) -> Verdict<bool> {
        let constants = &self.program.constants;
        match *cell {
            Cell::List(_) | Cell::Object(_) if allowed.has_compound() => {
                let hash = self.hash(*cell)?;
                for other in allowed.compound(hash) {
                    if self.is_equal(*cell, constants, other)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            cell => {
                if let Cell::Text(text) = cell {
                    self.step(self.tree.text(text).len() as u64 / BYTES_A_STEP)?;
                }
                Ok(allowed.has_scalar(constants, self.tree, cell))
            }
        }
    }

    /// Whether no two items of a list are equal.
    pub(super) fn is_unique(&mut self, list: Span) -> Verdict<bool> {
        let tree = self.tree;
        let items = tree.items(list);
        let is_scalar = |item: &Cell| !matches!(item, Cell::List(_) | Cell::Object(_));
        if items.len() <= FEW_ITEMS && items.iter().all(is_scalar) {
            for (at, item) in items.iter().enumerate() {
                for other in &items[..at] {
                    if self.is_equal(*item, tree, *other)? {
                        return Ok(false);
                    }
                }
            }
            return Ok(true);
        }
        let mut hashes = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            hashes.push((self.hash(*item)?, at));
        }
        hashes.sort_unstable();
        for (place, (hash, at)) in hashes.iter().enumerate() {
            for (_, other) in hashes[..place].iter().rev().take_while(|(other, _)| other == hash) {
                if self.is_equal(items[*at], tree, items[*other])? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn hash(&mut self, cell: Cell) -> Verdict<u64> {
        let tree = self.tree;
        if let Cell::Text(text) = cell {
            self.step(tree.text(text).len() as u64 / BYTES_A_STEP)?;
        }
        self.deeper(|judge| {
            let mut hash = hash_scalar(tree, cell);
            match cell {
                Cell::List(list) => {
                    for item in tree.items(list) {
                        hash = hash_item(hash, judge.hash(*item)?);
                    }
                }
                Cell::Object(object) => {
                    for entry in tree.entries(object) {
                        judge.step(1 + tree.name(entry).len() as u64 / BYTES_A_STEP)?;
                        hash = hash_member(tree, hash, entry, judge.hash(entry.value)?);
                    }
                }
                _ => {}
            }
            Ok(hash)
        })
    }

    /// Whether a value of the input equals one of it or of the constants.
    fn is_equal(&mut self, one: Cell, from: &'a Tree<'_>, other: Cell) -> Verdict<bool> {
        let tree = self.tree;
        self.deeper(|judge| match (one, other) {
            (Cell::Null, Cell::Null) => Ok(true),
            (Cell::Bool(one), Cell::Bool(other)) => Ok(one == other),
            (Cell::Number(one), Cell::Number(other)) => Ok(one == other),
            (Cell::Text(one), Cell::Text(other)) => {
                let one = tree.text(one);
                judge.step(one.len() as u64 / BYTES_A_STEP)?;
                Ok(one == from.text(other))
            }
            (Cell::List(one), Cell::List(other)) => {
                if one.len != other.len {
                    return Ok(false);
                }
                for (one, other) in tree.items(one).iter().zip(from.items(other)) {
                    if !judge.is_equal(*one, from, *other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Cell::Object(one), Cell::Object(other)) => {
                if one.len != other.len {
                    return Ok(false);
                }
                let others = from.entries(other);
                for (at, entry) in tree.entries(one).iter().enumerate() {
                    let name = tree.name(entry);
                    // Mostly the members stand in the same order.
                    let same = others.get(at).filter(|other| from.name(other) == name);
                    let same = match same {
                        Some(same) => Some(same),
                        None => {
                            judge.step(u64::from(other.len) / 4)?;
                            others.iter().find(|other| from.name(other) == name)
                        }
                    };
                    match same {
                        Some(same) if judge.is_equal(entry.value, from, same.value)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        })
    }
}
