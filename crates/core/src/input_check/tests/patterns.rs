//! What is never run never makes a valid input fail, wherever it stands.

use serde_json::json;

use super::{accepts, refuses};

#[test]
fn not_with_a_pattern_is_dropped_also_through_references() {
    accepts(&json!({ "not": { "properties": { "a": { "pattern": "^x" } }, "required": ["a"] } }), &json!({ "a": "y" }));
    let chain = json!({
        "properties": { "a": { "not": { "$ref": "#/$defs/one" } } },
        "$defs": {
            "one": { "allOf": [{ "$ref": "#/$defs/two" }] },
            "two": { "anyOf": [{ "$ref": "#/$defs/three" }, { "type": "null" }] },
            "three": { "type": "string", "pattern": "^x" },
        },
    });
    accepts(&chain, &json!({ "a": "y" }));
    refuses(&json!({ "properties": { "a": { "not": { "type": "string" } } } }), &json!({ "a": "y" }));
}

#[test]
fn not_with_a_format_is_dropped() {
    accepts(&json!({ "properties": { "a": { "not": { "format": "email" } } } }), &json!({ "a": "y" }));
}

#[test]
fn a_loss_within_a_cycle_of_references_is_seen_from_every_part_of_it() {
    let schema = json!({
        "properties": { "a": { "not": { "$ref": "#/$defs/tree" } } },
        "$defs": {
            "tree": { "type": "object", "properties": { "kids": { "items": { "$ref": "#/$defs/leaf" } } } },
            "leaf": { "anyOf": [{ "$ref": "#/$defs/tree" }, { "type": "string", "pattern": "^x" }] },
        },
    });
    accepts(&schema, &json!({ "a": { "kids": ["y"] } }));
}

#[test]
fn branches_told_apart_by_a_pattern_are_any_of_them() {
    let branches = json!([{ "type": "string", "pattern": "^a" }, { "type": "string", "pattern": "^b" }]);
    let schema = json!({ "properties": { "a": { "oneOf": branches } } });
    accepts(&schema, &json!({ "a": "abc" }));
    accepts(&schema, &json!({ "a": "c" }));
    refuses(&schema, &json!({ "a": 7 }));
    let beside =
        json!({ "properties": { "a": { "oneOf": branches, "anyOf": [{ "maxLength": 2 }, { "minLength": 5 }] } } });
    accepts(&beside, &json!({ "a": "ab" }));
    refuses(&beside, &json!({ "a": "abc" }));
    refuses(&beside, &json!({ "a": 7 }));
    let all_of = json!({ "properties": { "a": { "oneOf": branches, "anyOf": [{}], "allOf": [{ "maxLength": 2 }] } } });
    refuses(&all_of, &json!({ "a": "abc" }));
    accepts(&all_of, &json!({ "a": "ab" }));
}

#[test]
fn branches_beside_one_with_a_pattern_stay_exclusive_among_themselves() {
    let branches = json!([{ "minimum": 1, "type": "integer" }, { "minimum": 2, "type": "integer" }, { "type": "string", "pattern": "^a" }]);
    let schema = json!({ "properties": { "a": { "oneOf": branches } } });
    accepts(&schema, &json!({ "a": 1 }));
    refuses(&schema, &json!({ "a": 2 }));
    accepts(&schema, &json!({ "a": "b" }));
    refuses(&schema, &json!({ "a": null }));
}

#[test]
fn branches_that_lost_nothing_stay_exclusive() {
    let schema = json!({ "properties": { "a": { "oneOf": [{ "type": "integer" }, { "minimum": 5 }] } } });
    refuses(&schema, &json!({ "a": 7 }));
    accepts(&schema, &json!({ "a": 3 }));
}

#[test]
fn a_condition_with_a_pattern_asks_for_one_of_its_outcomes() {
    let schema = json!({
        "properties": { "kind": { "type": "string" } },
        "if": { "properties": { "kind": { "pattern": "^x" } } },
        "then": { "required": ["x"] },
        "else": { "required": ["y"] },
    });
    accepts(&schema, &json!({ "kind": "abc", "y": 1 }));
    accepts(&schema, &json!({ "kind": "xbc", "x": 1 }));
    refuses(&schema, &json!({ "kind": "abc" }));
    let then_only = json!({ "if": { "properties": { "a": { "format": "email" } } }, "then": { "required": ["x"] } });
    accepts(&then_only, &json!({ "a": "y" }));
    let sound = json!({ "if": { "required": ["a"] }, "then": { "properties": { "b": { "pattern": "x" } }, "required": ["b"] } });
    refuses(&sound, &json!({ "a": 1 }));
    accepts(&sound, &json!({ "a": 1, "b": "y" }));
}

#[test]
fn what_a_dropped_condition_evaluated_still_counts() {
    let schema = json!({
        "properties": { "kind": { "type": "string" } },
        "if": { "properties": { "kind": { "pattern": "^x" } } },
        "then": { "properties": { "x": { "type": "integer" } }, "required": ["x"] },
        "else": { "properties": { "y": { "type": "integer" } } },
        "unevaluatedProperties": false,
    });
    accepts(&schema, &json!({ "kind": "xx", "x": 1 }));
    accepts(&schema, &json!({ "kind": "yy", "y": 1 }));
    refuses(&schema, &json!({ "kind": "yy", "z": 1 }));
}

#[test]
fn contains_with_a_pattern_has_no_upper_count() {
    let schema = json!({ "properties": { "a": { "contains": { "type": "string", "pattern": "^x" }, "maxContains": 1, "minContains": 1 } } });
    accepts(&schema, &json!({ "a": ["x", "y"] }));
    refuses(&schema, &json!({ "a": [1] }));
    let sound = json!({ "properties": { "a": { "contains": { "type": "string" }, "maxContains": 1 } } });
    refuses(&sound, &json!({ "a": ["x", "y"] }));
}

#[test]
fn a_closed_object_with_pattern_properties_is_open() {
    let schema = json!({
        "properties": { "a": { "type": "integer" } }, "patternProperties": { "^x-": { "type": "string" } },
        "additionalProperties": false,
    });
    accepts(&schema, &json!({ "x-a": "s", "other": 1 }));
    refuses(&schema, &json!({ "a": "s" }));
    let empty = json!({ "properties": { "a": {} }, "patternProperties": {}, "additionalProperties": false });
    refuses(&empty, &json!({ "b": 1 }));
    let unevaluated = json!({ "allOf": [{ "patternProperties": { "^x-": {} } }], "unevaluatedProperties": false });
    accepts(&unevaluated, &json!({ "x-a": 1 }));
}

#[test]
fn a_property_of_any_name_is_checked() {
    let named = json!({ "pattern": { "type": "string" }, "format": { "type": "integer" }, "patternProperties": { "type": "null" }, "$ref": { "type": "boolean" } });
    let schema = json!({ "properties": named, "required": ["pattern"], "additionalProperties": false });
    accepts(&schema, &json!({ "pattern": "x", "format": 1, "patternProperties": null, "$ref": true }));
    for wrong in [
        json!({}),
        json!({ "pattern": 1 }),
        json!({ "pattern": "", "format": "" }),
        json!({ "pattern": "", "$ref": 1 }),
    ] {
        refuses(&schema, &wrong);
    }
}

#[test]
fn data_is_never_taken_for_a_schema() {
    let data = json!({ "pattern": "x", "format": "email", "$ref": "#/nowhere" });
    let schema = json!({
        "properties": { "a": { "const": data }, "b": { "enum": [data] }, "c": { "default": data, "examples": [data], "x-note": data } },
    });
    accepts(&schema, &json!({ "a": data, "b": data, "c": 1 }));
    refuses(&schema, &json!({ "a": {} }));
    refuses(&schema, &json!({ "b": { "pattern": "x" } }));
}

#[test]
fn invalid_and_huge_patterns_do_no_harm() {
    for pattern in ["[[:alpha:]]", "(", "(a{1,1000}){1,1000}", "(?<=a+)b", "\\p{No}"] {
        let schema = json!({ "properties": { "a": { "type": "string", "pattern": pattern } }, "patternProperties": { pattern: {} } });
        accepts(&schema, &json!({ "a": "x" }));
        refuses(&schema, &json!({ "a": 1 }));
    }
}
