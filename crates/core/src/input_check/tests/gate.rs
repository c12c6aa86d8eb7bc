//! What Effect's importer cannot turn into a check is held only to being an object.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{InputCheck, Mode, compile, issue};

fn compatible(schema: &Value) -> Arc<InputCheck> {
    InputCheck::compile(&schema.to_string(), Mode::Compatible)
}

#[track_caller]
fn imports(schema: &Value) {
    assert!(!compatible(schema).object_only(), "{schema} is not checked");
}

#[track_caller]
fn falls_back(schema: &Value) {
    let check = compatible(schema);
    assert!(check.object_only(), "{schema} is checked");
    assert_eq!(check.check(r#"{"anything":[1]}"#), None);
    assert!(check.check("[]").is_some());
    assert!(!compile(schema).object_only(), "{schema} is not checked in full either");
}

#[test]
fn r_000_042_a_keyword_without_an_equivalent_holds_the_tool_to_an_object() {
    for broken in [
        json!({ "contains": { "type": "string" } }),
        json!({ "not": { "type": "string" } }),
        json!({ "not": true }),
        json!({ "if": { "type": "string" }, "then": { "minLength": 1 } }),
        json!({ "if": { "type": "string" }, "else": { "minLength": 1 } }),
        json!({ "dependentRequired": { "a": ["b"] } }),
        json!({ "dependentSchemas": { "a": { "required": ["b"] } } }),
        json!({ "unevaluatedProperties": false }),
        json!({ "unevaluatedItems": false }),
        json!({ "const": { "a": 1 } }),
        json!({ "const": [1] }),
        json!({ "enum": ["a", { "b": 1 }] }),
        json!({ "$ref": "#" }),
        json!({ "$ref": "#/properties/b" }),
        json!({ "$ref": "#/definitions/a" }),
    ] {
        let with = |held: &Value| {
            json!({
                "type": "object", "properties": { "a": held, "b": { "type": "string" } },
                "definitions": { "a": { "type": "string" } }, "$defs": { "b": broken },
            })
        };
        falls_back(&with(&broken));
        falls_back(&with(&json!({ "type": "array", "items": broken })));
        falls_back(&with(&json!({ "anyOf": [{ "type": "null" }, broken] })));
        falls_back(&with(&json!({ "$ref": "#/$defs/b" })));
        // What nothing reaches does no harm.
        imports(&with(&json!({ "type": "string" })));
    }
}

#[test]
fn r_000_038_what_has_an_equivalent_is_checked() {
    imports(&issue());
    for sound in [
        json!({ "if": { "type": "string" } }),
        json!({ "then": { "type": "string" } }),
        json!({ "not": {} }),
        json!({ "not": {}, "contains": {} }),
        json!({ "enum": ["a", 1, null, true] }),
        json!({ "const": null }),
        json!({ "$ref": "#/$defs/c/properties/d" }),
        json!({ "$ref": "#/$defs/a%20b~1c" }),
        json!({ "type": ["string", "null"], "minLength": 1 }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }], "description": "either" }),
        json!({ "allOf": [{ "$ref": "#/$defs/c" }, { "properties": { "e": {} } }] }),
        json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        json!({ "type": "object", "properties": { "e": {} }, "additionalProperties": false }),
        json!({ "type": "string", "enum": ["a", "b"], "anyOf": [{ "const": "a" }, { "const": "c" }] }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": false }),
        json!({ "type": "string", "contains_": 1, "properties": { "e": { "not": { "type": "string" } } } }),
    ] {
        imports(&json!({
            "type": "object", "properties": { "a": sound },
            "$defs": { "c": { "type": "object", "properties": { "d": { "type": "string" } } }, "a b/c": { "type": "string" } },
        }));
    }
}

#[test]
fn r_000_042_a_combination_without_one_form_holds_the_tool_to_an_object() {
    let text_or_number = json!([{ "type": "string" }, { "type": "number" }]);
    for broken in [
        json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": { "type": "string" } }),
        json!({ "anyOf": [{ "minLength": 1 }, { "minLength": 2 }], "oneOf": [{ "maxLength": 1 }, { "maxLength": 2 }] }),
        json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }], "type": "object", "properties": { "c": { "anyOf": text_or_number } } }),
        json!({ "allOf": [{ "$ref": "#/$defs/loop" }, { "type": "object" }] }),
        json!({ "$ref": "#/$defs/node", "properties": { "e": { "type": "string" } } }),
        json!({ "type": "number", "multipleOf": 0 }),
    ] {
        falls_back(&json!({
            "type": "object", "properties": { "x": broken },
            "$defs": {
                "loop": { "allOf": [{ "$ref": "#/$defs/loop" }] },
                "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node", "minProperties": 1 } } },
            },
        }));
    }
}

#[test]
fn older_dialects_are_brought_into_the_newest_form_first() {
    for (dialect, definitions) in [
        ("http://json-schema.org/draft-07/schema#", "definitions"),
        ("http://json-schema.org/draft-04/schema#", "definitions"),
    ] {
        let with = |held: Value| {
            json!({
                "$schema": dialect, "type": "object", "properties": { "a": held },
                definitions: { "b": { "type": "array", "items": [{ "type": "string" }, {}], "additionalItems": false } },
            })
        };
        imports(&with(json!({ "$ref": "#/definitions/b" })));
        imports(&with(json!({ "$ref": "#/definitions/b/items/0" })));
        imports(&with(json!({ "$ref": "#/definitions/b", "not": { "type": "string" } })));
        falls_back(&with(json!({ "$ref": "#/definitions/b/items" })));
        for keyword in ["deprecated", "$defs", "prefixItems", "unevaluatedProperties"] {
            falls_back(&with(json!({ keyword: {} })));
        }
    }
    falls_back(&json!({ "$schema": "http://json-schema.org/draft-07/schema#", "dependencies": { "a": ["b"] } }));
}

#[test]
fn work_without_end_is_not_begun() {
    let choices = |at: usize| json!({ "type": "object", "properties": { format!("p{at}"): { "type": "string" } } });
    let halves = |at: usize| json!({ "allOf": [{ "$ref": format!("#/$defs/n{}", at + 1) }, { "$ref": format!("#/$defs/n{}", at + 1) }] });
    let definitions: serde_json::Map<String, Value> =
        (0..60).map(|at| (format!("n{at}"), if at == 59 { choices(at) } else { halves(at) })).collect();
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/n0" } }, "$defs": definitions });
    assert!(compatible(&schema).object_only());
    let chain: serde_json::Map<String, Value> = (0..10_000)
        .map(|at| (format!("n{at}"), json!({ "type": "object", "properties": { "a": { "$ref": format!("#/$defs/n{}", (at + 1) % 10_000) } } })))
        .collect();
    falls_back(&json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/n0" } }, "$defs": chain }));
}
