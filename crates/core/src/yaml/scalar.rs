//! What a scalar means in the core schema (YAML 1.2.2 §10.3), and how JSON says it.

use std::borrow::Cow;

use granit_parser::Tag;

use crate::json;

/// What a scalar means.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    /// The text of a JSON number, its digits kept.
    Number(Cow<'a, str>),
    Infinity {
        negative: bool,
    },
    NotANumber,
    Text(&'a str),
}

/// The namespace of the tags that `!!` stands for.
const YAML: &str = "tag:yaml.org,2002:";

impl<'a> Scalar<'a> {
    /// Of a scalar's text. Only one that is plain, which is one without quotes, is anything but a text by itself; a tag of the
    /// core schema may say otherwise of any. A tag of anybody else makes it a text.
    pub(super) fn of(text: &'a str, is_plain: bool, tag: Option<&Tag>) -> Result<Self, String> {
        let Some(tag) = tag else {
            return Ok(if is_plain { Self::plain(text) } else { Self::Text(text) });
        };
        let scalar = match tag.core_suffix() {
            Some("null" | "bool" | "int" | "float") => Self::plain(text),
            _ => Self::Text(text),
        };
        let fits = match (tag.core_suffix(), &scalar) {
            (Some("null"), Self::Null) | (Some("bool"), Self::Bool(_)) => true,
            (Some("int"), Self::Number(number)) => !number.contains(['.', 'e', 'E']),
            (Some("float"), Self::Number(_) | Self::Infinity { .. } | Self::NotANumber) => true,
            (Some("null" | "bool" | "int" | "float"), _) => false,
            _ => true,
        };
        if fits { Ok(scalar) } else { Err(format!("{text:?} is not what its tag {} says", tag.original())) }
    }

    /// Of the text of a plain scalar.
    pub(super) fn plain(text: &'a str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Self::Infinity { negative: false },
            "-.inf" | "-.Inf" | "-.INF" => Self::Infinity { negative: true },
            ".nan" | ".NaN" | ".NAN" => Self::NotANumber,
            _ => number(text).map_or(Self::Text(text), Self::Number),
        }
    }

    /// Appends it as JSON. An infinity is the nearest number that a double holds, as everywhere here; what is no number is
    /// null, as `JSON.stringify` has it.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Null | Self::NotANumber => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(number),
            Self::Infinity { negative: false } => out.push_str("1.7976931348623157e308"),
            Self::Infinity { negative: true } => out.push_str("-1.7976931348623157e308"),
            Self::Text(text) => json::write_string(text, out),
        }
    }

    /// The key that it makes: what JavaScript makes a string of it.
    pub(super) fn key(&self) -> Cow<'a, str> {
        match self {
            Self::Null => "null".into(),
            Self::NotANumber => "NaN".into(),
            Self::Bool(value) => if *value { "true" } else { "false" }.into(),
            Self::Number(number) => key_of_number(number).into(),
            Self::Infinity { negative: false } => "Infinity".into(),
            Self::Infinity { negative: true } => "-Infinity".into(),
            Self::Text(text) => (*text).into(),
        }
    }
}

/// Whether a key says that what follows is merged into the object it stands in.
pub(super) fn is_merge(text: &str, is_plain: bool, tag: Option<&Tag>) -> bool {
    let is_tagged = |tag: &Tag| tag.suffix_in_namespace(YAML).is_some_and(|name| name == "merge");
    text == "<<" && is_plain && tag.is_none_or(is_tagged)
}

/// A JSON number as the key that JavaScript makes of it: `1.0` is `1`.
pub(super) fn key_of_number(number: &str) -> String {
    let number: f64 = number.parse().unwrap_or(f64::NAN);
    let size = number.abs();
    if size.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

/// The JSON number that a plain scalar is. Its digits are kept, whatever fits into them.
fn number(text: &str) -> Option<Cow<'_, str>> {
    if !matches!(text.as_bytes().first(), Some(b'+' | b'-' | b'.' | b'0'..=b'9')) {
        return None;
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return whole(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return whole(digits, 16);
    }
    decimal(text)
}

/// A whole number without a sign that is not decimal: the nearest that a double holds where it has more than 128 bits.
fn whole(digits: &str, radix: u32) -> Option<Cow<'static, str>> {
    if digits.is_empty() || !digits.bytes().all(|byte| char::from(byte).is_digit(radix)) {
        return None;
    }
    if let Ok(exact) = u128::from_str_radix(digits, radix) {
        return Some(exact.to_string().into());
    }
    let value = |byte: u8| f64::from(char::from(byte).to_digit(radix).unwrap_or(0));
    let nearest = digits.bytes().fold(0.0, |sum, byte| sum * f64::from(radix) + value(byte));
    nearest.is_finite().then(|| format!("{nearest:e}").into())
}

fn decimal(text: &str) -> Option<Cow<'_, str>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_exponent = |exponent: &str| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && are_digits(digits)
    };
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    if !has_digits || !are_digits(whole) || !are_digits(fraction) || !exponent.is_none_or(is_exponent) {
        return None;
    }
    // JSON has no plus sign, no zeros in front, and digits on both sides of a point.
    let shortest = whole.trim_start_matches('0');
    let is_whole = whole == "0" || (!whole.is_empty() && whole.len() == shortest.len());
    if is_whole && !text.starts_with('+') && !mantissa.ends_with('.') {
        return Some(text.into());
    }
    let mut json = String::with_capacity(text.len() + 1);
    json.push_str(if text.starts_with('-') { "-" } else { "" });
    json.push_str(if shortest.is_empty() { "0" } else { shortest });
    if !fraction.is_empty() {
        json.push('.');
        json.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        json.push('e');
        json.push_str(exponent);
    }
    Some(json.into())
}
