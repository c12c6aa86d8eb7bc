//! A request, built of a template and an input.
//!
//! The rule: substitution is one pass over parts that were cut beforehand, so that a value is only ever a value; and
//! before a request leaves, its URL is read back and held to what was meant (R-000-008).

use std::borrow::Cow;
use std::collections::HashSet;

use percent_encoding::percent_decode_str;

use super::encode::{push_path_value, push_query_value};
use super::form::{self, Body};
use super::header::check_value;
use super::mistake::{InvalidInput, Mistake};
use super::path::Piece;
use super::style::{self, Writing};
use super::template::{Filler, Requests, Template};
use super::value::{self, Values};
use crate::json::Node;

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
        Ok(Request { method: template.method, url, headers, body: filling.body()? })
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
        // The keys that the input may not take, listed when it gives some.
        let mut taken: Option<HashSet<String>> = None;
        let literal_length = query.len();
        for filler in &filling.template.query {
            let Some(node) = filling.node(filler) else { continue };
            let name = filling.name(filler.property);
            match filler.writing {
                Writing::Plain => {
                    for value in filling.list(filler, |_| Ok(()))? {
                        push_key(&mut query, &filler.name);
                        push_query_value(&mut query, &value);
                    }
                }
                Writing::Json => {
                    push_key(&mut query, &filler.name);
                    push_query_value(&mut query, node.text());
                }
                Writing::Styled(styled) => {
                    let pairs = style::pairs(styled, &filler.name, name, node)?;
                    for pair in pairs.iter().filter(|pair| pair.is_given) {
                        let taken =
                            taken.get_or_insert_with(|| filling.keys(&query[..literal_length.min(query.len())]));
                        if pair.key != filler.name.as_str() && !taken.insert(pair.key.to_string()) {
                            return Err(InvalidInput::at_member(name, &pair.key, &Mistake::OtherKey));
                        }
                    }
                    for pair in &pairs {
                        style::push_pair(&mut query, pair, styled.allow_reserved);
                    }
                }
            }
        }
        Ok(query)
    }
}

fn push_key(query: &mut String, key: &str) {
    if !query.is_empty() {
        query.push('&');
    }
    push_query_value(query, key);
    query.push('=');
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

    fn node(&self, filler: &Filler) -> Option<Node<'a>> {
        self.values.get(filler.property).copied().flatten().map(|raw| Node::trusted(raw.get()))
    }

    /// The keys of the query that are the template's or the base URL's.
    fn keys(&self, literal: &str) -> HashSet<String> {
        let decoded = |pair: &str| {
            percent_decode_str(pair.split('=').next().unwrap_or_default()).decode_utf8_lossy().into_owned()
        };
        let of_places = self.template.query.iter().map(|filler| filler.name.clone());
        literal.split('&').map(decoded).chain(of_places).collect()
    }

    fn push_segment(&self, path: &mut String, segment: &[Piece]) -> Result<(), InvalidInput> {
        for piece in segment {
            match piece {
                Piece::Literal(literal) => path.push_str(literal),
                Piece::Value(place) => {
                    if let Some(filler) = self.template.fillers.get(*place) {
                        self.push_path(path, filler)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn push_path(&self, path: &mut String, filler: &Filler) -> Result<(), InvalidInput> {
        let name = self.name(filler.property);
        let node = self.node(filler).ok_or_else(|| InvalidInput::at(name, &Mistake::Missing))?;
        match filler.writing {
            Writing::Plain => push_path_value(path, &self.path_value(filler)?),
            Writing::Json => push_path_value(path, node.text()),
            Writing::Styled(styled) => path.push_str(&style::path_text(styled, &filler.name, name, node)?),
        }
        Ok(())
    }

    /// The one value of a path place. Since none is empty or dots alone, no segment that holds one becomes `.` or `..`,
    /// whatever stands beside it.
    fn path_value(&self, filler: &Filler) -> Result<Cow<'a, str>, InvalidInput> {
        let name = self.name(filler.property);
        let raw = self.values.get(filler.property).copied().flatten();
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
        filler: &Filler,
        check: impl Fn(&str) -> Result<(), Mistake>,
    ) -> Result<Vec<Cow<'a, str>>, InvalidInput> {
        match self.values.get(filler.property).copied().flatten() {
            Some(raw) => value::one_or_list(self.name(filler.property), raw, check),
            None => Ok(Vec::new()),
        }
    }

    fn headers(&self) -> Result<Vec<(String, String)>, InvalidInput> {
        let mut headers = Vec::with_capacity(self.template.headers.len());
        for filler in &self.template.headers {
            let Some(node) = self.node(filler) else { continue };
            let name = self.name(filler.property);
            let value = match filler.writing {
                Writing::Plain => {
                    let values = self.list(filler, check_value)?;
                    (!values.is_empty()).then(|| values.join(","))
                }
                Writing::Json => {
                    let text = in_ascii(node.text());
                    check_value(&text).map_err(|mistake| InvalidInput::at(name, &mistake))?;
                    Some(text)
                }
                Writing::Styled(styled) => style::header_value(styled, name, node)?,
            };
            headers.extend(value.map(|value| (filler.name.clone(), value)));
        }
        Ok(headers)
    }

    fn body(&self) -> Result<Option<Body>, InvalidInput> {
        let Some(place) = &self.template.body else { return Ok(None) };
        let Some(raw) = self.values.get(place.property).copied().flatten() else { return Ok(None) };
        let node = Node::trusted(raw.get());
        form::write(&place.writing, &place.media_type, self.name(place.property), node).map(Some)
    }
}

/// JSON text with what is beyond ASCII escaped, so that a header can hold it.
fn in_ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && character != '\u{7F}' {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
