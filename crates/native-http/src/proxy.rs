//! Through which proxy a request goes by the environment: `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` name proxies, `NO_PROXY` what is
//! reached without one. A variable that names none fails the requests that would go through it: none goes past a proxy that is
//! asked for. Its value is not told, since it may hold a password.

use std::net::IpAddr;

use reqwest::Url;

use crate::fault::Fault;

/// What is reached without a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Everything,
    /// Addresses that begin with so many bits of this one.
    Addresses(IpAddr, u32),
    /// A domain and those beneath it.
    Domain(String),
}

/// What the environment says, as it was when it was read.
#[derive(Clone)]
pub(crate) struct Environment {
    http: Option<Result<Url, Fault>>,
    https: Option<Result<Url, Fault>>,
    direct: Vec<(Place, Option<u16>)>,
}

impl Environment {
    /// Reads variables, of which the lower-case ones count first, as for curl.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let given =
            |name: &'static str| variable(name).filter(|value| !value.trim().is_empty()).map(|value| (name, value));
        // Where a request of another makes a process, as CGI does, its header `Proxy` is this variable.
        let is_cgi = variable("REQUEST_METHOD").is_some();
        let of = |names: [&'static str; 4]| {
            let found = names.into_iter().filter(|&name| name != "HTTP_PROXY" || !is_cgi).find_map(given);
            found.map(|(name, value)| proxy(name, value.trim()))
        };
        let direct = given("no_proxy").or_else(|| given("NO_PROXY")).map(|(_, value)| value).unwrap_or_default();
        Self {
            http: of(["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]),
            https: of(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
            direct: direct.split([',', ' ', '\t', '\n']).filter(|text| !text.is_empty()).map(place).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.http.is_none() && self.https.is_none()
    }

    /// The proxy of a URL, none where it is reached directly.
    pub(crate) fn of(&self, url: &Url) -> Result<Option<&Url>, Fault> {
        let proxy = if url.scheme() == "https" { &self.https } else { &self.http };
        match proxy {
            Some(proxy) if !self.is_direct(url) => proxy.as_ref().map(Some).map_err(Fault::clone),
            _ => Ok(None),
        }
    }

    fn is_direct(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_suffix('.').unwrap_or(host);
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        self.direct.iter().any(|(place, port)| {
            let is_there = match place {
                Place::Everything => true,
                Place::Addresses(of, bits) => address.is_some_and(|address| begins(address, *of, *bits)),
                Place::Domain(domain) => {
                    host.strip_suffix(domain.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
                }
            };
            is_there && port.is_none_or(|port| url.port_or_known_default() == Some(port))
        })
    }
}

fn proxy(name: &str, value: &str) -> Result<Url, Fault> {
    let refused = |why: &str| Err(Fault::new("ERR_PROXY", format!("{name} {why}")));
    let parsed = if value.contains("://") { Url::parse(value) } else { Url::parse(&format!("http://{value}")) };
    match parsed {
        Ok(url) if matches!(url.scheme(), "http" | "https") && http::Uri::try_from(url.as_str()).is_ok() => Ok(url),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => refused(&format!(
            "names a proxy that speaks {}, and only http and https are spoken with proxies",
            url.scheme()
        )),
        _ => refused("is not a URL that a proxy can have"),
    }
}

fn place(text: &str) -> (Place, Option<u16>) {
    if text == "*" {
        return (Place::Everything, None);
    }
    let (host, port) = match text.rsplit_once(':') {
        // An address of IPv6 has colons, too; with a port it is in brackets.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => (text, None),
        },
        _ => (text, None),
    };
    let (address, bits) = host.split_once('/').map_or((host, None), |(address, bits)| (address, bits.parse().ok()));
    if let Ok(address) = address.trim_matches(['[', ']']).parse::<IpAddr>() {
        return (Place::Addresses(address, bits.unwrap_or(128)), port);
    }
    let domain = host.trim_start_matches("*.").trim_matches('.').to_ascii_lowercase();
    (Place::Domain(domain), port)
}

fn begins(address: IpAddr, of: IpAddr, bits: u32) -> bool {
    match (address, of) {
        (IpAddr::V4(address), IpAddr::V4(of)) => {
            (address.to_bits() ^ of.to_bits()).checked_shr(32u32.saturating_sub(bits)).unwrap_or(0) == 0
        }
        (IpAddr::V6(address), IpAddr::V6(of)) => {
            (address.to_bits() ^ of.to_bits()).checked_shr(128u32.saturating_sub(bits)).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Environment {
        Environment::read(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn asked(environment: &Environment, url: &str) -> String {
        match environment.of(&Url::parse(url).unwrap()) {
            Ok(proxy) => proxy.map(|url| url.host_str().unwrap().to_owned()).unwrap_or_default(),
            Err(fault) => fault.text,
        }
    }

    #[test]
    fn goes_through_the_proxy_of_the_scheme_and_else_through_that_of_all() {
        let all = read(&[("HTTPS_PROXY", "https://secure"), ("all_proxy", "other:3128")]);
        assert_eq!((asked(&all, "http://a/"), asked(&all, "https://a/")), ("other".to_owned(), "secure".to_owned()));
        let lower = read(&[("http_proxy", "http://lower"), ("HTTP_PROXY", "http://upper"), ("https_proxy", " ")]);
        assert_eq!((asked(&lower, "http://a/"), asked(&lower, "https://a/")), ("lower".to_owned(), String::new()));
        assert!(read(&[("HTTP_PROXY", "http://upper"), ("REQUEST_METHOD", "GET")]).is_empty());
        assert!(read(&[("NO_PROXY", "*")]).is_empty());
    }

    #[test]
    fn reaches_directly_what_no_proxy_names() {
        let table = [
            ("*", "http://127.0.0.1/", true),
            ("*", "http://a.example/", true),
            ("a.example", "http://a.example/", true),
            ("a.example", "http://b.a.example/", true),
            ("a.example", "http://ba.example/", false),
            (".a.example", "http://b.a.example./", true),
            ("*.A.example", "http://b.a.example/", true),
            ("b , a.example", "http://a.example/", true),
            ("a.example:80", "http://a.example/", true),
            ("a.example:81", "http://a.example/", false),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/", true),
            ("127.0.0.1", "http://127.0.0.2/", false),
            ("127.0.0.0/8", "http://127.9.9.9/", true),
            ("127.0.0.0/8", "http://128.0.0.1/", false),
            ("0.0.0.0/0", "http://9.9.9.9/", true),
            ("0.0.0.0/0", "http://[::1]/", false),
            ("::1", "http://[::1]/", true),
            ("[::1]:80", "http://[::1]/", true),
            ("[::1]:81", "http://[::1]/", false),
            ("fe80::/10", "http://[fe80::9]/", true),
            ("fe80::/10", "http://[fc00::9]/", false),
        ];
        for (direct, url, is_direct) in table {
            let environment = read(&[("HTTP_PROXY", "http://proxy"), ("NO_PROXY", direct)]);
            assert_eq!(asked(&environment, url).is_empty(), is_direct, "{direct} {url}");
        }
    }

    #[test]
    fn fails_what_would_go_through_a_proxy_that_is_none_without_telling_its_value() {
        for value in [
            "not a url",
            "http://",
            "socks5://me:word@a",
            "http://me:word@a:99999",
            "http://me:word@a\"b",
            "ftp://me:word@a",
        ] {
            let environment = read(&[("HTTP_PROXY", value), ("NO_PROXY", "a")]);
            let said = asked(&environment, "http://b/");
            assert!(said.starts_with("HTTP_PROXY ") && !said.contains("word"), "{value} {said}");
            assert_eq!(asked(&environment, "http://a/"), "");
            assert_eq!(asked(&environment, "https://b/"), "");
        }
        assert!(asked(&read(&[("ALL_PROXY", "socks5h://a")]), "https://b/").contains("socks5h"));
    }
}
