//! Nothing runs out of stack, be it on one of a mebibyte or on what is left of a worker's.

use std::thread;

use serde_json::json;

use super::limits::{definitions, to};
use super::{InputCheck, Mode, compile, compile_text};
use crate::input_check::build;

fn on_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, work).unwrap().join().unwrap())
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
        drop(build::build(&schema, Mode::Full));
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
        let program = build::build(&schema, Mode::Full);
        assert!(program.is_some(), "{schema}");
        thread::Builder::new().stack_size(112 << 10).spawn(move || drop(program)).unwrap().join().unwrap();
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
