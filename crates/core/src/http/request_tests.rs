//! Requests that are built, and inputs that are refused, requirement by requirement.

use super::super::Content;
use super::*;

const BASE: &str = "https://api.example.com/v1/";

fn requests(base: &str, request: &str) -> Requests {
    Requests::new(base, &format!(r#"[{{"name":"op","request":{request}}}]"#)).unwrap()
}

/// `GET`s a path whose placeholders, keys and headers are given as `in name`, each filled by the property of its name.
fn get(path: &str, places: &[&str]) -> Requests {
    let places: Vec<_> = places
        .iter()
        .map(|place| {
            let (kind, name) = place.split_once(' ').unwrap();
            format!(r#"{{"property":"{name}","in":"{kind}","name":"{name}"}}"#)
        })
        .collect();
    requests(BASE, &format!(r#"{{"method":"get","path":"{path}","parameters":[{}]}}"#, places.join(",")))
}

fn url(requests: &Requests, input: &str) -> String {
    requests.build(0, input).unwrap().url.strip_prefix(BASE).unwrap().to_owned()
}

fn refusal(requests: &Requests, input: &str) -> String {
    requests.build(0, input).unwrap_err().description().to_owned()
}

#[test]
fn r_000_163_encodes_the_segment() {
    let repo = get("/repos/{repo}/issues", &["path repo"]);
    for (value, segment) in [
        ("a/b", "a%2Fb"),
        ("a?b", "a%3Fb"),
        ("a#b", "a%23b"),
        ("100%", "100%25"),
        ("a b", "a%20b"),
        ("é😀", "%C3%A9%F0%9F%98%80"),
        (r"a\\b", "a%5Cb"),
        (r"..\\..\\x", "..%5C..%5Cx"),
        (r"\u002e\u002e/x", "..%2Fx"),
        (r"a\r\nb\u0000", "a%0D%0Ab%00"),
        ("a;b=c&d+e,f:g@h", "a%3Bb%3Dc%26d%2Be%2Cf%3Ag%40h"),
        ("-_.!~*'()", "-_.!~*'()"),
    ] {
        let input = format!(r#"{{"repo":"{value}"}}"#);
        assert_eq!(url(&repo, &input), format!("repos/{segment}/issues"), "{value}");
    }
}

#[test]
fn r_000_163_substitution_is_one_pass() {
    let both = get("/{a}/{b}", &["path a", "path b"]);
    assert_eq!(url(&both, r#"{"a":"{b}","b":"{a}"}"#), "%7Bb%7D/%7Ba%7D");
    let twice = get("/{a}/x/{a}", &["path a"]);
    assert_eq!(url(&twice, r#"{"a":"1"}"#), "1/x/1");
}

#[test]
fn r_000_164_an_empty_or_dot_value_is_refused() {
    let repo = get("/repos/{repo}", &["path repo"]);
    assert!(refusal(&repo, r#"{"repo":""}"#).starts_with("repo: may not be empty"));
    for value in [".", "..", r"\u002e", r".\u002e"] {
        assert!(refusal(&repo, &format!(r#"{{"repo":"{value}"}}"#)).contains("another path"), "{value}");
    }
    let version = get("/v{a}", &["path a"]);
    assert!(version.build(0, r#"{"a":"."}"#).is_err());
    assert_eq!(url(&repo, r#"{"repo":"..."}"#), "repos/...");
    assert_eq!(url(&repo, r#"{"repo":".git"}"#), "repos/.git");
}

#[test]
fn r_000_164_a_path_value_that_is_missing_is_refused() {
    let repo = get("/repos/{repo}", &["path repo"]);
    assert!(refusal(&repo, r#"{"Repo":"x"}"#).starts_with("repo: is required"));
}

#[test]
fn r_000_165_a_segment_that_becomes_dots_is_refused() {
    for (path, input) in [
        ("/x/.{a}", r#"{"a":"."}"#),
        ("/x/{a}.", r#"{"a":"."}"#),
        ("/x/%2e{a}", r#"{"a":"."}"#),
        ("/x/{a}{a}", r#"{"a":"."}"#),
    ] {
        assert!(get(path, &["path a"]).build(0, input).is_err(), "{path}");
    }
    let beside_dots = get("/x/.{a}", &["path a"]);
    assert_eq!(url(&beside_dots, r#"{"a":"%2e"}"#), "x/.%252e");
    assert_eq!(url(&beside_dots, r#"{"a":"./"}"#), "x/..%2F".to_owned());
}

#[test]
fn r_000_165_an_encoded_value_stays_what_it_is() {
    let repo = get("/repos/{repo}/x", &["path repo"]);
    assert_eq!(url(&repo, r#"{"repo":"%2e%2e"}"#), "repos/%252e%252e/x");
    assert_eq!(url(&repo, r#"{"repo":"%2F"}"#), "repos/%252F/x");
    assert_eq!(url(&repo, r#"{"repo":"\t..\n"}"#), "repos/%09..%0A/x");
}

#[test]
fn r_000_166_strings_numbers_and_booleans_are_sent_as_they_are() {
    let all = get("/{p}", &["path p", "query q", "header h"]);
    for (json, text) in
        [("\"x\"", "x"), ("1.50", "1.50"), ("-0", "-0"), ("12345678901234567890", "12345678901234567890")]
    {
        let request = all.build(0, &format!(r#"{{"p":{json},"q":{json},"h":{json}}}"#)).unwrap();
        assert_eq!(request.url, format!("{BASE}{text}?q={text}"));
        assert_eq!(request.headers, [("h".to_owned(), text.to_owned())]);
    }
    assert_eq!(url(&all, r#"{"p":true,"q":1e+5}"#), "true?q=1e%2B5");
}

#[test]
fn r_000_166_null_and_objects_are_refused_everywhere_and_a_list_in_the_path() {
    let all = get("/{p}", &["path p", "query q", "header h"]);
    for (input, description) in [
        (r#"{"p":null}"#, "p: expected a string, a number or a boolean, got null; give a value"),
        (r#"{"p":{"x":1}}"#, "p: expected a string, a number or a boolean, got an object; give one value of it"),
        (r#"{"p":["x"]}"#, "p: expected a string, a number or a boolean, got a list; give one value"),
        (
            r#"{"p":1,"q":null}"#,
            "q: expected a string, a number, a boolean or a list of them, got null; leave it out to send nothing",
        ),
        (
            r#"{"p":1,"h":{}}"#,
            "h: expected a string, a number, a boolean or a list of them, got an object; give one value of it",
        ),
    ] {
        assert_eq!(refusal(&all, input), description);
    }
}

#[test]
fn r_000_166_half_a_surrogate_pair_is_refused_in_every_place() {
    let all = get("/{p}", &["path p", "query q", "header h"]);
    for input in [r#"{"p":"\ud800"}"#, r#"{"p":1,"q":"a\udc00"}"#, r#"{"p":1,"h":["\ud83d\ud83d"]}"#] {
        assert!(refusal(&all, input).contains("half of a surrogate pair"), "{input}");
    }
    assert_eq!(url(&all, r#"{"p":"\ud83d\ude00"}"#), "%F0%9F%98%80");
}

#[test]
fn r_000_167_a_list_in_a_query_is_one_key_a_value() {
    let search = get("/search", &["query label", "query page"]);
    assert_eq!(
        url(&search, r#"{"page":2,"label":["b","a","b",1,true,""]}"#),
        "search?label=b&label=a&label=b&label=1&label=true&label=&page=2"
    );
    assert_eq!(url(&search, r#"{"label":[]}"#), "search");
    assert_eq!(url(&search, "{}"), "search");
}

#[test]
fn a_query_value_stays_a_value() {
    let search = get("/search", &["query q", "query filter[a]"]);
    assert_eq!(url(&search, r#"{"q":"a&b=c#d+e f'?"}"#), "search?q=a%26b%3Dc%23d%2Be%20f%27%3F");
    assert_eq!(url(&search, r#"{"filter[a]":1}"#), "search?filter%5Ba%5D=1");
    let literal = get("/search?kind=x", &["query q"]);
    assert_eq!(url(&literal, r#"{"q":1}"#), "search?kind=x&q=1");
    assert_eq!(url(&literal, "{}"), "search?kind=x");
}

#[test]
fn r_000_168_a_list_in_a_header_is_joined_by_commas() {
    let tagged = get("/", &["header X-Tags"]);
    let headers = |input| tagged.build(0, input).unwrap().headers;
    assert_eq!(headers(r#"{"X-Tags":["a",1,false]}"#), [("X-Tags".to_owned(), "a,1,false".to_owned())]);
    assert_eq!(headers(r#"{"X-Tags":[]}"#), []);
    assert_eq!(headers("{}"), []);
}

#[test]
fn r_000_169_a_header_value_cannot_add_a_header() {
    let traced = get("/", &["header X-Trace"]);
    for (value, word) in [
        (r#""a\r\nX-Admin: 1""#, "control character"),
        (r#""a\nb""#, "control character"),
        (r#""a\u0000""#, "control character"),
        (r#"["a","b\r"]"#, "X-Trace[1]: holds a control character"),
        (r#""\u0085""#, "control character"),
        (r#""日本""#, "U+00FF"),
        (r#"" a""#, "begins or ends"),
        (r#"["a "]"#, "begins or ends"),
    ] {
        let description = refusal(&traced, &format!(r#"{{"X-Trace":{value}}}"#));
        assert!(description.contains(word), "{value}: {description}");
        assert!(!description.contains("X-Admin"), "{description}");
    }
    let request = traced.build(0, r#"{"X-Trace":"café, X-Admin: 1"}"#).unwrap();
    assert_eq!(request.headers, [("X-Trace".to_owned(), "café, X-Admin: 1".to_owned())]);
}

#[test]
fn r_000_170_a_property_without_a_place_goes_nowhere() {
    let put = requests(BASE, r#"{"method":"PUT","path":"/x","parameters":[],"body":"data"}"#);
    let request = put.build(0, r#"{"data":{"a":1},"host":"evil","Authorization":"x","__proto__":{"b":2}}"#).unwrap();
    assert_eq!((request.url.as_str(), request.headers.as_slice()), ("https://api.example.com/v1/x", &[][..]));
    assert_eq!(request.body.unwrap().content, Content::Text(r#"{"a":1}"#.to_owned()));
}

#[test]
fn r_000_171_the_body_is_the_json_the_model_gave() {
    let put = requests(BASE, r#"{"method":"put","path":"/x","parameters":[],"body":"data"}"#);
    let body = |input: &str| put.build(0, input).unwrap().body;
    for text in [r#"{ "b": 1.10, "a": 12345678901234567890, "b": 1e400 }"#, r#""\ud800""#, "[]", "null", "0", "\"\""] {
        let expected = Body { media_type: "application/json".to_owned(), content: Content::Text(text.to_owned()) };
        assert_eq!(body(&format!(r#"{{"data": {text} }}"#)), Some(expected));
    }
    assert_eq!(body(r#"{"dat":1}"#), None);
    let patch =
        r#"{"method":"PATCH","path":"/","parameters":[],"body":"b","mediaType":"application/merge-patch+json"}"#;
    let request = requests(BASE, patch).build(0, r#"{"b":{}}"#).unwrap();
    assert_eq!((request.method, request.body.unwrap().media_type.as_str()), ("PATCH", "application/merge-patch+json"));
}

#[test]
fn r_000_188_a_list_item_that_is_no_scalar_is_refused() {
    let all = get("/", &["query q", "header h"]);
    for (input, start) in [
        (r#"{"q":["a",{}]}"#, "q[1]: expected a string, a number or a boolean, got an object"),
        (r#"{"q":[null]}"#, "q[0]: expected a string, a number or a boolean, got null"),
        (r#"{"h":[["a"]]}"#, "h[0]: expected a string, a number or a boolean, got a list"),
    ] {
        assert!(refusal(&all, input).starts_with(start), "{input}");
    }
}

#[test]
fn one_property_may_fill_two_places() {
    let operation = r#"{"method":"GET","path":"/{id}","parameters":[
        {"property":"i","in":"path","name":"id"},{"property":"i","in":"header","name":"X-Id"}]}"#;
    let request = requests(BASE, operation).build(0, r#"{"i":7}"#).unwrap();
    assert_eq!(request.url, "https://api.example.com/v1/7");
    assert_eq!(request.headers, [("X-Id".to_owned(), "7".to_owned())]);
}

#[test]
fn r_000_161_a_base_keeps_its_path_and_query_with_one_slash_at_the_joint() {
    for (base, path, expected) in [
        ("https://h", "/x", "https://h/x"),
        ("https://h/a", "x", "https://h/a/x"),
        ("https://h/a/", "/x", "https://h/a/x"),
        ("https://h/a//", "//x", "https://h/a/x"),
        ("https://h//a/100%", "/x", "https://h//a/100%25/x"),
        ("https://h/a", "", "https://h/a"),
        ("https://h/a/", "", "https://h/a/"),
        ("https://h/a", "/", "https://h/a/"),
        ("https://h:8443/a/../b?k=v#f", "/x?l=w#f", "https://h:8443/b/x?k=v&l=w"),
        ("HTTP://H:80/?", "/x", "http://h/x"),
        ("https://h/a b|c^d", "/x", "https://h/a%20b%7Cc%5Ed/x"),
        ("https://h?q='a b'", "/x", "https://h/x?q=%27a%20b%27"),
        ("https://[::1]:9/", "//evil.example/x", "https://[::1]:9/evil.example/x"),
        ("https://h", "https://evil.example/x", "https://h/https://evil.example/x"),
        ("https://h", "\\\\\\\\evil.example", "https://h/%5C%5Cevil.example"),
        ("https://h", "@evil.example", "https://h/@evil.example"),
    ] {
        let operation = format!(r#"{{"method":"GET","path":"{path}","parameters":[]}}"#);
        let request = requests(base, &operation).build(0, "{}").unwrap();
        assert_eq!(request.url, expected, "{base} {path}");
    }
}

#[test]
fn r_000_008_what_is_no_object_or_no_operation_builds_nothing() {
    let root = get("/", &[]);
    for input in ["", "[]", "null", "{", r#"{"a":1} {}"#] {
        assert!(refusal(&root, input).contains("not a JSON object"), "{input}");
    }
    assert!(root.build(1, "{}").is_err());
}

#[test]
fn a_refusal_never_repeats_a_value() {
    let all = get("/{p}", &["path p", "query q", "header h"]);
    for input in [
        r#"{"p":{"secret":1}}"#,
        r#"{"p":["secret"]}"#,
        r#"{"p":"secret\ud800"}"#,
        r#"{"p":1,"q":{"secret":"secret"}}"#,
        r#"{"p":1,"h":"secret\r\nsecret"}"#,
        r#"{"p":"secret""#,
    ] {
        assert!(!refusal(&all, input).contains("secret"), "{input}");
    }
}
