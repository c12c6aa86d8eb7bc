//! A type as text, laid out for a reader: on one line where it is short and has no comments of its own.

use super::text::{Out, write_comment};
use super::types::{Id, Type, Types};

/// Longest object that stands on one line.
const MAX_LINE: usize = 80;

const INDENT: usize = 2;

/// The text of a type, if it is at most so long, its lines after the first indented.
pub(super) fn type_text(types: &Types, id: Id, indent: usize, most: usize) -> Option<String> {
    let mut out = Out::of_at_most(most);
    write_type(types, id, indent, &mut out);
    out.finish()
}

/// Recurses as deep as the type was made.
fn write_type(types: &Types, id: Id, indent: usize, out: &mut Out) {
    if out.is_full() {
        return;
    }
    match types.get(id) {
        Type::Unknown => out.push("unknown"),
        Type::Never => out.push("never"),
        Type::Null => out.push("null"),
        Type::Boolean => out.push("boolean"),
        Type::Number => out.push("number"),
        Type::String => out.push("string"),
        Type::Literal(text, _) => out.push(text),
        Type::Array(item) => {
            out.push("Array<");
            write_type(types, *item, indent, out);
            out.push(">");
        }
        Type::Tuple(items, rest) => {
            out.push("[");
            for (at, item) in items.iter().enumerate() {
                out.push(if at > 0 { ", " } else { "" });
                write_type(types, *item, indent, out);
            }
            if let Some(rest) = rest {
                out.push(if items.is_empty() { "...Array<" } else { ", ...Array<" });
                write_type(types, *rest, indent, out);
                out.push(">");
            }
            out.push("]");
        }
        Type::Record(value) => {
            out.push("Record<string, ");
            write_type(types, *value, indent, out);
            out.push(">");
        }
        Type::Object(..) => write_object(types, id, indent, out),
        Type::Union(alternatives) => write_union(types, id, alternatives, indent, out),
        Type::Intersection(parts) => {
            for (at, part) in parts.iter().enumerate() {
                out.push(if at > 0 { " & " } else { "" });
                let is_union = !types.alternatives(types.bare(*part)).is_empty();
                out.push(if is_union { "(" } else { "" });
                write_type(types, *part, indent, out);
                out.push(if is_union { ")" } else { "" });
            }
        }
        Type::Described(comment, inner) => {
            out.push("/** ");
            out.push(comment);
            out.push(" */ ");
            write_type(types, *inner, indent, out);
        }
    }
}

fn write_object(types: &Types, id: Id, indent: usize, out: &mut Out) {
    let Type::Object(properties, rest) = types.get(id) else { return };
    if properties.is_empty() && rest.is_none() {
        return out.push("{}");
    }
    let is_line = types.length(id) <= MAX_LINE && !types.has_lines(id);
    let inner = indent + INDENT;
    let named = properties.iter().map(|it| (it.comment.as_deref(), &*it.name, it.is_optional, it.type_));
    let others = rest.iter().map(|it| (it.comment.as_deref(), "[key: string]", false, it.type_));
    out.push("{");
    for (at, (comment, name, is_optional, type_)) in named.chain(others).enumerate() {
        if out.is_full() {
            return;
        }
        if is_line {
            out.push(if at > 0 { "; " } else { " " });
        } else {
            out.push(if at > 0 { ";" } else { "" });
            out.line(inner);
        }
        if let Some(comment) = comment {
            write_comment(comment, inner, out);
        }
        out.push(name);
        out.push(if is_optional { "?: " } else { ": " });
        write_type(types, type_, inner, out);
    }
    if is_line {
        out.push(" }");
    } else {
        out.push(";");
        out.line(indent);
        out.push("}");
    }
}

/// Alternatives that are described stand on lines of their own, unless there is little to read.
fn write_union(types: &Types, id: Id, alternatives: &[Id], indent: usize, out: &mut Out) {
    let described = alternatives.iter().filter(|id| types.bare(**id) != **id).count();
    let has_lines = described > 0 && (types.length(id) > MAX_LINE || types.has_lines(id));
    let inner = indent + INDENT;
    for (at, alternative) in alternatives.iter().enumerate() {
        if has_lines {
            out.line(inner);
            out.push("| ");
        } else {
            out.push(if at > 0 { " | " } else { "" });
        }
        let is_enclosed = types.is_enclosed(*alternative);
        out.push(if is_enclosed { "(" } else { "" });
        write_type(types, *alternative, if has_lines { inner } else { indent }, out);
        out.push(if is_enclosed { ")" } else { "" });
    }
}
