//! Looks up in the written schema what a mistake's text needs: accepted names, and whether a property is optional.
//!
//! Rule: the schema is the written one, whose references are all `#` or `#/<definitions>/<id>`; every walk is bounded.

use indexmap::IndexSet;
use serde_json::Value;

use super::definition;

/// Most schemas that are looked through for names.
const MAX_SCHEMAS: usize = 64;

/// Most names that are gathered.
const MAX_NAMES: usize = 1000;

/// The names that the schema whose keyword stands at this pointer accepts.
pub(super) fn accepted_names<'a>(schema: &'a Value, keyword_pointer: &str) -> IndexSet<&'a str> {
    let mut names = IndexSet::new();
    let Some((owner, keyword)) = keyword_pointer.rsplit_once('/') else { return names };
    let Some(owner) = schema.pointer(owner) else { return names };
    // `additionalProperties` sees only what stands beside it; `unevaluatedProperties` also what applies beside it.
    let looks_further = keyword == "unevaluatedProperties";
    let mut open = vec![owner];
    let mut looked = 0;
    while let Some(at) = open.pop() {
        looked += 1;
        if looked > MAX_SCHEMAS || names.len() > MAX_NAMES {
            break;
        }
        let named = at.get("properties").and_then(Value::as_object);
        for (name, held) in named.into_iter().flatten() {
            if held != &Value::Bool(false) {
                names.insert(name.as_str());
            }
        }
        if !looks_further {
            break;
        }
        let lists = ["anyOf", "oneOf", "allOf"].map(|list| at.get(list).and_then(Value::as_array));
        open.extend(lists.into_iter().flatten().flat_map(|list| list.iter().rev()));
        open.extend(["else", "then", "if"].into_iter().filter_map(|held| at.get(held)));
        open.extend(at.get("$ref").and_then(Value::as_str).and_then(|reference| definition(schema, reference)));
    }
    names
}

/// Whether the last property that the path names is this one, and its owner does not require it. The path follows
/// references.
pub(super) fn is_optional(schema: &Value, evaluation_path: &str, name: &str) -> bool {
    let mut at = schema;
    let mut owner = None;
    let mut tokens = evaluation_path.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
    while let Some(token) = tokens.next() {
        let next = match token.as_str() {
            "$ref" => at.get("$ref").and_then(Value::as_str).and_then(|reference| definition(schema, reference)),
            "properties" => {
                let Some(property) = tokens.next() else { break };
                owner = (property == name).then_some(at);
                at.get("properties").and_then(|named| named.get(&property))
            }
            "items" | "prefixItems" | "additionalProperties" | "unevaluatedProperties" | "contains" => {
                owner = None;
                at.get(&token)
            }
            index if at.is_array() => index.parse::<usize>().ok().and_then(|index| at.get(index)),
            keyword => at.get(keyword),
        };
        match next {
            Some(next) => at = next,
            // The path ends in a keyword that holds no schema.
            None => break,
        }
    }
    owner.is_some_and(|owner| {
        let required = owner.get("required").and_then(Value::as_array);
        !required.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
    })
}
