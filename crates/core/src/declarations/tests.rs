use super::*;
use crate::declarations::types::Types;
use crate::json::check;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The type of a schema.
fn type_of(schema: &Value) -> String {
    tool::type_of(Some(check(&schema.to_string()).unwrap()), Types::UNKNOWN)
}

/// Declares tools of these names, which are all made from one.
fn declared(names: &Value, limit: Option<usize>, tool: &Value) -> Declared {
    let text = tool.to_string();
    declare(&names.to_string(), limit, None, |_| Ok::<_, ()>(text.clone())).unwrap()
}

fn assert_types(expected: &[(Value, &str)]) {
    for (schema, type_) in expected {
        assert_eq!(type_of(schema), *type_, "{schema}");
    }
}

#[test]
fn declares_a_tool_with_its_descriptions() {
    let tool = json!({
        "description": "Creates an issue.\nThe repository has to have issues.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "title": { "type": "string", "description": "What it is about." },
                "state": { "enum": ["open", "closed"] },
                "labels": { "type": "array", "items": { "type": "string" } },
                "a-b": { "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] }
            },
            "required": ["title"],
            "additionalProperties": false
        }
    });
    assert_eq!(
        declared(&json!(["create_issue", "create-issue", "new"]), None, &tool).text.split("  /**\n").nth(1).unwrap(),
        "   * Creates an issue.
   * The repository has to have issues.
   */
  create_issue(input: {
    /** What it is about. */
    title: string;
    state?: \"open\" | \"closed\";
    labels?: Array<string>;
    \"a-b\"?: { x: number };
  }): Promise<unknown>;
"
    );
}

#[test]
fn declares_names_that_are_no_identifiers_and_says_how_they_are_called() {
    let declared = declared(&json!(["plain", "look-up", "new", "__proto__", "é\u{2028}\"\n"]), None, &json!({}));
    assert_eq!(
        declared.text,
        r#"// A name in quotes is called in brackets: await tools["look-up"](input)
declare const tools: {
  plain(input: Record<string, unknown>): Promise<unknown>;
  "look-up"(input: Record<string, unknown>): Promise<unknown>;
  "new"(input: Record<string, unknown>): Promise<unknown>;
  __proto__(input: Record<string, unknown>): Promise<unknown>;
  "é\u2028\"\n"(input: Record<string, unknown>): Promise<unknown>;
};
"#
    );
}

#[test]
fn tells_what_a_tool_answers_where_it_says_so() {
    let tool = json!({ "inputSchema": { "type": "object" }, "outputSchema": { "type": "array", "items": { "type": "string" } } });
    assert!(
        declared(&json!(["a"]), None, &tool)
            .text
            .contains("a(input: Record<string, unknown>): Promise<Array<string>>;")
    );
}

#[test]
fn tells_null_wherever_a_schema_allows_it() {
    assert_types(&[
        (json!({ "type": "string", "nullable": true }), "string | null"),
        (json!({ "type": "string", "nullable": false }), "string"),
        (json!({ "enum": ["a"], "nullable": true }), r#""a" | null"#),
        (json!({ "type": ["object", "null"], "properties": { "b": { "type": "number" } } }), "{ b?: number } | null"),
        (json!({ "type": ["null", "string"] }), "string | null"),
        (
            json!({ "anyOf": [{ "type": "null" }, { "type": "string" }, { "type": "array", "items": { "type": "number" } }] }),
            "string | Array<number> | null",
        ),
        (json!({ "$ref": "#/$defs/a", "nullable": true, "$defs": { "a": { "type": "number" } } }), "number | null"),
        (json!({ "allOf": [{ "type": "number" }], "nullable": true }), "number | null"),
    ]);
}

#[test]
fn takes_what_stands_beside_a_combination_together_with_it() {
    let either = json!([
        { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
        { "type": "object", "properties": { "b": { "type": "number" } }, "required": ["b"] }
    ]);
    assert_types(&[
        (
            json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"], "oneOf": either }),
            "{ id: string } & ({ a: string } | { b: number })",
        ),
        (
            json!({ "allOf": [{ "type": "object", "properties": { "c": { "type": "null" } } }, { "anyOf": either }] }),
            "{ c?: null } & ({ a: string } | { b: number })",
        ),
        (json!({ "type": "object", "oneOf": either }), "{ a: string } | { b: number }"),
        (json!({ "type": "string", "anyOf": [{ "const": "a" }, { "const": "b" }, { "const": 1 }] }), r#""a" | "b""#),
        (json!({ "type": "string", "anyOf": [{ "format": "date" }, { "minLength": 1 }] }), "string"),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            "{ a?: string } & ({ a: unknown } | { b: unknown })",
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/a" }], "required": ["z"], "$defs": { "a": either[0] } }),
            "{ z: unknown } & { a: string }",
        ),
        (json!({ "allOf": [{ "type": "string" }, false] }), "never"),
        (json!({ "anyOf": [{ "type": "string" }, false] }), "string"),
        (json!({ "anyOf": [{ "type": "string" }, {}] }), "unknown"),
        (json!({ "not": {} }), "never"),
    ]);
    // The compiler multiplies alternatives out: what it would give up on is not said.
    let pairs: Vec<Value> = (0..40)
        .map(|at| json!({ "anyOf": [{ "required": [format!("a{at}")] }, { "required": [format!("b{at}")] }] }))
        .collect();
    assert_eq!(type_of(&json!({ "allOf": pairs })).matches(" | ").count(), 13);
}

#[test]
fn tells_each_alternative_once() {
    assert_types(&[
        (json!({ "anyOf": [{ "type": "string" }, { "type": "string", "format": "date" }] }), "string"),
        (json!({ "type": ["integer", "number"] }), "number"),
        (json!({ "enum": ["a", "a", 1] }), r#""a" | 1"#),
        (json!({ "type": "array", "items": { "type": ["string", "number"] } }), "Array<string | number>"),
        (json!({ "type": "array", "items": { "enum": ["a", "b"] } }), r#"Array<"a" | "b">"#),
    ]);
}

#[test]
fn tells_values_as_the_types_that_hold_them() {
    assert_types(&[
        (json!({ "const": "a\"b\u{2028}\n" }), r#""a\"b\u2028\n""#),
        (json!({ "const": null }), "null"),
        (json!({ "const": { "a": [1, true, {}], "b-c": [] } }), r#"{ a: [1, true, {}]; "b-c": [] }"#),
        (
            json!({ "enum": ["a", -1.5, false, null, ["x"], { "y": 0 }] }),
            r#""a" | -1.5 | false | ["x"] | { y: 0 } | null"#,
        ),
        (json!({ "enum": [] }), "never"),
        (json!({ "type": "integer", "enum": [1, 2] }), "1 | 2"),
    ]);
    let beyond = r#"{"enum":[1e400,-1e400,12345678901234567890,1.50]}"#;
    assert_eq!(
        tool::type_of(Some(check(beyond).unwrap()), Types::UNKNOWN),
        "1.7976931348623157e308 | -1.7976931348623157e308 | 12345678901234567890 | 1.50"
    );
}

#[test]
fn tells_lists_by_place() {
    let (string, number) = (json!({ "type": "string" }), json!({ "type": "number" }));
    assert_types(&[
        (json!({ "type": "array", "prefixItems": [string, number] }), "[string, number]"),
        (json!({ "type": "array", "prefixItems": [string, number], "items": false }), "[string, number]"),
        (json!({ "prefixItems": [string], "items": number }), "[string, ...Array<number>]"),
        (json!({ "type": "array", "items": [string], "additionalItems": number }), "[string, ...Array<number>]"),
        (json!({ "type": "array", "items": [], "additionalItems": number }), "Array<number>"),
        (json!({ "type": "array" }), "Array<unknown>"),
        (json!({ "type": "array", "items": true }), "Array<unknown>"),
    ]);
}

#[test]
fn tells_maps_and_closed_objects() {
    let number = json!({ "type": "number" });
    assert_types(&[
        (json!({ "type": "object" }), "Record<string, unknown>"),
        (json!({ "type": "object", "additionalProperties": number }), "Record<string, number>"),
        (json!({ "type": "object", "additionalProperties": false }), "{}"),
        (json!({ "type": "object", "properties": {}, "unevaluatedProperties": false }), "{}"),
        (
            json!({ "type": "object", "patternProperties": { "^x-": { "type": "string" }, "^y": { "type": "string" } }, "additionalProperties": false }),
            "Record<string, string>",
        ),
        (
            json!({ "type": "object", "patternProperties": { "^x-": { "type": "string" }, "^y": number } }),
            "Record<string, string | number>",
        ),
        (json!({ "type": "object", "required": ["zz"] }), "{ zz: unknown }"),
        (
            json!({ "type": "object", "required": ["zz"], "additionalProperties": number }),
            "{ zz: number; [key: string]: number }",
        ),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": true }),
            "{ a?: string; [key: string]: unknown }",
        ),
        (
            json!({ "type": "object", "properties": { "a": number }, "required": ["a"], "additionalProperties": { "type": ["string", "number"] } }),
            "{ a: number; [key: string]: string | number }",
        ),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": { "const": "*/" } }),
            "{\n    a?: string;\n    /** Other properties: \"*\\/\" */\n    [key: string]: unknown;\n  }",
        ),
    ]);
}

#[test]
fn quotes_property_names_where_they_have_to_be() {
    let schema = json!({ "type": "object", "properties": {
        "a\"b\n": true, "1a": true, "é": false, "class": true, "__proto__": true, "constructor": true, "": true, "$ref": { "type": "null" }
    } });
    assert_eq!(
        type_of(&schema).lines().map(str::trim).collect::<Vec<_>>(),
        [
            "{",
            r#""a\"b\n"?: unknown;"#,
            r#""1a"?: unknown;"#,
            r#""é"?: never;"#,
            "class?: unknown;",
            "__proto__?: unknown;",
            "constructor?: unknown;",
            r#"""?: unknown;"#,
            "$ref?: null;",
            "}"
        ]
    );
}

#[test]
fn keeps_halves_of_surrogate_pairs_in_names_and_values() {
    let schema = r#"{"type":"object","properties":{"\ud800":{"const":"\udc00"}},"required":["\ud800","\ud801"]}"#;
    let text = tool::type_of(Some(check(schema).unwrap()), Types::UNKNOWN);
    assert_eq!(text, r#"{ "\ud800": "\udc00"; "\ud801": unknown }"#);
}

#[test]
fn follows_references_each_time_they_are_used() {
    let schema = json!({
        "type": "object",
        "properties": { "x": { "$ref": "#/$defs/a~1b" }, "y": { "$ref": "#/$defs/a~1b" }, "z": { "$ref": "#/properties/x" } },
        "$defs": { "a/b": { "type": "object", "properties": { "n": { "type": "number" } }, "description": "Of a." } }
    });
    assert_eq!(type_of(&schema).matches("?: { n?: number };").count(), 3);
    assert_eq!(type_of(&schema).matches("/** Of a. */").count(), 3);
    assert_types(&[
        (json!({ "$ref": "https://example.com/a.json" }), "unknown"),
        (json!({ "$ref": "#/$defs/none" }), "unknown"),
        (json!({ "$ref": "#anchor" }), "unknown"),
        (json!({ "$ref": 1 }), "unknown"),
    ]);
}

#[test]
fn r_000_299_shows_unknown_where_a_cycle_closes() {
    assert_types(&[
        (json!({ "$ref": "#" }), "unknown"),
        (
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            "unknown",
        ),
        (
            json!({ "type": "object", "properties": { "name": { "type": "string" }, "next": { "$ref": "#" } } }),
            "{ name?: string; next?: unknown }",
        ),
        (
            json!({
                "type": "object",
                "properties": { "root": { "$ref": "#/$defs/node" }, "other": { "$ref": "#/$defs/node" } },
                "$defs": { "node": { "type": "object", "properties": {
                    "value": { "type": "string" },
                    "children": { "type": "array", "items": { "$ref": "#/$defs/node" } },
                    "parent": { "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] }
                } } }
            }),
            "{
    root?: { value?: string; children?: Array<unknown>; parent?: unknown };
    other?: { value?: string; children?: Array<unknown>; parent?: unknown };
  }",
        ),
    ]);
}

#[test]
fn r_000_299_shows_six_levels_of_objects_and_lists_and_then_unknown() {
    let nested = |levels: usize| {
        (0..levels).fold(json!({ "type": "string" }), |inner, level| match level % 2 {
            0 => json!({ "type": "object", "properties": { "a": inner }, "required": ["a"] }),
            _ => json!({ "type": "array", "items": inner }),
        })
    };
    assert_types(&[
        (nested(5), "{ a: Array<{ a: Array<{ a: string }> }> }"),
        (nested(6), "Array<{ a: Array<{ a: Array<{ a: string }> }> }>"),
        (nested(7), "{ a: Array<{ a: Array<{ a: Array<unknown> }> }> }"),
        (nested(9), "{ a: Array<{ a: Array<{ a: Array<unknown> }> }> }"),
        (json!({ "const": [[[[[[1]]]]]] }), "[[[[[[1]]]]]]"),
        (json!({ "const": [[[[[[[1]]]]]]] }), "[[[[[[unknown]]]]]]"),
    ]);
}

#[test]
fn r_000_300_lets_no_description_out_of_its_comment() {
    for text in ["*/ evil(): void; /*", "**/x", "*\r/\r\n*/", "*\u{2028}/\u{2029}*/", "/* */ // */"] {
        let tool = json!({ "description": text, "inputSchema": { "type": "object", "description": text, "properties": {
            "a": { "type": "string", "description": text },
            "b": { "anyOf": [{ "const": text, "description": text }, { "type": "number", "description": text }] },
            "c": { "type": "array", "items": { "type": "string", "description": text } },
        }, "additionalProperties": { "const": text } } });
        let declared = declared(&json!(["a"]), None, &tool).text;
        assert!(!declared.contains(['\r', '\u{2028}', '\u{2029}']), "{declared}");
        let code = code_of(&declared, "\"…\"");
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ").replace("b?: |", "b?:");
        assert_eq!(
            code,
            "declare const tools: { a(input: { a?: string; b?: \"…\" | number; c?: Array< string>; [key: string]: unknown; }): \
             Promise<unknown>; };"
        );
    }
}

/// The text without its comments, read as a compiler reads it, with this in place of each string.
fn code_of(text: &str, string: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("/*") {
            let end = rest.find("*/").unwrap();
            rest = &rest[end + 2..];
        } else if c == '"' {
            let mut end = 1;
            while !rest[end..].starts_with('"') {
                end += if rest[end..].starts_with('\\') { 2 } else { rest[end..].chars().next().unwrap().len_utf8() };
            }
            code.push_str(string);
            rest = &rest[end + 1..];
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

#[test]
fn keeps_the_lines_of_descriptions_and_skips_empty_ones() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string", "description": "one\r\n\r\n\r\n  - two " },
        "b": { "type": "string", "description": " \n" },
        "c": { "oneOf": [
            { "const": "x", "description": "The\nfirst." },
            { "const": "y", "description": "The second, of which there is rather more to say than of it." }
        ] },
        "d": { "type": "array", "items": { "type": "string", "description": "One." } }
    } });
    assert_eq!(
        type_of(&schema),
        r#"{
    /**
     * one
     *
     *   - two
     */
    a?: string;
    b?: string;
    c?:
      | /** The first. */ "x"
      | /** The second, of which there is rather more to say than of it. */ "y";
    d?: Array</** One. */ string>;
  }"#
    );
}

#[test]
fn takes_what_is_no_schema_for_one_that_says_nothing() {
    assert_types(&[
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!(7), "unknown"),
        (json!({ "type": "file" }), "unknown"),
        (json!({ "type": 1, "properties": [], "required": true, "enum": "a", "allOf": {}, "items": 3 }), "unknown"),
        (json!({ "type": "object", "properties": { "a": null, "b": "x" } }), "{ a?: unknown; b?: unknown }"),
        (json!({ "type": ["string", 1, "string"] }), "string"),
    ]);
    for tool in ["", "nonsense", "[]", "null", "{}", r#"{"inputSchema":7,"description":{}}"#] {
        let declared = declare("[\"a\"]", None, None, |_| Ok::<_, ()>(tool.to_owned())).unwrap();
        assert!(declared.text.contains("\n  a(input: Record<string, unknown>): Promise<unknown>;\n"), "{tool}");
    }
    assert!(matches!(declare("{}", None, None, |_| Ok::<_, ()>(String::new())), Err(DeclareError::Shape("names"))));
    assert!(matches!(declare("[1]", None, None, |_| Ok::<_, ()>(String::new())), Err(DeclareError::Shape("names"))));
    assert!(matches!(declare("[\"a\"]", None, None, |_| Err("lost")), Err(DeclareError::Read("lost"))));
}

/// `$defs` in which each is said by two references to the next.
fn doubling(levels: usize, body: impl Fn(&Value) -> Value) -> Value {
    let defs: serde_json::Map<String, Value> = (0..levels)
        .map(|at| (format!("d{at}"), body(&json!({ "$ref": format!("#/$defs/d{}", at + 1) }))))
        .chain([(format!("d{levels}"), json!({ "type": "string" }))])
        .collect();
    json!({ "$ref": "#/$defs/d0", "$defs": defs })
}

#[test]
fn stays_within_bounds_whatever_the_references_do() {
    let all = json!({ "$ref": "#/$defs/all", "$defs": { "all": { "properties": (0..300)
        .map(|at| (format!("p{at}"), json!({ "$ref": "#/$defs/all" })))
        .collect::<serde_json::Map<_, _>>() } } });
    let ring: serde_json::Map<String, Value> = (0..200)
        .map(|at| {
            (
                format!("d{at}"),
                json!({ "anyOf": (0..200).map(|to| json!({ "$ref": format!("#/$defs/d{to}") })).collect::<Vec<_>>() }),
            )
        })
        .collect();
    let chain: serde_json::Map<String, Value> =
        (0..20_000).map(|at| (format!("d{at}"), json!({ "$ref": format!("#/$defs/d{}", at + 1) }))).collect();
    let schemas = [
        doubling(60, |next| json!({ "allOf": [next, next] })),
        doubling(60, |next| json!({ "anyOf": [next, { "oneOf": [next, { "type": "null" }] }] })),
        doubling(60, |next| json!({ "type": "object", "properties": { "a": next, "b": next } })),
        doubling(
            8,
            |next| json!({ "type": "object", "properties": (0..30).map(|at| (format!("p{at}"), next.clone())).collect::<serde_json::Map<_, _>>() }),
        ),
        all,
        json!({ "$ref": "#/$defs/d0", "$defs": ring }),
        json!({ "$ref": "#/$defs/d0", "$defs": chain }),
        json!({ "enum": (0..100_000).collect::<Vec<_>>() }),
        json!({ "type": "object", "properties": { "a": { "description": "x".repeat(1 << 20) } } }),
        json!({ "type": "object", "properties": (0..20_000).map(|at| (format!("p{at}"), json!({ "$ref": "#/$defs/d" }))).collect::<serde_json::Map<_, _>>(), "$defs": { "d": { "description": "y".repeat(10_000) } } }),
    ];
    for schema in &schemas {
        let text = type_of(schema);
        assert!(units(&text) <= 60_000, "{} units", units(&text));
    }
    let widest =
        declared(&json!(["a"]), None, &json!({ "description": "z".repeat(1 << 20), "inputSchema": schemas[3] }));
    assert!(widest.text.len() < 30_000 && widest.text.contains("p29?: unknown"), "{}", widest.text.len());
    // As many levels as there is room for.
    assert!(type_of(&schemas[2]).contains("a?: { a?: unknown; b?: unknown }"));
    // What is too much to say with comments is said without.
    assert_eq!(type_of(&schemas[8]), "{ a?: unknown }");
}

#[test]
fn takes_any_depth_on_a_small_stack() {
    let deep = |open: &str, close: &str| format!("{}{{}}{}", open.repeat(100_000), close.repeat(100_000));
    let schemas = [
        deep(r#"{"properties":{"a":"#, "}}"),
        deep(r#"{"allOf":["#, "]}"),
        deep(r#"{"anyOf":[{"type":"null","description":"x"},"#, "]}"),
        deep(r#"{"nullable":true,"properties":{"b":{"type":"null"}},"oneOf":[true,"#, "]}"),
        deep(r#"{"items":["#, "]}"),
        deep(r#"{"not":"#, "}"),
        format!(r#"{{"const":{}}}"#, "[".repeat(100_000) + &"]".repeat(100_000)),
        doubling(60, |next| json!({ "description": "d", "nullable": true, "type": ["array", "object"], "items": next, "anyOf": [{ "allOf": [next] }] })).to_string(),
    ];
    std::thread::Builder::new()
        .stack_size(96 << 10)
        .spawn(move || {
            for schema in &schemas {
                let tool = format!(r#"{{"inputSchema":{schema}}}"#);
                let declared = declare("[\"a\"]", None, None, |_| Ok::<_, ()>(tool.clone())).unwrap();
                assert!(declared.text.contains("unknown"));
            }
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn lists_by_name_what_does_not_fit_and_declares_the_finders_then() {
    let names: Vec<String> =
        (0..100).map(|at| format!("big__tool_{at}")).chain(["one__a".into(), "two-x__b".into()]).collect();
    let names = json!(names);
    let tool = json!({ "description": "d".repeat(100), "inputSchema": { "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] } });
    let finders = r#"[{"name":"$search","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}]"#;
    let with = |limit| {
        let mut read = Vec::new();
        let declared = declare(&names.to_string(), limit, Some(finders), |at| {
            read.push(at);
            Ok::<_, ()>(tool.to_string())
        });
        (declared.unwrap(), read)
    };
    let (all, read) = with(None);
    assert!(all.is_complete && !all.text.contains("$search"));
    assert_eq!(read.len(), 102);
    let (all_within, _) = with(Some(units(&all.text)));
    assert_eq!(all_within.text, all.text);

    let (some, read) = with(Some(4000));
    assert!(!some.is_complete);
    assert!(some.text.starts_with("// A name in quotes is called in brackets: await tools[\"two-x__b\"](input)\ndeclare const tools: {\n  $search(input: { query: string }): Promise<unknown>;\n  /** ddd"));
    for shown in [
        "\n  one__a(input: {",
        "\n  \"two-x__b\"(input: {",
        "\n// 100 more tools, by name:\n// big__tool… (100): big__tool_0, big__tool_1,",
    ] {
        assert!(some.text.contains(shown), "{}", some.text);
    }
    assert!(!some.text.contains("  big__tool_0("));
    assert!(read.len() < 40, "a schema is not read in vain: {}", read.len());
    assert!(some.example.is_some());
    for limit in [0, 100, 500, 1000, 2000, 4000, 10_000, 20_000] {
        let (within, _) = with(Some(limit));
        let finder = "\n  $search(input: { query: string }): Promise<unknown>;".len();
        assert!(units(&within.text) <= limit.max(120) + finder, "{} of {limit}", units(&within.text));
    }
}

#[test]
fn makes_an_example_that_the_tool_takes() {
    let example = |name: &str, schema: Value| declared(&json!([name]), None, &json!({ "inputSchema": schema })).example;
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
    let expected = [
        (
            "a",
            object(json!({ "title": { "type": "string" }, "n": { "type": "number" } }), json!(["title"])),
            r#"await tools.a({ title: "title" })"#,
        ),
        (
            "b-c",
            object(json!({ "id": { "type": "integer", "minimum": 5 } }), json!(["id"])),
            r#"await tools["b-c"]({ id: 5 })"#,
        ),
        (
            "a",
            object(
                json!({
                    "e": { "enum": ["x", "y"] }, "d": { "type": "string", "default": "z" }, "f": { "type": "string", "format": "date" },
                    "g": { "type": "array", "items": { "type": "boolean" }, "minItems": 2 }, "h": { "examples": [[1, { "a-b": null }]] },
                    "__proto__": { "const": 1 }, "k": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
                    "m": { "type": "string", "minLength": 6, "maxLength": 7 }
                }),
                json!(["e", "d", "f", "g", "h", "__proto__", "k", "m"]),
            ),
            r#"await tools.a({ e: "x", d: "z", f: "2026-01-31", g: [true, true], h: [1, { "a-b": null }], ["__proto__"]: 1, k: 0.5, m: "mmmmmm" })"#,
        ),
        (
            "a",
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "allOf": [
                object(json!({ "x": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/s" }] } }), json!(["x"])),
                object(json!({ "y": object(json!({ "z": {} }), json!(["z"])) }), json!(["y"]))
            ] }, "s": { "type": "string" } } }),
            r#"await tools.a({ x: "x", y: { z: "z" } })"#,
        ),
        // A default that the schema itself would refuse is not shown.
        ("a", object(json!({ "n": { "type": "integer", "default": "7" } }), json!(["n"])), "await tools.a({ n: 1 })"),
        ("a", object(json!({ "only": { "type": "string" } }), json!([])), r#"await tools.a({ only: "only" })"#),
        ("a", json!({ "type": "object" }), "await tools.a({})"),
        ("a", json!({ "type": "object", "required": ["z", "z"] }), r#"await tools.a({ z: "z" })"#),
        (
            "a",
            object(json!({ "b": { "oneOf": [{ "type": "object" }, { "type": "object" }] } }), json!([])),
            "await tools.a({})",
        ),
    ];
    for (name, schema, call) in expected {
        assert_eq!(example(name, schema.clone()).as_deref(), Some(call), "{schema}");
    }
    // Nothing is shown where nothing can be had, or only much.
    let many =
        (0..6).fold(json!({ "type": "string" }), |items, _| json!({ "type": "array", "items": items, "minItems": 60 }));
    for schema in [
        object(json!({ "a": many }), json!(["a"])),
        object(json!({ "a": false }), json!(["a"])),
        object(json!({ "a": { "$ref": "#" } }), json!(["a"])),
        object(
            json!({ "a": { "type": "array", "items": { "type": "string" }, "minItems": 2, "uniqueItems": true } }),
            json!(["a"]),
        ),
    ] {
        assert_eq!(example("a", schema.clone()), None, "{schema}");
    }
}

#[test]
fn takes_the_example_that_shows_most() {
    let schemas = [
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
        json!({ "type": "object", "properties": { "b": { "type": "string", "pattern": "^x$" } }, "required": ["b"] }),
        json!({ "type": "object", "properties": { "c": { "type": "string" } }, "required": ["c"] }),
        json!({ "type": "object", "properties": { "d": { "type": "string" } }, "required": ["d"] }),
    ];
    let read = |at: usize| Ok::<_, ()>(json!({ "inputSchema": schemas[at] }).to_string());
    let declared = declare(r#"["s0","s1","s2","s3","s4"]"#, None, None, read).unwrap();
    assert_eq!(declared.example.as_deref(), Some(r#"await tools.s3({ c: "c" })"#));
}

/// Anything that may stand where a schema does, with words that mean something in many places.
fn schema() -> impl Strategy<Value = Value> {
    let words = || prop::sample::select(vec!["a", "b-c", "__proto__", "é", "*/", "new", "1", "", "a\u{2028}"]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        Just(json!({})),
        prop::sample::select(vec!["string", "integer", "number", "boolean", "null", "object", "array", "file"])
            .prop_map(|name| json!({ "type": name })),
        words().prop_map(|text| json!({ "type": "string", "description": text, "nullable": true })),
        words().prop_map(|text| json!({ "const": { text: [text, 1.5, null] } })),
        prop::collection::vec(words(), 0..3).prop_map(|list| json!({ "enum": list })),
        prop::sample::select(vec!["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/none", "http://x/y"])
            .prop_map(|to| json!({ "$ref": to })),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let list = || prop::collection::vec(inner.clone(), 0..4);
        let named = || prop::collection::btree_map(words(), inner.clone(), 0..4);
        prop_oneof![
            (named(), prop::collection::vec(words(), 0..3))
                .prop_map(|(of, required)| json!({ "type": "object", "properties": of, "required": required })),
            (named(), inner.clone()).prop_map(|(of, rest)| json!({ "properties": of, "additionalProperties": rest })),
            (named(), inner.clone())
                .prop_map(|(of, rest)| json!({ "patternProperties": of, "additionalProperties": rest })),
            (list(), inner.clone()).prop_map(
                |(of, rest)| json!({ "type": ["array", "null"], "prefixItems": of, "items": rest, "minItems": 2 })
            ),
            inner.clone().prop_map(|of| json!({ "type": "array", "items": of, "description": "*/" })),
            (list(), named()).prop_map(|(of, names)| json!({ "oneOf": of, "properties": names })),
            (list(), list()).prop_map(|(all, any)| json!({ "allOf": all, "anyOf": any, "nullable": true })),
            inner.clone().prop_map(|of| json!({ "not": of })),
        ]
    })
}

proptest! {
    #[test]
    fn declares_any_schema(root in schema(), a in schema(), b in schema()) {
        let mut input = json!({ "type": "object", "$defs": { "a": a, "b": b }, "properties": { "a": root } });
        if let Value::Object(members) = &root {
            members.iter().for_each(|(key, value)| input[key] = value.clone());
        }
        let declared = declared(&json!(["a"]), None, &json!({ "description": "*/", "inputSchema": input, "outputSchema": root }));
        let code = code_of(&declared.text, "");
        for (open, close) in [('{', '}'), ('[', ']'), ('<', '>'), ('(', ')')] {
            prop_assert_eq!(code.matches(open).count(), code.matches(close).count(), "{}", declared.text);
        }
    }

    #[test]
    fn declares_any_text(tool in ".{0,60}", names in prop::collection::vec(any::<String>(), 0..4), limit in prop::option::of(0_usize..400)) {
        let declared = declare(&json!(names).to_string(), limit, None, |_| Ok::<_, ()>(tool.clone())).unwrap();
        let has_head = declared.text.contains("declare const tools: {");
        prop_assert!(has_head);
    }
}
