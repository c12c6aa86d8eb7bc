//! A client against servers on loopback that say what a test has them say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use toolkit_native_http::{Client, Content, Event, Options, Piece, Proxy, Redirects, Request, Room, Upload};

struct Opened {
    client: Client,
    woken: Receiver<()>,
}

impl Opened {
    fn new(silence: Duration) -> Self {
        let (wake, woken) = channel();
        let options = Options {
            proxy: Proxy::None,
            roots: Vec::new(),
            has_http2: true,
            idle: 8,
            connecting: Duration::from_secs(10),
            silence,
            redirects: Redirects::Follow,
        };
        let client = Client::open(options, move || wake.send(()).unwrap_or_default()).unwrap();
        Self { client, woken }
    }

    fn asked(&self, method: &str, url: &str, content: Content) -> u32 {
        self.client.send(Request::new(method, url, &[], content).unwrap()).unwrap()
    }

    fn send(&self, method: &str, url: &str, content: Content) -> u32 {
        let number = self.asked(method, url, content);
        self.client.flush();
        number
    }

    /// The next events, which have to come.
    fn next(&self) -> Vec<Event> {
        self.woken.recv_timeout(Duration::from_secs(20)).unwrap();
        self.client.take()
    }

    fn only(&self) -> Event {
        let mut events = self.next();
        assert_eq!(events.len(), 1, "{events:?}");
        events.remove(0)
    }
}

const PATIENT: Duration = Duration::from_secs(60);

/// A server that hands each connection over, once the head of a request is there.
fn served(handle: impl Fn(TcpStream, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap_or(0) == 1 {
                head.push(byte[0]);
            }
            handle(connection, String::from_utf8_lossy(&head).into_owned());
        }
    });
    format!("http://{address}/")
}

fn text(piece: &Piece) -> String {
    piece.chunks.iter().map(|chunk| String::from_utf8_lossy(chunk)).collect()
}

/// Waits until the other side is gone.
fn closed(mut connection: TcpStream) {
    while !matches!(connection.read(&mut [0; 1024]), Ok(0) | Err(_)) {}
}

#[test]
fn tells_a_small_answer_in_one_event_and_keeps_nothing_of_it() {
    let url = served(|mut connection, _| {
        connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-A: b\xe9\r\n\r\nfine").unwrap();
    });
    let opened = Opened::new(PATIENT);
    let sent = opened.send("GET", &url, Content::None);
    let Event::Head { request, head, body } = opened.only() else { panic!("it has a head") };
    assert_eq!((request, head.status, head.has_body, head.url), (sent, 200, true, None));
    assert_eq!(head.headers, b"content-length\n4\nx-a\nb\xe9\n");
    assert_eq!((text(&body).as_str(), body.ended), ("fine", Some(Ok(()))));
    assert_eq!(opened.client.open_requests(), 0);
}

#[test]
fn sends_together_what_was_asked_for_and_not_what_was_cancelled_meanwhile() {
    let (heard, hearing) = channel();
    let url = served(move |mut connection, head| {
        heard.send(head.lines().next().unwrap().to_owned()).unwrap();
        connection.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    });
    let opened = Opened::new(PATIENT);
    let asked = ["a", "b", "c"].map(|path| opened.asked("GET", &format!("{url}{path}"), Content::None));
    opened.client.cancel(asked[1]);
    assert_eq!(opened.client.open_requests(), 2);
    opened.client.flush();
    let mut answered = Vec::new();
    while answered.len() < 2 {
        answered.extend(opened.next().into_iter().map(|event| match event {
            Event::Head { request, head, .. } => (request, head.status),
            event => panic!("{event:?}"),
        }));
    }
    answered.sort_unstable();
    assert_eq!(answered, [(asked[0], 204), (asked[2], 204)]);
    let mut lines: Vec<String> = hearing.try_iter().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["GET /a HTTP/1.1", "GET /c HTTP/1.1"]);
    assert_eq!(opened.client.open_requests(), 0);
}

#[test]
fn gives_up_on_a_server_that_is_silent_before_the_head_and_within_the_body() {
    let url = served(|connection, _| closed(connection));
    let opened = Opened::new(Duration::from_millis(50));
    opened.send("GET", &url, Content::None);
    let Event::Failed { fault, .. } = opened.only() else { panic!("it has no head") };
    assert_eq!(fault.code, "ETIMEDOUT");

    let url = served(|mut connection, _| {
        connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfi").unwrap();
        closed(connection);
    });
    let sent = opened.send("GET", &url, Content::None);
    let Event::Head { body, .. } = opened.only() else { panic!("it has a head") };
    assert_eq!((text(&body).as_str(), &body.ended), ("", &None));
    let there = opened.client.read(sent, false).unwrap();
    assert_eq!((text(&there).as_str(), &there.ended), ("fi", &None));
    assert!(opened.client.read(sent, false).is_none());
    let Event::Body { piece, .. } = opened.only() else { panic!("it is told of its body") };
    assert_eq!(piece.ended.unwrap().unwrap_err().code, "ETIMEDOUT");
    assert_eq!(opened.client.open_requests(), 0);
}

#[test]
fn asks_for_a_body_when_the_connection_takes_it_and_closes_it_with_the_request() {
    let url = served(|mut connection, head| {
        assert!(head.contains("content-length: 3"), "{head}");
        let mut body = [0; 3];
        connection.read_exact(&mut body).unwrap();
        connection.write_all(&[&b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"[..], &body].concat()).unwrap();
    });
    let opened = Opened::new(PATIENT);
    let upload = Upload::new(Some(3), false);
    let sent = opened.send("POST", &url, Content::Written(upload));
    assert!(matches!(opened.only(), Event::Upload { room: Room::Some, .. }));
    assert_eq!(opened.client.write(sent, 0, "abc".into()), Room::Some);
    opened.client.finish(sent, 0);
    let mut events = opened.next();
    // That there is room again may be told before.
    if matches!(events.last(), Some(Event::Upload { .. })) {
        events = opened.next();
    }
    let Some(Event::Head { body, .. }) = events.pop() else { panic!("it has a head") };
    assert_eq!(text(&body), "abc");
    // The request is over, and nothing of it is known any more.
    assert_eq!(opened.client.write(sent, 0, "d".into()), Room::Closed);
}

/// A writer that takes its time is not the server's silence.
#[test]
fn waits_for_the_writer_of_a_body_for_as_long_as_it_takes() {
    let url = served(|mut connection, _| {
        let mut body = [0; 3];
        connection.read_exact(&mut body).unwrap();
        connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    let opened = Opened::new(Duration::from_millis(100));
    let sent = opened.send("POST", &url, Content::Written(Upload::new(Some(3), false)));
    assert!(matches!(opened.only(), Event::Upload { room: Room::Some, .. }));
    thread::sleep(Duration::from_millis(500));
    assert_eq!(opened.client.write(sent, 0, "abc".into()), Room::Some);
    opened.client.finish(sent, 0);
    // That there is room again may be told before.
    while !opened.next().iter().any(|event| matches!(event, Event::Head { .. })) {}
}

#[test]
fn a_piece_beyond_what_was_said_is_told_whether_or_not_anyone_reads_on() {
    let url = served(|connection, _| drop(connection));
    let opened = Opened::new(PATIENT);
    let sent = opened.send("POST", &url, Content::Written(Upload::new(Some(3), false)));
    assert_eq!(opened.client.write(sent, 0, "abc".into()), Room::Some);
    assert_eq!(opened.client.write(sent, 0, "d".into()), Room::Excess);
}

#[test]
fn ends_a_connection_with_its_request_and_tells_nothing_more() {
    let (tell, told) = channel();
    let url = served(move |connection, _| {
        tell.send("asked").unwrap();
        closed(connection);
        tell.send("gone").unwrap();
    });
    let opened = Opened::new(PATIENT);
    let sent = opened.send("GET", &url, Content::None);
    // A request that is cancelled before it was sent has no connection to end.
    assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok("asked"));
    opened.client.cancel(sent);
    assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok("gone"));
    assert_eq!((opened.client.open_requests(), opened.client.take().len()), (0, 0));
}

#[test]
fn refuses_roots_and_proxies_that_are_none() {
    let options = |roots: Vec<Vec<u8>>, proxy| Options {
        proxy,
        roots,
        has_http2: true,
        idle: 8,
        connecting: PATIENT,
        silence: PATIENT,
        redirects: Redirects::Follow,
    };
    let refused = |options| Client::open(options, || ()).err().unwrap();
    assert!(refused(options(vec![b"none".to_vec()], Proxy::None)).starts_with("rootCertificates[0]"));
    assert!(refused(options(Vec::new(), Proxy::Url("::".to_owned()))).starts_with("proxy"));
}
