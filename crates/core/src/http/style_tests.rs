//! The tables of OpenAPI's styles, and what they leave open.

use serde_json::{Value, json};

use super::super::Requests;

/// What `{ name: "color" }` becomes in a place of a style: an empty text, a text, a list and an object, as the "Style
/// Examples" of OpenAPI 3.0.4, 3.1.1 and 3.2.0 have them. `None` is what they leave undefined.
struct Row {
    place: &'static str,
    style: &'static str,
    explode: bool,
    empty: Option<&'static str>,
    text: Option<&'static str>,
    list: Option<&'static str>,
    object: Option<&'static str>,
}

const fn row(place: &'static str, style: &'static str, explode: bool, cells: [Option<&'static str>; 4]) -> Row {
    let [empty, text, list, object] = cells;
    Row { place, style, explode, empty, text, list, object }
}

const TABLE: &[Row] = &[
    row(
        "path",
        "matrix",
        false,
        [Some(";color"), Some(";color=blue"), Some(";color=blue,black,brown"), Some(";color=R,100,G,200,B,150")],
    ),
    row(
        "path",
        "matrix",
        true,
        [Some(";color"), Some(";color=blue"), Some(";color=blue;color=black;color=brown"), Some(";R=100;G=200;B=150")],
    ),
    // A segment of "." alone, or of nothing, would make it another path: it is refused.
    row("path", "label", false, [None, Some(".blue"), Some(".blue,black,brown"), Some(".R,100,G,200,B,150")]),
    row("path", "label", true, [None, Some(".blue"), Some(".blue.black.brown"), Some(".R=100.G=200.B=150")]),
    row("path", "simple", false, [None, Some("blue"), Some("blue,black,brown"), Some("R,100,G,200,B,150")]),
    row("path", "simple", true, [None, Some("blue"), Some("blue,black,brown"), Some("R=100,G=200,B=150")]),
    row("header", "simple", false, [Some(""), Some("blue"), Some("blue,black,brown"), Some("R,100,G,200,B,150")]),
    row("header", "simple", true, [Some(""), Some("blue"), Some("blue,black,brown"), Some("R=100,G=200,B=150")]),
    row(
        "query",
        "form",
        false,
        [Some("color="), Some("color=blue"), Some("color=blue,black,brown"), Some("color=R,100,G,200,B,150")],
    ),
    row(
        "query",
        "form",
        true,
        [Some("color="), Some("color=blue"), Some("color=blue&color=black&color=brown"), Some("R=100&G=200&B=150")],
    ),
    row(
        "query",
        "spaceDelimited",
        false,
        [None, None, Some("color=blue%20black%20brown"), Some("color=R%20100%20G%20200%20B%20150")],
    ),
    row(
        "query",
        "pipeDelimited",
        false,
        [None, None, Some("color=blue%7Cblack%7Cbrown"), Some("color=R%7C100%7CG%7C200%7CB%7C150")],
    ),
    row("query", "deepObject", true, [None, None, None, Some("color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150")]),
];

fn requests(place: &str, more: &Value) -> Requests {
    let mut parameter = json!({ "property": "color", "in": place, "name": "color" });
    parameter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let path = if place == "path" { "/{color}" } else { "/" };
    let request = json!({ "method": "GET", "path": path, "parameters": [parameter] });
    Requests::new("https://h", &json!([{ "name": "op", "request": request }]).to_string()).unwrap()
}

/// What is sent in the place.
fn sent(requests: &Requests, place: &str, value: &Value) -> Result<String, String> {
    let input = json!({ "color": value }).to_string();
    let request = requests.build(0, &input).map_err(|error| error.description().to_owned())?;
    Ok(match place {
        "path" => request.url.strip_prefix("https://h/").unwrap().to_owned(),
        "query" => request.url.strip_prefix("https://h/").unwrap().trim_start_matches('?').to_owned(),
        _ => request.headers.first().map(|(_, value)| value.clone()).unwrap_or_default(),
    })
}

fn in_style(place: &str, style: &str, explode: bool, value: Value) -> Result<String, String> {
    sent(&requests(place, &json!({ "style": style, "explode": explode })), place, &value)
}

#[test]
fn every_value_is_written_as_the_table_of_styles_has_it() {
    for Row { place, style, explode, empty, text, list, object } in TABLE {
        for (expected, value) in [
            (empty, json!("")),
            (text, json!("blue")),
            (list, json!(["blue", "black", "brown"])),
            (object, json!({ "R": 100, "G": 200, "B": 150 })),
        ] {
            let Some(expected) = expected else { continue };
            let written = in_style(place, style, *explode, value.clone());
            assert_eq!(written.as_deref(), Ok(*expected), "{place} {style} {explode} {value}");
        }
    }
}

#[test]
fn a_style_that_says_nothing_of_explode_has_its_default() {
    for Row { place, style, explode, list, object, .. } in
        TABLE.iter().filter(|row| (row.style == "form") == row.explode)
    {
        let requests = requests(place, &json!({ "style": style }));
        assert!(!explode || *style == "form");
        for (expected, value) in
            [(list, json!(["blue", "black", "brown"])), (object, json!({ "R": 100, "G": 200, "B": 150 }))]
        {
            if let Some(expected) = expected {
                assert_eq!(sent(&requests, place, &value).as_deref(), Ok(*expected), "{place} {style}");
            }
        }
    }
}

#[test]
fn delimited_lists_that_are_exploded_have_a_key_for_each_value() {
    for style in ["spaceDelimited", "pipeDelimited"] {
        assert_eq!(in_style("query", style, true, json!(["a b", "c|d"])).as_deref(), Ok("color=a%20b&color=c%7Cd"));
    }
}

#[test]
fn what_a_value_holds_is_encoded_and_what_separates_values_is_not() {
    let odd = json!(["a,b", "c&d=e", "f/g?h#i"]);
    assert_eq!(in_style("query", "form", false, odd.clone()).unwrap(), "color=a%2Cb,c%26d%3De,f%2Fg%3Fh%23i");
    assert_eq!(in_style("path", "simple", false, odd.clone()).unwrap(), "a%2Cb,c%26d%3De,f%2Fg%3Fh%23i");
    assert_eq!(in_style("path", "matrix", true, odd).unwrap(), ";color=a%2Cb;color=c%26d%3De;color=f%2Fg%3Fh%23i");
    assert_eq!(in_style("query", "deepObject", true, json!({ "a.b c": "d]" })).unwrap(), "color%5Ba.b%20c%5D=d%5D");
    assert_eq!(in_style("path", "label", false, json!("a.b")).unwrap(), ".a.b");
}

#[test]
fn a_value_that_holds_what_separates_values_is_refused_where_it_cannot_be_told_apart() {
    for (place, style, explode, value, separator) in [
        ("query", "spaceDelimited", false, json!(["a", "b c"]), " "),
        ("query", "pipeDelimited", false, json!(["a|b"]), "|"),
        ("query", "pipeDelimited", false, json!({ "a|b": 1 }), "|"),
        ("header", "simple", false, json!(["a,b"]), ","),
        ("header", "simple", true, json!({ "a": "b,c" }), ","),
        ("header", "simple", true, json!({ "a=b": "c" }), "="),
        ("path", "label", true, json!(["a.b", "c"]), "."),
    ] {
        let refusal = in_style(place, style, explode, value.clone()).unwrap_err();
        assert!(
            refusal.starts_with("color") && refusal.contains(&format!("holds {separator:?}")),
            "{value}: {refusal}"
        );
    }
    assert_eq!(in_style("header", "simple", false, json!("a,b")).unwrap(), "a,b");
    assert_eq!(in_style("header", "simple", false, json!({ "a=b": "c" })).unwrap(), "a=b,c");
}

#[test]
fn what_is_nested_further_goes_into_brackets_and_nowhere_else() {
    let nested = json!({ "a": { "b": ["c", "d"], "e": [{ "f": 1 }, { "f": true }] }, "g": [["h"]], "i": [], "j": {} });
    assert_eq!(
        in_style("query", "deepObject", true, nested.clone()).unwrap().replace("%5B", "[").replace("%5D", "]"),
        "color[a][b][]=c&color[a][b][]=d&color[a][e][0][f]=1&color[a][e][1][f]=true&color[g][0][]=h"
    );
    assert_eq!(in_style("query", "deepObject", true, json!(["a", "b"])).unwrap(), "color%5B%5D=a&color%5B%5D=b");
    assert_eq!(in_style("query", "deepObject", true, json!(7)).unwrap(), "color=7");
    for (place, style) in
        [("path", "simple"), ("path", "matrix"), ("header", "simple"), ("query", "form"), ("query", "pipeDelimited")]
    {
        for (value, at) in [
            (json!({ "a": [1] }), "color.a: expected"),
            (json!([1, {}]), "color[1]: expected"),
            (json!([null]), "color[0]: expected"),
        ] {
            let refusal = in_style(place, style, false, value).unwrap_err();
            assert!(refusal.starts_with(at), "{refusal}");
        }
    }
}

#[test]
fn keys_that_brackets_cannot_hold_are_refused() {
    for key in ["", "a]", "[b", "a][b"] {
        let refusal = in_style("query", "deepObject", true, json!({ key: 1 })).unwrap_err();
        assert!(refusal.contains("bracket"), "{key}: {refusal}");
    }
    let half = requests("query", &json!({ "style": "deepObject" })).build(0, r#"{"color":{"\ud800":1}}"#).unwrap_err();
    assert!(half.description().contains("surrogate"), "{half}");
    let null = in_style("query", "deepObject", true, json!({ "a": { "b": null } })).unwrap_err();
    assert!(null.starts_with("color[a][b]: expected") && null.contains("leave it out"), "{null}");
}

#[test]
fn a_list_or_an_object_of_nothing_is_not_sent_and_fills_no_path() {
    for style in ["form", "spaceDelimited", "pipeDelimited", "deepObject"] {
        for explode in [true, false] {
            for nothing in [json!([]), json!({})] {
                assert_eq!(in_style("query", style, explode, nothing.clone()).unwrap(), "", "{style} {nothing}");
                assert_eq!(in_style("header", "simple", explode, nothing).unwrap(), "");
            }
        }
    }
    for style in ["simple", "label", "matrix"] {
        assert!(in_style("path", style, false, json!([])).unwrap_err().contains("may not be empty"), "{style}");
    }
}

#[test]
fn r_000_164_no_style_makes_a_segment_another_path() {
    for (style, value) in [
        ("simple", json!(["."])),
        ("simple", json!([".."])),
        ("simple", json!("")),
        ("simple", json!("..")),
        ("label", json!("")),
        ("label", json!(".")),
        ("label", json!([""])),
    ] {
        for explode in [true, false] {
            assert!(in_style("path", style, explode, value.clone()).is_err(), "{style} {value}");
        }
    }
    assert!(in_style("path", "label", true, json!(["", ""])).is_err());
    assert_eq!(in_style("path", "label", true, json!(["a", ""])).unwrap(), ".a.");
    assert_eq!(in_style("path", "simple", false, json!(["..", "..", "x/y"])).unwrap(), "..,..,x%2Fy");
}

#[test]
fn allow_reserved_keeps_what_a_query_can_hold_and_makes_no_pair() {
    let reserved = |style: &str, explode: bool, value: Value| {
        sent(&requests("query", &json!({ "style": style, "explode": explode, "allowReserved": true })), "query", &value)
            .unwrap()
    };
    assert_eq!(reserved("form", true, json!("a:/?@!$()*,;=b")), "color=a:/?@!$()*,;=b");
    // These would end the query, begin another pair, or be read as a space; and brackets a query does not hold.
    assert_eq!(reserved("form", true, json!("#&+[]' \\")), "color=%23%26%2B%5B%5D%27%20%5C");
    assert_eq!(reserved("form", true, json!("%2F%zz%")), "color=%2F%25zz%25");
    assert_eq!(reserved("form", false, json!(["a,b", "c/d"])), "color=a%2Cb,c/d");
    assert_eq!(reserved("deepObject", true, json!({ "a": "b/c" })), "color%5Ba%5D=b/c");
}

#[test]
fn the_keys_of_an_exploded_object_are_no_other_parameters() {
    let request = json!({ "method": "GET", "path": "/x?kind=a%26b", "parameters": [
        { "property": "filter", "in": "query", "name": "filter", "style": "form" },
        { "property": "more", "in": "query", "name": "more", "style": "form" },
        { "property": "page", "in": "query", "name": "page[size]" }
    ] });
    let requests =
        Requests::new("https://h/v1?key=mine", &json!([{ "name": "op", "request": request }]).to_string()).unwrap();
    let url = |input: Value| requests.build(0, &input.to_string()).map(|request| request.url);
    assert_eq!(
        url(json!({ "filter": { "a": 1, "filter": 2 }, "more": { "b": 3 }, "page": 4 })).unwrap(),
        "https://h/v1/x?key=mine&kind=a%26b&a=1&filter=2&b=3&page%5Bsize%5D=4"
    );
    for key in ["key", "kind", "page[size]", "more"] {
        let refusal = url(json!({ "filter": { key: 1 } })).unwrap_err();
        assert_eq!(
            refusal.description(),
            format!("filter.{key}: is the key of another parameter; give it there, or another key")
        );
    }
    assert!(url(json!({ "filter": { "a": 1 }, "more": { "a": 2 } })).unwrap_err().description().starts_with("more.a"));
}

#[test]
fn a_value_of_a_media_type_is_sent_as_json_text() {
    let value = json!({ "é": [1, "a&b"], "n": null });
    for (place, expected) in [
        ("query", "color=%7B%22%C3%A9%22%3A%5B1%2C%22a%26b%22%5D%2C%22n%22%3Anull%7D"),
        ("path", "%7B%22%C3%A9%22%3A%5B1%2C%22a%26b%22%5D%2C%22n%22%3Anull%7D"),
        ("header", r#"{"\u00e9":[1,"a&b"],"n":null}"#),
    ] {
        let requests = requests(place, &json!({ "mediaType": "application/json" }));
        assert_eq!(sent(&requests, place, &value).unwrap(), expected);
    }
    let header = requests("header", &json!({ "mediaType": "application/json" }));
    assert_eq!(sent(&header, "header", &json!("😀\u{7f}")).unwrap(), r#""\ud83d\ude00\u007f""#);
}

#[test]
fn a_little_input_makes_no_large_request_and_no_deep_one_a_stack() {
    let long = "k".repeat(1 << 20);
    let wide: serde_json::Map<String, Value> = (0..1000).map(|at| (format!("k{at}"), json!(at))).collect();
    let refusal = in_style("query", "deepObject", true, json!({ long: wide })).unwrap_err();
    assert!(refusal.contains("too large"), "{}", &refusal[..200]);
    let deep = format!("{{\"color\":{}1{}}}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let refusal = requests("query", &json!({ "style": "deepObject" })).build(0, &deep).unwrap_err();
    assert!(refusal.description().contains("more than 32 levels"), "{refusal}");
    let form = requests("query", &json!({ "style": "form" })).build(0, &deep).unwrap_err();
    assert!(form.description().starts_with("color.a: expected"), "{form}");
}
