//! Bodies in their ways, by OpenAPI's defaults for a field and by what a template says of it.

use serde_json::{Value, json};

use super::super::Requests;
use super::*;

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

fn send(more: &Value, input: &str) -> Result<Body, String> {
    let mut request = json!({ "method": "POST", "path": "/", "parameters": [], "body": "body" });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let requests = Requests::new("https://h", &json!([{ "name": "op", "request": request }]).to_string()).unwrap();
    let request =
        requests.build(0, &format!("{{\"body\":{input}}}")).map_err(|error| error.description().to_owned())?;
    Ok(request.body.unwrap())
}

fn form(fields: &Value, body: &Value) -> Result<String, String> {
    let sent = send(&json!({ "mediaType": FORM, "fields": fields }), &body.to_string())?;
    assert_eq!(sent.media_type, FORM);
    let Content::Text(text) = sent.content else { panic!("bytes") };
    Ok(text)
}

/// The parts of a body, each with its head, by its boundary.
fn multipart(fields: &Value, body: &Value) -> Result<Vec<String>, String> {
    let sent = send(&json!({ "mediaType": MULTIPART, "fields": fields }), &body.to_string())?;
    let boundary = sent.media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    let Content::Bytes(bytes) = sent.content else { panic!("text") };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let inner = format!("\r\n{text}");
    let mut parts: Vec<String> = inner.split(&format!("\r\n--{boundary}")).map(str::to_owned).collect();
    assert_eq!((parts.remove(0).as_str(), parts.pop().unwrap().as_str()), ("", "--\r\n"));
    Ok(parts.into_iter().map(|part| part.strip_prefix("\r\n").unwrap().to_owned()).collect())
}

#[test]
fn a_field_that_nothing_is_said_of_is_text_and_an_object_json() {
    let body = json!({ "id": "f81d 4fae&", "n": 7, "on": true, "tags": ["a", "b+c"], "address": { "zip": "99999+1234" }, "more": [{ "a": 1 }, [2]] });
    assert_eq!(
        form(&json!([]), &body).unwrap(),
        "id=f81d%204fae%26&n=7&on=true&tags=a&tags=b%2Bc&address=%7B%22zip%22%3A%2299999%2B1234%22%7D&more=%7B%22a%22%3A1%7D&more=%5B2%5D"
    );
    let text = |name: &str, value: &str| format!("Content-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
    let of_json = |name: &str, value: &str| {
        format!("Content-Disposition: form-data; name=\"{name}\"\r\nContent-Type: application/json\r\n\r\n{value}")
    };
    assert_eq!(
        multipart(&json!([]), &body).unwrap(),
        [
            text("id", "f81d 4fae&"),
            text("n", "7"),
            text("on", "true"),
            text("tags", "a"),
            text("tags", "b+c"),
            of_json("address", r#"{"zip":"99999+1234"}"#),
            of_json("more", r#"{"a":1}"#),
            of_json("more", "[2]"),
        ]
    );
    assert_eq!(
        (form(&json!([]), &json!({})).unwrap().as_str(), multipart(&json!([]), &json!({})).unwrap().len()),
        ("", 0)
    );
}

#[test]
fn a_field_with_a_style_is_written_as_a_parameter_of_the_query_is() {
    let fields = json!([
        { "name": "expand", "style": "deepObject" },
        { "name": "items", "style": "deepObject" },
        { "name": "ids", "explode": false },
        { "name": "piped", "style": "pipeDelimited" },
        { "name": "flat", "style": "form" },
        { "name": "free", "allowReserved": true }
    ]);
    let body = json!({ "expand": ["a", "b"], "items": [{ "price": "p", "n": 2 }], "ids": [1, 2], "piped": ["x", "y"], "flat": { "k": "v" }, "free": "a/b,c&" });
    assert_eq!(
        form(&fields, &body).unwrap().replace("%5B", "[").replace("%5D", "]"),
        "expand[]=a&expand[]=b&items[0][price]=p&items[0][n]=2&ids=1,2&piped=x%7Cy&k=v&free=a/b,c%26"
    );
    let names: Vec<String> = multipart(&fields, &body)
        .unwrap()
        .into_iter()
        .map(|part| part.replace("Content-Disposition: form-data; name=", "").replace("\r\n\r\n", "="))
        .collect();
    assert_eq!(
        names,
        [
            "\"expand[]\"=a",
            "\"expand[]\"=b",
            "\"items[0][price]\"=p",
            "\"items[0][n]\"=2",
            "\"ids\"=1,2",
            "\"piped\"=x|y",
            "\"k\"=v",
            "\"free\"=a/b,c&"
        ]
    );
}

#[test]
fn a_field_with_a_media_type_is_labelled_so() {
    let fields = json!([{ "name": "meta", "mediaType": "application/vnd.a+json" }, { "name": "page", "mediaType": "text/html; charset=utf-8" }]);
    assert_eq!(
        multipart(&fields, &json!({ "meta": "s", "page": "<p>é" })).unwrap(),
        [
            "Content-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/vnd.a+json\r\n\r\n\"s\"",
            "Content-Disposition: form-data; name=\"page\"\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>é"
        ]
    );
    assert_eq!(form(&fields, &json!({ "meta": "s", "page": 1 })).unwrap(), "meta=%22s%22&page=1");
    assert!(multipart(&fields, &json!({ "page": {} })).unwrap_err().starts_with("body.page: expected"));
}

#[test]
fn a_file_is_given_in_base64_and_sent_as_bytes() {
    let fields = json!([{ "name": "photo", "contentEncoding": "base64", "mediaType": "image/png" }, { "name": "any", "contentEncoding": "base64" }]);
    assert_eq!(
        multipart(&fields, &json!({ "photo": "aGk=", "any": ["AA", "/+8=\r\n"] })).unwrap()[..2],
        [
            "Content-Disposition: form-data; name=\"photo\"; filename=\"photo\"\r\nContent-Type: image/png\r\n\r\nhi",
            "Content-Disposition: form-data; name=\"any\"; filename=\"any\"\r\nContent-Type: application/octet-stream\r\n\r\n\0"
        ]
    );
    assert_eq!(form(&fields, &json!({ "any": "/+8=" })).unwrap(), "any=%FF%EF");
    for (value, at) in [
        (json!("a"), "body.any"),
        (json!("a-_b"), "body.any"),
        (json!("no base64"), "body.any"),
        (json!(7), "body.any"),
        (json!(["aGk=", null]), "body.any[1]"),
    ] {
        let refusal = multipart(&fields, &json!({ "any": value })).unwrap_err();
        assert!(refusal.starts_with(&format!("{at}: is no base64")), "{refusal}");
    }
    let bytes = send(&json!({ "mediaType": "image/png", "contentEncoding": "base64" }), "\"iVBORw==\"").unwrap();
    assert_eq!(bytes, Body { media_type: "image/png".to_owned(), content: Content::Bytes(b"\x89PNG".to_vec()) });
}

#[test]
fn text_is_sent_as_it_is_and_labelled_where_that_matters() {
    for (input, text, media_type) in
        [("\"a\\nb\"", "a\nb", "text/csv"), ("\"é\"", "é", "text/csv; charset=utf-8"), ("1.50", "1.50", "text/csv")]
    {
        let sent = send(&json!({ "mediaType": "text/csv" }), input).unwrap();
        assert_eq!(sent, Body { media_type: media_type.to_owned(), content: Content::Text(text.to_owned()) });
    }
    assert_eq!(
        send(&json!({ "mediaType": "text/plain;charset=UTF-8" }), "\"é\"").unwrap().media_type,
        "text/plain;charset=UTF-8"
    );
    for input in ["{}", "[]", "null"] {
        assert!(
            send(&json!({ "mediaType": "text/plain" }), input).unwrap_err().starts_with("body: expected"),
            "{input}"
        );
    }
}

#[test]
fn what_is_no_form_or_holds_what_no_form_can_is_refused() {
    for media_type in [FORM, MULTIPART] {
        for (input, words) in [
            ("[]", "body: expected an object, whose members are the fields of the form, got a list"),
            ("null", "got null"),
            ("\"a\"", "got a string"),
            (r#"{"a":null}"#, "body.a: expected"),
            (r#"{"a":["b",null]}"#, "body.a[1]: expected"),
            (r#"{"a":"\ud800"}"#, "body.a: holds half of a surrogate pair"),
            (r#"{"\udfff":1}"#, "holds half of a surrogate pair"),
        ] {
            let refusal = send(&json!({ "mediaType": media_type }), input).unwrap_err();
            assert!(refusal.contains(words), "{input}: {refusal}");
        }
    }
}

#[test]
fn no_name_and_no_value_makes_another_part() {
    let name = "a\"; filename=\"x\r\n\r\nb";
    let value = "--boundary\r\nContent-Disposition: form-data; name=\"z\"\r\n\r\n1";
    let parts = multipart(&json!([]), &json!({ name: value })).unwrap();
    assert_eq!(
        parts,
        [format!("Content-Disposition: form-data; name=\"a%22; filename=%22x%0D%0A%0D%0Ab\"\r\n\r\n{value}")]
    );
    let [one, other] =
        ["a", "b"].map(|value| send(&json!({ "mediaType": MULTIPART }), &json!({ "a": value }).to_string()).unwrap());
    assert_ne!(one.media_type, other.media_type);
}

#[test]
fn names_that_are_repeated_make_no_large_body() {
    let many = Value::Array(vec![json!(1); 1000]);
    let refusal = form(&json!([]), &json!({ "n".repeat(1 << 16): many })).unwrap_err();
    assert!(refusal.contains("too large"), "{refusal}");
}
