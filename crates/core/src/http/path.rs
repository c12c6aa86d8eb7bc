//! The path of a template: literal segments, placeholders, and a literal query.
//!
//! The rule: a path is cut into segments before anything fills it, so that no value can make two of one. Literal text
//! is encoded here, once, and holds nothing a URL parser would read otherwise.

use super::encode::{is_dot_segment, push_path_literal, push_query_literal};
use super::fault::Fault;

/// A piece of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is sent.
    Literal(String),
    /// The value of a property, by the property's index.
    Value(usize),
}

/// A path, cut and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    /// The segments below the base's; none when the template has no path of its own.
    pub(super) segments: Vec<Vec<Piece>>,
    /// The literal query as it is sent, empty when there is none.
    pub(super) query: String,
}

impl Path {
    /// Reads a template's path. `property_of` gives the property that fills a placeholder.
    pub(super) fn parse(text: &str, mut property_of: impl FnMut(&str) -> Option<usize>) -> Result<Self, Fault> {
        let mut segments = Segments(vec![Vec::new()]);
        let mut query = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}', '?', '#']) {
            let (literal, special) = rest.split_at(at);
            segments.push_literal(literal);
            if let Some(placeholder) = special.strip_prefix('{') {
                let (name, after) = placeholder.split_once('}').ok_or(Fault::Brace)?;
                let property = property_of(name).ok_or_else(|| Fault::NoPlace(name.to_owned()))?;
                segments.push(Piece::Value(property));
                rest = after;
                continue;
            }
            rest = "";
            match special.strip_prefix('?') {
                Some(text) => query = literal_query(text)?,
                None if special.starts_with('}') => return Err(Fault::Brace),
                None => {}
            }
        }
        segments.push_literal(rest);
        let segments = segments.finish();
        if segments.iter().any(|segment| is_dots(segment)) {
            return Err(Fault::DotSegment);
        }
        Ok(Self { segments, query })
    }
}

/// Whether a path is seen at a glance to have no fault: most have nothing but segments and placeholders.
pub(super) fn is_plain(text: &str) -> bool {
    // A dot segment begins so, unless it is spelled with a `%`.
    if text.starts_with('.') || text.contains("/.") {
        return false;
    }
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}', '%', '?', '#']) {
        let placeholder = rest[at..].strip_prefix('{').and_then(|placeholder| placeholder.split_once('}'));
        let Some((_, after)) = placeholder else { return false };
        rest = after;
    }
    true
}

/// A literal query holds no placeholder: a query parameter is a place of its own. A fragment is never sent.
fn literal_query(text: &str) -> Result<String, Fault> {
    let text = text.split('#').next().unwrap_or_default();
    if let Some((_, placeholder)) = text.split_once('{') {
        let (name, _) = placeholder.split_once('}').ok_or(Fault::Brace)?;
        return Err(Fault::PlaceholderInQuery(name.to_owned()));
    }
    if text.contains('}') {
        return Err(Fault::Brace);
    }
    let mut query = String::new();
    push_query_literal(&mut query, text);
    Ok(query)
}

/// Whether a segment is all literal and a dot segment. One with placeholders is looked at when it is filled.
fn is_dots(segment: &[Piece]) -> bool {
    let mut text = String::new();
    for piece in segment {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Value(_) => return false,
        }
    }
    is_dot_segment(&text)
}

/// Segments on the way. There is always a last one.
struct Segments(Vec<Vec<Piece>>);

impl Segments {
    fn push(&mut self, piece: Piece) {
        match self.0.last_mut() {
            Some(segment) => segment.push(piece),
            None => self.0.push(vec![piece]),
        }
    }

    fn push_literal(&mut self, text: &str) {
        for (nth, part) in text.split('/').enumerate() {
            if nth > 0 {
                self.0.push(Vec::new());
            }
            if !part.is_empty() {
                let mut literal = String::new();
                push_path_literal(&mut literal, part);
                self.push(Piece::Literal(literal));
            }
        }
    }

    /// The segments after the joint, which has one slash however many the template begins with.
    fn finish(mut self) -> Vec<Vec<Piece>> {
        let slashes = self.0.iter().take_while(|segment| segment.is_empty()).count();
        if self.0.len() == 1 && slashes == 1 {
            return Vec::new();
        }
        self.0.split_off(slashes.min(self.0.len().saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn parse(text: &str) -> Result<Path, Fault> {
        Path::parse(text, |name| ["a", "b"].iter().position(|known| *known == name))
    }

    fn literal(text: &str) -> Piece {
        Piece::Literal(text.to_owned())
    }

    fn segments(text: &str) -> Vec<Vec<Piece>> {
        parse(text).unwrap().segments
    }

    #[test]
    fn a_path_is_cut_into_segments() {
        assert_eq!(
            segments("/repos/{a}/v{b}.{a}/"),
            vec![
                vec![literal("repos")],
                vec![Piece::Value(0)],
                vec![literal("v"), Piece::Value(1), literal("."), Piece::Value(0)],
                vec![],
            ]
        );
        assert_eq!(segments("/x//y"), vec![vec![literal("x")], vec![], vec![literal("y")]]);
    }

    #[test]
    fn the_joint_has_one_slash_however_many_the_path_begins_with() {
        assert_eq!(segments("x"), segments("/x"));
        assert_eq!(segments("///x"), segments("/x"));
        assert_eq!(segments("/"), vec![Vec::<Piece>::new()]);
        assert_eq!(segments("//"), segments("/"));
        assert_eq!(segments(""), Vec::<Vec<Piece>>::new());
        assert_eq!(segments("?x"), segments(""));
        assert_eq!(segments("//evil.example/x"), vec![vec![literal("evil.example")], vec![literal("x")]]);
        assert_eq!(segments("\\\\evil.example"), vec![vec![literal("%5C%5Cevil.example")]]);
    }

    #[test]
    fn a_fragment_is_dropped_and_a_query_kept() {
        assert_eq!(segments("/x#y/{nobody}?z"), vec![vec![literal("x")]]);
        let path = parse("/x?y=1&z=%20 a'?/#f").unwrap();
        assert_eq!(path.query, "y=1&z=%20%20a%27?/");
        assert_eq!(parse("/x?").unwrap().query, "");
    }

    #[test]
    fn a_placeholder_needs_its_place_and_its_braces() {
        assert_eq!(parse("/{c}"), Err(Fault::NoPlace("c".into())));
        assert_eq!(parse("/{}"), Err(Fault::NoPlace(String::new())));
        for text in ["/{a", "/a}", "/{a}}", "/x?}", "/x?{a"] {
            assert_eq!(parse(text), Err(Fault::Brace), "{text}");
        }
        assert_eq!(parse("/x?y={a}"), Err(Fault::PlaceholderInQuery("a".into())));
    }

    #[test]
    fn r_000_165_a_literal_dot_segment_is_refused() {
        for text in ["/.", "/..", "/x/../y", "/%2e%2E/x", "/.%2e", "..", "/x/.?y", "/x/..#y"] {
            assert_eq!(parse(text), Err(Fault::DotSegment), "{text}");
        }
        assert!(parse("/.well-known/..x/...").is_ok());
        assert!(parse("/.{a}").is_ok());
    }

    proptest! {
        #[test]
        fn what_is_plain_has_no_fault(pieces in vec(select(vec!["/", ".", "a", "{a}", "{", "}", "%2e", "?", "#", "\\", "é", "{.}", "{a{b}"]), 0..8)) {
            let text = pieces.concat();
            prop_assert!(!is_plain(&text) || Path::parse(&text, |_| Some(0)).is_ok(), "{}", text);
        }
    }
}
