//! From what a model wrote to what the engine runs: the body of an async function, its TypeScript annotations blanked out.
//!
//! What is only for the compiler becomes spaces, so every character that is left stands where it stood, and a line and
//! column that the engine tells are those of the model's own text. What TypeScript makes code of (an enum, a namespace, a
//! parameter that is a property) is refused in words.

mod erase;
mod levels;

use std::cell::Cell;
use std::panic;
use std::sync::Once;

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrowFunctionBody, Expression, Program, Statement};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};

pub use levels::{MOST_LEVELS, stack};

/// What the code is put between, on a line of its own so that columns stay as they are.
const BEFORE: &str = "(async () => {\n";
const AFTER: &str = "\n})";

/// Code that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, in words.
    pub message: String,
    /// Where: the line and the column in UTF-16 units, both from 1.
    pub place: Option<(usize, usize)>,
}

/// An expression whose value is the async function of the code. It begins a line before the code does.
///
/// `levels` is how many levels of nesting this thread has the stack for; code that may have more gets a stack of its own.
///
/// # Errors
///
/// What is wrong with the code, and where.
pub fn function(code: &str, levels: usize) -> Result<String, Mistake> {
    let most = levels::most(code);
    if most <= levels {
        return read_or_refuse(code);
    }
    if most > MOST_LEVELS {
        return Err(Mistake {
            message: format!(
                "The code has more than {} brackets and operators, which is more than can be read. Write less in one run.",
                crate::limits::count(MOST_LEVELS as u64)
            ),
            place: None,
        });
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack(most)).spawn_scoped(scope, || read_or_refuse(code));
        thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(|| Err(unreadable()))
    })
}

thread_local! {
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Reads it. The parser is not ours, and panics where it gets no memory: then it is the code that cannot be read, and nothing
/// else that cannot go on.
fn read_or_refuse(code: &str) -> Result<String, Mistake> {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let otherwise = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            if !IS_READING.get() {
                otherwise(told);
            }
        }));
    });
    IS_READING.set(true);
    let read = panic::catch_unwind(|| read(code));
    IS_READING.set(false);
    read.unwrap_or_else(|_| Err(unreadable()))
}

fn unreadable() -> Mistake {
    Mistake { message: "There is no memory left to read the code, or it cannot be read.".to_owned(), place: None }
}

fn read(code: &str) -> Result<String, Mistake> {
    let text = [BEFORE, code, AFTER].concat();
    let allocator = Allocator::default();
    let options =
        ParseOptions { parse_regular_expression: true, enable_ident_hashes: false, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, &text, SourceType::ts().with_script(true)).with_options(options).parse();
    if let Some(error) = parsed.diagnostics.errors().next() {
        let at = error.labels.iter().map(|label| label.offset()).next();
        let help = error.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        return Err(mistake(code, &format!("SyntaxError: {}{help}", error.message), at));
    }
    let is_closed =
        |end| mistake(code, "SyntaxError: the code ends its function here: there is one } too many", Some(end));
    let Some(end) = end(&parsed.program) else { return Err(is_closed(0)) };
    if end as usize != text.len() - 1 {
        return Err(is_closed(end.saturating_sub(1)));
    }
    match erase::erase(&text, &parsed.program) {
        Ok(plain) => Ok(plain),
        Err((Span { start, .. }, message)) => Err(mistake(code, &format!("SyntaxError: {message}"), Some(start))),
    }
}

/// The lines of a text, as editors and the engine count them.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.find(['\n', '\r']) else { return rest.take() };
        rest = Some(&text[at + if text[at..].starts_with("\r\n") { 2 } else { 1 }..]);
        Some(&text[..at])
    })
}

/// Where the function of the code ends.
fn end(program: &Program<'_>) -> Option<u32> {
    let Some(Statement::ExpressionStatement(statement)) = program.body.first() else { return None };
    let inner = match &statement.expression {
        Expression::ParenthesizedExpression(parenthesized) => &parenthesized.expression,
        // The code has gone on with what it closed: `}).call(…`.
        other => return leftmost(other),
    };
    match inner {
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => Some(body.span.end),
            _ => None,
        },
        _ => None,
    }
}

/// Where the code closed its function, to go on with what that is.
fn leftmost(expression: &Expression<'_>) -> Option<u32> {
    let mut at = expression;
    loop {
        at = match at {
            Expression::ParenthesizedExpression(inner) => return Some(inner.expression.span().end),
            Expression::CallExpression(call) => &call.callee,
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::ComputedMemberExpression(member) => &member.object,
            Expression::BinaryExpression(binary) => &binary.left,
            Expression::LogicalExpression(logical) => &logical.left,
            Expression::SequenceExpression(sequence) => sequence.expressions.first()?,
            Expression::ConditionalExpression(conditional) => &conditional.test,
            _ => return None,
        }
    }
}

/// A mistake at a place of the text that was read.
fn mistake(code: &str, message: &str, at: Option<u32>) -> Mistake {
    let place = at.map(|at| {
        let before = (at as usize).saturating_sub(BEFORE.len()).min(code.len());
        // What is wrong only at the end of the text is wrong at the end of the code.
        let before = &code[..code.floor_char_boundary(before)];
        let line = lines(before).count();
        let column = lines(before).last().unwrap_or_default().encode_utf16().count() + 1;
        (line, column)
    });
    Mistake { message: message.to_owned(), place }
}

#[cfg(test)]
mod tests;
