use super::*;
use crate::declarations::types::Types;
use crate::declarations::work::Work;
use crate::json::check;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The type of a schema.
fn type_of(schema: &Value) -> String {
    type_of_text(&schema.to_string())
}

fn type_of_text(schema: &str) -> String {
    let mut work = Work::of_at_most(tool::steps_for(schema.len()));
    tool::type_of(Some(check(schema).unwrap()), Types::UNKNOWN, &mut work)
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
        (
            json!({ "anyOf": [{ "allOf": [either[0], either[1]] }, { "type": "null" }] }),
            "({ a: string } & { b: number }) | null",
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
    // What is plain is said behind them all the same.
    let plain = json!({ "properties": { "last": { "type": "string" } }, "required": ["last"] });
    let all = [pairs, vec![plain]].concat();
    assert!(type_of(&json!({ "allOf": all })).ends_with(" & { last: string }"));
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
        // What the type does not allow is no value.
        (json!({ "type": "string", "enum": ["a", 1, null, ["b"], true] }), r#""a""#),
        (json!({ "type": ["integer", "null"], "enum": ["a", 1, 1.5, 2.0, null] }), "1 | 2.0 | null"),
        (json!({ "type": "string", "enum": ["a", null], "nullable": true }), r#""a" | null"#),
        (json!({ "type": "array", "enum": [["a"], { "b": 1 }] }), r#"["a"]"#),
        (json!({ "type": "string", "const": 1 }), "never"),
        (json!({ "type": "file", "enum": ["a", 1] }), r#""a" | 1"#),
    ]);
    let beyond = r#"{"enum":[1e400,-1e400,12345678901234567890,1.50]}"#;
    assert_eq!(type_of_text(beyond), "1.7976931348623157e308 | -1.7976931348623157e308 | 12345678901234567890 | 1.50");
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
    let text = type_of_text(schema);
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
    assert_eq!(type_of(&schemas[7]), "/** One of 100000 values: 0, 1, 2, 3, 4, … */ number");
    // It is counted what this takes: what is tried is tried with the steps of one attempt.
    for schema in &schemas {
        let text = schema.to_string();
        let mut work = Work::of_at_most(tool::steps_for(text.len()));
        tool::type_of(Some(check(&text).unwrap()), Types::UNKNOWN, &mut work);
        let most = tool::steps_for(text.len()) + 2 * text.len() + 60_000;
        assert!(work.spent() <= most, "{} steps of {most} for {text:.60}", work.spent());
    }
}

#[test]
fn tells_once_what_many_references_lead_to() {
    let steps =
        |schema: &Value| Tool::of(check(&json!({ "inputSchema": schema }).to_string()).unwrap()).declaration("\"a\"");
    let (text, steps_of_doubling) = steps(&doubling(22, |next| json!({ "allOf": [next, next] })));
    assert_eq!(text, "\n  a(input: string): Promise<unknown>;");
    // Of more schemas within each other than are read it is not known what they say, and no more work to find out.
    let (text, steps_beyond) = steps(&doubling(60, |next| json!({ "allOf": [next, next] })));
    assert_eq!(text, "\n  a(input: Record<string, unknown>): Promise<unknown>;");
    let values: Vec<String> = (0..500).map(|at| format!("v{at}")).collect();
    let properties: serde_json::Map<String, Value> =
        (0..50).map(|at| (format!("p{at}"), json!({ "$ref": "#/$defs/e" }))).collect();
    let schema =
        json!({ "type": "object", "properties": properties, "required": ["p7"], "$defs": { "e": { "enum": values } } });
    let (text, steps_of_values) = steps(&schema);
    assert!(
        text.contains("    p7: /** One of 500 values: \"v0\", \"v1\", \"v2\", \"v3\", \"v4\", … */ string;\n"),
        "{text}"
    );
    assert_eq!(text.matches("?: /** One of 500 values").count(), 49);
    for steps in [steps_of_doubling, steps_beyond, steps_of_values] {
        assert!(steps < 60_000, "{steps} steps");
    }
}

#[test]
fn shortens_what_repeats_and_keeps_names_and_what_is_required() {
    let values: Vec<String> = (0..180).map(|at| format!("value {at} */")).collect();
    let properties = |count: usize, of: Value| {
        (0..count).map(|at| (format!("p{at}"), of.clone())).collect::<serde_json::Map<String, Value>>()
    };
    let of_values = |count| {
        json!({
            "type": "object", "properties": properties(count, json!({ "$ref": "#/$defs/e", "description": "Of these." })),
            "required": ["p1", "other"], "$defs": { "e": { "type": "string", "enum": values } }
        })
    };
    // Where there is room all values are told.
    assert_eq!(type_of(&of_values(4)).matches("| \"value 179 */\"").count(), 4);
    let text = type_of(&of_values(6));
    let some = r#"/** One of 180 values: "value 0 *\/", "value 1 *\/", "value 2 *\/", "value 3 *\/", "value 4 *\/", … */ string;"#;
    for shown in
        [format!("    p0?: {some}"), format!("    p1: {some}"), "    other: unknown;".into(), "/** Of these. */".into()]
    {
        assert!(text.contains(&shown), "{text}");
    }
    // Constants with descriptions are values too, and so are those of more than one kind.
    let constants: Vec<Value> = (0..1000)
        .map(|at| json!({ "const": at, "description": "d".repeat(60) }))
        .chain([json!({ "const": "x" })])
        .collect();
    let text = type_of(&json!({ "type": "object", "properties": { "a": { "oneOf": constants } } }));
    assert_eq!(text, "{ a?: /** One of 1001 values: 0, 1, 2, 3, 4, … */ number | string }");

    // However many there are, and whatever the work: what is required first, of the others as many as there is room for.
    let mut many = json!({ "type": "object", "properties": properties(20_000, json!({ "type": ["integer", "null"] })), "required": ["p19999"] });
    let text = type_of(&many);
    assert!(text.starts_with("{\n    p19999: number | null;\n    p0?: number | null;\n"), "{text:.80}");
    assert!(text.contains(" more properties. */\n    [key: string]: unknown;") && units(&text) > 50_000);
    many["required"] = (0..20_000).map(|at| format!("p{at}")).collect();
    assert!(type_of(&many).contains(" of them required. */"));
    let ring: serde_json::Map<String, Value> = (0..60)
        .map(|at| {
            (
                format!("d{at}"),
                json!({ "anyOf": (0..60).map(|to| json!({ "$ref": format!("#/$defs/d{to}") })).collect::<Vec<_>>() }),
            )
        })
        .collect();
    let hostile = json!({
        "allOf": [{ "$ref": "#/$defs/own" }], "properties": { "x": { "$ref": "#/$defs/d0" } }, "required": ["y"],
        "$defs": { "own": { "properties": { "y": { "type": "boolean", "nullable": true }, "z": { "type": "array" } } } }
    });
    let mut hostile = hostile;
    hostile["$defs"].as_object_mut().unwrap().extend(ring);
    assert_eq!(type_of(&hostile), "{ x?: unknown; y: boolean | null; z?: Array<unknown> }");
}

#[test]
fn names_only_what_is_beyond_the_work_for_all_tools() {
    let ring: serde_json::Map<String, Value> = (0..12)
        .map(|at| {
            (
                format!("d{at}"),
                json!({ "anyOf": (0..12).map(|to| json!({ "$ref": format!("#/$defs/d{to}") })).collect::<Vec<_>>() }),
            )
        })
        .collect();
    let hostile =
        json!({ "inputSchema": { "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": ring } }).to_string();
    let plain = json!({ "inputSchema": { "type": "object", "properties": { "x": { "type": "string" } } } }).to_string();
    let names: Vec<String> = (0..2_000).map(|at| format!("tool_{at}")).collect();
    for (tool, most) in [(&hostile, 200), (&plain, 2_000)] {
        let mut read = 0;
        let declared = declare(&json!(names).to_string(), None, Some("[]"), |_| {
            read += 1;
            Ok::<_, ()>(tool.clone())
        });
        let declared = declared.unwrap();
        assert_eq!(declared.is_complete, most == names.len());
        assert!(read <= most, "{read} were read");
        for name in &names {
            let is_named = declared.text.contains(&format!("  {name}(input: {{ x?: "))
                || declared.text.contains(&format!(" {name},"))
                || declared.text.contains(&format!(" {name}\n"));
            assert!(is_named, "{name}");
        }
    }
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
    let shown = some.text.matches("/** ddd").count();
    assert!((10..20).contains(&shown), "{}", some.text);
    for shown in [
        "\n  one__a(input: {".to_owned(),
        "\n  \"two-x__b\"(input: {".into(),
        // A source is declared as far as there is room.
        "\n  big__tool_0(input: {".into(),
        format!(
            "\n// {} more tools, by name:\n// big__tool… ({}): big__tool_{}, ",
            102 - shown,
            102 - shown,
            shown - 2
        ),
    ] {
        assert!(some.text.contains(&shown), "{}", some.text);
    }
    assert!(read.len() < 80, "a schema is not read in vain: {}", read.len());
    assert!(some.example.is_some());
    for limit in [0, 100, 500, 1000, 2000, 4000, 10_000, 20_000] {
        let (within, _) = with(Some(limit));
        let finder = "\n  $search(input: { query: string }): Promise<unknown>;".len();
        assert!(units(&within.text) <= limit.max(120) + finder, "{} of {limit}", units(&within.text));
    }
}

#[test]
fn declares_what_fits_and_skips_what_does_not() {
    let large = json!({ "description": "l".repeat(9_000), "inputSchema": {} });
    let small = json!({ "description": "s", "inputSchema": { "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] } });
    let names: Vec<String> = (0..60).map(|at| format!("big__tool_{at}")).collect();
    let with = |limit, is_large: fn(usize) -> bool| {
        let mut read = 0;
        let declared = declare(&json!(names).to_string(), Some(limit), None, |at| {
            read += 1;
            Ok::<_, ()>(if is_large(at) { large.to_string() } else { small.to_string() })
        });
        (declared.unwrap(), read)
    };
    // The first of the only source is too long, and those behind it are declared.
    let (declared, _) = with(8_000, |at| at < 5);
    for at in 0..60 {
        assert_eq!(declared.text.contains(&format!("  big__tool_{at}(")), at >= 5, "{at}: {}", declared.text);
    }
    assert!(declared.text.contains("// 5 more tools, by name:\n// big__… (5): big__tool_0, "), "{}", declared.text);
    // The example is of one that is declared.
    assert_eq!(declared.example.as_deref(), Some(r#"await tools.big__tool_5({ q: "q" })"#));
    // Nothing else fits either: it is not tried for ever.
    let (declared, read) = with(5_000, |_| true);
    assert!(!declared.text.contains("  big__tool_"));
    assert!(read <= 35, "{read}");
    // The names take no more than they need: the rest is for declarations.
    let whole = with(1_000_000, |_| false).0.text.len();
    let (declared, _) = with(whole - 1, |_| false);
    assert!(declared.text.len() > whole / 2 && declared.text.len() < whole, "{}", declared.text.len());
}

#[test]
fn makes_the_example_of_a_tool_that_is_declared() {
    let named_first = json!({ "description": "l".repeat(5_000), "inputSchema": { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] } });
    let then =
        json!({ "inputSchema": { "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"] } });
    let names = json!(["s__first", "s__second"]).to_string();
    let with = |limit| {
        declare(&names, Some(limit), None, |at| Ok::<_, ()>(if at == 0 { &named_first } else { &then }.to_string()))
            .unwrap()
    };
    let some = with(1_000);
    assert!(some.text.contains("  s__second(") && !some.text.contains("  s__first("), "{}", some.text);
    assert_eq!(some.example.as_deref(), Some(r#"await tools.s__second({ b: "b" })"#));
    // Where none is declared, of one that is named.
    assert_eq!(with(100).example.as_deref(), Some(r#"await tools.s__first({ a: "a" })"#));
}

#[test]
fn makes_no_check_of_a_large_schema_for_an_example() {
    let of_size = |bytes: usize| json!({ "inputSchema": { "type": "object", "properties": { "a": { "type": "string", "description": "d".repeat(bytes) } }, "required": ["a"] } });
    let example = |tool: &Value| declared(&json!(["a"]), None, tool).example;
    assert_eq!(example(&of_size(31 << 10)).as_deref(), Some(r#"await tools.a({ a: "a" })"#));
    assert_eq!(example(&of_size(32 << 10)), None);
    // The next tool has one.
    let tools = [of_size(32 << 10).to_string(), of_size(1).to_string()];
    let declared = declare(r#"["a","b"]"#, None, None, |at| Ok::<_, ()>(tools[at].clone())).unwrap();
    assert_eq!(declared.example.as_deref(), Some(r#"await tools.b({ a: "a" })"#));
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
