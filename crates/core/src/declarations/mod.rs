//! Tools as the TypeScript that a model reads before it writes code against them.
//!
//! Rule: the text is TypeScript that the compiler accepts under `strict`, whatever the names, the schemas and the
//! descriptions are, and is bounded: each tool by itself, and all of them where the caller gives a limit. A tool's schema
//! is asked for only when the tool is declared.
//!
//! `schema` reads keywords and references, `render` makes types of them, `types` holds each type once, `print` lays them
//! out, `outline` tells the least, `tool` declares a tool, `work` counts what that takes, `listing` names those that are not
//! declared, `example` makes a call, of what `sample` makes up.

mod example;
mod listing;
mod outline;
mod print;
mod render;
mod sample;
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod tool;
mod types;
mod work;

use listing::Name;
pub(crate) use listing::source_of;
use text::{is_identifier, units};
use tool::Tool;

use crate::json;

/// Steps that tools may take beyond those that the length of their texts gives them, for each byte: past it tools are named
/// only, so that references which lead everywhere hold nobody up.
const MOST_STEPS: usize = 4_000_000;
const FREE_STEPS_PER_BYTE: usize = 8;

/// Tools that are read, and found too long, once others have filled the limit.
const MOST_IN_VAIN: usize = 32;

/// No declaration is shorter.
const SHORTEST: usize = "\n  a(input: {}): Promise<unknown>;".len();

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
/// Where the declarations would be longer than `limit` UTF-16 units, as many are declared as there is room for beside a list
/// of the others by name, which has up to half of it: sources of few tools first, and none that does not fit. The `finders`
/// (JSON text of `[{ name, … }]`), with which code finds and reads the others, are declared then, and do not count.
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
    let limit = limit.unwrap_or(usize::MAX);
    let mut tools = Tools {
        names: &names,
        read,
        texts: vec![None; names.len()],
        examples: example::Examples::default(),
        steps: MOST_STEPS,
    };
    let listed = tools.declare_within(limit, frame).map_err(DeclareError::Read)?;
    let example = tools.example().map_err(DeclareError::Read)?;
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
    if !listed.is_empty() {
        let has_declared = listed.len() < names.len();
        text.push_str(&listing::listing(&listed, &names, has_declared, limit.saturating_sub(used)));
    }
    Ok(Declared { text, is_complete: listed.is_empty(), example })
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
            Some(Tool::of(finder).declaration(name.text()).0)
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
    /// Steps that are left for all of them.
    steps: usize,
}

impl<E, R: FnMut(usize) -> Result<String, E>> Tools<'_, '_, R> {
    /// Declares one, and says how long its declaration is.
    fn declare(&mut self, at: usize) -> Result<usize, E> {
        let text = (self.read)(at)?;
        let name = &self.names[at];
        // A tool that is no JSON is one of which nothing is known.
        let tool = json::check(&text).map(Tool::of).unwrap_or_default();
        self.examples.look_at(at, name.json, tool.input);
        let (declaration, steps) = tool.declaration(name.json);
        self.steps = self.steps.saturating_sub(steps.saturating_sub(text.len() * FREE_STEPS_PER_BYTE));
        let length = units(&declaration);
        self.texts[at] = Some(declaration);
        Ok(length)
    }

    /// Declares as many as the limit allows, and gives the others. Sources of few tools go first; what does not fit is left
    /// out, and what comes after it is not.
    fn declare_within(&mut self, limit: usize, frame: usize) -> Result<Vec<usize>, E> {
        let mut sources = listing::by_source(self.names);
        sources.sort_by_key(Vec::len);
        let order = sources.concat();
        let mut lengths = Vec::new();
        let mut length = frame;
        while length <= limit
            && self.steps > 0
            && let Some(at) = order.get(lengths.len())
        {
            let of_tool = self.declare(*at)?;
            length += of_tool;
            lengths.push(of_tool);
        }
        if length <= limit && lengths.len() == order.len() {
            return Ok(Vec::new());
        }
        let all: Vec<usize> = (0..self.names.len()).collect();
        let room = limit - units(&listing::listing(&all, self.names, true, limit / 2));
        let mut used = frame;
        let mut in_vain = 0;
        for (number, at) in order.iter().enumerate() {
            let length = match lengths.get(number) {
                Some(length) => *length,
                None if self.steps == 0 || in_vain == MOST_IN_VAIN || used + SHORTEST > room => break,
                None => self.declare(*at)?,
            };
            if used + length <= room {
                used += length;
            } else {
                self.texts[*at] = None;
                in_vain += usize::from(number >= lengths.len());
            }
        }
        Ok(all.into_iter().filter(|at| self.texts[*at].is_none()).collect())
    }

    /// A call of a tool that is declared, where one of those that were looked at has one.
    fn example(&mut self) -> Result<Option<String>, E> {
        let declared: Vec<usize> = (0..self.names.len()).filter(|at| self.texts[*at].is_some()).collect();
        let of_declared = self.examples.best(|at| declared.binary_search(&at).is_ok());
        if of_declared.is_some() || declared.len() == self.names.len() {
            return Ok(of_declared);
        }
        let mut others = example::Examples::default();
        for at in declared.into_iter().take(example::MAX_TOOLS) {
            let text = (self.read)(at)?;
            others.look_at(at, self.names[at].json, json::check(&text).map(Tool::of).unwrap_or_default().input);
        }
        Ok(others.best(|_| true).or_else(|| self.examples.best(|_| true)))
    }
}
