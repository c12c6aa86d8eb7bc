//! What is wrong with an input, said to the model that gave it.
//!
//! The rule: a description names the property, the mistake and the mend, and never repeats a value.

use super::answer::cut;

/// More of a property's name than this many UTF-16 units is not repeated.
const PROPERTY_UNITS: usize = 200;

/// An input that no request can be built from: a description written for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(String);

impl InvalidInput {
    /// The description, written for the model.
    pub fn description(&self) -> &str {
        &self.0
    }

    pub(super) fn at(property: &str, mistake: &Mistake) -> Self {
        Self(format!("{}: {mistake}", cut(property, PROPERTY_UNITS)))
    }

    pub(super) fn at_item(property: &str, index: usize, mistake: &Mistake) -> Self {
        Self(format!("{}[{index}]: {mistake}", cut(property, PROPERTY_UNITS)))
    }

    pub(super) fn at_member(property: &str, key: &str, mistake: &Mistake) -> Self {
        Self(format!("{}.{}: {mistake}", cut(property, PROPERTY_UNITS), cut(key, PROPERTY_UNITS)))
    }

    pub(super) fn of_input(mistake: &Mistake) -> Self {
        Self(mistake.to_string())
    }
}

/// A mistake, before it is told where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Mistake {
    #[error("The input is not a JSON object. Give an object with the tool's properties.")]
    NotAnObject,
    #[error("The tool has no request. Call another tool.")]
    NoTemplate,
    #[error("The values together would send the request to another place. Give other values.")]
    AnotherPlace,
    #[error("is required, since it is part of the request's path; give {}", Allowed::One)]
    Missing,
    #[error("expected {allowed}, got {got}; {}", allowed.mend(*.got))]
    Kind { allowed: Allowed, got: Kind },
    #[error("may not be empty, since it is part of the request's path; give at least one character")]
    Empty,
    #[error("may not be \".\" or \"..\", which would make it another path; give another value")]
    Dots,
    #[error("holds half of a surrogate pair, which a URL or header cannot hold; give whole characters only")]
    HalfSurrogate,
    #[error(
        "holds a control character, such as a line break or a tab, which a header cannot hold; give the value without it"
    )]
    ControlCharacter,
    #[error("holds a character beyond U+00FF, which a header cannot hold; give the value in Latin-1 characters")]
    BeyondLatin1,
    #[error("begins or ends with a space, which a header loses; give the value without it")]
    OuterSpace,
    #[error("holds {0:?}, which separates values there; give values without it")]
    Separator(&'static str),
    #[error("is a key that is empty or holds a bracket, and keys are written in brackets; give another key")]
    Bracket,
    #[error("is the key of another parameter; give it there, or another key")]
    OtherKey,
    #[error("is nested more than {0} levels deep; give a flatter value")]
    TooDeep(usize),
    #[error("would make the request too large, since each value repeats the keys above it; give less, or shorter keys")]
    TooLarge,
    #[error("is no base64, in which bytes are given; encode them so")]
    NotBase64,
    #[error("expected an object, whose members are the fields of the form, got {0}; give one")]
    NotAForm(&'static str),
}

/// What may stand in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowed {
    /// One value, as in a path, or as an item of a list.
    One,
    /// One value or a list of them, as in a query or a header.
    OneOrList,
    /// One value, a list or an object of them, as a style writes.
    Any,
}

impl Allowed {
    fn mend(self, got: Kind) -> &'static str {
        match (self, got) {
            (Self::OneOrList | Self::Any, Kind::Null) => "leave it out to send nothing",
            (Self::One, Kind::Null) => "give a value",
            (_, Kind::Object) => "give one value of it",
            (_, Kind::List) => "give one value",
        }
    }
}

impl std::fmt::Display for Allowed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::One => "a string, a number or a boolean",
            Self::OneOrList => "a string, a number, a boolean or a list of them",
            Self::Any => "a string, a number, a boolean, or a list or an object of them",
        })
    }
}

/// What stands where it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Object,
    List,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Null => "null",
            Self::Object => "an object",
            Self::List => "a list",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_names_the_property_the_mistake_and_the_mend() {
        let mistake = Mistake::Kind { allowed: Allowed::OneOrList, got: Kind::Null };
        assert_eq!(
            InvalidInput::at("labels", &mistake).description(),
            "labels: expected a string, a number, a boolean or a list of them, got null; leave it out to send nothing"
        );
        let mistake = Mistake::Kind { allowed: Allowed::One, got: Kind::Object };
        assert_eq!(
            InvalidInput::at_item("labels", 1, &mistake).description(),
            "labels[1]: expected a string, a number or a boolean, got an object; give one value of it"
        );
    }

    #[test]
    fn a_long_property_name_is_cut() {
        let description = InvalidInput::at(&"p".repeat(10_000), &Mistake::Empty).description().to_owned();
        assert!(description.len() < 400);
    }
}
