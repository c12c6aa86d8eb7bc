//! What a body is once its codings are taken off it: piece by piece, so that a small body that unpacks to a large one is held back
//! like any other.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder};
use bytes::Bytes;
use http_body::Body as _;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};

use crate::fault::Fault;

/// What is unpacked at once, in bytes.
const PIECE: usize = 64 * 1024;
/// More codings than this are not taken off.
const MOST: usize = 5;
/// What may follow the end of what is packed, in bytes, and is passed over.
const TRAILING: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
}

/// The codings of a body in the order in which they were put on; none where one is not known, as for fetch.
fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, Fault> {
    let mut found = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        for name in value.to_str().unwrap_or("?").split(',') {
            found.push(match name.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                "br" => Coding::Brotli,
                _ => return Ok(Vec::new()),
            });
        }
    }
    if found.len() > MOST {
        return Err(Fault::new("ERR_CONTENT", format!("the body has {} codings, more than {MOST}", found.len())));
    }
    Ok(found)
}

type Reader = Box<dyn AsyncBufRead + Send + Unpin>;

/// A body that is read piece by piece.
pub(crate) enum Content {
    Plain(reqwest::Body),
    Packed { reader: Box<dyn AsyncRead + Send + Unpin>, piece: Box<[u8]> },
}

impl Content {
    pub(crate) fn new(headers: &HeaderMap, body: reqwest::Body) -> Result<Self, Fault> {
        let codings = codings(headers)?;
        let Some((first, others)) = codings.split_first() else { return Ok(Self::Plain(body)) };
        let mut reader: Reader = Box::new(Received { body, rest: Bytes::new() });
        for &coding in others.iter().rev() {
            reader = Box::new(BufReader::new(Unpacked::new(coding, reader)));
        }
        Ok(Self::Packed { reader: Box::new(Unpacked::new(*first, reader)), piece: vec![0; PIECE].into() })
    }

    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Fault>>> {
        match self {
            Self::Plain(body) => {
                poll_data(body, context).map(|data| data.map(|data| data.map_err(|error| Fault::of(&error))))
            }
            Self::Packed { reader, piece } => {
                let mut into = ReadBuf::new(piece);
                match ready!(Pin::new(reader).poll_read(context, &mut into)) {
                    Ok(()) if into.filled().is_empty() => Poll::Ready(None),
                    Ok(()) => Poll::Ready(Some(Ok(Bytes::copy_from_slice(into.filled())))),
                    Err(error) => Poll::Ready(Some(Err(of(&error)))),
                }
            }
        }
    }

    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, Fault>> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }
}

/// The connection's own failure, or that of what is packed.
fn of(error: &io::Error) -> Fault {
    match error.get_ref() {
        Some(held) if held.is::<reqwest::Error>() => Fault::of(held),
        _ => Fault::new("ERR_CONTENT", format!("the body is not what its content-encoding says: {error}")),
    }
}

/// The next bytes of a body, without its trailers.
fn poll_data(body: &mut reqwest::Body, context: &mut Context<'_>) -> Poll<Option<reqwest::Result<Bytes>>> {
    loop {
        match ready!(Pin::new(&mut *body).poll_frame(context)) {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            Some(Ok(frame)) => {
                if let Some(data) = frame.into_data().ok().filter(|data| !data.is_empty()) {
                    return Poll::Ready(Some(Ok(data)));
                }
            }
        }
    }
}

/// A body as its decoder reads it.
struct Received {
    body: reqwest::Body,
    rest: Bytes,
}

impl AsyncBufRead for Received {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match ready!(poll_data(&mut this.body, context)) {
                None => {}
                Some(Ok(data)) => this.rest = data,
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
            }
        }
        Poll::Ready(Ok(&this.rest))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        let length = self.rest.len();
        drop(self.rest.split_to(amount.min(length)));
    }
}

impl AsyncRead for Received {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let found = ready!(self.as_mut().poll_fill_buf(context))?;
        let amount = found.len().min(into.remaining());
        into.put_slice(&found[..amount]);
        self.consume(amount);
        Poll::Ready(Ok(()))
    }
}

enum Decoder {
    Gzip(GzipDecoder<Reader>),
    Zlib(ZlibDecoder<Reader>),
    Raw(DeflateDecoder<Reader>),
    Brotli(BrotliDecoder<Reader>),
}

impl Decoder {
    /// Servers send `deflate` with and without the frame that it should have.
    fn new(coding: Coding, begins: u8, reader: Reader) -> Self {
        match coding {
            Coding::Gzip => Self::Gzip(GzipDecoder::new(reader)),
            Coding::Deflate if begins & 0x0f == 8 => Self::Zlib(ZlibDecoder::new(reader)),
            Coding::Deflate => Self::Raw(DeflateDecoder::new(reader)),
            Coding::Brotli => Self::Brotli(BrotliDecoder::new(reader)),
        }
    }

    fn poll_read(&mut self, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Gzip(decoder) => Pin::new(decoder).poll_read(context, into),
            Self::Zlib(decoder) => Pin::new(decoder).poll_read(context, into),
            Self::Raw(decoder) => Pin::new(decoder).poll_read(context, into),
            Self::Brotli(decoder) => Pin::new(decoder).poll_read(context, into),
        }
    }

    fn into_inner(self) -> Reader {
        match self {
            Self::Gzip(decoder) => decoder.into_inner(),
            Self::Zlib(decoder) => decoder.into_inner(),
            Self::Raw(decoder) => decoder.into_inner(),
            Self::Brotli(decoder) => decoder.into_inner(),
        }
    }
}

enum At {
    Beginning(Reader),
    Within(Decoder),
    Behind(Reader),
    End,
}

/// A body without one of its codings. An empty one is empty; gzip may have further members; what follows else is passed over, so that
/// the connection can be used again.
struct Unpacked {
    coding: Coding,
    at: At,
    trailing: usize,
}

impl Unpacked {
    fn new(coding: Coding, reader: Reader) -> Self {
        Self { coding, at: At::Beginning(reader), trailing: 0 }
    }
}

impl AsyncRead for Unpacked {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match std::mem::replace(&mut this.at, At::End) {
                At::Beginning(mut reader) => match Pin::new(&mut reader).poll_fill_buf(context) {
                    Poll::Pending => {
                        this.at = At::Beginning(reader);
                        return Poll::Pending;
                    }
                    Poll::Ready(found) => {
                        if let Some(&begins) = found?.first() {
                            this.at = At::Within(Decoder::new(this.coding, begins, reader));
                        }
                    }
                },
                At::Within(mut decoder) => {
                    let before = into.filled().len();
                    let read = decoder.poll_read(context, into);
                    let is_over =
                        matches!(read, Poll::Ready(Ok(()))) && into.filled().len() == before && into.remaining() > 0;
                    if !is_over {
                        this.at = At::Within(decoder);
                        return read;
                    }
                    this.at = At::Behind(decoder.into_inner());
                }
                At::Behind(mut reader) => {
                    let (begins, length) = match Pin::new(&mut reader).poll_fill_buf(context) {
                        Poll::Pending => {
                            this.at = At::Behind(reader);
                            return Poll::Pending;
                        }
                        Poll::Ready(found) => found.map(|found| (found.first().copied(), found.len()))?,
                    };
                    match begins {
                        None => {}
                        Some(0x1f) if this.coding == Coding::Gzip && this.trailing == 0 => {
                            this.at = At::Beginning(reader)
                        }
                        Some(_) => {
                            Pin::new(&mut reader).consume(length);
                            this.trailing += length;
                            if this.trailing <= TRAILING {
                                this.at = At::Behind(reader);
                            }
                        }
                    }
                }
                At::End => return Poll::Ready(Ok(())),
            }
        }
    }
}
