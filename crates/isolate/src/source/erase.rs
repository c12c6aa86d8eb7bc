//! Blanks out what is only for TypeScript's compiler. Where spaces alone would make something else of the code, a semicolon
//! or a bracket is put among them.

use std::collections::HashSet;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

/// The text without its types, or the first part that is more than a type, and why.
pub(super) fn erase(text: &str, program: &Program<'_>) -> Result<String, (Span, &'static str)> {
    let mut eraser =
        Eraser { text, erased: Vec::new(), open: Vec::new(), put: Vec::new(), unended: HashSet::new(), refused: None };
    eraser.visit_program(program);
    match eraser.refused {
        Some(refused) => Err(refused),
        None => Ok(eraser.finish()),
    }
}

struct Eraser<'t> {
    text: &'t str,
    erased: Vec<Span>,
    /// Erased, and an expression may end before it.
    open: Vec<Span>,
    /// What stands in place of a character.
    put: Vec<(u32, u8)>,
    /// Where statements end without a semicolon.
    unended: HashSet<u32>,
    refused: Option<(Span, &'static str)>,
}

impl Eraser<'_> {
    fn finish(self) -> String {
        const KEPT: u8 = 0;
        const BLANK: u8 = b' ';
        // What becomes of the character that begins at each place.
        let mut becomes = vec![KEPT; self.text.len()];
        for span in self.erased.iter().chain(&self.open) {
            becomes[span.start as usize..span.end as usize].fill(BLANK);
        }
        for span in self.open.iter().filter(|span| self.unended.contains(&span.end)) {
            becomes[span.start as usize] = b';';
        }
        for (at, byte) in &self.put {
            becomes[*at as usize] = *byte;
        }
        let mut plain = String::with_capacity(self.text.len());
        for (at, char) in self.text.char_indices() {
            match becomes[at] {
                KEPT => plain.push(char),
                // A line stays a line.
                BLANK if matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}') => plain.push(char),
                // As wide as it was.
                BLANK => plain.extend(std::iter::repeat_n(' ', char.len_utf16())),
                byte => {
                    plain.push(char::from(byte));
                    plain.extend(std::iter::repeat_n(' ', char.len_utf16() - 1));
                }
            }
        }
        plain
    }

    fn erase(&mut self, start: u32, end: u32) {
        self.erased.push(Span::new(start, end));
    }

    /// Erases a whole statement or member of a class.
    fn drop(&mut self, span: Span) {
        self.erase(span.start, span.end);
        self.put.push((span.start, b';'));
    }

    fn refuse(&mut self, span: Span, why: &'static str) {
        if self.refused.is_none_or(|(first, _)| span.start < first.start) {
            self.refused = Some((span, why));
        }
    }

    fn byte(&self, at: u32) -> Option<u8> {
        self.text.as_bytes().get(at as usize).copied()
    }

    fn has_line(&self, start: u32, end: u32) -> bool {
        self.text[start as usize..end as usize].contains(['\n', '\r', '\u{2028}', '\u{2029}'])
    }

    /// Past space and comments.
    fn skip(&self, from: u32) -> u32 {
        let mut at = from as usize;
        loop {
            let rest = &self.text[at..];
            let trimmed = rest.trim_start_matches(|char: char| char.is_whitespace() || char == '\u{feff}');
            at += rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") {
                trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else {
                return u32::try_from(at).unwrap_or(u32::MAX);
            };
            at += comment;
        }
    }

    /// Erases a mark that comes next after a place, `?` or `!`.
    fn mark(&mut self, from: u32, mark: u8) {
        let at = self.skip(from);
        if self.byte(at) == Some(mark) {
            self.erase(at, at + 1);
        }
    }

    /// Erases the words before a member of a class that only TypeScript knows.
    fn modifiers(&mut self, from: u32, key: u32) {
        let mut at = self.skip(from);
        while at < key {
            let rest = &self.text[at as usize..key as usize];
            let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            if length == 0 {
                break;
            }
            let end = at + length as u32;
            if matches!(
                &rest[..length],
                "public" | "private" | "protected" | "readonly" | "override" | "abstract" | "declare"
            ) {
                self.erase(at, end);
            }
            at = self.skip(end);
        }
    }

    /// Where a member begins, behind its decorators.
    fn begins(span: Span, decorators: &[Decorator<'_>]) -> u32 {
        decorators.last().map_or(span.start, |decorator| decorator.span.end)
    }

    /// A type between the parameters of an arrow function and its arrow: the arrow has to be on the line of the bracket.
    fn arrow_type(&mut self, parameters: Span, annotation: Span) {
        if self.has_line(parameters.end - 1, annotation.end) {
            self.put.push((parameters.end - 1, b' '));
            // In the place of the type's last character, however long that is.
            let last = self.text[..annotation.end as usize].char_indices().next_back();
            self.put.extend(last.map(|(at, _)| (at as u32, b')')));
        }
    }
}

const ENUM: &str = "an enum is more than a type: write an object, such as const Kind = { A: 0 }";
const NAMESPACE: &str = "a namespace is more than a type: write an object";
const PROPERTY: &str = "a parameter that is a property is more than a type: assign it to this in the constructor";
const ASSERTION: &str = "write the type behind the value: value as Type";
const MODULE: &str = "there are no modules here, so nothing is imported or exported: call tools instead";

impl<'a> Visit<'a> for Eraser<'_> {
    // Types

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.erase(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.erase(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.erase(it.span.start, it.span.end);
    }

    // Expressions

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.open.push(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.open.push(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.visit_expression(&it.expression);
        self.open.push(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase(it.expression.span().end, it.span.end);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let start = it.expression.span().start;
        let is_statement =
            ["{", "function", "class", "let", "async"].iter().any(|word| self.text[start as usize..].starts_with(word));
        if is_statement || self.has_line(it.span.start, start) {
            self.refuse(it.span, ASSERTION);
        }
        self.erase(it.span.start, start);
        self.visit_expression(&it.expression);
    }

    // Functions

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.declare || it.body.is_none() {
            return self.drop(it.span);
        }
        if let Some(this) = &it.this_param {
            let next = self.skip(this.span.end);
            let end = if self.byte(next) == Some(b',') { next + 1 } else { this.span.end };
            self.erase(this.span.start, end);
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {}

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        if let Some(parameters) = &it.type_parameters
            && it.r#async
            && self.has_line(it.span.start, it.params.span.start)
        {
            // `async` and its bracket have to be on one line.
            self.put.push((parameters.span.start, b'('));
            self.put.push((it.params.span.start, b' '));
        }
        if let Some(annotation) = &it.return_type {
            self.arrow_type(it.params.span, annotation.span);
        }
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(it.span, PROPERTY);
        }
        if it.optional {
            self.mark(it.pattern.span().end, b'?');
        }
        walk::walk_formal_parameter(self, it);
    }

    // Statements

    fn visit_statement(&mut self, it: &Statement<'a>) {
        let span = match it {
            Statement::ExpressionStatement(it) => Some(it.span),
            Statement::VariableDeclaration(it) => Some(it.span),
            Statement::ReturnStatement(it) => Some(it.span),
            Statement::ThrowStatement(it) => Some(it.span),
            _ => None,
        };
        if let Some(span) = span
            && self.byte(span.end - 1) != Some(b';')
        {
            self.unended.insert(span.end);
        }
        walk::walk_statement(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            return self.drop(it.span);
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.mark(it.id.span().end, b'!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.drop(it.span);
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.drop(it.span);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if it.declare {
            return self.drop(it.span);
        }
        self.refuse(it.span, ENUM);
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if it.declare {
            return self.drop(it.span);
        }
        self.refuse(it.span, NAMESPACE);
    }

    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        self.drop(it.span);
    }

    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        self.drop(it.span);
    }

    fn visit_module_declaration(&mut self, it: &ModuleDeclaration<'a>) {
        self.refuse(it.span(), MODULE);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse(it.span, MODULE);
    }

    // Classes

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return self.drop(it.span);
        }
        if it.r#abstract {
            let at = self.skip(Self::begins(it.span, &it.decorators));
            if self.text[at as usize..].starts_with("abstract") {
                self.erase(at, at + 8);
            }
        }
        if let Some(last) = it.implements.last() {
            let before = it
                .heritage
                .as_ref()
                .map(|heritage| {
                    heritage
                        .type_arguments
                        .as_ref()
                        .map_or_else(|| heritage.expression.span().end, |types| types.span.end)
                })
                .or_else(|| it.type_parameters.as_ref().map(|types| types.span.end))
                .or_else(|| it.id.as_ref().map(|id| id.span.end));
            let start = match before {
                Some(before) => self.skip(before),
                // Without a name it stands behind the word itself.
                None => self.skip(self.skip(Self::begins(it.span, &it.decorators)) + 5),
            };
            self.erase(start, last.span.end);
        }
        walk::walk_class(self, it);
    }

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        if let ClassElement::TSIndexSignature(signature) = it {
            return self.drop(signature.span);
        }
        walk::walk_class_element(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            return self.drop(it.span);
        }
        self.modifiers(Self::begins(it.span, &it.decorators), it.key.span().start);
        if it.optional {
            self.mark(key_end(self, it.key.span(), it.computed), b'?');
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return self.drop(it.span);
        }
        self.modifiers(Self::begins(it.span, &it.decorators), it.key.span().start);
        let end = key_end(self, it.key.span(), it.computed);
        if it.optional {
            self.mark(end, b'?');
        }
        if it.definite {
            self.mark(end, b'!');
        }
        match (&it.type_annotation, &it.value) {
            (Some(annotation), None) => self.put.push((annotation.span.start, b';')),
            (_, Some(_)) if self.byte(it.span.end - 1) != Some(b';') => {
                self.unended.insert(it.span.end);
            }
            _ => {}
        }
        walk::walk_property_definition(self, it);
    }
}

/// Where the name of a member ends, with the bracket of a computed one.
fn key_end(eraser: &Eraser<'_>, key: Span, computed: bool) -> u32 {
    if computed { eraser.skip(key.end) + 1 } else { key.end }
}
