//! Schemas as they are met: dialects, references, and what is malformed.

use serde_json::{Value, json};

use super::{accepts, compile, refuses};

#[test]
fn the_dialect_is_the_one_that_the_schema_names() {
    let exclusive = json!({ "minimum": 5, "exclusiveMinimum": true });
    for (dialect, definitions) in [
        ("http://json-schema.org/draft-04/schema#", "definitions"),
        ("http://json-schema.org/draft-04/schema", "definitions"),
        ("https://json-schema.org/draft-04/schema#", "definitions"),
    ] {
        let schema = json!({
            "$schema": dialect, "properties": { "a": exclusive, "b": { "$ref": format!("#/{definitions}/b") } },
            definitions: { "b": { "type": "string" } }, "additionalProperties": false,
        });
        refuses(&schema, &json!({ "a": 5 }));
        accepts(&schema, &json!({ "a": 6, "b": "x" }));
        refuses(&schema, &json!({ "b": 1 }));
    }
    let tuple = json!({ "items": [{ "type": "string" }], "additionalItems": false });
    for dialect in [
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ] {
        let schema = json!({ "$schema": dialect, "properties": { "a": tuple } });
        refuses(&schema, &json!({ "a": [1] }));
        refuses(&schema, &json!({ "a": ["x", "y"] }));
        accepts(&schema, &json!({ "a": ["x"] }));
    }
    for dialect in [
        json!("https://json-schema.org/draft/2020-12/schema"),
        json!("https://a.test/own"),
        json!("draft-03"),
        json!(7),
    ] {
        let schema = json!({ "$schema": dialect, "properties": { "a": { "prefixItems": [{ "type": "string" }], "items": false } } });
        refuses(&schema, &json!({ "a": ["x", "y"] }));
        accepts(&schema, &json!({ "a": ["x"] }));
    }
}

#[test]
fn up_to_draft_7_what_stands_beside_a_reference_is_ignored() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/a", "required": ["ignored"],
        "definitions": { "a": { "properties": { "x": { "$ref": "#/definitions/b", "maxLength": 1 } }, "required": ["x"] }, "b": { "type": "string" } },
    });
    accepts(&schema, &json!({ "x": "long" }));
    refuses(&schema, &json!({ "x": 1 }));
    refuses(&schema, &json!({}));
    let beside = json!({ "properties": { "x": { "$ref": "#/$defs/b", "maxLength": 1 } }, "$defs": { "b": { "type": "string" } } });
    refuses(&beside, &json!({ "x": "long" }));
}

#[test]
fn dependencies_are_checked_in_draft_7() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "dependencies": { "a": ["b"], "c": { "properties": { "d": { "type": "string" } } }, "e": [] },
    });
    refuses(&schema, &json!({ "a": 1 }));
    accepts(&schema, &json!({ "a": 1, "b": 1, "e": 1 }));
    refuses(&schema, &json!({ "c": 1, "d": 1 }));
}

#[test]
fn references_of_every_local_form_are_followed() {
    let string = json!({ "type": "string" });
    for (reference, extra) in [
        ("#/$defs/a", json!({ "$defs": { "a": string } })),
        ("#/$defs/a%20b~1c", json!({ "$defs": { "a b/c": string } })),
        ("#/definitions/a", json!({ "definitions": { "a": string } })),
        ("#/components/schemas/a", json!({ "components": { "schemas": { "a": string } } })),
        ("#name", json!({ "$defs": { "a": { "$anchor": "name", "type": "string" } } })),
        ("https://a.test/root#/$defs/a", json!({ "$id": "https://a.test/root", "$defs": { "a": string } })),
        ("root.json#/$defs/a", json!({ "$id": "root.json", "$defs": { "a": string } })),
        ("#/$defs/b/oneOf/1", json!({ "$defs": { "b": { "oneOf": [{ "pattern": "x" }, string] } } })),
        ("#/$defs/b/not", json!({ "$defs": { "b": { "not": string } } })),
        ("#/$defs/b/enum/0", json!({ "$defs": { "b": { "enum": [string] } } })),
    ] {
        let mut schema = json!({ "properties": { "x": { "$ref": reference } } });
        let (Value::Object(schema_map), Value::Object(extra)) = (&mut schema, extra) else { unreachable!() };
        schema_map.extend(extra);
        assert!(!compile(&schema).object_only(), "{reference}");
        accepts(&schema, &json!({ "x": "s" }));
        refuses(&schema, &json!({ "x": 1 }));
    }
    let to_property = json!({ "properties": { "x": { "type": "string" }, "y": { "$ref": "#/properties/x" } } });
    refuses(&to_property, &json!({ "y": 1 }));
    let to_root =
        json!({ "properties": { "x": { "$ref": "#" }, "n": { "type": "integer" } }, "additionalProperties": false });
    refuses(&to_root, &json!({ "x": { "x": { "z": 1 } } }));
    accepts(&to_root, &json!({ "x": { "x": { "n": 1 } } }));
    let dynamic = json!({ "properties": { "x": { "$dynamicRef": "#n" } }, "$defs": { "n": { "$dynamicAnchor": "n", "type": "string" } } });
    refuses(&dynamic, &json!({ "x": 1 }));
    let recursive = json!({ "$schema": "https://json-schema.org/draft/2019-09/schema", "properties": { "x": { "$recursiveRef": "#" }, "n": { "type": "string" } } });
    refuses(&recursive, &json!({ "x": { "n": 1 } }));
}

#[test]
fn a_reference_out_of_the_document_is_not_fetched_and_holds_the_tool_to_an_object() {
    for reference in
        ["http://169.254.169.254/x", "file:///etc/passwd", "other.json#/a", "#/$defs/none", "#none", "urn:x", "#/%zz"]
    {
        let schema = json!({ "properties": { "a": { "$ref": reference }, "b": { "type": "string" } } });
        assert!(compile(&schema).object_only(), "{reference}");
        accepts(&schema, &json!({ "a": 1, "b": 1 }));
        refuses(&schema, &json!([]));
    }
    let into = json!({ "properties": { "a": { "$ref": "#/$defs/b/$defs/c" } }, "$defs": { "b": { "$id": "b", "$defs": { "c": { "$ref": "#/x" } } } } });
    assert!(compile(&into).object_only());
}

#[test]
fn references_within_and_to_schemas_with_an_id_are_followed() {
    let text = json!({ "type": "string" });
    for held in [
        json!({ "$id": "https://a.test/b", "$ref": "#/$defs/c", "$defs": { "c": text } }),
        json!({ "$id": "b", "$ref": "b#/$defs/c", "$defs": { "c": text } }),
        json!({ "$id": "b", "$ref": "#name", "$defs": { "c": { "$anchor": "name", "type": "string" } } }),
        json!({ "$ref": "https://a.test/d" }),
        json!({ "$ref": "d" }),
        json!({ "$ref": "#/$defs/d" }),
        json!({ "$ref": "d#/$defs/e" }),
        json!({ "$ref": "#/$defs/d/$defs/e" }),
        json!({ "$ref": "d#named" }),
        json!({ "$ref": "urn:example:f" }),
    ] {
        let schema = json!({
            "$id": "https://a.test/root", "properties": { "a": held },
            "$defs": {
                "d": { "$id": "d", "type": "string", "$defs": { "e": { "$anchor": "named", "$ref": "#/$defs/g" }, "g": text } },
                "f": { "$id": "urn:example:f", "$ref": "#/$defs/g", "$defs": { "g": text } },
                "g": { "type": "integer" },
            },
        });
        assert!(!compile(&schema).object_only(), "{held}");
        accepts(&schema, &json!({ "a": "x" }));
        refuses(&schema, &json!({ "a": 1 }));
    }
    // What is no schema names nothing.
    let data = json!({ "const": { "$id": "https://a.test/b", "type": "string" } });
    assert!(compile(&json!({ "properties": { "a": data, "b": { "$ref": "https://a.test/b" } } })).object_only());
}

#[test]
fn a_dynamic_reference_means_the_first_anchor_on_the_way() {
    let tree = json!({
        "$id": "https://a.test/tree", "$dynamicAnchor": "node", "type": "object",
        "properties": { "kids": { "type": "array", "items": { "$dynamicRef": "#node" } } },
    });
    let strict = json!({
        "$id": "https://a.test/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false,
        "properties": { "n": { "type": "integer" } }, "$defs": { "tree": tree },
    });
    accepts(&strict, &json!({ "n": 1, "kids": [{ "kids": [{ "n": 2 }] }] }));
    refuses(&strict, &json!({ "kids": [{ "kids": [{ "m": 2 }] }] }));
    refuses(&strict, &json!({ "kids": [{ "n": "x" }] }));
    let recursive = json!({
        "$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "https://a.test/strict", "$recursiveAnchor": true,
        "$ref": "tree", "unevaluatedProperties": false,
        "$defs": { "tree": {
            "$id": "https://a.test/tree", "$recursiveAnchor": true, "properties": { "kids": { "items": { "$recursiveRef": "#" } } },
        } },
    });
    accepts(&recursive, &json!({ "kids": [{ "kids": [] }] }));
    refuses(&recursive, &json!({ "kids": [{ "m": 1 }] }));
    let plain = json!({
        "$id": "https://a.test/strict", "$ref": "tree", "unevaluatedProperties": false, "$defs": { "tree": tree },
    });
    accepts(&plain, &json!({ "kids": [{ "m": 1 }] }));
}

#[test]
fn a_definition_that_nothing_reaches_does_no_harm() {
    let schema = json!({ "properties": { "a": { "type": "string" } }, "$defs": { "b": { "$ref": "https://a.test" }, "c": 7, "d": { "type": "any" } } });
    assert!(!compile(&schema).object_only());
    refuses(&schema, &json!({ "a": 1 }));
}

#[test]
fn aliases_of_themselves_accept_anything() {
    let itself = json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": { "$ref": "#/$defs/A" } } });
    accepts(&itself, &json!({ "a": 1 }));
    let mutual = json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } } });
    accepts(&mutual, &json!({ "a": { "b": 1 } }));
}

#[test]
fn a_malformed_keyword_is_left_out_and_the_rest_checked() {
    for broken in [
        json!({ "type": "any" }),
        json!({ "type": "file" }),
        json!({ "required": true }),
        json!({ "properties": null }),
        json!({ "exclusiveMinimum": true }),
        json!({ "minLength": -1 }),
        json!({ "minLength": 1.5 }),
        json!({ "required": [7] }),
        json!({ "minLength": "3" }),
        json!({ "maximum": "3" }),
        json!({ "multipleOf": 0 }),
        json!({ "enum": "x" }),
        json!({ "items": [{}] }),
        json!({ "allOf": {} }),
        json!({ "not": 7 }),
        json!({ "$ref": 7 }),
        json!({ "additionalProperties": "no" }),
        json!({ "uniqueItems": "yes" }),
        json!({ "dependentRequired": { "a": 1 } }),
        json!({ "title": 7 }),
        json!({ "description": null }),
        json!({ "$id": 7 }),
        json!({ "$comment": 7 }),
        json!({ "deprecated": "y" }),
        json!({ "x-own": 1 }),
        json!({ "nullable": "maybe" }),
        json!({ "const": 1, "const_": 2 }),
        json!({ "default": 1 }),
    ] {
        let schema =
            json!({ "type": "object", "properties": { "a": broken, "b": { "type": "string" } }, "required": ["b"] });
        assert!(!compile(&schema).object_only(), "{broken}");
        refuses(&schema, &json!({ "b": 1 }));
        refuses(&schema, &json!({}));
        accepts(
            &schema,
            &json!({ "a": if broken.get("const").is_some() { json!(1) } else { json!("one") }, "b": "x" }),
        );
    }
    let twice = json!({ "required": ["a", 7, "a"] });
    refuses(&twice, &json!({}));
    accepts(&twice, &json!({ "a": 1 }));
    for (sound, refused) in [
        (json!({ "maxLength": 1.5 }), json!("ab")),
        (json!({ "maxItems": -1 }), json!([1])),
        (json!({ "multipleOf": -2 }), json!(3)),
    ] {
        refuses(&json!({ "properties": { "a": sound } }), &json!({ "a": refused }));
        accepts(&json!({ "properties": { "a": sound } }), &json!({ "a": {} }));
    }
    let negated = json!({ "properties": { "a": { "not": { "type": "any" } } } });
    accepts(&negated, &json!({ "a": 1 }));
    accepts(&json!({ "properties": { "a": { "minLength": 2.0 } } }), &json!({ "a": "ab" }));
    refuses(&json!({ "properties": { "a": { "minLength": 2.0 } } }), &json!({ "a": "a" }));
}

#[test]
fn one_of_nothing_is_nothing() {
    for dialect in ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", ""] {
        for empty in ["type", "enum", "anyOf", "oneOf"] {
            let schema = json!({ "$schema": dialect, "properties": { "a": { empty: [] } } });
            refuses(&schema, &json!({ "a": 1 }));
            accepts(&schema, &json!({}));
        }
        accepts(&json!({ "$schema": dialect, "properties": { "a": { "allOf": [] } } }), &json!({ "a": 1 }));
    }
    let no_items = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": { "a": { "items": [], "additionalItems": false } } });
    refuses(&no_items, &json!({ "a": [1] }));
    accepts(&no_items, &json!({ "a": [] }));
}

#[test]
fn names_of_the_object_prototype_are_plain_names() {
    let closed = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    for name in ["__proto__", "constructor", "toString", "hasOwnProperty"] {
        refuses(&closed, &json!({ name: 1 }));
        refuses(&json!({ "required": [name] }), &json!({}));
        let schema = json!({ "properties": { name: { "type": "string" } }, "additionalProperties": false });
        accepts(&schema, &json!({}));
        accepts(&schema, &json!({ name: "x" }));
        refuses(&schema, &json!({ name: 1 }));
    }
}

#[test]
fn schemas_that_are_no_objects_hold_the_tool_to_an_object_but_false_accepts_nothing() {
    for text in ["true", "null", "7", "[]", "\"x\"", "", "{", "{\"maximum\":1e400}"] {
        let check = super::compile_text(text);
        assert!(check.object_only(), "{text}");
        assert_eq!(check.check("{\"a\":1}"), None);
    }
    refuses(&json!(false), &json!({}));
}

#[test]
fn composition_is_checked() {
    let closed = json!({ "allOf": [
        { "properties": { "a": {} }, "additionalProperties": false }, { "properties": { "b": {} }, "additionalProperties": false },
    ] });
    refuses(&closed, &json!({ "a": 1, "b": 1 }));
    let unevaluated =
        json!({ "allOf": [{ "properties": { "a": {} } }], "properties": { "b": {} }, "unevaluatedProperties": false });
    accepts(&unevaluated, &json!({ "a": 1, "b": 1 }));
    refuses(&unevaluated, &json!({ "c": 1 }));
    refuses(&json!({ "dependentRequired": { "a": ["b"] } }), &json!({ "a": 1 }));
    refuses(&json!({ "dependentSchemas": { "a": { "required": ["b"] } } }), &json!({ "a": 1 }));
    refuses(&json!({ "propertyNames": { "maxLength": 1 } }), &json!({ "ab": 1 }));
    refuses(&json!({ "properties": { "a": { "uniqueItems": true } } }), &json!({ "a": [1, 1] }));
    refuses(&json!({ "properties": { "a": { "not": {} } } }), &json!({ "a": 1 }));
    refuses(&json!({ "properties": { "a": false } }), &json!({ "a": 1 }));
}
