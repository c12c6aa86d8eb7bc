//! The one base URL of a source.
//!
//! The rule: every request goes below it (R-000-161). It holds no credentials, and a URL that a parser would read as
//! anything else than what was meant is not sent.

use url::{Position, Url};

use super::encode::{push_path_literal, push_query_literal};
use super::fault::BaseUrlFault;

/// A base URL, checked.
#[derive(Debug, Clone)]
pub(super) struct Base {
    url: Url,
}

impl Base {
    /// Checks the text. Its fragment, which is never sent, is dropped; its path and query are kept, with what URL
    /// parsers disagree on (`|`, `^`) encoded.
    pub(super) fn new(text: &str) -> Result<Self, BaseUrlFault> {
        let mut url = Url::parse(text).map_err(|_| BaseUrlFault::NotAbsolute)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BaseUrlFault::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseUrlFault::Credentials);
        }
        url.set_fragment(None);
        let mut path = String::new();
        for segment in url.path().strip_prefix('/').unwrap_or_default().split('/') {
            path.push('/');
            push_path_literal(&mut path, segment);
        }
        let mut query = String::new();
        push_query_literal(&mut query, url.query().unwrap_or_default());
        url.set_path(&path);
        url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
        Ok(Self { url })
    }

    /// The scheme, the host and the port.
    pub(super) fn origin(&self) -> &str {
        &self.url[..Position::BeforePath]
    }

    /// The path as it stands, for a template whose own is empty.
    pub(super) fn path(&self) -> &str {
        self.url.path()
    }

    /// The path to join another to with one slash.
    pub(super) fn path_to_join(&self) -> &str {
        self.url.path().trim_end_matches('/')
    }

    /// The query, empty when there is none.
    pub(super) fn query(&self) -> &str {
        self.url.query().unwrap_or_default()
    }

    /// Whether a URL parser reads the text as a URL of this base's scheme, host and port, without credentials, with
    /// exactly this path, and changes nothing of it.
    pub(super) fn keeps(&self, text: &str, path: &str) -> bool {
        Url::parse(text).is_ok_and(|url| {
            url.scheme() == self.url.scheme()
                && url.host_str() == self.url.host_str()
                && url.port() == self.url.port()
                && url.username().is_empty()
                && url.password().is_none()
                && url.fragment().is_none()
                && url.path() == path
                && url.as_str() == text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_an_absolute_http_url_without_credentials() {
        for text in
            ["https://api.example.com", "http://127.0.0.1:8080/v1/", "HTTPS://[::1]/", "https://bücher.example/"]
        {
            assert!(Base::new(text).is_ok(), "{text}");
        }
        for (text, fault) in [
            ("", BaseUrlFault::NotAbsolute),
            ("/v1", BaseUrlFault::NotAbsolute),
            ("api.example.com", BaseUrlFault::NotAbsolute),
            ("https://", BaseUrlFault::NotAbsolute),
            ("ftp://example.com", BaseUrlFault::Scheme),
            ("file:///etc", BaseUrlFault::Scheme),
            ("https://user@example.com", BaseUrlFault::Credentials),
            ("https://:pass@example.com", BaseUrlFault::Credentials),
        ] {
            assert_eq!(Base::new(text).map(|_| ()), Err(fault), "{text}");
        }
    }

    #[test]
    fn r_000_161_a_url_that_leaves_the_base_is_not_kept() {
        let base = Base::new("https://api.example.com/v1").unwrap();
        assert!(base.keeps("https://api.example.com/v1/a?b=c", "/v1/a"));
        for text in [
            "http://api.example.com/v1/a",
            "https://api.example.com:444/v1/a",
            "https://evil.example/v1/a",
            "https://me@api.example.com/v1/a",
            "https://api.example.com/v1/b/../a",
            "https://api.example.com\\v1/a",
            "https://api.example.com/v1/a#b",
            "https://api.example.com/v1/a\n",
            "nothing",
        ] {
            assert!(!base.keeps(text, "/v1/a"), "{text}");
        }
    }
}
