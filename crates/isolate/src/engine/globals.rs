//! What the prelude's functions of the web do that the language does not: UTF-8, addresses, random names.
#![allow(unsafe_code, reason = "the bytes of a typed array are read where they are")]

use rquickjs::convert::List;
use rquickjs::{Ctx, Function, Object, Result, TypedArray};
use url::{Url, form_urlencoded, quirks};

use crate::system;

/// Adds them to what the prelude is given.
pub(super) fn add<'js>(ctx: &Ctx<'js>, host: &Object<'js>) -> Result<()> {
    host.set("encode", Function::new(ctx.clone(), encode)?)?;
    host.set("encodeUpTo", Function::new(ctx.clone(), encode_up_to)?)?;
    host.set("decode", Function::new(ctx.clone(), decode)?)?;
    host.set("readForm", Function::new(ctx.clone(), read_form)?)?;
    host.set("writeForm", Function::new(ctx.clone(), write_form)?)?;
    host.set("readUrl", Function::new(ctx.clone(), read_url)?)?;
    host.set("writeUrl", Function::new(ctx.clone(), write_url)?)?;
    host.set("uuid", Function::new(ctx.clone(), uuid)?)
}

fn encode(ctx: Ctx<'_>, text: String) -> Result<TypedArray<'_, u8>> {
    TypedArray::new_copy(ctx, text.as_bytes())
}

/// As many whole characters as fit.
fn encode_up_to(ctx: Ctx<'_>, text: String, most: usize) -> Result<TypedArray<'_, u8>> {
    TypedArray::new_copy(ctx, &text.as_bytes()[..text.floor_char_boundary(most)])
}

/// The text, and how many bytes at the end may go on with the next ones; none where the bytes are wrong and may not be.
fn decode(bytes: TypedArray<'_, u8>, is_fatal: bool, is_more: bool) -> Option<List<(String, usize)>> {
    let Some(place) = bytes.as_raw() else { return Some(List((String::new(), 0))) };
    // SAFETY: the array is held, and no JavaScript runs while its bytes are copied.
    let bytes = unsafe { place.as_ref() }.to_vec();
    let rest = if is_more { unfinished(&bytes) } else { 0 };
    let whole = &bytes[..bytes.len() - rest];
    let text = if is_fatal {
        std::str::from_utf8(whole).ok()?.to_owned()
    } else {
        String::from_utf8_lossy(whole).into_owned()
    };
    Some(List((text, rest)))
}

/// How many bytes at the end begin a character that the next ones may end.
fn unfinished(bytes: &[u8]) -> usize {
    let mut from = bytes.len().saturating_sub(3);
    while from < bytes.len() {
        match std::str::from_utf8(&bytes[from..]) {
            Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() => return bytes.len() - from,
            _ => from += 1,
        }
    }
    0
}

fn read_form(text: String) -> Vec<String> {
    form_urlencoded::parse(text.as_bytes()).flat_map(|(name, value)| [name.into_owned(), value.into_owned()]).collect()
}

fn write_form(flat: Vec<String>) -> String {
    let pairs = flat.chunks_exact(2).map(|pair| (&pair[0], &pair[1]));
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn read_url(text: String, base: Option<String>) -> Option<Vec<String>> {
    let base = match base {
        Some(base) => Some(Url::parse(&base).ok()?),
        None => None,
    };
    Url::options().base_url(base.as_ref()).parse(&text).ok().as_ref().map(parts)
}

fn write_url(href: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    let value = value.as_str();
    match part.as_str() {
        "href" => quirks::set_href(&mut url, value).ok()?,
        "protocol" => quirks::set_protocol(&mut url, value).ok()?,
        "username" => quirks::set_username(&mut url, value).ok()?,
        "password" => quirks::set_password(&mut url, value).ok()?,
        "host" => quirks::set_host(&mut url, value).ok()?,
        "hostname" => quirks::set_hostname(&mut url, value).ok()?,
        "port" => quirks::set_port(&mut url, value).ok()?,
        "pathname" => quirks::set_pathname(&mut url, value),
        "search" => quirks::set_search(&mut url, value),
        "hash" => quirks::set_hash(&mut url, value),
        _ => return None,
    }
    Some(parts(&url))
}

/// In the prelude's order.
fn parts(url: &Url) -> Vec<String> {
    let origin = quirks::origin(url);
    [
        quirks::href(url),
        &origin,
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ]
    .map(str::to_owned)
    .into()
}

/// A random one, version 4 (RFC 9562 §5.4).
fn uuid(ctx: Ctx<'_>) -> Result<String> {
    let Some(mut bytes) = system::random::<16>() else {
        return Err(rquickjs::Exception::throw_message(&ctx, "The system gives no random bytes"));
    };
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    Ok(text)
}
