//! Nothing hangs, and nothing takes the process down, on a stack of one mebibyte.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{InputCheck, check, compile};
use crate::input_check::MAX_SCHEMA_BYTES;

fn on_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, work).unwrap().join().unwrap())
}

/// Runs on a small stack, and must not take long even while the machine does other work.
#[track_caller]
fn soon<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    within(Duration::from_secs(4), work)
}

#[track_caller]
fn at_once<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    within(Duration::from_millis(if cfg!(debug_assertions) { 4000 } else { 250 }), work)
}

#[track_caller]
fn within<T: Send>(limit: Duration, work: impl FnOnce() -> T + Send) -> T {
    let start = Instant::now();
    let result = on_small_stack(work);
    assert!(start.elapsed() < limit, "took {:?}", start.elapsed());
    result
}

fn definitions(count: usize, definition: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|at| (format!("n{at}"), definition(at))).collect::<Map<_, _>>())
}

fn to(at: usize) -> Value {
    json!({ "$ref": format!("#/$defs/n{at}") })
}

#[test]
fn references_that_fan_out_do_not_hang() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for input in [json!({ "a": 1 }), json!({ "a": "x" }), json!({ "a": {} })] {
            at_once(|| {
                let next = |at| {
                    if at == 25 { json!({ "type": "string" }) } else { json!({ keyword: [to(at + 1), to(at + 1)] }) }
                };
                let schema = json!({ "properties": { "a": to(0) }, "$defs": definitions(26, next) });
                let check = compile(&schema);
                assert!(check.object_only());
                assert_eq!(check.check(&input.to_string()), None);
            });
        }
    }
}

#[test]
fn fan_out_through_the_same_property_does_not_hang() {
    at_once(|| {
        let branch = |at: usize| json!({ "properties": { "a": to(at + 1) }, "required": ["a"] });
        let next =
            |at| if at == 40 { json!({ "type": "string" }) } else { json!({ "anyOf": [branch(at), branch(at)] }) };
        assert!(compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(41, next) })).object_only());
    });
}

#[test]
fn different_properties_do_not_count_as_fan_out() {
    soon(|| {
        let next = |at| {
            if at == 25 {
                json!({ "type": "string" })
            } else {
                json!({ "properties": { "l": to(at + 1), "r": to(at + 1) } })
            }
        };
        let check = compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(26, next) }));
        assert!(!check.object_only());
        assert_eq!(check.check(r#"{"a":{"l":{"r":1}}}"#), None);
    });
}

#[test]
fn cycles_through_the_same_value_that_branch_are_held_to_an_object() {
    at_once(|| {
        let clique = |_| json!({ "anyOf": (0..12).map(to).collect::<Vec<_>>() });
        let check = compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(12, clique) }));
        assert!(check.object_only());
    });
}

#[test]
fn recursive_schemas_that_branch_are_checked_and_do_not_hang() {
    soon(|| {
        let branch = |tag: &str| {
            json!({
                "properties": { "tag": { "const": tag }, "kid": { "$ref": "#/$defs/n0" } }, "required": ["tag"], "type": "object",
            })
        };
        let schema = json!({
            "properties": { "a": to(0) },
            "$defs": { "n0": { "anyOf": [{ "type": "integer" }, branch("x"), branch("y"), branch("x")] } },
        });
        let check = compile(&schema);
        assert!(!check.object_only());
        let nested = |levels: usize, leaf: &str| {
            let open = r#"{"tag":"x","kid":"#.repeat(levels);
            format!(r#"{{"a":{open}{leaf}{}}}"#, "}".repeat(levels))
        };
        assert_eq!(check.check(&nested(500, "7")), None);
        assert!(check.check(&nested(500, "\"wrong\"")).is_some());
        assert!(check.check(&nested(3, "\"wrong\"")).is_some());
    });
}

#[test]
fn a_clique_of_recursive_definitions_does_not_hang() {
    for size in [4, 8, 12] {
        soon(|| {
            let node = |_| json!({ "type": "object", "properties": { "k": { "anyOf": (0..size).map(to).collect::<Vec<_>>() } }, "additionalProperties": false });
            let schema = json!({ "properties": { "k": to(0) }, "$defs": definitions(size, node) });
            let check = compile(&schema);
            let input = format!("{}1{}", r#"{"k":"#.repeat(400), "}".repeat(400));
            let refused = check.check(&input).is_some();
            assert!(refused || size > 4);
        });
    }
}

#[test]
fn nested_unevaluated_properties_do_not_hang() {
    for (levels, kind) in [3, 6, 12, 60]
        .into_iter()
        .flat_map(|levels| ["allOf", "anyOf", "oneOf", "if", "both"].map(|kind| (levels, kind)))
    {
        soon(|| {
            let mut schema = json!({ "properties": { "a": { "type": "string" } } });
            for _ in 0..levels {
                schema = match kind {
                    "both" => json!({ "allOf": [{ "anyOf": [schema] }], "unevaluatedProperties": false }),
                    "if" => json!({ "if": schema, "else": false, "unevaluatedProperties": false }),
                    kind => json!({ kind: [schema], "unevaluatedProperties": false }),
                };
            }
            let check = compile(&schema);
            assert!(check.check(r#"{"a":1}"#).is_some() || check.object_only());
            assert!(levels > 3 || !check.object_only());
            assert_eq!(check.check(r#"{"a":"x"}"#), None);
        });
    }
}

#[test]
fn an_input_of_the_greatest_nesting_is_checked_and_a_deeper_one_refused() {
    on_small_stack(|| {
        let schema = json!({ "properties": { "next": { "$ref": "#" }, "v": { "type": "integer" } } });
        let check = compile(&schema);
        let nested =
            |levels: usize, leaf: &str| format!("{}{leaf}{}", r#"{"next":"#.repeat(levels), "}".repeat(levels));
        assert_eq!(check.check(&nested(511, r#"{"v":1}"#)), None);
        assert!(
            check
                .check(&nested(511, r#"{"v":"x"}"#))
                .is_some_and(|text| text.ends_with("v: expected integer, got string"))
        );
        let too_deep = Some("input: nested more than 512 levels deep".to_owned());
        assert_eq!(check.check(&nested(512, r#"{"v":1}"#)), too_deep);
        assert_eq!(check.check(&nested(100_000, "1")), too_deep);
        assert_eq!(compile(&json!({})).check(&"[".repeat(100_000)), too_deep);
        assert_eq!(check.check(&format!(r#"{{"v":1,"s":"{}"}}"#, "[{".repeat(100_000))), None);
    });
}

#[test]
fn schemas_up_to_the_greatest_nesting_are_checked_and_deeper_ones_held_to_an_object() {
    on_small_stack(|| {
        for (keyword, open, close) in [
            ("properties", r#"{"properties":{"a":"#, "}}"),
            ("items", r#"{"items":"#, "}"),
            ("allOf", r#"{"allOf":["#, "]}"),
            ("not", r#"{"not":"#, "}"),
            ("anyOf", r#"{"anyOf":[{},"#, "]}"),
        ] {
            let levels = if keyword == "items" || keyword == "not" { 511 } else { 255 };
            let text = open.repeat(levels) + r#"{"type":"string"}"# + &close.repeat(levels);
            let check = InputCheck::compile(&text);
            if keyword == "properties" {
                assert!(!check.object_only());
                let input = |leaf: &str| r#"{"a":"#.repeat(levels) + leaf + &"}".repeat(levels);
                assert_eq!(check.check(&input("\"x\"")), None);
                assert!(check.check(&input("1")).is_some());
            }
            let _ = check.check(r#"{"a":{"a":1}}"#);
            let deep = open.repeat(100_000) + "{}" + &close.repeat(100_000);
            for text in [&deep, &deep[..deep.len() / 2], &deep[..50_000]] {
                let check = InputCheck::compile(text);
                assert!(check.object_only());
                assert_eq!(check.check("{}"), None);
            }
        }
    });
}

#[test]
fn deep_definitions_that_refer_to_one_another_fit() {
    on_small_stack(|| {
        let nest = |at: usize| {
            let mut schema = if at == 19 { json!({ "type": "string" }) } else { to(at + 1) };
            for _ in 0..200 {
                schema = json!({ "properties": { "a": schema } });
            }
            schema
        };
        let check = compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(20, nest) }));
        assert!(!check.object_only());
        assert_eq!(check.check(&(r#"{"a":"#.repeat(500) + "1" + &"}".repeat(500))), None);
        let schema = json!({ "properties": { "a": to(0) }, "$defs": definitions(20, nest) }).to_string();
        drop(InputCheck { built: crate::input_check::build::build(&schema) });
    });
}

#[test]
fn long_chains_of_references_fit_or_are_held_to_an_object() {
    on_small_stack(|| {
        for count in [250, 10_000] {
            let next = |at| if at + 1 == count { json!({ "type": "string" }) } else { to(at + 1) };
            let check = compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(count, next) }));
            assert_eq!(check.object_only(), count > 300);
            assert_eq!(check.check(r#"{"a":"x"}"#), None);
            let through = |at| {
                if at + 1 == count { json!({ "type": "string" }) } else { json!({ "properties": { "a": to(at + 1) } }) }
            };
            let check = compile(&json!({ "properties": { "a": to(0) }, "$defs": definitions(count, through) }));
            assert!(!check.object_only());
            assert!(
                check.check(&(r#"{"a":"#.repeat(count.min(500)) + "1" + &"}".repeat(count.min(500)))).is_some()
                    == (count == 250)
            );
        }
    });
}

#[test]
fn nested_negations_of_much_data_do_not_add_up() {
    soon(|| {
        let mut data = String::from("[0");
        for at in 0..50_000 {
            let _ = write!(data, ",{at}");
        }
        let text = r#"{"not":"#.repeat(200) + r#"{"enum":"# + &data + "]}" + &"}".repeat(200);
        assert!(!InputCheck::compile(&text).object_only());
    });
}

#[test]
fn a_schema_text_above_the_limit_is_held_to_an_object() {
    let padded = |bytes: usize| {
        let text = r#"{"required":["a"],"title":""}"#;
        text.replace(r#""title":"""#, &format!(r#""title":"{}""#, "x".repeat(bytes - text.len())))
    };
    assert!(!InputCheck::compile(&padded(MAX_SCHEMA_BYTES)).object_only());
    assert!(InputCheck::compile(&padded(MAX_SCHEMA_BYTES + 1)).object_only());
}

#[test]
fn large_enums_and_many_branches_stay_quick_and_say_little() {
    soon(|| {
        let values: Vec<Value> = (0..50_000).map(|at| json!(format!("v{at}"))).collect();
        let text = check(&json!({ "properties": { "a": { "enum": values } } }), &json!({ "a": "x" })).unwrap();
        assert!(text.len() < 500 && text.ends_with("(49988 more)"), "{text}");
    });
    let branches: Vec<Value> = (0..2000).map(|at| json!({ "properties": { "kind": { "const": at }, "v": { "type": "string" } }, "required": ["kind", "v"] })).collect();
    let check = compile(&json!({ "properties": { "a": { "anyOf": branches } } }));
    soon(|| {
        assert_eq!(check.check(r#"{"a":{"kind":1999,"v":"x"}}"#), None);
        let text = check.check(r#"{"a":{"kind":1999,"v":1}}"#).unwrap();
        assert!(text.contains("a.v: expected string, got number"), "{text}");
    });
}

#[test]
fn many_mistakes_are_not_gathered_without_bound() {
    let items = "1,".repeat(500_000) + "1";
    let check = compile(
        &json!({ "properties": { "a": { "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] } } } }),
    );
    soon(|| {
        assert_eq!(
            check.check(&format!(r#"{{"a":[{items}]}}"#)).as_deref(),
            Some("input: does not match the input schema of the tool")
        )
    });
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
fn lone_surrogates_are_tolerated_in_schema_and_input() {
    let check = InputCheck::compile(
        r#"{"properties":{"a\ud800":{"type":"string"},"b":{"enum":["\udc00"]}},"additionalProperties":false}"#,
    );
    assert!(!check.object_only());
    assert_eq!(check.check(r#"{"a\ud800":"\ud83d"}"#), None);
    assert_eq!(check.check(r#"{"b":"\udc00"}"#), None);
    assert!(check.check(r#"{"c\ud800":1}"#).is_some());
}

#[test]
fn the_last_of_two_equal_names_counts() {
    let check = compile(&json!({ "properties": { "a": { "type": "string" } } }));
    assert_eq!(check.check(r#"{"a":1,"a":"x"}"#), None);
    assert!(check.check(r#"{"a":"x","a":1}"#).is_some());
}

#[test]
fn r_000_038_an_input_cannot_make_itself_too_large_to_be_checked() {
    // Types that refer to one another: each value may be visited by many paths.
    let count = 7;
    let any = json!({ "anyOf": (0..count).map(to).collect::<Vec<_>>() });
    let node = |at: usize| json!({ "type": "object", "properties": { format!("c{at}"): any, "d": any }, "required": [format!("c{at}")] });
    let check = compile(&json!({
        "type": "object", "properties": { "root": any, "pad": { "type": "array" } }, "required": ["root"],
        "additionalProperties": false, "$defs": definitions(count, node)
    }));
    assert!(!check.object_only());
    for pads in [0, 1000, 100_000] {
        let pad = vec!["0"; pads].join(",");
        assert!(check.check(&format!(r#"{{"root":5,"evil":1,"pad":[{pad}]}}"#)).is_some(), "{pads}");
    }
}

#[test]
fn a_storm_of_missing_names_is_not_gathered() {
    let names: Vec<String> = (0..5000).map(|at| format!("n{at}")).collect();
    let check = compile(&json!({ "properties": { "a": { "items": { "required": names } } } }));
    let items = vec![r#"{"x":1}"#; 2000].join(",");
    assert_eq!(
        check.check(&format!(r#"{{"a":[{items}]}}"#)).as_deref(),
        Some("input: does not match the input schema of the tool")
    );
}

#[test]
fn deep_work_needs_no_more_than_little_of_the_callers_stack() {
    let deep = |levels: usize| r#"{"a":"#.repeat(levels) + "1" + &"}".repeat(levels);
    let schema = r#"{"properties":{"a":"#.repeat(250) + r#"{"type":"string"}"# + &"}}".repeat(250);
    let work = move || {
        let check = InputCheck::compile(&schema);
        assert!(check.check(&deep(250)).is_some());
        assert_eq!(InputCheck::compile(r#"{"type":"object"}"#).check(&deep(500)), None);
    };
    thread::Builder::new().stack_size(160 << 10).spawn(work).unwrap().join().unwrap();
}
