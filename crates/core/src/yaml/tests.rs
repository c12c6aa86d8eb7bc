//! What real documents have in them, row by row. What is expected is what the YAML specification's core schema says, and
//! where JavaScript makes a string of a key, what it makes.

use serde_json::Value;

use super::*;

fn reads(rows: &[(&str, &str)]) {
    for (yaml, json) in rows {
        let written = to_json(yaml).unwrap_or_else(|error| panic!("{yaml:?}: {error}"));
        assert_eq!(written, *json, "{yaml:?}");
        assert!(serde_json::from_str::<Value>(&written).is_ok(), "{written}");
    }
}

fn refuses(rows: &[(&str, &str)]) {
    for (yaml, expected) in rows {
        match to_json(yaml) {
            Ok(json) => panic!("{yaml:?}: {json}"),
            Err(error) => assert!(error.to_string().contains(expected), "{yaml:?}: {error}"),
        }
    }
}

#[test]
fn plain_scalars_are_what_the_core_schema_says() {
    let rows = [
        // Null, true and false in three ways each, and in no other.
        ("[null, Null, NULL, ~, nULL]", r#"[null,null,null,null,"nULL"]"#),
        ("[true, True, TRUE, tRUE, false, False, FALSE]", r#"[true,true,true,"tRUE",false,false,false]"#),
        ("[yes, Yes, no, No, on, off, y, n]", r#"["yes","Yes","no","No","on","off","y","n"]"#),
        ("- \n- a\n-", r#"[null,"a",null]"#),
        ("{a: , b}", r#"{"a":null,"b":null}"#),
        // Whole numbers: leading zeros are decimal, 0o is octal, 0x hexadecimal, without a sign.
        ("[0, 1, -1, +1, 08, 09, 010, -007, 00]", "[0,1,-1,1,8,9,10,-7,0]"),
        ("[0o17, 0x1F, 0xff, 0o8, 0b11, -0x1F, 0x]", r#"[15,31,255,"0o8","0b11","-0x1F","0x"]"#),
        ("[1_000, 1:30, 190:20:30]", r#"["1_000","1:30","190:20:30"]"#),
        // Beyond 64 bits the digits are kept.
        (
            "[9223372036854775807, -9223372036854776000, 18446744073709551616]",
            "[9223372036854775807,-9223372036854776000,18446744073709551616]",
        ),
        ("[0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF]", "[340282366920938463463374607431768211455]"),
        ("[0x100000000000000000000000000000000]", "[3.402823669209385e38]"),
        // Numbers with a point or an exponent.
        ("[1.50, -0.5, .5, -.5, 5., 1e3, 1E+3, 1.e-3, +.5e1, 01.5]", "[1.50,-0.5,0.5,-0.5,5,1e3,1E+3,1e-3,0.5e1,1.5]"),
        ("[., .e1, 1e, 1e+, e1, +, --1, 1.2.3, 1-2]", r#"[".",".e1","1e","1e+","e1","+","--1","1.2.3","1-2"]"#),
        ("a: -.\nb: '-'\n", r#"{"a":"-.","b":"-"}"#),
        // What JSON has no number for: the nearest, and null.
        ("[.inf, -.Inf, +.INF]", "[1.7976931348623157e308,-1.7976931348623157e308,1.7976931348623157e308]"),
        ("[.nan, .NaN, inf, nan, Infinity]", r#"[null,null,"inf","nan","Infinity"]"#),
        // Dates and versions are texts, and so is whatever else nothing is said of.
        (
            "[2024-01-31, 2024-01-31T10:00:00Z, 3.0.0, <<, =]",
            r#"["2024-01-31","2024-01-31T10:00:00Z","3.0.0","<<","="]"#,
        ),
        ("[a b, http://a.b/c#d, a:b, -a, ?b, :c]", r#"["a b","http://a.b/c#d","a:b","-a","?b",":c"]"#),
    ];
    reads(&rows);
}

#[test]
fn what_is_quoted_is_text() {
    let rows = [
        (r#"["1", '1', "true", 'null', "~", "", '']"#, r#"["1","1","true","null","~","",""]"#),
        (r#"'it''s'"#, r#""it's""#),
        (r#"'a\nb'"#, r#""a\\nb""#),
        (r#""a\tb\"\\\/\x41\u00e9\U0001F600\ud83d\ude00\0\e\_""#, "\"a\\tb\\\"\\\\/Aé😀😀\\u0000\\u001b\u{a0}\""),
        ("\"a\n  b\n\n  c\\\n  d\"", r#""a b\ncd""#),
        ("'a\n  b\n\n  c'", r#""a b\nc""#),
        ("a\n  b\n\n  c", r#""a b\nc""#),
    ];
    reads(&rows);
}

#[test]
fn block_scalars_keep_or_fold_their_lines() {
    let rows = [
        ("a: |\n  b\n   c\n\n  d\n", r#"{"a":"b\n c\n\nd\n"}"#),
        ("a: |-\n  b\n\n", r#"{"a":"b"}"#),
        ("a: |+\n  b\n\n", r#"{"a":"b\n\n"}"#),
        ("a: |2\n    b\n   c\n", r#"{"a":"  b\n c\n"}"#),
        ("a: >\n  b\n  c\n\n  d\n   e\n  f\n", r#"{"a":"b c\nd\n e\nf\n"}"#),
        ("a: >-\n  b\n  c\n", r#"{"a":"b c"}"#),
        ("a: >+\n  b\n\nc: 1\n", r#"{"a":"b\n\n","c":1}"#),
        ("a: |\nb: 1\n", r#"{"a":"","b":1}"#),
        ("a: | # why\n  # text\n  b: c\n", r##"{"a":"# text\nb: c\n"}"##),
        ("- |\n 1\n- >\n true\n", r#"["1\n","true\n"]"#),
        ("a: |\r\n  b\r\n  c\r\nd: 1\r\n", r#"{"a":"b\nc\n","d":1}"#),
    ];
    reads(&rows);
}

#[test]
fn lists_and_objects_are_nested_in_every_way() {
    let rows = [
        ("a:\n  b:\n    c: 1\n", r#"{"a":{"b":{"c":1}}}"#),
        ("a:\n- b\n- c\nd:\n  - e\n", r#"{"a":["b","c"],"d":["e"]}"#),
        ("- - a\n  - b\n- - - c\n", r#"[["a","b"],[["c"]]]"#),
        ("- a: 1\n  b: 2\n- c: 3\n", r#"[{"a":1,"b":2},{"c":3}]"#),
        ("-\n  a: 1\n-\n  - b\n", r#"[{"a":1},["b"]]"#),
        ("a: {b: [1, {c: d}], 'e': \"f\"}\n", r#"{"a":{"b":[1,{"c":"d"}],"e":"f"}}"#),
        ("[a: 1, b]", r#"[{"a":1},"b"]"#),
        ("{\"a\":1,\"b\":[true,],}", r#"{"a":1,"b":[true]}"#),
        ("a: [\n  1, # one\n  2\n]\nb: {\n}\n", r#"{"a":[1,2],"b":{}}"#),
        ("# only\na: b # why\n# the end\n", r#"{"a":"b"}"#),
        ("a: b#c\n", r#"{"a":"b#c"}"#),
        ("[]", "[]"),
        ("{}", "{}"),
        ("---\na: 1\n...\n", r#"{"a":1}"#),
        ("%YAML 1.2\n---\na: 1\n", r#"{"a":1}"#),
        ("--- a", r#""a""#),
        ("---\n", "null"),
        ("a:\r\n  - b\r\n  - c\r\n", r#"{"a":["b","c"]}"#),
        ("a:\t1\nb: \t2\n", r#"{"a":1,"b":2}"#),
    ];
    reads(&rows);
}

#[test]
fn a_key_is_a_text_and_what_it_means_is_no_matter() {
    let rows = [
        ("200: a\n4XX: b\n\"500\": c\n", r#"{"200":"a","4XX":"b","500":"c"}"#),
        ("null: 1\ntrue: 2\n~: 3\n1.0: 4\n08: 5\n", r#"{"null":1,"true":2,"null":3,"1":4,"8":5}"#),
        (
            "1e21: a\n1e-7: b\n123456789012345678901: c\n-0: d\n.inf: e\n",
            r#"{"1e+21":"a","1e-7":"b","123456789012345680000":"c","0":"d","Infinity":"e"}"#,
        ),
        ("2024-01-31: a\nno: b\n", r#"{"2024-01-31":"a","no":"b"}"#),
        ("? a\n: b\n? c\n", r#"{"a":"b","c":null}"#),
        ("? 'a b'\n: - 1\n  - 2\n? |\n  c\n: d\n", r#"{"a b":[1,2],"c\n":"d"}"#),
        ("? /a/{b}\n:\n  get: 1\n", r#"{"/a/{b}":{"get":1}}"#),
        ("/a/{b}:\n  get: 1\n", r#"{"/a/{b}":{"get":1}}"#),
        ("'a: b': 1\n\"c\\nd\": 2\n", r#"{"a: b":1,"c\nd":2}"#),
        (": a\n", r#"{"null":"a"}"#),
        // The last of a name counts, as in JSON; the text has both.
        ("a: 1\nb: 2\na: 3\n", r#"{"a":1,"b":2,"a":3}"#),
    ];
    reads(&rows);
    let long = "k".repeat(5000);
    assert_eq!(to_json(&format!("{long}: 1\n? {long}\n: 2\n")).unwrap(), format!(r#"{{"{long}":1,"{long}":2}}"#));
    refuses(&[
        ("[a]: b", "a list as a key, which in JSON is a string at line 1, column 1"),
        ("a: 1\n? {b: c}\n: d\n", "an object as a key, which in JSON is a string at line 2, column 3"),
        ("a: &l [1]\n*l : 2\n", "a list as a key, which in JSON is a string at line 2, column 1"),
    ]);
}

#[test]
fn tags_of_the_core_schema_are_heeded_and_others_make_a_text() {
    let rows = [
        (
            "[!!str 1, !!str true, !!str, !!int \"12\", !!float '1', !!bool \"true\", !!null '', !!int 0x1F]",
            r#"["1","true","",12,1,true,null,31]"#,
        ),
        (
            "[! 1, !mine 1, !<tag:a.b,2000:c> x, !!binary aGk=, !!timestamp 2024-01-31]",
            r#"["1","1","x","aGk=","2024-01-31"]"#,
        ),
        ("!!map {a: !!seq [1], b: !mine {c: 1}}", r#"{"a":[1],"b":{"c":1}}"#),
        ("%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\n", r#"{"a":"1"}"#),
        ("!!str 1: a\n", r#"{"1":"a"}"#),
        ("[!!float .inf, !!float .nan]", "[1.7976931348623157e308,null]"),
    ];
    reads(&rows);
    refuses(&[
        ("a: !!int one\n", "\"one\" is not what its tag !!int says at line 1"),
        ("a: !!int 1.5\n", "\"1.5\" is not what its tag !!int says"),
        ("a: !!bool yes\n", "\"yes\" is not what its tag !!bool says"),
        ("a: !nobody!x 1\n", "line 1, column 4"),
    ]);
}

#[test]
fn aliases_are_what_their_anchors_name() {
    let rows = [
        ("a: &x 1\nb: *x\n", r#"{"a":1,"b":1}"#),
        ("a: &x {b: [c]}\nd: [*x, *x]\n", r#"{"a":{"b":["c"]},"d":[{"b":["c"]},{"b":["c"]}]}"#),
        ("a: &x\n  b: &y c\nd: *y\ne: *x\n", r#"{"a":{"b":"c"},"d":"c","e":{"b":"c"}}"#),
        ("a: &x 1\nb: &x 2\nc: *x\n", r#"{"a":1,"b":2,"c":2}"#),
        ("a: &x\nb: *x\n", r#"{"a":null,"b":null}"#),
        ("a: &x !!str 1\nb: !!str &y 2\nc: [*x, *y]\n", r#"{"a":"1","b":"2","c":["1","2"]}"#),
        // A key that has an anchor is a key here and itself elsewhere.
        ("&x 200: a\nb: *x\n", r#"{"200":"a","b":200}"#),
        ("&x a: b\n*x : c\n", r#"{"a":"b","a":"c"}"#),
        ("a: &x 1.0\n*x : b\n", r#"{"a":1.0,"1":"b"}"#),
        ("a: &x true\n*x : b\n", r#"{"a":true,"true":"b"}"#),
    ];
    reads(&rows);
    refuses(&[
        ("a: *x\n", "an alias (*) of an anchor (&) that is not there at line 1, column 4"),
        ("a: &x [*x]\n", "an alias (*) within what it stands for, which would have no end at line 1, column 8"),
        ("a: &x\n  b:\n    c: *x\n", "which would have no end at line 3, column 8"),
    ]);
}

#[test]
fn merge_keys_give_what_is_not_there() {
    let rows = [
        ("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n  e: 4\n", r#"{"a":{"b":1,"c":2},"d":{"b":1,"c":2,"c":3,"e":4}}"#),
        // What stands before the merge key is not overridden either.
        ("a: &x {b: 1, c: 2}\nd:\n  c: 3\n  <<: *x\n", r#"{"a":{"b":1,"c":2},"d":{"c":3,"b":1}}"#),
        // Of several the first has it.
        ("- &x {b: 1}\n- &y {b: 2, c: 3}\n- {<<: [*x, *y]}\n", r#"[{"b":1},{"b":2,"c":3},{"b":1,"c":3}]"#),
        (
            "- &x {b: 1}\n- &y {b: 2, c: 3}\n- <<: *x\n  <<: *y\n  c: 4\n",
            r#"[{"b":1},{"b":2,"c":3},{"b":1,"c":3,"c":4}]"#,
        ),
        ("a: {<<: {b: 1}, c: 2}\n", r#"{"a":{"b":1,"c":2}}"#),
        ("a: {<<: {<<: {b: 1}, c: 2}, d: 3}\n", r#"{"a":{"b":1,"c":2,"d":3}}"#),
        ("a: {<<: {}}\nb: {<<: []}\n", r#"{"a":{},"b":{}}"#),
        // The last of two keys of one name is what is merged.
        ("a: &x {b: 1, b: 2}\nc: {<<: *x}\n", r#"{"a":{"b":1,"b":2},"c":{"b":2}}"#),
        // What is named within what is merged can be referred to, there and later.
        (
            "a: {<<: &x {b: &y {c: 1}, d: *y}, e: *y}\nf: [*x, *y]\n",
            r#"{"a":{"b":{"c":1},"d":{"c":1},"e":{"c":1}},"f":[{"b":{"c":1},"d":{"c":1}},{"c":1}]}"#,
        ),
        (
            "a: {b: &y [1], <<: {c: &z [2]}, d: &w [3]}\ne: [*y, *z, *w]\n",
            r#"{"a":{"b":[1],"c":[2],"d":[3]},"e":[[1],[2],[3]]}"#,
        ),
        // Another key named so is a key.
        ("a: {'<<': {b: 1}}\n", r#"{"a":{"<<":{"b":1}}}"#),
        ("a: {!!str <<: {b: 1}}\n", r#"{"a":{"<<":{"b":1}}}"#),
        ("a: {!!merge <<: {b: 1}}\n", r#"{"a":{"b":1}}"#),
        ("a: &x {\"q\\\"\": 1}\nb: {\"q\\\"\": 2, <<: *x}\n", r#"{"a":{"q\"":1},"b":{"q\"":2}}"#),
    ];
    reads(&rows);
    refuses(&[
        ("a: {<<: 1}\n", "a number in a merge key (<<), which takes an object or a list of them at line 1"),
        ("a:\n  <<:\n  b: 1\n", "null in a merge key (<<)"),
        ("a: {<<: [{}, x]}\n", "a string in a merge key (<<)"),
        ("a: &x\n  <<: *x\n", "which would have no end at line 2, column 7"),
    ]);
}

#[test]
fn what_is_no_yaml_is_refused_with_its_place() {
    refuses(&[
        ("", "there is nothing in it at line 1, column 1"),
        ("# nothing\n", "there is nothing in it"),
        ("a: 1\n---\nb: 2\n", "a second document begins, and only one is read at line 2, column 1"),
        ("--- 1\n--- 2\n", "a second document begins"),
        ("a: 1\n---\n", "a second document begins"),
        ("a: b: c\n", "line 1, column 5"),
        ("a: [1, 2\nb: 3\n", "line 2"),
        ("a: \"b\n", "line 1, column 4"),
        ("a:\n\t- b\n", "line 2"),
        ("a: 1\n b: 2\n", "line 2"),
        ("a: @b\n", "line 1, column 4"),
        ("a: \u{0}\n", "line 1"),
        ("a: \"\\q\"\n", "line 1"),
        ("é: [\n  ü: ]]\n", "line 2, column 7"),
    ]);
}

#[test]
fn nesting_costs_no_stack() {
    let levels = 100_000;
    let written = to_json(&"- ".repeat(levels)).unwrap();
    assert_eq!(written, format!("{}null{}", "[".repeat(levels), "]".repeat(levels)));
    let flow = |levels: usize| format!("a: {}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(to_json(&flow(512)).unwrap().len(), "{\"a\":}".len() + 2 * 512);
    refuses(&[
        (&flow(513), "more than 512 levels of \"[\" and \"{\" at line 1, column 516"),
        (&"[".repeat(levels), "more than 512 levels"),
        (&"{a: ".repeat(levels), "more than 512 levels"),
    ]);
    // Through anchors as deep as there are of them.
    let mut named = "a0: &a0 []\n".to_owned();
    for at in 1..3000 {
        named.push_str(&format!("a{at}: &a{at} [*a{}]\n", at - 1));
    }
    let written = to_json(&named).unwrap();
    assert!(written.ends_with(&format!("{}{}}}", "[".repeat(3000), "]".repeat(3000))));
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    const REFUSED: &str = "aliases (*) and merge keys (<<) that come to more than";
    let chain = |levels: usize, entry: &dyn Fn(usize) -> String| -> String { (1..levels).map(entry).collect() };
    let laughs = chain(40, &|at| format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(", ")));
    let merges = chain(40, &|at| format!("a{at}: &a{at} {{x{at}: *a{0}, <<: [*a{0}, *a{0}]}}\n", at - 1));
    let long = "x".repeat(100_000);
    let rows = [
        format!("a0: &a0 [lol]\n{laughs}"),
        format!("a0: &a0 {{a: b}}\n{merges}"),
        // One long text, referred to over and over: quadratic.
        format!("a: &a {long}\nb:\n{}", "- *a\n".repeat(20_000)),
        // Merged over and over into one object, where nothing new is in it.
        format!("a: &a {{b: {long}}}\nc:\n{}", "  <<: *a\n".repeat(20_000)),
        format!("a: &a {{b: {long}}}\nc:\n  <<: [{}]\n", vec!["*a"; 20_000].join(", ")),
        // As a key.
        format!("a: &a {long}\nc:\n{}", "  *a : 1\n".repeat(20_000)),
    ];
    for row in rows {
        let error = to_json(&row).unwrap_err();
        assert!(error.message.contains(REFUSED) && error.line > 1, "{error}");
    }
    // What real documents share is not one: many aliases of what is small, and few of what is large.
    let many = format!("a: &a {{b: {}}}\nc:\n{}", "x".repeat(1000), "- *a\n".repeat(10_000));
    assert_eq!(to_json(&many).unwrap().len(), r#"{"a":,"c":[]}"#.len() + 10_001 * 1008 + 9_999);
}
