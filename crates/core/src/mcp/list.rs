//! The tools of a server, page by page.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::ask::{Ask, Asked};
use super::delivery::{Delivery, LARGE, Progress};
use super::exchange::{Outcome, Step, Task};
use super::failure::{Failure, Reason, code};
use super::request::Method;
use super::server::{Marks, Server};
use super::tool::Collector;
use crate::json::{Kind, Node};

const MAX_PAGES: usize = 1000;

/// The longest cursor that is sent back, in bytes.
const MAX_CURSOR: usize = 64 << 10;

/// How much all definitions may take, in bytes.
const MAX_SIZE: usize = 64 << 20;

/// A listing.
#[derive(Debug)]
pub(super) struct List {
    ask: Ask,
    pages: usize,
    /// The cursors that were followed, by their hash.
    cursors: HashSet<u64>,
    hasher: RandomState,
    collected: Collector,
    is_whole: bool,
}

impl List {
    /// Whether it was made in the stateless protocol.
    pub(super) fn is_stateless(&self) -> bool {
        self.ask.is_stateless()
    }

    pub(super) fn new() -> Self {
        Self {
            ask: Ask::new(Method::List { cursor: None }),
            pages: 0,
            cursors: HashSet::new(),
            hasher: RandomState::new(),
            is_whole: false,
            collected: Collector::default(),
        }
    }

    fn page(&mut self, server: &Server, page: Node<'_>) -> Step {
        let [tools, cursor] = page.fields(["tools", "nextCursor"]);
        let Some(tools) = tools.filter(|tools| tools.kind() == Kind::List) else {
            return Step::Fail(Failure::new(
                Reason::InvalidResponse,
                "The server listed its tools without a list of tools.",
            ));
        };
        let with_marks = self.ask.is_stateless();
        for tool in tools.items() {
            self.collected.add(tool, with_marks);
        }
        self.pages += 1;
        let Some(cursor) = cursor.filter(|cursor| cursor.kind() == Kind::String).map(|cursor| cursor.text().to_owned())
        else {
            return self.whole(server);
        };
        let hash = self.hasher.hash_one(&cursor);
        let stop = if self.pages == MAX_PAGES {
            Some("there are more than 1,000 pages")
        } else if self.collected.size() > MAX_SIZE {
            Some("they are more than 64 MiB")
        } else if self.cursors.contains(&hash) {
            Some("its cursor repeats")
        } else if cursor.len() > MAX_CURSOR {
            Some("its cursor is longer than 64 KiB")
        } else {
            None
        };
        if let Some(why) = stop {
            self.collected.warn(format!("The listing of the tools is not followed to its end: {why}."));
            return self.whole(server);
        }
        self.cursors.insert(hash);
        self.ask = Ask::new(Method::List { cursor: Some(cursor) });
        self.ask.send(server)
    }

    /// All is there. To finish it takes a while if it is large.
    fn whole(&mut self, server: &Server) -> Step {
        self.is_whole = true;
        if self.collected.size() > LARGE { Step::Think } else { self.finish(server) }
    }

    fn finish(&mut self, server: &Server) -> Step {
        let (tools, marks) = std::mem::take(&mut self.collected).finish();
        server.learn(if self.ask.is_stateless() { marks } else { Marks::new() });
        Step::Done(Outcome::Tools(tools))
    }
}

impl Task for List {
    fn begin(&mut self, server: &Server) -> Step {
        self.ask.send(server)
    }

    fn delivery(&mut self) -> Option<&mut Delivery> {
        self.ask.delivery()
    }

    fn think(&mut self, server: &Server) -> Option<Step> {
        self.is_whole.then(|| self.finish(server))
    }

    fn progress(&mut self, server: &Server, progress: Progress) -> Step {
        match self.ask.progress(server, progress) {
            Asked::Step(step) => step,
            Asked::Result { text, range } => self.page(server, Node::trusted(&text[range])),
            // A server that has no tools need not know what they are.
            Asked::Error(error) if error.code == code::METHOD_NOT_FOUND && self.pages == 0 => self.whole(server),
            Asked::Error(error) => Step::Fail(Failure::of_request(&error)),
            Asked::TooLarge => {
                Step::Fail(Failure::new(Reason::InvalidResponse, "A page of the tools is larger than 16 MiB."))
            }
            Asked::None(failure) => Step::Fail(failure),
        }
    }
}
