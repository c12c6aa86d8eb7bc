//! One request, from when it is sent until its answer has been read: a task on the thread of connections.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, Response, StatusCode};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::client::{Redirects, Shared};
use crate::decode::Content;
use crate::download::{Download, Piece};
use crate::fault::Fault;
use crate::redirect;
use crate::request::Request;
use crate::upload::Room;

/// The longest body that is told together with its head, in bytes.
const FIRST: usize = 64 * 1024;

/// What happened to a request, named by its number.
#[derive(Debug)]
#[expect(missing_docs, reason = "what a variant says is what its fields are")]
pub enum Event {
    /// Its answer begins, and has its body where that is all there.
    Head { request: u32, head: Head, body: Piece },
    /// It has no answer.
    Failed { request: u32, fault: Fault },
    /// What was asked for of its answer's body is there.
    Body { request: u32, piece: Piece },
    /// There is room in its own body, or there never will be again, or it is to be written once more.
    Upload { request: u32, room: Room },
}

/// The head of an answer.
#[derive(Debug)]
pub struct Head {
    /// Its status.
    pub status: u16,
    /// Names and values in turn, each with a line feed behind it, as bytes that are characters of Latin-1.
    pub headers: Vec<u8>,
    /// Where the answer is from, when that is not where the request was sent.
    pub url: Option<String>,
    /// Whether its status or its method allows for a body.
    pub has_body: bool,
}

impl Head {
    fn new(response: &Response, method: &Method, is_redirected: bool) -> Self {
        let status = response.status().as_u16();
        Self {
            status,
            headers: written(response.headers()),
            url: is_redirected.then(|| response.url().to_string()),
            has_body: method != Method::HEAD && !matches!(status, 204 | 205 | 304),
        }
    }
}

fn written(headers: &HeaderMap) -> Vec<u8> {
    let length = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 2).sum();
    let mut written = Vec::with_capacity(length);
    for (name, value) in headers {
        for part in [name.as_str().as_bytes(), value.as_bytes()] {
            written.extend_from_slice(part);
            written.push(b'\n');
        }
    }
    written
}

/// A request under way. However its task ends, whoever waits is told.
struct Running {
    shared: Arc<Shared>,
    number: u32,
    body: Arc<Download>,
    has_head: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.has_head {
            let ended = self.body.end(Err(Fault::internal()));
            self.shared.body(self.number, ended);
        } else {
            self.shared.failed(self.number, Fault::internal());
        }
    }
}

pub(crate) async fn run(shared: Arc<Shared>, number: u32, request: Request, body: Arc<Download>) {
    let mut running = Running { shared, number, body, has_head: false };
    if let Err(fault) = answered(&mut running, request).await {
        if running.has_head {
            let ended = running.body.end(Err(fault));
            running.shared.body(number, ended);
        } else {
            running.shared.failed(number, fault);
        }
    }
}

async fn answered(running: &mut Running, mut request: Request) -> Result<(), Fault> {
    let (response, is_redirected) = sent(&running.shared, &mut request).await?;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Err(Fault::new("ERR_UPGRADE", "the server switched to another protocol, which was not asked for"));
    }
    let head = Head::new(&response, &request.method, is_redirected);
    let mut content = if head.has_body { Some(content(response)?) } else { None };

    // A body that has come with the head is told with it: for a small answer that is all.
    let mut first = Piece { chunks: Vec::new(), ended: content.is_none().then_some(Ok(())) };
    if let Some(content) = &mut content {
        let mut turns = 0;
        while first.ended.is_none() && first.len() < FIRST {
            match std::future::poll_fn(|context| Poll::Ready(content.poll_next(context))).await {
                Poll::Ready(None) => first.ended = Some(Ok(())),
                Poll::Ready(Some(Ok(chunk))) => first.chunks.push(chunk),
                Poll::Ready(Some(Err(fault))) => first.ended = Some(Err(fault)),
                Poll::Pending if turns == 2 => break,
                // The connection is read by another task, which may have it already.
                Poll::Pending => {
                    turns += 1;
                    yield_now().await;
                }
            }
        }
    }
    running.has_head = true;
    if let Some(Ok(())) = first.ended {
        running.body.end(Ok(()));
        running.shared.head(running.number, head, first);
        return Ok(());
    }
    // What there is of one that is not all there, or broke off, is read like the rest.
    for chunk in first.chunks {
        running.body.add(chunk);
    }
    let is_over = first.ended.is_some();
    if let Some(ended) = first.ended {
        running.body.end(ended);
    }
    running.shared.head(running.number, head, Piece::default());
    let Some(content) = content.as_mut().filter(|_| !is_over) else { return Ok(()) };

    loop {
        running.body.room().await;
        let next = timeout(running.shared.silence, content.next()).await.map_err(|_| Fault::silent())?;
        let told = match next.transpose()? {
            Some(chunk) => running.body.add(chunk),
            None => running.body.end(Ok(())),
        };
        running.shared.body(running.number, told);
        if running.body.is_ended() {
            return Ok(());
        }
    }
}

fn content(response: Response) -> Result<Content, Fault> {
    let (head, body) = http::Response::<reqwest::Body>::from(response).into_parts();
    Content::new(&head.headers, body)
}

/// Sends it, and wherever it is redirected to.
async fn sent(shared: &Shared, request: &mut Request) -> Result<(Response, bool), Fault> {
    let connected = shared.http()?;
    for hops in 0..=redirect::MOST {
        connected.reaches(&request.url)?;
        let response = unless_silent(shared, request, connected.http.execute(request.built())).await?;
        let status = response.status();
        let location = response.headers().get(LOCATION).filter(|_| redirect::is_redirect(status));
        let Some(location) = location.filter(|_| shared.redirects != Redirects::Manual) else {
            return Ok((response, hops > 0));
        };
        if shared.redirects == Redirects::Error {
            return Err(Fault::new("ERR_REDIRECT", "the server redirected, which is an error for this client"));
        }
        redirect::follow(request, status, location)?;
    }
    Err(Fault::new("ERR_REDIRECT", format!("the server redirected more than {} times", redirect::MOST)))
}

/// Waits for a head for as long as the server is not silent while nothing is sent to it.
async fn unless_silent(
    shared: &Shared,
    request: &Request,
    answer: impl Future<Output = reqwest::Result<Response>>,
) -> Result<Response, Fault> {
    let mut answer = pin!(answer);
    let mut sent = request.sent();
    loop {
        match timeout(shared.silence, answer.as_mut()).await {
            Ok(answer) => return answer.map_err(|error| Fault::of(&error)),
            Err(_) if request.sent() == sent && !request.awaits_writer() => return Err(Fault::silent()),
            Err(_) => sent = request.sent(),
        }
    }
}
