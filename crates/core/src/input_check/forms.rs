//! Finds, among forms of which none fits, the one that a value was meant for.
//!
//! Rule: a form that asks for another kind of value was not meant; of the others the one whose tags (properties that it
//! fixes to single values) agree, and else the one with the fewest mistakes. That is looked for before any is looked into.

use std::collections::HashSet;

use super::constants::Allowed;
use super::explain::{Explainer, Way};
use super::found::Found;
use super::judge::Verdict;
use super::message::Expected;
use super::place::Step;
use super::program::{Check, Id};
use super::tree::{Cell, Entry};

/// Forms of forms are told to this depth, where a form is not the only one that can be meant.
const MAX_FORMS_WITHIN: usize = 3;

/// Most forms that are looked through, and that are looked into to find the nearest.
const MAX_FORMS: usize = 4_096;
const MAX_NEAR: usize = 16;

/// Most mistakes of the nearest form that are told.
const MAX_NEAREST: usize = 3;

/// Most single values that are gathered from forms.
const MAX_OPTIONS: usize = 64;

impl<'a> Explainer<'a> {
    /// Of forms of which none fits.
    pub(super) fn explain_forms(&mut self, ids: &'a [Id], cell: &'a Cell, way: Way, found: &mut Found) -> Verdict<()> {
        let forms = self.flattened(ids)?;
        let mut meant = Vec::new();
        for &form in &forms {
            if self.may_be(form, cell)? {
                meant.push(form);
            }
        }
        match meant[..] {
            [] => {
                let mut expected = Expected::default();
                for &form in &forms {
                    self.gather(form, &mut expected)?;
                }
                self.tell_expected(|| expected, *cell, way, found);
                return Ok(());
            }
            [only] => return self.explain(only, cell, way.beside(), found),
            _ => {}
        }
        let tags = meant.iter().map(|form| self.tags(*form, cell)).collect::<Verdict<Vec<_>>>()?;
        if let Some((entry, options)) = self.unknown_tag(&tags) {
            self.place.push(Step::Name(self.judge.tree.name(entry)));
            let expected = Expected { options, ..Expected::default() };
            self.tell_expected(|| expected, entry.value, way.to_member(false), found);
            self.place.pop();
            return Ok(());
        }
        let fewest = tags.iter().map(|tags| tags.wrong.len()).min().unwrap_or(0);
        let near: Vec<(Id, &Tags<'a>)> =
            meant.iter().copied().zip(&tags).filter(|(_, tags)| tags.wrong.len() == fewest).collect();
        if let [(only, tags)] = near[..]
            && tags.right > 0
        {
            return self.explain(only, cell, way.beside(), found);
        }
        let none = format!("fits none of {} forms", forms.len());
        if way.forms == MAX_FORMS_WITHIN {
            self.tell(found, || none);
            return Ok(());
        }
        let within = Way { forms: way.forms + 1, ..way.beside() };
        let mut nearest: Option<Found> = None;
        for (form, _) in near.into_iter().take(MAX_NEAR) {
            let mut mistakes = Found::default();
            self.explain(form, cell, within, &mut mistakes)?;
            if nearest.as_ref().is_none_or(|nearest| mistakes.count < nearest.count) {
                nearest = Some(mistakes);
            }
        }
        let nearest = nearest.unwrap_or_default();
        self.tell(found, || format!("{none}; nearest: {}", nearest.inline(MAX_NEAREST)));
        Ok(())
    }

    /// The forms, with those of a form that is nothing but alternatives in its place.
    fn flattened(&mut self, ids: &'a [Id]) -> Verdict<Vec<Id>> {
        let mut forms = Vec::new();
        let mut seen = HashSet::new();
        let mut open: Vec<Id> = ids.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            self.judge.step(1)?;
            if forms.len() == MAX_FORMS {
                break;
            }
            match &self.judge.node(id).checks[..] {
                [Check::Any(ids) | Check::One(ids)] => {
                    if seen.insert(id) {
                        open.extend(ids.iter().rev());
                    }
                }
                [Check::All(ids)] if ids.len() == 1 => open.push(ids[0]),
                _ => forms.push(id),
            }
        }
        Ok(forms)
    }

    /// Whether a form asks for this kind of value.
    fn may_be(&mut self, id: Id, cell: &'a Cell) -> Verdict<bool> {
        let node = self.judge.node(id);
        for check in &node.checks {
            let may_be = match check {
                Check::Never | Check::Kinds(_) | Check::Allowed(_) => self.judge.passes(node, check, cell)?,
                Check::All(ids) => {
                    let mut may_be = true;
                    for id in ids {
                        self.judge.step(1)?;
                        may_be &= self.may_be(*id, cell)?;
                    }
                    may_be
                }
                _ => true,
            };
            if !may_be {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds what a form asks of a value as a whole.
    fn gather(&mut self, id: Id, expected: &mut Expected) -> Verdict<()> {
        self.judge.step(1)?;
        let checks = &self.judge.node(id).checks;
        let is_listed = checks.iter().any(|check| matches!(check, Check::Allowed(_)));
        for check in checks {
            match check {
                Check::Kinds(kinds) if !is_listed => expected.add_kinds(*kinds),
                Check::Allowed(allowed) => {
                    let left = MAX_OPTIONS.saturating_sub(expected.options.len());
                    expected.options.extend(self.options(allowed).into_iter().take(left));
                }
                Check::All(ids) => {
                    for id in ids {
                        self.gather(*id, expected)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The properties of a value that a form fixes to single values.
    fn tags(&mut self, id: Id, cell: &'a Cell) -> Verdict<Tags<'a>> {
        let mut tags = Tags::default();
        self.add_tags(id, cell, &mut tags)?;
        Ok(tags)
    }

    fn add_tags(&mut self, id: Id, cell: &'a Cell, tags: &mut Tags<'a>) -> Verdict<()> {
        let Cell::Object(object) = *cell else { return Ok(()) };
        self.judge.step(1)?;
        for check in &self.judge.node(id).checks {
            match check {
                Check::Members(members) => {
                    for entry in self.judge.tree.entries(object) {
                        let Some((Some(property), _)) = self.judge.named(members, entry)? else { continue };
                        if let Some(allowed) = self.only_listed(property) {
                            if self.judge.judge(property, &entry.value)? {
                                tags.right += 1;
                            } else {
                                tags.wrong.push((entry, allowed));
                            }
                        }
                    }
                }
                Check::All(ids) => {
                    for id in ids {
                        self.add_tags(*id, cell, tags)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The single values that a schema lists, if it lists any.
    fn only_listed(&self, mut id: Id) -> Option<&'a Allowed> {
        for _ in 0..MAX_FORMS_WITHIN {
            let checks = &self.judge.node(id).checks;
            if let Some(Check::Allowed(allowed)) = checks.first() {
                return Some(allowed);
            }
            match checks[..] {
                [Check::All(ref ids)] if ids.len() == 1 => id = ids[0],
                _ => return None,
            }
        }
        None
    }

    /// A property that every form fixes to other values, and those values.
    fn unknown_tag(&self, tags: &[Tags<'a>]) -> Option<(&'a Entry, Vec<Cell>)> {
        for (entry, _) in &tags.first()?.wrong {
            let of =
                |tags: &Tags<'a>| tags.wrong.iter().find(|(other, _)| std::ptr::eq(*entry, *other)).map(|(_, of)| *of);
            if let Some(lists) = tags.iter().map(of).collect::<Option<Vec<_>>>() {
                let options = lists.into_iter().flat_map(|allowed| self.options(allowed));
                return Some((entry, options.take(MAX_OPTIONS).collect()));
            }
        }
        None
    }
}

/// Properties of a value that a form fixes to single values: how many are right, and which are not.
#[derive(Default)]
struct Tags<'a> {
    right: usize,
    wrong: Vec<(&'a Entry, &'a Allowed)>,
}
