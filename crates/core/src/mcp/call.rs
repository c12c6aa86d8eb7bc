//! A call of a tool.

use super::ask::{Ask, Asked};
use super::delivery::{Delivery, Progress};
use super::exchange::{Outcome, Step, Task};
use super::failure::{Failure, Reason, code};
use super::header_marks;
use super::list::List;
use super::request::{Method, Request};
use super::server::Server;
use super::tool_result::{self, Value};
use crate::json::{JsonText, Node, check};

/// A call. The headers that mirror its parameters are those that the last listing asks for; a server that refuses them is
/// listed again, and the call repeated once if it asks for others now.
#[derive(Debug)]
pub(super) struct Call {
    tool: String,
    input: String,
    mirrored: Vec<(String, String)>,
    ask: Ask,
    /// The listing that the refusal of the headers led to.
    listing: Option<Box<List>>,
    has_listed: bool,
}

impl Call {
    /// The call of a tool with an input, JSON text of an object.
    pub(super) fn new(server: &Server, tool: &str, input: &str) -> Self {
        let mut call = Self {
            tool: tool.to_owned(),
            input: input.to_owned(),
            mirrored: Vec::new(),
            ask: Ask::new(Method::Discover),
            listing: None,
            has_listed: false,
        };
        call.mirror(server);
        call
    }

    /// Takes the headers that the server asks for, as far as is known.
    fn mirror(&mut self, server: &Server) {
        let marks = server.marks();
        let marks = marks.as_ref().and_then(|marks| marks.get(&self.tool));
        self.mirrored = match (marks, check(&self.input)) {
            (Some(marks), Ok(input)) => header_marks::mirror(marks, input),
            _ => Vec::new(),
        };
        let (tool, input, mirrored) = (self.tool.clone(), self.input.clone(), self.mirrored.clone());
        self.ask = Ask::new(Method::Call { tool, input, mirrored });
    }

    fn listed(&mut self, server: &Server, step: Step) -> Step {
        match step {
            Step::Done(_) => {
                self.listing = None;
                let sent = self.mirrored.clone();
                self.mirror(server);
                if self.mirrored == sent {
                    return Step::Fail(Failure::new(
                        Reason::InvalidResponse,
                        "The server refused the headers of the call, and asks for no others.",
                    ));
                }
                self.ask.send(server)
            }
            step => step,
        }
    }
}

impl Task for Call {
    fn begin(&mut self, server: &Server) -> Step {
        match &mut self.listing {
            Some(listing) => listing.begin(server),
            None => self.ask.send(server),
        }
    }

    fn delivery(&mut self) -> Option<&mut Delivery> {
        match &mut self.listing {
            Some(listing) => listing.delivery(),
            None => self.ask.delivery(),
        }
    }

    fn cancel(&mut self) -> Option<Request> {
        if self.listing.is_some() { None } else { self.ask.cancel() }
    }

    fn progress(&mut self, server: &Server, progress: Progress) -> Step {
        if let Some(listing) = &mut self.listing {
            let step = listing.progress(server, progress);
            return self.listed(server, step);
        }
        match self.ask.progress(server, progress) {
            Asked::Step(step) => step,
            Asked::Result { text, range } => match tool_result::read(&text, range, self.ask.is_stateless()) {
                Ok(Value::Part(range)) => Step::Done(Outcome::Value(JsonText::of(Node::trusted(&text[range])))),
                Ok(Value::NoBlocks) => Step::Done(Outcome::Value(JsonText::Whole("[]".to_owned()))),
                Err(failure) => Step::Fail(failure),
            },
            Asked::Error(error) => {
                let may_list = error.code == code::HEADER_MISMATCH && self.ask.is_stateless();
                if may_list && !std::mem::replace(&mut self.has_listed, true) {
                    let mut listing = Box::new(List::new());
                    let step = listing.begin(server);
                    self.listing = Some(listing);
                    return step;
                }
                Step::Fail(Failure::of_call(&error))
            }
            Asked::TooLarge => Step::Fail(Failure::new(
                Reason::CallFailed,
                "The tool answered with more than 16 MiB. Ask for less: fewer items, a smaller page, or a narrower filter.",
            )),
            Asked::None(failure) => Step::Fail(failure),
        }
    }
}
