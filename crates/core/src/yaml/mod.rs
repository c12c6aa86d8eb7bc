//! YAML 1.2 with its core schema, written as the JSON text that it means.
//!
//! The rule: no tree. What the parser finds goes into one text as it is found ([`writer`]), and that text is read in place
//! as any JSON is. The parser is a loop and so is the writer, so no nesting reaches the stack; what a text may refer to
//! over and over is counted, so that a small one cannot become a large one.

mod scalar;
mod writer;

use granit_parser::{ErrorKind, Marker, Parser, ScanError, options};

use self::writer::Writer;

/// Why a text is not YAML, or is some that JSON cannot say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub(crate) struct NotYaml {
    /// What was expected or found.
    pub(crate) message: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
}

/// How long a key may be that no `?` announces. YAML says 1,024 characters, and those who write it do not count.
const LONGEST_KEY: usize = 64 << 10;

/// How deeply `[` and `{` may be nested; what is nested by indentation has no limit.
const MAX_FLOW_LEVELS: usize = 512;

/// The JSON text of the one document that a YAML text holds, without white space between its tokens.
///
/// Keys are there as often as the document has them, the last one to count, as `JSON.parse` has it.
pub(crate) fn to_json(text: &str) -> Result<String, NotYaml> {
    let options = options! {
        simple_key_max_lookahead: LONGEST_KEY,
        flow_nesting_limit: MAX_FLOW_LEVELS,
        block_nesting_limit: usize::MAX,
    };
    let mut writer = Writer::new(text.len());
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| not_parsed(&error))?;
        let at = span.start;
        writer.take(event).map_err(|message| NotYaml::new(message, &at))?;
    }
    writer.finish().map_err(|message| NotYaml { message, line: 1, column: 1 })
}

impl NotYaml {
    fn new(message: String, at: &Marker) -> Self {
        Self { message, line: at.line(), column: at.col() + 1 }
    }
}

fn not_parsed(error: &ScanError) -> NotYaml {
    let message = match error.kind() {
        ErrorKind::RecursionLimitExceeded => format!("more than {MAX_FLOW_LEVELS} levels of \"[\" and \"{{\""),
        ErrorKind::UnknownAnchor => "an alias (*) of an anchor (&) that is not there".to_owned(),
        _ => error.info(),
    };
    NotYaml::new(message, error.marker())
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
