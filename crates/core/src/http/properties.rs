//! What holds of every template within the rules and whatever a model gives (R-000-008).
//!
//! The rule: what a request must look like is worked out here from the template as it was made up and from URL
//! parsing alone, never by the code under test.

use percent_encoding::percent_decode_str;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use url::Url;

use super::{Content, Request, Requests};
use crate::cases::cases;

/// A piece of a made-up path segment.
#[derive(Debug, Clone)]
enum Part {
    Literal(&'static str),
    Property(usize),
}

/// A template as it was made up.
#[derive(Debug, Clone)]
struct Made {
    base: &'static str,
    method: &'static str,
    segments: Vec<Vec<Part>>,
    literal_query: &'static str,
    query: Vec<(String, usize)>,
    headers: Vec<(String, usize)>,
    body: bool,
}

/// A value as it was made up.
#[derive(Debug, Clone)]
enum Given {
    Nothing,
    Text(String),
    Bare(&'static str),
    HalfPair(String),
    Refused(&'static str),
    List(Vec<Given>),
}

impl Given {
    fn json(&self) -> Option<String> {
        Some(match self {
            Self::Nothing => return None,
            Self::Text(text) => json!(text).to_string(),
            Self::Bare(json) | Self::Refused(json) => (*json).to_owned(),
            Self::HalfPair(text) => json!(text).to_string().replace("HALF", "\\ud83d"),
            Self::List(items) => {
                let items: Vec<_> = items.iter().filter_map(Self::json).collect();
                format!("[{}]", items.join(","))
            }
        })
    }

    /// The texts that are sent, when such a value may be sent at all.
    fn texts(&self) -> Option<Vec<String>> {
        match self {
            Self::Nothing => Some(vec![]),
            Self::Text(text) => Some(vec![text.clone()]),
            Self::Bare(json) => Some(vec![(*json).to_owned()]),
            Self::HalfPair(_) | Self::Refused(_) => None,
            Self::List(items) => {
                let texts = |item: &Self| match item {
                    Self::List(_) => None,
                    item => item.texts(),
                };
                Some(items.iter().map(texts).collect::<Option<Vec<_>>>()?.concat())
            }
        }
    }
}

const PROPERTIES: [&str; 6] = ["p", "", "__proto__", "{p}", "a\"\\\u{1F600}", "Host"];

fn literal() -> impl Strategy<Value = Part> {
    select(vec!["repos", "v1.", ".", "..", "%2e", "%2F", "a b", "é", "\\", ":@", "|^[]", "%", "\r\n", "'", ";x=1", "-"])
        .prop_map(Part::Literal)
}

fn segment() -> impl Strategy<Value = Vec<Part>> {
    let part = prop_oneof![3 => literal(), 2 => (0..PROPERTIES.len()).prop_map(Part::Property)];
    vec(part, 1..4)
}

fn made() -> impl Strategy<Value = Made> {
    let base = select(vec!["https://api.example.com", "http://[::1]:8080/v1/", "https://h.example/a%20b/c?key=a%26b"]);
    let names = btree_set("[a-zA-Z\\[\\]&=# é]{1,4}", 0..4);
    let headers = btree_set("x-[a-z0-9!~]{1,4}", 0..3);
    let property = || 0..PROPERTIES.len();
    (base, vec(segment(), 1..5), names, headers, vec(property(), 8), any::<(bool, bool)>()).prop_map(
        |(base, mut segments, names, headers, properties, (write, literal_query))| {
            for segment in &mut segments {
                let literal = |part: &Part| matches!(part, Part::Literal(_));
                let dots = |part: &Part| matches!(part, Part::Literal("." | ".." | "%2e"));
                if segment.iter().all(literal) && segment.iter().all(dots) {
                    segment.push(Part::Literal("x"));
                }
            }
            let (for_query, for_headers) = properties.split_at(4);
            Made {
                base,
                method: if write { "PATCH" } else { "GET" },
                segments,
                literal_query: if literal_query { "?kind=a%26b&flag" } else { "" },
                query: names.into_iter().zip(for_query.iter().copied()).collect(),
                headers: headers.into_iter().zip(for_headers.iter().copied()).collect(),
                body: write,
            }
        },
    )
}

impl Made {
    /// The properties that fill the path, each once.
    fn in_path(&self) -> Vec<usize> {
        let mut found = vec![];
        for part in self.segments.iter().flatten() {
            if let Part::Property(property) = part
                && !found.contains(property)
            {
                found.push(*property);
            }
        }
        found
    }

    fn requests(&self) -> Requests {
        let place = |kind: &str, name: &str, property: usize| json!({ "property": PROPERTIES[property], "in": kind, "name": name });
        let mut parameters: Vec<Value> = vec![];
        parameters.extend(self.in_path().into_iter().map(|property| place("path", &format!("n{property}"), property)));
        parameters.extend(self.query.iter().map(|(name, property)| place("query", name, *property)));
        parameters.extend(self.headers.iter().map(|(name, property)| place("header", name, *property)));
        let mut path = String::new();
        for segment in &self.segments {
            path.push('/');
            for part in segment {
                match part {
                    Part::Literal(text) => path.push_str(text),
                    Part::Property(property) => path.push_str(&format!("{{n{property}}}")),
                }
            }
        }
        path.push_str(self.literal_query);
        let mut request = json!({ "method": self.method, "path": path, "parameters": parameters });
        if self.body {
            request["body"] = json!("the body");
        }
        Requests::new(self.base, &json!([{ "name": "op", "request": request }]).to_string()).unwrap()
    }
}

fn nasty() -> impl Strategy<Value = String> {
    let piece = select(vec![
        ".",
        "..",
        "/",
        "\\",
        "%2e",
        "%2F",
        "%",
        "?",
        "#",
        "&",
        "=",
        "+",
        "{n0}",
        "{p}",
        "\r\n",
        "\0",
        "\t",
        " ",
        "@",
        ":",
        "//evil.example",
        "é",
        "日本",
        "😀",
        "\u{85}",
        "\u{2028}",
        "\u{FEFF}",
        "a",
        "b",
        "'",
        "\"",
        ";",
        ",",
    ]);
    prop_oneof![
        3 => vec(piece, 0..5).prop_map(|pieces| pieces.concat()),
        3 => "[a-z0-9.]{1,6}",
        1 => any::<String>(),
    ]
}

fn given() -> impl Strategy<Value = Given> {
    let one = || {
        prop_oneof![
            24 => nasty().prop_map(Given::Text),
            6 => select(vec!["0", "-1.50", "1e+400", "12345678901234567890", "true", "false"]).prop_map(Given::Bare),
            1 => nasty().prop_map(|text| Given::HalfPair(format!("{text}HALF"))),
            1 => select(vec!["null", "{}", "{\"a\":[1]}"]).prop_map(Given::Refused),
        ]
    };
    prop_oneof![1 => Just(Given::Nothing), 12 => one(), 2 => vec(one(), 0..4).prop_map(Given::List)]
}

/// The text of an input: properties in any order, some of no place, some given twice.
fn input(values: &[Given], decoy: bool) -> String {
    let mut members = vec![];
    for (name, value) in PROPERTIES.iter().zip(values) {
        if let Some(json) = value.json() {
            if decoy {
                members.push(format!("{}:{{\"decoy\":\"/../\"}}", json!(name)));
            }
            members.push(format!("{}:{json}", json!(name)));
        }
    }
    if decoy {
        members.push("\"\\ud800\":\"x\",\"Authorization\":\"Bearer x\",\"method\":\"DELETE\"".to_owned());
    }
    members.push("\"the body\":[1.0,\"\\ud800\"]".to_owned());
    format!("{{{}}}", members.join(" , "))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

/// What a URL parser and a client would make of the request, held to what the template says.
fn holds(made: &Made, values: &[Given], request: &Request) {
    let base = Url::parse(made.base).unwrap();
    let url = Url::parse(&request.url).unwrap();
    assert_eq!(url.as_str(), request.url);
    assert_eq!(request.method, made.method);
    assert_eq!(url.origin(), base.origin());
    assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None));

    let path = url.path().strip_prefix(base.path().trim_end_matches('/')).unwrap();
    let sent: Vec<_> = path.strip_prefix('/').unwrap().split('/').collect();
    assert_eq!(sent.len(), made.segments.len());
    for (sent, segment) in sent.into_iter().zip(&made.segments) {
        let meant: String = segment
            .iter()
            .map(|part| match part {
                Part::Literal(text) => decoded(text),
                Part::Property(property) => values[*property].texts().unwrap().concat(),
            })
            .collect();
        assert_eq!(decoded(sent), meant);
    }

    let mut meant = vec![];
    for pair in [base.query().unwrap_or_default(), made.literal_query.trim_start_matches('?')].join("&").split('&') {
        if let (key, value) = pair.split_once('=').unwrap_or((pair, ""))
            && !key.is_empty()
        {
            meant.push((decoded(key), decoded(value)));
        }
    }
    for (key, property) in &made.query {
        meant.extend(values[*property].texts().unwrap().into_iter().map(|value| (key.clone(), value)));
    }
    assert_eq!(url.query_pairs().into_owned().collect::<Vec<_>>(), meant);

    let mut meant = vec![];
    for (name, property) in &made.headers {
        let texts = values[*property].texts().unwrap();
        if !texts.is_empty() {
            meant.push((name.clone(), texts.join(",")));
        }
    }
    assert_eq!(request.headers, meant);
    for (_, value) in &request.headers {
        assert!(value.chars().all(|character| character <= '\u{FF}' && !character.is_control()), "{value:?}");
    }
    let content = request.body.as_ref().map(|body| body.content.clone());
    assert_eq!(content, made.body.then(|| Content::Text("[1.0,\"\\ud800\"]".to_owned())));
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn r_000_008_whatever_the_model_gives_the_request_is_the_templates(
        made in made(),
        values in vec(given(), PROPERTIES.len()),
        decoy in any::<bool>(),
    ) {
        if let Ok(request) = made.requests().build(0, &input(&values, decoy)) {
            holds(&made, &values, &request);
        }
    }

    #[test]
    fn r_000_166_a_plain_input_is_always_sent(made in made(), texts in vec("[a-z0-9]{1,8}", PROPERTIES.len())) {
        let values: Vec<_> = texts.into_iter().map(Given::Text).collect();
        let request = made.requests().build(0, &input(&values, true)).unwrap();
        holds(&made, &values, &request);
    }

    #[test]
    fn r_000_163_an_accepted_value_round_trips_and_only_empty_and_dots_are_refused(text in nasty()) {
        let requests = Requests::new(
            "https://h/a",
            r#"[{"name":"x","request":{"method":"GET","path":"/{p}/z","parameters":[{"property":"p","in":"path","name":"p"}]}}]"#,
        ).unwrap();
        match requests.build(0, &json!({ "p": text }).to_string()) {
            Ok(request) => {
                let sent = request.url.strip_prefix("https://h/a/").unwrap().strip_suffix("/z").unwrap();
                prop_assert_eq!(decoded(sent), text);
            }
            Err(_) => prop_assert!(matches!(text.as_str(), "" | "." | "..")),
        }
    }

    #[test]
    fn no_text_makes_build_panic(
        made in made(),
        values in vec(given(), PROPERTIES.len()),
        noise in any::<String>(),
        at in any::<Index>(),
        cut in any::<Index>(),
    ) {
        let requests = made.requests();
        let _ = requests.build(0, &noise);
        let mut characters: Vec<_> = input(&values, true).chars().collect();
        let at = at.index(characters.len());
        let end = at + cut.index(characters.len() - at);
        characters.splice(at..end, noise.chars());
        let _ = requests.build(0, &characters.into_iter().collect::<String>());
    }

    #[test]
    fn no_text_makes_new_panic(base in any::<String>(), path in "[/{}?#%.ax]{0,12}", noise in any::<String>()) {
        let _ = Requests::new(&base, &noise);
        let template = json!([{ "name": noise, "request": { "method": "GET", "path": path, "parameters": [] } }]);
        if let Ok(requests) = Requests::new("https://h/a", &template.to_string()) {
            let request = requests.build(0, "{}").unwrap();
            prop_assert!(request.url.starts_with("https://h/a"));
        }
    }
}
