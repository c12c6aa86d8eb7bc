//! What the check as a whole keeps, by requirement and by what has gone wrong elsewhere.

mod gate;
mod limits;
mod messages;
mod patterns;
mod random;
mod reader;
mod schemas;
mod stack;
mod work;

use std::sync::Arc;

use serde_json::{Value, json};

use super::{InputCheck, Mode};

/// The check of all that can be checked; `gate` is about what is left unchecked.
fn compile(schema: &Value) -> Arc<InputCheck> {
    compile_text(&schema.to_string())
}

fn compile_text(schema: &str) -> Arc<InputCheck> {
    InputCheck::compile(schema, Mode::Full)
}

fn check(schema: &Value, input: &Value) -> Option<String> {
    compile(schema).check(&input.to_string())
}

#[track_caller]
fn accepts(schema: &Value, input: &Value) {
    assert_eq!(check(schema, input), None, "{schema} refuses {input}");
}

#[track_caller]
fn refuses(schema: &Value, input: &Value) {
    assert!(check(schema, input).is_some(), "{schema} accepts {input}");
}

#[track_caller]
fn says(schema: &Value, input: &Value, message: &str) {
    assert_eq!(check(schema, input).as_deref(), Some(message));
}

fn issue() -> Value {
    json!({
        "type": "object",
        "properties": {
            "repo": { "type": "string", "minLength": 1 },
            "title": { "type": "string", "maxLength": 256 },
            "state": { "enum": ["open", "closed"] },
            "count": { "type": "integer", "minimum": 1, "maximum": 100 },
            "labels": { "type": "array", "items": { "$ref": "#/$defs/label" }, "maxItems": 3 },
            "assignee": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
        },
        "required": ["repo"],
        "$defs": { "label": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] } },
    })
}

#[test]
fn a_check_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<InputCheck>();
}

#[test]
fn r_000_037_refuses_an_input_that_is_not_an_object() {
    for schema in [issue(), json!({}), json!({ "type": "object" }), json!({ "$ref": "https://a.test/b" }), json!(7)] {
        says(&schema, &json!("x"), "input: expected object, got string");
        says(&schema, &json!(7), "input: expected object, got number");
        says(&schema, &json!(true), "input: expected object, got boolean");
        says(&schema, &Value::Null, "input: expected object, got null");
        says(&schema, &json!([{ "repo": "a" }]), "input: expected object, got array");
        says(
            &schema,
            &json!("{\"repo\":\"a\"}"),
            "input: expected object, got a string holding JSON: send the object itself",
        );
        let check = compile(&schema);
        assert_eq!(check.check("").as_deref(), Some("input: is not valid JSON (line 1, column 0)"));
        assert!(check.check("undefined").is_some());
    }
}

#[test]
fn r_000_038_refuses_a_missing_required_property() {
    says(&issue(), &json!({}), "repo: is required");
    says(&issue(), &json!({ "repo": "a", "assignee": {} }), "assignee.name: is required");
}

#[test]
fn r_000_038_refuses_a_wrong_type() {
    says(&issue(), &json!({ "repo": 7 }), "repo: expected string, got number");
    says(&issue(), &json!({ "repo": "a", "count": 1.5 }), "count: expected integer, got a number that is not whole");
    says(&issue(), &json!({ "repo": "a", "assignee": [] }), "assignee: expected object, got array");
}

#[test]
fn r_000_038_refuses_what_an_enum_does_not_list() {
    says(&issue(), &json!({ "repo": "a", "state": "secret" }), r#"state: expected one of "open", "closed""#);
    says(&issue(), &json!({ "repo": "a", "state": 7 }), r#"state: expected one of "open", "closed", got number"#);
}

#[test]
fn r_000_038_refuses_what_is_out_of_bounds() {
    says(&issue(), &json!({ "repo": "a", "count": 0 }), "count: expected at least 1");
    says(&issue(), &json!({ "repo": "a", "count": 101 }), "count: expected at most 100");
    says(&issue(), &json!({ "repo": "" }), "repo: expected at least 1 character");
    says(
        &json!({ "properties": { "a": { "exclusiveMinimum": 2.5 } } }),
        &json!({ "a": 2.5 }),
        "a: expected more than 2.5",
    );
    says(
        &json!({ "properties": { "a": { "multipleOf": 0.01 } } }),
        &json!({ "a": 1.005 }),
        "a: expected a multiple of 0.01",
    );
    accepts(&json!({ "properties": { "a": { "multipleOf": 0.01 } } }), &json!({ "a": 19.99 }));
}

#[test]
fn r_000_038_refuses_a_wrong_item_of_a_list_by_a_reference() {
    says(
        &issue(),
        &json!({ "repo": "a", "labels": [{ "name": "x" }, { "name": 1 }] }),
        "labels[1].name: expected string, got number",
    );
    says(&issue(), &json!({ "repo": "a", "labels": [{}] }), "labels[0].name: is required");
    let four = json!([{ "name": "x" }, { "name": "x" }, { "name": "x" }, { "name": "x" }]);
    says(&issue(), &json!({ "repo": "a", "labels": four }), "labels: expected at most 3 items");
}

#[test]
fn r_000_038_refuses_within_a_recursive_definition() {
    let schema = json!({
        "$ref": "#/$defs/node",
        "$defs": { "node": { "type": "object", "properties": {
            "value": { "type": "integer" }, "next": { "$ref": "#/$defs/node" },
        } } },
    });
    accepts(&schema, &json!({ "value": 1, "next": { "next": { "value": 3 } } }));
    says(&schema, &json!({ "next": { "next": { "value": "x" } } }), "next.next.value: expected integer, got string");
}

#[test]
fn r_000_039_refuses_an_unnamed_property_where_the_schema_is_closed() {
    let inner = json!({ "type": "object", "properties": { "name": {} }, "additionalProperties": false });
    let schema =
        json!({ "type": "object", "properties": { "repo": {}, "label": inner }, "additionalProperties": false });
    says(&schema, &json!({ "repo": 1, "foo": 1 }), r#"input: unexpected property "foo" (accepted: "repo", "label")"#);
    says(&schema, &json!({ "label": { "nam": 1 } }), r#"label: unexpected property "nam" (accepted: "name")"#);
    let empty = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    says(&empty, &json!({ "a": 1 }), r#"input: unexpected property "a" (none is accepted)"#);
    accepts(&empty, &json!({}));
    let within = json!({ "properties": { "a": { "additionalProperties": false } } });
    says(&within, &json!({ "a": { "k": null, "l": {} } }), r#"a: unexpected properties "k", "l" (none is accepted)"#);
}

#[test]
fn r_000_039_accepts_an_unnamed_property_where_the_schema_is_open() {
    accepts(&issue(), &json!({ "repo": "a", "foo": { "bar": [1] }, "assignee": { "name": "x", "y": 1 } }));
}

#[test]
fn r_000_040_accepts_what_breaks_a_pattern() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "^[0-9]+$" } } });
    accepts(&schema, &json!({ "a": "letters" }));
    refuses(&schema, &json!({ "a": 7 }));
}

#[test]
fn r_000_040_accepts_at_once_what_would_make_a_pattern_backtrack_for_ever() {
    let start = std::time::Instant::now();
    let pattern = "^(([a-z])+.)+[A-Z]([a-z])+$(?=(a+)+\\1)";
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "string", "pattern": pattern }, "b": { "pattern": "(a{1,1000}){1,1000}" } },
        "patternProperties": { "^(a+)+$": { "pattern": pattern } },
        "propertyNames": { "pattern": "^(a|a)*$" },
    });
    let long = "a".repeat(100_000);
    accepts(&schema, &json!({ "a": long, "b": long, (long.clone() + "!"): long }));
    assert!(start.elapsed().as_millis() < 250, "took {:?}", start.elapsed());
}

#[test]
fn r_000_041_accepts_what_breaks_a_format() {
    for dialect in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"] {
        let schema = json!({
            "$schema": dialect,
            "properties": { "a": { "type": "string", "format": "email" }, "b": { "format": "no such format" } },
        });
        accepts(&schema, &json!({ "a": "not an address", "b": 1 }));
        refuses(&schema, &json!({ "a": 1 }));
    }
}
