//! A request as it was asked for, held to what fetch would send.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, RANGE, USER_AGENT};
use reqwest::{Body, Method, Url};

use crate::fault::Fault;
use crate::upload::{Slices, Upload, Written};

/// What is sent with a request.
#[derive(Clone)]
pub enum Content {
    /// Nothing.
    None,
    /// Bytes that are all there.
    Bytes(Bytes),
    /// What is still to be written.
    Written(Arc<Upload>),
}

/// A request that can be sent.
#[derive(Clone)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) content: Content,
    sent: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Request {
    /// Everything else of it may hold secrets.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Request").field("method", &self.method).finish_non_exhaustive()
    }
}

/// The methods that fetch writes in capitals however they are given.
const METHODS: [&str; 6] = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];

/// The longest URL that the layer beneath takes, in bytes.
const LONGEST: usize = u16::MAX as usize - 1;

/// A body longer than this is sent in slices, so that it is seen to be on its way.
const SLICED: usize = 256 * 1024;

impl Request {
    /// Takes a request; names and values of headers take turns in their list.
    pub fn new(method: &str, url: &str, headers: &[String], content: Content) -> Result<Self, Fault> {
        let refused = |text: String| Fault::new("ERR_REQUEST", text);
        if ["CONNECT", "TRACE", "TRACK"].iter().any(|refused| method.eq_ignore_ascii_case(refused)) {
            return Err(refused(format!("{method} requests cannot be sent")));
        }
        let method = METHODS.into_iter().find(|known| method.eq_ignore_ascii_case(known)).unwrap_or(method);
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| refused(format!("{method:?} is no method")))?;
        if matches!(method, Method::GET | Method::HEAD) && !matches!(content, Content::None) {
            return Err(refused(format!("a {method} request cannot have a body")));
        }
        let url = Url::parse(url).map_err(|error| refused(format!("the URL cannot be read: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused(format!("requests go to http: and https:, not to {}:", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("the URL holds a name or a password, which have to be a header".to_owned()));
        }
        if url.as_str().len() > LONGEST {
            return Err(refused(format!("the URL has {} bytes, and may have {LONGEST}", url.as_str().len())));
        }
        if http::Uri::try_from(url.as_str()).is_err() {
            return Err(refused("the URL has a host that cannot be asked for".to_owned()));
        }
        let mut headers = read(headers).map_err(refused)?;
        complete(&mut headers);
        // Some servers refuse these methods without a length.
        let is_empty = match &content {
            Content::None => matches!(method, Method::POST | Method::PUT | Method::PATCH),
            Content::Bytes(bytes) => bytes.is_empty(),
            Content::Written(_) => false,
        };
        if is_empty {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(Self { method, url, headers, content, sent: Arc::default() })
    }

    /// How many pieces of its body were taken to be sent: whether it is on its way.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// Whether it is its own writer that it waits for.
    pub(crate) fn awaits_writer(&self) -> bool {
        matches!(&self.content, Content::Written(upload) if upload.is_awaited())
    }

    /// The request for the layer beneath. Its body is written once: a stream cannot be sent again.
    pub(crate) fn built(&self) -> reqwest::Request {
        let mut built = reqwest::Request::new(self.method.clone(), self.url.clone());
        *built.headers_mut() = self.headers.clone();
        *built.body_mut() = match &self.content {
            Content::None => None,
            Content::Bytes(bytes) if bytes.len() > SLICED => {
                Some(Body::wrap(Slices::new(bytes.clone(), Arc::clone(&self.sent))))
            }
            Content::Bytes(bytes) => Some(Body::from(bytes.clone())),
            Content::Written(upload) => Some(Body::wrap(Written::new(Arc::clone(upload), Arc::clone(&self.sent)))),
        };
        built
    }
}

/// Headers as they were given: what cannot be one, or is the connection's business, is refused. A length is what the body has, and a host
/// what the URL has.
fn read(list: &[String]) -> Result<HeaderMap, String> {
    let many = |_| format!("the request has {} headers, which are too many", list.len() / 2);
    let mut headers = HeaderMap::try_with_capacity(list.len() / 2 + 4).map_err(many)?;
    for pair in list.chunks_exact(2) {
        let [name, value] = pair else { continue };
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} is no name of a header"))?;
        let value = value.trim_matches(['\t', '\n', '\r', ' ']);
        let refused = match known.as_str() {
            "content-length" | "host" => continue,
            "connection" => !value.eq_ignore_ascii_case("close") && !value.eq_ignore_ascii_case("keep-alive"),
            "expect" | "keep-alive" | "transfer-encoding" | "upgrade" => true,
            _ => false,
        };
        if refused {
            return Err(format!("the header {known} is the connection's, and cannot be sent"));
        }
        // Headers are bytes, and a string has to be of such.
        let bytes = value.chars().map(|char| u8::try_from(char).ok()).collect::<Option<Vec<u8>>>();
        let value = bytes.and_then(|bytes| HeaderValue::from_maybe_shared(Bytes::from(bytes)).ok());
        let value = value.ok_or_else(|| format!("the header {known} has a character that no header can have"))?;
        headers.try_insert(known, value).map_err(many)?;
    }
    Ok(headers)
}

/// What every request says, unless it says otherwise.
fn complete(headers: &mut HeaderMap) {
    let encoding = if headers.contains_key(RANGE) { "identity" } else { "gzip, deflate, br" };
    let agent = concat!("toolkit-native/", env!("CARGO_PKG_VERSION"));
    for (name, value) in [(ACCEPT, "*/*"), (ACCEPT_ENCODING, encoding), (USER_AGENT, agent)] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(method: &str, url: &str, headers: &[&str], content: Content) -> Result<Request, Fault> {
        Request::new(method, url, &headers.iter().map(|&text| text.to_owned()).collect::<Vec<_>>(), content)
    }

    #[test]
    fn refuses_what_fetch_refuses_in_words_that_name_it() {
        let table: &[(&str, &str, &[&str], &str)] = &[
            ("TRACE", "http://a/", &[], "TRACE"),
            ("CONNECT", "http://a/", &[], "CONNECT"),
            ("track", "http://a/", &[], "track"),
            ("A B", "http://a/", &[], "method"),
            ("GET", "a", &[], "URL"),
            ("GET", "file:///etc/hosts", &[], "file:"),
            ("GET", "http://name@a/", &[], "name"),
            ("GET", "http://a\"b/", &[], "host"),
            ("GET", "http://:word@a/", &[], "password"),
            ("GET", "http://a/", &["a b", "c"], "a b"),
            ("GET", "http://a/", &["x-a", "b\nc"], "x-a"),
            ("GET", "http://a/", &["x-a", "\u{10a}"], "x-a"),
            ("GET", "http://a/", &["transfer-encoding", "chunked"], "transfer-encoding"),
            ("GET", "http://a/", &["connection", "upgrade"], "connection"),
            ("GET", "http://a/", &["expect", "100-continue"], "expect"),
        ];
        for (method, url, headers, named) in table {
            let fault = made(method, url, headers, Content::None).unwrap_err();
            assert!(fault.code == "ERR_REQUEST" && fault.text.contains(named), "{}", fault.text);
        }
        assert!(made("GET", "http://a/", &[], Content::Bytes("b".into())).unwrap_err().text.contains("GET"));
        let long = format!("http://a/?{}", "b".repeat(70_000));
        assert!(made("GET", &long, &[], Content::None).unwrap_err().text.contains("65534"));
        let many: Vec<String> = (0..80_000).map(|n| format!("x-{n}")).collect();
        assert!(Request::new("GET", "http://a/", &many, Content::None).unwrap_err().text.contains("40000 headers"));
    }

    #[test]
    fn sends_headers_as_bytes_without_the_space_around_them() {
        let request = made(
            "post",
            "http://a/",
            &["X-A", " b\u{e9} \r\n", "content-length", "7", "accept", "a/b", "host", "c"],
            Content::None,
        );
        let request = request.unwrap();
        assert_eq!(request.method, "POST");
        let headers = request.headers;
        assert!(!headers.contains_key("host"));
        assert_eq!(headers["x-a"].as_bytes(), b"b\xe9");
        assert_eq!((headers["content-length"].as_bytes(), headers["accept"].as_bytes()), (&b"0"[..], &b"a/b"[..]));
        assert_eq!(headers["accept-encoding"], "gzip, deflate, br");
        assert_eq!(
            made("GET", "http://a/", &["range", "bytes=0-"], Content::None).unwrap().headers["accept-encoding"],
            "identity"
        );
    }
}
