use super::*;

fn plain(code: &str) -> String {
    let text = function(code, 1024).unwrap_or_else(|mistake| panic!("{code}: {mistake:?}"));
    text[BEFORE.len()..text.len() - AFTER.len()].to_owned()
}

/// A text with its spaces as one each.
fn words(text: &str) -> String {
    text.split('\n')
        .map(|line| line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn types_become_spaces_and_all_else_stays_where_it_was() {
    for (code, expected) in [
        ("const a: number = 1", "const a         = 1"),
        ("const f = (a?: string, ...b: number[]): void => {}", "const f = (a         , ...b          )       => {}"),
        (
            "function f<T>(this: Window, a: T): a is T { return a as any }",
            "function f   (              a   )         { return a;       }",
        ),
        ("a!.b!(c)", "a .b (c)"),
        ("x = y as T\n(z)", "x = y;    \n(z)"),
        ("x = (y as T)\nz", "x = (y     )\nz"),
        ("if (a) b as T\nelse c", "if (a) b;    \nelse c"),
        ("for (const a = b as T; ; ) {}", "for (const a = b     ; ; ) {}"),
        ("interface A { b: string }\n[1].map(f)", ";                        \n[1].map(f)"),
        ("type A = string\nconst b = 1", ";              \nconst b = 1"),
        ("declare const a: string; a", ";                        a"),
        ("const m = new Map<string, Array<number>>()", "const m = new Map                       ()"),
        ("const r = await tools.x<Foo>({ a: 1 })", "const r = await tools.x     ({ a: 1 })"),
        ("let a!: string", "let a         "),
        ("const a = <any>b", "const a =      b"),
        ("const a = b satisfies C", "const a = b;           "),
        ("const f = async <T,>(a: T) => a", "const f = async     (a   ) => a"),
        ("const f = (a): Array<\nstring\n> => a", "const f = (a         \n      \n) => a"),
        ("const f = async <\nT>(a) => a", "const f = async (\n   a) => a"),
        ("try {} catch (e: unknown) {}", "try {} catch (e         ) {}"),
        ("abstract class A<T> extends B<T> implements C, D {}", "         class A    extends B                     {}"),
        ("class A implements B {}", "class A              {}"),
        ("return (@aééé class implements B {})", "return (@aééé class              {})"),
        ("return (@a @b() /* é */ class implements B {})", "return (@a @b() /* é */ class              {})"),
        ("const f = (a): A<\n'é'> | é => a", "const f = (a     \n        ) => a"),
        ("const f = (a): A<\n'é'> | 𝒳 => a", "const f = (a     \n        )  => a"),
        (
            "class A { private readonly b: string; static c?: number = 1; abstract d: string; e!: string; [k: string]: any }",
            "class A {                  b;       ; static c          = 1; ;                   e ;       ; ;               }",
        ),
        (
            "class A { f(a: string): void; f(a) {} public async g?(): Promise<void> {} override get h(): T { return 1 } }",
            "class A { ;                   f(a) {}        async g ()                {}          get h()    { return 1 } }",
        ),
        ("function f(a: string): void\nfunction f(a) {}", ";                          \nfunction f(a) {}"),
        ("const a = b as 'é' as \"𝒳\", c = 1", "const a = b                , c = 1"),
        ("const a = x < y, b = z > (1)", "const a = x < y, b = z > (1)"),
        ("const o = { a: 1, b: c ? d : e }", "const o = { a: 1, b: c ? d : e }"),
    ] {
        let plain = plain(code);
        assert_eq!(words(&plain), words(expected), "{code}");
        let widths = |text: &str| text.split('\n').map(|line| line.encode_utf16().count()).collect::<Vec<_>>();
        assert_eq!(widths(&plain), widths(code), "{code}");
    }
}

#[test]
fn what_is_more_than_a_type_is_refused_at_its_place() {
    for (code, message, place) in [
        ("1\n  enum A { B }", ENUM_WORDS, (2, 3)),
        ("namespace A { export const b = 1 }", "a namespace is more than a type", (1, 1)),
        ("class A { constructor(private b: string) {} }", "a parameter that is a property", (1, 23)),
        ("const f = () => <any>{ a: 1 }", "write the type behind the value", (1, 17)),
        ("const a = 'é𝒳' +", "Unexpected token", (1, 18)),
        ("}) + (1, {", "the code ends its function here", (1, 1)),
    ] {
        let mistake = function(code, 1024).expect_err(code);
        assert!(mistake.message.contains(message), "{code}: {mistake:?}");
        assert_eq!(mistake.place, Some(place), "{code}: {mistake:?}");
    }
}

const ENUM_WORDS: &str = "an enum is more than a type";

#[test]
fn what_only_a_module_has_is_refused_in_words() {
    for code in [
        "const a = 1\nimport fs from 'fs'",
        "\nimport { a } from 'a'",
        "\nimport * as a from 'a'",
        "\nimport a, { b } from 'a'",
        "\nimport 'a'",
        "1;\nexport const a = 1",
        "\nexport default 1",
        "\nexport { a }",
        "\nexport * from 'a'",
    ] {
        let mistake = function(code, 1024).expect_err(code);
        assert!(mistake.message.contains("there are no modules here"), "{code}: {mistake:?}");
        assert_eq!(mistake.place.map(|(line, _)| line), Some(2), "{code}: {mistake:?}");
    }
    for code in ["return import('a')", "const imports = 1", "const a = { import: 1, export: 2 }"] {
        assert!(function(code, 1024).is_ok(), "{code}");
    }
}

/// Everything that nests, as deeply as the levels say it may; none of them overflows the stack that goes with its levels.
#[test]
fn nesting_never_needs_more_stack_than_its_levels_have() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("({a:", "1", "})"),
        ("{", "", "}"),
        ("f(", "", ")"),
        ("!", "1", ""),
        ("- ", "1", ""),
        ("typeof ", "1", ""),
        ("await ", "1", ""),
        ("a=>", "1", ""),
        ("(a)=>", "1", ""),
        ("async (a)=>", "1", ""),
        ("a?b:", "1", ""),
        ("a?", "1", ":2"),
        ("a=", "1", ""),
        ("a**", "1", ""),
        ("a+", "1", ""),
        ("1", "", "+1"),
        ("a", "", ".b"),
        ("a", "", "()"),
        ("a", "", "[0]"),
        ("a", "", "?.b"),
        ("a", "", "!"),
        ("a", "", "``"),
        ("a", "", " as b"),
        ("a", "", "<b>"),
        ("`${", "1", "}`"),
        ("if(a)", "1", ""),
        ("if(a);else ", "1", ""),
        ("for(;;)", "1", ""),
        ("while(a)", "1", ""),
        ("do ", "1", " while(a)"),
        ("with(a)", "1", ""),
        ("a:", "1", ""),
        ("try{", "", "}finally{}"),
        ("switch(a){case 1:", "", "}"),
        ("new ", "a", ""),
        ("function f(){", "", "}"),
        ("(function(){", "", "})"),
        ("class A{a=", "1", "}"),
        ("(class{static{", "", "}})"),
        ("(class extends ", "A", "{})"),
        ("let [", "a", "]=1"),
        ("let {a:", "b", "}=1"),
        ("(function(a=", "1", "){})"),
        ("let a:", "b", ""),
        ("let a:Array<", "b", ">"),
        ("let a:{b:", "c", "}"),
        ("let a:(b:", "c", ")=>d"),
        ("let a:()=>", "c", ""),
        ("let a:keyof ", "c", ""),
        ("let a:b extends c?d:", "e", ""),
        ("let a:[", "c", "]"),
        ("let a:`${", "c", "}`"),
        ("let a:c", "", "[]"),
        ("let a:c", "", "['d']"),
        ("let a:c", "", "|d"),
        ("<a>", "1", ""),
        ("<T>(a)=>", "1", ""),
        ("@a", "", "class A{}"),
        ("yield ", "1", ""),
        ("function* f(){yield ", "1", "}"),
        ("import(", "1", ")"),
        ("a in ", "b", ""),
        ("a instanceof ", "b", ""),
        ("/", "", "/"),
        ("a>", "1", ""),
        ("a>>", "1", ""),
        ("a>=", "1", ""),
        ("do\u{a0}", "1", ""),
        ("void\u{3000}", "1", ""),
        ("new\u{feff}", "a", ""),
        ("/(", "", ")/"),
        ("/(?:", "", ")/"),
        ("/(?=", "", ")/"),
        ("/[[", "", "]]/v"),
    ] {
        let each = levels::most(&[open, close].concat()) - 1;
        assert!(each > 0, "{open} {close}");
        for count in [24, MOST_LEVELS / each - 2] {
            for code in [
                [open.repeat(count), middle.to_owned(), close.repeat(count)].concat(),
                // Broken off in the middle.
                [open.repeat(count), middle.to_owned()].concat(),
            ] {
                // Whether it is a program does not matter here.
                let _ = function(&code, 0);
            }
        }
    }
    let mistake = function(&"(".repeat(MOST_LEVELS + 1), 0).expect_err("too deep");
    assert!(mistake.message.contains("more than 32,768 brackets and operators"), "{}", mistake.message);
}

/// What code is made of, as far as the parser has a way of its own for it.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "(", ")", "[", "]", "{", "}", "<", ">", ">>", ">>>", ">=", "<<", "<=", "=", "==", "=>", "!", "!=", "~", "+", "++", "-", "--", "*", "**", "/", "%", "&",
    "&&", "|", "||", "^", "?", "??", "?.", ":", ";", ",", ".", "...", "@", "#", "`", "${", "'", "\"", "\\", "\n", "\u{a0}", "\u{2028}", "//", "/*", "*/",
    "<!--", "-->", "a", "1", "1n", ".5", "1in ", "é", "#a", "''", "``", "/a/", "()", "[]", "{}", "<a>", "abstract ", "accessor ", "any ", "as ", "asserts ",
    "assert ", "async ", "await ", "bigint ", "break ", "case ", "catch ", "class ", "const ", "constructor ", "continue ", "debugger ", "declare ",
    "default ", "defer ", "delete ", "do ", "else ", "enum ", "export ", "extends ", "false ", "finally ", "for ", "from ", "function ", "get ", "global ",
    "if ", "implements ", "import ", "in ", "infer ", "instanceof ", "interface ", "intrinsic ", "is ", "keyof ", "let ", "meta ", "module ",
    "namespace ", "never ", "new ", "null ", "number ", "object ", "of ", "out ", "override ", "package ", "private ", "protected ", "public ",
    "readonly ", "require ", "return ", "satisfies ", "set ", "source ", "static ", "string ", "super ", "switch ", "symbol ", "target ", "this ",
    "throw ", "true ", "try ", "type ", "typeof ", "undefined ", "unique ", "unknown ", "using ", "var ", "void ", "while ", "with ", "yield ",
];

/// What pieces may stand between, so that some of it is a program, which is gone through once more; pairs of them in the first
/// few of these.
#[rustfmt::skip]
const PLACES: &[(&str, &str)] = &[
    ("", "a"), ("let a:", "a"), ("class A{", "}"), ("a", ""), ("", ""), ("let a:a", ""), ("let a=", "1"), ("type A<", ""), ("function f(", "a"),
    ("f<", "a"), ("async(", ""), ("switch(a){", "}"), ("/", "/"),
];
const PLACES_OF_PAIRS: usize = 4;

const CHILD: &str = "TOOLKIT_ISOLATE_NESTS";

/// All pieces, and all pairs of them, again and again, with the stack that their levels have and hardly any more.
#[test]
fn a_process_nests_whatever_can_be_written() {
    use std::io::Write;
    let Ok(part) = std::env::var(CHILD) else { return };
    let part: usize = part.parse().unwrap();
    let mut to = std::io::stdout();
    for (at, first) in PIECES.iter().enumerate() {
        if at % CHILDREN != part {
            continue;
        }
        for second in [""].iter().chain(PIECES) {
            let piece = [*first, *second].concat();
            let places = if second.is_empty() { PLACES.len() } else { PLACES_OF_PAIRS };
            for (before, after) in &PLACES[..places] {
                // What is being read when it ends is the last line.
                writeln!(to, "{before:?} {piece:?} {after:?}").unwrap();
                let code = [before, piece.repeat(REPEATED).as_str(), after].concat();
                let stack = stack(levels::most(&code)) - stack(0) + BARE;
                // Whether it is a program does not matter here.
                let thread = std::thread::Builder::new().stack_size(stack).spawn(move || read(&code).is_ok()).unwrap();
                let _ = thread.join();
            }
        }
    }
    writeln!(to, "all").unwrap();
    std::process::exit(0);
}

/// What reading takes at least, which is less than what code has whose levels are not counted.
const BARE: usize = 48 * 1024;

/// Enough that forty bytes each are more than that, and few enough for a parser that begins anew at each.
const REPEATED: usize = 1500;

const CHILDREN: usize = 2;

#[test]
fn nothing_that_can_be_written_again_and_again_needs_stack_that_is_not_counted() {
    let children: Vec<_> = (0..CHILDREN)
        .map(|part| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "source::tests::a_process_nests_whatever_can_be_written",
                    "--nocapture",
                    "--test-threads=1",
                ])
                .env(CHILD, part.to_string())
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    // Each is read from at once, or it would wait for room to say where it is.
    let waits: Vec<_> =
        children.into_iter().map(|child| std::thread::spawn(|| child.wait_with_output().unwrap())).collect();
    for wait in waits {
        let output = wait.join().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.lines().last(), Some("all"), "{}", output.status);
    }
}
