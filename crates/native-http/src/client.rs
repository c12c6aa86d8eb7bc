//! A client: its requests by number, its connections, and what is to be told of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::redirect::Policy;
use rustls::pki_types::CertificateDer;
use tokio::runtime::{Builder, Handle};
use tokio::task::AbortHandle;

use crate::download::{Download, Piece};
use crate::exchange::{self, Event, Head};
use crate::fault::Fault;
use crate::proxy::Environment;
use crate::request::{Content, Request};
use crate::tls;
use crate::upload::{Room, Upload};

/// Through what requests go.
#[derive(Clone)]
pub enum Proxy {
    /// What `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    Environment,
    /// Nothing.
    None,
    /// This proxy, whatever they go to.
    Url(String),
}

impl std::fmt::Debug for Proxy {
    /// A proxy's URL may hold a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Environment => "Environment",
            Self::None => "None",
            Self::Url(_) => "Url",
        })
    }
}

/// What is done when a server redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// It is followed, 20 times at most.
    Follow,
    /// It is the answer.
    Manual,
    /// The request fails.
    Error,
}

/// How requests are sent.
#[derive(Clone, Debug)]
pub struct Options {
    /// Through what they go.
    pub proxy: Proxy,
    /// Roots in PEM that are trusted besides the common ones.
    pub roots: Vec<Vec<u8>>,
    /// Whether HTTP/2 is offered over TLS.
    pub has_http2: bool,
    /// Connections to a host that are kept open without a request.
    pub idle: usize,
    /// How long connecting may take, TLS included.
    pub connecting: Duration,
    /// How long a server may be silent within an answer.
    pub silence: Duration,
    /// What is done when a server redirects.
    pub redirects: Redirects,
}

/// The headers that an answer may have. hyper takes a hundred where it is not told, which some servers go past.
const HEADERS: usize = 1024;
/// How long the headers of an answer over HTTP/2 may be together, in bytes: as long as hyper takes them over HTTP/1.
const HEADERS_LENGTH: u32 = 400 * 1024;
/// What may be under way of all bodies of a connection over HTTP/2, in bytes. Each is held back by a window of its own; a smaller one of
/// all would be used up by some that nobody reads, and hold back the others.
const WINDOW: u32 = 1 << 30;

/// The threads that look up names, at most; each ends when it had nothing to do for a while.
const LOOKUPS: usize = 4;

/// The thread of all connections. It is there for as long as the process is.
fn runtime() -> Result<&'static Handle, Fault> {
    static RUNTIME: OnceLock<Result<Handle, String>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        let started = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(LOOKUPS)
            .thread_name("toolkit-lookup")
            .build();
        let runtime = started.map_err(|error| error.to_string())?;
        let handle = runtime.handle().clone();
        let thread = std::thread::Builder::new().name("toolkit-http".to_owned());
        thread.spawn(move || runtime.block_on(std::future::pending::<()>())).map_err(|error| error.to_string())?;
        Ok(handle)
    });
    started
        .as_ref()
        .map_err(|text| Fault::new("ERR_THREAD", format!("the thread of connections cannot be started: {text}")))
}

struct Exchange {
    /// None while it is not begun.
    task: Option<AbortHandle>,
    body: Arc<Download>,
    upload: Option<Arc<Upload>>,
}

impl Exchange {
    fn abort(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Drop for Exchange {
    /// Who still writes a body that nobody wants is told.
    fn drop(&mut self) {
        if let Some(upload) = &self.upload {
            upload.close();
        }
    }
}

type Wake = Box<dyn Fn() + Send + Sync>;

/// What a client and its requests share.
pub(crate) struct Shared {
    options: Options,
    roots: Vec<CertificateDer<'static>>,
    pub(crate) silence: Duration,
    pub(crate) redirects: Redirects,
    /// Made by the first request, since reading a system's roots takes a while; none when the client is closed.
    http: Mutex<Option<OnceLock<Result<Connected, Fault>>>>,
    exchanges: Mutex<HashMap<u32, Exchange>>,
    /// What is to be begun with the next flush.
    asked: Mutex<Vec<(u32, Request)>>,
    events: Mutex<Vec<Event>>,
    /// None when the client is closed: whoever is woken may be what keeps it.
    wake: Mutex<Option<Wake>>,
}

/// What sends requests, and through what by the environment.
#[derive(Clone)]
pub(crate) struct Connected {
    pub(crate) http: reqwest::Client,
    environment: Option<Arc<Environment>>,
}

impl Connected {
    /// Fails where a URL would be asked for through a proxy that is none.
    pub(crate) fn reaches(&self, url: &reqwest::Url) -> Result<(), Fault> {
        self.environment.as_ref().map_or(Ok(()), |environment| environment.of(url).map(|_| ()))
    }
}

fn locked<A>(mutex: &Mutex<A>) -> MutexGuard<'_, A> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A variable of the environment. One that is no text is there all the same.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

impl Shared {
    pub(crate) fn http(&self) -> Result<Connected, Fault> {
        let http = locked(&self.http);
        let made = http.as_ref().ok_or_else(Fault::closed)?;
        made.get_or_init(|| self.connect()).clone()
    }

    fn connect(&self) -> Result<Connected, Fault> {
        let unusable =
            |error: &dyn std::fmt::Display| Fault::new("ERR_OPTIONS", format!("no client can be made: {error}"));
        let tls = tls::config(&self.roots, self.options.has_http2).map_err(|error| unusable(&error))?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(self.options.connecting)
            .pool_max_idle_per_host(self.options.idle)
            .http1_max_headers(HEADERS)
            // Old servers fold lines and put spaces before colons; fetch takes both.
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http2_max_header_list_size(HEADERS_LENGTH)
            .http2_initial_connection_window_size(WINDOW)
            .no_proxy();
        if !self.options.has_http2 {
            builder = builder.http1_only();
        }
        let environment = matches!(self.options.proxy, Proxy::Environment)
            .then(|| Arc::new(Environment::read(variable)))
            .filter(|environment| !environment.is_empty());
        if let Some(environment) = environment.clone() {
            builder = builder.proxy(reqwest::Proxy::custom(move |url| environment.of(url).ok().flatten().cloned()));
        }
        if let Proxy::Url(url) = &self.options.proxy {
            builder = builder.proxy(reqwest::Proxy::all(url.as_str()).map_err(|error| unusable(&error))?);
        }
        // By itself reqwest has the system end a connection whose server reads nothing for half a minute.
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        {
            builder = builder.tcp_user_timeout(self.options.silence);
        }
        let http = builder.build().map_err(|error| unusable(&error))?;
        Ok(Connected { http, environment })
    }

    fn tell(&self, event: Event) {
        let mut events = locked(&self.events);
        events.push(event);
        let is_first = events.len() == 1;
        drop(events);
        // Whoever was woken takes all that is there by then.
        if is_first && let Some(wake) = &*locked(&self.wake) {
            wake();
        }
    }

    /// Begins what was asked for, on the thread of connections. What was cancelled meanwhile is not begun.
    fn begin(self: &Arc<Self>) {
        let asked = std::mem::take(&mut *locked(&self.asked));
        let mut exchanges = locked(&self.exchanges);
        for (number, request) in asked {
            let Some(exchange) = exchanges.get_mut(&number) else { continue };
            let running = exchange::run(Arc::clone(self), number, request, Arc::clone(&exchange.body));
            exchange.task = Some(tokio::spawn(running).abort_handle());
        }
    }

    /// Lets go of a request that is over. One that is not there was cancelled, and nobody waits for it.
    fn release(&self, number: u32) -> bool {
        let exchange = locked(&self.exchanges).remove(&number);
        exchange.is_some()
    }

    pub(crate) fn head(&self, request: u32, head: Head, body: Piece) {
        let is_there =
            if body.ended.is_some() { self.release(request) } else { locked(&self.exchanges).contains_key(&request) };
        if is_there {
            self.tell(Event::Head { request, head, body });
        }
    }

    pub(crate) fn failed(&self, request: u32, fault: Fault) {
        if self.release(request) {
            self.tell(Event::Failed { request, fault });
        }
    }

    pub(crate) fn body(&self, request: u32, piece: Option<Piece>) {
        let Some(piece) = piece else { return };
        let is_there =
            if piece.ended.is_some() { self.release(request) } else { locked(&self.exchanges).contains_key(&request) };
        if is_there {
            self.tell(Event::Body { request, piece });
        }
    }
}

/// Sends requests. Dropping it ends them.
pub struct Client {
    shared: Arc<Shared>,
    next: std::sync::atomic::AtomicU32,
}

impl Client {
    /// A client that wakes whoever uses it when there is something to take. What is wrong with its options is told in words.
    pub fn open(options: Options, wake: impl Fn() + Send + Sync + 'static) -> Result<Self, String> {
        let mut roots = Vec::new();
        for (at, pem) in options.roots.iter().enumerate() {
            roots.extend(tls::read(pem).map_err(|why| format!("rootCertificates[{at}] {why}"))?);
        }
        if let Proxy::Url(url) = &options.proxy {
            reqwest::Proxy::all(url.as_str()).map_err(|_| "proxy is not a URL that a proxy can have".to_owned())?;
        }
        let shared = Shared {
            roots,
            silence: options.silence,
            redirects: options.redirects,
            options,
            http: Mutex::new(Some(OnceLock::new())),
            exchanges: Mutex::default(),
            asked: Mutex::default(),
            events: Mutex::default(),
            wake: Mutex::new(Some(Box::new(wake))),
        };
        Ok(Self { shared: Arc::new(shared), next: 0.into() })
    }

    /// Takes a request that the next [`Client::flush`] sends, and gives its number.
    pub fn send(&self, request: Request) -> Result<u32, Fault> {
        runtime()?;
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let upload = match &request.content {
            Content::Written(upload) => Some(Arc::clone(upload)),
            Content::None | Content::Bytes(_) => None,
        };
        if let Some(upload) = &upload {
            let shared = Arc::downgrade(&self.shared);
            upload.listen(move |room| {
                if let Some(shared) = shared.upgrade() {
                    shared.tell(Event::Upload { request: number, room });
                }
            });
        }
        locked(&self.shared.exchanges).insert(number, Exchange { task: None, body: Arc::default(), upload });
        locked(&self.shared.asked).push((number, request));
        Ok(number)
    }

    /// Sends what is to be sent: waking the thread of connections costs more than most of what it then does for a request, so it
    /// is woken once for several.
    pub fn flush(&self) {
        let shared = Arc::clone(&self.shared);
        if let Ok(runtime) = runtime() {
            runtime.spawn(async move { shared.begin() });
        }
    }

    /// What happened since it was last asked.
    #[must_use]
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *locked(&self.shared.events))
    }

    /// Asks for what there is of an answer's body, or for all there will be. What is not there yet is told when it is.
    #[must_use]
    pub fn read(&self, number: u32, all: bool) -> Option<Piece> {
        let Some(body) = locked(&self.shared.exchanges).get(&number).map(|exchange| Arc::clone(&exchange.body)) else {
            return Some(Piece { chunks: Vec::new(), ended: Some(Err(Fault::closed())) });
        };
        let piece = body.read(all);
        if piece.as_ref().is_some_and(|piece| piece.ended.is_some()) {
            self.shared.release(number);
        }
        piece
    }

    /// Writes a piece of a request's own body, for the so manieth time that it is written.
    #[must_use]
    pub fn write(&self, number: u32, round: u32, piece: Bytes) -> Room {
        self.upload(number).map_or(Room::Closed, |upload| upload.write(round, piece))
    }

    /// Says that a request's own body is all there.
    pub fn finish(&self, number: u32, round: u32) {
        if let Some(upload) = self.upload(number) {
            upload.end(round);
        }
    }

    fn upload(&self, number: u32) -> Option<Arc<Upload>> {
        locked(&self.shared.exchanges).get(&number).and_then(|exchange| exchange.upload.clone())
    }

    /// Ends a request, wherever it is. Nothing more is told of it.
    pub fn cancel(&self, number: u32) {
        let exchange = locked(&self.shared.exchanges).remove(&number);
        if let Some(exchange) = exchange {
            exchange.abort();
        }
    }

    /// Ends all requests and closes the connections.
    pub fn close(&self) {
        let http = locked(&self.shared.http).take();
        let exchanges = std::mem::take(&mut *locked(&self.shared.exchanges));
        for exchange in exchanges.into_values() {
            exchange.abort();
        }
        drop(http);
        let wake = locked(&self.shared.wake).take();
        drop(wake);
    }

    /// How many requests are not over: sent, or with a body that is not read to its end.
    #[must_use]
    pub fn open_requests(&self) -> usize {
        locked(&self.shared.exchanges).len()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.close();
    }
}
