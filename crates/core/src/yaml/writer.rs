//! Writes what a YAML parser finds as JSON text.
//!
//! The rule: text is written once and then only copied. An anchor is a range of the text, and an alias copies it. What is
//! copied or gone through again is counted against what the document's own length allows, so that neither a bomb of aliases
//! nor one of merge keys takes more time and memory than a document of that length may.

use std::collections::HashSet;
use std::ops::Range;

use granit_parser::{Event, ScalarStyle, Tag};

use super::scalar::{self, Scalar};
use crate::json::{self, Kind, Node};

/// What aliases and merge keys may come to in any document, in bytes.
const LEAST_COPIES: usize = 16 << 20;

/// What they may come to besides, for each byte of the document.
const COPIES_PER_BYTE: usize = 16;

pub(super) struct Writer {
    out: String,
    /// Text that anchors name and that is not part of what is written.
    aside: String,
    /// By the number that the parser gives an anchor, less one.
    anchors: Vec<Anchor>,
    /// The lists and objects that are open, the innermost last.
    open: Vec<Open>,
    /// Where the keys of the open objects stand, without their quotes.
    keys: Vec<Range<usize>>,
    /// How many bytes may still be copied, and how many it was at first.
    left: usize,
    allowed: usize,
    has_document: bool,
}

#[derive(Debug, Clone)]
enum Anchor {
    /// Its node has not ended.
    Open,
    Out(Range<usize>),
    Aside(Range<usize>),
}

/// A list or an object that has not ended.
struct Open {
    /// Where its bracket stands.
    at: usize,
    anchor: usize,
    expects: Expects,
    /// How many keys there were when it was opened.
    keys: usize,
    /// The names that its keys and merges have taken, once it has a merge key.
    #[expect(
        clippy::box_collection,
        reason = "few objects have one, and there may be as many levels as the text is long"
    )]
    taken: Option<Box<HashSet<String>>>,
}

#[derive(Debug, Clone, Copy)]
enum Expects {
    Item,
    Key,
    Value,
    /// The value of a merge key, which is written to be taken apart: where it begins, and how many anchors there were.
    Merge {
        at: usize,
        anchors: usize,
    },
}

impl Writer {
    pub(super) fn new(length: usize) -> Self {
        let allowed = LEAST_COPIES.saturating_add(length.saturating_mul(COPIES_PER_BYTE));
        Self {
            out: String::with_capacity(length),
            aside: String::new(),
            anchors: Vec::new(),
            open: Vec::new(),
            keys: Vec::new(),
            left: allowed,
            allowed,
            has_document: false,
        }
    }

    /// Writes what was found.
    pub(super) fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) if self.has_document => {
                Err("a second document begins, and only one is read".to_owned())
            }
            Event::DocumentStart(..) => {
                self.has_document = true;
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style == ScalarStyle::Plain, anchor, tag.as_deref())
            }
            Event::Alias(anchor) => self.alias(anchor),
            Event::SequenceStart(_, anchor, _) => self.begin('[', anchor, Expects::Item),
            Event::MappingStart(_, anchor, _) => self.begin('{', anchor, Expects::Key),
            Event::SequenceEnd => self.end(']'),
            Event::MappingEnd => self.end('}'),
            _ => Ok(()),
        }
    }

    /// The text, once everything was taken.
    pub(super) fn finish(self) -> Result<String, String> {
        if self.has_document { Ok(self.out) } else { Err("there is nothing in it".to_owned()) }
    }

    fn scalar(&mut self, text: &str, is_plain: bool, anchor: usize, tag: Option<&Tag>) -> Result<(), String> {
        let scalar = Scalar::of(text, is_plain, tag)?;
        if !self.expects_key() {
            self.separate();
            let start = self.out.len();
            scalar.write(&mut self.out);
            self.name(anchor, Anchor::Out(start..self.out.len()));
            return self.ended();
        }
        if scalar::is_merge(text, is_plain, tag) {
            let merge = Expects::Merge { at: self.out.len(), anchors: self.anchors.len() };
            self.expect(merge);
            return Ok(());
        }
        self.key(&scalar.key());
        if anchor != 0 {
            // A number that is a key is a number elsewhere.
            let start = self.aside.len();
            scalar.write(&mut self.aside);
            self.name(anchor, Anchor::Aside(start..self.aside.len()));
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize) -> Result<(), String> {
        let (from_out, range) = match self.anchors.get(anchor.wrapping_sub(1)) {
            Some(Anchor::Out(range)) => (true, range.clone()),
            Some(Anchor::Aside(range)) => (false, range.clone()),
            _ => return Err("an alias (*) within what it stands for, which would have no end".to_owned()),
        };
        self.charge(range.len())?;
        if self.expects_key() {
            let text = if from_out { &self.out[range] } else { &self.aside[range] };
            let node = Node::trusted(text);
            let key = match node.kind() {
                Kind::Object | Kind::List => return Err(no_key(node.kind())),
                Kind::String => node.as_str().unwrap_or_default().into_owned(),
                Kind::Number => scalar::key_of_number(text),
                Kind::Bool | Kind::Null => text.to_owned(),
            };
            self.key(&key);
            return Ok(());
        }
        self.separate();
        if from_out {
            self.out.extend_from_within(range);
        } else {
            self.out.push_str(&self.aside[range]);
        }
        self.ended()
    }

    fn begin(&mut self, bracket: char, anchor: usize, expects: Expects) -> Result<(), String> {
        if self.expects_key() {
            return Err(no_key(if bracket == '[' { Kind::List } else { Kind::Object }));
        }
        self.separate();
        self.name(anchor, Anchor::Open);
        self.open.push(Open { at: self.out.len(), anchor, expects, keys: self.keys.len(), taken: None });
        self.out.push(bracket);
        Ok(())
    }

    fn end(&mut self, bracket: char) -> Result<(), String> {
        self.out.push(bracket);
        if let Some(ended) = self.open.pop() {
            self.keys.truncate(ended.keys);
            self.name(ended.anchor, Anchor::Out(ended.at..self.out.len()));
        }
        self.ended()
    }

    /// A key and its colon.
    fn key(&mut self, key: &str) {
        self.comma();
        let start = self.out.len() + 1;
        json::write_string(key, &mut self.out);
        self.keys.push(start..self.out.len() - 1);
        self.out.push(':');
        if let Some(taken) = self.open.last_mut().and_then(|open| open.taken.as_mut()) {
            taken.insert(key.to_owned());
        }
        self.expect(Expects::Value);
    }

    /// A value has ended: the object that it is in has a key next.
    fn ended(&mut self) -> Result<(), String> {
        match self.open.last().map(|open| open.expects) {
            Some(Expects::Value) => self.expect(Expects::Key),
            Some(Expects::Merge { at, anchors }) => {
                self.expect(Expects::Key);
                return self.merge(at, anchors);
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the value of a merge key, which was written from `at` on, apart: what its objects have goes into the one that is
    /// open, but not over what that has or an earlier one gave.
    fn merge(&mut self, at: usize, anchors: usize) -> Result<(), String> {
        let written = self.out.split_off(at);
        // Anchors are gone through as well, and there may be many in text that was left out within.
        self.charge(written.len() + (self.anchors.len() - anchors))?;
        let value = Node::trusted(&written);
        let sources: Vec<Node<'_>> = if value.kind() == Kind::List { value.items().collect() } else { vec![value] };
        if let Some(other) = sources.iter().find(|source| source.kind() != Kind::Object) {
            return Err(format!(
                "{} in a merge key (<<), which takes an object or a list of them",
                other.kind().name()
            ));
        }
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        let mut taken = open.taken.take().unwrap_or_else(|| {
            let keys = self.keys[open.keys..].iter();
            Box::new(keys.map(|key| json::decode(&self.out[key.clone()]).into_owned()).collect())
        });
        for (key, value) in sources.into_iter().flat_map(Node::members) {
            if !taken.contains(key.as_ref()) {
                self.comma();
                json::write_string(&key, &mut self.out);
                self.out.push(':');
                self.out.push_str(value.text());
                taken.insert(key.into_owned());
            }
        }
        if let Some(open) = self.open.last_mut() {
            open.taken = Some(taken);
        }
        // Anchors of what was taken apart are still there to be named.
        let kept = self.aside.len();
        for anchor in &mut self.anchors[anchors..] {
            if let Anchor::Out(range) = anchor {
                *anchor = Anchor::Aside(range.start - at + kept..range.end - at + kept);
            }
        }
        if self.anchors.len() > anchors {
            self.aside.push_str(&written);
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { expects: Expects::Key, .. }))
    }

    fn expect(&mut self, expects: Expects) {
        if let Some(open) = self.open.last_mut() {
            open.expects = expects;
        }
    }

    /// What stands before a value: a comma, where it is an item that is not the first.
    fn separate(&mut self) {
        if matches!(self.open.last(), Some(Open { expects: Expects::Item, .. })) {
            self.comma();
        }
    }

    /// A comma, where what is open has something in it.
    fn comma(&mut self) {
        if self.open.last().is_some_and(|open| self.out.len() > open.at + 1) {
            self.out.push(',');
        }
    }

    /// Says what an anchor names; 0 is none.
    fn name(&mut self, anchor: usize, named: Anchor) {
        let Some(at) = anchor.checked_sub(1) else { return };
        if self.anchors.len() <= at {
            self.anchors.resize(at + 1, Anchor::Open);
        }
        self.anchors[at] = named;
    }

    fn charge(&mut self, bytes: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            format!(
                "aliases (*) and merge keys (<<) that come to more than {} bytes when they are written out",
                self.allowed
            )
        })?;
        Ok(())
    }
}

fn no_key(kind: Kind) -> String {
    format!("{} as a key, which in JSON is a string", kind.name())
}
