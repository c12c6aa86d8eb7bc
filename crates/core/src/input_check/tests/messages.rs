//! What the model reads.

use serde_json::{Value, json};

use super::{check, issue, says};

#[test]
fn a_string_that_holds_json_is_named_as_such() {
    let schema = json!({ "properties": { "labels": { "type": "array" }, "filter": { "type": ["object", "null"] }, "n": { "type": "integer" }, "flag": { "type": "boolean" }, "pick": { "enum": [1, 2] } } });
    says(
        &schema,
        &json!({ "labels": "[\"a\"]" }),
        "labels: expected array, got a string holding JSON: send the array itself",
    );
    says(
        &schema,
        &json!({ "filter": " {\"a\":1}" }),
        "filter: expected null or object, got a string holding JSON: send the object itself",
    );
    says(&schema, &json!({ "n": "3" }), "n: expected integer, got a string holding JSON: send the number itself");
    says(
        &schema,
        &json!({ "flag": "true" }),
        "flag: expected boolean, got a string holding JSON: send the boolean itself",
    );
    says(
        &schema,
        &json!({ "pick": "2" }),
        "pick: expected one of 1, 2, got a string holding JSON: send the number itself",
    );
    says(&schema, &json!({ "n": "3.5" }), "n: expected integer, got string");
    says(&schema, &json!({ "labels": "{}" }), "labels: expected array, got string");
    says(&schema, &json!({ "labels": "a, b" }), "labels: expected array, got string");
}

#[test]
fn null_for_what_may_be_left_out_says_so() {
    let referred = json!({
        "properties": { "a": { "type": "string" }, "b": { "$ref": "#/$defs/b" }, "c": { "anyOf": [{ "type": "string" }, { "type": "integer" }] }, "d": { "type": "string" }, "e": { "enum": ["x", "y"] } },
        "required": ["d"],
        "$defs": { "b": { "type": "string" } },
    });
    let with = |name: &str| json!({ "d": "x", name: null });
    says(&referred, &with("a"), "a: expected string, got null: leave it out");
    says(&referred, &with("b"), "b: expected string, got null: leave it out");
    says(&referred, &with("c"), "c: expected string or integer, got null: leave it out");
    says(&referred, &with("d"), "d: expected string, got null");
    says(&referred, &with("e"), r#"e: expected one of "x", "y", got null: leave it out"#);
    let nested = json!({ "properties": { "l": { "items": { "$ref": "#/$defs/i" } } }, "$defs": { "i": { "properties": { "n": { "type": "string" } } } } });
    says(&nested, &json!({ "l": [{ "n": null }] }), "l[0].n: expected string, got null: leave it out");
    says(
        &json!({ "properties": { "l": { "items": { "type": "string" } } } }),
        &json!({ "l": [null] }),
        "l[0]: expected string, got null",
    );
}

#[test]
fn missing_and_unexpected_names_are_told_together() {
    let schema = json!({ "type": "object", "properties": { "repo": { "type": "string" }, "n": { "type": "integer" } }, "required": ["repo"], "additionalProperties": false });
    let text = check(&schema, &json!({ "repository": "a", "n": "x", "z": 1 })).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.pop(), Some("n: expected integer, got string"));
    lines.sort_unstable();
    assert_eq!(
        lines,
        [r#"input: unexpected properties "repository", "z" (accepted: "repo", "n")"#, "repo: is required"]
    );
}

#[test]
fn the_nearest_of_several_forms_is_told() {
    let schema = json!({ "properties": { "a": { "anyOf": [
        { "type": "string" },
        { "type": "object", "properties": { "kind": { "const": "file" }, "path": { "type": "string" } }, "required": ["kind", "path"] },
        { "type": "object", "properties": { "kind": { "const": "text" }, "text": { "type": "string" } }, "required": ["kind", "text"] },
    ] }, "b": { "oneOf": [{ "type": "null" }, { "type": "object", "properties": { "x": { "type": "integer" } } }] } } });
    says(&schema, &json!({ "a": 7 }), "a: expected string or object, got number");
    says(&schema, &json!({ "a": { "kind": "text", "text": 1 } }), "a.text: expected string, got number");
    says(&schema, &json!({ "a": { "kind": "file" } }), "a.path: is required");
    says(&schema, &json!({ "a": {} }), "a: fits none of 3 forms; nearest: a.kind: is required; a.path: is required");
    says(&schema, &json!({ "a": { "kind": "dir", "path": "x" } }), r#"a.kind: expected one of "file", "text""#);
    says(&schema, &json!({ "a": { "kind": 7 } }), r#"a.kind: expected one of "file", "text", got number"#);
    says(&schema, &json!({ "b": { "x": "y" } }), "b.x: expected integer, got string");
    says(
        &json!({ "properties": { "a": { "oneOf": [{ "minimum": 1 }, { "minimum": 2 }] } } }),
        &json!({ "a": 7 }),
        "a: fits more than one form, where exactly one may fit",
    );
}

#[test]
fn forms_within_forms_are_forms_like_the_others() {
    let form =
        |kind: &str| json!({ "type": "object", "properties": { "kind": { "const": kind } }, "required": ["kind"] });
    let schema = json!({ "properties": { "a": { "anyOf": [
        { "oneOf": [form("x"), form("y")] }, { "$ref": "#/$defs/z" }, { "type": "null" },
    ] } }, "$defs": { "z": { "anyOf": [form("z"), { "type": "string", "pattern": "^z" }] } } });
    says(&schema, &json!({ "a": 7 }), "a: expected object, string or null, got number");
    says(&schema, &json!({ "a": { "kind": "w" } }), r#"a.kind: expected one of "x", "y", "z""#);
}

#[test]
fn long_lists_and_names_are_bounded() {
    let names: Vec<String> = (0..40).map(|at| format!("property_{at}")).collect();
    let properties: serde_json::Map<String, Value> = names.iter().map(|name| (name.clone(), json!({}))).collect();
    let schema = json!({ "properties": properties, "additionalProperties": false });
    let long = "ä".repeat(5000);
    let text = check(&schema, &json!({ long.clone(): 1 })).unwrap();
    assert!(
        text.starts_with(&format!("input: unexpected property \"{}…\" (accepted: \"property_0\", ", "ä".repeat(64))),
        "{text}"
    );
    assert!(text.ends_with("\"property_11\" (28 more))"), "{text}");
    let text = check(&json!({ "additionalProperties": { "type": "string" } }), &json!({ long: 1, "b": 1 })).unwrap();
    assert_eq!(text, format!("[\"{}…\"]: expected string, got number\nb: expected string, got number", "ä".repeat(64)));
}

#[test]
fn at_most_ten_mistakes_in_two_kilobytes_and_the_rest_counted() {
    let items: Vec<Value> = (0..15).map(|_| json!(1)).collect();
    let text =
        check(&json!({ "properties": { "a": { "items": { "type": "string" } } } }), &json!({ "a": items })).unwrap();
    assert_eq!(text.lines().count(), 11);
    assert!(text.ends_with("a[9]: expected string, got number\n(5 more mistakes)"), "{text}");
    let options: Vec<String> = (0..12).map(|at| format!("{at}{}", "ü€😀".repeat(60))).collect();
    let named: serde_json::Map<String, Value> =
        (0..12).map(|at| (format!("{at}{}", "é".repeat(62)), json!({ "enum": options }))).collect();
    let wrong: serde_json::Map<String, Value> = named.keys().map(|name| (name.clone(), json!("x"))).collect();
    let text = check(&json!({ "properties": named }), &Value::Object(wrong)).unwrap();
    assert!(text.len() <= 2048 && text.ends_with(" more mistakes)"), "{} {text}", text.len());
}

#[test]
fn no_value_of_the_input_is_repeated() {
    let schema = json!({ "properties": {
        "a": { "type": "integer" }, "b": { "enum": ["x"] }, "c": { "const": 1 }, "d": { "maxLength": 1 }, "e": { "not": { "type": "string" } },
        "f": { "oneOf": [{ "type": "integer" }, { "maxLength": 1 }] }, "g": { "contains": { "type": "integer" } }, "h": { "uniqueItems": true },
        "i": { "additionalProperties": { "type": "integer" } }, "j": false, "k": { "items": false }, "l": { "unevaluatedItems": false },
    } });
    let secret = "hunter2";
    let mut input: serde_json::Map<String, Value> =
        ["a", "b", "c", "d", "e", "f", "j"].into_iter().map(|name| (name.to_owned(), json!(secret))).collect();
    for name in ["g", "h", "k", "l"] {
        input.insert(name.to_owned(), json!([secret, secret]));
    }
    input.insert("i".to_owned(), json!({ "x": secret }));
    for (name, value) in &input {
        let text = check(&schema, &json!({ name: value })).unwrap();
        assert!(!text.contains(secret) && text.starts_with(name), "{text}");
    }
    let text = super::compile(&issue()).check(r#"{"repo": hunter2}"#).unwrap();
    assert!(!text.contains(secret), "{text}");
}

#[test]
fn a_name_cannot_break_a_line() {
    let text = check(&json!({ "additionalProperties": { "type": "string" } }), &json!({ "a\nb: is fine": 1 })).unwrap();
    assert_eq!(text, r#"["a\nb: is fine"]: expected string, got number"#);
}

#[test]
fn all_mistakes_within_an_object_that_may_be_null_are_told() {
    let names = ["a", "b", "c", "d", "e"];
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    let object =
        json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false });
    let schema = json!({ "properties": { "filter": { "anyOf": [object, { "type": "null" }] } } });
    says(
        &schema,
        &json!({ "filter": { "x": 1, "a": 1 } }),
        "filter.b: is required\nfilter.c: is required\nfilter.d: is required\nfilter.e: is required\n\
        filter: unexpected property \"x\" (accepted: \"a\", \"b\", \"c\", \"d\", \"e\")\n\
        filter.a: expected string, got number",
    );
}

#[test]
fn objects_that_may_be_null_are_told_however_deep() {
    let mut schema = json!({ "type": "integer" });
    let mut input = json!("x");
    for _ in 0..20 {
        schema = json!({ "anyOf": [{ "type": "object", "properties": { "b": schema }, "required": ["b"] }, { "type": "null" }] });
        input = json!({ "b": input });
    }
    let text = check(&json!({ "properties": { "b": schema } }), &json!({ "b": input })).unwrap();
    assert_eq!(text, format!("b{}: expected integer, got string", ".b".repeat(20)));
}

#[test]
fn more_mistakes_of_the_nearest_form_are_counted() {
    let form = |names: &[&str]| json!({ "type": "object", "required": names });
    let schema = json!({ "properties": { "a": { "anyOf": [form(&["a", "b", "c", "d", "e"]), form(&["f", "g", "h", "i", "j", "k"])] } } });
    says(
        &schema,
        &json!({ "a": {} }),
        "a: fits none of 2 forms; nearest: a.a: is required; a.b: is required; a.c: is required; 2 more mistakes",
    );
    let one = json!({ "properties": { "a": { "anyOf": [{ "oneOf": [{ "minLength": 3 }] }] } } });
    says(&one, &json!({ "a": "x" }), "a: expected at least 3 characters");
}

#[test]
fn a_name_that_is_not_accepted_is_named() {
    says(
        &json!({ "propertyNames": { "enum": ["a", "b"] } }),
        &json!({ "zzz": 1, "a": 1, "yyy": 2 }),
        "input: the name \"zzz\": expected one of \"a\", \"b\"\ninput: the name \"yyy\": expected one of \"a\", \"b\"",
    );
    says(
        &json!({ "properties": { "m": { "propertyNames": { "maxLength": 3 } } } }),
        &json!({ "m": { "abcdef": 1 } }),
        "m: the name \"abcdef\": expected at most 3 characters",
    );
}

#[test]
fn what_a_condition_rules_out_is_told_as_what_it_is() {
    let unless = json!({ "if": { "required": ["a"] }, "else": false });
    says(&unless, &json!({}), "a: is required");
    let never = json!({ "if": { "required": ["a"] }, "then": false });
    says(&never, &json!({ "a": 1 }), "input: is of a form that the schema rules out");
    says(&json!({ "properties": { "a": false } }), &json!({ "a": 1 }), "a: is not accepted: leave it out");
    says(&json!({ "properties": { "a": { "allOf": [false] } } }), &json!({ "a": 1 }), "a: is not accepted");
    says(&json!({ "dependentRequired": { "a": ["b"] } }), &json!({ "a": 1 }), "b: is required beside \"a\"");
}

#[test]
fn objects_and_lists_of_the_schema_are_told_as_json() {
    says(
        &json!({ "properties": { "a": { "const": { "k": [1] } } } }),
        &json!({ "a": "y" }),
        r#"a: expected {"k":[1]}, got string"#,
    );
    says(
        &json!({ "properties": { "a": { "enum": [{ "k": 1 }, [2], null] } } }),
        &json!({ "a": [] }),
        r#"a: expected one of {"k":1}, [2], null"#,
    );
    let long = json!({ "k": "x".repeat(5000) });
    let text = check(&json!({ "properties": { "a": { "const": long } } }), &json!({ "a": 1 })).unwrap();
    assert!(text.len() < 140, "{text}");
}
