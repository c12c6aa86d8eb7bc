//! Nothing hangs, and nothing takes the process down, on a stack of one mebibyte.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{InputCheck, Mode, check, compile, compile_text};
use crate::input_check::{MAX_SCHEMA_BYTES, build};

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

/// A check that no cache keeps.
fn unshared(schema: &str) -> InputCheck {
    InputCheck { built: build::build(schema, Mode::Full), bytes: 0 }
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
fn types_that_all_refer_to_one_another_are_checked_and_do_not_hang() {
    for size in [4, 9, 12, 40] {
        soon(|| {
            // The list of types is written out in each, in another order.
            let any = |first: usize| {
                let mut list: Vec<_> = (0..size).map(|at| to((at + first) % size)).collect();
                list.push(json!({ "type": "null" }));
                json!({ "anyOf": list, "description": first })
            };
            let node = |at: usize| {
                json!({
                    "type": "object", "required": ["tag"], "additionalProperties": false,
                    "properties": { "tag": { "const": at }, "kid": any(at), "kids": { "type": "array", "items": any(0) } },
                })
            };
            let schema = json!({ "properties": { "root": to(0) }, "$defs": definitions(size, node) });
            let check = compile(&schema);
            assert!(!check.object_only(), "{size}");
            let nested = |leaf: &str| {
                let open: String = (0..400).map(|at| format!(r#"{{"tag":{},"kid":"#, at % size)).collect();
                format!(r#"{{"root":{open}{leaf}{}}}"#, "}".repeat(400))
            };
            assert_eq!(check.check(&nested("null")), None);
            assert!(check.check(&nested("1")).is_some());
            assert!(check.check(r#"{"root":{"tag":0,"kids":[{"tag":1},{"tag":99}]}}"#).is_some());
            assert_eq!(check.check(r#"{"root":{"tag":0,"kids":[{"tag":1},null]}}"#), None);
        });
    }
}

#[test]
fn types_that_refer_to_one_another_by_lists_that_all_differ_do_not_hang() {
    for size in [4, 8, 12] {
        soon(|| {
            let node = |own: usize| {
                let others: Vec<_> = (0..size).filter(|at| *at != own).map(to).collect();
                json!({ "type": "object", "properties": { "k": { "anyOf": others } }, "additionalProperties": false })
            };
            let check = compile(&json!({ "properties": { "k": to(0) }, "$defs": definitions(size, node) }));
            let refused = check.check(&format!("{}1{}", r#"{"k":"#.repeat(400), "}".repeat(400))).is_some();
            assert!(refused || size > 8);
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
            let check = compile_text(&text);
            if keyword == "properties" {
                assert!(!check.object_only());
                let input = |leaf: &str| r#"{"a":"#.repeat(levels) + leaf + &"}".repeat(levels);
                assert_eq!(check.check(&input("\"x\"")), None);
                assert!(check.check(&input("1")).is_some());
            }
            let _ = check.check(r#"{"a":{"a":1}}"#);
            let deep = open.repeat(100_000) + "{}" + &close.repeat(100_000);
            for text in [&deep, &deep[..deep.len() / 2], &deep[..50_000]] {
                let check = compile_text(text);
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
        drop(unshared(&schema));
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
        assert!(!compile_text(&text).object_only());
    });
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
fn what_is_searched_for_each_value_counts_as_work() {
    let members = |of: &dyn Fn(usize) -> Value, count: usize| (0..count).map(of).collect::<Vec<_>>();
    let mixed = |at: usize| if at.is_multiple_of(2) { json!(at) } else { json!(format!("s{at}")) };
    let objects = |at: usize| json!({ "a": at });
    let names: Map<String, Value> = (0..10_000).map(|at| (format!("n{at}"), json!(["x"]))).collect();
    let widths = [
        json!({ "enum": members(&mixed, 10_000) }),
        json!({ "enum": members(&objects, 5_000) }),
        json!({ "dependentRequired": names }),
        json!({ "multipleOf": 0.1 }),
    ];
    for items in widths {
        let check = compile(&json!({ "properties": { "a": { "items": items } } }));
        assert!(!check.object_only());
        for value in ["\"s9999\"", r#"{"a":4999}"#, "1e308"] {
            soon(|| {
                let text = format!(r#"{{"a":[{}]}}"#, vec![value; 100_000].join(","));
                assert!(check.check(&text).is_some_and(|said| said.contains("too many")));
            });
        }
        assert_eq!(
            compile(&json!({ "properties": { "a": { "enum": [1, "a", null, {}] } } })).check(r#"{"a":{}}"#),
            None
        );
    }
    assert!(compile(&json!({ "properties": { "a": { "enum": members(&mixed, 50_000) } } })).object_only());
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
        let check = compile_text(&schema);
        assert!(check.check(&deep(250)).is_some());
        assert_eq!(compile_text(r#"{"type":"object"}"#).check(&deep(500)), None);
    };
    thread::Builder::new().stack_size(160 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn dropping_a_deep_schema_needs_no_more_than_little_of_the_callers_stack() {
    let nested = |open: &str, close: &str, levels: usize| open.repeat(levels) + "{}" + &close.repeat(levels);
    let schemas = [
        nested(r#"{"properties":{"a":"#, "}}", 255),
        nested(r#"{"items":"#, "}", 500),
        nested(r#"{"allOf":["#, "]}", 140),
        nested(r#"{"anyOf":[{"type":"null"},"#, "]}", 140),
        format!(r#"{{"properties":{{"a":{{"const":{}}}}}}}"#, nested("[", "]", 500)),
        format!(r#"{{"properties":{{"a":{{"enum":[{}]}}}}}}"#, nested(r#"{"a":"#, "}", 500)),
    ];
    for schema in schemas {
        let check = unshared(&schema);
        assert!(check.built.is_some(), "{schema}");
        thread::Builder::new().stack_size(112 << 10).spawn(move || drop(check)).unwrap().join().unwrap();
    }
}

#[test]
fn holding_a_schema_to_what_effect_imports_needs_no_more_than_little_of_the_callers_stack() {
    for (open, close) in [
        (r#"{"type":"object","properties":{"a":"#, "}}"),
        (r#"{"type":"array","items":"#, "}"),
        (r#"{"allOf":["#, "]}"),
        (r#"{"anyOf":["#, "]}"),
        (r#"{"type":"object","additionalProperties":"#, "}"),
    ] {
        for dialect in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"] {
            // As deep as is done on the caller's own stack, beyond it, and as deep as a text may be.
            for levels in [7, 15, 23, 47, 120, 250] {
                let inner = open.repeat(levels) + r#"{"type":"string"}"# + &close.repeat(levels);
                let text = format!(r#"{{"$schema":"{dialect}","type":"object","properties":{{"root":{inner}}}}}"#);
                let work = move || InputCheck::compile(&text, Mode::Compatible).object_only();
                let object_only = thread::Builder::new().stack_size(160 << 10).spawn(work).unwrap().join().unwrap();
                assert!(!object_only, "{open} {levels}");
            }
        }
    }
    // Deep by references alone.
    let next = |at| {
        if at == 400 {
            json!({ "type": "string" })
        } else {
            json!({ "type": "object", "properties": { "a": to(at + 1) } })
        }
    };
    let text = json!({ "type": "object", "properties": { "a": to(0) }, "$defs": definitions(401, next) }).to_string();
    let work = move || InputCheck::compile(&text, Mode::Compatible).object_only();
    assert!(!thread::Builder::new().stack_size(160 << 10).spawn(work).unwrap().join().unwrap());
}
