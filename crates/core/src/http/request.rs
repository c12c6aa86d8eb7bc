//! A request, built of a template and an input.
//!
//! The rule: substitution is one pass over parts that were cut beforehand, so that a value is only ever a value; and
//! before a request leaves, its URL is read back and held to what was meant (R-000-008).

use std::borrow::Cow;

use super::encode::{push_path_value, push_query_value};
use super::header::check_value;
use super::mistake::{InvalidInput, Mistake};
use super::path::Piece;
use super::template::{Requests, Template};
use super::value::{self, Values};

/// A request as a client sends it, but for the headers the client adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// In upper case.
    pub method: &'static str,
    /// Absolute, and as it is sent: no URL parser changes it.
    pub url: String,
    /// Names as the template writes them, values in Latin-1 characters.
    pub headers: Vec<(String, String)>,
    /// The body, when the input gives one.
    pub body: Option<Body>,
}

/// A body as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The value of its Content-Type header.
    pub media_type: String,
    /// JSON, as the model wrote it.
    pub text: String,
}

impl Requests {
    /// Builds the request of the operation at `index`, as `index_of` gives it, from the JSON text of an input.
    pub fn build(&self, index: usize, input_text: &str) -> Result<Request, InvalidInput> {
        let (_, template) =
            self.templates.get_index(index).ok_or_else(|| InvalidInput::of_input(&Mistake::NoTemplate))?;
        let values = value::read(input_text, &template.properties)?;
        let filling = Filling { template, values };
        let path = self.path(&filling)?;
        let query = self.query(&filling)?;
        let headers = filling.headers()?;
        let mut url = format!("{}{path}", self.base.origin());
        if !query.is_empty() {
            url.push('?');
            url.push_str(&query);
        }
        if !self.base.keeps(&url, &path) {
            return Err(InvalidInput::of_input(&Mistake::AnotherPlace));
        }
        Ok(Request { method: template.method, url, headers, body: filling.body() })
    }

    fn path(&self, filling: &Filling<'_, '_>) -> Result<String, InvalidInput> {
        let segments = &filling.template.path.segments;
        if segments.is_empty() {
            return Ok(self.base.path().to_owned());
        }
        let mut path = self.base.path_to_join().to_owned();
        for segment in segments {
            path.push('/');
            filling.push_segment(&mut path, segment)?;
        }
        Ok(path)
    }

    fn query(&self, filling: &Filling<'_, '_>) -> Result<String, InvalidInput> {
        let mut query = self.base.query().to_owned();
        push_pair(&mut query, &filling.template.path.query);
        for (key, property) in &filling.template.query {
            for value in filling.list(*property, |_| Ok(()))? {
                push_pair(&mut query, key);
                query.push('=');
                push_query_value(&mut query, &value);
            }
        }
        Ok(query)
    }
}

fn push_pair(query: &mut String, text: &str) {
    if !query.is_empty() && !text.is_empty() {
        query.push('&');
    }
    query.push_str(text);
}

/// A template and the values that fill it.
struct Filling<'t, 'a> {
    template: &'t Template,
    values: Values<'a>,
}

impl<'a> Filling<'_, 'a> {
    fn name(&self, property: usize) -> &str {
        self.template.properties.get_index(property).map_or("", String::as_str)
    }

    fn push_segment(&self, path: &mut String, segment: &[Piece]) -> Result<(), InvalidInput> {
        for piece in segment {
            match piece {
                Piece::Literal(literal) => path.push_str(literal),
                Piece::Value(property) => push_path_value(path, &self.path_value(*property)?),
            }
        }
        Ok(())
    }

    /// The value of a path place. Since none is empty or dots alone, no segment that holds one becomes `.` or `..`,
    /// whatever stands beside it.
    fn path_value(&self, property: usize) -> Result<Cow<'a, str>, InvalidInput> {
        let name = self.name(property);
        let raw = self.values.get(property).copied().flatten();
        let raw = raw.ok_or_else(|| InvalidInput::at(name, &Mistake::Missing))?;
        let value = value::one(name, raw)?;
        match &*value {
            "" => Err(InvalidInput::at(name, &Mistake::Empty)),
            "." | ".." => Err(InvalidInput::at(name, &Mistake::Dots)),
            _ => Ok(value),
        }
    }

    /// The values of a query or header place; none when the input has no such property.
    fn list(
        &self,
        property: usize,
        check: impl Fn(&str) -> Result<(), Mistake>,
    ) -> Result<Vec<Cow<'a, str>>, InvalidInput> {
        match self.values.get(property).copied().flatten() {
            Some(raw) => value::one_or_list(self.name(property), raw, check),
            None => Ok(Vec::new()),
        }
    }

    fn headers(&self) -> Result<Vec<(String, String)>, InvalidInput> {
        let mut headers = Vec::with_capacity(self.template.headers.len());
        for (name, property) in &self.template.headers {
            let values = self.list(*property, check_value)?;
            if !values.is_empty() {
                headers.push((name.clone(), values.join(",")));
            }
        }
        Ok(headers)
    }

    fn body(&self) -> Option<Body> {
        let place = self.template.body.as_ref()?;
        let raw = self.values.get(place.property).copied().flatten()?;
        Some(Body { media_type: place.media_type.clone(), text: raw.get().to_owned() })
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
