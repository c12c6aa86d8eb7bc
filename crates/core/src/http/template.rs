//! Request templates as a catalog stores them, read and checked once.
//!
//! The rule: a template that could not be sent as it says is refused here, with the key and the mend, so that building
//! a request has only the input to distrust. Unknown keys are refused, since dropping one would send another request.

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::is_json;
use super::base::Base;
use super::fault::{Fault, TemplateError};
use super::form::{BodyWriting, Field, Fields};
use super::header::{is_client_header, is_token};
use super::path::Path;
use super::style::{Style, Styled, Writing};

const JSON: &str = "application/json";
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
pub(crate) const MULTIPART: &str = "multipart/form-data";

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
    /// The places that fill the path, by the number that its pieces have.
    pub(super) fillers: Vec<Filler>,
    pub(super) query: Vec<Filler>,
    pub(super) headers: Vec<Filler>,
    pub(super) body: Option<BodyPlace>,
}

/// A place that a property fills.
#[derive(Debug, Clone)]
pub(super) struct Filler {
    pub(super) name: String,
    pub(super) property: usize,
    pub(super) writing: Writing,
}

/// Where the body comes from and what it is sent as.
#[derive(Debug, Clone)]
pub(super) struct BodyPlace {
    pub(super) property: usize,
    pub(super) media_type: String,
    pub(super) writing: BodyWriting,
}

impl Requests {
    /// Reads a base URL and a JSON array of `{ "name", "request" }`, in which `request` is a RequestTemplate:
    /// `{ method, path, parameters: [{ property, in, name, style?, explode?, allowReserved?, mediaType? }], body?, mediaType?,
    /// contentEncoding?, fields?: [{ name, style?, explode?, allowReserved?, mediaType?, contentEncoding? }] }`.
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
    content_encoding: Option<ContentEncoding>,
    #[serde(borrow)]
    fields: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Place {
    property: String,
    r#in: In,
    name: String,
    style: Option<Style>,
    explode: Option<bool>,
    allow_reserved: Option<bool>,
    media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WrittenField {
    name: String,
    style: Option<Style>,
    explode: Option<bool>,
    allow_reserved: Option<bool>,
    media_type: Option<String>,
    content_encoding: Option<ContentEncoding>,
}

/// How a string stands for bytes.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ContentEncoding {
    Base64,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
enum In {
    Path,
    Query,
    Header,
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
            let writing = place.writing().map_err(|(key, fault)| (format!("parameters[{index}].{key}"), fault))?;
            let known_as = match place.r#in {
                In::Header => place.name.to_ascii_lowercase(),
                In::Path | In::Query => place.name.clone(),
            };
            if !places.insert((place.r#in, known_as)) {
                return Err((name_at, Fault::SamePlace));
            }
            let (property, _) = properties.insert_full(place.property);
            let filler = Filler { name: place.name, property, writing };
            match place.r#in {
                In::Path => {
                    fillers.insert(filler.name.clone(), (filler, name_at));
                }
                In::Query => query.push(filler),
                In::Header => headers.push(filler),
            }
        }
        let mut filled = IndexSet::new();
        let path = Path::parse(&written.path, |name| {
            let index = fillers.get_index_of(name)?;
            filled.insert(index);
            Some(index)
        })
        .map_err(at("path"))?;
        for (index, (name, (_, name_at))) in fillers.iter().enumerate() {
            if !filled.contains(&index) {
                return Err((name_at.clone(), Fault::NoPlaceholder(name.clone())));
            }
        }
        let fillers = fillers.into_values().map(|(filler, _)| filler).collect();
        let writing = body_writing(&written)?;
        let media_type = written.media_type.unwrap_or_else(|| JSON.to_owned());
        let body = match written.body {
            None => None,
            Some(_) if matches!(method, "GET" | "HEAD") => {
                return Err(("body".to_owned(), Fault::BodyOfMethod { method }));
            }
            Some(property) => match properties.insert_full(property) {
                (property, true) => Some(BodyPlace { property, media_type, writing }),
                (_, false) => return Err(("body".to_owned(), Fault::BodyIsPlace)),
            },
        };
        Ok(Self { method, properties, path, fillers, query, headers, body })
    }
}

/// How the body is written, by its media type.
fn body_writing(written: &Written<'_>) -> Placed<BodyWriting> {
    let media_type = written.media_type.as_deref().unwrap_or(JSON);
    if !is_sendable(media_type) {
        return Err(("mediaType".to_owned(), Fault::MediaType));
    }
    let is_bytes = written.content_encoding.is_some();
    let writing = match (essence(media_type).as_str(), is_bytes) {
        (FORM, false) => BodyWriting::Form(fields(written)?),
        (MULTIPART, false) => BodyWriting::Multipart(fields(written)?),
        (FORM | MULTIPART, true) => return Err(("contentEncoding".to_owned(), Fault::ContentEncoding)),
        // The other kinds of multipart have parts without names.
        (other, _) if other.starts_with("multipart/") => return Err(("mediaType".to_owned(), Fault::MediaType)),
        _ if is_json(media_type) && is_bytes => return Err(("contentEncoding".to_owned(), Fault::ContentEncoding)),
        _ if is_json(media_type) => BodyWriting::Json,
        (_, true) => BodyWriting::Bytes,
        (_, false) => BodyWriting::Text,
    };
    match writing {
        BodyWriting::Form(_) | BodyWriting::Multipart(_) => Ok(writing),
        _ if written.fields.is_some() => Err(("fields".to_owned(), Fault::FieldsOfNoForm)),
        _ => Ok(writing),
    }
}

fn fields(written: &Written<'_>) -> Placed<Fields> {
    let mut fields = Fields::new();
    for (index, field) in written.fields.iter().flatten().enumerate() {
        let field: WrittenField = read(field).map_err(at(&format!("fields[{index}]")))?;
        let name = field.name.clone();
        let field = field.read().map_err(|(key, fault)| (format!("fields[{index}].{key}"), fault))?;
        if fields.insert(name, field).is_some() {
            return Err((format!("fields[{index}].name"), Fault::SamePlace));
        }
    }
    Ok(fields)
}

/// A fault and the key of the object it stands in.
type Keyed<T> = Result<T, (&'static str, Fault)>;

impl Place {
    fn writing(&self) -> Keyed<Writing> {
        if self.name.is_empty() {
            return Err(("name", Fault::EmptyName));
        }
        if self.r#in == In::Header {
            if !is_token(&self.name) {
                return Err(("name", Fault::HeaderName));
            }
            if is_client_header(&self.name) {
                return Err(("name", Fault::ClientHeader));
            }
        }
        let styles = match self.r#in {
            In::Path => Style::OF_PATH,
            In::Query => Style::OF_QUERY,
            In::Header => Style::OF_HEADER,
        };
        if self.allow_reserved.is_some() && self.r#in != In::Query {
            return Err(("allowReserved", Fault::Reserved));
        }
        let styled = styled(self.style, self.explode, self.allow_reserved, styles)?;
        match (&self.media_type, styled) {
            (Some(_), Some(_)) => Err(("mediaType", Fault::StyleAndType)),
            (Some(media_type), None) if is_json(media_type) => Ok(Writing::Json),
            (Some(_), None) => Err(("mediaType", Fault::PlaceType)),
            (None, Some(styled)) => Ok(Writing::Styled(styled)),
            (None, None) => Ok(Writing::Plain),
        }
    }
}

impl WrittenField {
    fn read(self) -> Keyed<Field> {
        let styled = styled(self.style, self.explode, self.allow_reserved, Style::OF_QUERY)?;
        if self.media_type.as_ref().is_some_and(|media_type| !is_sendable(media_type)) {
            return Err(("mediaType", Fault::MediaType));
        }
        match (styled, self.content_encoding, self.media_type) {
            (None, Some(ContentEncoding::Base64), media_type) => Ok(Field::File { media_type }),
            (Some(_), Some(_), _) => Err(("contentEncoding", Fault::StyleAndType)),
            (Some(_), None, Some(_)) => Err(("mediaType", Fault::StyleAndType)),
            (Some(styled), None, None) => Ok(Field::Styled(styled)),
            (None, None, Some(media_type)) => Ok(Field::Typed { is_json: is_json(&media_type), media_type }),
            (None, None, None) => Err(("name", Fault::FieldOfNothing)),
        }
    }
}

/// The style, where one or something that goes with it is said. The first of `styles` is the default.
fn styled(
    style: Option<Style>,
    explode: Option<bool>,
    allow_reserved: Option<bool>,
    styles: &'static [Style],
) -> Keyed<Option<Styled>> {
    if style.is_none() && explode.is_none() && allow_reserved.is_none() {
        return Ok(None);
    }
    let style = style.unwrap_or(styles[0]);
    if !styles.contains(&style) {
        let names: Vec<&str> = styles.iter().map(|style| style.name()).collect();
        return Err(("style", Fault::Style(names.join(", "))));
    }
    let explode = explode.unwrap_or_else(|| style.explodes());
    Ok(Some(Styled { style, explode, allow_reserved: allow_reserved.unwrap_or(false) }))
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

/// Whether a media type is one a Content-Type header can hold (RFC 9110 §8.3.1).
pub(super) fn is_sendable(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim_end();
    essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
        && media_type.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && !media_type.ends_with(' ')
        && !essence.contains('*')
}

/// The type and subtype in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
