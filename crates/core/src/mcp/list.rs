//! The tools of a server, page by page.

use std::collections::HashSet;

use super::ask::{Ask, Asked};
use super::delivery::{Delivery, Progress};
use super::exchange::{Outcome, Step, Task};
use super::failure::{Failure, Reason, code};
use super::request::Method;
use super::server::{Marks, Server};
use super::tool::Collector;
use crate::json::{Kind, Node};

const MAX_PAGES: usize = 1000;

/// How much all definitions may take, in bytes.
const MAX_SIZE: usize = 64 << 20;

/// A listing.
#[derive(Debug)]
pub(super) struct List {
    ask: Ask,
    pages: usize,
    /// The cursors that were followed, as the server wrote them.
    cursors: HashSet<String>,
    collected: Collector,
}

impl List {
    pub(super) fn new() -> Self {
        Self {
            ask: Ask::new(Method::List { cursor: None }),
            pages: 0,
            cursors: HashSet::new(),
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
            return self.finish(server);
        };
        let stop = if self.pages == MAX_PAGES {
            Some("there are more than 1,000 pages")
        } else if self.collected.size() > MAX_SIZE {
            Some("they are more than 64 MiB")
        } else if self.cursors.contains(&cursor) {
            Some("its cursor repeats")
        } else {
            None
        };
        if let Some(why) = stop {
            self.collected.warn(format!("The listing of the tools is not followed to its end: {why}."));
            return self.finish(server);
        }
        self.cursors.insert(cursor.clone());
        self.ask = Ask::new(Method::List { cursor: Some(cursor) });
        self.ask.send(server)
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

    fn progress(&mut self, server: &Server, progress: Progress) -> Step {
        match self.ask.progress(server, progress) {
            Asked::Step(step) => step,
            Asked::Result { text, range } => self.page(server, Node::trusted(&text[range])),
            // A server that has no tools need not know what they are.
            Asked::Error(error) if error.code == code::METHOD_NOT_FOUND && self.pages == 0 => self.finish(server),
            Asked::Error(error) => Step::Fail(Failure::of_request(&error)),
            Asked::TooLarge => {
                Step::Fail(Failure::new(Reason::InvalidResponse, "A page of the tools is larger than 16 MiB."))
            }
            Asked::None(failure) => Step::Fail(failure),
        }
    }
}
