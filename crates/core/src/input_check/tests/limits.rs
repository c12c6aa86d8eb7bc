//! What schemas and inputs may be, and what becomes of those that are more.

use serde_json::{Map, Value, json};

use super::{InputCheck, Mode, check, compile, compile_text, issue};
use crate::input_check::MAX_SCHEMA_BYTES;

pub(super) fn definitions(count: usize, definition: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|at| (format!("n{at}"), definition(at))).collect::<Map<_, _>>())
}

pub(super) fn to(at: usize) -> Value {
    json!({ "$ref": format!("#/$defs/n{at}") })
}

#[test]
fn cycles_through_the_same_value_that_branch_are_held_to_an_object() {
    let clique = |_| json!({ "anyOf": (0..12).map(to).collect::<Vec<_>>() });
    let check = compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(12, clique) }));
    assert!(check.object_only());
    let turned = |_| json!({ "not": to(0) });
    assert!(compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(1, turned) })).object_only());
}

#[test]
fn cycles_through_the_same_value_that_do_not_branch_mean_what_else_they_say() {
    let next = |at: usize| json!({ "$ref": format!("#/$defs/n{}", (at + 1) % 3), "description": "x" });
    let cycle = json!({ "properties": { "a": to(0) }, "$defs": definitions(3, next) });
    assert_eq!(check(&cycle, &json!({ "a": 1 })), None);
    let typed = json!({ "properties": { "a": to(0) }, "$defs": { "n0": { "allOf": [to(1)] }, "n1": { "type": "string", "$ref": "#/$defs/n0" } } });
    assert_eq!(check(&typed, &json!({ "a": "x" })), None);
    assert!(check(&typed, &json!({ "a": 1 })).is_some());
}

#[test]
fn a_schema_text_above_the_limit_is_held_to_an_object() {
    let padded = |bytes: usize| {
        let text = r#"{"required":["a"],"title":""}"#;
        text.replace(r#""title":"""#, &format!(r#""title":"{}""#, "x".repeat(bytes - text.len())))
    };
    assert!(!compile_text(&padded(MAX_SCHEMA_BYTES)).object_only());
    assert!(compile_text(&padded(MAX_SCHEMA_BYTES + 1)).object_only());
}

#[test]
fn an_input_of_more_values_than_are_read_is_refused_under_any_schema() {
    let input = format!(r#"{{"a":[{}0]}}"#, "0,".repeat(2_000_000));
    for schema in [json!({}), json!({ "$ref": "https://a.test" })] {
        assert!(check(&schema, &json!({})).is_none());
        let said = compile(&schema).check(&input).unwrap();
        assert!(said.starts_with("input: more than 2000000 values"), "{said}");
    }
}

#[test]
fn numbers_are_judged_as_they_are_sent() {
    let schema = json!({ "properties": { "a": { "type": "integer" } } });
    let check = compile(&schema);
    for text in ["9007199254740993", "1e20", "-0", "-0.0", "2.0", "123456789012345678901234567890"] {
        assert_eq!(check.check(&format!(r#"{{"a":{text}}}"#)), None, "{text}");
    }
    assert!(check.check(r#"{"a":null}"#).is_some());
    for text in ["1e400", "-1e400"] {
        assert_eq!(
            check.check(&format!(r#"{{"a":{text}}}"#)).as_deref(),
            Some("input: holds a number that is too large to represent")
        );
    }
}

#[test]
fn zeros_are_one_number_and_numbers_are_equal_however_they_are_written() {
    let schema = json!({ "properties": { "a": { "enum": [0, 1.5, 1e2] }, "b": { "const": [0, { "x": 1 }] }, "c": { "uniqueItems": true } } });
    let check = compile(&schema);
    for sound in [r#"{"a":-0}"#, r#"{"a":-0.0}"#, r#"{"a":15e-1}"#, r#"{"a":100}"#, r#"{"b":[-0.0,{"x":1.0}]}"#] {
        assert_eq!(check.check(sound), None, "{sound}");
    }
    for twice in ["[0,-0.0]", "[1,1.0]", "[[0],[-0]]", r#"[{"a":1,"b":2},{"b":2.0,"a":1}]"#] {
        assert!(check.check(&format!(r#"{{"c":{twice}}}"#)).is_some(), "{twice}");
    }
    for once in [
        r#"[1,true,"1",[1],{"1":1},null,false,0,""]"#,
        "[[],[[]]]",
        r#"[{"a":1,"b":2},{"b":1,"a":2}]"#,
        "[[1,2],[2,1]]",
    ] {
        assert_eq!(check.check(&format!(r#"{{"c":{once}}}"#)), None, "{once}");
    }
}

#[test]
fn lone_surrogates_are_tolerated_in_schema_and_input() {
    let check = compile_text(
        r#"{"properties":{"a\ud800":{"type":"string"},"b":{"enum":["\udc00"]}},"additionalProperties":false}"#,
    );
    assert!(!check.object_only());
    assert_eq!(check.check(r#"{"a\ud800":"\ud83d"}"#), None);
    assert_eq!(check.check(r#"{"b":"\udc00"}"#), None);
    assert!(check.check(r#"{"c\ud800":1}"#).is_some());
}

#[test]
fn the_last_of_two_equal_names_counts() {
    let check = compile(&json!({ "properties": { "a": { "type": "string" } }, "maxProperties": 1 }));
    assert_eq!(check.check(r#"{"a":1,"a":"x"}"#), None);
    assert!(check.check(r#"{"a":"x","a":1}"#).is_some());
}

#[test]
fn r_000_038_an_integer_that_is_not_safe_fits_one_form_where_it_does_for_effect() {
    let forms = |first: Value, second: Value| json!({ "properties": { "u": { "oneOf": [first, second] } } });
    let numbers = forms(json!({ "type": "integer" }), json!({ "type": "number" }));
    assert_eq!(check(&numbers, &json!({ "u": 1e20 })), None);
    assert!(check(&numbers, &json!({ "u": 1 })).is_some());
    assert_eq!(check(&numbers, &json!({ "u": 1.5 })), None);
    let texts = forms(json!({ "type": "integer" }), json!({ "type": "string" }));
    assert_eq!(check(&texts, &json!({ "u": 1e20 })), None);
    let bounds = forms(json!({ "type": "number", "minimum": 1 }), json!({ "type": "number" }));
    assert!(check(&bounds, &json!({ "u": 1e20 })).is_some());
}

#[test]
fn uris_that_are_long_or_many_name_nothing_and_take_no_room() {
    let id = |id: &str| json!({ "$id": id, "type": "string" });
    let root = format!("https://a.test/{}/", "x".repeat(400_000));
    for dialect in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"] {
        let properties: Map<String, Value> = (0..8_000).map(|at| (format!("p{at}"), id(&format!("b{at}")))).collect();
        let schema = json!({ "$schema": dialect, "$id": root, "type": "object", "properties": properties }).to_string();
        for mode in [Mode::Full, Mode::Compatible] {
            let check = InputCheck::compile(&schema, mode);
            assert!(check.check(r#"{"p1":1}"#).is_some());
            assert!(check.bytes() < 4 << 20, "{}", check.bytes());
        }
    }
    let by_uri = |id: &str| json!({ "$id": id, "properties": { "a": { "$ref": format!("{id}#/$defs/b") } }, "$defs": { "b": { "type": "string" } } });
    assert!(check(&by_uri("https://a.test/short"), &json!({ "a": 1 })).is_some());
    assert!(compile(&by_uri(&format!("https://a.test/{}", "x".repeat(3_000)))).object_only());
}

#[test]
fn anchors_without_number_hold_the_tool_to_an_object() {
    let with = |count: usize| {
        let definitions: Map<String, Value> = (0..count)
            .map(|at| (format!("a{at}"), json!({ "$dynamicAnchor": format!("a{at}"), "type": "string" })))
            .collect();
        json!({ "properties": { "z": { "$dynamicRef": "#a0" } }, "$defs": definitions })
    };
    assert!(check(&with(200), &json!({ "z": 1 })).is_some());
    assert!(compile(&with(300)).object_only());
}

/// A schema that has this one in so many ways, each with an anchor of its own, so that it counts once for each.
fn in_ways(ways: usize, list: &Map<String, Value>) -> std::sync::Arc<InputCheck> {
    let mut definitions: Map<String, Value> = (0..ways)
        .map(|at| (format!("d{at}"), json!({ "$id": format!("d{at}"), "$dynamicAnchor": "a", "$ref": "list" })))
        .collect();
    let mut named = list.clone();
    named.insert("$id".to_owned(), "list".into());
    definitions.insert("list".to_owned(), named.into());
    definitions.insert("own".to_owned(), json!({ "$dynamicAnchor": "own", "type": "string" }));
    let mut properties: Map<String, Value> =
        (0..ways).map(|at| (format!("p{at}"), json!({ "$ref": format!("d{at}") }))).collect();
    properties.insert("own".to_owned(), json!({ "$dynamicRef": "#own" }));
    compile(&json!({ "$id": "https://a.test/", "properties": properties, "$defs": definitions }))
}

fn list(keyword: &str, values: Value) -> Map<String, Value> {
    Map::from_iter([(keyword.to_owned(), values)])
}

#[test]
fn a_list_that_is_reached_in_many_ways_is_not_kept_for_each_of_them_without_end() {
    let values: Vec<String> = (0..9).map(|at| format!("{at}{}", "x".repeat(100_000))).collect();
    let long = list("enum", json!(values));
    let few = in_ways(4, &long);
    assert!(few.check(r#"{"p0":"y"}"#).is_some() && few.check(r#"{"own":1}"#).is_some());
    assert_eq!(few.check(&json!({ "p3": values[8] }).to_string()), None);
    assert!(few.bytes() > 4 * 900_000, "{}", few.bytes());
    assert!(in_ways(50, &long).object_only());
}

#[test]
fn a_list_of_many_that_is_reached_in_many_ways_is_not_read_for_each_of_them_without_end() {
    let names: Vec<String> = (0..40_000).map(|at| format!("{at:x}")).collect();
    for many in [
        list("enum", json!(vec![0; 400_000])),
        list("required", json!(names)),
        list("dependentRequired", json!({ "x": names })),
    ] {
        let few = in_ways(2, &many);
        assert!(few.check(r#"{"own":1}"#).is_some() && few.check(r#"{"p1":{"x":1}}"#).is_some());
        assert!(in_ways(50, &many).object_only());
    }
}

#[test]
fn a_check_takes_no_more_than_its_schema_asks_for() {
    // The names are kept once, however many schemas stand below them.
    let leaves: Map<String, Value> =
        (0..1_000).map(|at| (format!("a{at}"), json!({ "type": "string", "minLength": 1 }))).collect();
    let named =
        json!({ "type": "object", "properties": { "n".repeat(200_000): { "type": "object", "properties": leaves } } });
    let text = named.to_string();
    let check = compile_text(&text);
    assert!(!check.object_only() && check.bytes() < text.len() + (1 << 19), "{}", check.bytes());
    assert!(compile(&issue()).bytes() < 16 << 10);
}
