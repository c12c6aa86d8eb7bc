//! What holds for any bytes a server sends.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::script::{Answer, Driver, Ended, Sent, Then, answer, result};
use super::{Server, Verb};
use crate::cases::cases;

/// Fragments that streams, messages and mistakes are made of.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "data: ",
        "data:",
        "id: 7",
        "id:\n",
        "retry: 5\n",
        "event: message\n",
        ": keep\n",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\u{FEFF}",
        " ",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"é😀\"}]}}",
        "{\"id\":\"2\",\"result\":{\"structuredContent\":{\"a\":[1,2]}}}",
        "{\"id\":2,\"result\":{\"isError\":true,\"content\":[{\"text\":\"no\"}]}}",
        "{\"id\":2,\"error\":{\"code\":-32602,\"message\":\"bad\"}}",
        "{\"id\":2,\"result\":",
        "{\"tools\":[{\"name\":\"a\"}]}",
        "}",
        "{\"id\":9,\"result\":{}}",
        "{\"method\":\"ping\",\"id\":1}",
        "{\"error\":\"text\"}",
        "{\"error\":{\"code\":-32000,\"message\":\"no session\"},\"id\":null}",
        "{\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}}",
        "{\"error\":{\"code\":-32020}}",
        "[{\"method\":\"x\"},",
        "]",
        "null",
        "text",
        "\"",
        "\\",
    ]);
    prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(fragment(), 0..12).prop_map(|fragments| fragments.concat())
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let statuses =
        prop::sample::select(vec![200_u16, 200, 200, 200, 202, 204, 302, 400, 401, 404, 418, 429, 500, 0, 999]);
    let media_types = prop::sample::select(vec![
        None,
        Some("application/json"),
        Some("text/event-stream"),
        Some("text/plain"),
        Some("text/html"),
        Some("application/json; charset=latin1"),
    ]);
    let then = prop::sample::select(vec![Then::End, Then::End, Then::Break, Then::Silence]);
    (statuses, media_types, prop::option::of("[ -~é]{0,9}"), body(), then)
        .prop_map(|(status, media_type, session_id, body, then)| Answer { status, media_type, session_id, body, then })
}

/// How a server answers to being asked how it is spoken to.
#[derive(Debug, Clone, Copy)]
enum Speaks {
    Stateless,
    SessionsWithIds,
    SessionsWithoutIds,
    /// Anything.
    Whatever,
}

fn speaks() -> impl Strategy<Value = Speaks> {
    prop::sample::select(vec![Speaks::Stateless, Speaks::SessionsWithIds, Speaks::SessionsWithoutIds, Speaks::Whatever])
}

/// A server that answers so, and otherwise with these, one after another.
fn serve(speaks: Speaks, answers: &[Answer]) -> impl FnMut(&Sent) -> Answer {
    let mut left = answers.iter();
    move |sent| match (sent.method(), speaks) {
        ("server/discover", Speaks::Stateless) => result(sent, &json!({ "supportedVersions": ["2026-07-28"] })),
        ("server/discover", Speaks::SessionsWithIds | Speaks::SessionsWithoutIds) => answer(404, "", ""),
        ("initialize", Speaks::SessionsWithIds | Speaks::SessionsWithoutIds) => Answer {
            session_id: matches!(speaks, Speaks::SessionsWithIds).then(|| "s".to_owned()),
            ..result(sent, &json!({ "protocolVersion": "2025-11-25" }))
        },
        _ => left.next().cloned().unwrap_or_else(|| answer(500, "", "")),
    }
}

/// What becomes of a call and a listing when these are the answers, in pieces of that size.
fn run(answers: &[Answer], piece: usize, speaks: Speaks) -> (Vec<Ended>, Vec<String>) {
    let mut driver = Driver::new(serve(speaks, answers));
    driver.piece = piece;
    let server = Arc::new(Server::new("mcp.example.com"));
    let ended = vec![driver.call(&server, "t", "{\"a\":1}"), driver.list(&server), driver.call(&server, "t", "{}")];
    let sent = driver.sent.iter().map(|sent| format!("{} {:?}", sent.method(), sent.request)).collect();
    (ended, sent)
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn r_000_115_the_same_bytes_in_other_pieces_give_the_same_outcome(
        answers in prop::collection::vec(any_answer(), 0..9), piece in 1_usize..9, speaks in speaks()
    ) {
        prop_assert_eq!(run(&answers, usize::MAX, speaks), run(&answers, piece, speaks));
    }

    #[test]
    fn a_call_that_is_given_up_at_any_point_says_so_once_and_ends(
        answers in prop::collection::vec(any_answer(), 0..9), piece in 1_usize..60, speaks in speaks(), point in 0_usize..24
    ) {
        let mut driver = Driver::new(serve(speaks, &answers));
        driver.piece = piece;
        driver.give_up_in = Some(point);
        let server = Arc::new(Server::new("mcp.example.com"));
        let ended = driver.call(&server, "t", "{\"a\":1}");
        if let Some(said) = driver.said_on_giving_up.clone() {
            prop_assert!(!matches!(speaks, Speaks::Stateless));
            // What still comes of it is nothing.
            prop_assert!(matches!(ended, Ended::Failed(_) | Ended::Silence), "{ended:?}");
            let said: serde_json::Value = serde_json::from_str(&said.body.unwrap()).unwrap();
            let call = driver.sent.iter().rfind(|sent| sent.method() == "tools/call").unwrap();
            prop_assert_eq!(&said["method"], "notifications/cancelled");
            prop_assert_eq!(&said["params"]["requestId"], &call.message["id"]);
            prop_assert_eq!(&said["id"], &serde_json::Value::Null);
        }
        // Whoever calls next is none the worse for it.
        driver.call(&server, "t", "{}");
    }

    #[test]
    fn r_000_091_no_answer_makes_a_source_send_anything_else(
        answers in prop::collection::vec(any_answer(), 0..30), speaks in speaks()
    ) {
        let mut answer_to = serve(speaks, &answers);
        let mut driver = Driver::new(|sent: &Sent| {
            let allowed = ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call", "GET"];
            assert!(allowed.contains(&sent.method()), "{}", sent.method());
            assert_eq!(sent.method() == "GET", sent.request.verb == Verb::Get);
            for (name, value) in &sent.request.headers {
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
                assert!(value.bytes().all(|byte| (0x20..0x7F).contains(&byte)), "{value:?}");
            }
            answer_to(sent)
        });
        let server = Arc::new(Server::new("mcp.example.com"));
        for tool in ["t", "é\r\nx: y", ""] {
            driver.call(&server, tool, "{\"a\":\"\\r\\n\"}");
            driver.list(&server);
        }
        prop_assert!(driver.sent.len() < 300);
    }
}
