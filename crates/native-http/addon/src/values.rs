//! What happened, as values of JavaScript: one flat list, since each object that is made costs as much as a short string.

use std::ptr;

use bytes::Bytes;
use napi::bindgen_prelude::{Array, ToNapiValue};
use napi::{Env, Result, check_status, sys};
use toolkit_native_http::{Event, Piece, Room};

/// How many values an event has.
const STRIDE: u32 = 6;

const IS_END: u32 = 1 << 16;
const HAS_NO_BODY: u32 = 1 << 17;
const HAS_FAILED: u32 = 1 << 18;

/// Bytes that are characters of Latin-1, as headers are.
struct Latin1(Vec<u8>);

impl ToNapiValue for Latin1 {
    unsafe fn to_napi_value(env: sys::napi_env, Self(text): Self) -> Result<sys::napi_value> {
        let mut value = ptr::null_mut();
        let length = text.len().cast_signed();
        // SAFETY: the text is as long as is said, and is copied.
        check_status!(unsafe { sys::napi_create_string_latin1(env, text.as_ptr().cast(), length, &raw mut value) })?;
        Ok(value)
    }
}

/// Chunks as one `ArrayBuffer`.
struct Joined(Vec<Bytes>);

impl ToNapiValue for Joined {
    unsafe fn to_napi_value(env: sys::napi_env, Self(chunks): Self) -> Result<sys::napi_value> {
        let length = chunks.iter().map(Bytes::len).sum();
        let (mut value, mut data) = (ptr::null_mut(), ptr::null_mut());
        check_status!(unsafe { sys::napi_create_arraybuffer(env, length, &raw mut data, &raw mut value) })?;
        let mut at = data.cast::<u8>();
        for chunk in chunks.iter().filter(|_| !data.is_null()) {
            // SAFETY: the buffer is as long as all chunks together, and nobody else has it yet.
            unsafe {
                ptr::copy_nonoverlapping(chunk.as_ptr(), at, chunk.len());
                at = at.add(chunk.len());
            }
        }
        Ok(value)
    }
}

struct Values<'env> {
    list: Array<'env>,
    at: u32,
}

impl Values<'_> {
    fn add(&mut self, value: impl ToNapiValue) -> Result<()> {
        self.list.set(self.at, value)?;
        self.at += 1;
        Ok(())
    }

    fn skip(&mut self, values: u32) {
        self.at += values;
    }

    fn body(&mut self, request: u32, piece: Piece) -> Result<()> {
        self.add(2)?;
        self.add(request)?;
        match piece.ended {
            None => self.add(0)?,
            Some(Ok(())) => self.add(IS_END)?,
            Some(Err(fault)) => {
                self.add(IS_END | HAS_FAILED)?;
                self.add(fault.text)?;
                self.add(fault.code)?;
                self.skip(1);
                return Ok(());
            }
        }
        self.skip(2);
        self.add(Joined(piece.chunks))
    }

    fn event(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Head { request, head, body } => {
                self.add(0)?;
                self.add(request)?;
                let is_end = if body.ended.is_some() { IS_END } else { 0 };
                let has_none = if head.has_body { 0 } else { HAS_NO_BODY };
                self.add(u32::from(head.status) | is_end | has_none)?;
                self.add(Latin1(head.headers))?;
                self.add(head.url)?;
                if body.is_empty() {
                    self.skip(1);
                    return Ok(());
                }
                self.add(Joined(body.chunks))
            }
            Event::Failed { request, fault } => {
                self.add(1)?;
                self.add(request)?;
                self.add(0)?;
                self.add(fault.text)?;
                self.add(fault.code)?;
                self.skip(1);
                Ok(())
            }
            Event::Body { request, piece } => self.body(request, piece),
            Event::Upload { request, room } => {
                self.add(3)?;
                self.add(request)?;
                self.add(match room {
                    Room::None | Room::Closed | Room::Excess => 0,
                    Room::Some => 1,
                    Room::Again => 2,
                })?;
                self.skip(3);
                Ok(())
            }
        }
    }
}

pub(crate) fn events(env: &Env, events: Vec<Event>) -> Result<Array<'_>> {
    let length = u32::try_from(events.len()).unwrap_or(u32::MAX / STRIDE) * STRIDE;
    let mut values = Values { list: env.create_array(length)?, at: 0 };
    for event in events {
        values.event(event)?;
    }
    Ok(values.list)
}

pub(crate) fn piece(env: &Env, request: u32, piece: Piece) -> Result<Array<'_>> {
    let mut values = Values { list: env.create_array(STRIDE)?, at: 0 };
    values.body(request, piece)?;
    Ok(values.list)
}
