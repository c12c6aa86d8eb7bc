//! The requests of an HTTP source.

use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;
use toolkit_core::credentials::Credentials;
use toolkit_core::http::{self, Content, Reason, Verdict};

use crate::outcome::Refusal;

/// The templates of a source and its base URL, checked.
#[napi]
pub struct HttpRequests {
    requests: http::Requests,
}

/// A request to be sent by the caller's client.
#[napi(object, object_from_js = false)]
pub struct HttpRequest {
    /// In upper case.
    pub method: String,
    /// Absolute.
    pub url: String,
    /// Names and values in turn.
    pub headers: Vec<String>,
    /// The body, where there is one: text, which is sent in UTF-8, or bytes.
    pub body: Option<Either<String, Uint8Array>>,
    /// The body's media type.
    pub media_type: Option<String>,
}

/// What the head of an answer means.
#[napi(object, object_from_js = false)]
pub struct HttpVerdict {
    /// How to go on: read the body as `json` or `text`, take `nothing`, read the API's `ownWords`, or fail.
    #[napi(
        ts_type = "'json' | 'text' | 'nothing' | 'ownWords' | 'AuthenticationError' | 'UnavailableError' | 'InvalidResponseError'"
    )]
    pub kind: String,
    /// The description of a failure.
    pub description: Option<String>,
}

/// Checks a source's base URL and templates: JSON text of `[{ name, request }]`.
#[napi(catch_unwind)]
pub fn http_requests(base_url: String, templates: String) -> Either<HttpRequests, Refusal> {
    match http::Requests::new(&base_url, &templates) {
        Ok(requests) => Either::A(HttpRequests { requests }),
        Err(error) => Either::B(Refusal::of(error)),
    }
}

#[napi]
impl HttpRequests {
    /// The request of an operation for an input's JSON text; null for a name that is no operation.
    #[napi(catch_unwind)]
    pub fn build(&self, name: String, input: String) -> Option<Either<HttpRequest, Refusal>> {
        let index = self.requests.index_of(&name)?;
        Some(match self.requests.build(index, &input) {
            Ok(request) => {
                let (media_type, content) = request.body.map(|body| (body.media_type, body.content)).unzip();
                let body = content.map(|content| match content {
                    Content::Text(text) => Either::A(text),
                    Content::Bytes(bytes) => Either::B(bytes.into()),
                });
                let headers = request.headers.into_iter().flat_map(|(name, value)| [name, value]).collect();
                Either::A(HttpRequest {
                    method: request.method.to_owned(),
                    url: request.url,
                    headers,
                    body,
                    media_type,
                })
            }
            Err(error) => Either::B(Refusal::of(error.description())),
        })
    }
}

/// Judges an answer by its head, before its body is read.
#[napi(catch_unwind)]
pub fn judge_http_answer(method: String, status: u16, content_type: Option<String>) -> HttpVerdict {
    let kind = |kind: &str| HttpVerdict { kind: kind.to_owned(), description: None };
    match http::judge(&method, status, content_type.as_deref()) {
        Verdict::Json => kind("json"),
        Verdict::Text => kind("text"),
        Verdict::Nothing => kind("nothing"),
        Verdict::OwnWords => kind("ownWords"),
        Verdict::Fail { reason, description } => {
            let reason = match reason {
                Reason::Authentication => "AuthenticationError",
                Reason::Unavailable => "UnavailableError",
                Reason::InvalidResponse => "InvalidResponseError",
            };
            HttpVerdict { kind: reason.to_owned(), description: Some(description) }
        }
    }
}

/// Names and values in turn.
pub(crate) fn pairs(headers: &[String]) -> impl Iterator<Item = (&str, &str)> {
    headers.as_chunks().0.iter().map(|[name, value]| (name.as_str(), value.as_str()))
}

/// An API's words, `max_units` UTF-16 units of them, without what the client authenticated with: whatever is in the URL that
/// the request was sent to and not in that which it was made with, and in these headers. `is_cut`: the API may have said more.
#[napi(catch_unwind)]
pub fn tell_words(
    words: String,
    is_cut: bool,
    max_units: u32,
    url: String,
    known_url: String,
    headers: Vec<String>,
) -> String {
    let credentials = Credentials::of(&url, &known_url, pairs(&headers));
    http::cut(&credentials.withhold(&words, is_cut), max_units as usize).to_owned()
}

/// The first `max_units` UTF-16 units of a text, a pair never split.
#[napi(catch_unwind)]
pub fn cut_text(text: String, max_units: u32) -> String {
    http::cut(&text, max_units as usize).to_owned()
}
