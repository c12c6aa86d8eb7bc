//! The keywords of one schema, found in one pass.

use super::super::view::{List, Object, Value};

/// What the importer looks at. A keyword is here whatever its value; the reader asks for the one that counts.
#[derive(Default)]
pub(super) struct Keywords<'a> {
    pub(super) kind: Option<Value<'a>>,
    pub(super) constant: Option<Value<'a>>,
    pub(super) options: Option<List<'a>>,
    pub(super) reference: Option<&'a str>,
    pub(super) all_of: Option<List<'a>>,
    pub(super) any_of: Option<List<'a>>,
    pub(super) one_of: Option<List<'a>>,
    pub(super) properties: Option<Object<'a>>,
    pub(super) required: Option<List<'a>>,
    pub(super) additional_properties: Option<Value<'a>>,
    pub(super) property_names: Option<Value<'a>>,
    pub(super) items: Option<Value<'a>>,
    pub(super) prefix_items: Option<List<'a>>,
    pub(super) min_items: Option<f64>,
    pub(super) max_items: Option<f64>,
    pub(super) multiple_of: Option<f64>,
    /// Whether there is a pattern for names of properties.
    pub(super) has_patterns: bool,
    pub(super) bounds_text: bool,
    pub(super) bounds_number: bool,
    /// Whether any keyword is for values of one kind.
    pub(super) for_one_kind: bool,
    pub(super) names_resource: bool,
    /// `not` with an empty schema.
    pub(super) is_never: bool,
    /// Whether there is a keyword that the importer has no equivalent for.
    pub(super) has_no_equivalent: bool,
    /// Whether there are annotations.
    pub(super) noted: bool,
}

impl<'a> Keywords<'a> {
    pub(super) fn read(schema: Object<'a>) -> Self {
        let mut found = Keywords::default();
        let (mut condition, mut outcome) = (false, false);
        for (name, value) in schema.iter() {
            match name {
                "type" => found.kind = Some(value),
                "const" => found.constant = Some(value),
                "enum" => found.options = value.as_list(),
                "$ref" => found.reference = value.as_str(),
                "allOf" => found.all_of = value.as_list(),
                "anyOf" => found.any_of = value.as_list(),
                "oneOf" => found.one_of = value.as_list(),
                "$id" => found.names_resource = value.is_str(),
                "if" => condition = true,
                "then" | "else" => outcome = true,
                "not" => {
                    found.is_never = value.as_object().is_some_and(Object::is_empty);
                    found.has_no_equivalent = true;
                }
                "$dynamicRef"
                | "contains"
                | "dependentRequired"
                | "dependentSchemas"
                | "unevaluatedItems"
                | "unevaluatedProperties" => found.has_no_equivalent = true,
                "title" | "description" | "format" | "contentEncoding" | "contentMediaType" => {
                    found.noted |= value.is_str();
                }
                "default" | "contentSchema" => found.noted = true,
                "examples" => found.noted |= value.is_list(),
                "readOnly" | "writeOnly" => found.noted |= value.as_bool().is_some(),
                name => found.for_one_kind |= found.read_for_one_kind(name, value),
            }
        }
        found.has_no_equivalent |= condition && outcome;
        found
    }

    fn read_for_one_kind(&mut self, name: &str, value: Value<'a>) -> bool {
        match name {
            "properties" => self.properties = value.as_object(),
            "required" => self.required = value.as_list(),
            "additionalProperties" => self.additional_properties = Some(value),
            "propertyNames" => self.property_names = Some(value),
            "patternProperties" => self.has_patterns = value.as_object().is_some_and(|named| !named.is_empty()),
            "items" => self.items = Some(value),
            "prefixItems" => self.prefix_items = value.as_list(),
            "minItems" => self.min_items = value.as_number(),
            "maxItems" => self.max_items = value.as_number(),
            "multipleOf" => {
                self.multiple_of = value.as_number();
                self.bounds_number = true;
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => self.bounds_number = true,
            "minLength" | "maxLength" => self.bounds_text = true,
            "pattern" | "minProperties" | "maxProperties" | "uniqueItems" => {}
            _ => return false,
        }
        true
    }
}
