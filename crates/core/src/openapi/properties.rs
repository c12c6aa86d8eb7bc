//! What holds of any document, and of whatever a model gives to the tools that are read of it.
//!
//! The rule: what has to hold is worked out here from the document as it was made up, from URL parsing and from serde_json
//! alone, never by the code under test.

use percent_encoding::percent_decode_str;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use url::Url;

use super::{Reading, read};
use crate::cases::cases;
use crate::http::{Content, Request, Requests};

const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

fn one_of(values: &[&'static str]) -> impl Strategy<Value = Value> {
    select(values.to_vec()).prop_map(Value::from)
}

/// Something that stands where nobody expects it.
fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i16>().prop_map(Value::from),
        "[a-z#/{}]{0,4}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([null, {}])),
    ]
}

/// An object of these members, each there or not, now and then odd. Side by side in a list: members within members would take the
/// stack of a test's thread without optimization.
fn object(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let (keys, values): (Vec<_>, Vec<_>) = members
        .into_iter()
        .map(|(key, value)| (key, prop_oneof![10 => value.prop_map(Some), 1 => odd().prop_map(Some), 9 => Just(None)]))
        .unzip();
    values
        .prop_map(move |values| {
            let members = keys.iter().zip(values);
            Value::Object(members.filter_map(|(key, value)| Some(((*key).to_owned(), value?))).collect())
        })
        .boxed()
}

fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!({ "type": "string" })),
        Just(json!({ "type": "integer", "nullable": true, "exclusiveMinimum": true, "minimum": 1 })),
        Just(json!({ "type": "string", "format": "binary" })),
        Just(json!({ "type": "string", "contentEncoding": "base64" })),
        Just(json!({ "enum": ["a", 1, null] })),
        Just(json!({ "$ref": "#/components/schemas/A" })),
        Just(json!({ "$ref": "#/components/schemas/B" })),
        Just(json!({ "$ref": "#/components/schemas/A/properties/n" })),
        Just(json!({ "$ref": "#/nowhere" })),
        Just(
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [true], "additionalItems": false, "dependencies": { "a": ["b"], "c": {} } })
        ),
        Just(json!(true)),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let list = vec(inner.clone(), 0..3).prop_map(Value::from);
        object(vec![
            ("type", one_of(&["object", "array", "string", "null"]).boxed()),
            (
                "properties",
                object(vec![
                    ("n", inner.clone().boxed()),
                    ("o p", inner.clone().boxed()),
                    ("q[", inner.clone().boxed()),
                ]),
            ),
            ("items", prop_oneof![inner.clone(), list.clone()].boxed()),
            ("anyOf", list.clone().boxed()),
            ("allOf", list.boxed()),
            ("additionalProperties", inner.boxed()),
            ("nullable", any::<bool>().prop_map(Value::from).boxed()),
            ("description", Just(json!("d")).boxed()),
        ])
    })
    .boxed()
}

fn style() -> BoxedStrategy<Value> {
    one_of(&["form", "simple", "label", "matrix", "spaceDelimited", "pipeDelimited", "deepObject", "other"]).boxed()
}

fn flag() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(Value::from).boxed()
}

fn media_type(is_body: bool) -> BoxedStrategy<Value> {
    let content_types = || one_of(&["application/json", "image/png, image/*", "text/plain", "*/*", ""]).boxed();
    let good = || {
        object(vec![
            ("style", one_of(&["form", "spaceDelimited", "pipeDelimited", "deepObject"]).boxed()),
            ("explode", flag()),
            ("allowReserved", flag()),
            ("contentType", content_types()),
        ])
    };
    let bad = object(vec![
        ("style", style()),
        ("contentType", content_types()),
        ("headers", Just(json!({ "X-A": { "required": true }, "Content-Type": { "required": true } })).boxed()),
    ]);
    let encodings = prop_oneof![
        4 => object(vec![("n", good()), ("o p", good())]),
        1 => object(vec![("n", bad), ("\u{10F800}", good())]),
    ];
    if is_body {
        object(vec![("schema", schema()), ("encoding", encodings.boxed())])
    } else {
        object(vec![("schema", schema())])
    }
}

fn content(is_body: bool) -> BoxedStrategy<Value> {
    let types = select(vec![
        "application/json",
        "application/vnd.a+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/mixed",
        "text/plain",
        "application/xml",
        "image/png",
        "image/*",
        "*/*",
        "no type",
    ]);
    vec((types, media_type(is_body)), 0..3)
        .prop_map(|content| Value::Object(content.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
        .boxed()
}

fn parameter() -> BoxedStrategy<Value> {
    let named = object(vec![
        ("required", flag()),
        ("schema", schema()),
        ("style", style()),
        ("explode", flag()),
        ("allowReserved", flag()),
        ("description", Just(json!("d")).boxed()),
    ]);
    let names =
        one_of(&["id", "n", "o p", "o_p", "q[a]", "é", "x-a", "Authorization", "\u{10F800}", "__proto__", "body"]);
    let places = one_of(&["path", "query", "query", "query", "header", "cookie", "querystring"]);
    (named, names, places, prop_oneof![8 => Just(None), 1 => content(false).prop_map(Some)])
        .prop_map(|(mut parameter, name, place, content)| {
            parameter["name"] = name;
            parameter["in"] = place;
            if let Some(content) = content {
                parameter["content"] = content;
            }
            parameter
        })
        .boxed()
}

fn operation() -> BoxedStrategy<Value> {
    let list = vec(parameter(), 0..4).prop_map(|mut list: Vec<Value>| {
        list.push(json!({ "$ref": "#/components/parameters/Id" }));
        Value::from(list)
    });
    object(vec![
        ("operationId", one_of(&["a", "b", "c d", ""]).boxed()),
        ("summary", Just(json!("s")).boxed()),
        ("deprecated", flag()),
        ("parameters", list.boxed()),
        (
            "requestBody",
            (content(true), any::<bool>())
                .prop_map(|(content, required)| json!({ "content": content, "required": required }))
                .boxed(),
        ),
    ])
}

fn document() -> BoxedStrategy<Value> {
    let item = || {
        object(
            METHODS
                .into_iter()
                .filter(|method| matches!(*method, "get" | "post" | "put" | "trace" | "query"))
                .map(|method| (method, operation()))
                .collect(),
        )
    };
    let additional = prop_oneof![3 => Just(json!({})), 1 => Just(json!({ "COPY": {}, "LINK": null }))];
    let schemas = object(vec![("A", object(vec![("properties", object(vec![("n", schema())]))])), ("B", schema())]);
    let version = select(vec!["3.0.3", "3.1.0", "3.2.0"]);
    let styles = one_of(&["simple", "label", "matrix", "form"]);
    let id = object(vec![("schema", schema()), ("style", styles.boxed()), ("explode", flag())]);
    (version, item(), item(), additional, schemas, id, any::<bool>())
        .prop_map(|(version, one, mut other, additional, schemas, mut id, with_self)| {
            id["name"] = json!("id");
            id["in"] = json!("path");
            if let Some(other) = other.as_object_mut() {
                other.insert("additionalOperations".to_owned(), additional);
            }
            let mut document = json!({
                "openapi": version,
                "paths": { "/a/{id}/b": one, "/c#{id}": other, "/d/{id}": { "$ref": "#/paths/~1a~1%7Bid%7D~1b" }, "/e": { "$ref": "other.json" } },
                "components": { "schemas": schemas, "parameters": { "Id": id } }
            });
            if with_self {
                document["$self"] = json!("https://example.com/api.json");
                document["jsonSchemaDialect"] = json!("https://json-schema.org/draft/2019-09/schema");
            }
            document
        })
        .boxed()
}

/// Values that a model may give, among them those that fit.
fn given() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        select(vec![
            "",
            ".",
            "..",
            "/",
            "%2e",
            "a/../b",
            "?x=1",
            "#",
            "&admin=true",
            "=",
            "+",
            "|",
            ",",
            " ",
            ";",
            "a]b[",
            "\r\nX-Evil: 1",
            "aGk=",
            "é",
            "😀",
            "--",
            "@evil.example",
            "\u{10F800}"
        ])
        .prop_map(Value::from),
        "[a-z0-9]{1,6}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let keys = select(vec!["n", "o p", "q[", "id", "", "é", "a=b", "a,b", "k&", "Host", "__proto__", "\r\n"]);
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((keys, inner), 0..3).prop_map(|members| Value::Object(
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
    .boxed()
}

/// What the methods of an item are, by its own members alone.
fn count(item: &Value, version: &str) -> usize {
    let has_query = version == "3.2.0";
    let Some(item) = item.as_object() else { return 1 };
    let own = METHODS.iter().filter(|method| (has_query || **method != "query") && item.contains_key(**method)).count();
    let additional = item.get("additionalOperations").and_then(Value::as_object).filter(|_| has_query);
    own + additional.map_or(0, Map::len)
}

/// Every name under `$defs` that a schema refers to.
fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str().filter(|_| key == "$ref") {
                    Some(reference) => {
                        let name = reference.strip_prefix("#/$defs/").unwrap();
                        let name = percent_decode_str(name).decode_utf8().unwrap();
                        found.push(name.replace("~1", "/").replace("~0", "~"));
                    }
                    None => references(value, found),
                }
            }
        }
        _ => {}
    }
}

/// What is read of a document, each schema with everything it refers to.
fn all(document: &str, reading: Reading) -> Option<Value> {
    let catalog = read(document, reading).ok()?;
    let mut all: Value = super::tests::put_rows_together(&catalog.rows);
    for (at, operation) in all["operations"].as_array_mut().unwrap().iter_mut().enumerate() {
        let schema = catalog.schema(at).unwrap();
        let mut wanted = Vec::new();
        let own: Value = serde_json::from_str(&schema.own).unwrap();
        references(&own, &mut wanted);
        let mut names = Vec::new();
        for id in schema.shared {
            let shared: Value = serde_json::from_str(catalog.shared(id as usize).unwrap()).unwrap();
            assert!(shared.is_object() || shared.is_boolean());
            references(&shared, &mut wanted);
            names.push(catalog.shared_name(id as usize).unwrap().to_owned());
        }
        for name in wanted {
            assert!(names.contains(&name), "{name:?} of {names:?}");
        }
        operation["definition"]["inputSchema"] = own;
    }
    Some(all)
}

fn templates(all: &Value) -> Value {
    let operations = all["operations"].as_array().unwrap().iter();
    operations.map(|one| json!({ "name": one["definition"]["name"], "request": one["request"] })).collect()
}

const BASE: &str = "https://api.example.com:8443/v1/base?key=mine";

/// Whether the request is the template's, whatever it was given.
fn holds(request: &Request, template: &Value) {
    let url = Url::parse(&request.url).unwrap();
    assert_eq!(url.as_str(), request.url);
    assert_eq!((url.scheme(), url.host_str(), url.port()), ("https", Some("api.example.com"), Some(8443)));
    assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None));
    let path = template["path"].as_str().unwrap().split(['#', '?']).next().unwrap();
    let sent = url.path().strip_prefix("/v1/base").unwrap();
    assert_eq!(sent.split('/').count(), path.split('/').count(), "{sent} for {path}");
    for (sent, meant) in sent.split('/').zip(path.split('/')) {
        assert!(meant.contains('{') || sent == meant, "{sent} for {path}");
    }
    // The base URL's own pair is there once.
    assert_eq!(url.query_pairs().filter(|(key, _)| key == "key").collect::<Vec<_>>(), [("key".into(), "mine".into())]);
    assert_eq!(request.method, template["method"]);
    let parameters = template["parameters"].as_array().unwrap();
    for (name, value) in &request.headers {
        assert!(parameters.iter().any(|place| place["in"] == "header" && place["name"] == name.as_str()), "{name}");
        assert!(value.chars().all(|character| character <= '\u{FF}' && !character.is_control()), "{value:?}");
    }
    let Some(body) = &request.body else { return };
    assert!(body.media_type.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{}", body.media_type);
    let said = template["mediaType"].as_str().unwrap_or("application/json");
    assert!(body.media_type.starts_with(said), "{} for {said}", body.media_type);
    if let (Some((_, boundary)), Content::Bytes(bytes)) = (body.media_type.split_once("; boundary="), &body.content) {
        assert!(bytes.ends_with(format!("--{boundary}--\r\n").as_bytes()));
    }
}

/// The properties below say something: the documents that are made up have all that is read, and all that is left out.
#[test]
fn the_documents_that_are_made_up_have_everything() {
    let mut runner = TestRunner::deterministic();
    let mut found = String::new();
    for _ in 0..1500 {
        let document = document().new_tree(&mut runner).unwrap().current();
        found.push_str(&all(&document.to_string(), Reading::Extended).unwrap().to_string());
    }
    let parts = [
        "\"style\":\"form\"",
        "\"style\":\"simple\"",
        "\"style\":\"label\"",
        "\"style\":\"matrix\"",
        "\"style\":\"spaceDelimited\"",
        "\"style\":\"pipeDelimited\"",
        "\"style\":\"deepObject\"",
        "\"explode\":false",
        "\"allowReserved\":true",
        "\"fields\":[",
        "\"contentEncoding\":\"base64\"",
        "\"mediaType\":\"application/x-www-form-urlencoded\"",
        "\"mediaType\":\"multipart/form-data\"",
        "\"mediaType\":\"text/plain\"",
        "\"mediaType\":\"image/png\"",
        "\"prefixItems\":",
        "\"code\":\"body\"",
        "\"code\":\"style\"",
        "\"code\":\"cookie\"",
        "\"code\":\"path\"",
        "\"code\":\"reference\"",
        "\"code\":\"name\"",
        "\"code\":\"method\"",
        "\"code\":\"parameter\"",
        "\"code\":\"querystring\"",
        "\"code\":\"malformed\"",
    ];
    assert_eq!(parts.into_iter().filter(|part| !found.contains(part)).collect::<Vec<_>>(), [""; 0]);
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn r_000_215_an_operation_is_a_tool_or_left_out_in_both_readings(document in document()) {
        let text = document.to_string();
        let version = document["openapi"].as_str().unwrap();
        let paths = &document["paths"];
        let of_reference = if paths["/a/{id}/b"].is_object() { count(&paths["/a/{id}/b"], version) } else { 1 };
        let expected = count(&paths["/a/{id}/b"], version) + count(&paths["/c#{id}"], version) + of_reference + 1;
        let mut tools = Vec::new();
        for reading in [Reading::Documented, Reading::Extended] {
            let all = all(&text, reading).unwrap();
            let (operations, skipped) = (all["operations"].as_array().unwrap(), all["skipped"].as_array().unwrap());
            prop_assert_eq!(operations.len() + skipped.len(), expected, "{}", all);
            for one in skipped {
                let place = format!("paths.{}", one["path"].as_str().unwrap());
                prop_assert!(one["reason"].as_str().unwrap().starts_with(&place));
            }
            tools.push(operations.len());
        }
        prop_assert!(tools[0] <= tools[1], "{:?}: {}", tools, text);
    }

    #[test]
    fn r_000_161_every_tool_can_be_sent_and_no_request_leaves_the_base(document in document(), values in vec(given(), 12), drop in any::<u16>()) {
        let all = all(&document.to_string(), Reading::Extended).unwrap();
        let templates = templates(&all);
        let requests = Requests::new(BASE, &templates.to_string()).unwrap();
        for (at, one) in templates.as_array().unwrap().iter().enumerate() {
            let template = &one["request"];
            let properties = template["parameters"].as_array().unwrap().iter().map(|place| &place["property"]).chain(template.get("body"));
            let input: Map<String, Value> = properties
                .enumerate()
                .filter(|(place, _)| drop >> place & 1 == 0)
                .map(|(place, property)| (property.as_str().unwrap().to_owned(), values[(at + place) % values.len()].clone()))
                .collect();
            if let Ok(request) = requests.build(at, &Value::Object(input).to_string()) {
                holds(&request, template);
            }
        }
    }

    #[test]
    fn plain_values_are_always_sent(document in document(), texts in vec("[a-z0-9]{1,6}", 12)) {
        let all = all(&document.to_string(), Reading::Extended).unwrap();
        let templates = templates(&all);
        let requests = Requests::new(BASE, &templates.to_string()).unwrap();
        for (at, one) in templates.as_array().unwrap().iter().enumerate() {
            let template = &one["request"];
            let mut input = Map::new();
            for (place, parameter) in template["parameters"].as_array().unwrap().iter().enumerate() {
                input.insert(parameter["property"].as_str().unwrap().to_owned(), json!(texts[place % texts.len()]));
            }
            let request = requests.build(at, &Value::Object(input).to_string());
            prop_assert!(request.is_ok(), "{:?} for {}", request, template);
            holds(&request.unwrap(), template);
        }
    }

    #[test]
    fn a_damaged_document_is_read_or_refused(document in document(), noise in ".{0,12}", at in any::<Index>(), cut in any::<Index>()) {
        let mut characters: Vec<char> = document.to_string().chars().collect();
        let from = at.index(characters.len());
        let to = from + cut.index(characters.len() - from).min(200);
        characters.splice(from..to, noise.chars());
        let text: String = characters.into_iter().collect();
        for reading in [Reading::Documented, Reading::Extended] {
            let Some(all) = all(&text, reading) else { continue };
            // A document that is read gives tools that can be sent.
            let templates = templates(&all).to_string();
            prop_assert!(Requests::new(BASE, &templates).is_ok(), "{}", templates);
        }
    }
}
