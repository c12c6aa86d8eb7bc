//! The index held to the rule, read naively: every word of the query against every word of every tool.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::query::{MAX_BYTES, MAX_WORDS};
use super::ranking::{ByField, FIELDS, Likeness, Ranking, best_field, bm25, is_function_word, weight};
use super::stem::stem;
use super::words::Words;
use super::{Hits, Options, ToolIndex};
use crate::declarations::source_of;

const RANKINGS: [Ranking; 3] = [Ranking::Words, Ranking::Rarity, Ranking::Bm25];

/// A tool as the rule sees it: the words of each field, and how many of them are words of the text.
struct Naive {
    /// The text of the name and its words, and the same of what is behind its source.
    names: Vec<(String, Vec<String>)>,
    fields: ByField<Vec<String>>,
    lengths: ByField<u32>,
}

fn split(text: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mut words = Words::default();
    words.read(text);
    let own = |words: &mut dyn Iterator<Item = &str>| words.map(str::to_owned).collect::<Vec<_>>();
    (own(&mut words.iter()), own(&mut words.pairs()), own(&mut words.glued_pairs()))
}

fn naive(tool: &Value, options: Options) -> Naive {
    let name = tool["name"].as_str().unwrap();
    let (words, pairs, _) = split(name);
    let of_source = split(source_of(name)).0.len();
    let mut names = vec![(name.to_owned(), words.clone())];
    if of_source > 0 {
        names.push((name[source_of(name).len()..].to_owned(), words[of_source..].to_vec()));
    }
    let mut lengths = [of_source as u32, (words.len() - of_source) as u32, 0, 0];
    let mut fields = ByField::<Vec<String>>::default();
    for words in [words, pairs] {
        for (at, word) in words.into_iter().enumerate() {
            fields[usize::from(at >= of_source)].push(word);
        }
    }
    let mut add = |field: usize, text: &str| {
        let (words, _, glued) = split(text);
        lengths[field] += words.len() as u32;
        fields[field].extend(words.into_iter().chain(glued));
    };
    add(2, tool["description"].as_str().unwrap_or(""));
    if options.parameters {
        for (name, property) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
            add(3, name);
            add(3, property["description"].as_str().unwrap_or(""));
            property["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).for_each(|value| add(3, value));
        }
    }
    if options.ranking == Ranking::Bm25 {
        fields = fields.map(|words| words.iter().map(|word| stem(word).into_owned()).collect());
    }
    Naive { names, fields, lengths }
}

fn search(tools: &Value, options: Options, query: &str, limit: usize) -> Hits {
    let tools: Vec<Naive> = tools.as_array().unwrap().iter().map(|tool| naive(tool, options)).collect();
    let (asked, _, glued) = split(query);
    if asked.is_empty() {
        return Hits { tools: (0..tools.len() as u32).take(limit).collect(), matched: tools.len() as u32 };
    }
    let usual = FIELDS.map(|field| {
        let total: u32 = tools.iter().map(|tool| tool.lengths[field as usize]).sum();
        (f64::from(total) / tools.len() as f64).max(1.0)
    });
    let impact = |tool: &Naive, word: &str| {
        let count = |words: &Vec<String>| words.iter().filter(|other| *other == word).count().min(255) as u8;
        let counts = tool.fields.each_ref().map(count);
        if options.ranking == Ranking::Bm25 {
            bm25(counts, tool.lengths, usual)
        } else {
            best_field(counts, tool.lengths)
        }
    };
    let mut scores = vec![0_i64; tools.len()];
    let mut seen = BTreeSet::new();
    let (functions, others): (Vec<_>, Vec<_>) = asked.iter().chain(&glued).partition(|word| is_function_word(word));
    let mut found = None;
    for word in others.iter().chain(&functions) {
        if is_function_word(word) && found.is_none() {
            found = Some(scores.iter().map(|score| *score > 0).collect::<Vec<bool>>());
        }
        let form = if options.ranking == Ranking::Bm25 { stem(word).into_owned() } else { (*word).clone() };
        if !seen.insert(form.clone()) {
            continue;
        }
        let best_of = |tool: &Naive| {
            let all = tool.fields.iter().flatten().filter(|other| other.starts_with(&form));
            let worth = |other: &String| Likeness::of(&form, other).left_of(impact(tool, other));
            all.map(worth).max().unwrap_or(0)
        };
        let best: Vec<u8> = tools.iter().map(best_of).collect();
        let matching = best.iter().filter(|&&best| best > 0).count();
        let weight = weight(options.ranking, is_function_word(word), matching, tools.len());
        let only = found.as_ref().filter(|found| found.contains(&true));
        for (at, best) in best.into_iter().enumerate() {
            scores[at] += if only.is_none_or(|found| found[at]) { i64::from(best) * i64::from(weight) } else { 0 };
        }
    }
    for (score, tool) in scores.iter_mut().zip(&tools) {
        // The whole name as it is spelled, by its words, and then the same behind the source.
        for ((text, _), steps) in tool.names.iter().zip([3_i64, 1]).filter(|((_, words), _)| *words == asked) {
            *score += (steps + i64::from(text == query.trim())) << 40;
        }
    }
    let mut found: Vec<u32> = (0..tools.len() as u32).filter(|&tool| scores[tool as usize] > 0).collect();
    found.sort_by_key(|&tool| std::cmp::Reverse(scores[tool as usize]));
    let matched = found.len() as u32;
    found.truncate(limit);
    Hits { tools: found, matched }
}

#[track_caller]
fn index(tools: &Value, options: Options) -> ToolIndex {
    ToolIndex::new(&tools.to_string(), options).unwrap()
}

fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description })
}

#[track_caller]
fn assert_found(tools: &Value, query: &str, expected: &[&str]) {
    let hits = index(tools, Options::default()).search(query, 20);
    let names: Vec<&str> = hits.tools.iter().map(|&at| tools[at as usize]["name"].as_str().unwrap()).collect();
    assert_eq!(names, expected, "{query}");
    assert_eq!(hits.matched as usize, expected.len());
}

/// Tools over few words, so that they match each other in every way there is.
fn some_tools() -> impl Strategy<Value = Value> {
    let word = || "(create|issue|Issue|issues|iss|is|the|of|to|a|git|Hub|é|2fa|创建|identifi(er|ers|ed)|[a-c]{1,3})";
    let text = move || vec(word(), 0..6).prop_map(|words| words.join(" "));
    let name =
        vec((word(), "(_|-||__)"), 1..4).prop_map(|parts| parts.into_iter().map(|(a, b)| a + &b).collect::<String>());
    let property = (vec(word(), 1..3), text(), vec(word(), 0..3)).prop_map(|(name, description, values)| {
        (name.join("_"), json!({ "description": description, "enum": values }))
    });
    let tool = (name, text(), vec(property, 0..3)).prop_map(|(name, description, properties)| {
        let properties: serde_json::Map<String, Value> = properties.into_iter().collect();
        json!({ "name": name, "description": description, "inputSchema": { "properties": properties } })
    });
    // Also many of one kind, so that some words stand in more tools than an eighth and some do not.
    (vec(tool.clone(), 1..40), vec(tool, 1..4), 0..120_usize).prop_map(|(some, few, times)| {
        some.into_iter().chain((0..times).map(|at| few[at % few.len()].clone())).collect()
    })
}

fn some_query() -> impl Strategy<Value = String> {
    let word = "(create|createIssue|Issue|issues|iss|is|i|the|th|of|to|a|github|GitHub|é|2fa|创|identifi|identifier|[a-c]{1,2}|zebra)";
    // A few words, and as many as a sentence has.
    (prop_oneof![vec(word, 0..6), vec(word, 6..40)], "( |_)").prop_map(|(words, between)| words.join(&between))
}

proptest! {
    #[test]
    fn finds_what_the_rule_read_naively_finds(tools in some_tools(), queries in vec(some_query(), 1..5), limit in 0..25_usize, parameters: bool) {
        for ranking in RANKINGS {
            let options = Options { ranking, parameters };
            let mut index = index(&tools, options);
            for query in &queries {
                prop_assert_eq!(index.search(query, limit), search(&tools, options, query, limit), "{} {:?}", query, options);
            }
        }
    }

    #[test]
    fn reads_any_text(texts in vec(any::<String>(), 1..6), queries in vec(any::<String>(), 1..6)) {
        let tools: Value = texts.iter().map(|text| json!({ "name": text, "description": text, "inputSchema": { "description": text } })).collect();
        for ranking in RANKINGS {
            let options = Options { ranking, parameters: true };
            let mut index = index(&tools, options);
            for query in queries.iter().chain(&texts) {
                let hits = index.search(query, 3);
                prop_assert!(hits.tools.len() <= 3 && hits.tools.len() <= hits.matched as usize);
                prop_assert!(hits.matched as usize <= texts.len());
            }
        }
    }
}

#[test]
fn scores_a_word_that_is_the_same_or_begins_one_and_the_name_most() {
    let tools = json!([
        tool("list_rows", "Issues of a table."),
        tool("list_repositories", "All of them."),
        tool("find", "Lists an issue."),
        tool("issuer", "Who it is."),
        tool("issue", "One."),
    ]);
    assert_found(&tools, "issue", &["issue", "issuer", "find", "list_rows"]);
    assert_found(&tools, "repo", &["list_repositories"]);
    assert_found(&tools, "sue", &[]);
    assert_found(&tools, "repositoriesx", &[]);
}

#[test]
fn puts_a_name_that_is_the_query_first_also_behind_its_source() {
    let longer = ["comment", "label", "reaction", "lock", "event"].map(|end| format!("hub__create_issue_{end}"));
    let tools: Value =
        longer.iter().map(String::as_str).chain(["hub__create_issue"]).map(|name| tool(name, "")).collect();
    for ranking in RANKINGS {
        let mut index = index(&tools, Options { ranking, parameters: false });
        for query in ["create_issue", "create issue", "createIssue", "hub__create_issue", "hub create issue"] {
            assert_eq!(index.search(query, 1).tools, [5], "{query} {ranking:?}");
        }
    }
    // The whole name goes before one behind a source, and what is spelled the same before what has the same words.
    let tools = json!([
        tool("hub__create_issue", ""),
        tool("hub__createIssue", ""),
        tool("create_issue", ""),
        tool("createIssue", ""),
        tool("create_issue_now", "")
    ]);
    for (query, expected) in [
        ("createIssue", [3, 2, 1, 0, 4]),
        ("  create_issue\n", [2, 3, 0, 1, 4]),
        ("create issue", [2, 3, 0, 1, 4]),
        ("hub__createIssue", [1, 0, 2, 3, 4]),
    ] {
        for ranking in RANKINGS {
            assert_eq!(
                index(&tools, Options { ranking, parameters: false }).search(query, 5).tools,
                expected,
                "{query} {ranking:?}"
            );
        }
    }
}

#[test]
fn lets_a_query_that_covers_more_of_a_name_find_it_first() {
    let tools = json!([
        tool("hub__repos_get_branch_protection", "Gets it."),
        tool("hub__repos_get_content", "Gets it."),
        tool("hub__repos_get", "Gets it."),
        tool("hub__pulls_list_requested_reviewers", "Lists who is asked."),
        tool("hub__pulls_list", "Lists pull requests."),
    ]);
    for ranking in RANKINGS {
        let mut index = index(&tools, Options { ranking, parameters: false });
        assert_eq!(index.search("get repos", 5).tools, [2, 1, 0], "{ranking:?}");
        assert_eq!(index.search("hub get repos", 3).tools, [2, 1, 0], "{ranking:?}");
        assert_eq!(index.search("list pull requests", 1).tools, [4], "{ranking:?}");
    }
}

#[test]
fn takes_a_plural_for_nearly_the_same_word() {
    let tools =
        json!([tool("username", ""), tool("users", ""), tool("user", ""), tool("branching", ""), tool("branches", "")]);
    assert_found(&tools, "user", &["user", "users", "username"]);
    assert_found(&tools, "branch", &["branches", "branching"]);
    // Also where many tools have both.
    let many: Value = (0..100).flat_map(|_| [tool("username", ""), tool("users", "")]).collect();
    for ranking in RANKINGS {
        let hits = index(&many, Options { ranking, parameters: false }).search("user", 100);
        assert!(hits.tools.iter().all(|at| at % 2 == 1), "{ranking:?}");
    }
}

#[test]
fn takes_no_match_by_a_or_the_where_another_word_finds_something() {
    let tools = json!([
        tool("create_issue", "Creates an issue in the repository."),
        tool("list_rows", "Lists the rows of a table."),
        tool("an", "What is the name of it."),
        tool("get_me", ""),
    ]);
    assert_found(&tools, "create an issue", &["create_issue"]);
    assert_found(&tools, "the rows of a table", &["list_rows"]);
    assert_found(&tools, "get me the rows", &["get_me", "list_rows"]);
    // By themselves they are words as any other, and so they are where nothing else is found.
    assert_found(&tools, "an", &["an", "create_issue"]);
    assert_found(&tools, "the", &["create_issue", "list_rows", "an"]);
    assert_found(&tools, "the zebra", &["create_issue", "list_rows", "an"]);
    // They tell apart what another word finds.
    let tools = json!([tool("show", "Of it."), tool("show", "Of me.")]);
    assert_eq!(index(&tools, Options::default()).search("show me", 1).tools, [1]);
}

#[test]
fn lets_a_word_like_the_tell_apart_many_tools_that_match_alike() {
    let tools: Value = (0..300).map(|at| tool("show", if at < 150 { "Of rows." } else { "The rows." })).collect();
    for ranking in RANKINGS {
        let mut index = index(&tools, Options { ranking, parameters: false });
        assert_eq!(index.search("show the rows", 3), Hits { tools: vec![150, 151, 152], matched: 300 }, "{ranking:?}");
        assert_eq!(index.search("show the rows", 200).tools[149..152], [299, 0, 1], "{ranking:?}");
    }
}

#[test]
fn reads_a_query_from_its_first_letter_on() {
    let tools = json!([tool("other", ""), tool("create_issue", "")]);
    for before in [" ", "_", "\u{a0}", "… "] {
        let query = before.repeat(70_000) + "issue";
        assert_found(&tools, &query, &["create_issue"]);
    }
}

#[test]
fn puts_a_name_that_is_the_query_first_however_it_is_written() {
    let longer = (0..50).map(|at| tool(&format!("create_issue_{at}"), "Create issue, create issue."));
    let tools: Value = longer.chain([tool("createIssue", "")]).collect();
    for query in ["createIssue", "create_issue", "create issue", "CREATE-ISSUE"] {
        for ranking in RANKINGS {
            let hits = index(&tools, Options { ranking, parameters: false }).search(query, 1);
            assert_eq!(hits, Hits { tools: vec![50], matched: 51 }, "{query} {ranking:?}");
        }
    }
}

#[test]
fn reads_create_issue_in_every_way_of_writing_it_as_the_same_words() {
    let tools = json!([tool("create_issue", ""), tool("create-issue", ""), tool("createIssue", ""), tool("issue", "")]);
    for ranking in RANKINGS {
        let mut index = index(&tools, Options { ranking, parameters: false });
        for query in ["create", "createi", "issue crea", "createissue", "CREATE_ISSUE", "create issue"] {
            let hits = index.search(query, 20);
            let same: Vec<u32> = hits.tools.into_iter().filter(|&tool| tool < 3).collect();
            assert_eq!(same, [0, 1, 2], "{query} {ranking:?}");
        }
        // Of names of the same words the one that is spelled as the query comes first.
        for (query, first) in [("create_issue", 0), ("create-issue", 1), ("createIssue", 2)] {
            let mut tools = index.search(query, 3).tools;
            assert_eq!(tools[0], first, "{query} {ranking:?}");
            tools.sort_unstable();
            assert_eq!(tools, [0, 1, 2], "{query} {ranking:?}");
        }
    }
}

#[test]
fn finds_a_name_of_two_words_that_are_written_as_one() {
    let tools =
        json!([tool("GitHub__issues", ""), tool("search", "Finds videos on YouTube."), tool("find", "Hub of all.")]);
    assert_found(&tools, "github", &["GitHub__issues"]);
    assert_found(&tools, "youtube", &["search"]);
    assert_found(&tools, "GitHub", &["GitHub__issues", "find"]);
}

#[test]
fn lists_the_tools_in_their_order_for_a_query_without_words() {
    let tools = json!([tool("b", ""), tool("a", ""), tool("", ""), tool("c", "")]);
    for query in ["", "   \n", "?!", "\u{301}", "__"] {
        let hits = index(&tools, Options::default()).search(query, 3);
        assert_eq!(hits, Hits { tools: vec![0, 1, 2], matched: 4 }, "{query:?}");
    }
}

#[test]
fn says_how_many_match_when_there_are_more_than_asked_for() {
    let tools: Value = (0..300).map(|at| tool(&format!("tool_{at}"), if at % 3 == 0 { "good" } else { "" })).collect();
    let mut index = index(&tools, Options::default());
    assert_eq!(index.search("good", 5), Hits { tools: vec![0, 3, 6, 9, 12], matched: 100 });
    assert_eq!(index.search("tool", 2), Hits { tools: vec![0, 1], matched: 300 });
    assert_eq!(index.search("tool", 0), Hits { tools: vec![], matched: 300 });
    assert_eq!(index.search("good", usize::MAX).tools.len(), 100);
}

#[test]
fn searches_parameters_only_when_asked_to() {
    let schema = json!({ "properties": { "dueDate": { "description": "When.", "enum": ["tomorrow"] } } });
    let tools = json!([{ "name": "a", "description": "b", "inputSchema": schema }]);
    for ranking in RANKINGS {
        for query in ["due", "when", "tomorrow"] {
            for parameters in [false, true] {
                let hits = index(&tools, Options { ranking, parameters }).search(query, 5);
                assert_eq!(hits.matched, u32::from(parameters), "{query}");
            }
        }
    }
}

#[test]
fn finds_the_forms_of_a_word_under_bm25() {
    let tools = json!([tool("create_repository", "Adds it."), tool("list", "")]);
    for (query, ranking, matched) in [
        ("creating", Ranking::Bm25, 1),
        ("repositories", Ranking::Bm25, 1),
        ("adding", Ranking::Bm25, 1),
        ("creating", Ranking::Words, 0),
        ("creating", Ranking::Rarity, 0),
    ] {
        assert_eq!(index(&tools, Options { ranking, parameters: false }).search(query, 5).matched, matched, "{query}");
    }
}

#[test]
fn takes_names_that_mean_something_to_javascript_for_words() {
    let tools = json!([tool("__proto__", ""), tool("constructor", "toString"), tool("hasOwnProperty", "")]);
    assert_found(&tools, "__proto__", &["__proto__"]);
    assert_found(&tools, "toString", &["constructor"]);
    assert_found(&tools, "has own property", &["hasOwnProperty"]);
}

#[test]
fn says_what_is_wrong_with_tools_that_it_cannot_read() {
    for (tools, expected) in [
        ("{}", "expected a list of tools, got an object"),
        (r#"[{"name":"a"},{"description":"b"}]"#, "tool 1 has no name"),
        ("[1]", "tool 0 has no name"),
        ("[", "EOF while parsing a list at line 1, column 1"),
    ] {
        assert_eq!(ToolIndex::new(tools, Options::default()).unwrap_err().to_string(), expected, "{tools}");
    }
    let lenient = r#"[{"name":"a","description":null,"inputSchema":7},{"name":"b \ud800","description":"\udc00 c"}]"#;
    let mut index = ToolIndex::new(lenient, Options { ranking: Ranking::Words, parameters: true }).unwrap();
    assert_eq!((index.len(), index.search("c", 5).tools), (2, vec![1]));
    assert!(ToolIndex::new("[]", Options::default()).unwrap().search("a", 5).tools.is_empty());
}

/// A text of every character there is, in words of some letters.
fn every_character() -> String {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    all.chunks(7).map(|chunk| chunk.iter().collect::<String>() + " ").collect()
}

#[test]
fn answers_hostile_queries() {
    let tools: Value = (0..2_000)
        .map(|at| tool(&format!("tool_{at}"), "Gets a thing of a kind, for the things that are kinds of things."))
        .collect();
    let distinct: String = (0..150_000).map(|at| format!("{at:x} ")).collect();
    let prefixes: String = (1..1_400).map(|length| "t".repeat(length) + " ").collect();
    let queries = [
        " ".repeat(1 << 20),
        "a".repeat(1 << 20),
        "thing ".repeat(1 << 18),
        "aB".repeat(1 << 19),
        "\u{fdfa}".repeat(1 << 19),
        format!("a{}", "\u{301}\u{316}".repeat(1 << 18)),
        "___---".repeat(1 << 18),
        distinct,
        prefixes,
        every_character(),
    ];
    for ranking in RANKINGS {
        let mut index = index(&tools, Options { ranking, parameters: false });
        for query in &queries {
            assert!(index.search(query, 20).tools.len() <= 20);
            assert!(index.work <= MAX_BYTES + MAX_WORDS * index.len(), "{} for {query:.20}", index.work);
        }
        assert_eq!(index.search("tool 7", 1).tools, [7], "nothing is left of the queries before");
    }
}

#[test]
fn reads_hostile_tools() {
    let long = "thing ".repeat(2_000_000);
    let unbroken = "x".repeat(10_000_000);
    let alike: String = (0..2_000).map(|length| "y".repeat(length) + " ").collect();
    let tools = json!([
        { "name": "long", "description": long, "inputSchema": { "description": every_character() } },
        { "name": "unbroken", "description": unbroken },
        { "name": unbroken, "description": alike },
        { "name": "z".repeat(1000), "description": every_character() },
    ]);
    for ranking in RANKINGS {
        let mut index = index(&tools, Options { ranking, parameters: true });
        let size = tools.to_string().len();
        assert!(index.size() <= 2 * size, "{} bytes for {size} of text", index.size());
        assert_eq!(index.search("thing", 5).tools, [0]);
        assert_eq!(index.search(&unbroken, 5).matched, 2);
        assert_eq!(index.search("yyy", 5).tools, [2]);
    }
}

#[test]
fn reads_a_hundred_thousand_tools() {
    let tools: Value = (0..100_000).map(|at| tool(&format!("s{at}__get_{}", at % 7), "Gets what there is.")).collect();
    let mut index = index(&tools, Options::default());
    assert_eq!(index.search("s99999 get", 1), Hits { tools: vec![99_999], matched: 100_000 });
    assert_eq!(index.search("get 3", 2), Hits { tools: vec![3, 10], matched: 100_000 });
}
