//! Whether a value keeps a schema.
//!
//! Rule: every step is counted, for this very input, and judging ends when there were too many; so nothing that a schema
//! says can make it hang, and nothing is refused for what it might have cost. What several ways lead to is remembered once
//! an input takes long, so that the steps are at most the schemas times the values.

use std::collections::HashMap;

use super::multiple::is_multiple;
use super::program::{Check, Condition, Contains, Id, Items, Members, Node, Program, kinds};
use super::tree::{Cell, Entry, MAX_SAFE, Span, Text, Tree};

/// Most steps; about a tenth of a second.
pub(super) const MAX_STEPS: u64 = 5_000_000;

/// Steps after which what was judged is remembered.
const FORGETFUL_STEPS: u64 = 16_384;

/// Most that is remembered.
const MAX_REMEMBERED: usize = 1 << 20;

/// What remembering takes, in steps.
const REMEMBERING: u64 = 4;

/// Bytes of text that are looked through in a step.
pub(super) const BYTES_A_STEP: u64 = 64;

/// Why there is no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    TooManySteps,
    TooDeep,
}

pub(super) type Verdict<T> = Result<T, Stop>;

/// The state of judging one input.
pub(super) struct Judge<'a> {
    pub(super) program: &'a Program,
    pub(super) tree: &'a Tree<'a>,
    steps: u64,
    max_steps: u64,
    depth: usize,
    max_depth: usize,
    /// By schema, the address of the value, and whether only safe integers counted.
    remembered: HashMap<(Id, usize, bool), bool>,
    /// Whether integers that are not safe are none, as Effect has it.
    only_safe: bool,
    /// The characters of the string that was counted last.
    counted: Option<(Text, u64)>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(program: &'a Program, tree: &'a Tree<'a>, max_steps: u64, max_depth: usize) -> Self {
        Judge {
            program,
            tree,
            steps: 0,
            max_steps,
            depth: 0,
            max_depth,
            remembered: HashMap::new(),
            only_safe: false,
            counted: None,
        }
    }

    /// Steps that were taken.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn node(&self, id: Id) -> &'a Node {
        &self.program.nodes[id as usize]
    }

    /// Whether a value keeps the schema.
    pub(super) fn judge(&mut self, id: Id, cell: &'a Cell) -> Verdict<bool> {
        let node = self.node(id);
        if !node.is_shared || self.steps < FORGETFUL_STEPS {
            return self.keeps(node, cell);
        }
        let key = (id, std::ptr::from_ref(cell).addr(), self.only_safe);
        if let Some(known) = self.remembered.get(&key) {
            let known = *known;
            self.step(1)?;
            return Ok(known);
        }
        let verdict = self.keeps(node, cell)?;
        if self.remembered.len() < MAX_REMEMBERED {
            self.step(REMEMBERING)?;
            self.remembered.insert(key, verdict);
        }
        Ok(verdict)
    }

    fn keeps(&mut self, node: &'a Node, cell: &'a Cell) -> Verdict<bool> {
        self.deeper(|judge| {
            for check in &node.checks {
                if !judge.passes(node, check, cell)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Verdict<T>) -> Verdict<T> {
        self.step(1)?;
        if self.depth == self.max_depth {
            return Err(Stop::TooDeep);
        }
        self.depth += 1;
        let done = work(self)?;
        self.depth -= 1;
        Ok(done)
    }

    pub(super) fn step(&mut self, steps: u64) -> Verdict<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.max_steps { Err(Stop::TooManySteps) } else { Ok(()) }
    }

    /// Whether a value passes one check of a schema.
    pub(super) fn passes(&mut self, node: &'a Node, check: &'a Check, cell: &'a Cell) -> Verdict<bool> {
        self.step(1)?;
        match (check, *cell) {
            (Check::Never, _) => Ok(false),
            (Check::Kinds(kinds), cell) => Ok(self.is_of_kind(*kinds, cell)),
            (Check::Allowed(allowed), _) => self.is_allowed(allowed, cell),
            (Check::Maximum(most), Cell::Number(number)) => Ok(number <= *most),
            (Check::Minimum(least), Cell::Number(number)) => Ok(number >= *least),
            (Check::ExclusiveMaximum(most), Cell::Number(number)) => Ok(number < *most),
            (Check::ExclusiveMinimum(least), Cell::Number(number)) => Ok(number > *least),
            (Check::MultipleOf(divisor), Cell::Number(number)) => {
                let (is_multiple, steps) = is_multiple(number, *divisor);
                self.step(steps)?;
                Ok(is_multiple)
            }
            (Check::MaxLength(most), Cell::Text(text)) => {
                let bytes = self.tree.text(text).len() as u64;
                Ok(bytes <= *most || (bytes / 4 <= *most && self.characters(text)? <= *most))
            }
            (Check::MinLength(least), Cell::Text(text)) => {
                let bytes = self.tree.text(text).len() as u64;
                Ok(bytes / 4 >= *least || (bytes >= *least && self.characters(text)? >= *least))
            }
            (Check::MaxItems(most), Cell::List(list)) => Ok(u64::from(list.len) <= *most),
            (Check::MinItems(least), Cell::List(list)) => Ok(u64::from(list.len) >= *least),
            (Check::MaxProperties(most), Cell::Object(object)) => Ok(u64::from(object.len) <= *most),
            (Check::MinProperties(least), Cell::Object(object)) => Ok(u64::from(object.len) >= *least),
            (Check::Unique, Cell::List(list)) => self.is_unique(list),
            (Check::Members(members), Cell::Object(object)) => self.has_members(members, object),
            (Check::Names(names), Cell::Object(object)) => {
                let tree = self.tree;
                self.all(tree.entries(object), |judge, entry| judge.judge(*names, &entry.name))
            }
            (Check::DependentRequired(names), Cell::Object(object)) => {
                for (name, required) in names {
                    if self.has(object, name)? {
                        for name in required {
                            if !self.has(object, name)? {
                                return Ok(false);
                            }
                        }
                    }
                }
                Ok(true)
            }
            (Check::Items(items), Cell::List(list)) => self.has_items(items, list),
            (Check::Contains(contains), Cell::List(list)) => self.contains(contains, list),
            (Check::All(ids), _) => self.all(ids, |judge, id| judge.judge(*id, cell)),
            (Check::Any(ids), _) => {
                for id in self.candidates(node, ids, *cell)? {
                    if self.judge(*id, cell)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Check::One(ids), _) => {
                let ids = self.candidates(node, ids, *cell)?;
                self.fits_one(ids, cell)
            }
            (Check::Not(id), _) => Ok(!self.judge(*id, cell)?),
            (Check::If(condition), _) => match self.outcome(condition, cell)? {
                (_, Some(outcome)) => self.judge(outcome, cell),
                (_, None) => Ok(true),
            },
            (Check::Dependent(ids), Cell::Object(object)) => {
                for (name, id) in ids {
                    if self.has(object, name)? && !self.judge(*id, cell)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Check::UnevaluatedProperties(id), Cell::Object(object)) => {
                let evaluated = self.evaluated(node, cell, object.len)?;
                for (entry, is_evaluated) in self.tree.entries(object).iter().zip(evaluated) {
                    if !is_evaluated && !self.judge(*id, &entry.value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Check::UnevaluatedItems(id), Cell::List(list)) => {
                let evaluated = self.evaluated(node, cell, list.len)?;
                for (item, is_evaluated) in self.tree.items(list).iter().zip(evaluated) {
                    if !is_evaluated && !self.judge(*id, item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            // A check for values of another kind.
            _ => Ok(true),
        }
    }

    fn all<T>(&mut self, list: &'a [T], mut keeps: impl FnMut(&mut Self, &'a T) -> Verdict<bool>) -> Verdict<bool> {
        for item in list {
            if !keeps(self, item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_of_kind(&self, wanted: u8, cell: Cell) -> bool {
        let kind = match cell {
            Cell::Null => kinds::NULL,
            Cell::Bool(_) => kinds::BOOLEAN,
            Cell::Number(number) => {
                let is_whole = number.fract() == 0.0 && !(self.only_safe && number.abs() > MAX_SAFE);
                kinds::NUMBER | if is_whole { kinds::INTEGER } else { 0 }
            }
            Cell::Text(_) => kinds::STRING,
            Cell::List(_) => kinds::ARRAY,
            Cell::Object(_) => kinds::OBJECT,
        };
        wanted & kind != 0
    }

    fn characters(&mut self, text: Text) -> Verdict<u64> {
        if let Some((known, count)) = self.counted
            && known == text
        {
            return Ok(count);
        }
        let string = self.tree.text(text);
        self.step(string.len() as u64 / BYTES_A_STEP)?;
        let count = string.chars().count() as u64;
        self.counted = Some((text, count));
        Ok(count)
    }

    pub(super) fn has(&mut self, object: Span, name: &str) -> Verdict<bool> {
        self.step(1 + u64::from(object.len) / 4)?;
        Ok(self.tree.has(object, name))
    }

    fn has_members(&mut self, members: &'a Members, object: Span) -> Verdict<bool> {
        let mut required = members.required;
        for entry in self.tree.entries(object) {
            let named = self.named(members, entry)?;
            required -= u32::from(named.is_some_and(|(_, is_required)| is_required));
            if let Some(id) = named.map_or(members.additional, |(property, _)| property)
                && !self.judge(id, &entry.value)?
            {
                return Ok(false);
            }
        }
        Ok(required == 0)
    }

    /// The schema of a member that has a name in `properties` or `required`, and whether it is required. One that only
    /// `required` names is an additional one.
    pub(super) fn named(&mut self, members: &'a Members, entry: &Entry) -> Verdict<Option<(Option<Id>, bool)>> {
        let name = self.tree.name(entry);
        self.step(1 + name.len() as u64 / BYTES_A_STEP)?;
        let named = members.find(name);
        Ok(named.map(|named| (named.property.or(members.additional), named.is_required)))
    }

    fn has_items(&mut self, items: &'a Items, list: Span) -> Verdict<bool> {
        let all = self.tree.items(list);
        for (id, item) in items.prefix.iter().zip(all) {
            if !self.judge(*id, item)? {
                return Ok(false);
            }
        }
        match (items.rest, all.get(items.prefix.len()..)) {
            (Some(rest), Some(items)) => self.all(items, |judge, item| judge.judge(rest, item)),
            _ => Ok(true),
        }
    }

    fn contains(&mut self, contains: &'a Contains, list: Span) -> Verdict<bool> {
        let mut count = 0;
        for item in self.tree.items(list) {
            if count >= contains.min && contains.max.is_none() {
                break;
            }
            count += u64::from(self.judge(contains.item, item)?);
            if contains.max.is_some_and(|max| count > max) {
                return Ok(false);
            }
        }
        Ok(count >= contains.min)
    }

    /// Whether exactly one fits. Of an integer that is not safe it is enough that one fits as Effect has it: what this check
    /// accepts beyond Effect must not make it refuse more.
    fn fits_one(&mut self, ids: &'a [Id], cell: &'a Cell) -> Verdict<bool> {
        let mut fits = self.fitting(ids, cell, 2)?;
        if fits == 2 && self.tree.has_unsafe_integers && !self.only_safe {
            self.only_safe = true;
            fits = self.fitting(ids, cell, 2)?.max(1);
            self.only_safe = false;
        }
        Ok(fits == 1)
    }

    /// How many of the schemas the value keeps, counted up to so many.
    pub(super) fn fitting(&mut self, ids: &'a [Id], cell: &'a Cell, most: usize) -> Verdict<usize> {
        let mut fits = 0;
        for id in ids {
            fits += usize::from(self.judge(*id, cell)?);
            if fits == most {
                break;
            }
        }
        Ok(fits)
    }

    /// Whether the condition is met, and the schema that then applies.
    pub(super) fn outcome(&mut self, of: &'a Condition, cell: &'a Cell) -> Verdict<(bool, Option<Id>)> {
        let is_met = self.judge(of.condition, cell)?;
        Ok((is_met, if is_met { of.then } else { of.otherwise }))
    }
}
