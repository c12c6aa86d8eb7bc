//! Finds what is wrong with an input that does not keep its schema.
//!
//! Rule: only what was found wrong is looked into, and every step is counted as it is when judging; where there are too
//! many, what was found so far is told. `forms` is about alternatives.

use std::collections::HashSet;

use super::constants::Allowed;
use super::found::Found;
use super::judge::{Judge, Verdict};
use super::message::{Expected, LEAVE_OUT, RULED_OUT, counted, says};
use super::place::{Step, list, place, quoted};
use super::program::{Check, Id, Items, Members, Named, Node};
use super::tree::{Cell, Entry, Span};

/// Most steps; a few tens of milliseconds.
pub(super) const MAX_STEPS: u64 = 1_000_000;

/// Most schemas that are looked through for names.
const MAX_NAMING: usize = 64;

/// How a value was come to.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// Whether it is a property that may be left out.
    pub(super) is_optional: bool,
    /// Whether the schema is all that was asked of it.
    pub(super) is_whole: bool,
    /// Forms that it stands in and that are not the only ones meant.
    pub(super) forms: usize,
}

impl Way {
    const ROOT: Self = Way { is_optional: false, is_whole: false, forms: 0 };

    pub(super) fn to_member(self, is_optional: bool) -> Self {
        Way { is_optional, is_whole: true, ..self }
    }

    /// To a schema beside others for the same value.
    pub(super) fn beside(self) -> Self {
        Way { is_whole: false, ..self }
    }
}

/// What is wrong with the input of a judge, whose root does not keep the schema.
pub(super) fn explain(judge: Judge<'_>) -> Found {
    let mut explainer = Explainer { place: Vec::new(), judge };
    let mut found = Found::default();
    let root = &explainer.judge.tree.root;
    if explainer.explain(0, root, Way::ROOT, &mut found).is_err() {
        found.is_cut = true;
    }
    found
}

pub(super) struct Explainer<'a> {
    pub(super) judge: Judge<'a>,
    pub(super) place: Vec<Step<'a>>,
}

impl<'a> Explainer<'a> {
    pub(super) fn explain(&mut self, id: Id, cell: &'a Cell, way: Way, found: &mut Found) -> Verdict<()> {
        let node = self.judge.node(id);
        let before = found.count;
        for check in &node.checks {
            let has_own_mistakes = found.count > before;
            match check {
                // Where a value is nothing that it may be, the rest says nothing.
                Check::Kinds(_) if has_own_mistakes => return Ok(()),
                // What is wrong was not evaluated, and would be told twice.
                Check::UnevaluatedProperties(_) | Check::UnevaluatedItems(_) if has_own_mistakes => {}
                check => self.explain_check(node, check, cell, way, found)?,
            }
            if matches!(check, Check::Kinds(_)) && found.count > before {
                return Ok(());
            }
        }
        Ok(())
    }

    fn explain_check(
        &mut self,
        node: &'a Node,
        check: &'a Check,
        cell: &'a Cell,
        way: Way,
        found: &mut Found,
    ) -> Verdict<()> {
        match (check, *cell) {
            (Check::Members(members), Cell::Object(object)) => self.explain_members(members, object, way, found),
            (Check::Items(items), Cell::List(list)) => self.explain_items(items, list, way, found),
            (Check::Names(names), Cell::Object(object)) => {
                for entry in self.judge.tree.entries(object) {
                    self.explain_at(
                        Step::NameOf(self.judge.tree.name(entry)),
                        *names,
                        &entry.name,
                        way.to_member(false),
                        found,
                    )?;
                }
                Ok(())
            }
            (Check::All(ids), _) => {
                for id in ids {
                    if !self.judge.judge(*id, cell)? {
                        self.explain(*id, cell, way.beside(), found)?;
                    }
                }
                Ok(())
            }
            (Check::Dependent(ids), Cell::Object(object)) => {
                for (name, id) in ids {
                    if self.judge.tree.has(object, name) && !self.judge.judge(*id, cell)? {
                        self.explain(*id, cell, way.beside(), found)?;
                    }
                }
                Ok(())
            }
            _ if self.judge.passes(node, check, cell)? => Ok(()),
            (Check::Any(ids), _) => self.explain_forms(ids, cell, way, found),
            (Check::One(ids), _) if self.judge.fitting(ids, cell, 1)? == 0 => self.explain_forms(ids, cell, way, found),
            (Check::If(condition), _) => {
                let (is_met, outcome) = self.judge.outcome(condition, cell)?;
                let Some(outcome) = outcome else { return Ok(()) };
                let is_never = matches!(self.judge.node(outcome).checks[..], [Check::Never]);
                match (is_never, is_met) {
                    (false, _) => self.explain(outcome, cell, way.beside(), found),
                    // Not to meet the condition is the mistake.
                    (true, false) => self.explain(condition.condition, cell, way.beside(), found),
                    (true, true) => {
                        self.tell(found, || RULED_OUT.to_owned());
                        Ok(())
                    }
                }
            }
            (Check::DependentRequired(names), Cell::Object(object)) => {
                let tree = self.judge.tree;
                for (name, required) in names {
                    if tree.has(object, name) {
                        for missing in required.iter().filter(|missing| !tree.has(object, missing)) {
                            self.place.push(Step::Name(missing));
                            self.tell_first(found, || format!("is required beside {}", quoted(name)));
                            self.place.pop();
                        }
                    }
                }
                Ok(())
            }
            (Check::UnevaluatedProperties(id), Cell::Object(object)) => {
                let evaluated = self.judge.evaluated(node, cell, object.len)?;
                let others = self.judge.tree.entries(object).iter().zip(evaluated);
                let others: Vec<&Entry> =
                    others.filter(|(_, is_evaluated)| !is_evaluated).map(|(entry, _)| entry).collect();
                if matches!(self.judge.node(*id).checks[..], [Check::Never]) {
                    let accepted = self.accepted_nearby(node);
                    self.tell_unexpected(&others, &accepted, found);
                    return Ok(());
                }
                for entry in others {
                    self.explain_at(
                        Step::Name(self.judge.tree.name(entry)),
                        *id,
                        &entry.value,
                        way.to_member(true),
                        found,
                    )?;
                }
                Ok(())
            }
            (Check::UnevaluatedItems(id), Cell::List(list)) => {
                let evaluated = self.judge.evaluated(node, cell, list.len)?;
                if matches!(self.judge.node(*id).checks[..], [Check::Never]) {
                    self.tell(found, || "has items that are not accepted".to_owned());
                    return Ok(());
                }
                for (at, item) in self.judge.tree.items(list).iter().enumerate() {
                    if !evaluated.get(at).is_some_and(|is_evaluated| *is_evaluated) {
                        self.explain_at(Step::Index(at), *id, item, way.to_member(false), found)?;
                    }
                }
                Ok(())
            }
            (Check::Allowed(allowed), cell) => {
                self.tell_expected(
                    || Expected { options: self.options(allowed), ..Expected::default() },
                    cell,
                    way,
                    found,
                );
                Ok(())
            }
            (Check::Kinds(kinds), cell) => {
                self.tell_expected(|| Expected::kinds(*kinds), cell, way, found);
                Ok(())
            }
            (Check::Never, _) => {
                let hint = if way.is_whole { LEAVE_OUT } else { "" };
                self.tell(found, || format!("is not accepted{hint}"));
                Ok(())
            }
            (check, _) => {
                self.tell(found, || says(check));
                Ok(())
            }
        }
    }

    fn explain_at(&mut self, step: Step<'a>, id: Id, cell: &'a Cell, way: Way, found: &mut Found) -> Verdict<()> {
        if self.judge.judge(id, cell)? {
            return Ok(());
        }
        self.place.push(step);
        self.explain(id, cell, way, found)?;
        self.place.pop();
        Ok(())
    }

    fn explain_members(&mut self, members: &'a Members, object: Span, way: Way, found: &mut Found) -> Verdict<()> {
        let tree = self.judge.tree;
        let entries = tree.entries(object);
        let mut present = 0;
        let mut unexpected = Vec::new();
        let mut inner = Vec::new();
        for entry in entries {
            let named = self.judge.named(members, entry)?;
            present += u32::from(named.is_some_and(|(_, is_required)| is_required));
            let property = named.map_or(members.additional, |(property, _)| property);
            if members.is_closed && property == members.additional {
                unexpected.push(entry);
            } else if let Some(property) = property {
                inner.push((entry, property, !named.is_some_and(|(_, is_required)| is_required)));
            }
        }
        if present < members.required {
            let names: HashSet<&str> = entries.iter().map(|entry| tree.name(entry)).collect();
            let missing = |named: &&Named| named.is_required && !names.contains(&*named.name);
            let mut missing: Vec<&Named> = members.named.iter().filter(missing).collect();
            missing.sort_by_key(|named| named.order);
            self.judge.step(members.named.len() as u64)?;
            for named in missing {
                self.place.push(Step::Name(&named.name));
                self.tell_first(found, || "is required".to_owned());
                self.place.pop();
            }
        }
        if !unexpected.is_empty() {
            self.tell_unexpected(&unexpected, &self.accepted(members), found);
        }
        for (entry, property, is_optional) in inner {
            self.explain_at(Step::Name(tree.name(entry)), property, &entry.value, way.to_member(is_optional), found)?;
        }
        Ok(())
    }

    fn explain_items(&mut self, items: &'a Items, list: Span, way: Way, found: &mut Found) -> Verdict<()> {
        let most = items.prefix.len();
        for (at, item) in self.judge.tree.items(list).iter().enumerate() {
            match items.prefix.get(at).copied().or(items.rest) {
                Some(_) if at >= most && items.is_closed => {
                    self.tell(found, || format!("expected at most {}", counted(most as u64, "item", "items")));
                    break;
                }
                Some(id) => self.explain_at(Step::Index(at), id, item, way.to_member(false), found)?,
                None => break,
            }
        }
        Ok(())
    }

    /// The single values that are listed.
    pub(super) fn options(&self, allowed: &Allowed) -> Vec<Cell> {
        self.judge.program.constants.items(allowed.list).to_vec()
    }

    /// The names that an object accepts.
    fn accepted(&self, members: &'a Members) -> Vec<&'a str> {
        let is_accepted = |named: &&Named| {
            named.property.is_some_and(|property| !matches!(self.judge.node(property).checks[..], [Check::Never]))
        };
        let mut named: Vec<&Named> = members.named.iter().filter(is_accepted).collect();
        named.sort_by_key(|named| named.order);
        named.into_iter().map(|named| &*named.name).collect()
    }

    /// The names that an object accepts by what applies beside `unevaluatedProperties`.
    fn accepted_nearby(&self, node: &'a Node) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![node];
        let mut looked = 0;
        while let Some(node) = open.pop() {
            looked += 1;
            if looked > MAX_NAMING {
                break;
            }
            for check in &node.checks {
                if let Check::Members(members) = check {
                    names.extend(self.accepted(members).into_iter().filter(|name| seen.insert(*name)));
                }
                open.extend(check.to_same_value().into_iter().rev().map(|id| self.judge.node(id)));
            }
        }
        names
    }

    pub(super) fn tell_expected(&self, expected: impl FnOnce() -> Expected, got: Cell, way: Way, found: &mut Found) {
        self.tell(found, || {
            let hint = if got == Cell::Null && way.is_optional { LEAVE_OUT } else { "" };
            format!("{}{hint}", expected().says(&self.judge.program.constants, self.judge.tree, got))
        });
    }

    fn tell_unexpected(&self, entries: &[&Entry], accepted: &[&str], found: &mut Found) {
        self.tell_first(found, || {
            let noun = if entries.len() == 1 { "property" } else { "properties" };
            let names = list(entries.iter().map(|entry| quoted(self.judge.tree.name(entry))));
            if accepted.is_empty() {
                return format!("unexpected {noun} {names} (none is accepted)");
            }
            format!("unexpected {noun} {names} (accepted: {})", list(accepted.iter().map(|name| quoted(name))))
        });
    }

    pub(super) fn tell(&self, found: &mut Found, says: impl FnOnce() -> String) {
        found.add(false, || format!("{}: {}", place(&self.place), says()));
    }

    /// Tells what is missing or unexpected.
    fn tell_first(&self, found: &mut Found, says: impl FnOnce() -> String) {
        found.add(true, || format!("{}: {}", place(&self.place), says()));
    }
}
