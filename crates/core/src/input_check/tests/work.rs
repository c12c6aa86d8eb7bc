//! Nothing hangs: steps are counted, and there are few of them where a schema or an input tries to make many.

use serde_json::{Map, Value, json};

use super::limits::{definitions, to};
use super::{Mode, compile};
use crate::input_check::build;
use crate::input_check::judge::{self, Judge, Stop, Verdict};
use crate::input_check::tree::Tree;
use crate::stack;

/// What is said of an input, and the steps that took. A check that is not built fails the test.
fn work(schema: &Value, input: &str) -> (Verdict<bool>, u64) {
    let program = build::build(&schema.to_string(), Mode::Full).expect("the schema is checked");
    let tree = Tree::read(input).unwrap();
    stack::with_room(5_000, 24 << 10, || {
        let mut judge = Judge::new(&program, &tree, judge::MAX_STEPS, usize::MAX);
        let verdict = judge.judge(0, &tree.root);
        (verdict, judge.steps())
    })
    .unwrap()
}

/// Fails where more steps are taken.
#[track_caller]
fn takes(schema: &Value, input: &str, accepts: bool, most: u64) {
    let (verdict, steps) = work(schema, input);
    assert_eq!(verdict, Ok(accepts));
    assert!(steps <= most, "{steps} steps");
    let said = compile(schema).check(input);
    assert_eq!(said.is_none(), accepts);
    assert!(said.is_none_or(|said| said.len() <= 2048));
}

fn nested(open: &str, leaf: &str, levels: usize) -> String {
    format!("{}{leaf}{}", open.repeat(levels), "}".repeat(levels))
}

#[test]
fn references_that_fan_out_are_followed_once_for_each_value() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let next =
            |at| if at == 25 { json!({ "type": "string" }) } else { json!({ keyword: [to(at + 1), to(at + 1)] }) };
        let schema = json!({ "properties": { "a": to(0) }, "$defs": definitions(26, next) });
        let accepts_text = keyword != "oneOf";
        takes(&schema, r#"{"a":"x"}"#, accepts_text, 40_000);
        takes(&schema, r#"{"a":1}"#, false, 40_000);
        takes(&schema, r#"{"a":{}}"#, false, 40_000);
    }
}

#[test]
fn fan_out_through_the_same_property_is_followed_once_for_each_value() {
    let branch = |at: usize| json!({ "properties": { "a": to(at + 1) }, "required": ["a"] });
    let next = |at| if at == 40 { json!({ "type": "string" }) } else { json!({ "anyOf": [branch(at), branch(at)] }) };
    let schema = json!({ "properties": { "a": to(0) }, "$defs": definitions(41, next) });
    takes(&schema, &nested(r#"{"a":"#, "1", 41), false, 40_000);
    takes(&schema, &nested(r#"{"a":"#, "\"x\"", 41), true, 40_000);
}

#[test]
fn types_that_refer_to_one_another_are_judged_once_for_each_value() {
    for size in [4, 12, 40] {
        let any = |own: usize| json!({ "anyOf": (0..size).filter(|at| *at != own).map(to).collect::<Vec<_>>() });
        let node =
            |own: usize| json!({ "type": "object", "properties": { "k": any(own) }, "additionalProperties": false });
        let schema = json!({ "properties": { "k": to(0) }, "$defs": definitions(size, node) });
        takes(&schema, &nested(r#"{"k":"#, "1", 400), false, 5_000 * (size * size) as u64);
        takes(&schema, &nested(r#"{"k":"#, "{}", 400), true, 40_000);
        let tagged = |at: usize| {
            json!({
                "type": "object", "required": ["tag"], "additionalProperties": false,
                "properties": { "tag": { "const": at }, "kid": any(size), "kids": { "type": "array", "items": any(size) } },
            })
        };
        let schema = json!({ "properties": { "root": to(0) }, "$defs": definitions(size, tagged) });
        let deep = |leaf: &str| {
            let open: String = (0..400).map(|at| format!(r#"{{"tag":{},"kid":"#, at % size)).collect();
            format!(r#"{{"root":{open}{leaf}{}}}"#, "}".repeat(400))
        };
        takes(&schema, &deep(r#"{"tag":0}"#), true, 500_000);
        takes(&schema, &deep("1"), false, 500_000);
    }
}

#[test]
fn nested_unevaluated_properties_are_judged_once_for_each_value() {
    for (levels, kind) in
        [3, 12, 60].into_iter().flat_map(|levels| ["allOf", "anyOf", "oneOf", "if", "both"].map(|kind| (levels, kind)))
    {
        let mut schema = json!({ "properties": { "a": { "type": "string" } } });
        for _ in 0..levels {
            schema = match kind {
                "both" => json!({ "allOf": [{ "anyOf": [schema] }], "unevaluatedProperties": false }),
                "if" => json!({ "if": schema, "else": false, "unevaluatedProperties": false }),
                kind => json!({ kind: [schema], "unevaluatedProperties": false }),
            };
        }
        takes(&schema, r#"{"a":"x"}"#, true, 90_000);
        takes(&schema, r#"{"a":1}"#, false, 90_000);
        takes(&schema, r#"{"b":1}"#, false, 90_000);
    }
}

#[test]
fn items_with_the_same_shape_are_told_apart_by_their_hash() {
    // Nested lists of which no two are the same, and nothing else in them.
    let mut lists = vec!["[]".to_owned()];
    for at in 0..20_000 {
        let bits: String = (0..15).map(|bit| if at >> bit & 1 == 1 { "[[]]," } else { "[]," }).collect();
        lists.push(format!("[{}[]]", bits));
    }
    let schema = json!({ "properties": { "a": { "uniqueItems": true } } });
    takes(&schema, &format!(r#"{{"a":[{}]}}"#, lists.join(",")), true, 1_000_000);
    lists.push(lists[7].clone());
    takes(&schema, &format!(r#"{{"a":[{}]}}"#, lists.join(",")), false, 1_000_000);
}

#[test]
fn lists_within_lists_that_each_have_to_be_unique_are_bounded() {
    let schema = json!({ "properties": { "a": to(0) }, "$defs": { "n0": { "uniqueItems": true, "items": to(0) } } });
    let leaf: Vec<String> = (0..50_000).map(|at| at.to_string()).collect();
    let input = format!(r#"{{"a":{}[{}]{}}}"#, "[".repeat(400), leaf.join(","), "]".repeat(400));
    assert_eq!(work(&schema, &input).0, Err(Stop::TooManySteps));
    assert!(compile(&schema).check(&input).is_some_and(|said| said.contains("too many")));
}

#[test]
fn long_texts_are_counted_once_and_as_work() {
    let lengths = |at: usize| json!({ "minLength": 2_500_000 + at, "type": "string" });
    let schema = json!({ "properties": { "a": { "anyOf": (0..5_000).map(lengths).collect::<Vec<_>>() } } });
    takes(&schema, &json!({ "a": "é".repeat(2_499_990) }).to_string(), false, 200_000);
    let texts = |at: usize| json!("x".repeat(100_000 + at));
    let listed = json!({ "properties": { "a": { "items": { "enum": (0..10).map(texts).collect::<Vec<_>>() } } } });
    let item = format!("\"{}\"", "x".repeat(100_009));
    let (_, steps) = work(&listed, &format!(r#"{{"a":[{}]}}"#, vec![item.as_str(); 20].join(",")));
    assert!(steps > 20 * 100_000 / 64, "{steps}");
}

#[test]
fn what_is_searched_for_each_value_is_found_or_counts_as_work() {
    let members = |of: &dyn Fn(usize) -> Value, count: usize| (0..count).map(of).collect::<Vec<_>>();
    let mixed = |at: usize| if at.is_multiple_of(2) { json!(at) } else { json!(format!("s{at}")) };
    let in_list = |items: Value| json!({ "properties": { "a": { "items": items } } });
    let list = |value: &str| format!(r#"{{"a":[{}]}}"#, vec![value; 100_000].join(","));
    takes(&in_list(json!({ "enum": members(&mixed, 10_000) })), &list("\"s9999\""), true, 600_000);
    takes(
        &in_list(json!({ "enum": members(&|at| json!({ "a": at }), 5_000) })),
        &list(r#"{"a":4999}"#),
        true,
        2_000_000,
    );
    let names: Map<String, Value> = (0..10_000).map(|at| (format!("n{at}"), json!(["x"]))).collect();
    let dependent = in_list(json!({ "dependentRequired": names }));
    assert_eq!(work(&dependent, &list(r#"{"a":1}"#)).0, Err(Stop::TooManySteps));
    let divided = in_list(json!({ "multipleOf": 0.1 }));
    assert_eq!(work(&divided, &list("1e308")).0, Err(Stop::TooManySteps));
}

#[test]
fn harmless_bulk_is_not_refused() {
    let codes: Vec<Value> = (0..250).map(|at| json!(format!("C{at}"))).chain([Value::Null]).collect();
    let row = json!({ "type": "object", "required": ["sku", "price"], "properties": {
        "sku": { "type": "string" }, "name": { "type": "string" }, "price": { "type": "number", "multipleOf": 0.01 },
        "qty": { "type": "integer" }, "currency": { "type": ["string", "null"], "enum": codes },
    } });
    let schema = json!({ "type": "object", "properties": { "rows": { "type": "array", "items": row } } });
    let rows: Vec<Value> = (0..20_000)
        .map(|at| json!({ "sku": format!("s{at}"), "name": "n", "price": 1.25, "qty": at, "currency": if at % 2 == 0 { json!("C249") } else { Value::Null } }))
        .collect();
    takes(&schema, &json!({ "rows": rows }).to_string(), true, 3_000_000);
}

#[test]
fn r_000_038_an_input_cannot_make_itself_too_large_to_be_checked() {
    let count = 7;
    let any = json!({ "anyOf": (0..count).map(to).collect::<Vec<_>>() });
    let node = |at: usize| json!({ "type": "object", "properties": { format!("c{at}"): any, "d": any }, "required": [format!("c{at}")] });
    let check = compile(&json!({
        "type": "object", "properties": { "root": any, "pad": { "type": "array" } }, "required": ["root"],
        "additionalProperties": false, "$defs": definitions(count, node)
    }));
    for pads in [0, 1000, 100_000, 3_000_000] {
        let pad = vec!["0"; pads].join(",");
        assert!(check.check(&format!(r#"{{"root":5,"evil":1,"pad":[{pad}]}}"#)).is_some(), "{pads}");
    }
}

/// What is told of an input.
fn told(schema: &Value, input: &str) -> String {
    compile(schema).check(input).unwrap()
}

#[test]
fn mistakes_without_number_are_counted_and_the_first_told() {
    let schema = json!({ "properties": { "a": { "items": { "type": ["string", "null"] } } } });
    let input = format!(r#"{{"a":[{}1]}}"#, "1,".repeat(100_000));
    let said = told(&schema, &input);
    assert!(said.starts_with("a[0]: expected null or string, got number\n"), "{said}");
    assert!(said.ends_with("\n(99991 more mistakes)"), "{said}");
}

#[test]
fn what_cannot_be_told_in_full_is_told_in_part() {
    let schema = json!({ "properties": { "a": { "items": { "anyOf": [{ "type": "string", "minLength": 9 }, { "type": "string", "maxLength": 1 }] } } } });
    let input = format!(r#"{{"a":[{}"xx"]}}"#, "\"xx\",".repeat(400_000));
    let said = told(&schema, &input);
    assert!(said.starts_with("a[0]: fits none of 2 forms; nearest: a[0]: expected at least 9 characters\n"), "{said}");
    assert!(said.ends_with("\n(and maybe more mistakes)"), "{said}");
}

#[test]
fn long_names_are_told_short_and_copied_for_no_mistake() {
    let name = "n".repeat(400_000);
    let schema = json!({ "additionalProperties": { "type": "array", "items": { "type": "integer" } } });
    let items = vec!["\"x\""; 20_000].join(",");
    let said = told(&schema, &format!(r#"{{"{name}":[{items}]}}"#));
    assert!(said.len() < 2048 && said.ends_with("(19990 more mistakes)"), "{said}");
    let required = json!({ "properties": { "a": { "items": { "required": [name] } } } });
    let said = told(&required, &format!(r#"{{"a":[{}]}}"#, vec!["{}"; 20_000].join(",")));
    assert!(said.len() < 2048 && said.starts_with("a[0][\"nnn"), "{said}");
}

#[test]
fn a_storm_of_missing_names_is_told_in_part() {
    let names: Vec<String> = (0..5000).map(|at| format!("n{at}")).collect();
    let schema = json!({ "properties": { "a": { "items": { "required": names } } } });
    let said = told(&schema, &format!(r#"{{"a":[{}]}}"#, vec![r#"{"x":1}"#; 2000].join(",")));
    assert!(said.starts_with("a[0].n0: is required\n") && said.ends_with("more mistakes)"), "{said}");
}

#[test]
fn many_forms_say_little_and_the_one_that_was_meant() {
    let branches: Vec<Value> = (0..2000).map(|at| json!({ "properties": { "kind": { "const": at }, "v": { "type": "string" } }, "required": ["kind", "v"] })).collect();
    let schema = json!({ "properties": { "a": { "anyOf": branches } } });
    takes(&schema, r#"{"a":{"kind":1999,"v":"x"}}"#, true, 90_000);
    assert_eq!(told(&schema, r#"{"a":{"kind":1999,"v":1}}"#), "a.v: expected string, got number");
    let values: Vec<Value> = (0..50_000).map(|at| json!(format!("v{at}"))).collect();
    let said = told(&json!({ "properties": { "a": { "enum": values } } }), r#"{"a":"x"}"#);
    assert!(said.len() < 500 && said.ends_with("(49988 more)"), "{said}");
}

#[test]
fn forms_that_a_property_tells_apart_are_found_by_its_value() {
    for (keyword, twice) in [("anyOf", true), ("oneOf", false)] {
        let form = |at: usize| json!({ "type": "object", "required": ["v"], "properties": { "kind": { "enum": [format!("k{at}"), format!("l{}", at / 2)] }, "v": { "type": "integer" } } });
        let schema =
            json!({ "properties": { "a": { "items": { keyword: (0..1000).map(form).collect::<Vec<_>>() } } } });
        let of = |item: &str| format!(r#"{{"a":[{}]}}"#, vec![item; 1_000].join(","));
        takes(&schema, &of(r#"{"v":1,"kind":"k999"}"#), true, 40_000);
        takes(&schema, &of(r#"{"kind":"l499","v":1}"#), twice, 40_000);
        // None of that name, a form without its value, no text, and nothing to tell them apart.
        takes(&schema, r#"{"a":[{"kind":"k1000","v":1}]}"#, false, 40_000);
        takes(&schema, r#"{"a":[{"kind":"k7","v":"x"}]}"#, false, 40_000);
        takes(&schema, r#"{"a":[{"kind":7,"v":1}]}"#, false, 40_000);
        takes(&schema, r#"{"a":[{"v":1}]}"#, twice, 40_000);
    }
}

#[test]
fn a_value_that_a_form_lists_twice_is_of_one_form() {
    let form = |kind: &str| json!({ "properties": { "kind": { "enum": [kind, kind] } }, "required": ["kind"] });
    let forms: Vec<_> = ["a", "b", "c", "d"].map(form).into();
    takes(&json!({ "oneOf": forms }), r#"{"kind":"b"}"#, true, 1_000);
    let twice: Vec<_> = ["a", "b", "c", "b"].map(form).into();
    takes(&json!({ "oneOf": twice }), r#"{"kind":"b"}"#, false, 1_000);
    takes(&json!({ "anyOf": twice }), r#"{"kind":"b"}"#, true, 1_000);
}
