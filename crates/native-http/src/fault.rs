//! What went wrong, as a code that a program tells apart and words for a person. Neither holds the address, which may hold secrets.

use std::error::Error;
use std::io::{self, ErrorKind};

use rustls::CertificateError;

use crate::upload::Broken;

/// Why there is no answer, or not all of it. Codes are those of the system and of Node.js where they have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What a program tells it by.
    pub code: &'static str,
    /// What a person reads.
    pub text: String,
}

impl Fault {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    pub(crate) fn silent() -> Self {
        Self::new("ETIMEDOUT", "the server was silent for too long")
    }

    pub(crate) fn closed() -> Self {
        Self::new("ERR_CLOSED", "the client is closed")
    }

    /// Nothing is known to end so; it is told rather than left open.
    pub(crate) fn internal() -> Self {
        Self::new("ERR_INTERNAL", "the request ended without an outcome")
    }

    /// What an error of the layers beneath means.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let chain = chain(error);
        let innermost = chain.last().map(ToString::to_string).unwrap_or_default();
        for at in &chain {
            if let Some(error) = at.downcast_ref::<reqwest::Error>() {
                if error.is_dns() {
                    return Self::new("ENOTFOUND", format!("the host was not found: {innermost}"));
                }
                if error.is_timeout() && error.is_connect() {
                    return Self::new("ETIMEDOUT", "no connection was made in time");
                }
            }
            if let Some(error) = at.downcast_ref::<rustls::Error>() {
                return of_tls(error);
            }
            if let Some(error) = at.downcast_ref::<Broken>() {
                return Self::new("ERR_BODY", error.to_string());
            }
        }
        // Its type is nobody's but hyper-util's. One whose proxy cannot be spoken with at all is an error of the system.
        if let Some(why) = innermost.strip_prefix("tunnel error: ") {
            return Self::new("ERR_PROXY", format!("the proxy does not let it through: {why}"));
        }
        for at in &chain {
            if let Some((code, text)) = at.downcast_ref::<io::Error>().and_then(|error| of_system(error.kind())) {
                return Self::new(code, format!("{text}: {innermost}"));
            }
            if let Some((code, text)) = at.downcast_ref::<hyper::Error>().and_then(of_http) {
                return Self::new(code, format!("{text}: {innermost}"));
            }
        }
        Self::new("ERR_HTTP", innermost)
    }
}

/// An error and those that it was made of, the outermost first.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut found = Vec::new();
    let mut next = Some(error);
    while let Some(at) = next.filter(|_| found.len() < 32) {
        found.push(at);
        // An error of io passes over what it holds when it is asked for its source.
        next = match at.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(held) => Some(held as &(dyn Error + 'static)),
            None => at.source(),
        };
    }
    found
}

fn of_system(kind: ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        ErrorKind::ConnectionRefused => ("ECONNREFUSED", "nothing takes connections there"),
        ErrorKind::ConnectionReset => ("ECONNRESET", "the connection was reset"),
        ErrorKind::ConnectionAborted => ("ECONNABORTED", "the connection was given up"),
        ErrorKind::BrokenPipe => ("EPIPE", "the server takes nothing more"),
        ErrorKind::TimedOut => ("ETIMEDOUT", "no answer came in time"),
        ErrorKind::HostUnreachable => ("EHOSTUNREACH", "the host cannot be reached"),
        ErrorKind::NetworkUnreachable => ("ENETUNREACH", "the network cannot be reached"),
        ErrorKind::InvalidData | ErrorKind::InvalidInput => ("ERR_HTTP_PARSE", "the answer is not HTTP"),
        ErrorKind::UnexpectedEof => ("ECONNRESET", "the connection ended too early"),
        _ => return None,
    })
}

fn of_http(error: &hyper::Error) -> Option<(&'static str, &'static str)> {
    if error.is_incomplete_message() {
        return Some(("ECONNRESET", "the server closed the connection before the end of its answer"));
    }
    // Only a hyper that has a server, too, tells this by a method.
    if error.is_parse() && error.to_string().contains("too large") {
        return Some(("ERR_HTTP_HEADERS", "the head of the answer is too large"));
    }
    if error.is_parse() {
        return Some(("ERR_HTTP_PARSE", "the answer is not HTTP"));
    }
    if error.is_canceled() || error.is_closed() {
        return Some(("ECONNRESET", "the connection was closed"));
    }
    None
}

fn of_tls(error: &rustls::Error) -> Fault {
    let code = match error {
        rustls::Error::InvalidCertificate(reason) => match reason {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "CERT_HAS_EXPIRED",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "CERT_NOT_YET_VALID",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "ERR_TLS_CERT_ALTNAME_INVALID"
            }
            CertificateError::UnknownIssuer => "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
            _ => "ERR_TLS_CERT",
        },
        _ => return Fault::new("ERR_TLS", format!("the server does not speak TLS as it should: {error}")),
    };
    Fault::new(code, format!("the server is not trusted: {error}"))
}
