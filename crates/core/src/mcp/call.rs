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
        let mirrored = mirrored(server, tool, input);
        let ask = ask(tool, input, &mirrored);
        Self { tool: tool.to_owned(), input: input.to_owned(), mirrored, ask, listing: None, has_listed: false }
    }

    fn listed(&mut self, server: &Server, step: Step) -> Step {
        if !matches!(step, Step::Done(_)) {
            return step;
        }
        // A server that was found to have sessions meanwhile asks for no headers.
        let still_stateless = self.listing.take().is_some_and(|listing| listing.is_stateless());
        let mirrored = mirrored(server, &self.tool, &self.input);
        if still_stateless && self.mirrored == mirrored {
            return Step::Fail(Failure::new(
                Reason::InvalidResponse,
                "The server refused the headers of the call, and asks for no others.",
            ));
        }
        self.ask = ask(&self.tool, &self.input, &mirrored);
        self.mirrored = mirrored;
        self.ask.send(server)
    }
}

/// The headers that the server asks for, as far as is known.
fn mirrored(server: &Server, tool: &str, input: &str) -> Vec<(String, String)> {
    let Some(marks) = server.marks() else { return Vec::new() };
    match marks.get(tool).map(|marks| (marks, check(input))) {
        Some((marks, Ok(input))) => header_marks::mirror(marks, input),
        _ => Vec::new(),
    }
}

fn ask(tool: &str, input: &str, mirrored: &[(String, String)]) -> Ask {
    Ask::new(Method::Call { tool: tool.to_owned(), input: input.to_owned(), mirrored: mirrored.to_vec() })
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

    fn think(&mut self, server: &Server) -> Option<Step> {
        let step = self.listing.as_mut()?.think(server)?;
        Some(self.listed(server, step))
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
                Step::Fail(Failure::of_call(&error, &self.tool, server.host()))
            }
            Asked::TooLarge => Step::Fail(Failure::new(
                Reason::CallFailed,
                "The tool answered with more than 16 MiB. Ask for less: fewer items, a smaller page, or a narrower filter.",
            )),
            Asked::None(failure) => Step::Fail(failure),
        }
    }
}
