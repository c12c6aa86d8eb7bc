//! Exchanges against servers from a script.

use std::sync::Arc;

use serde_json::{Value, json};

use super::script::{Answer, Driver, Ended, Sent, Then, answer, error, result, unreachable};
use super::{Reason, Server};

fn fresh() -> Arc<Server> {
    Arc::new(Server::new("mcp.example.com"))
}

fn initialized(sent: &Sent, version: &str, id: Option<&str>) -> Answer {
    let mut head = result(sent, &json!({ "protocolVersion": version, "capabilities": {}, "serverInfo": {} }));
    head.session_id = id.map(str::to_owned);
    head
}

/// A server of the stateless protocol, whose other methods answer as given.
fn stateless(mut other: impl FnMut(&Sent) -> Answer) -> impl FnMut(&Sent) -> Answer {
    move |sent| match sent.method() {
        "server/discover" => result(sent, &json!({ "supportedVersions": ["2026-07-28"] })),
        _ => other(sent),
    }
}

/// A server with sessions, whose other methods answer as given.
fn sessions(mut other: impl FnMut(&Sent) -> Answer) -> impl FnMut(&Sent) -> Answer {
    let mut begun = 0;
    move |sent| match sent.method() {
        "server/discover" => error(sent, 400, &json!({ "code": -32601, "message": "no" })),
        "initialize" => {
            begun += 1;
            initialized(sent, "2025-06-18", Some(&format!("session-{begun}")))
        }
        "notifications/initialized" => answer(202, "", ""),
        _ => other(sent),
    }
}

fn said(sent: &Sent) -> Answer {
    result(sent, &json!({ "structuredContent": sent.message["params"]["arguments"] }))
}

#[test]
fn r_000_093_the_first_need_of_a_server_asks_it_in_the_stateless_protocol() {
    let mut driver = Driver::new(stateless(said));
    let server = fresh();
    assert_eq!(driver.call(&server, "echo", r#"{"a":1}"#).value(), json!({ "a": 1 }));
    assert_eq!(driver.call(&server, "echo", r#"{"a":2}"#).value(), json!({ "a": 2 }));
    assert_eq!(driver.methods(), ["server/discover", "tools/call", "tools/call"]);
    let ids: Vec<&Value> = driver.sent.iter().map(|sent| &sent.message["id"]).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert!(driver.sent.iter().all(|sent| sent.header("mcp-session-id").is_none()));
}

#[test]
fn r_000_101_a_session_begins_with_initialize_and_its_id_goes_with_every_later_request() {
    let mut driver = Driver::new(sessions(said));
    assert_eq!(driver.call(&fresh(), "echo", "{}").value(), json!({}));
    assert_eq!(driver.methods(), ["server/discover", "initialize", "notifications/initialized", "tools/call"]);
    let ids: Vec<Option<&str>> = driver.sent.iter().map(|sent| sent.header("mcp-session-id")).collect();
    assert_eq!(ids, [None, None, Some("session-1"), Some("session-1")]);
    let versions: Vec<Option<&str>> = driver.sent.iter().map(|sent| sent.header("mcp-protocol-version")).collect();
    assert_eq!(versions, [Some("2026-07-28"), None, Some("2025-06-18"), Some("2025-06-18")]);
}

/// What a probe's answer means: the rest of the messages, or the reason of the failure.
fn probe(probe: &dyn Fn(&Sent) -> Answer) -> Result<Vec<String>, Reason> {
    let mut driver = Driver::new(|sent: &Sent| match sent.method() {
        "server/discover" => probe(sent),
        "initialize" => initialized(sent, "2025-11-25", None),
        "notifications/initialized" => answer(202, "", ""),
        _ => said(sent),
    });
    match driver.call(&fresh(), "t", "{}") {
        Ended::Done(_) => Ok(driver.methods().into_iter().map(str::to_owned).collect()),
        Ended::Failed(failure) => {
            assert!(!driver.methods().contains(&"initialize"), "{failure:?} after initialize");
            Err(failure.reason)
        }
        Ended::Silence => panic!("it waits for ever"),
    }
}

#[test]
fn r_000_096_any_answer_that_is_not_the_stateless_protocols_means_a_session() {
    let session = ["server/discover", "initialize", "notifications/initialized", "tools/call"];
    let refused = |code: i64, data: Value| json!({ "code": code, "message": "m", "data": data });
    let mut cases: Vec<(String, Answer)> = Vec::new();
    for status in [400, 404, 405, 406, 409, 410, 415, 422] {
        for (media_type, body) in
            [("text/html", "<html>"), ("application/json", ""), ("", "no"), ("application/json", "{}")]
        {
            cases.push((format!("{status} {body}"), answer(status, media_type, body)));
        }
    }
    for (status, media_type, body) in [
        (200, "application/json", "{}"),
        (200, "application/json", ""),
        (200, "application/json", "{\"id\":99,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}"),
        (200, "application/json", "{\"result\":{\"supportedVersions\":[\"2025-11-25\"]}}"),
        (200, "application/json", "{\"result\":{\"supportedVersions\":\"2026-07-28\"}}"),
        (200, "application/json", "{\"result\":null}"),
        (200, "text/plain", "ok"),
        (200, "text/html", "<html>"),
        (200, "text/event-stream", ""),
        (200, "text/event-stream", ": hello\n\n"),
        (202, "", ""),
        (204, "", ""),
        (
            400,
            "application/json",
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"Server not initialized\"},\"id\":null}",
        ),
        (404, "application/json", "{\"error\":\"Invalid session ID\"}"),
    ] {
        cases.push((format!("{status} {media_type} {body}"), answer(status, media_type, body)));
    }
    for (name, given) in cases {
        assert_eq!(probe(&move |_| given.clone()).as_deref(), Ok(&session.map(str::to_owned)[..]), "{name}");
    }
    for status in [200, 400, 404] {
        for code in [-32601, -32600, -32602, -32603, -32000, -32020, -32021, -32022, -32700, 1] {
            let given = refused(code, Value::Null);
            assert_eq!(probe(&move |sent| error(sent, status, &given)).unwrap().len(), 4, "{status} {code}");
        }
        let given = refused(-32022, json!({ "supported": ["2099-01-01", "2025-11-25"] }));
        assert_eq!(probe(&move |sent| error(sent, status, &given)).unwrap().len(), 4);
    }
}

#[test]
fn r_000_125_a_server_that_refuses_or_is_not_there_has_said_nothing_of_the_protocol() {
    for (status, reason) in [
        (401, Reason::Authentication),
        (403, Reason::Authentication),
        (408, Reason::Unavailable),
        (429, Reason::Unavailable),
        (500, Reason::Unavailable),
        (501, Reason::Unavailable),
        (503, Reason::Unavailable),
        (301, Reason::InvalidResponse),
        (307, Reason::InvalidResponse),
    ] {
        assert_eq!(probe(&move |sent| error(sent, status, &json!({ "code": -32601 }))), Err(reason), "{status}");
    }
    assert_eq!(probe(&|_| unreachable()), Err(Reason::Unavailable));
    let cut = Answer { then: Then::Break, ..answer(200, "application/json", "{\"result\"") };
    assert_eq!(probe(&move |_| cut.clone()), Err(Reason::Unavailable));
    let unknown = json!({ "code": -32022, "data": { "supported": ["2099-01-01"] } });
    assert_eq!(probe(&move |sent| error(sent, 400, &unknown)), Err(Reason::Unsupported));
}

#[test]
fn a_server_that_refuses_the_version_it_supports_is_asked_once_more() {
    let refused =
        json!({ "code": -32022, "message": "m", "data": { "supported": ["2026-07-28"], "requested": "2026-07-28" } });
    let asked = std::cell::Cell::new(0);
    let patient = probe(&|sent| {
        asked.set(asked.get() + 1);
        if asked.get() == 1 {
            error(sent, 400, &refused)
        } else {
            result(sent, &json!({ "supportedVersions": ["2026-07-28"] }))
        }
    });
    assert_eq!(patient.unwrap(), ["server/discover", "server/discover", "tools/call"]);
    assert_eq!(probe(&|sent| error(sent, 400, &refused)), Err(Reason::Unsupported));
    let mut times = 0;
    let mut driver = Driver::new(stateless(|sent| {
        times += 1;
        if times == 1 { error(sent, 400, &refused) } else { said(sent) }
    }));
    assert_eq!(driver.call(&fresh(), "t", "{}").value(), json!({}));
    assert_eq!(driver.methods(), ["server/discover", "tools/call", "tools/call"]);
}

#[test]
fn r_000_100_a_session_in_a_version_that_is_not_supported_is_refused() {
    for (version, reason) in [("2024-10-07", Reason::Unsupported), ("2026-07-28", Reason::Unsupported)] {
        let mut driver = Driver::new(|sent: &Sent| match sent.method() {
            "initialize" => initialized(sent, version, None),
            _ => answer(404, "", ""),
        });
        assert_eq!(driver.list(&fresh()).failure().reason, reason, "{version}");
    }
    for given in [json!({}), json!(null), json!([]), json!({ "protocolVersion": 7 })] {
        let mut driver = Driver::new(|sent: &Sent| match sent.method() {
            "initialize" => result(sent, &given),
            _ => answer(404, "", ""),
        });
        assert_eq!(driver.list(&fresh()).failure().reason, Reason::InvalidResponse, "{given}");
    }
}

#[test]
fn r_000_099_a_server_that_refuses_the_newest_version_is_asked_for_one_it_names() {
    let mut driver =
        Driver::new(|sent: &Sent| match (sent.method(), sent.message["params"]["protocolVersion"].as_str()) {
            ("initialize", Some("2025-06-18")) => initialized(sent, "2025-06-18", None),
            ("initialize", _) => {
                error(sent, 200, &json!({ "code": -32602, "data": { "supported": ["2025-03-26", "2025-06-18", "1"] } }))
            }
            ("notifications/initialized", _) => answer(204, "", ""),
            ("server/discover", _) => answer(404, "", ""),
            _ => said(sent),
        });
    assert_eq!(driver.call(&fresh(), "t", "{}").value(), json!({}));
    assert_eq!(driver.sent[4].header("mcp-protocol-version"), Some("2025-06-18"));
}

#[test]
fn r_000_103_an_ended_session_is_begun_again_once_and_the_request_repeated() {
    for refusal in [answer(404, "", ""), answer(400, "application/json", "{\"error\":{\"code\":-32000},\"id\":null}")] {
        let mut ended = false;
        let mut driver = Driver::new(sessions(|sent| {
            if sent.header("mcp-session-id") == Some("session-1") && ended {
                return refusal.clone();
            }
            ended = true;
            said(sent)
        }));
        let server = fresh();
        driver.call(&server, "t", "{}").value();
        assert_eq!(driver.call(&server, "t", r#"{"b":1}"#).value(), json!({ "b": 1 }));
        assert_eq!(driver.methods()[4..], ["tools/call", "initialize", "notifications/initialized", "tools/call"]);
        assert_eq!(driver.sent[7].header("mcp-session-id"), Some("session-2"));
    }
}

#[test]
fn r_000_104_a_second_ending_is_a_failure() {
    for (refusal, reason) in [
        (answer(404, "", ""), Reason::Unavailable),
        (answer(400, "", ""), Reason::InvalidResponse),
        (
            answer(400, "application/json", "{\"error\":{\"code\":-32602,\"message\":\"Unknown tool\"}}"),
            Reason::NotFound,
        ),
    ] {
        let mut driver = Driver::new(sessions(|_| refusal.clone()));
        assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, reason);
        assert_eq!(driver.methods()[3..], ["tools/call", "initialize", "notifications/initialized", "tools/call"]);
    }
}

#[test]
fn a_session_that_cannot_be_begun_again_is_negotiated_from_the_start_by_the_next_call() {
    let mut times = 0;
    let mut driver = Driver::new(|sent: &Sent| {
        times += 1;
        match (times, sent.method()) {
            (1, _) => answer(404, "", ""),
            (2, "initialize") => initialized(sent, "2025-11-25", Some("s")),
            (3, "notifications/initialized") => answer(202, "", ""),
            (4, "tools/call") | (5, "initialize") => answer(404, "", ""),
            (6, "server/discover") => result(sent, &json!({ "supportedVersions": ["2026-07-28"] })),
            (7, "tools/call") => said(sent),
            _ => panic!("{times}: {}", sent.method()),
        }
    });
    let server = fresh();
    assert_eq!(driver.call(&server, "t", "{}").failure().reason, Reason::InvalidResponse);
    assert_eq!(driver.call(&server, "t", "{}").value(), json!({}));
}

#[test]
fn a_server_that_wants_a_session_now_is_asked_anew() {
    for refusal in [
        json!({ "code": -32022, "data": { "supported": ["2025-11-25"] } }),
        json!({ "code": -32022 }),
        json!({ "code": -32000, "message": "Server not initialized" }),
    ] {
        let mut discovered = 0;
        let mut driver = Driver::new(|sent: &Sent| match sent.method() {
            "server/discover" if discovered == 0 => {
                discovered += 1;
                result(sent, &json!({ "supportedVersions": ["2026-07-28"] }))
            }
            "initialize" => initialized(sent, "2025-11-25", Some("s")),
            "notifications/initialized" => answer(202, "", ""),
            "tools/call" if sent.header("mcp-session-id").is_some() => said(sent),
            _ => error(sent, 400, &refusal),
        });
        assert_eq!(driver.call(&fresh(), "t", "{}").value(), json!({}), "{refusal}");
    }
}

#[test]
fn r_000_107_pages_are_followed_to_the_end() {
    let mut driver = Driver::new(sessions(|sent| match sent.message["params"].get("cursor").map(Value::as_str) {
        None => result(sent, &json!({ "tools": [{ "name": "a" }], "nextCursor": "" })),
        Some(Some("")) => {
            result(sent, &json!({ "tools": [{ "name": "b" }, { "name": "a" }], "nextCursor": "\u{e9}\"" }))
        }
        Some(Some("é\"")) => result(sent, &json!({ "tools": [{ "name": "c" }], "nextCursor": null })),
        other => panic!("{other:?}"),
    }));
    let (tools, warnings) = driver.list(&fresh()).tools();
    let names: Vec<&Value> = tools.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn r_000_108_a_listing_has_an_end() {
    let mut driver =
        Driver::new(stateless(|sent| result(sent, &json!({ "tools": [{ "name": "a" }], "nextCursor": "same" }))));
    let (tools, warnings) = driver.list(&fresh()).tools();
    assert_eq!((tools.as_array().unwrap().len(), driver.sent.len()), (1, 3));
    assert!(warnings[1].contains("cursor repeats"), "{warnings:?}");
    let mut page = 0;
    let mut driver = Driver::new(stateless(|sent| {
        page += 1;
        result(sent, &json!({ "tools": [], "nextCursor": page.to_string() }))
    }));
    let (_, warnings) = driver.list(&fresh()).tools();
    assert!(warnings[0].contains("1,000 pages"), "{warnings:?}");
    assert_eq!(driver.sent.len(), 1001);
}

#[test]
fn a_server_without_tools_need_not_know_what_they_are() {
    for status in [200, 404] {
        let mut driver = Driver::new(stateless(|sent| error(sent, status, &json!({ "code": -32601 }))));
        assert_eq!(driver.list(&fresh()).tools().0, json!([]));
    }
    let mut driver = Driver::new(stateless(|sent| error(sent, 200, &json!({ "code": -32603 }))));
    assert_eq!(driver.list(&fresh()).failure().reason, Reason::Unknown);
    let mut driver = Driver::new(stateless(|sent| result(sent, &json!({ "tools": {} }))));
    assert_eq!(driver.list(&fresh()).failure().reason, Reason::InvalidResponse);
}

/// A server that refuses a call without the headers that its tool `t` asks for.
fn marked<'a>(marks: &'a std::cell::RefCell<Value>) -> impl FnMut(&Sent) -> Answer + 'a {
    stateless(move |sent| {
        let properties = marks.borrow();
        match sent.method() {
            "tools/list" => result(
                sent,
                &json!({ "tools": [{ "name": "t", "inputSchema": { "type": "object", "properties": *properties } }] }),
            ),
            _ => {
                let wanted = properties.as_object().unwrap().iter().filter_map(|(name, schema)| {
                    let given = sent.message["params"]["arguments"].get(name)?;
                    Some((format!("mcp-param-{}", schema["x-mcp-header"].as_str()?.to_lowercase()), given.to_string()))
                });
                let all =
                    wanted.into_iter().all(|(header, value)| sent.header(&header) == Some(value.trim_matches('"')));
                if all { said(sent) } else { error(sent, 400, &json!({ "code": -32020, "message": "HeaderMismatch" })) }
            }
        }
    })
}

#[test]
fn r_000_141_refused_headers_are_learned_and_the_call_repeated_once() {
    let marks = std::cell::RefCell::new(json!({ "a": { "type": "string", "x-mcp-header": "A" } }));
    let mut driver = Driver::new(marked(&marks));
    let server = fresh();
    assert_eq!(driver.call(&server, "t", r#"{"a":"x"}"#).value(), json!({ "a": "x" }));
    assert_eq!(driver.methods(), ["server/discover", "tools/call", "tools/list", "tools/call"]);
    assert_eq!(driver.sent[1].header("mcp-param-a"), None);
    *marks.borrow_mut() = json!({ "b": { "type": "integer", "x-mcp-header": "B" } });
    assert_eq!(driver.call(&server, "t", r#"{"a":"x","b":2}"#).value(), json!({ "a": "x", "b": 2 }));
    assert_eq!(driver.methods()[4..], ["tools/call", "tools/list", "tools/call"]);
    assert_eq!((driver.sent[6].header("mcp-param-a"), driver.sent[6].header("mcp-param-b")), (None, Some("2")));
}

#[test]
fn r_000_142_the_same_headers_refused_again_are_a_failure() {
    let mut driver = Driver::new(stateless(|sent| match sent.method() {
        "tools/list" => result(sent, &json!({ "tools": [] })),
        _ => error(sent, 400, &json!({ "code": -32020 })),
    }));
    assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, Reason::InvalidResponse);
    assert_eq!(driver.methods(), ["server/discover", "tools/call", "tools/list"]);
}

#[test]
fn a_cut_answer_of_a_session_is_asked_for_again_behind_the_last_event() {
    let stream = |body: &str| answer(200, "text/event-stream", body);
    let mut gets = 0;
    let mut driver = Driver::new(sessions(|sent| match sent.method() {
        "tools/call" => stream("id: e1\nretry: 250\ndata:\n\n"),
        "GET" => {
            gets += 1;
            let id = &sent.header("last-event-id").unwrap();
            match gets {
                1 => Answer {
                    then: Then::Break,
                    ..stream("id: e2\ndata: {\"method\":\"notifications/progress\"}\n\nda")
                },
                2 => unreachable(),
                _ => stream(&format!(
                    "id: e3\ndata: {{\"id\":3,\"result\":{{\"structuredContent\":{{\"id\":\"{id}\"}}}}}}\n\n"
                )),
            }
        }
        other => panic!("{other}"),
    }));
    let value = driver.call(&fresh(), "t", "{}").value();
    assert_eq!(value, json!({ "id": "e2" }));
    let get = &driver.sent[4].request;
    assert_eq!((get.wait_ms, driver.sent[4].header("mcp-session-id")), (250, Some("session-1")));
}

#[test]
fn r_000_117_a_stream_without_the_answer_is_a_failure() {
    let mut driver =
        Driver::new(stateless(|_| answer(200, "text/event-stream", "id: 1\ndata: {\"method\":\"x\"}\n\n")));
    assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, Reason::Unavailable);
    assert_eq!(driver.methods().len(), 2);
    // A server that promises the rest and never gives it is asked a few times.
    let mut driver = Driver::new(sessions(|sent| match sent.method() {
        "GET" => answer(200, "text/event-stream", ""),
        _ => answer(200, "text/event-stream", "id: 1\ndata:\n\n"),
    }));
    assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, Reason::Unavailable);
    assert_eq!(driver.methods()[3..], ["tools/call", "GET", "GET", "GET"]);
    for (status, media_type) in [(405, ""), (404, ""), (200, "text/html")] {
        let mut driver = Driver::new(sessions(|sent| match sent.method() {
            "GET" => answer(status, media_type, ""),
            _ => answer(200, "text/event-stream", "id: 1\ndata:\n\n"),
        }));
        assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, Reason::Unavailable);
        assert_eq!(driver.methods()[3..], ["tools/call", "GET"]);
    }
}

#[test]
fn r_000_091_a_call_that_is_given_up_is_told_to_a_server_with_sessions_only() {
    for (is_stateless, expected) in [(true, 0), (false, 1)] {
        let server = fresh();
        let silent = |_: &Sent| Answer { then: Then::Silence, ..answer(200, "application/json", "{") };
        let mut driver = if is_stateless { Driver::new(stateless(silent)) } else { Driver::new(sessions(silent)) };
        assert_eq!(driver.call(&server, "t", "{}"), Ended::Silence);
        let mut call = super::Exchange::call(&server, "t", "{}");
        assert_eq!(call.cancel(), None);
        call.begin();
        let cancelled: Vec<Value> = call
            .cancel()
            .into_iter()
            .map(|request| serde_json::from_str(request.body.as_ref().unwrap()).unwrap())
            .collect();
        assert_eq!(cancelled.len(), expected);
        assert!(cancelled.iter().all(|message| message["params"]["requestId"] == 4));
        assert_eq!(call.cancel(), None);
        let mut list = super::Exchange::list(&server);
        list.begin();
        assert_eq!(list.cancel(), None);
    }
}

#[test]
fn a_large_answer_is_looked_at_apart_and_one_too_large_is_a_failed_call() {
    let rows = json!(vec![json!({ "name": "x".repeat(50) }); 10_000]);
    for media_type in ["application/json", "text/event-stream"] {
        let mut driver = Driver::new(stateless(|sent| {
            let message = json!({ "id": sent.message["id"], "result": { "structuredContent": rows } });
            answer(
                200,
                media_type,
                if media_type.ends_with("json") { message.to_string() } else { format!("data: {message}\n\n") },
            )
        }));
        driver.piece = 64 << 10;
        assert!(driver.call(&fresh(), "t", "{}").value().as_u64() > Some(2));
        let mut driver =
            Driver::new(stateless(|_| answer(200, media_type, format!("data: {{\"a\":\"{}", "x".repeat(17 << 20)))));
        driver.piece = 1 << 20;
        let failure = driver.call(&fresh(), "t", "{}").failure();
        assert_eq!(failure.reason, Reason::CallFailed);
        assert!(failure.description.unwrap().contains("16 MiB"));
    }
}

#[test]
fn an_error_that_names_the_request_was_answered_within_the_session() {
    for (code, words) in [(-32602, "session_id is required"), (-32603, "broke"), (42, "no")] {
        let mut driver = Driver::new(sessions(|sent| error(sent, 400, &json!({ "code": code, "message": words }))));
        let server = fresh();
        driver.call(&server, "t", "{}").failure();
        driver.call(&server, "t", "{}").failure();
        assert_eq!(driver.methods()[3..], ["tools/call", "tools/call"], "{code}");
    }
    let mut driver = Driver::new(sessions(|sent| error(sent, 404, &json!({ "code": -32601 }))));
    assert_eq!(driver.list(&fresh()).tools().0, json!([]));
}

#[test]
fn a_server_that_has_changed_its_manner_is_asked_how_by_the_next_call_at_the_latest() {
    let plain = |status| answer(status, "text/plain", "Unexpected message, expected initialize request");
    // From the stateless protocol to sessions, whatever the refusal is.
    for refusal in
        [plain(400), plain(404), plain(422), answer(400, "application/json", "{\"message\":\"Session ID missing\"}")]
    {
        let mut discovered = 0;
        let mut driver = Driver::new(|sent: &Sent| match sent.method() {
            "server/discover" => {
                discovered += 1;
                if discovered == 1 {
                    result(sent, &json!({ "supportedVersions": ["2026-07-28"] }))
                } else {
                    refusal.clone()
                }
            }
            "initialize" => initialized(sent, "2025-11-25", Some("s")),
            "notifications/initialized" => answer(202, "", ""),
            _ if sent.header("mcp-session-id").is_some() => said(sent),
            _ => refusal.clone(),
        });
        let server = fresh();
        assert_eq!(driver.call(&server, "t", "{}").failure().reason, Reason::InvalidResponse);
        assert_eq!(driver.call(&server, "t", "{}").value(), json!({}));
    }
    // From sessions without an id to the stateless protocol.
    for code in [-32022, -32020] {
        let upgraded = std::cell::Cell::new(false);
        let mut driver = Driver::new(|sent: &Sent| match sent.method() {
            "server/discover" if upgraded.get() => result(sent, &json!({ "supportedVersions": ["2026-07-28"] })),
            _ if upgraded.get() && sent.header("mcp-method").is_none() => {
                error(sent, 400, &json!({ "code": code, "data": { "supported": ["2026-07-28"] } }))
            }
            "server/discover" => answer(404, "", ""),
            "initialize" => initialized(sent, "2025-11-25", None),
            "notifications/initialized" => answer(202, "", ""),
            _ => said(sent),
        });
        let server = fresh();
        driver.call(&server, "t", "{}").value();
        upgraded.set(true);
        assert_eq!(driver.call(&server, "t", "{}").value(), json!({}));
    }
}

#[test]
fn arguments_named_after_a_session_do_not_begin_one() {
    let mut driver = Driver::new(stateless(|sent| {
        error(sent, 400, &json!({ "code": -32602, "message": "session_id is required" }))
    }));
    assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, Reason::InvalidInput);
    assert_eq!(driver.methods(), ["server/discover", "tools/call"]);
}

#[test]
fn a_long_cursor_and_a_large_listing_are_bounded() {
    let mut driver =
        Driver::new(stateless(|sent| result(sent, &json!({ "tools": [], "nextCursor": "x".repeat(70_000) }))));
    assert!(driver.list(&fresh()).tools().1[0].contains("64 KiB"));
    let schema = json!({ "type": "object", "description": "x".repeat(200_000) });
    let mut driver =
        Driver::new(stateless(|sent| match sent.message["params"].get("cursor").and_then(Value::as_str) {
            None => result(sent, &json!({ "tools": [{ "name": "a", "inputSchema": schema }], "nextCursor": "2" })),
            Some("2") => result(sent, &json!({ "tools": [{ "name": "b", "inputSchema": schema }], "nextCursor": "3" })),
            _ => result(sent, &json!({ "tools": [] })),
        }));
    let ended = driver.list(&fresh());
    let Ended::Done(super::Outcome::Tools(tools)) = ended else { panic!("{ended:?}") };
    assert!(matches!(tools.definitions, crate::json::JsonText::Pieces(_)));
}

#[test]
fn refused_credentials_are_told_apart_where_the_rest_of_a_stream_is_asked_for() {
    for (status, reason) in [
        (401, Reason::Authentication),
        (403, Reason::Authentication),
        (204, Reason::Unavailable),
        (500, Reason::Unavailable),
    ] {
        let mut driver = Driver::new(sessions(|sent| match sent.method() {
            "GET" => answer(status, "application/json", ""),
            _ => answer(200, "text/event-stream", "id: 1\ndata:\n\n"),
        }));
        assert_eq!(driver.call(&fresh(), "t", "{}").failure().reason, reason, "{status}");
    }
}
