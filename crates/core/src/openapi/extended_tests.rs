//! What `Reading::Extended` reads besides.

use serde_json::{Value, json};

use super::tests::{document, parameter, put_together, text_of};
use super::*;

fn extended(document: &Value) -> Value {
    put_together(&read(&document.to_string(), Reading::Extended).unwrap())
}

/// The template of the one operation.
fn request(document: &Value) -> Value {
    let all = extended(document);
    assert_eq!(all["skipped"], json!([]), "{document}");
    all["operations"][0]["request"].clone()
}

fn skip(document: &Value) -> (String, String) {
    let all = extended(document);
    assert_eq!(all["operations"], json!([]), "{document}");
    let text = |key: &str| all["skipped"][0][key].as_str().unwrap().to_owned();
    (text("code"), text("reason"))
}

fn get(path: &str, parameter: &Value) -> Value {
    document("3.1.0", json!({ path: { "get": { "parameters": [parameter] } } }), json!({}))
}

fn post(version: &str, body: Value) -> Value {
    document(version, json!({ "/a": { "post": { "requestBody": body } } }), json!({}))
}

fn content(media_type: &str, value: Value) -> Value {
    json!({ "required": true, "content": { media_type: value } })
}

#[test]
fn a_parameter_says_how_it_is_written_where_that_is_not_the_places_own_way() {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    let object = json!({ "type": "object" });
    let any = json!({});
    let cases = [
        ("query", json!({ "schema": list }), json!({})),
        ("query", json!({ "schema": list, "explode": false }), json!({ "style": "form", "explode": false })),
        ("query", json!({ "explode": false }), json!({})),
        ("query", json!({ "schema": any, "explode": false }), json!({ "style": "form", "explode": false })),
        ("query", json!({ "schema": any }), json!({})),
        ("query", json!({ "schema": object }), json!({ "style": "form" })),
        ("query", json!({ "schema": object, "explode": false }), json!({ "style": "form", "explode": false })),
        ("query", json!({ "schema": list, "style": "spaceDelimited" }), json!({ "style": "spaceDelimited" })),
        (
            "query",
            json!({ "schema": list, "style": "pipeDelimited", "explode": true }),
            json!({ "style": "pipeDelimited", "explode": true }),
        ),
        (
            "query",
            json!({ "schema": object, "style": "deepObject", "explode": true }),
            json!({ "style": "deepObject" }),
        ),
        ("query", json!({ "allowReserved": true }), json!({ "style": "form", "allowReserved": true })),
        ("path", json!({ "schema": list }), json!({ "style": "simple" })),
        ("path", json!({ "schema": object, "explode": true }), json!({ "style": "simple", "explode": true })),
        ("path", json!({ "style": "label" }), json!({ "style": "label" })),
        ("path", json!({ "style": "matrix", "explode": true }), json!({ "style": "matrix", "explode": true })),
        ("path", json!({ "explode": true, "allowReserved": true }), json!({})),
        ("header", json!({ "schema": list }), json!({})),
        ("header", json!({ "schema": object }), json!({ "style": "simple" })),
        (
            "query",
            json!({ "content": { "application/json": { "schema": object } } }),
            json!({ "mediaType": "application/json" }),
        ),
        ("header", json!({ "content": { "text/plain": { "schema": { "type": "string" } } } }), json!({})),
        ("path", json!({ "content": { "*/*": { "schema": { "type": "integer" } } } }), json!({})),
    ];
    for (place, given, expected) in cases {
        let path = if place == "path" { "/{q}" } else { "/" };
        let document = get(path, &parameter(place, "q", given.clone()));
        let mut place = json!({ "property": "q", "in": place, "name": "q" });
        place.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
        assert_eq!(request(&document)["parameters"], json!([place]), "{given}");
    }
}

#[test]
fn a_value_of_a_media_type_has_that_ones_schema() {
    let parameter = json!({ "name": "q", "in": "query", "description": "d", "content": { "application/json": { "schema": { "type": "object" } } } });
    let all = extended(&get("/", &parameter));
    assert_eq!(
        all["operations"][0]["definition"]["inputSchema"]["properties"]["q"],
        json!({ "type": "object", "description": "d" })
    );
}

#[test]
fn a_parameter_that_no_request_can_carry_leaves_its_operation_out_all_the_same() {
    for (parameter, code) in [
        (parameter("cookie", "c", json!({ "required": true })), "cookie"),
        (parameter("header", "q", json!({ "style": "form" })), "style"),
        (parameter("query", "q", json!({ "style": "simple" })), "style"),
        (parameter("query", "q", json!({ "style": 7 })), "style"),
        (parameter("query", "q", json!({ "content": { "text/csv": {} } })), "style"),
        (parameter("query", "q", json!({ "content": {} })), "style"),
        (parameter("query", "q", json!({ "content": { "application/json": [] } })), "malformed"),
        (parameter("header", "a b", json!({})), "parameter"),
    ] {
        assert_eq!(skip(&get("/", &parameter)).0, code, "{parameter}");
    }
}

#[test]
fn a_form_is_read_with_what_the_document_says_of_its_fields() {
    let schema = json!({ "type": "object", "properties": { "expand": { "type": "array" }, "meta": {}, "plain": {} } });
    let media = json!({ "schema": schema, "encoding": {
        "expand": { "style": "deepObject", "explode": true },
        "meta": { "contentType": "application/json" },
        "ids": { "explode": false },
        "free": { "allowReserved": true },
        "plain": {}
    } });
    for media_type in ["application/x-www-form-urlencoded", "multipart/form-data"] {
        let request = request(&post("3.0.3", content(media_type, media.clone())));
        assert_eq!(request["mediaType"], media_type);
        assert_eq!(
            request["fields"],
            json!([
                { "name": "expand", "style": "deepObject" },
                { "name": "meta", "mediaType": "application/json" },
                { "name": "ids", "style": "form", "explode": false },
                { "name": "free", "style": "form", "allowReserved": true }
            ])
        );
    }
    let plain = request(&post("3.0.3", content("application/x-www-form-urlencoded; charset=utf-8", json!({}))));
    assert_eq!((&plain["mediaType"], &plain["fields"]), (&json!("application/x-www-form-urlencoded"), &json!(null)));
}

#[test]
fn a_file_is_given_in_base64_and_the_model_is_told_so() {
    let file = json!({ "type": "string", "format": "binary" });
    let schema = json!({ "type": "object", "properties": {
        "one": file,
        "list": { "type": "array", "items": file },
        "nullable": { "anyOf": [file, { "type": "null" }] },
        "typed": { "type": "string", "contentMediaType": "image/png" },
        "said": { "type": "string", "contentMediaType": "image/png", "contentEncoding": "base64" },
        "either": { "oneOf": [file, { "type": "string", "format": "uri" }] },
        "page": { "type": "string", "contentMediaType": "text/html" },
        "empty": {},
        "byte": { "type": "string", "format": "byte" },
        "behind": { "$ref": "#/components/schemas/File" }
    } });
    let media = json!({ "schema": { "allOf": [{ "$ref": "#/components/schemas/Upload" }] }, "encoding": { "one": { "contentType": "image/png, image/jpeg" }, "list": { "contentType": "image/*", "style": "form" } } });
    let document = document(
        "3.1.0",
        json!({ "/a": { "post": { "requestBody": content("multipart/form-data", media) } } }),
        json!({ "Upload": schema, "File": file }),
    );
    let all = extended(&document);
    let base64 = |name: &str| json!({ "name": name, "contentEncoding": "base64" });
    assert_eq!(
        all["operations"][0]["request"]["fields"],
        json!([
            { "name": "one", "mediaType": "image/png", "contentEncoding": "base64" },
            base64("list"),
            base64("nullable"),
            base64("typed"),
            { "name": "said", "mediaType": "application/octet-stream" },
            base64("empty"),
            base64("behind")
        ])
    );
    assert_eq!(
        all["operations"][0]["definition"]["inputSchema"]["properties"]["body"]["description"],
        "Files, each given in base64: one, list, nullable, typed, empty, behind."
    );
}

#[test]
fn a_note_keeps_what_a_schema_says_of_itself() {
    let media = json!({ "schema": { "type": "object", "description": "Own words.", "properties": { "f": { "format": "binary", "type": "string" } } } });
    let all = extended(&post("3.0.3", content("multipart/form-data", media.clone())));
    assert_eq!(
        all["operations"][0]["definition"]["inputSchema"]["properties"]["body"],
        json!({ "allOf": [media["schema"]], "description": "A file, given in base64: f." })
    );
}

#[test]
fn text_and_bytes_are_strings() {
    let body = |media_type: &str, value: Value| {
        let all = extended(&post("3.1.0", content(media_type, value)));
        let operation = &all["operations"][0];
        (
            operation["request"]["mediaType"].clone(),
            operation["request"]["contentEncoding"].clone(),
            operation["definition"]["inputSchema"]["properties"]["body"].clone(),
        )
    };
    assert_eq!(body("text/csv", json!({})), (json!("text/csv"), json!(null), json!({ "type": "string" })));
    let xml = json!({ "schema": { "type": "string" } });
    assert_eq!(
        body("application/soap+xml", xml),
        (json!("application/soap+xml"), json!(null), json!({ "type": "string" }))
    );
    assert_eq!(body("text/*", json!({})).0, "text/plain");
    assert_eq!(
        body("image/png", json!({})),
        (
            json!("image/png"),
            json!("base64"),
            json!({ "type": "string", "contentEncoding": "base64", "description": "The bytes, in base64." })
        )
    );
    assert_eq!(body("image/*", json!({})).0, "application/octet-stream");
    let said = json!({ "schema": { "type": "string", "contentEncoding": "base64" } });
    assert_eq!(body("image/png", said).1, json!(null));
    let binary = json!({ "schema": { "type": "string", "format": "binary" } });
    assert_eq!(
        (body("*/*", binary.clone()).0, body("*/*", binary).1),
        (json!("application/octet-stream"), json!("base64"))
    );
    assert_eq!(
        body("*/*", json!({ "schema": { "type": "object" } })),
        (json!(null), json!(null), json!({ "type": "object" }))
    );
}

#[test]
fn json_is_taken_before_a_form_and_a_form_before_text_and_bytes() {
    let chosen = |types: &[&str]| {
        let content: serde_json::Map<String, Value> =
            types.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        request(&post("3.1.0", json!({ "required": true, "content": content })))["mediaType"].clone()
    };
    assert_eq!(chosen(&["multipart/form-data", "application/json"]), json!(null));
    assert_eq!(chosen(&["multipart/form-data", "application/merge-patch+json"]), "application/merge-patch+json");
    assert_eq!(
        chosen(&["image/png", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]),
        "application/x-www-form-urlencoded"
    );
    assert_eq!(chosen(&["image/png", "text/plain", "multipart/form-data"]), "multipart/form-data");
    assert_eq!(chosen(&["image/png", "text/plain"]), "text/plain");
    assert_eq!(chosen(&["multipart/mixed", "image/png"]), "image/png");
}

#[test]
fn a_body_that_no_tool_can_give_is_left_out_where_it_may_be() {
    let refused = [
        ("multipart/mixed", json!({}), "requestBody: is multipart/mixed, which no tool can give"),
        (
            "application/xml",
            json!({ "schema": { "type": "object" } }),
            "requestBody: content \"application/xml\": is an object or a list that is not JSON",
        ),
        (
            "multipart/form-data",
            json!({ "schema": { "type": "string" } }),
            "requestBody: content \"multipart/form-data\": is a form of something other than an object",
        ),
        (
            "multipart/form-data",
            json!({ "encoding": { "f": { "headers": { "X-A": { "required": true } } } } }),
            "requestBody: content \"multipart/form-data\": encoding \"f\": needs the header \"X-A\", which no tool can give",
        ),
        (
            "application/x-www-form-urlencoded",
            json!({ "encoding": { "f": { "style": "simple" } } }),
            "requestBody: content \"application/x-www-form-urlencoded\": encoding \"f\": has the style \"simple\"",
        ),
    ];
    for (media_type, value, reason) in refused {
        let mut body = content(media_type, value);
        assert_eq!(skip(&post("3.1.0", body.clone())).1, format!("paths./a.post: {reason}"));
        body["required"] = json!(false);
        assert_eq!(request(&post("3.1.0", body))["body"], json!(null));
    }
}

#[test]
fn a_description_is_all_that_is_said_of_an_operation() {
    let described = |operation: Value, item: Value| {
        let mut path_item = item;
        path_item["get"] = operation;
        extended(&document("3.1.0", json!({ "/a": path_item }), json!({})))["operations"][0]["definition"]["description"].clone()
    };
    assert_eq!(described(json!({}), json!({})), "GET /a");
    assert_eq!(described(json!({ "deprecated": true }), json!({})), "GET /a\n\nDeprecated.");
    assert_eq!(
        described(
            json!({ "summary": "S", "description": "D\n", "deprecated": true }),
            json!({ "summary": "PS", "description": "S" })
        ),
        "S\n\nD\n\n\nPS\n\nDeprecated."
    );
    assert_eq!(described(json!({ "description": " " }), json!({ "description": "P" })), "GET /a\n\nP");
    let text = r#"{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"\ud800","description":"\u0041"}}}}"#;
    assert!(text_of(&read(text, Reading::Extended).unwrap().rows).contains(r#""\ud800\n\n\u0041""#));
}

#[test]
fn the_two_readings_are_one_for_a_document_of_json_and_default_styles() {
    let paths = json!({ "/a/{id}": {
        "get": { "description": "d", "parameters": [parameter("path", "id", json!({})), parameter("query", "q", json!({ "schema": { "type": "array" } })), parameter("header", "x", json!({ "explode": true }))] },
        "post": { "description": "p", "parameters": [parameter("path", "id", json!({}))], "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/A" } } } } },
        "trace": {}
    } });
    let document = document("3.1.0", paths, json!({ "A": { "properties": { "b": {} } } }));
    assert_eq!(extended(&document), put_together(&read(&document.to_string(), Reading::Documented).unwrap()));
}

#[test]
fn the_whole_query_as_one_parameter_has_a_code_of_its_own_in_3_2() {
    let parameter = json!({ "name": "q", "in": "querystring", "content": { "application/json": {} } });
    for reading in [Reading::Documented, Reading::Extended] {
        let code = |version: &str| {
            let document = document(version, json!({ "/a": { "get": { "parameters": [parameter] } } }), json!({}));
            let all = put_together(&read(&document.to_string(), reading).unwrap());
            all["skipped"][0]["code"].clone()
        };
        assert_eq!((code("3.2.0"), code("3.1.0")), (json!("querystring"), json!("parameter")));
    }
}

#[test]
fn a_reference_to_the_documents_own_address_is_one_into_it_since_3_2() {
    let with = |version: &str, address: &str, reference: &str| {
        let document = json!({
            "openapi": version,
            "$self": address,
            "paths": { "/a": { "post": {
                "parameters": [{ "$ref": reference.replace("schemas/A", "parameters/P") }],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": reference } } } }
            } } },
            "components": { "schemas": { "A": { "type": "object" } }, "parameters": { "P": { "name": "p", "in": "query" } } }
        });
        let all = extended(&document);
        match all["skipped"][0]["reason"].as_str() {
            Some(reason) => reason.to_owned(),
            None => all["operations"][0]["definition"]["inputSchema"]["properties"]["body"].to_string(),
        }
    };
    let read = r##"{"$ref":"#/$defs/A"}"##;
    for (address, reference) in [
        ("https://example.com/api/v1.json", "https://example.com/api/v1.json#/components/schemas/A"),
        ("https://example.com/api/v1.json", "v1.json#/components/schemas/A"),
        ("https://example.com/api/v1.json", "/api/v1.json#/components/schemas/A"),
        ("https://example.com/api/v1.json", "#/components/schemas/A"),
        ("/api/v1.json", "../api/v1.json#/components/schemas/A"),
        ("urn:api", "urn:api#/components/schemas/A"),
    ] {
        assert_eq!(with("3.2.0", address, reference), read, "{address} {reference}");
    }
    for (version, address, reference) in [
        ("3.1.0", "https://example.com/api/v1.json", "https://example.com/api/v1.json#/components/schemas/A"),
        ("3.2.0", "https://example.com/api/v1.json", "https://example.com/api/v2.json#/components/schemas/A"),
        ("3.2.0", "https://example.com/api/v1.json", "http://example.com/api/v1.json#/components/schemas/A"),
    ] {
        assert!(with(version, address, reference).contains("leads out of the document"), "{reference}");
    }
}

#[test]
fn schemas_in_an_older_dialect_are_written_as_2020_12_has_them() {
    let schema = json!({
        "items": [{ "$ref": "#/components/schemas/A", "description": "beside" }, { "type": "string" }],
        "additionalItems": { "type": "null" },
        "properties": { "one": { "items": { "type": "string" }, "additionalItems": false } },
        "dependencies": { "a": ["b"], "c": { "items": [true] } }
    });
    let body = |dialect: Option<&str>, schema: Value| {
        let mut document = document(
            "3.1.0",
            json!({ "/a": { "post": { "requestBody": { "content": { "application/json": { "schema": schema } } } } } }),
            json!({ "A": {} }),
        );
        if let Some(dialect) = dialect {
            document["jsonSchemaDialect"] = json!(dialect);
        }
        extended(&document)["operations"][0]["definition"]["inputSchema"]["properties"]["body"].clone()
    };
    let draft_7 = json!({
        "prefixItems": [{ "$ref": "#/$defs/A" }, { "type": "string" }],
        "items": { "type": "null" },
        "properties": { "one": { "items": { "type": "string" } } },
        "dependentRequired": { "a": ["b"] },
        "dependentSchemas": { "c": { "prefixItems": [true] } }
    });
    for dialect in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-04/schema",
        "https://json-schema.org/draft-06/schema#",
    ] {
        assert_eq!(body(Some(dialect), schema.clone()), draft_7, "{dialect}");
        let mut said = schema.clone();
        said["$schema"] = json!(dialect);
        assert_eq!(body(None, said), draft_7, "{dialect}");
    }
    let mut draft_2019 = draft_7;
    draft_2019["prefixItems"][0] = json!({ "$ref": "#/$defs/A", "description": "beside" });
    draft_2019.as_object_mut().unwrap().retain(|key, _| !key.starts_with("dependent"));
    draft_2019["dependencies"] = json!({ "a": ["b"], "c": { "prefixItems": [true] } });
    assert_eq!(body(Some("https://json-schema.org/draft/2019-09/schema"), schema.clone()), draft_2019);
    let mut as_it_is = schema.clone();
    as_it_is["items"][0] = json!({ "$ref": "#/$defs/A", "description": "beside" });
    for dialect in [
        None,
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("https://spec.openapis.org/oas/3.1/dialect/base"),
        Some("urn:mine"),
    ] {
        assert_eq!(body(dialect, schema.clone()), as_it_is, "{dialect:?}");
    }
    // What says it is in another dialect says it for itself alone.
    let mixed = json!({ "properties": { "old": { "$schema": "http://json-schema.org/draft-07/schema#", "items": [true] }, "new": { "items": [true] } } });
    assert_eq!(
        body(None, mixed),
        json!({ "properties": { "old": { "prefixItems": [true] }, "new": { "items": [true] } } })
    );
}
