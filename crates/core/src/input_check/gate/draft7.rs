//! Brings a draft-7 document into the form of 2020-12, as the importer for draft 7 does.
//!
//! Rule: a keyword that draft 7 does not know and 2020-12 does is refused wherever it stands in the document; what no
//! schema position leads to is copied as it is.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

use super::super::resource::Joiner;
use super::super::view::{Kind, Object, Value, write_text};
use super::reference::{index, pointer_of};
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

/// The text of the document in the newer form.
pub(super) fn convert(document: Value<'_>) -> Verdict<String> {
    let nowhere = Url::parse(NOWHERE).map_err(|_| Refusal::NotImportable)?;
    let joiner = Joiner::new();
    let base = resource_of(document).and_then(|id| joiner.join(&nowhere, id)).unwrap_or(nowhere);
    let mut converter = Converter { resources: HashMap::new(), joiner };
    converter.gather(document, &base, true);
    let mut text = String::new();
    converter.schema(document, &base, true, &mut text)?;
    Ok(text)
}

struct Converter<'a> {
    /// The schemas that have a URI of their own. Several may say the same one.
    resources: HashMap<Url, Vec<Value<'a>>>,
    joiner: Joiner,
}

impl<'a> Converter<'a> {
    fn gather(&mut self, value: Value<'a>, base: &Url, is_root: bool) {
        let Some(schema) = value.as_object() else { return };
        let own = self.base_of(value, base, is_root);
        if is_root || own.is_some() {
            self.resources.entry(own.as_ref().unwrap_or(base).clone()).or_default().push(value);
        }
        let base = own.as_ref().unwrap_or(base);
        if schema.get("$ref").is_some_and(Value::is_str) {
            if let Some(named) = schema.get("definitions").and_then(Value::as_object) {
                named.values().for_each(|held| self.gather(held, base, false));
            }
            return;
        }
        for (keyword, held) in schema.iter() {
            match (keyword, holds(keyword), held.kind()) {
                (_, Some(Holds::One), _) | ("items" | "additionalItems", _, Kind::Object(_)) => {
                    self.gather(held, base, false);
                }
                (_, Some(Holds::List), Kind::List(list)) | ("items", _, Kind::List(list)) => {
                    list.iter().for_each(|held| self.gather(held, base, false));
                }
                (_, Some(Holds::Named), Kind::Object(named))
                | ("definitions" | "dependencies", _, Kind::Object(named)) => {
                    named.values().for_each(|held| self.gather(held, base, false));
                }
                _ => {}
            }
        }
    }

    fn schema(&self, value: Value<'_>, base: &Url, is_root: bool, out: &mut String) -> Verdict<()> {
        let Some(schema) = value.as_object() else {
            value.write(out);
            return Ok(());
        };
        let own = self.base_of(value, base, is_root);
        let base = own.as_ref().unwrap_or(base);
        let mut members = Members::begin(out);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            write_text(&self.relocated(reference, base), members.named("$ref"));
            if let Some(definitions) = schema.get("definitions") {
                self.named(definitions, base, members.named("$defs"))?;
            }
            members.end();
            return Ok(());
        }
        for (keyword, held) in schema.iter() {
            if NEWER.contains(&keyword) {
                return Err(Refusal::NotImportable);
            }
            match (keyword, holds(keyword)) {
                (_, Some(Holds::One)) => self.schema(held, base, false, members.named(keyword))?,
                (_, Some(Holds::List)) => self.list(held, base, members.named(keyword))?,
                (_, Some(Holds::Named)) => self.named(held, base, members.named(keyword))?,
                ("definitions", _) => self.named(held, base, members.named("$defs"))?,
                ("$id", _) => match held.as_str() {
                    Some(id) => {
                        if let Some(id) = converted_id(id)? {
                            write_text(id, members.named("$id"));
                        }
                    }
                    None => held.write(members.named("$id")),
                },
                ("dependencies", _) if held.is_object() => self.dependencies(&mut members, held, base)?,
                ("items" | "additionalItems", _) => {}
                _ => held.write(members.named(keyword)),
            }
        }
        match (schema.get("items"), schema.get("additionalItems")) {
            (Some(items), additional) if items.is_list() => {
                self.list(items, base, members.named("prefixItems"))?;
                if let Some(additional) = additional {
                    self.schema(additional, base, false, members.named("items"))?;
                }
            }
            (Some(items), _) => self.schema(items, base, false, members.named("items"))?,
            (None, _) => {}
        }
        members.end();
        Ok(())
    }

    fn base_of(&self, value: Value<'_>, base: &Url, is_root: bool) -> Option<Url> {
        let id = resource_of(value).filter(|id| !is_root && !id.is_empty() && !id.starts_with('#'))?;
        self.joiner.join(base, id)
    }

    fn list(&self, value: Value<'_>, base: &Url, out: &mut String) -> Verdict<()> {
        let Some(list) = value.as_list() else {
            value.write(out);
            return Ok(());
        };
        out.push('[');
        for (at, held) in list.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { "," });
            self.schema(held, base, false, out)?;
        }
        out.push(']');
        Ok(())
    }

    fn named(&self, value: Value<'_>, base: &Url, out: &mut String) -> Verdict<()> {
        let Some(named) = value.as_object() else {
            value.write(out);
            return Ok(());
        };
        let mut members = Members::begin(out);
        for (name, held) in named.iter() {
            self.schema(held, base, false, members.named(name))?;
        }
        members.end();
        Ok(())
    }

    fn dependencies(&self, out: &mut Members<'_>, value: Value<'_>, base: &Url) -> Verdict<()> {
        let all = || value.as_object().into_iter().flat_map(Object::iter);
        if all().any(|(_, held)| held.is_list()) {
            let mut required = Members::begin(out.named("dependentRequired"));
            all().filter(|(_, held)| held.is_list()).for_each(|(name, held)| held.write(required.named(name)));
            required.end();
        }
        if all().any(|(_, held)| !held.is_list()) {
            let mut schemas = Members::begin(out.named("dependentSchemas"));
            for (name, held) in all().filter(|(_, held)| !held.is_list()) {
                self.schema(held, base, false, schemas.named(name))?;
            }
            schemas.end();
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
        let path = self.resources.get(url)?.iter().rev().take(MAX_NAMESAKES).find_map(|root| path_to(*root, &names))?;
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

/// An object that is being written.
struct Members<'o> {
    out: &'o mut String,
    is_first: bool,
}

impl<'o> Members<'o> {
    fn begin(out: &'o mut String) -> Self {
        out.push('{');
        Members { out, is_first: true }
    }

    /// Where the value of the next member goes.
    fn named(&mut self, name: &str) -> &mut String {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.push(',');
        }
        write_text(name, self.out);
        self.out.push(':');
        self.out
    }

    fn end(self) {
        self.out.push('}');
    }
}

/// Where a schema of the older form will be in the newer one, by names from the root of its resource.
fn path_to(root: Value<'_>, names: &[String]) -> Option<Vec<String>> {
    let mut path = Vec::new();
    let (mut at, mut names) = (root, names.iter().map(String::as_str));
    while let Some(keyword) = names.next() {
        let schema = at.as_object()?;
        if schema.get("$ref").is_some_and(Value::is_str) && keyword != "definitions" {
            return None;
        }
        let held = schema.get(keyword)?;
        let (becomes, held, name) = match (keyword, holds(keyword), held.kind()) {
            (_, Some(Holds::One), _) => (keyword, held, None),
            (_, Some(Holds::Named), Kind::Object(named)) => {
                let name = names.next()?;
                (keyword, named.get(name)?, Some(name))
            }
            (_, Some(Holds::List), Kind::List(list)) => {
                let name = names.next()?;
                (keyword, list.get(index(name)?)?, Some(name))
            }
            ("items", _, Kind::List(list)) => {
                let name = names.next()?;
                ("prefixItems", list.get(index(name)?)?, Some(name))
            }
            ("items", _, _) => ("items", held, None),
            ("additionalItems", _, _) if schema.get("items").is_some_and(Value::is_list) => ("items", held, None),
            ("definitions", _, Kind::Object(named)) => {
                let name = names.next()?;
                ("$defs", named.get(name)?, Some(name))
            }
            ("dependencies", _, Kind::Object(named)) => {
                let name = names.next()?;
                ("dependentSchemas", named.get(name).filter(|held| !held.is_list())?, Some(name))
            }
            _ => return None,
        };
        path.push(becomes.to_owned());
        path.extend(name.map(str::to_owned));
        at = held;
    }
    at.is_schema().then_some(path)
}

/// The `$id` of a schema; beside a reference it has none.
fn resource_of(value: Value<'_>) -> Option<&str> {
    let schema = value.as_object()?;
    let has_reference = schema.get("$ref").is_some_and(Value::is_str);
    schema.get("$id").and_then(Value::as_str).filter(|_| !has_reference)
}

/// An `$id` without its fragment, which has to be good for an anchor.
fn converted_id(id: &str) -> Verdict<Option<&str>> {
    let Some((id, anchor)) = id.split_once('#') else { return Ok(Some(id)) };
    let is_anchor = |anchor: &str| {
        anchor.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && anchor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    if !anchor.is_empty() && !is_anchor(anchor) {
        return Err(Refusal::NotImportable);
    }
    Ok((!id.is_empty()).then_some(id))
}
