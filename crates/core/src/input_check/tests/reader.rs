//! How texts are read, and how what was read is looked at.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::input_check::tree::{Cell, MAX_BYTES, MAX_NESTING, MAX_VALUES, Tree, Unreadable, to_number};
use crate::input_check::view::{self, Document, Kind};

fn value(text: &str) -> Result<Value, Unreadable> {
    Tree::read(text).map(|tree| to_value(Document::of(&tree).root()))
}

fn to_value(value: view::Value<'_>) -> Value {
    match value.kind() {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(value),
        Kind::Number(number) => to_number(number),
        Kind::Text(text) => Value::from(text),
        Kind::List(list) => list.iter().map(to_value).collect(),
        Kind::Object(object) => object.iter().map(|(name, value)| (name.to_owned(), to_value(value))).collect(),
    }
}

#[test]
fn reads_values_of_every_kind() {
    let text =
        " {\"a\" : [1,-2.5e3,0, true ,false,null,\"x\\n\\u0041\" ], \"b\":{} ,\"c\":[],\"\":{\"d\":[[{}]]} }\r\n";
    let tree = Tree::read(text).unwrap();
    assert_eq!((tree.depth, tree.values()), (5, 20));
    assert_eq!(
        to_value(Document::of(&tree).root()),
        json!({ "a": [1, -2500, 0, true, false, null, "x\nA"], "b": {}, "c": [], "": { "d": [[{}]] } })
    );
}

#[test]
fn counts_levels_and_ignores_brackets_within_strings() {
    assert_eq!(Tree::read(r#"{"a":["[[[\"{{",[1]]}"#).map(|tree| tree.depth), Ok(3));
}

#[test]
fn refuses_one_level_more_than_the_limit() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(Tree::read(&nested(MAX_NESTING)).is_ok());
    assert_eq!(Tree::read(&nested(MAX_NESTING + 1)).map(|_| ()), Err(Unreadable::TooDeep));
    assert_eq!(Tree::read(&"[".repeat(100_000)).map(|_| ()), Err(Unreadable::TooDeep));
}

#[test]
fn refuses_more_values_and_bytes_than_the_limits() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 2));
    assert!(Tree::read(&list(MAX_VALUES)).is_ok());
    assert_eq!(Tree::read(&list(MAX_VALUES + 1)).map(|_| ()), Err(Unreadable::TooMany));
    assert_eq!(Tree::read(&" ".repeat(MAX_BYTES + 1)).map(|_| ()), Err(Unreadable::TooLong));
}

#[test]
fn reads_each_half_of_a_surrogate_pair_as_a_character_of_its_own() {
    assert_eq!(value(r#""\ud800""#), Ok(json!("\u{10f800}")));
    assert_eq!(value(r#""\uDC00\uD83D\uDE00\ud83d""#), Ok(json!("\u{10fc00}😀\u{10f83d}")));
    assert_eq!(value(r#""\\ud800""#), Ok(json!(r"\ud800")));
}

#[test]
fn keeps_the_last_of_equal_names_among_few_and_many() {
    assert_eq!(value(r#"{"a":1,"b":2,"\u0061":3}"#), Ok(json!({ "a": 3, "b": 2 })));
    let many: String = (0..40).map(|at| format!("\"n{}\":{at},", at % 20)).collect();
    let read = value(&format!("{{{many}\"z\":0}}")).unwrap();
    assert_eq!(read.as_object().map(Map::len), Some(21));
    assert_eq!(read["n0"], json!(20));
}

#[test]
fn tells_a_number_out_of_range_from_text_that_is_not_json() {
    assert_eq!(value("[1e400]"), Err(Unreadable::NumberOutOfRange));
    assert_eq!(value("{} x"), Err(Unreadable::NotJson { line: 1, column: 4 }));
    assert_eq!(value("{\n  \"a\": tru\n}"), Err(Unreadable::NotJson { line: 2, column: 8 }));
    for text in [
        "",
        " ",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "--1",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "nul",
        "True",
        "1 2",
        "]",
        "[}",
        "{]",
        "NaN",
        "\u{feff}1",
        "'a'",
    ] {
        assert!(matches!(value(text), Err(Unreadable::NotJson { .. })), "{text:?}");
    }
}

#[test]
fn reads_numbers_as_the_nearest_that_a_float_has() {
    for text in ["0.1", "0.30000000000000004", "1e-320", "123456789012345678", "9007199254740993", "-0.0", "5e-324"] {
        let tree = Tree::read(text).unwrap();
        assert_eq!(tree.root, Cell::Number(text.parse().unwrap()), "{text}");
    }
    assert!(Tree::read("[9007199254740992]").unwrap().has_unsafe_integers);
    assert!(!Tree::read("[9007199254740991, 0.5]").unwrap().has_unsafe_integers);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The same, be a whole number written with a fraction or without.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1))
        }
        (one, other) => one == other,
    }
}

#[test]
fn finds_each_member_of_an_object_whatever_its_size_and_no_other() {
    for count in [0, 1, 12, 13, 300] {
        // An escape, names of one length, and an object before it whose names stand before its own.
        let named: Vec<String> = (0..count).map(|at| format!("\\u006e{}", at * 7 % 307)).collect();
        let members: Vec<String> = named.iter().enumerate().map(|(at, name)| format!("\"{name}\":{at}")).collect();
        let text = format!("[{{\"z\":{{\"n1\":null}}}},{{{}}}]", members.join(","));
        let tree = Tree::read(&text).unwrap();
        let document = Document::of(&tree);
        let object = document.root().as_list().and_then(|list| list.get(1)).and_then(view::Value::as_object).unwrap();
        for (at, name) in named.iter().enumerate() {
            let found = object.get(&name.replace("\\u006e", "n")).and_then(view::Value::as_number);
            assert_eq!(found, Some(f64::from(u16::try_from(at).unwrap())), "{name} of {count}");
        }
        for absent in ["", "n", "n307", "o1", "z", "\\u006e1"] {
            assert!(!object.has(absent), "{absent} of {count}");
        }
    }
}

#[test]
fn tells_equal_values_apart_by_where_they_stand() {
    let tree = Tree::read(r#"{"a":{},"b":{},"c":[{},true,true]}"#).unwrap();
    let document = Document::of(&tree);
    let root = document.root();
    let list = root.get("c").and_then(view::Value::as_list).unwrap();
    let mut addresses: Vec<usize> =
        list.iter().chain(root.get("a")).chain(root.get("b")).map(view::Value::address).collect();
    assert_eq!(root.get("a").map(view::Value::address), root.get("a").map(view::Value::address));
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 5);
}

proptest! {
    #[test]
    fn reads_what_another_reader_reads(value in any_value(), spaced in any::<bool>()) {
        let text = if spaced { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let read = self::value(&text).unwrap();
        prop_assert!(is_same(&read, &value), "{}", text);
        // What is written of it is the same.
        let tree = Tree::read(&text).unwrap();
        let mut written = String::new();
        Document::of(&tree).root().write(&mut written);
        prop_assert_eq!(&self::value(&written).unwrap(), &read);
    }

    #[test]
    fn takes_and_refuses_the_texts_that_another_reader_does(text in "[\\[\\]{},:\"\\\\a0-9e.+-]{0,12}") {
        let other: Result<Value, _> = serde_json::from_str(&text);
        match Tree::read(&text) {
            Ok(_) => prop_assert!(other.is_ok(), "{}", text),
            Err(Unreadable::NumberOutOfRange) => prop_assert!(other.is_err()),
            Err(_) => prop_assert!(other.is_err(), "{}", text),
        }
    }
}
