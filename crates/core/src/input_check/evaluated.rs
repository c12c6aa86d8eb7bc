//! What `unevaluatedProperties` and `unevaluatedItems` leave alone: what another schema for the same value has judged.

use super::judge::{Judge, Verdict};
use super::program::{Check, Id, Node};
use super::tree::Cell;

impl<'a> Judge<'a> {
    /// Which members or items of a value were evaluated by what stands beside an `unevaluated…` and within it.
    pub(super) fn evaluated(&mut self, node: &'a Node, cell: &'a Cell, len: u32) -> Verdict<Vec<bool>> {
        self.step(u64::from(len) / 8)?;
        let mut marks = vec![false; len as usize];
        let is_other = |check: &&Check| !matches!(check, Check::UnevaluatedProperties(_) | Check::UnevaluatedItems(_));
        for check in node.checks.iter().filter(is_other) {
            self.mark(check, cell, &mut marks)?;
        }
        Ok(marks)
    }

    /// Marks what a check evaluates of a value that passes it.
    fn mark(&mut self, check: &'a Check, cell: &'a Cell, marks: &mut [bool]) -> Verdict<()> {
        self.step(1)?;
        match (check, *cell) {
            (Check::Members(members), Cell::Object(object)) => {
                for (entry, mark) in self.tree.entries(object).iter().zip(marks) {
                    let named = self.named(members, entry)?;
                    *mark |= named.map_or(members.additional, |(property, _)| property).is_some();
                }
            }
            (Check::Items(items), Cell::List(_)) => {
                let end = if items.rest.is_some() { marks.len() } else { items.prefix.len().min(marks.len()) };
                marks[..end].fill(true);
            }
            (Check::Contains(contains), Cell::List(list)) if contains.evaluates => {
                for (item, mark) in self.tree.items(list).iter().zip(marks) {
                    *mark |= self.judge(contains.item, item)?;
                }
            }
            (Check::UnevaluatedProperties(_), Cell::Object(_)) | (Check::UnevaluatedItems(_), Cell::List(_)) => {
                marks.fill(true);
            }
            (Check::All(ids), _) => {
                for id in ids {
                    self.mark_within(*id, cell, marks)?;
                }
            }
            (Check::Any(ids) | Check::One(ids), _) => {
                for id in ids {
                    if self.judge(*id, cell)? {
                        self.mark_within(*id, cell, marks)?;
                    }
                }
            }
            (Check::If(condition), _) => {
                let (is_met, outcome) = self.outcome(condition, cell)?;
                for id in is_met.then_some(condition.condition).into_iter().chain(outcome) {
                    self.mark_within(id, cell, marks)?;
                }
            }
            (Check::Dependent(ids), Cell::Object(object)) => {
                for (name, id) in ids {
                    if self.has(object, name)? {
                        self.mark_within(*id, cell, marks)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn mark_within(&mut self, id: Id, cell: &'a Cell, marks: &mut [bool]) -> Verdict<()> {
        self.deeper(|judge| {
            judge.step(marks.len() as u64 / 8)?;
            for check in &judge.node(id).checks {
                judge.mark(check, cell, marks)?;
            }
            Ok(())
        })
    }
}
