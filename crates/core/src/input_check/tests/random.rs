//! Properties of the check under schemas and inputs that nobody thought of.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{InputCheck, Mode, compile, compile_text};
use crate::cases::cases;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3_i64..4).prop_map(Value::from),
        prop_oneof![Just("a"), Just("b"), Just("abc"), Just("")].prop_map(Value::from),
    ]
}

fn input() -> impl Strategy<Value = Value> {
    let value = scalar().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map("[abx]", inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[abx]", value, 0..3).prop_map(|map| Value::Object(map.into_iter().collect()))
}

/// Forms that all fix a property.
fn tagged(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<Value>> {
    let values = prop::sample::subsequence(vec!["a", "b", "abc", ""], 1..3);
    let form = (values, inner, any::<bool>()).prop_map(|(values, b, is_required)| {
        let required = if is_required { vec!["a"] } else { Vec::new() };
        let values: Vec<_> = values.iter().chain(&values[..usize::from(b == json!({}))]).copied().collect();
        json!({ "properties": { "a": { "enum": values }, "b": b }, "required": required })
    });
    prop::collection::vec(form, 4..6)
}

/// A schema without anything that is never run.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!({})),
        prop_oneof![Just("string"), Just("integer"), Just("object"), Just("array"), Just("null")]
            .prop_map(|kind| json!({ "type": kind })),
        prop::collection::vec(scalar(), 1..3).prop_map(|values| json!({ "enum": values })),
        (0_u8..3).prop_map(|bound| json!({ "minLength": bound, "minimum": bound })),
        prop_oneof![Just("#"), Just("#/$defs/d"), Just("#/$defs/e"), Just("#/properties/a")]
            .prop_map(|to| json!({ "$ref": to })),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            list.clone().prop_map(|list| json!({ "allOf": list })),
            list.clone().prop_map(|list| json!({ "anyOf": list })),
            list.clone().prop_map(|list| json!({ "oneOf": list })),
            list.prop_map(|list| json!({ "oneOf": list, "anyOf": list })),
            inner.clone().prop_map(|held| json!({ "not": held })),
            inner.clone().prop_map(|held| json!({ "items": held })),
            inner.clone().prop_map(|held| json!({ "contains": held, "maxContains": 1 })),
            inner.clone().prop_map(|held| json!({ "propertyNames": held })),
            (tagged(inner.clone()), any::<bool>()).prop_map(|(forms, one)| if one {
                json!({ "oneOf": forms })
            } else {
                json!({ "anyOf": forms })
            }),
            (inner.clone(), inner.clone())
                .prop_map(|(a, x)| json!({ "properties": { "a": a }, "additionalProperties": x })),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| json!({ "properties": { "a": a, "b": b }, "unevaluatedProperties": false })),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| json!({ "if": a, "then": b, "else": c })),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    (schema(), schema(), schema(), schema()).prop_map(|(a, d, e, all)| {
        json!({ "properties": { "a": a, "b": { "$ref": "#/$defs/d" } }, "allOf": [all], "$defs": { "d": d, "e": e } })
    })
}

/// Adds, at the schemas that the bits pick, what is never run and what every value passes.
fn with_patterns(schema: &Value, bits: &mut u64) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut out = Map::new();
    for (keyword, held) in keywords {
        let held = match (keyword.as_str(), held) {
            ("properties" | "$defs", Value::Object(named)) => {
                Value::Object(named.iter().map(|(name, held)| (name.clone(), with_patterns(held, bits))).collect())
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                list.iter().map(|held| with_patterns(held, bits)).collect()
            }
            ("enum", held) => held.clone(),
            (_, held) => with_patterns(held, bits),
        };
        out.insert(keyword.clone(), held);
    }
    *bits = bits.rotate_right(1);
    if *bits & 1 == 1 {
        out.insert("pattern".to_owned(), json!("^"));
        out.insert("format".to_owned(), json!("own"));
    }
    Value::Object(out)
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn no_pair_of_texts_makes_it_panic(schema in ".{0,60}", input in ".{0,60}") {
        let _ = compile_text(&schema).check(&input);
        let _ = InputCheck::compile(&schema, Mode::Compatible).check(&input);
    }

    #[test]
    fn no_keyword_with_any_value_makes_it_panic(
        keywords in prop::collection::vec((prop::sample::select(vec![
            "type", "enum", "const", "required", "properties", "items", "prefixItems", "allOf", "anyOf", "oneOf", "not", "if",
            "then", "else", "$ref", "$id", "$schema", "$anchor", "$dynamicRef", "$defs", "minimum", "maxLength", "multipleOf",
            "contains", "minContains", "dependentRequired", "dependencies", "unevaluatedItems", "patternProperties", "id",
        ]), prop_oneof![input(), scalar(), schema(), Just(json!("#")), Just(json!(["a", "a"])), Just(json!(1e300))]), 0..6),
        input in input(),
    ) {
        let schema: Map<String, Value> = keywords.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let schema = Value::Object(schema).to_string();
        for check in [compile_text(&schema), InputCheck::compile(&schema, Mode::Compatible)] {
            if let Some(text) = check.check(&input.to_string()) {
                prop_assert!(!text.is_empty() && text.len() <= 2048);
            }
        }
    }

    #[test]
    fn what_effect_imports_is_checked_alike_in_both_modes(schema in document(), input in input()) {
        let compatible = InputCheck::compile(&schema.to_string(), Mode::Compatible);
        let full = compile(&schema);
        if !compatible.object_only() && !full.object_only() {
            let input = input.to_string();
            prop_assert_eq!(compatible.check(&input).is_none(), full.check(&input).is_none(), "{} {}", schema, input);
        }
    }

    #[test]
    fn a_schema_says_the_same_as_the_validator_says_of_it_untouched(schema in document(), input in input()) {
        let check = compile(&schema);
        if !check.object_only() {
            let untouched = jsonschema::options().offline().build(&schema).unwrap();
            prop_assert_eq!(check.check(&input.to_string()).is_none(), untouched.is_valid(&input), "{} {}", schema, input);
        }
    }

    #[test]
    fn patterns_only_ever_widen_what_is_accepted(schema in document(), bits in any::<u64>(), input in input()) {
        let plain = compile(&schema);
        let patterned = compile(&with_patterns(&schema, &mut { bits }));
        let accepted = !plain.object_only() && plain.check(&input.to_string()).is_none();
        if accepted {
            prop_assert_eq!(patterned.check(&input.to_string()), None, "{} {}", schema, input);
        }
    }
}
