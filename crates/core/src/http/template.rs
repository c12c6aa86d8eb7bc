//! Request templates as a catalog stores them, read and checked once.
//!
//! The rule: a template that could not be sent as it says is refused here, with the key and the mend, so that building
//! a request has only the input to distrust. Unknown keys are refused, since dropping one would send another request.

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::is_json;
use super::base::Base;
use super::encode::push_query_value;
use super::fault::{Fault, TemplateError};
use super::header::{is_client_header, is_token};
use super::path::Path;

const JSON: &str = "application/json";

/// The templates of a source and its base URL, checked once.
#[derive(Debug, Clone)]
pub struct Requests {
    pub(super) base: Base,
    pub(super) templates: IndexMap<String, Template>,
}

/// A template, checked. Properties are known by their index in `properties`.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) method: &'static str,
    pub(super) properties: IndexSet<String>,
    pub(super) path: Path,
    /// Encoded keys and their properties.
    pub(super) query: Vec<(String, usize)>,
    /// Header names and their properties.
    pub(super) headers: Vec<(String, usize)>,
    pub(super) body: Option<BodyPlace>,
}

/// Where the body comes from and what it is sent as.
#[derive(Debug, Clone)]
pub(super) struct BodyPlace {
    pub(super) property: usize,
    pub(super) media_type: String,
}

impl Requests {
    /// Reads a base URL and a JSON array of `{ "name", "request" }`, in which `request` is a RequestTemplate:
    /// `{ method, path, parameters: [{ property, in, name }], body?, mediaType? }`.
    pub fn new(base_url: &str, templates_json: &str) -> Result<Self, TemplateError> {
        let base = Base::new(base_url)?;
        let list = |error: serde_json::Error| TemplateError::List { detail: error.to_string() };
        let entries: Vec<&RawValue> = serde_json::from_str(templates_json).map_err(list)?;
        let mut templates = IndexMap::with_capacity(entries.len());
        for (index, entry) in entries.into_iter().enumerate() {
            let Entry { name, request } =
                read(entry).map_err(|fault| TemplateError::List { detail: format!("operations[{index}]: {fault}") })?;
            if templates.contains_key(&name) {
                return Err(TemplateError::SameName { operation: name });
            }
            let template = match Template::new(request) {
                Ok(template) => template,
                Err((key, fault)) => return Err(TemplateError::Template { operation: name, key, fault }),
            };
            templates.insert(name, template);
        }
        Ok(Self { base, templates })
    }

    /// The index of the operation of exactly this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.templates.get_index_of(name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    name: String,
    #[serde(borrow)]
    request: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written<'a> {
    method: String,
    path: String,
    #[serde(borrow)]
    parameters: Vec<&'a RawValue>,
    body: Option<String>,
    media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    property: String,
    r#in: In,
    name: String,
    style: Option<Style>,
    explode: Option<bool>,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
enum In {
    Path,
    Query,
    Header,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum Style {
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
    Simple,
}

/// A fault and the key it stands at.
type Placed<T> = Result<T, (String, Fault)>;

impl Template {
    fn new(written: &RawValue) -> Placed<Self> {
        let written: Written<'_> = read(written).map_err(at("request"))?;
        let method = method(&written.method).map_err(at("method"))?;
        let mut properties = IndexSet::new();
        let mut places = IndexSet::new();
        let (mut fillers, mut query, mut headers) = (IndexMap::new(), Vec::new(), Vec::new());
        for (index, place) in written.parameters.iter().enumerate() {
            let place: Place = read(place).map_err(at(&format!("parameters[{index}]")))?;
            let name_at = format!("parameters[{index}].name");
            check_place(&place).map_err(|(key, fault)| (format!("parameters[{index}].{key}"), fault))?;
            let known_as = match place.r#in {
                In::Header => place.name.to_ascii_lowercase(),
                In::Path | In::Query => place.name.clone(),
            };
            if !places.insert((place.r#in, known_as)) {
                return Err((name_at, Fault::SamePlace));
            }
            let (property, _) = properties.insert_full(place.property);
            match place.r#in {
                In::Path => {
                    fillers.insert(place.name, (property, name_at));
                }
                In::Query => {
                    let mut key = String::new();
                    push_query_value(&mut key, &place.name);
                    query.push((key, property));
                }
                In::Header => headers.push((place.name, property)),
            }
        }
        let mut filled = IndexSet::new();
        let path = Path::parse(&written.path, |name| {
            let (index, _, (property, _)) = fillers.get_full(name)?;
            filled.insert(index);
            Some(*property)
        })
        .map_err(at("path"))?;
        for (index, (name, (_, name_at))) in fillers.into_iter().enumerate() {
            if !filled.contains(&index) {
                return Err((name_at, Fault::NoPlaceholder(name)));
            }
        }
        let media_type = written.media_type.unwrap_or_else(|| JSON.to_owned());
        if !is_sendable(&media_type) || !is_json(&media_type) {
            return Err(("mediaType".to_owned(), Fault::MediaType));
        }
        let body = match written.body {
            None => None,
            Some(_) if matches!(method, "GET" | "HEAD") => {
                return Err(("body".to_owned(), Fault::BodyOfMethod { method }));
            }
            Some(property) => match properties.insert_full(property) {
                (property, true) => Some(BodyPlace { property, media_type }),
                (_, false) => return Err(("body".to_owned(), Fault::BodyIsPlace)),
            },
        };
        Ok(Self { method, properties, path, query, headers, body })
    }
}

fn at(key: &str) -> impl FnOnce(Fault) -> (String, Fault) {
    move |fault| (key.to_owned(), fault)
}

/// Reads an object, and no list that stands for one.
fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, Fault> {
    if !raw.get().starts_with('{') {
        return Err(Fault::Shape("expected an object".to_owned()));
    }
    serde_json::from_str(raw.get()).map_err(|error| Fault::Shape(error.to_string()))
}

fn method(written: &str) -> Result<&'static str, Fault> {
    const METHODS: [&str; 8] = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "QUERY"];
    if written.eq_ignore_ascii_case("TRACE") {
        return Err(Fault::Trace);
    }
    METHODS.into_iter().find(|method| method.eq_ignore_ascii_case(written)).ok_or(Fault::UnknownMethod)
}

fn check_place(place: &Place) -> Result<(), (&'static str, Fault)> {
    if place.name.is_empty() {
        return Err(("name", Fault::EmptyName));
    }
    if place.r#in == In::Header {
        if !is_token(&place.name) {
            return Err(("name", Fault::HeaderName));
        }
        if is_client_header(&place.name) {
            return Err(("name", Fault::ClientHeader));
        }
    }
    let own_style = if place.r#in == In::Query { Style::Form } else { Style::Simple };
    if place.style.is_some_and(|style| style != own_style) {
        return Err(("style", Fault::Style));
    }
    // Only a list in a query is written otherwise when it is not exploded.
    if place.r#in == In::Query && place.explode == Some(false) {
        return Err(("explode", Fault::Style));
    }
    Ok(())
}

/// Whether a media type is one a Content-Type header can hold (RFC 9110 §8.3.1).
pub(super) fn is_sendable(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim_end();
    essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
        && media_type.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && !media_type.ends_with(' ')
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
