//! What a redirect makes of a request, as fetch has it (Fetch Standard, "HTTP-redirect fetch").

use reqwest::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE, COOKIE, HOST,
    HeaderValue, PROXY_AUTHORIZATION,
};
use reqwest::{Method, StatusCode};

use crate::fault::Fault;
use crate::request::{Content, Request};

/// How many are followed, one after the other.
pub(crate) const MOST: usize = 20;

pub(crate) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Makes a request into the one that its redirect asks for.
pub(crate) fn follow(request: &mut Request, status: StatusCode, location: &HeaderValue) -> Result<(), Fault> {
    let refused = |why: &str| Err(Fault::new("ERR_REDIRECT", format!("the server redirected, and {why}")));
    // Servers write what they like into it; what is not UTF-8 is read as fetch reads headers.
    let place = match std::str::from_utf8(location.as_bytes()) {
        Ok(text) => text.to_owned(),
        Err(_) => location.as_bytes().iter().copied().map(char::from).collect(),
    };
    let Ok(mut url) = request.url.join(&place) else { return refused("where to is not a URL") };
    if !matches!(url.scheme(), "http" | "https") {
        return refused("where to is neither http: nor https:");
    }
    if http::Uri::try_from(url.as_str()).is_err() {
        return refused("where to is no address that can be asked for");
    }
    let is_elsewhere = url.origin() != request.url.origin();
    if !url.username().is_empty() || url.password().is_some() {
        if is_elsewhere {
            return refused("with a name or password in a URL of another origin");
        }
        // Neither fails for a URL with a host, as those of these schemes are.
        let _ = (url.set_username(""), url.set_password(None));
    }

    let becomes_get = match status.as_u16() {
        301 | 302 => request.method == Method::POST,
        303 => request.method != Method::GET && request.method != Method::HEAD,
        _ => false,
    };
    if becomes_get {
        request.method = Method::GET;
        if let Content::Written(upload) = &request.content {
            // What is left of it is sent to nobody.
            upload.close();
        }
        request.content = Content::None;
        for name in [CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE] {
            request.headers.remove(name);
        }
    } else if let Content::Written(upload) = &request.content
        && !upload.begin_again()
    {
        return refused("a body that is a stream cannot be sent again");
    }
    if is_elsewhere {
        for name in [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, HOST] {
            request.headers.remove(name);
        }
    }
    request.url = url;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, content: Content) -> Request {
        let headers = ["authorization", "Bearer a", "cookie", "a=b", "content-type", "text/plain", "x-other", "c"];
        let headers = headers.map(str::to_owned).to_vec();
        Request::new(method, "https://one.example/a/b?c", &headers, content).unwrap()
    }

    fn followed(mut request: Request, status: u16, location: &str) -> Result<Request, Fault> {
        let location = HeaderValue::from_bytes(location.as_bytes()).unwrap();
        follow(&mut request, StatusCode::from_u16(status).unwrap(), &location).map(|()| request)
    }

    #[test]
    fn makes_a_get_where_fetch_does_and_keeps_method_and_body_elsewhere() {
        let table = [
            (301, "POST", "GET"),
            (302, "POST", "GET"),
            (303, "POST", "GET"),
            (303, "PUT", "GET"),
            (303, "HEAD", "HEAD"),
            (301, "PUT", "PUT"),
            (302, "DELETE", "DELETE"),
            (307, "POST", "POST"),
            (308, "PATCH", "PATCH"),
        ];
        for (status, method, becomes) in table {
            let content = if method == "HEAD" { Content::None } else { Content::Bytes("body".into()) };
            let next = followed(request(method, content), status, "/d").unwrap();
            assert_eq!(
                (next.method.as_str(), next.url.as_str()),
                (becomes, "https://one.example/d"),
                "{status} {method}"
            );
            let is_kept = becomes != "GET" && method != "HEAD";
            assert_eq!(matches!(next.content, Content::Bytes(_)), is_kept, "{status} {method}");
            assert_eq!(next.headers.contains_key("content-type"), becomes != "GET", "{status} {method}");
            assert!(next.headers.contains_key("authorization"));
        }
    }

    #[test]
    fn gives_credentials_to_no_other_origin() {
        for location in ["https://two.example/", "http://one.example/", "https://one.example:8443/", "//two.example"] {
            let next = followed(request("GET", Content::None), 302, location).unwrap();
            assert!(!next.headers.contains_key("authorization") && !next.headers.contains_key("cookie"), "{location}");
            assert!(next.headers.contains_key("x-other"), "{location}");
        }
    }

    #[test]
    fn refuses_where_it_cannot_go() {
        let stream = Content::Written(crate::upload::Upload::new(None, false));
        let table = [
            ("ftp://one.example/", Content::None),
            ("https://[", Content::None),
            ("https://a\"b/", Content::None),
            ("https://name:word@two.example/", Content::None),
            ("/d", stream),
        ];
        for (location, content) in table {
            assert_eq!(
                followed(request("POST", content), 307, location).unwrap_err().code,
                "ERR_REDIRECT",
                "{location}"
            );
        }
        let next = followed(request("GET", Content::None), 302, "https://name:word@one.example/").unwrap();
        assert_eq!(next.url.as_str(), "https://one.example/");
    }
}
