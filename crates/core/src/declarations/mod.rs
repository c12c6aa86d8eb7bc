//! Tools as the TypeScript that a model reads before it writes code against them.
//!
//! Rule: the text is TypeScript that the compiler accepts under `strict`, whatever the names, the schemas and the
//! descriptions are, and is bounded: each tool by itself, and all of them where the caller gives a limit. A tool's schema
//! is asked for only when the tool is declared.
//!
//! `schema` reads keywords and references, `render` makes types of them, `types` holds each type once, `print` lays them
//! out, `tool` declares a tool, `listing` names those that are not declared, `example` makes a call, of what
//! `sample` makes up.

mod example;
mod listing;
mod print;
mod render;
mod sample;
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod tool;
mod types;

use listing::Name;
pub(crate) use listing::source_of;
use text::{is_identifier, units};
use tool::Tool;

use crate::json;

const HEAD: &str = "declare const tools: {";
const FOOT: &str = "\n};\n";

/// What a model reads of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The TypeScript.
    pub text: String,
    /// Whether every tool is declared; where not, the others are listed by name, and the finders are declared.
    pub is_complete: bool,
    /// A call of one of the tools, as an expression.
    pub example: Option<String>,
}

/// Why tools are not declared.
#[derive(Debug, thiserror::Error)]
pub enum DeclareError<E> {
    /// The names are no list of strings, or the finders no list of tools.
    #[error("the {0} are not of the shape that is expected")]
    Shape(&'static str),
    /// A tool could not be read.
    #[error(transparent)]
    Read(E),
}

/// Declares tools: JSON text of a list of their names in; `read` gives the JSON text of the one of that number,
/// `{ description?, inputSchema?, outputSchema? }`.
///
/// Where the declarations would be longer than `limit` UTF-16 units, the sources with the fewest tools are declared, in
/// half of it, and the other tools listed by name in the rest. The `finders` (JSON text of `[{ name, … }]`), with which
/// code finds and reads those, are declared then, and do not count.
///
/// # Errors
/// When a text is not of its shape, or when `read` fails.
pub fn declare<E>(
    names: &str,
    limit: Option<usize>,
    finders: Option<&str>,
    read: impl FnMut(usize) -> Result<String, E>,
) -> Result<Declared, DeclareError<E>> {
    let names = names_of(names).ok_or(DeclareError::Shape("names"))?;
    let mut text = note(&names);
    text.push_str(HEAD);
    let frame = units(&text) + FOOT.len();
    let mut tools =
        Tools { names: &names, read, texts: vec![None; names.len()], examples: example::Examples::default() };
    let listed = tools.declare_within(limit, frame).map_err(DeclareError::Read)?;
    if !listed.is_empty() {
        for finder in finders_of(finders.unwrap_or("[]")).ok_or(DeclareError::Shape("finders"))? {
            text.push_str(&finder);
        }
    }
    let mut used = frame;
    for declaration in tools.texts.iter().flatten() {
        text.push_str(declaration);
        used += units(declaration);
    }
    text.push_str(FOOT);
    if let Some(limit) = limit.filter(|_| !listed.is_empty()) {
        let has_declared = listed.len() < names.len();
        text.push_str(&listing::listing(&listed, &names, has_declared, limit.saturating_sub(used)));
    }
    Ok(Declared { text, is_complete: listed.is_empty(), example: tools.examples.best() })
}

/// How tools are called whose names are no identifiers, where there is one.
fn note(names: &[Name<'_>]) -> String {
    match names.iter().find(|name| !is_identifier(&name.text)) {
        Some(name) => format!("// A name in quotes is called in brackets: {}(input)\n", example::callee(name.json)),
        None => String::new(),
    }
}

fn names_of(names: &str) -> Option<Vec<Name<'_>>> {
    let list = json::check(names).ok().filter(|list| list.kind() == json::Kind::List)?;
    list.items().map(|name| Some(Name { json: name.text(), text: name.as_str()? })).collect()
}

fn finders_of(finders: &str) -> Option<Vec<String>> {
    let list = json::check(finders).ok().filter(|list| list.kind() == json::Kind::List)?;
    list.items()
        .map(|finder| {
            let name = finder.get("name").filter(|name| name.kind() == json::Kind::String)?;
            Some(Tool::of(finder).declaration(name.text()))
        })
        .collect()
}

/// Tools while they are declared.
struct Tools<'n, 'a, R> {
    names: &'n [Name<'a>],
    read: R,
    /// The declarations by number.
    texts: Vec<Option<String>>,
    examples: example::Examples,
}

impl<E, R: FnMut(usize) -> Result<String, E>> Tools<'_, '_, R> {
    /// Declares one, and says how long its declaration is.
    fn declare(&mut self, at: usize) -> Result<usize, E> {
        let text = (self.read)(at)?;
        let name = &self.names[at];
        // A tool that is no JSON is one of which nothing is known.
        let tool = json::check(&text).map(Tool::of).unwrap_or_default();
        self.examples.look_at(name.json, tool.input);
        let declaration = tool.declaration(name.json);
        let length = units(&declaration);
        self.texts[at] = Some(declaration);
        Ok(length)
    }

    /// Declares as many as the limit allows, whole sources only, and gives the others.
    fn declare_within(&mut self, limit: Option<usize>, frame: usize) -> Result<Vec<usize>, E> {
        let limit = limit.unwrap_or(usize::MAX);
        let mut sources = listing::by_source(self.names);
        sources.sort_by_key(Vec::len);
        let mut length = frame;
        let mut kept = Vec::new();
        'sources: for source in &sources {
            for at in source {
                length += self.declare(*at)?;
                if length > limit {
                    break 'sources;
                }
            }
            kept.push((source, length));
        }
        if length <= limit {
            return Ok(Vec::new());
        }
        let mut is_listed = vec![true; self.names.len()];
        for (source, _) in kept.iter().take_while(|(_, length)| *length <= limit / 2) {
            source.iter().for_each(|at| is_listed[*at] = false);
        }
        let listed: Vec<usize> = (0..self.names.len()).filter(|at| is_listed[*at]).collect();
        listed.iter().for_each(|at| self.texts[*at] = None);
        Ok(listed)
    }
}
