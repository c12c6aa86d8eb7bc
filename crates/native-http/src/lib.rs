//! HTTP requests with the contract of fetch, over reqwest: what is sent, which redirects are followed and how, what is decoded.
//!
//! It owns one thread, on which all connections of all clients are. Whoever sends hands a request over and is woken when something
//! is to be told ([`Event`]); a body is read and written no further than there is room for. Nothing here knows who listens.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on fails"))]

pub mod client;
mod decode;
mod download;
mod exchange;
mod fault;
mod proxy;
mod redirect;
mod request;
mod tls;
mod upload;

pub use client::{Client, Options, Proxy, Redirects};
pub use download::Piece;
pub use exchange::{Event, Head};
pub use fault::Fault;
pub use request::{Content, Request};
pub use upload::{Room, Upload};
