//! What a tool's input schema says in words: the names of its properties, descriptions, and the texts among its allowed
//! values.
//!
//! A schema is walked by a list of what is left to do, once and without following references, so that neither its depth
//! nor its `$ref`s cost more than its length.

use std::borrow::Cow;

use crate::json::{Kind, Node, Tape, Value};

/// Deeper schemas say nothing.
const MAX_DEPTH: usize = 512;

#[derive(Debug, Clone, Copy)]
enum Role {
    Schema,
    /// A schema by each name, and the names are the tool's words.
    Properties,
    /// A schema by each name, and the names are not.
    Schemas,
    /// Allowed values.
    Values,
}

/// Gives each text of a schema.
pub(super) fn each_text(schema: Node<'_>, mut text: impl FnMut(&str)) {
    let Ok(tape) = Tape::of(schema, MAX_DEPTH) else { return };
    let mut left = vec![(tape.root(), Role::Schema)];
    while let Some((value, role)) = left.pop() {
        match (role, value.kind()) {
            (Role::Schema, Kind::Object) => {
                for member in value.members().into_iter().rev() {
                    if member.name == "description" {
                        if let Some(description) = member.value.as_str() {
                            text(&description);
                        }
                    } else if let Some(role) = role_of(&member.name) {
                        left.push((member.value, role));
                    }
                }
            }
            (Role::Schema, Kind::List) => left.extend(value.items().map(|item| (item, Role::Schema))),
            (Role::Properties | Role::Schemas, Kind::Object) => {
                for member in value.members() {
                    if matches!(role, Role::Properties) {
                        text(&member.name);
                    }
                    left.push((member.value, Role::Schema));
                }
            }
            (Role::Values, Kind::List) => value.items().filter_map(Value::as_str).for_each(|value| text(&value)),
            (Role::Values, Kind::String) => text(&value.as_str().unwrap_or(Cow::Borrowed(""))),
            _ => {}
        }
    }
}

fn role_of(keyword: &str) -> Option<Role> {
    Some(match keyword {
        "properties" => Role::Properties,
        "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => Role::Schemas,
        "enum" | "const" => Role::Values,
        "items"
        | "prefixItems"
        | "additionalItems"
        | "additionalProperties"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "if"
        | "then"
        | "else" => Role::Schema,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::check;

    fn texts(schema: &str) -> Vec<String> {
        let mut texts = Vec::new();
        each_text(check(schema).unwrap(), |text| texts.push(text.to_owned()));
        texts.sort();
        texts
    }

    #[test]
    fn gives_names_descriptions_and_allowed_texts_of_every_level() {
        let schema = r##"{
            "description": "all", "title": "no",
            "properties": {
                "description": { "type": "string", "description": "said", "examples": ["no"], "default": "no" },
                "state": { "enum": ["open", 1, null, "closed"] },
                "list": { "type": "array", "items": { "anyOf": [{ "const": "one" }, { "$ref": "#/$defs/no" }] } }
            },
            "$defs": { "no": { "properties": { "deep": { "type": "string" } } } },
            "unknown": { "properties": { "no": {} } }
        }"##;
        assert_eq!(texts(schema), ["all", "closed", "deep", "description", "list", "one", "open", "said", "state"]);
    }

    #[test]
    fn takes_any_value_for_a_schema() {
        for schema in ["true", "null", "7", "[]", r#""text""#, r#"{"properties":[{}],"enum":{"a":"b"}}"#] {
            assert_eq!(texts(schema), [""; 0]);
        }
        let deep = format!("{}{{}}{}", r#"{"items":"#.repeat(100_000), "}".repeat(100_000));
        assert_eq!(texts(&deep), [""; 0]);
    }
}
