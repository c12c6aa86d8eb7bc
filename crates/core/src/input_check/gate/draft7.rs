//! Brings a draft-7 document into the form of 2020-12, as the importer for draft 7 does.
//!
//! Rule: a keyword that draft 7 does not know and 2020-12 does is refused wherever it stands in the document; what no
//! schema position leads to is copied as it is.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};
use url::Url;

use super::super::resource::Joiner;
use super::reference::{index, pointer_of};
use super::shape::Schema;
use super::{Refusal, Verdict};
use crate::http::COMPONENT;

/// What 2020-12 would give a meaning to.
const NEWER: [&str; 14] = [
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$vocabulary",
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Where a document is that does not say so.
const NOWHERE: &str = "https://document.invalid/schema/";

/// Most schemas of one URI that are looked through for a target.
const MAX_NAMESAKES: usize = 8;

/// All but what stays as it is in a fragment: what `encodeURI` leaves, less the `#`.
const FRAGMENT: &AsciiSet = &COMPONENT
    .remove(b';')
    .remove(b',')
    .remove(b'/')
    .remove(b'?')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$');

/// What a URL's parser escapes in a fragment.
const NOT_IN_FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// How a keyword of draft 7 holds schemas.
enum Holds {
    One,
    List,
    Named,
}

fn holds(keyword: &str) -> Option<Holds> {
    match keyword {
        "properties" | "patternProperties" => Some(Holds::Named),
        "allOf" | "anyOf" | "oneOf" => Some(Holds::List),
        "not" | "additionalProperties" | "propertyNames" | "contains" | "if" | "then" | "else" => Some(Holds::One),
        _ => None,
    }
}

/// The document in the newer form.
pub(super) fn convert(document: &Value) -> Verdict<Value> {
    let nowhere = Url::parse(NOWHERE).map_err(|_| Refusal::NotImportable)?;
    let joiner = Joiner::new();
    let base = resource_of(document).and_then(|id| joiner.join(&nowhere, id)).unwrap_or(nowhere);
    let mut converter = Converter { resources: HashMap::new(), joiner };
    converter.gather(document, &base, true);
    converter.schema(document, &base, true)
}

struct Converter<'a> {
    /// The schemas that have a URI of their own. Several may say the same one.
    resources: HashMap<Url, Vec<&'a Value>>,
    joiner: Joiner,
}

impl<'a> Converter<'a> {
    fn gather(&mut self, value: &'a Value, base: &Url, is_root: bool) {
        let Value::Object(schema) = value else { return };
        let own = self.base_of(value, base, is_root);
        if is_root || own.is_some() {
            self.resources.entry(own.as_ref().unwrap_or(base).clone()).or_default().push(value);
        }
        let base = own.as_ref().unwrap_or(base);
        if schema.get("$ref").is_some_and(Value::is_string) {
            if let Some(Value::Object(named)) = schema.get("definitions") {
                named.values().for_each(|held| self.gather(held, base, false));
            }
            return;
        }
        for (keyword, held) in schema {
            match (keyword.as_str(), holds(keyword), held) {
                (_, Some(Holds::One), held) | ("items" | "additionalItems", _, held @ Value::Object(_)) => {
                    self.gather(held, base, false);
                }
                (_, Some(Holds::List), Value::Array(list)) | ("items", _, Value::Array(list)) => {
                    list.iter().for_each(|held| self.gather(held, base, false));
                }
                (_, Some(Holds::Named), Value::Object(named))
                | ("definitions" | "dependencies", _, Value::Object(named)) => {
                    named.values().for_each(|held| self.gather(held, base, false));
                }
                _ => {}
            }
        }
    }

    fn schema(&self, value: &Value, base: &Url, is_root: bool) -> Verdict<Value> {
        let Value::Object(schema) = value else { return Ok(value.clone()) };
        let own = self.base_of(value, base, is_root);
        let base = own.as_ref().unwrap_or(base);
        let mut out = Map::new();
        if let Some(Value::String(reference)) = schema.get("$ref") {
            out.insert("$ref".to_owned(), Value::String(self.relocated(reference, base)));
            if let Some(definitions) = schema.get("definitions") {
                out.insert("$defs".to_owned(), self.named(definitions, base)?);
            }
            return Ok(Value::Object(out));
        }
        for (keyword, held) in schema {
            if NEWER.contains(&keyword.as_str()) {
                return Err(Refusal::NotImportable);
            }
            let converted = match (keyword.as_str(), holds(keyword)) {
                (_, Some(Holds::One)) => self.schema(held, base, false)?,
                (_, Some(Holds::List)) => self.list(held, base)?,
                (_, Some(Holds::Named)) => self.named(held, base)?,
                ("definitions", _) => {
                    out.insert("$defs".to_owned(), self.named(held, base)?);
                    continue;
                }
                ("$id", _) => {
                    if let Some(id) = converted_id(held)? {
                        out.insert("$id".to_owned(), id);
                    }
                    continue;
                }
                ("dependencies", _) if held.is_object() => {
                    self.dependencies(&mut out, held, base)?;
                    continue;
                }
                ("items" | "additionalItems", _) => continue,
                _ => held.clone(),
            };
            out.insert(keyword.clone(), converted);
        }
        match (schema.get("items"), schema.get("additionalItems")) {
            (Some(items @ Value::Array(_)), additional) => {
                out.insert("prefixItems".to_owned(), self.list(items, base)?);
                if let Some(additional) = additional {
                    out.insert("items".to_owned(), self.schema(additional, base, false)?);
                }
            }
            (Some(items), _) => {
                out.insert("items".to_owned(), self.schema(items, base, false)?);
            }
            (None, _) => {}
        }
        Ok(Value::Object(out))
    }

    fn base_of(&self, value: &Value, base: &Url, is_root: bool) -> Option<Url> {
        let id = resource_of(value).filter(|id| !is_root && !id.is_empty() && !id.starts_with('#'))?;
        self.joiner.join(base, id)
    }

    fn list(&self, value: &Value, base: &Url) -> Verdict<Value> {
        let Value::Array(list) = value else { return Ok(value.clone()) };
        list.iter().map(|held| self.schema(held, base, false)).collect()
    }

    fn named(&self, value: &Value, base: &Url) -> Verdict<Value> {
        let Value::Object(named) = value else { return Ok(value.clone()) };
        let converted = named.iter().map(|(name, held)| Ok((name.clone(), self.schema(held, base, false)?)));
        Ok(Value::Object(converted.collect::<Verdict<_>>()?))
    }

    fn dependencies(&self, out: &mut Schema, value: &Value, base: &Url) -> Verdict<()> {
        let (mut required, mut schemas) = (Map::new(), Map::new());
        for (name, held) in value.as_object().into_iter().flatten() {
            if held.is_array() {
                required.insert(name.clone(), held.clone());
            } else {
                schemas.insert(name.clone(), self.schema(held, base, false)?);
            }
        }
        for (keyword, held) in [("dependentRequired", required), ("dependentSchemas", schemas)] {
            if !held.is_empty() {
                out.insert(keyword.to_owned(), Value::Object(held));
            }
        }
        Ok(())
    }

    /// A reference to where its target is in the newer form.
    fn relocated(&self, reference: &str, base: &Url) -> String {
        self.target(reference, base).unwrap_or_else(|| reference.to_owned())
    }

    fn target(&self, reference: &str, base: &Url) -> Option<String> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let names = match fragment {
            "" => Vec::new(),
            fragment => pointer_of(&format!("#{}", utf8_percent_encode(fragment, NOT_IN_FRAGMENT)))?,
        };
        let joined;
        let url = match uri {
            "" => base,
            uri => {
                joined = self.joiner.join(base, uri)?;
                &joined
            }
        };
        let path = self.resources.get(url)?.iter().rev().take(MAX_NAMESAKES).find_map(|root| path_to(root, &names))?;
        let (resource, has_fragment) = match reference.split_once('#') {
            Some((resource, _)) => (resource, true),
            None => (reference, false),
        };
        if path.is_empty() && !has_fragment {
            return None;
        }
        let fragment: String = path
            .iter()
            .map(|name| name.replace('~', "~0").replace('/', "~1"))
            .map(|name| format!("/{}", utf8_percent_encode(&name, FRAGMENT)))
            .collect();
        Some(format!("{resource}#{fragment}"))
    }
}

/// Where a schema of the older form will be in the newer one, by names from the root of its resource.
fn path_to(root: &Value, names: &[String]) -> Option<Vec<String>> {
    let mut path = Vec::new();
    let (mut at, mut names) = (root, names.iter().map(String::as_str));
    while let Some(keyword) = names.next() {
        let schema = at.as_object()?;
        if schema.get("$ref").is_some_and(Value::is_string) && keyword != "definitions" {
            return None;
        }
        let held = schema.get(keyword)?;
        let (becomes, held, name) = match (keyword, holds(keyword), held) {
            (_, Some(Holds::One), held) => (keyword, held, None),
            (_, Some(Holds::Named), Value::Object(named)) => {
                let name = names.next()?;
                (keyword, named.get(name)?, Some(name))
            }
            (_, Some(Holds::List), Value::Array(list)) => {
                let name = names.next()?;
                (keyword, list.get(index(name)?)?, Some(name))
            }
            ("items", _, Value::Array(list)) => {
                let name = names.next()?;
                ("prefixItems", list.get(index(name)?)?, Some(name))
            }
            ("items", _, held) => ("items", held, None),
            ("additionalItems", _, held) if schema.get("items").is_some_and(Value::is_array) => ("items", held, None),
            ("definitions", _, Value::Object(named)) => {
                let name = names.next()?;
                ("$defs", named.get(name)?, Some(name))
            }
            ("dependencies", _, Value::Object(named)) => {
                let name = names.next()?;
                ("dependentSchemas", named.get(name).filter(|held| !held.is_array())?, Some(name))
            }
            _ => return None,
        };
        path.push(becomes.to_owned());
        path.extend(name.map(str::to_owned));
        at = held;
    }
    (at.is_object() || at.is_boolean()).then_some(path)
}

/// The `$id` of a schema; beside a reference it has none.
fn resource_of(value: &Value) -> Option<&str> {
    let schema = value.as_object()?;
    let has_reference = schema.get("$ref").is_some_and(Value::is_string);
    schema.get("$id").and_then(Value::as_str).filter(|_| !has_reference)
}

/// An `$id` without its fragment, which has to be good for an anchor.
fn converted_id(value: &Value) -> Verdict<Option<Value>> {
    let Some((id, anchor)) = value.as_str().and_then(|id| id.split_once('#')) else { return Ok(Some(value.clone())) };
    let is_anchor = |anchor: &str| {
        anchor.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && anchor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    if !anchor.is_empty() && !is_anchor(anchor) {
        return Err(Refusal::NotImportable);
    }
    Ok((!id.is_empty()).then(|| Value::String(id.to_owned())))
}
