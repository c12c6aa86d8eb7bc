//! Documents, a few lines each, and what is read of them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn read_documented(text: &str) -> Result<Catalog, InvalidDocument> {
    read(text, Reading::Documented)
}

/// A document read whole: operations with their schemas put together, as JavaScript does it.
fn read_all(document: &Value) -> Value {
    read_text(&document.to_string()).unwrap()
}

fn read_text(text: &str) -> Result<Value, InvalidDocument> {
    read_documented(text).map(|catalog| put_together(&catalog))
}

/// What was read, as JavaScript puts it together.
pub(super) fn put_together(catalog: &Catalog) -> Value {
    let mut all = put_rows_together(&catalog.rows);
    for (at, operation) in all["operations"].as_array_mut().unwrap().iter_mut().enumerate() {
        operation["definition"]["inputSchema"] = schema_of(catalog, at);
    }
    all
}

/// `{ operations, skipped, servers }` as JavaScript puts them together, each operation's definition without its schema.
pub(super) fn put_rows_together(pieces: &VecDeque<Rows>) -> Value {
    let mut lists: [Vec<Value>; 8] = Default::default();
    // Half of a surrogate pair may be at the end of a part, so the parts are joined as they are written.
    let mut descriptions: Vec<String> = Vec::new();
    for Rows { list, text } in pieces {
        if *list != List::Descriptions {
            lists[*list as usize].extend(serde_json::from_str::<Vec<Value>>(text).unwrap());
            continue;
        }
        for row in json::Node::trusted(text).items() {
            let [number, part] = row.items().map(json::Node::text).collect::<Vec<_>>()[..] else { panic!("a row") };
            let number: usize = number.parse().unwrap();
            descriptions.resize(descriptions.len().max(number + 1), String::new());
            descriptions[number].push_str(&part[1..part.len() - 1]);
        }
    }
    let [methods, parameters, bodies, _, operations, reasons, skipped, servers] = lists;
    let at = |list: &[Value], number: &Value| list[number.as_u64().unwrap() as usize].clone();
    let operations = operations.iter().map(|row| {
        let method = at(&methods, &row[2]);
        let parameters: Value = row[4].as_array().unwrap().iter().map(|number| at(&parameters, number)).collect();
        let mut request = json!({ "method": method["method"], "path": row[3], "parameters": parameters });
        if let Some(body) = row.get(5) {
            request.as_object_mut().unwrap().append(at(&bodies, body).as_object_mut().unwrap());
        }
        let description = row[1].as_u64().map_or(row[1].clone(), |number| {
            serde_json::from_str(&format!("\"{}\"", descriptions[number as usize])).unwrap()
        });
        let definition = json!({ "name": row[0], "description": description, "annotations": method["annotations"] });
        json!({ "definition": definition, "request": request })
    });
    let skipped = skipped.iter().map(|row| {
        let key = row[2].as_str().map(|key| format!(".{key}")).unwrap_or_default();
        let (path, reason) = (row[1].as_str().unwrap(), at(&reasons, &row[3]));
        let text = format!("paths.{path}{key}: {}", reason["text"].as_str().unwrap());
        json!({ "method": row[0], "path": path, "code": reason["code"], "reason": text })
    });
    let skipped = skipped.collect::<Value>();
    json!({ "operations": operations.collect::<Value>(), "skipped": skipped, "servers": servers })
}

/// All texts, one after the other.
pub(super) fn text_of(pieces: &VecDeque<Rows>) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

fn schema_of(catalog: &Catalog, at: usize) -> Value {
    let SchemaText { own, shared } = catalog.schema(at).unwrap();
    let mut schema: Value = serde_json::from_str(&own).unwrap();
    if !shared.is_empty() {
        let defs: Map<String, Value> = shared
            .iter()
            .map(|id| {
                let id = *id as usize;
                (
                    catalog.shared_name(id).unwrap().to_owned(),
                    serde_json::from_str(catalog.shared(id).unwrap()).unwrap(),
                )
            })
            .collect();
        schema["$defs"] = Value::Object(defs);
    }
    schema
}

pub(super) fn document(version: &str, paths: Value, schemas: Value) -> Value {
    json!({ "openapi": version, "paths": paths, "components": { "schemas": schemas } })
}

/// The schema of a body of that schema.
fn body_of(version: &str, schema: Value, schemas: Value) -> Value {
    let body = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    let all = read_all(&document(version, json!({ "/a": { "post": { "requestBody": body } } }), schemas));
    assert_eq!(all["skipped"], json!([]));
    all["operations"][0]["definition"]["inputSchema"]["properties"]["body"].clone()
}

fn skipped(paths: Value) -> Vec<(String, String)> {
    let all = read_all(&document("3.1.0", paths, json!({ "Cat": { "type": "object" } })));
    let list = all["skipped"].as_array().unwrap().iter();
    list.map(|skip| (skip["code"].as_str().unwrap().to_owned(), skip["reason"].as_str().unwrap().to_owned())).collect()
}

fn skipped_get(operation: Value) -> (String, String) {
    let mut list = skipped(json!({ "/a": { "get": operation } }));
    assert_eq!(list.len(), 1);
    list.remove(0)
}

pub(super) fn parameter(place: &str, name: &str, more: Value) -> Value {
    let mut parameter = json!({ "name": name, "in": place, "schema": { "type": "string" } });
    parameter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    parameter
}

#[test]
fn says_what_a_text_is_that_is_no_document() {
    let cases = [
        ("[]", "found a list"),
        ("7", "found a number"),
        ("{}", "without \"openapi\""),
        (r#"{"swagger":"2.0","paths":{}}"#, "found Swagger 2.0"),
        (r#"{"openapi":3,"paths":{}}"#, "found a number (3) as \"openapi\""),
        (r#"{"openapi":"4.0.0","paths":{}}"#, "found version \"4.0.0\""),
        (r#"{"openapi":"3.0.0"}"#, "found no \"paths\""),
        (r#"{"openapi":"3.1.0"}"#, "found no \"paths\", no \"components\""),
        (r#"{"openapi":"3.1.0","paths":[]}"#, "found a list as \"paths\""),
        (r#"{"openapi":"3.1.0","paths":{"#, "line 1, column"),
        (r#"{"openapi":"3.1.0","paths":{}} 7"#, "not JSON: trailing characters at line 1"),
        ("openapi: 3.1.0\npaths: {\n", "read as YAML since it does not begin as JSON, cannot be read: "),
        ("openapi: 3.1.0\npaths: {\n", "at line 2, column 8"),
        ("openapi: 3.1\npaths: {}\n", "found a number (3.1) as \"openapi\": it has to be a string"),
        ("swagger: '2.0'\n", "found Swagger 2.0: convert it to OpenAPI 3 first (the text was read as YAML)"),
        ("<html>", "found a string (the text was read as YAML)"),
        ("", "there is nothing in it"),
    ];
    for (text, expected) in cases {
        let error = read_documented(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn r_000_193_reads_3_0_3_1_and_3_2_and_documents_without_paths_since_3_1() {
    for version in ["3.0.0", "3.0.3", "3.1.0", "3.1.1", "3.2.0", "3.1.0-rc0"] {
        assert!(read_documented(&format!(r#"{{"openapi":"{version}","paths":{{}}}}"#)).is_ok(), "{version}");
    }
    assert!(read_documented(r#"{"openapi":"3.1.0","webhooks":{}}"#).is_ok());
    assert!(read_documented("\u{FEFF}{\"openapi\":\"3.1.0\",\"paths\":{}}").is_ok());
    assert!(read_documented("\u{FEFF}openapi: 3.1.0\r\npaths: {}\r\n").is_ok());
    assert!(read_documented(" {openapi: 3.1.0, paths: {},}").is_ok());
    assert!(read_documented(r#"{"swagger":"2.0","paths":{}}"#).is_err());
}

#[test]
fn r_000_202_nullable_schemas_of_3_0_accept_null() {
    let cat = json!({ "Cat": { "type": "object" } });
    let cases = [
        (json!({ "type": "string", "nullable": true }), json!({ "type": ["string", "null"] })),
        (json!({ "type": "string", "nullable": false }), json!({ "type": "string" })),
        (
            json!({ "type": "string", "enum": ["a"], "nullable": true }),
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
        ),
        (json!({ "enum": ["a", null], "nullable": true }), json!({ "enum": ["a", null] })),
        (json!({ "nullable": true }), json!({})),
        (
            json!({ "$ref": "#/components/schemas/Cat", "nullable": true }),
            json!({ "anyOf": [{ "$ref": "#/$defs/Cat" }, { "type": "null" }] }),
        ),
        (
            json!({ "allOf": [{ "$ref": "#/components/schemas/Cat" }], "nullable": true, "description": "d" }),
            json!({ "description": "d", "anyOf": [{ "$ref": "#/$defs/Cat" }, { "type": "null" }] }),
        ),
        (
            json!({ "anyOf": [{ "type": "string" }], "nullable": true }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
        ),
        (
            json!({ "type": "object", "oneOf": [{}], "nullable": true, "title": "t" }),
            json!({ "title": "t", "anyOf": [{ "type": "object", "oneOf": [{}] }, { "type": "null" }] }),
        ),
    ];
    for (given, expected) in cases {
        assert_eq!(body_of("3.0.3", given.clone(), cat.clone()), expected, "{given}");
    }
}

#[test]
fn nullable_is_a_keyword_at_schema_positions_only() {
    let schema = json!({
        "type": "object",
        "properties": { "nullable": { "type": "boolean" }, "deep": { "items": { "type": "string", "nullable": true } } },
        "default": { "nullable": true },
        "enum": [{ "nullable": true }],
        "x-more": { "nullable": true }
    });
    let mut expected = schema.clone();
    expected["properties"]["deep"]["items"] = json!({ "type": ["string", "null"] });
    assert_eq!(body_of("3.0.3", schema.clone(), json!({})), expected);
    assert_eq!(body_of("3.1.0", schema.clone(), json!({})), schema);
}

#[test]
fn r_000_203_other_forms_of_3_0_become_those_of_3_1() {
    let cases = [
        (json!({ "minimum": 1, "exclusiveMinimum": true }), json!({ "exclusiveMinimum": 1 })),
        (json!({ "maximum": 9.50, "exclusiveMaximum": true }), json!({ "exclusiveMaximum": 9.50 })),
        (json!({ "minimum": 1, "exclusiveMinimum": false }), json!({ "minimum": 1 })),
        (json!({ "exclusiveMinimum": true }), json!({})),
        (json!({ "exclusiveMinimum": 3 }), json!({ "exclusiveMinimum": 3 })),
        (json!({ "example": { "a": 1 } }), json!({ "examples": [{ "a": 1 }] })),
        (json!({ "const": 1, "if": {}, "examples": [1] }), json!({ "const": 1, "if": {}, "examples": [1] })),
        (json!({ "$ref": "#/components/schemas/Cat", "description": "lost" }), json!({ "$ref": "#/$defs/Cat" })),
        (json!({ "discriminator": { "propertyName": "a" }, "xml": {}, "externalDocs": {} }), json!({})),
        (json!(true), json!(true)),
        (json!(null), json!({})),
    ];
    for (given, expected) in cases {
        assert_eq!(body_of("3.0.3", given.clone(), json!({ "Cat": {} })), expected, "{given}");
    }
    let siblings = json!({ "$ref": "#/components/schemas/Cat", "description": "kept" });
    assert_eq!(
        body_of("3.1.0", siblings, json!({ "Cat": {} })),
        json!({ "$ref": "#/$defs/Cat", "description": "kept" })
    );
}

#[test]
fn r_000_200_a_schema_stands_alone_with_what_it_needs_and_nothing_more() {
    let paths = json!({ "/a": { "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/A" } } } } } } });
    let schemas = json!({
        "A": { "properties": { "b": { "$ref": "#/components/schemas/B" } } },
        "B": { "items": { "$ref": "#/components/schemas/C" } },
        "C": { "type": "string" },
        "Unused": { "$ref": "https://example.com/other" }
    });
    let all = read_all(&document("3.1.0", paths, schemas));
    assert_eq!(
        all["operations"][0]["definition"]["inputSchema"],
        json!({
            "type": "object",
            "properties": { "body": { "$ref": "#/$defs/A" } },
            "required": [],
            "additionalProperties": false,
            "$defs": {
                "A": { "properties": { "b": { "$ref": "#/$defs/B" } } },
                "B": { "items": { "$ref": "#/$defs/C" } },
                "C": { "type": "string" }
            }
        })
    );
}

#[test]
fn r_000_201_cycles_are_kept_by_reference() {
    let schemas = json!({
        "Tree": { "properties": { "kids": { "items": { "$ref": "#/components/schemas/Tree" } }, "other": { "$ref": "#/components/schemas/Leaf" } } },
        "Leaf": { "allOf": [{ "$ref": "#/components/schemas/Tree" }] },
        "Self": { "$ref": "#/components/schemas/Self" }
    });
    for name in ["Tree", "Self"] {
        let body = body_of("3.0.3", json!({ "$ref": format!("#/components/schemas/{name}") }), schemas.clone());
        assert_eq!(body, json!({ "$ref": format!("#/$defs/{name}") }));
    }
}

#[test]
fn a_reference_to_a_schema_anywhere_in_the_document_counts() {
    let document = json!({
        "openapi": "3.1.0",
        "paths": {
            "/a/{id}": { "post": { "parameters": [{ "name": "id", "in": "path", "schema": { "type": "integer" } }],
                "requestBody": { "content": { "application/json": { "schema": { "properties": {
                    "deep": { "$ref": "#/components/schemas/A/properties/b" },
                    "far": { "$ref": "#/paths/~1a~1%7Bid%7D/post/parameters/0/schema" },
                    "odd": { "$ref": "#/components/schemas/Odd%20name%3CT%3E" },
                    "same": { "$ref": "#/components/schemas/A/properties/b" }
                } } } } } } }
        },
        "components": { "schemas": { "A": { "properties": { "b": { "type": "boolean" } } }, "A_properties_b": {}, "Odd name<T>": { "type": "null" } } }
    });
    let all = read_all(&document);
    let schema = &all["operations"][0]["definition"]["inputSchema"];
    let properties = &schema["properties"]["body"]["properties"];
    assert_eq!(properties["deep"], json!({ "$ref": "#/$defs/A_properties_b_2" }));
    assert_eq!(properties["deep"], properties["same"]);
    assert_eq!(schema["$defs"]["A_properties_b_2"], json!({ "type": "boolean" }));
    assert_eq!(properties["odd"], json!({ "$ref": "#/$defs/Odd%20name%3CT%3E" }));
    assert_eq!(schema["$defs"]["Odd name<T>"], json!({ "type": "null" }));
    let far = properties["far"]["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
    assert_eq!(schema["$defs"][far], json!({ "type": "integer" }));
}

#[test]
fn r_000_213_references_that_lead_nowhere_leave_out_only_their_operation() {
    let body = |reference: &str| json!({ "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": reference } } } } } });
    let document = json!({
        "openapi": "3.0.3",
        "paths": {
            "/remote": body("other.yaml#/A"),
            "/dangling": body("#/components/schemas/Nope"),
            "/wrong": body("#/components/parameters/P"),
            "/transitive": body("#/components/schemas/Outer"),
            "/anchor": body("#anchor"),
            "/loop": { "get": { "parameters": [{ "$ref": "#/components/parameters/L1" }] } },
            "/gone": { "get": { "parameters": [{ "$ref": "#/components/parameters/Nope" }] } },
            "/item": { "$ref": "https://example.com/item" },
            "/good": body("#/components/schemas/Good")
        },
        "components": {
            "schemas": { "Outer": { "items": { "$ref": "#/components/schemas/Inner" } }, "Inner": { "$ref": "#/components/schemas/Nope" }, "Good": {} },
            "parameters": {
                "P": { "name": "p", "in": "query" },
                "L1": { "$ref": "#/components/parameters/L2" },
                "L2": { "$ref": "#/components/parameters/L1" }
            }
        }
    });
    let all = read_all(&document);
    assert_eq!(all["operations"].as_array().unwrap().len(), 1);
    let list = all["skipped"].as_array().unwrap();
    assert!(list.iter().all(|skip| skip["code"] == "reference"), "{list:?}");
    let reasons: Vec<&str> = list.iter().map(|skip| skip["reason"].as_str().unwrap()).collect();
    assert_eq!(
        reasons,
        [
            "paths./remote.post: requestBody: $ref \"other.yaml#/A\" leads out of the document",
            "paths./dangling.post: requestBody: $ref \"#/components/schemas/Nope\" leads to nothing in the document",
            "paths./wrong.post: requestBody: $ref \"#/components/parameters/P\" leads to something other than a schema",
            "paths./transitive.post: schema \"Inner\": $ref \"#/components/schemas/Nope\" leads to nothing in the document",
            "paths./anchor.post: requestBody: $ref \"#anchor\" is not a JSON pointer",
            "paths./loop.get: parameters.0: $ref leads into a loop of references",
            "paths./gone.get: parameters.0: $ref \"#/components/parameters/Nope\" leads to nothing in the document",
            "paths./item: $ref \"https://example.com/item\" leads out of the document",
        ]
    );
}

#[test]
fn resolves_parameters_bodies_path_items_and_media_types_within_the_document() {
    let document = json!({
        "openapi": "3.1.0",
        "paths": {
            "/a/{id}": { "$ref": "#/components/pathItems/Item" },
            "/b/{id}": { "$ref": "#/paths/~1a~1%7Bid%7D", "get": { "operationId": "mine", "parameters": [{ "$ref": "#/components/parameters/Id" }] } }
        },
        "components": {
            "pathItems": { "Item": {
                "parameters": [{ "$ref": "#/components/parameters/Id" }],
                "put": { "operationId": "put", "requestBody": { "$ref": "#/components/requestBodies/Body" } }
            } },
            "parameters": { "Id": { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } } },
            "requestBodies": { "Body": { "required": true, "content": { "application/json": { "$ref": "#/components/mediaTypes/M" } } } },
            "mediaTypes": { "M": { "schema": { "type": "array" } } }
        }
    });
    let all = read_all(&document);
    let names: Vec<&str> =
        all["operations"].as_array().unwrap().iter().map(|o| o["definition"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["put", "mine"]);
    assert_eq!(all["operations"][0]["definition"]["inputSchema"]["properties"]["body"], json!({ "type": "array" }));
    assert_eq!(
        all["operations"][0]["request"]["parameters"],
        json!([{ "property": "id", "in": "path", "name": "id" }])
    );
    assert_eq!(all["skipped"][0]["code"], "name");
}

#[test]
fn r_000_194_properties_are_named_in_the_characters_that_agents_accept() {
    let parameters = json!([parameter("query", "filter[a.b]", json!({})), parameter("query", "größe", json!({}))]);
    let all = read_all(&document("3.1.0", json!({ "/a": { "get": { "parameters": parameters } } }), json!({})));
    let places = &all["operations"][0]["request"]["parameters"];
    assert_eq!(places[0], json!({ "property": "filter_a_b_", "in": "query", "name": "filter[a.b]" }));
    assert_eq!(places[1], json!({ "property": "gr__e", "in": "query", "name": "größe" }));
}

#[test]
fn r_000_195_a_place_goes_before_names_that_two_would_share() {
    let parameters = json!([
        parameter("path", "id", json!({})),
        parameter("query", "id", json!({})),
        parameter("query", "body", json!({}))
    ]);
    let all = read_all(&document("3.1.0", json!({ "/a/{id}": { "get": { "parameters": parameters } } }), json!({})));
    let places: Vec<&str> = all["operations"][0]["request"]["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["property"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["path_id", "query_id", "query_body"]);
    let (code, reason) = skipped_get(
        json!({ "parameters": [parameter("query", "a.b", json!({})), parameter("query", "a_b", json!({}))] }),
    );
    assert_eq!(code, "property");
    assert!(reason.contains("\"a.b\" and \"a_b\""), "{reason}");
    let clash = json!({ "parameters": [parameter("query", "header_x", json!({})), parameter("query", "x", json!({})), parameter("header", "x", json!({}))] });
    assert_eq!(skipped_get(clash).0, "property");
}

#[test]
fn r_000_199_an_operation_replaces_the_parameters_of_its_path_by_name_and_place() {
    let paths = json!({ "/a": {
        "parameters": [parameter("query", "q", json!({ "description": "path" })), parameter("header", "X-A", json!({}))],
        "get": { "parameters": [parameter("header", "q", json!({})), parameter("query", "q", json!({ "description": "own", "required": true })), parameter("header", "x-a", json!({ "required": true }))] }
    } });
    let all = read_all(&document("3.1.0", paths, json!({})));
    let schema = &all["operations"][0]["definition"]["inputSchema"];
    assert_eq!(schema["properties"]["query_q"]["description"], "own");
    assert_eq!(schema["required"], json!(["query_q", "x-a"]));
}

#[test]
fn r_000_209_a_style_is_refused_where_it_changes_the_wire() {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    let refused = [
        parameter("query", "q", json!({ "style": "deepObject" })),
        parameter("query", "q", json!({ "style": "spaceDelimited", "schema": list })),
        parameter("query", "q", json!({ "explode": false, "schema": list })),
        parameter("query", "q", json!({ "explode": false, "schema": { "anyOf": [{ "type": "string" }, list] } })),
        parameter("query", "q", json!({ "explode": false, "schema": {} })),
        parameter("query", "q", json!({ "allowReserved": true })),
        parameter("query", "q", json!({ "content": { "application/json": {} } })),
        parameter("header", "q", json!({ "style": "form" })),
    ];
    for parameter in refused {
        assert_eq!(skipped_get(json!({ "parameters": [parameter] })).0, "style", "{parameter}");
    }
    let read = [
        parameter("query", "q", json!({ "style": "form", "explode": true, "schema": list })),
        parameter("query", "q", json!({ "explode": false, "schema": { "type": ["integer", "null"] } })),
        parameter("query", "q", json!({ "explode": false, "schema": { "enum": ["a"] } })),
        parameter("header", "q", json!({ "style": "simple", "explode": true, "schema": list })),
    ];
    for parameter in read {
        assert_eq!(skipped(json!({ "/a": { "get": { "parameters": [parameter] } } })), [], "{parameter}");
    }
}

#[test]
fn r_000_210_an_object_is_no_parameter_and_a_list_goes_into_no_path() {
    for schema in [
        json!({ "type": "object" }),
        json!({ "properties": { "a": {} } }),
        json!({ "$ref": "#/components/schemas/Cat" }),
        json!({ "allOf": [{ "type": "object" }] }),
    ] {
        let (code, reason) =
            skipped_get(json!({ "parameters": [parameter("query", "q", json!({ "schema": schema }))] }));
        assert_eq!(code, "object");
        assert_eq!(reason, "paths./a.get: query parameter \"q\" is an object");
    }
    let list = parameter("path", "id", json!({ "schema": { "type": "array" } }));
    assert_eq!(skipped(json!({ "/a/{id}": { "get": { "parameters": [list] } } }))[0].0, "list");
}

#[test]
fn r_000_211_a_cookie_is_ignored_unless_it_is_needed() {
    assert_eq!(
        skipped_get(json!({ "parameters": [parameter("cookie", "c", json!({ "required": true }))] })).0,
        "cookie"
    );
    let all = read_all(&document(
        "3.1.0",
        json!({ "/a": { "get": { "parameters": [parameter("cookie", "c", json!({}))] } } }),
        json!({}),
    ));
    assert_eq!(all["operations"][0]["request"]["parameters"], json!([]));
}

#[test]
fn r_000_219_headers_of_the_client_are_no_properties() {
    for name in ["Accept", "Content-Type", "Authorization", "host", "Cookie"] {
        let all = read_all(&document(
            "3.1.0",
            json!({ "/a": { "get": { "parameters": [parameter("header", name, json!({ "required": true }))] } } }),
            json!({}),
        ));
        assert_eq!(all["operations"][0]["request"]["parameters"], json!([]), "{name}");
    }
}

#[test]
fn r_000_212_placeholders_and_path_parameters_are_the_same() {
    let cases = [
        ("/a/{id}", json!([]), "the path's placeholder \"id\" has no parameter"),
        ("/a", json!([parameter("path", "id", json!({}))]), "the path has no placeholder for its parameter \"id\""),
        ("/a/{id", json!([]), "a placeholder of the path is not closed"),
        // What is behind a `#` is not sent.
        (
            "/a#/{id}",
            json!([parameter("path", "id", json!({}))]),
            "the path has no placeholder for its parameter \"id\"",
        ),
    ];
    for (path, parameters, expected) in cases {
        let list = skipped(json!({ path: { "get": { "parameters": parameters } } }));
        assert_eq!(list, [("path".to_owned(), format!("paths.{path}.get: {expected}"))]);
    }
}

#[test]
fn r_000_208_a_body_that_is_not_json_leaves_the_operation_out() {
    let with = |content: Value| json!({ "/a": { "post": { "requestBody": { "content": content } } } });
    for content in
        [json!({ "multipart/form-data": {} }), json!({ "text/plain": {}, "application/xml": {} }), json!({ "*/*": {} })]
    {
        assert_eq!(skipped(with(content.clone()))[0].0, "body", "{content}");
    }
    let media_type = |content: Value| {
        read_all(&document("3.1.0", with(content), json!({})))["operations"][0]["request"]["mediaType"].clone()
    };
    assert_eq!(media_type(json!({ "application/json; charset=utf-8": {} })), json!(null));
    assert_eq!(media_type(json!({ "Application/JSON": {} })), json!(null));
    assert_eq!(media_type(json!({ "application/vnd.api+json": {} })), json!("application/vnd.api+json"));
    assert_eq!(media_type(json!({ "application/json-patch+json": {}, "application/json": {} })), json!(null));
    assert_eq!(
        skipped_get(json!({ "requestBody": { "required": true, "content": { "application/json": {} } } })).0,
        "body"
    );
    assert_eq!(skipped(json!({ "/a": { "get": { "requestBody": { "content": { "application/json": {} } } } } })), []);
}

#[test]
fn r_000_214_the_first_operation_of_a_name_is_kept() {
    let paths = json!({ "/a": { "get": { "operationId": "x y" } }, "/b": { "get": { "operationId": "x_y" } } });
    let all = read_all(&document("3.1.0", paths, json!({})));
    assert_eq!(all["operations"][0]["definition"]["name"], "x_y");
    assert_eq!(
        all["skipped"],
        json!([{ "method": "GET", "path": "/b", "code": "name", "reason": "paths./b.get: the name \"x_y\" is another operation's" }])
    );
}

#[test]
fn names_and_describes_an_operation_that_does_not_do_so_itself() {
    let all = read_all(&document(
        "3.1.0",
        json!({ "/a/b": { "get": { "summary": "Sum", "description": " " }, "put": {} } }),
        json!({}),
    ));
    let definition = |at: usize| {
        (
            all["operations"][at]["definition"]["name"].clone(),
            all["operations"][at]["definition"]["description"].clone(),
        )
    };
    assert_eq!(definition(0), (json!("get__a_b"), json!("Sum")));
    assert_eq!(definition(1), (json!("put__a_b"), json!("PUT /a/b")));
}

#[test]
fn r_000_204_hints_are_what_http_says_of_a_method() {
    let methods = json!({ "get": {}, "put": {}, "post": {}, "delete": {}, "options": {}, "head": {}, "patch": {}, "trace": {}, "query": {} });
    let all = read_all(&document("3.2.0", json!({ "/a": methods }), json!({})));
    let hints: Map<String, Value> = all["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (o["request"]["method"].as_str().unwrap().to_owned(), o["definition"]["annotations"].clone()))
        .collect();
    let safe = json!({ "readOnly": true, "idempotent": true });
    assert_eq!(
        Value::Object(hints),
        json!({
            "GET": safe, "HEAD": safe, "OPTIONS": safe, "QUERY": safe,
            "PUT": { "idempotent": true }, "DELETE": { "destructive": true, "idempotent": true },
            "POST": { "idempotent": false }, "PATCH": { "idempotent": false }
        })
    );
    assert_eq!(all["skipped"][0]["code"], "method");
}

#[test]
fn r_000_215_every_operation_is_read_or_skipped() {
    let paths = json!({
        "/a": { "get": null, "put": 7, "post": { "parameters": {} }, "delete": { "parameters": [null] }, "patch": { "requestBody": [] } },
        "/b": null,
        "/c": { "parameters": 1, "get": {} },
        "/d": { "get": { "parameters": [{ "in": "query" }, { "name": "n" }] } },
        "/e": { "get": { "parameters": [parameter("body", "n", json!({}))] } },
        "/f": { "get": {}, "additionalOperations": { "COPY": {} } },
        "x-not": { "get": {} }
    });
    let all = read_all(&document("3.2.0", paths, json!({})));
    assert_eq!(all["operations"].as_array().unwrap().len(), 1);
    let reasons: Vec<&str> =
        all["skipped"].as_array().unwrap().iter().map(|skip| skip["reason"].as_str().unwrap()).collect();
    assert_eq!(
        reasons,
        [
            "paths./a.get: is null, not an object",
            "paths./a.put: is a number, not an object",
            "paths./a.post: parameters is an object, not a list",
            "paths./a.delete: parameters.0: is null, not an object",
            "paths./a.patch: requestBody: is a list, not an object",
            "paths./b: is null, not an object",
            "paths./c.get: parameters is a number, not a list",
            "paths./d.get: parameters.0: has no name",
            "paths./e.get: parameters.0: \"n\" is in \"body\", not in the path, query, header or cookie",
            "paths./f.additionalOperations.COPY: the method COPY is not one that a tool sends",
        ]
    );
}

#[test]
fn keeps_hostile_names_as_data() {
    let text = r##"{"openapi":"3.1.0","paths":{"/__proto__":{"post":{"operationId":"__proto__","description":"\ud800",
        "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/__proto__"}}}}}}},
        "components":{"schemas":{"__proto__":{"properties":{"__proto__":{"type":"string","default":"\udfff"}}}}}}"##;
    let catalog = read_documented(text).unwrap();
    assert!(text_of(&catalog.rows).contains(r#""\ud800""#));
    assert_eq!(catalog.shared_name(0), Some("__proto__"));
    assert_eq!(catalog.shared(0), Some(r#"{"properties":{"__proto__":{"type":"string","default":"\udfff"}}}"#));
}

#[test]
fn takes_deep_documents_within_a_small_stack() {
    let deep = |levels: usize| format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
    let document = |schema: String| {
        format!(
            r#"{{"openapi":"3.0.0","paths":{{"/a":{{"post":{{"requestBody":{{"content":{{"application/json":{{"schema":{schema}}}}}}}}}}}}}}}"#
        )
    };
    let run = move || {
        let read = |levels| {
            let catalog = read_documented(&document(deep(levels))).unwrap();
            (catalog.schema(0).is_some(), text_of(&catalog.rows).contains("\"code\":\"schema\""))
        };
        assert_eq!(read(500), (true, false));
        assert_eq!(read(10_000), (false, true));
        assert_eq!(read(200_000), (false, true));
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_web_of_references_costs_what_it_holds() {
    // Every schema refers to every later one: 400 schemas, 80,000 references, of which one is broken.
    let count = 400;
    let schemas: Map<String, Value> = (0..count)
        .map(|at| {
            let refs: Vec<Value> =
                (at + 1..count).map(|to| json!({ "$ref": format!("#/components/schemas/S{to}") })).collect();
            (format!("S{at}"), json!({ "anyOf": refs }))
        })
        .collect();
    let paths: Map<String, Value> = (0..count)
        .map(|at| (format!("/{at}"), json!({ "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": format!("#/components/schemas/S{at}") } } } } } })))
        .collect();
    let all = read_documented(&document("3.1.0", Value::Object(paths), Value::Object(schemas)).to_string()).unwrap();
    assert_eq!(all.schema(0).unwrap().shared.len(), count);
    let branches = json!((0..5000).map(|_| json!({ "$ref": "#/components/schemas/B" })).collect::<Vec<_>>());
    let bomb = json!({ "B": { "anyOf": branches, "allOf": branches } });
    let query = json!({ "/a": { "get": { "parameters": [parameter("query", "q", json!({ "schema": { "$ref": "#/components/schemas/B" } }))] } } });
    read_all(&document("3.1.0", query, bomb));
}

/// Each of these was read again for every operation once: half a minute for a megabyte.
#[test]
fn what_many_operations_refer_to_is_read_once() {
    let count = 2000;
    let large = json!({ "type": "string", "enum": (0..100_000).map(|at| format!("v{at}")).collect::<Vec<_>>() });
    let body = json!({ "content": { "application/json": { "schema": { "allOf": [large] } } } });
    let paths: Map<String, Value> = (0..count)
        .map(|at| {
            let operation = json!({
                "parameters": [
                    { "$ref": "#/components/parameters/P" },
                    parameter("query", "q", json!({ "schema": { "allOf": [{ "$ref": "#/components/schemas/Large" }] } }))
                ],
                "requestBody": { "$ref": "#/components/requestBodies/B" }
            });
            (format!("/{at}"), json!({ "post": operation }))
        })
        .collect();
    let document = json!({ "openapi": "3.1.0", "paths": paths, "components": {
        "schemas": { "Large": large }, "parameters": { "P": parameter("query", "p", json!({ "schema": large })) }, "requestBodies": { "B": body }
    } });
    let catalog = read_documented(&document.to_string()).unwrap();
    assert!(catalog.schema(count - 1).is_some());
    // The large schema is kept three times, whoever refers to it.
    assert!(catalog.size() < 4 * large.to_string().len() + 2_000_000, "{}", catalog.size());
}

#[test]
fn many_references_into_one_place_and_many_names_alike_are_no_trouble() {
    let count = 5000;
    let properties: Map<String, Value> = (0..count).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
    let refs: Map<String, Value> = (0..count)
        .map(|at| (format!("r{at}"), json!({ "$ref": format!("#/components/schemas/Big/properties/p{at}") })))
        .collect();
    let alike: Map<String, Value> = (0..count)
        .map(|at| {
            (
                format!("\u{4E00}{at}")
                    .chars()
                    .map(|c| if c.is_ascii() { char::from(c as u8 + 0x80) } else { c })
                    .collect(),
                json!({}),
            )
        })
        .collect();
    let by_place: Vec<Value> =
        alike.keys().map(|name| json!({ "$ref": format!("#/components/schemas/Odd/properties/{name}") })).collect();
    let body = body_of(
        "3.1.0",
        json!({ "properties": refs, "anyOf": by_place }),
        json!({ "Big": { "properties": properties }, "Odd": { "properties": alike } }),
    );
    let names: std::collections::HashSet<String> =
        body["anyOf"].as_array().unwrap().iter().map(|schema| schema["$ref"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), count);
}

#[test]
fn schemas_that_say_where_they_are_from_stand_alone_all_the_same() {
    let schemas = json!({ "A": { "$id": "https://example.com/a", "$schema": "https://example.com/s", "properties": { "$id": { "$ref": "#/components/schemas/B" } } }, "B": {} });
    let document = document(
        "3.1.0",
        json!({ "/a": { "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/A" } } } } } } }),
        schemas,
    );
    assert_eq!(
        read_all(&document)["operations"][0]["definition"]["inputSchema"]["$defs"]["A"],
        json!({ "properties": { "$id": { "$ref": "#/$defs/B" } } })
    );
}

#[test]
fn a_reason_is_short_however_long_what_it_speaks_of_is() {
    let (code, reason) =
        skipped_get(json!({ "parameters": [{ "$ref": format!("#/components/parameters/{}", "x".repeat(100_000)) }] }));
    assert_eq!(code, "reference");
    assert!(reason.len() < 600, "{}", reason.len());
}

fn nearly_openapi() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        prop::sample::select(vec![
            "string",
            "object",
            "array",
            "query",
            "path",
            "id",
            "#/components/schemas/A",
            "#/components/parameters/A",
            "#/paths/~1a",
            "x#/y"
        ])
        .prop_map(Value::from),
        ".{0,3}".prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "$ref",
        "type",
        "properties",
        "items",
        "anyOf",
        "allOf",
        "enum",
        "nullable",
        "example",
        "get",
        "post",
        "parameters",
        "name",
        "in",
        "schema",
        "required",
        "requestBody",
        "content",
        "application/json",
        "A",
        "id",
        "operationId",
        "minimum",
        "exclusiveMinimum",
        "style",
        "explode",
    ]);
    leaf.prop_recursive(8, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..6).prop_map(|entries| Value::Object(
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn accounts_for_every_operation_of_any_document(a in nearly_openapi(), b in nearly_openapi(), schemas in nearly_openapi(), parameters in nearly_openapi(), v30 in any::<bool>()) {
        let version = if v30 { "3.0.0" } else { "3.1.0" };
        let document = json!({ "openapi": version, "paths": { "/a": a, "/b/{id}": { "post": b, "parameters": parameters } }, "components": { "schemas": schemas, "parameters": { "A": parameters } } });
        let all = read_all(&document);
        let in_a = document["paths"]["/a"].as_object().map(|item| if item.contains_key("$ref") { None } else { Some(METHODS.iter().filter(|m| item.contains_key(**m)).count()) });
        let found = all["operations"].as_array().unwrap().len() + all["skipped"].as_array().unwrap().len();
        match in_a {
            Some(Some(count)) => prop_assert_eq!(found, count + 1),
            Some(None) => prop_assert!(found >= 1),
            None => prop_assert_eq!(found, 2),
        }
        for operation in all["operations"].as_array().unwrap() {
            let schema = &operation["definition"]["inputSchema"];
            prop_assert_eq!(&schema["type"], "object");
            // Every reference leads to something that the schema brings along.
            let text = schema.to_string();
            for reference in text.split("\"$ref\":\"#/$defs/").skip(1) {
                let name = reference.split('"').next().unwrap();
                prop_assert!(schema["$defs"].get(name).is_some() || name.contains('%') || name.contains('~'), "{} in {}", name, text);
            }
        }
    }

    #[test]
    fn answers_to_any_text(text in ".{0,200}", cut in 0_usize..400) {
        let _ = read_documented(&text);
        let whole = document("3.0.0", json!({ "/a": { "get": { "parameters": [parameter("query", "q", json!({}))] } } }), json!({ "A": { "nullable": true } })).to_string();
        if whole.is_char_boundary(cut) && cut < whole.len() {
            prop_assert!(read_documented(&whole[..cut]).is_err());
        }
    }
}

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

#[test]
fn stops_when_it_is_told_to_before_any_path_item_and_any_shared_schema() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let get = |name: &str| json!({ "get": { "parameters": [{ "name": "q", "in": "query", "schema": { "$ref": format!("#/components/schemas/{name}") } }] } });
    let schemas = json!({ "A": { "items": { "$ref": "#/components/schemas/B" } }, "B": {}, "Unneeded": {} });
    let text = document("3.1.0", json!({ "/a": get("A"), "/b": get("A"), "/c": get("B") }), schemas).to_string();
    let stopping_at = |last: usize| {
        let asked = AtomicUsize::new(0);
        let read =
            read_unless(&text, Reading::Documented, &|| asked.fetch_add(1, Ordering::Relaxed) == last, &mut |_| ())
                .unwrap();
        (read.is_some(), asked.into_inner())
    };
    // Three path items, and the two schemas that the first needs behind it.
    assert_eq!(stopping_at(usize::MAX), (true, 5));
    for last in 0..5 {
        assert_eq!(stopping_at(last), (false, last + 1));
    }
}

#[test]
fn writes_a_schema_with_the_numbers_of_its_shared_ones_in_their_place() {
    let schema = |shared: Vec<u32>| SchemaText { own: r#"{"type":"object"}"#.to_owned(), shared }.numbered();
    assert_eq!(schema(vec![3, 12]), r#"{"type":"object","$defs":[3,12]}"#);
    assert_eq!(schema(Vec::new()), r#"{"type":"object"}"#);
    let body = json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/a\"b" } } } });
    let document = document(
        "3.1.0",
        json!({ "/a": { "post": { "requestBody": body } } }),
        json!({ "a\"b": { "type": "string" } }),
    );
    let catalog = read_documented(&document.to_string()).unwrap();
    assert_eq!(catalog.shared_texts(&[0, 0]).unwrap(), r#"[["a\"b",{"type":"string"}],["a\"b",{"type":"string"}]]"#);
    assert_eq!(catalog.shared_texts(&[1]), None);
    assert_eq!(catalog.shared_texts(&[]).unwrap(), "[]");
}

#[test]
fn hands_rows_over_in_pieces_that_are_let_go() {
    let paths = |count: usize| (0..count).map(|at| (format!("/{at}"), json!({ "get": {} }))).collect::<Map<_, _>>();
    let mut catalog = read_documented(&document("3.1.0", Value::Object(paths(4000)), json!({})).to_string()).unwrap();
    let pieces: Vec<Rows> = std::iter::from_fn(|| catalog.next_rows()).collect();
    let operations = pieces.iter().filter(|piece| piece.list == List::Operations);
    assert!(operations.clone().count() > 1);
    assert_eq!(
        operations.map(|piece| serde_json::from_str::<Vec<Value>>(&piece.text).unwrap().len()).sum::<usize>(),
        4000
    );
    assert!(catalog.next_rows().is_none());
}

#[test]
fn an_operation_behind_a_reference_is_what_it_leads_to_or_left_out_with_the_reason() {
    let paths = json!({
        "/a": { "get": { "operationId": "read", "parameters": [{ "name": "q", "in": "query", "schema": { "type": "string" } }] } },
        "/b": { "get": { "$ref": "#/paths/~1a/get" } },
        "/c": { "post": { "$ref": "other.yml#/a" } },
        "/d": { "post": { "$ref": 7 } },
    });
    let all = read_all(&document("3.0.3", paths, json!({})));
    // The first one of a name has it.
    assert_eq!(all["operations"].as_array().unwrap().len(), 1);
    let skipped: Vec<_> = all["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| (skip["path"].as_str().unwrap(), skip["code"].as_str().unwrap()))
        .collect();
    assert_eq!(skipped, [("/b", "name"), ("/c", "reference"), ("/d", "reference")]);
}

#[test]
fn a_recursive_reference_leads_to_the_schema_that_it_is_in() {
    let tree = json!({ "$recursiveAnchor": true, "type": "object", "properties": { "of": { "items": { "$recursiveRef": "#" } } } });
    let body = body_of("3.1.0", json!({ "$ref": "#/components/schemas/Tree" }), json!({ "Tree": tree }));
    assert_eq!(body, json!({ "$ref": "#/$defs/Tree" }));
    let request = json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Tree" } } } });
    let all =
        read_all(&document("3.1.0", json!({ "/a": { "post": { "requestBody": request } } }), json!({ "Tree": tree })));
    assert_eq!(
        all["operations"][0]["definition"]["inputSchema"]["$defs"]["Tree"],
        json!({ "type": "object", "properties": { "of": { "items": { "$ref": "#/$defs/Tree" } } } })
    );
    // Where no reference can lead, it is left out.
    assert_eq!(body_of("3.1.0", tree, json!({})), json!({ "type": "object", "properties": { "of": { "items": {} } } }));
}

/// How many bytes of rows a document comes to.
fn rows_of(document: &Value, reading: Reading) -> usize {
    text_of(&read(&document.to_string(), reading).unwrap().rows).len()
}

/// A document of so many paths that refer to one path item.
fn referring(count: usize, item: Value) -> Value {
    let refers = json!({ "$ref": "#/components/pathItems/One" });
    let paths: Map<String, Value> = (0..count).map(|at| (format!("/{at}"), refers.clone())).collect();
    json!({ "openapi": "3.2.0", "paths": paths, "components": { "pathItems": { "One": item } } })
}

#[test]
fn a_long_description_that_many_operations_have_crosses_once_and_in_parts() {
    // Escapes, pairs of them, and characters of several bytes, at every place of a part's end.
    for filler in ["", "x", "xx", "xxx"] {
        let description = format!("{filler}{}", "\u{1}é😀\"".repeat(40_000));
        let item = json!({ "get": { "description": description }, "put": { "summary": "short" } });
        let document = referring(300, item);
        let written = document.to_string().replace("😀", "\\ud83d\\ude00");
        for reading in [Reading::Documented, Reading::Extended] {
            let catalog = read(&written, reading).unwrap();
            assert!(text_of(&catalog.rows).len() < 3 * written.len());
            assert!(catalog.rows.iter().all(|rows| rows.text.len() <= 513 << 10));
            let all = put_together(&catalog);
            let operations = all["operations"].as_array().unwrap();
            assert_eq!(operations.len(), 600);
            for pair in operations.chunks(2) {
                assert_eq!(pair[0]["definition"]["description"], description);
                assert_eq!(pair[1]["definition"]["description"], "short");
            }
        }
    }
}

#[test]
fn what_many_operations_refer_to_is_neither_written_nor_converted_for_each() {
    let long = "y".repeat(100_000);
    // Without a schema, and under other properties than their own names.
    let clashing = json!([
        { "name": "id", "in": "query", "description": long },
        { "name": "id", "in": "header", "description": long, "schema": { "type": "string", "description": long } },
    ]);
    let document = referring(2000, json!({ "get": { "parameters": clashing } }));
    let catalog = read_documented(&document.to_string()).unwrap();
    assert!(catalog.size() < 4 * document.to_string().len(), "{}", catalog.size());
    let Value::Object(properties) = &put_together(&catalog)["operations"][7]["definition"]["inputSchema"]["properties"]
    else {
        panic!("an object")
    };
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["query_id", "header_id"]);

    // What is left out, by a long name.
    let odd = json!({ "additionalOperations": { long.clone(): {} } });
    assert!(rows_of(&referring(2000, odd), Reading::Documented) < 3_000_000);
    let unsent = json!({ "get": { "parameters": [{ "name": long, "in": "cookie", "required": true }] } });
    assert!(rows_of(&referring(2000, unsent), Reading::Documented) < 1_000_000);
}

#[test]
fn a_parameter_is_its_own_property_where_no_other_has_its_name_and_not_where_one_has() {
    let id =
        |place: &str| json!({ "name": "id", "in": place, "required": place == "path", "schema": { "type": "string" } });
    let paths = json!({
        "/a/{id}": {
            "parameters": [id("path")],
            "get": {},
            "put": { "parameters": [id("query")] },
            "post": { "parameters": [id("header"), id("query")] },
        },
        "/b/{id}": { "get": { "parameters": [id("query"), id("path")] }, "delete": { "parameters": [id("path")] } },
    });
    let all = read_all(&document("3.1.0", paths, json!({})));
    let names = |operation: &Value| -> Vec<String> {
        let parameters = operation["request"]["parameters"].as_array().unwrap().iter();
        parameters.map(|parameter| parameter["property"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        all["operations"].as_array().unwrap().iter().map(names).collect::<Vec<_>>(),
        [
            vec!["id"],
            vec!["path_id", "query_id"],
            vec!["path_id", "header_id", "query_id"],
            vec!["query_id", "path_id"],
            vec!["id"],
        ]
    );
}

#[test]
fn a_parameter_has_its_own_description_though_its_schema_is_another_ones_too() {
    let parameter = |name: &str, description: Option<&str>| {
        let refers = json!({ "$ref": "#/components/mediaTypes/Filter" });
        let mut parameter = json!({ "name": name, "in": "query", "content": { "application/json": refers } });
        if let Some(description) = description {
            parameter["description"] = description.into();
        }
        parameter
    };
    let parameters = json!([parameter("a", Some("One.")), parameter("b", Some("Other.")), parameter("c", None)]);
    let document = json!({
        "openapi": "3.2.0",
        "paths": { "/a": { "get": { "parameters": parameters } } },
        "components": { "mediaTypes": { "Filter": { "schema": { "type": "object" } } } },
    });
    let all = put_together(&read(&document.to_string(), Reading::Extended).unwrap());
    assert_eq!(
        all["operations"][0]["definition"]["inputSchema"]["properties"],
        json!({
            "a": { "type": "object", "description": "One." },
            "b": { "type": "object", "description": "Other." },
            "c": { "type": "object" },
        })
    );
}

#[test]
fn operations_beyond_what_a_document_may_have_of_parameters_and_schemas_are_left_out_with_the_reason() {
    let codes = |all: &Value| -> Vec<String> {
        let skipped = all["skipped"].as_array().unwrap().iter();
        let mut codes: Vec<String> = skipped.map(|skipped| skipped["reason"].as_str().unwrap().to_owned()).collect();
        codes.iter_mut().for_each(|reason| *reason = reason.split_once(": ").unwrap().1.to_owned());
        codes.dedup();
        codes
    };
    let many: Vec<Value> = (0..3000).map(|at| json!({ "name": format!("p{at}"), "in": "query" })).collect();
    let catalog = read_documented(&referring(800, json!({ "get": { "parameters": many } })).to_string()).unwrap();
    let operations = catalog.rows.iter().filter(|rows| rows.list == List::Operations);
    let kept: usize =
        operations.map(|rows| serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&rows.text).unwrap().len()).sum();
    assert_eq!(kept, (1 << 20) / 3000);
    assert!(text_of(&catalog.rows).contains("it and the operations before it have more than 1048576 parameters"));

    let schema = json!({ "type": "string", "enum": ["z".repeat(1 << 20)] });
    let parameters = |from: usize| -> Vec<Value> {
        let refers = json!({ "application/json": { "$ref": "#/components/mediaTypes/Large" } });
        let one = |at: usize| json!({ "name": format!("p{at}"), "in": "query", "description": format!("{at}"), "content": refers });
        (from..from + 40).map(one).collect()
    };
    let document = json!({
        "openapi": "3.2.0",
        "paths": { "/a": { "get": { "parameters": parameters(0) } }, "/b": { "get": { "parameters": parameters(40) } } },
        "components": { "mediaTypes": { "Large": { "schema": schema } } },
    });
    let all = put_together(&read(&document.to_string(), Reading::Extended).unwrap());
    assert_eq!(all["operations"].as_array().unwrap().len(), 1);
    assert_eq!(codes(&all), ["parameter \"p64\": the schemas of the document, each where it stands, come to too much"]);
}

#[test]
fn a_document_longer_than_any_text_of_javascript_is_refused() {
    // Memory that nobody writes to is not there.
    let text = String::from_utf8(vec![0; MAX_DOCUMENT + 1]).unwrap();
    let error = read_documented(&text).unwrap_err().to_string();
    assert_eq!(error, "the document has 536870889 bytes, and is read up to 536870888");
}

#[test]
fn what_is_told_of_paths_that_refer_to_one_item_is_bounded() {
    let kept = |catalog: &Catalog, list| -> usize {
        let pieces = catalog.rows.iter().filter(|rows| rows.list == list);
        pieces.map(|rows| serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&rows.text).unwrap().len()).sum()
    };
    // Each has more additional operations than all may have, and at least one entry.
    let additional: Map<String, Value> = (0..3000).map(|at| (format!("A{at}"), json!({}))).collect();
    let document = referring(3000, json!({ "get": {}, "additionalOperations": additional }));
    let catalog = read_documented(&document.to_string()).unwrap();
    let told = "its additional operations are too many to be listed one by one";
    assert_eq!(text_of(&catalog.rows).matches(told).count(), 1);
    let (operations, skipped) = (kept(&catalog, List::Operations), kept(&catalog, List::Skipped));
    assert!(operations > 300 && operations < 3000, "{operations}");
    assert!(skipped > 900_000 && skipped < 1_100_000, "{skipped}");

    // A description that each makes another one of, as extended reading does.
    let item = json!({ "description": "d".repeat(100_000), "get": {}, "put": {}, "post": {}, "delete": {} });
    let catalog = read(&referring(400, item).to_string(), Reading::Extended).unwrap();
    assert!(catalog.size() < 80 << 20, "{}", catalog.size());
    let operations = kept(&catalog, List::Operations);
    assert_eq!((operations, kept(&catalog, List::Skipped)), ((64 << 20) / 100_015, 1600 - operations));
    assert!(text_of(&catalog.rows).contains("its description and those of the operations before it come to too much"));
}

#[test]
fn names_are_read_up_to_a_length() {
    let parameters = |length: usize| json!([{ "name": "n".repeat(length), "in": "query" }]);
    let paths = json!({
        "/a": {
            "get": { "operationId": "i".repeat(4096), "parameters": parameters(4096) },
            "put": { "operationId": "i".repeat(4097) },
            "post": { "parameters": parameters(4097) },
        },
    });
    let all = read_all(&document("3.1.0", paths, json!({})));
    assert_eq!(all["operations"].as_array().unwrap().len(), 1);
    let skipped: Vec<_> =
        all["skipped"].as_array().unwrap().iter().map(|skip| (&skip["code"], &skip["reason"])).collect();
    assert_eq!(
        json!(skipped),
        json!([
            ["name", "paths./a.put: its operationId has 4097 bytes, and is read with up to 4096"],
            ["parameter", "paths./a.post: parameters.0: has a name of 4097 bytes, and is read with up to 4096"],
        ])
    );
}

#[test]
fn operations_that_reach_a_broken_schema_by_the_same_property_are_all_left_out() {
    let body = json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/A" } } } });
    let paths = json!({ "/a": { "put": { "requestBody": body }, "post": { "requestBody": body } }, "/b": { "post": { "requestBody": body } } });
    let schemas = json!({ "A": { "items": { "$ref": "#/components/schemas/B" } }, "B": { "$ref": "elsewhere" } });
    let all = read_all(&document("3.1.0", paths, schemas));
    let skipped: Vec<_> =
        all["skipped"].as_array().unwrap().iter().map(|skip| skip["code"].as_str().unwrap()).collect();
    assert_eq!(skipped, ["reference"; 3]);
}
