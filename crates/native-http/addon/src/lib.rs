//! What JavaScript holds of an HTTP client: requests go in, what happens to them is taken out. It thinks nothing. Names begin with
//! nothing of the public API: `ts/internal/httpConnections.ts` is the only reader.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "napi-derive exports these items, and generates some without documentation"
)]

mod values;

use std::time::Duration;

use bytes::Bytes;
use napi::bindgen_prelude::{Array, Either, Uint8Array, Uint8ArraySlice};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use toolkit_native_http::{Client, Content, Options, Proxy, Redirects, Request, Room, Upload};

/// The version of the addon, which the shim compares with its own.
#[napi(catch_unwind)]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// How requests are sent. Times are in milliseconds; the shim has checked them.
#[napi(object, object_to_js = false)]
pub struct HttpOptions {
    /// `environment`, `none`, or a URL.
    pub proxy: String,
    /// Certificates in PEM.
    pub roots: Vec<Uint8Array>,
    pub http2: bool,
    pub idle: u32,
    pub connecting: f64,
    pub silence: f64,
    /// `follow`, `manual`, or `error`.
    pub redirect: String,
}

/// Wakes JavaScript, which then takes what there is. It does not keep the process from ending.
type Wake = ThreadsafeFunction<(), UnknownReturnValue, (), Status, false, true>;

/// Requests, and the connections that they go over.
#[napi]
pub struct HttpConnections {
    client: Client,
}

/// Opens a client. `wake` is called when there is something to take.
#[napi(catch_unwind, ts_args_type = "options: HttpOptions, wake: () => void")]
pub fn open_http(options: HttpOptions, wake: Wake) -> Result<HttpConnections> {
    let duration = |milliseconds: f64| Duration::from_millis(milliseconds as u64);
    let options = Options {
        proxy: match options.proxy.as_str() {
            "environment" => Proxy::Environment,
            "none" => Proxy::None,
            _ => Proxy::Url(options.proxy),
        },
        roots: options.roots.iter().map(|pem| pem.to_vec()).collect(),
        has_http2: options.http2,
        idle: options.idle as usize,
        connecting: duration(options.connecting),
        silence: duration(options.silence),
        redirects: match options.redirect.as_str() {
            "manual" => Redirects::Manual,
            "error" => Redirects::Error,
            _ => Redirects::Follow,
        },
    };
    let wake = move || {
        wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
    };
    Client::open(options, wake)
        .map(|client| HttpConnections { client })
        .map_err(|why| Error::new(Status::InvalidArg, why))
}

#[napi]
impl HttpConnections {
    /// Takes a request that the next `flush` sends, and gives its number; or why it cannot be sent, as a code and words.
    ///
    /// Names and values of headers take turns. The body is a text, bytes, or a number: what is written is so many bytes long, or of
    /// any length where the number is negative; it can be written more than once or not.
    #[napi(catch_unwind, ts_return_type = "number | [code: string, text: string]")]
    #[allow(clippy::too_many_arguments, reason = "an object for them would cost more than all of them")]
    pub fn send(
        &self,
        method: String,
        url: String,
        headers: Vec<String>,
        text: Option<String>,
        bytes: Option<Uint8ArraySlice<'_>>,
        written: Option<f64>,
        is_repeatable: bool,
    ) -> Either<u32, Vec<String>> {
        let content = match (text, bytes, written) {
            (Some(text), ..) => Content::Bytes(text.into()),
            (_, Some(bytes), _) => Content::Bytes(Bytes::copy_from_slice(&bytes)),
            (_, _, Some(length)) => {
                Content::Written(Upload::new((length >= 0.0).then_some(length as u64), is_repeatable))
            }
            _ => Content::None,
        };
        match Request::new(&method, &url, &headers, content).and_then(|request| self.client.send(request)) {
            Ok(number) => Either::A(number),
            Err(fault) => Either::B(vec![fault.code.to_owned(), fault.text]),
        }
    }

    /// Sends what was taken since the last time.
    #[napi(catch_unwind)]
    pub fn flush(&self) {
        self.client.flush();
    }

    /// What happened since it was last asked: six values for each event.
    ///
    /// - 0, the request, its status and bits (2^16: the body is all there, 2^17: there can be none), its headers (each name and each value
    ///   with a line feed behind it), where it is from when redirected, the body when it is all there
    /// - 1, the request, 0, words, a code: there is no answer
    /// - 2, the request, bits (2^16: this is the end, 2^18: a failed one), words, a code, what of the body is there
    /// - 3, the request, 0, 1 or 2: its body is wanted no more, or there is room in it, or all of it is wanted once more
    #[napi(catch_unwind, ts_return_type = "Array<number | string | ArrayBuffer | undefined>")]
    pub fn take<'env>(&self, env: &'env Env) -> Result<Array<'env>> {
        values::events(env, self.client.take())
    }

    /// Asks for what there is of an answer's body, or for all of it. What is there is given as in an event, and else will be told.
    #[napi(catch_unwind, ts_return_type = "Array<number | string | ArrayBuffer | undefined> | null")]
    pub fn read<'env>(&self, env: &'env Env, request: u32, all: bool) -> Result<Option<Array<'env>>> {
        self.client.read(request, all).map(|piece| values::piece(env, request, piece)).transpose()
    }

    /// Writes a piece of a request's body, and says whether there is room for more: 0 never again, 1 yes, 2 when it is told, 3 it is more than was said. The round
    /// is how many times it was wanted once more.
    #[napi(catch_unwind)]
    pub fn write(&self, request: u32, round: u32, piece: Uint8ArraySlice<'_>) -> u32 {
        match self.client.write(request, round, Bytes::copy_from_slice(&piece)) {
            Room::Closed | Room::Again => 0,
            Room::Some => 1,
            Room::None => 2,
            Room::Excess => 3,
        }
    }

    /// Says that a request's body is all there.
    #[napi(catch_unwind)]
    pub fn finish(&self, request: u32, round: u32) {
        self.client.finish(request, round);
    }

    /// Ends a request; nothing more is told of it.
    #[napi(catch_unwind)]
    pub fn cancel(&self, request: u32) {
        self.client.cancel(request);
    }

    /// Ends all requests and closes the connections.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.client.close();
    }

    /// How many requests are not over.
    #[napi(catch_unwind)]
    pub fn open_requests(&self) -> u32 {
        u32::try_from(self.client.open_requests()).unwrap_or(u32::MAX)
    }
}
