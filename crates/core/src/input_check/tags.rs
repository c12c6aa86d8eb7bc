//! Forms that a property tells apart, found by its value.
//!
//! Rule: a form that fixes a property to other values than the one that is there cannot fit, so that leaving it out changes
//! no verdict; where there is no such value, all forms are judged.

use super::judge::{Judge, Verdict};
use super::program::{Check, Id, Node};
use super::tree::{Cell, Text, Tree};

/// Fewer forms are judged one by one as quickly.
const LEAST_FORMS: usize = 4;

/// Most properties that are looked at to find one that tells forms apart.
const MAX_PROPERTIES: usize = 8;

/// The forms of a node's `anyOf` or `oneOf` by the values to which all of them fix one property.
#[derive(Debug)]
pub(super) struct Tag {
    name: Box<str>,
    /// The values by length, then by bytes, each with a form that has it.
    texts: Box<[Text]>,
    forms: Box<[Id]>,
}

impl Tag {
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.name.len() + size_of_val(&*self.texts) + size_of_val(&*self.forms)
    }
}

/// What tells the forms of a node apart, if anything does.
pub(super) fn tag_of(node: &Node, nodes: &[Node], constants: &Tree<'_>) -> Option<Tag> {
    let mut lists = node.checks.iter().filter_map(|check| match check {
        Check::Any(ids) | Check::One(ids) => Some(ids),
        _ => None,
    });
    let (Some(ids), None) = (lists.next(), lists.next()) else { return None };
    if ids.len() < LEAST_FORMS {
        return None;
    }
    let names = members(&nodes[*ids.first()? as usize]).take(MAX_PROPERTIES);
    names.into_iter().find_map(|(name, _)| {
        let mut found: Vec<(Text, Id)> = Vec::new();
        for id in ids {
            let (_, property) = members(&nodes[*id as usize]).find(|(other, _)| *other == name)?;
            let Some(Check::Allowed(allowed)) = nodes[property as usize].checks.first() else { return None };
            // An enum may list a value twice, which makes no second form of it.
            let texts = allowed.only_texts()?.chunk_by(|one, other| constants.text(*one) == constants.text(*other));
            found.extend(texts.map(|same| (same[0], *id)));
        }
        // Forms with the same value stay in their order.
        found.sort_by_key(|(text, _)| key(constants.text(*text)));
        let (texts, forms): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Some(Tag { name: name.into(), texts: texts.into(), forms: forms.into() })
    })
}

fn members(node: &Node) -> impl Iterator<Item = (&str, Id)> {
    let members = node.checks.iter().filter_map(|check| match check {
        Check::Members(members) => Some(members),
        _ => None,
    });
    let named = members.flat_map(|members| members.named.iter());
    named.filter_map(|named| named.property.map(|property| (&*named.name, property)))
}

fn key(text: &str) -> (usize, &[u8]) {
    (text.len(), text.as_bytes())
}

impl<'a> Judge<'a> {
    /// Those of a node's forms that a value may fit.
    pub(super) fn candidates(&mut self, node: &'a Node, ids: &'a [Id], cell: Cell) -> Verdict<&'a [Id]> {
        let (Some(tag), Cell::Object(object)) = (&node.tag, cell) else { return Ok(ids) };
        let tree = self.tree;
        self.step(1 + u64::from(object.len) / 4)?;
        let member = tree.entries(object).iter().find(|entry| tree.name(entry) == &*tag.name);
        let Some(Cell::Text(text)) = member.map(|entry| entry.value) else { return Ok(ids) };
        let constants = &self.program.constants;
        let wanted = key(tree.text(text));
        let start = tag.texts.partition_point(|other| key(constants.text(*other)) < wanted);
        let count = tag.texts[start..].partition_point(|other| key(constants.text(*other)) == wanted);
        Ok(&tag.forms[start..start + count])
    }
}
