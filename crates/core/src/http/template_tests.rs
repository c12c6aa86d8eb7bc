//! Templates that are read, and those that are refused with the key and the mend.

use super::*;

const BASE: &str = "https://api.example.com";

fn requests(request: &str) -> Result<Requests, TemplateError> {
    Requests::new(BASE, &format!(r#"[{{"name":"op","request":{request}}}]"#))
}

/// The key and the fault of the one template.
fn fault(request: &str) -> (String, Fault) {
    match requests(request) {
        Err(TemplateError::Template { operation, key, fault }) if operation == "op" => (key, fault),
        other => panic!("{request}: {other:?}"),
    }
}

fn with_place(place: &str) -> String {
    format!(r#"{{"method":"GET","path":"/x/{{a}}","parameters":[{{"property":"a","in":"path","name":"a"}},{place}]}}"#)
}

fn shape(request: &str, key: &str, words: &str) {
    let (found, fault) = fault(request);
    assert_eq!(found, key, "{request}");
    let Fault::Shape(detail) = fault else { panic!("{request}: {fault}") };
    assert!(detail.contains(words), "{detail}");
}

#[test]
fn operations_are_known_by_their_exact_name() {
    let get = r#"{"method":"GET","path":"/","parameters":[]}"#;
    let list = format!(r#"[{{"name":"a","request":{get}}},{{"request":{get},"name":"__proto__"}}]"#);
    let requests = Requests::new(BASE, &list).unwrap();
    assert_eq!(requests.index_of("a"), Some(0));
    assert_eq!(requests.index_of("__proto__"), Some(1));
    assert_eq!(requests.index_of("A"), None);
    assert_eq!(Requests::new(BASE, "[]").unwrap().index_of(""), None);
}

#[test]
fn two_operations_of_one_name_are_refused() {
    let get = r#"{"method":"GET","path":"/","parameters":[]}"#;
    let list = format!(r#"[{{"name":"a","request":{get}}},{{"name":"a","request":{get}}}]"#);
    assert_eq!(Requests::new(BASE, &list).map(|_| ()), Err(TemplateError::SameName { operation: "a".into() }));
}

#[test]
fn a_list_that_is_none_is_refused() {
    for list in ["", "{}", "[1]", r#"[{"name":"a"}]"#, r#"[["a",{}]]"#, r#"[{"name":"a","request":{},"more":1}]"#] {
        assert!(matches!(Requests::new(BASE, list), Err(TemplateError::List { .. })), "{list}");
    }
    let refused = Requests::new(BASE, r#"[{"name":"a","request":{},"more":1}]"#).unwrap_err().to_string();
    assert!(refused.contains("operations[0]: unknown field `more`"), "{refused}");
}

#[test]
fn a_refused_base_url_is_not_repeated() {
    let refused = Requests::new("https://me:secret@example.com", "[]").unwrap_err().to_string();
    assert!(refused.starts_with("baseUrl: holds a user name or password"), "{refused}");
    assert!(!refused.contains("secret"), "{refused}");
}

#[test]
fn a_key_that_is_unknown_missing_or_of_another_type_is_refused() {
    shape(r#"{"method":"GET","path":"/","parameters":[],"headers":{}}"#, "request", "unknown field `headers`");
    shape(r#"{"method":"GET","path":"/"}"#, "request", "missing field `parameters`");
    shape(r#"{"method":1,"path":"/","parameters":[]}"#, "request", "expected a string");
    shape(r#"["GET","/",[]]"#, "request", "expected an object");
    let place = r#"{"property":"b","in":"query","name":"b","required":true}"#;
    shape(&with_place(place), "parameters[1]", "unknown field `required`");
    shape(&with_place(r#"{"property":"b","in":"cookie","name":"b"}"#), "parameters[1]", "unknown variant `cookie`");
    shape(&with_place(r#"["b","query","b"]"#), "parameters[1]", "expected an object");
}

#[test]
fn a_style_is_read_when_it_is_the_places_own() {
    for place in [
        r#"{"property":"b","in":"query","name":"b","style":"form"}"#,
        r#"{"property":"b","in":"query","name":"b","style":"form","explode":true}"#,
        r#"{"property":"b","in":"header","name":"b","style":"simple","explode":true}"#,
        r#"{"property":"b","in":"header","name":"b","explode":false}"#,
    ] {
        assert!(requests(&with_place(place)).is_ok(), "{place}");
    }
}

#[test]
fn a_style_that_does_not_go_with_its_place_is_refused_with_those_that_do() {
    for (place, style, words) in [
        ("path", "form", "simple, label, matrix"),
        ("path", "deepObject", "simple, label, matrix"),
        ("query", "simple", "form, spaceDelimited, pipeDelimited, deepObject"),
        ("query", "matrix", "form, spaceDelimited, pipeDelimited, deepObject"),
        ("header", "form", "simple"),
        ("header", "label", "simple"),
    ] {
        let place = format!(r#"{{"property":"b","in":"{place}","name":"b","style":"{style}"}}"#);
        assert_eq!(fault(&with_place(&place)), ("parameters[1].style".into(), Fault::Style(words.into())), "{place}");
    }
    let place = r#"{"property":"b","in":"query","name":"b","style":"other"}"#;
    shape(&with_place(place), "parameters[1]", "unknown variant `other`");
}

#[test]
fn what_cannot_be_said_together_is_refused() {
    for (place, key, expected) in [
        (r#""in":"header","allowReserved":true"#, "allowReserved", Fault::Reserved),
        (r#""in":"query","style":"form","mediaType":"application/json""#, "mediaType", Fault::StyleAndType),
        (r#""in":"query","mediaType":"text/plain""#, "mediaType", Fault::PlaceType),
    ] {
        let place = format!(r#"{{"property":"b","name":"b",{place}}}"#);
        assert_eq!(fault(&with_place(&place)), (format!("parameters[1].{key}"), expected), "{place}");
    }
    for (body, key, expected) in [
        (r#""contentEncoding":"base64""#, "contentEncoding", Fault::ContentEncoding),
        (r#""mediaType":"multipart/form-data","contentEncoding":"base64""#, "contentEncoding", Fault::ContentEncoding),
        (r#""fields":[]"#, "fields", Fault::FieldsOfNoForm),
        (r#""mediaType":"text/plain","fields":[]"#, "fields", Fault::FieldsOfNoForm),
    ] {
        let request = format!(r#"{{"method":"POST","path":"/","parameters":[],"body":"b",{body}}}"#);
        assert_eq!(fault(&request), (key.into(), expected), "{body}");
    }
    for (field, key, expected) in [
        (r#"{"name":"a"}"#, "fields[0].name", Fault::FieldOfNothing),
        (r#"{"name":"a","mediaType":"image/*"}"#, "fields[0].mediaType", Fault::MediaType),
        (r#"{"name":"a","style":"form","mediaType":"text/plain"}"#, "fields[0].mediaType", Fault::StyleAndType),
        (r#"{"name":"a","explode":true,"contentEncoding":"base64"}"#, "fields[0].contentEncoding", Fault::StyleAndType),
        (
            r#"{"name":"a","style":"simple"}"#,
            "fields[0].style",
            Fault::Style("form, spaceDelimited, pipeDelimited, deepObject".into()),
        ),
        (r#"{"name":"a","explode":true},{"name":"a","explode":true}"#, "fields[1].name", Fault::SamePlace),
    ] {
        let request = format!(
            r#"{{"method":"POST","path":"/","parameters":[],"body":"b","mediaType":"multipart/form-data","fields":[{field}]}}"#
        );
        assert_eq!(fault(&request), (key.into(), expected), "{field}");
    }
}

#[test]
fn a_method_is_read_in_any_case_and_trace_is_refused() {
    for method in ["get", "Put", "POST", "delete", "options", "Head", "patch", "query"] {
        let request = format!(r#"{{"method":"{method}","path":"/","parameters":[]}}"#);
        let requests = requests(&request).unwrap();
        assert_eq!(requests.templates[0].method, method.to_uppercase());
    }
    for (method, expected) in [
        ("Trace", Fault::Trace),
        ("CONNECT", Fault::UnknownMethod),
        ("GET ", Fault::UnknownMethod),
        ("GET\\r\\nX: y", Fault::UnknownMethod),
        ("", Fault::UnknownMethod),
    ] {
        let request = format!(r#"{{"method":"{method}","path":"/","parameters":[]}}"#);
        assert_eq!(fault(&request), ("method".into(), expected));
    }
}

#[test]
fn a_body_of_get_or_head_is_refused() {
    for method in ["GET", "HEAD"] {
        let request = format!(r#"{{"method":"{method}","path":"/","parameters":[],"body":"b"}}"#);
        assert_eq!(fault(&request), ("body".into(), Fault::BodyOfMethod { method }));
    }
    for method in ["POST", "DELETE", "QUERY"] {
        let request = format!(r#"{{"method":"{method}","path":"/","parameters":[],"body":"b"}}"#);
        assert!(requests(&request).is_ok(), "{method}");
    }
}

#[test]
fn a_body_that_is_a_place_as_well_is_refused() {
    let request = r#"{"method":"PUT","path":"/","parameters":[{"property":"b","in":"query","name":"x"}],"body":"b"}"#;
    assert_eq!(fault(request), ("body".into(), Fault::BodyIsPlace));
}

#[test]
fn a_media_type_is_one_that_a_body_can_be_sent_as() {
    for (media_type, good) in [
        ("application/json", true),
        ("application/merge-patch+json; charset=utf-8", true),
        ("TEXT/JSON", true),
        ("application/x-www-form-urlencoded", true),
        ("Multipart/Form-Data", true),
        ("text/plain", true),
        ("image/png", true),
        ("multipart/mixed", false),
        ("image/*", false),
        ("*/*", false),
        ("application/json\\r\\nX: y", false),
        ("application/json; a=\\u0000", false),
        ("application/j son", false),
        ("json", false),
        ("", false),
    ] {
        let request = format!(r#"{{"method":"PUT","path":"/","parameters":[],"body":"b","mediaType":"{media_type}"}}"#);
        match requests(&request) {
            Ok(_) => assert!(good, "{media_type}"),
            Err(_) => {
                assert!(!good, "{media_type}");
                assert_eq!(fault(&request), ("mediaType".into(), Fault::MediaType));
            }
        }
    }
}

#[test]
fn a_placeholder_and_its_place_belong_together() {
    let request = r#"{"method":"GET","path":"/{a}/{b}","parameters":[{"property":"x","in":"path","name":"a"}]}"#;
    assert_eq!(fault(request), ("path".into(), Fault::NoPlace("b".into())));
    let request = r#"{"method":"GET","path":"/{q}","parameters":[{"property":"q","in":"query","name":"q"}]}"#;
    assert_eq!(fault(request), ("path".into(), Fault::NoPlace("q".into())));
    let place = r#"{"property":"b","in":"path","name":"b"}"#;
    assert_eq!(fault(&with_place(place)), ("parameters[1].name".into(), Fault::NoPlaceholder("b".into())));
    let request = r#"{"method":"GET","path":"/x#{a}","parameters":[{"property":"a","in":"path","name":"a"}]}"#;
    assert_eq!(fault(request), ("parameters[0].name".into(), Fault::NoPlaceholder("a".into())));
}

#[test]
fn r_000_165_a_literal_dot_segment_is_refused() {
    for path in ["/a/../b", "/.", "/%2e%2E"] {
        let request = format!(r#"{{"method":"GET","path":"{path}","parameters":[]}}"#);
        assert_eq!(fault(&request), ("path".into(), Fault::DotSegment), "{path}");
    }
}

#[test]
fn two_places_of_one_kind_and_name_are_refused() {
    for (place, same) in [
        (r#"{"property":"x","in":"path","name":"a"}"#, true),
        (r#"{"property":"x","in":"query","name":"q"},{"property":"y","in":"query","name":"q"}"#, true),
        (r#"{"property":"x","in":"header","name":"X-A"},{"property":"y","in":"header","name":"x-a"}"#, true),
        (r#"{"property":"x","in":"query","name":"q"},{"property":"y","in":"query","name":"Q"}"#, false),
        (r#"{"property":"x","in":"query","name":"q"},{"property":"x","in":"header","name":"q"}"#, false),
        (r#"{"property":"a","in":"query","name":"a"},{"property":"a","in":"query","name":"b"}"#, false),
    ] {
        match requests(&with_place(place)) {
            Ok(_) => assert!(!same, "{place}"),
            Err(error) => assert!(same && error.to_string().contains("another parameter"), "{place}: {error}"),
        }
    }
}

#[test]
fn r_000_008_a_header_of_the_client_is_no_place() {
    for name in ["Authorization", "cookie", "HOST", "Content-Type", "Proxy-Authorization", "Sec-Fetch-Site", "TE"] {
        let place = format!(r#"{{"property":"b","in":"header","name":"{name}"}}"#);
        assert_eq!(fault(&with_place(&place)), ("parameters[1].name".into(), Fault::ClientHeader), "{name}");
    }
    for name in ["a b", "X:", "X\\r\\nY", "é"] {
        let place = format!(r#"{{"property":"b","in":"header","name":"{name}"}}"#);
        assert_eq!(fault(&with_place(&place)), ("parameters[1].name".into(), Fault::HeaderName), "{name}");
    }
    let place = r#"{"property":"b","in":"header","name":""}"#;
    assert_eq!(fault(&with_place(place)), ("parameters[1].name".into(), Fault::EmptyName));
}

#[test]
fn an_error_says_which_operation_which_key_and_the_mend() {
    let place = r#"{"property":"b","in":"header","name":"Cookie"}"#;
    assert_eq!(
        requests(&with_place(place)).unwrap_err().to_string(),
        "operation \"op\", parameters[1].name: is a header that belongs to the client or the connection; leave the \
         parameter out and let the client set it"
    );
}
