//! A schema of a document, written as JSON Schema 2020-12 that stands alone.
//!
//! What OpenAPI 3.0 says its own way is said as 3.1 has it: `nullable`, boolean exclusive bounds and `example`, at schema
//! positions only; and what a document or a schema of 3.1 or 3.2 says that it has in an older dialect, as 2020-12 has it. A
//! reference to a schema becomes one under `$defs`. Everything else is copied as it is written, and nothing is refused for
//! a keyword of the wrong version.

use super::dialect::Dialect;
use super::skip::{Reason, SkipCode};
use super::store::StoreBuilder;
use crate::json::{self, Kind, Member, Node, Tape, TapeError, Value};

/// The deepest nesting of a schema that is read: what the input check takes too.
pub(super) const MAX_DEPTH: usize = 512;

/// Where schemas stand inside a schema (JSON Schema 2020-12 §10 and its older forms).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// One schema.
    One,
    /// A list of schemas.
    Many,
    /// One schema, or a list of them.
    OneOrMany,
    /// An object whose values are schemas.
    Named,
    /// No schema.
    None,
}

pub(super) fn position(keyword: &str) -> Position {
    match keyword {
        "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "additionalItems"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Position::One,
        "items" => Position::OneOrMany,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Position::Many,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => {
            Position::Named
        }
        _ => Position::None,
    }
}

/// Keywords that speak about a value without restricting it: they stay outside when a schema is wrapped.
const ANNOTATIONS: [&str; 8] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// What a tool's schema does not take along: keywords of OpenAPI that JSON Schema gives no meaning, and those that say where
/// a schema is from, against which the references under `$defs` would be read.
const LEFT_OUT: [&str; 5] = ["discriminator", "xml", "externalDocs", "$id", "$schema"];

/// Appends the schema at a place of the document. `refs` gathers the shared schemas that it needs; `own` is the number of this
/// one, where it is shared.
pub(super) fn write<'a>(
    node: Node<'a>,
    own: Option<u32>,
    store: &mut StoreBuilder<'a>,
    refs: &mut Vec<u32>,
    out: &mut String,
) -> Result<(), Reason> {
    let tape = Tape::of(node, MAX_DEPTH).map_err(|error| match error {
        TapeError::TooDeep(_) | TapeError::TooLarge => Reason::new(SkipCode::Schema, format!("the schema {error}")),
    })?;
    let dialect = store.dialect();
    Writer { store, dialect, own, refs, out }.schema(tape.root())
}

struct Writer<'w, 'a> {
    store: &'w mut StoreBuilder<'a>,
    dialect: Dialect,
    own: Option<u32>,
    refs: &'w mut Vec<u32>,
    out: &'w mut String,
}

impl<'a> Writer<'_, 'a> {
    /// The depth of this recursion is that of the tape, so at most [`MAX_DEPTH`].
    fn schema(&mut self, value: Value<'_, 'a>) -> Result<(), Reason> {
        match value.kind() {
            Kind::Object => {}
            Kind::Bool => {
                self.out.push_str(value.text());
                return Ok(());
            }
            // Neither an object nor a boolean is no schema: nothing is known of the value.
            _ => {
                self.out.push_str("{}");
                return Ok(());
            }
        }
        let mut members = value.members();
        if self.dialect == Dialect::OpenApi30 {
            return self.openapi_30(members);
        }
        // A schema that says which dialect it is in says it for what is in it too.
        let around = self.dialect;
        let named = find(&members, "$schema").and_then(Value::as_str).and_then(|uri| Dialect::named(&uri));
        self.dialect = named.unwrap_or(around);
        members.retain(|member| !LEFT_OUT.contains(&member.name.as_ref()));
        if self.dialect.has_lone_references() && find(&members, "$ref").is_some() {
            members.retain(|member| member.name == "$ref");
        }
        let written = self.object(&members);
        self.dialect = around;
        written
    }

    fn openapi_30(&mut self, mut members: Vec<Member<'_, 'a>>) -> Result<(), Reason> {
        members.retain(|member| !LEFT_OUT.contains(&member.name.as_ref()));
        let is_nullable = find(&members, "nullable").is_some_and(|value| value.text() == "true");
        members.retain(|member| member.name != "nullable");
        if find(&members, "$ref").is_some() {
            members.retain(|member| member.name == "$ref");
        }
        if !is_nullable {
            return self.object(&members);
        }
        self.nullable(members)
    }

    /// A schema that allows null besides what it says: decision by what restricts it.
    fn nullable(&mut self, members: Vec<Member<'_, 'a>>) -> Result<(), Reason> {
        let has = |name: &str| find(&members, name).is_some();
        let is_combined = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "const"].iter().any(|name| has(name));
        if !is_combined {
            return self.members(&members, Null::InPlace);
        }
        let (outside, inside): (Vec<_>, Vec<_>) = members.into_iter().partition(|Member { name, .. }| {
            ANNOTATIONS.contains(&name.as_ref()) || name == "example" || name.starts_with("x-")
        });
        self.out.push('{');
        let mut is_first = true;
        for member in &outside {
            self.member(member, &outside, Null::No, &mut is_first)?;
        }
        self.separate(&mut is_first);
        self.out.push_str("\"anyOf\":[");
        self.alternatives(&inside)?;
        self.out.push_str(",{\"type\":\"null\"}]}");
        Ok(())
    }

    /// The alternatives to null: those of an `anyOf` or of an `allOf` of one, where nothing else stands beside it.
    fn alternatives(&mut self, inside: &[Member<'_, 'a>]) -> Result<(), Reason> {
        if let [Member { name, value: list, .. }] = inside
            && (name == "anyOf" || (name == "allOf" && list.items().count() == 1))
            && list.items().next().is_some()
        {
            for (at, item) in list.items().enumerate() {
                if at > 0 {
                    self.out.push(',');
                }
                self.schema(item)?;
            }
            return Ok(());
        }
        self.object(inside)
    }

    fn object(&mut self, members: &[Member<'_, 'a>]) -> Result<(), Reason> {
        self.members(members, Null::No)
    }

    fn members(&mut self, members: &[Member<'_, 'a>], null: Null) -> Result<(), Reason> {
        self.out.push('{');
        let mut is_first = true;
        for member in members {
            self.member(member, members, null, &mut is_first)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn member(
        &mut self,
        member: &Member<'_, 'a>,
        beside: &[Member<'_, 'a>],
        null: Null,
        is_first: &mut bool,
    ) -> Result<(), Reason> {
        let (key, value) = (member.name.as_ref(), member.value);
        match key {
            "$ref" => {
                if value.kind() == Kind::String {
                    let id = self.store.intern(value.text())?;
                    self.refer(id, is_first);
                    return Ok(());
                }
                return Err(Reason::new(SkipCode::Reference, format!("$ref is {}, not a string", value.kind().name())));
            }
            // Of 2019-09, and in documents of 3.1 all the same: it leads to the schema that says so of itself, which is the whole one.
            "$recursiveAnchor" => return Ok(()),
            "$recursiveRef" => {
                if let Some(id) = self.own.filter(|_| find(beside, "$ref").is_none()) {
                    self.refer(id, is_first);
                }
                return Ok(());
            }
            "example" if find(beside, "examples").is_some() => return Ok(()),
            "example" => {
                self.separate(is_first);
                self.out.push_str("\"examples\":[");
                json::write_compact(value.text(), self.out);
                self.out.push(']');
                return Ok(());
            }
            "exclusiveMinimum" | "exclusiveMaximum" if value.kind() == Kind::Bool => {
                let limit = if key == "exclusiveMinimum" { "minimum" } else { "maximum" };
                if value.text() == "true"
                    && let Some(limit) = find(beside, limit).filter(|limit| limit.kind() == Kind::Number)
                {
                    self.key(member.key, is_first);
                    json::write_compact(limit.text(), self.out);
                }
                return Ok(());
            }
            "minimum" | "maximum" => {
                let exclusive = if key == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
                if value.kind() == Kind::Number && find(beside, exclusive).is_some_and(|value| value.text() == "true") {
                    return Ok(());
                }
            }
            "items" if value.kind() == Kind::List && self.dialect.has_item_lists() => {
                self.key("\"prefixItems\"", is_first);
                return self.at_position(Position::Many, value);
            }
            "additionalItems" if self.dialect.has_item_lists() => {
                if find(beside, "items").is_some_and(|items| items.kind() == Kind::List) {
                    self.key("\"items\"", is_first);
                    return self.schema(value);
                }
                return Ok(());
            }
            "dependencies" if self.dialect == Dialect::UpToDraft7 => return self.dependencies(value, is_first),
            "type" if null == Null::InPlace => return self.nullable_type(value, is_first),
            "enum" if null == Null::InPlace => return self.nullable_enum(value, is_first),
            _ => {}
        }
        self.key(member.key, is_first);
        self.at_position(position(key), value)
    }

    fn refer(&mut self, id: u32, is_first: &mut bool) {
        self.refs.push(id);
        self.separate(is_first);
        self.out.push_str("\"$ref\":");
        self.out.push_str(self.store.reference(id));
    }

    fn at_position(&mut self, position: Position, value: Value<'_, 'a>) -> Result<(), Reason> {
        match (position, value.kind()) {
            (Position::One, _) | (Position::OneOrMany, Kind::Object | Kind::Bool) => self.schema(value),
            (Position::Many | Position::OneOrMany, Kind::List) => {
                self.out.push('[');
                for (at, item) in value.items().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    self.schema(item)?;
                }
                self.out.push(']');
                Ok(())
            }
            (Position::Named, Kind::Object) => {
                self.out.push('{');
                let mut is_first = true;
                for Member { key, value: item, .. } in value.members() {
                    self.key(key, &mut is_first);
                    // `dependencies` of older drafts may name properties instead.
                    if item.kind() == Kind::List {
                        json::write_compact(item.text(), self.out);
                    } else {
                        self.schema(item)?;
                    }
                }
                self.out.push('}');
                Ok(())
            }
            _ => {
                json::write_compact(value.text(), self.out);
                Ok(())
            }
        }
    }

    /// What a property needs beside it: the names of others, or a schema for all of them.
    fn dependencies(&mut self, value: Value<'_, 'a>, is_first: &mut bool) -> Result<(), Reason> {
        let (names, schemas): (Vec<_>, Vec<_>) =
            value.members().into_iter().partition(|member| member.value.kind() == Kind::List);
        for (keyword, members) in [("\"dependentRequired\"", names), ("\"dependentSchemas\"", schemas)] {
            if members.is_empty() {
                continue;
            }
            self.key(keyword, is_first);
            self.out.push('{');
            let mut is_first = true;
            for Member { key, value, .. } in members {
                self.key(key, &mut is_first);
                match value.kind() {
                    Kind::List => json::write_compact(value.text(), self.out),
                    _ => self.schema(value)?,
                }
            }
            self.out.push('}');
        }
        Ok(())
    }

    fn nullable_type(&mut self, value: Value<'_, 'a>, is_first: &mut bool) -> Result<(), Reason> {
        self.key("\"type\"", is_first);
        match value.kind() {
            Kind::String if value.text() != "\"null\"" => {
                self.out.push('[');
                self.out.push_str(value.text());
                self.out.push_str(",\"null\"]");
            }
            Kind::List => self.list_with_null(value, "\"null\""),
            _ => json::write_compact(value.text(), self.out),
        }
        Ok(())
    }

    fn nullable_enum(&mut self, value: Value<'_, 'a>, is_first: &mut bool) -> Result<(), Reason> {
        self.key("\"enum\"", is_first);
        match value.kind() {
            Kind::List => self.list_with_null(value, "null"),
            _ => json::write_compact(value.text(), self.out),
        }
        Ok(())
    }

    fn list_with_null(&mut self, list: Value<'_, 'a>, null: &str) {
        self.out.push('[');
        let mut has_null = false;
        for (at, item) in list.items().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            has_null |= item.text() == null;
            json::write_compact(item.text(), self.out);
        }
        if !has_null {
            if list.items().next().is_some() {
                self.out.push(',');
            }
            self.out.push_str(null);
        }
        self.out.push(']');
    }

    /// A key as it is written, with its quotes.
    fn key(&mut self, key: &str, is_first: &mut bool) {
        self.separate(is_first);
        self.out.push_str(key);
        self.out.push(':');
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.out.push(',');
        }
    }
}

/// Whether null is added to the type and the enumeration of the schema that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Null {
    InPlace,
    No,
}

fn find<'t, 'a>(members: &[Member<'t, 'a>], name: &str) -> Option<Value<'t, 'a>> {
    members.iter().find(|member| member.name == name).map(|member| member.value)
}
