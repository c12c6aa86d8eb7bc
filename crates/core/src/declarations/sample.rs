//! Values that are made up, as JSON for a check and as code for a reader.

use super::schema::Bounds;
use super::text::{property_name, string_literal};
use crate::json::{self, Kind, Member, Value};

/// Longest text that a least length makes, in characters.
const MAX_TEXT: f64 = 400.0;

/// A value that may be written as JSON and as code.
#[derive(Debug, Clone)]
pub(super) enum Sample {
    /// JSON text.
    Scalar(Box<str>),
    List(Vec<Sample>),
    /// Names as JSON strings.
    Object(Vec<(Box<str>, Sample)>),
}

impl Sample {
    /// A value as it is written. It is short, so it is not deep.
    pub(super) fn given(value: Value<'_, '_>) -> Self {
        match value.kind() {
            Kind::List => Self::List(value.items().map(Self::given).collect()),
            Kind::Object => {
                let members = value.members().into_iter();
                Self::Object(members.map(|Member { key, value, .. }| (key.into(), Self::given(value))).collect())
            }
            _ => {
                let mut text = String::new();
                json::write_compact(value.text(), &mut text);
                Self::Scalar(text.into())
            }
        }
    }

    pub(super) fn string(text: &str) -> Self {
        let mut json = String::new();
        json::write_string(text, &mut json);
        Self::Scalar(json.into())
    }

    pub(super) fn write_json(&self, out: &mut String) {
        match self {
            Self::Scalar(text) => out.push_str(text),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write_json(out);
                }
                out.push(']');
            }
            Self::Object(properties) => {
                out.push('{');
                for (at, (name, value)) in properties.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    out.push_str(name);
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }

    pub(super) fn write_code(&self, out: &mut String) {
        match self {
            Self::Scalar(text) => out.push_str(&string_literal(text)),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    item.write_code(out);
                }
                out.push(']');
            }
            Self::Object(properties) if properties.is_empty() => out.push_str("{}"),
            Self::Object(properties) => {
                for (at, (name, value)) in properties.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "{ " });
                    match property_name(name).as_ref() {
                        // Without brackets it would set the prototype.
                        "__proto__" => out.push_str("[\"__proto__\"]"),
                        name => out.push_str(name),
                    }
                    out.push_str(": ");
                    value.write_code(out);
                }
                out.push_str(" }");
            }
        }
    }
}

/// One, or what the bounds allow that is near to it.
pub(super) fn number(bounds: Bounds, is_integer: bool) -> Sample {
    let least = bounds.minimum.or(bounds.exclusive_minimum.map(|least| least + 1.0));
    let most = bounds.maximum.or(bounds.exclusive_maximum.map(|most| most - 1.0));
    let mut number = least.map_or(1.0, |least| least.max(1.0));
    number = most.map_or(number, |most| most.min(number));
    if let (Some(least), Some(most)) = (least, most)
        && least > most
    {
        number = (least + most) / 2.0;
    }
    if let Some(step) = bounds.multiple_of.filter(|step| *step > 0.0) {
        number = (number / step).ceil() * step;
    }
    if is_integer {
        number = number.ceil();
    }
    Sample::Scalar(serde_json::Number::from_f64(number).map_or_else(
        || "1".into(),
        |as_double| {
            let text = as_double.to_string();
            text.strip_suffix(".0").unwrap_or(&text).into()
        },
    ))
}

/// What the format asks for, or the name of the property, in the length that is asked for.
pub(super) fn string(format: Option<&str>, name: &str, bounds: Bounds) -> Sample {
    let of_format = match format.unwrap_or_default() {
        "date-time" => "2026-01-31T12:00:00Z",
        "date" => "2026-01-31",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "user@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => "https://example.com",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "byte" | "base64" => "aGVsbG8=",
        _ => "",
    };
    let text = match (of_format, name) {
        ("", name) if name.is_empty() || json::holds_half(name) => "text",
        ("", name) => name,
        (text, _) => text,
    };
    let least = bounds.min_length.map_or(0, |least| least.clamp(0.0, MAX_TEXT) as usize);
    let most = bounds.max_length.map_or(usize::MAX, |most| most.max(0.0) as usize);
    Sample::string(&text.chars().cycle().take(text.chars().count().max(least).min(most)).collect::<String>())
}
