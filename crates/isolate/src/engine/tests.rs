use std::cell::RefCell;
use std::collections::VecDeque;

use super::*;

/// A host that answers tools as it is told to, after each other.
#[derive(Default)]
struct Script {
    logs: RefCell<Vec<String>>,
    calls: RefCell<VecDeque<(u32, u32, String)>>,
    most: Cell<usize>,
}

impl Port for Script {
    fn log(&self, line: String) {
        self.logs.borrow_mut().push(line);
    }

    fn call(&self, call: u32, tool: u32, input: String) {
        self.calls.borrow_mut().push_back((call, tool, input));
        self.most.set(self.most.get().max(self.calls.borrow().len()));
    }

    /// The tool 0 echoes, the tool 1 fails, the tool 2 never answers, the tool 3 answers what is no JSON.
    fn wait(&self, until: Option<Instant>, _: bool) -> Heard {
        let mut calls = self.calls.borrow_mut();
        let Some(at) = calls.iter().position(|(_, tool, _)| *tool != 2) else {
            drop(calls);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            std::thread::sleep(left.unwrap_or(Duration::from_secs(5)));
            return Heard::Nothing;
        };
        let (call, tool, input) = calls.remove(at).unwrap();
        let (is_ok, text) = match tool {
            0 => (true, input),
            1 => (false, r#"{"code":"CallFailedError","message":"No such page.","retryable":true}"#.to_owned()),
            _ => (true, "{".to_owned()),
        };
        Heard::Answer { call, is_ok, text }
    }

    fn is_over(&self) -> bool {
        false
    }
}

const LIMITS: Limits = Limits {
    memory: 32 << 20,
    stack: 512 << 10,
    cpu: 300,
    wall: 20_000,
    calls: 20,
    concurrent: 4,
    source: 20_000,
    log: 200,
    input: 1_000,
    answer: 1_000,
    result: 10_000,
};

const TOOLS: &str = r#"["echo","fail","hang","broken","a b"]"#;

struct Ran {
    result: Result<String, String>,
    logs: Vec<String>,
    most: usize,
}

fn ran_with(code: &str, limits: Limits) -> Ran {
    let script = Rc::new(Script::default());
    let engine = Engine::new(limits, script.clone()).unwrap();
    // A test's thread has two megabytes.
    let result = engine.run(TOOLS, code, 256);
    drop(engine);
    Ran { result, logs: script.logs.take(), most: script.most.get() }
}

fn ran(code: &str) -> Ran {
    ran_with(code, LIMITS)
}

fn result(code: &str) -> String {
    ran(code).result.unwrap_or_else(|error| panic!("{code}: {error}"))
}

fn error(code: &str) -> String {
    ran(code).result.expect_err(code)
}

#[test]
fn code_returns_json_of_what_it_returned() {
    for (code, expected) in [
        ("return 1 + 1", "2"),
        ("return { a: [1, 'b', null], c: undefined }", r#"{"a":[1,"b",null]}"#),
        ("", "null"),
        ("return", "null"),
        ("return '\\ud800'", r#""\ud800""#),
        ("return await Promise.all([1, Promise.resolve(2)])", "[1,2]"),
        ("const x: number = 3; return x as number", "3"),
        ("// a comment", "null"),
        ("'use strict'; return (function() { return this === undefined })()", "true"),
        ("return { then(resolve) { resolve(5) } }", "5"),
        ("return new Date(0)", r#""1970-01-01T00:00:00.000Z""#),
    ] {
        assert_eq!(result(code), expected, "{code}");
    }
}

#[test]
fn a_tool_is_called_and_its_failure_is_an_error_with_its_place() {
    assert_eq!(result("return await tools.echo({ a: 1 })"), r#"{"a":1}"#);
    assert_eq!(result("return await tools['a b'] === undefined"), "false");
    assert_eq!(
        result(
            "try { await tools.fail({}) } catch (e) { return [e instanceof Error, e.name, e.message, e.code, e.retryable, e.tool] }"
        ),
        r#"[true,"ToolError","No such page.","CallFailedError",true,"fail"]"#
    );
    assert_eq!(error("const a = 1\n  await tools.fail({})"), "ToolError: No such page.\n    at line 2, column 15");
    assert_eq!(
        ran("return (await Promise.all([...Array(10).keys()].map((n) => tools.echo(n)))).join()").result.as_deref(),
        Ok("\"0,1,2,3,4,5,6,7,8,9\"")
    );
    assert_eq!(ran("await Promise.all([...Array(10).keys()].map((n) => tools.echo(n)))").most, 4);
}

#[test]
fn an_error_tells_where_it_was_thrown_in_the_code_itself() {
    for (code, expected) in [
        ("null.x", "TypeError: cannot read property 'x' of null\n    at line 1, column 1"),
        (
            "function f() {\n  throw new Error('no')\n}\n\nf()",
            "Error: no\n    at f (line 2, column 13)\n    at line 5, column 1",
        ),
        ("const a: { b: string } = 1 as any; throw new RangeError('x')", "RangeError: x\n    at line 1, column 46"),
        ("throw 'text'", "The code threw text"),
        ("throw null", "The code threw null"),
        ("await new Promise(() => {})", "The code waits for something that cannot happen"),
        (
            "return tools.nothing",
            "TypeError: There is no tool \"nothing\". The tools: echo, fail, hang, broken, a b\n    at line 1",
        ),
        ("const x = ;", "SyntaxError: Unexpected token\n    at line 1, column 11"),
        ("let a = 1\nlet a = 2", "SyntaxError: "),
        ("}", "SyntaxError: "),
        (
            "}); (async () => {",
            "SyntaxError: the code ends its function here: there is one } too many\n    at line 1, column 1",
        ),
        (
            "enum A { B }",
            "SyntaxError: an enum is more than a type: write an object, such as const Kind = { A: 0 }\n    at line 1, column 1",
        ),
        ("import x from 'y'", "SyntaxError: "),
    ] {
        assert!(error(code).starts_with(expected), "{code}: {}", error(code));
    }
}

#[test]
fn limits_end_a_run_with_words_that_say_which() {
    for (code, expected) in [
        ("for (;;) {}", "The code ran longer than 300 ms of its own time"),
        ("for (;;) await 0", "The code ran longer than 300 ms of its own time"),
        ("try { for (;;) {} } finally { for (;;) {} }", "The code ran longer than 300 ms of its own time"),
        (
            "const a = []; for (;;) a.push('x'.repeat(10000) + a.length)",
            "The code ran out of memory: it may use 32 MiB",
        ),
        ("let s = 'x'; for (;;) s += s + '!'", "InternalError: string too long"),
        (
            "const a = new Array(30).fill().map(() => new Uint8Array(4e6))",
            "The code ran out of memory: it may use 32 MiB",
        ),
        ("const f = () => f() + 1; f()", "RangeError: Maximum call stack size exceeded\n    at f (line 1"),
        (
            "for (let n = 0; n < 30; n++) await tools.echo(n)",
            "RangeError: A run may make 20 tool calls, and this is one more\n    at line 1",
        ),
        (
            "await tools.echo('x'.repeat(2000))",
            "RangeError: The input of tools[\"echo\"] is 2002 characters of JSON, more than the 1000",
        ),
        ("return 'x'.repeat(20000)", "RangeError: The result is 20002 characters of JSON, more than the 10000"),
        (&" ".repeat(20_001), "The code is 20,001 characters long, more than the 20,000 that can be run."),
        ("setTimeout(() => {}, 1e9)", "RangeError: setTimeout of 1000000000 ms is more than the 20000 ms"),
        (
            "return { a: [tools.echo(1)] }",
            "TypeError: The code returned something that is not JSON: result.a[0] is a promise: await it",
        ),
        ("return 1n", "TypeError: The code returned something that is not JSON: "),
        ("return new Map()", "TypeError: The code returned something that is not JSON: result is a Map"),
        ("return () => {}", "TypeError: The code returned a function, which is not JSON"),
    ] {
        let error = error(code);
        assert!(error.starts_with(expected), "{code}: {error}");
    }
}

#[test]
fn a_run_that_waits_too_long_is_ended() {
    let limits = Limits { wall: 150, ..LIMITS };
    for code in ["await tools.hang()", "await new Promise((done) => setTimeout(done, 150)); await tools.hang()"] {
        let error = ran_with(code, limits).result.expect_err(code);
        assert!(error.starts_with("The code ran longer than 150 ms, its tool calls included."), "{code}: {error}");
    }
}

#[test]
fn what_is_logged_is_told_line_by_line_up_to_its_limit() {
    let logged = |code: &str| ran(code).logs;
    assert_eq!(
        logged("console.log('a', 1, { b: [1, undefined] }, new Map([[1, { c: 2n }]]), new Error('x'))"),
        [r#"a 1 {"b":[1,undefined]} Map {1 => {"c":2n}} Error: x"#]
    );
    assert_eq!(
        logged("console.warn('a'); console.error(null); const o = {}; o.o = o; console.log(o)"),
        ["[warn] a", "[error] null", r#"{"o":[circular]}"#]
    );
    let many = logged("for (let n = 0; n < 1000; n++) console.log('line ' + n)");
    assert_eq!(many.last().map(|line| line.ends_with("… [the rest of the logs is left out]")), Some(true));
    assert!(many.concat().len() < 400);
    assert_eq!(
        logged("tools.hang({}); tools.echo(1)"),
        [
            r#"[warn] The code ended while tool calls were under way, which were stopped: "hang", "echo". Await each call."#
        ]
    );
    // However many they are, and whatever their names.
    assert_eq!(
        logged("for (let n = 0; n < 19; n++) tools.hang({}); tools.echo(1)"),
        [
            r#"[warn] The code ended while tool calls were under way, which were stopped: "hang" (19 times), "echo". Await each call."#
        ]
    );
    let names: Vec<String> = (0..30).map(|n| format!("\"{}{n}\"", "n".repeat(80))).collect();
    let script = Rc::new(Script::default());
    let engine = Engine::new(Limits { calls: 30, ..LIMITS }, script.clone()).unwrap();
    let ran =
        engine.run(&format!("[{}]", names.join(",")), "for (const name of Object.keys(tools)) tools[name](1)", 256);
    assert_eq!(ran, Ok("null".to_owned()));
    let note = script.logs.take().concat();
    assert!(note.contains(&format!("\"{}…\", \"", "n".repeat(64))) && note.contains(", … 10 more. Await"), "{note}");
}

#[test]
fn a_rejection_that_nothing_handles_is_told() {
    let logged = |code: &str| ran(code).logs;
    let told = "[warn] A promise was rejected and nothing handled it. Await each call: ";
    assert_eq!(
        logged("tools.fail({});\nawait tools.echo(1)"),
        [format!("{told}ToolError: No such page.\n    at line 1, column 7")]
    );
    assert_eq!(
        logged("Promise.reject(7); Promise.reject(new Error('x')).catch(() => 1)"),
        [format!("{told}The code threw 7")]
    );
    for handled in [
        "try { await tools.fail({}) } catch {}",
        "await Promise.allSettled([tools.fail({}), tools.fail({})])",
        "const call = tools.fail({}); await tools.echo(1); await call.catch(() => 1)",
        "const calls = Array.from({ length: 50 }, () => Promise.reject(1)); await null; for (const call of calls) call.catch(() => 1)",
    ] {
        assert_eq!(logged(handled), [""; 0], "{handled}");
    }
    let many = logged("for (let at = 0; at < 50; at++) Promise.reject(at)");
    assert_eq!(many.iter().filter(|line| line.starts_with(told)).count() + 1, many.len());
    assert!(many.concat().len() < 400, "{many:?}");
    let waits = ran("tools.fail({}); await new Promise(() => 1)");
    assert!(waits.result.is_err() && waits.logs.len() == 1, "{:?}", waits.logs);
}

#[test]
fn what_is_told_of_a_failure_is_cut() {
    for code in [
        "throw new Error('x'.repeat(1e5))",
        "throw new Error('\\u4f60'.repeat(1e5))",
        "throw '𝒳'.repeat(1e5)",
        "const e = new Error('a'); e.name = 'n'.repeat(1e5); throw e",
        "const f = Object.defineProperty(() => { throw new Error('x') }, 'name', { value: 'n'.repeat(1e5) }); f()",
        &format!("let {0}, {0}", "a".repeat(9_000)),
    ] {
        let error = error(code);
        assert!(error.encode_utf16().count() <= failure::LONGEST + 1, "{} of {}", error.len(), &code[..40]);
    }
    assert!(error("throw new Error('x'.repeat(1e5))").ends_with("x…"));
}

#[test]
fn an_error_of_the_web_tells_what_is_wrong() {
    for (code, expected) in [
        ("return atob('*')", "InvalidCharacterError: "),
        ("structuredClone(() => {})", "DataCloneError: A function cannot be cloned\n    at line 1"),
        ("throw new DOMException('gone', 'AbortError')", "AbortError: gone\n    at line 1, column "),
        (
            "throw new Error('a', { cause: new DOMException('gone', 'AbortError') })",
            "Error: a (cause: AbortError: gone)",
        ),
        (
            "await tools.echo({ get a() { throw new DOMException('gone', 'AbortError') } })",
            "TypeError: The input of tools[\"echo\"] is not JSON: AbortError: gone",
        ),
        ("throw Object.create(DOMException.prototype)", "Error"),
    ] {
        assert!(error(code).starts_with(expected), "{code}: {}", error(code));
    }
    assert_eq!(ran("console.log(new DOMException('gone', 'AbortError'))").logs, ["AbortError: gone"]);
}

#[test]
fn a_line_that_is_told_is_one_of_the_code() {
    for code in [
        "let a, a",
        "let a = 1; const a = 2",
        "class A { constructor() {} constructor() {} }",
        "const a = 1; var a",
        "break",
    ] {
        let error = error(code);
        assert!(error.starts_with("SyntaxError: ") && !error.contains("line 2"), "{code}: {error}");
    }
    assert!(error("let a\nreturn /(/").ends_with("at line 2, column 9"), "{}", error("let a\nreturn /(/"));
}

#[test]
fn what_json_would_lose_is_told_of_inputs_and_within_what_is_no_plain_object() {
    let input = "TypeError: The input of tools[\"echo\"] is not JSON: input";
    for (code, expected) in [
        ("await tools.echo({ text: tools.echo('x') })", format!("{input}.text is a promise: await it")),
        ("await tools.echo([new Map()])", format!("{input}[0] is a Map: ")),
        ("await tools.echo({ a: { b: new Error('x') } })", format!("{input}.a.b is an error: take its message")),
        (
            "return new DOMException('x')",
            "TypeError: The code returned something that is not JSON: result is an error".to_owned(),
        ),
        (
            "class A { constructor() { this.b = new Set() } } return new A()",
            "TypeError: The code returned something that is not JSON: result.b is a Set: ".to_owned(),
        ),
    ] {
        assert!(error(code).starts_with(&expected), "{code}: {}", error(code));
    }
    for (code, expected) in [
        (
            "return [new Date(0), { toJSON() { return 1 }, a: Promise.resolve() }, new Uint8Array(2)]",
            r#"["1970-01-01T00:00:00.000Z",1,{"0":0,"1":0}]"#,
        ),
        (
            "return await tools.echo({ a: new Date(0), b: undefined, c: () => {} })",
            r#"{"a":"1970-01-01T00:00:00.000Z"}"#,
        ),
        (
            "return await Promise.allSettled([tools.fail({})])",
            r#"[{"status":"rejected","reason":{"name":"ToolError","message":"No such page.","code":"CallFailedError"}}]"#,
        ),
    ] {
        assert_eq!(result(code), expected, "{code}");
    }
}

#[test]
fn addresses_and_forms_are_no_longer_than_what_is_not_counted_may_be() {
    for code in [
        "new URLSearchParams('a&'.repeat(6e5))",
        "const p = new URLSearchParams(), a = 'x'.repeat(4e5); p.append('a', a); p.append('a', a); p.append('a', a); return String(p)",
        "new URL('http://a/' + 'x'.repeat(2 ** 20))",
        "new URL('x'.repeat(6e5), 'http://a/' + 'x'.repeat(6e5))",
        "URL.canParse('x'.repeat(2e6))",
        "const u = new URL('http://a/' + 'x'.repeat(6e5)); u.hash = 'x'.repeat(6e5)",
        "const u = new URL('http://a/?' + 'x'.repeat(6e5)); u.searchParams.append('a', 'x'.repeat(6e5))",
    ] {
        assert!(
            error(code).starts_with("RangeError: An address or a form may have 1048576 characters here, not "),
            "{code}: {}",
            error(code)
        );
    }
    assert_eq!(result("return new URLSearchParams('a=' + 'x'.repeat(9e5)).toString().length"), "900002");
}

#[test]
fn a_timer_that_has_fired_is_forgotten() {
    let engine = Engine::new(LIMITS, Rc::new(Script::default())).unwrap();
    let code = "for (let n = 0; n < 20; n++) await new Promise((done) => setTimeout(done, 0)); clearTimeout(setTimeout(() => 1, 1000))";
    assert_eq!(engine.run("[]", code, 256), Ok("null".to_owned()));
    let timers = engine.run.timers.borrow();
    assert_eq!((timers.due.len(), timers.of.len()), (0, 0));
}

#[test]
fn whoever_writes_a_stack_is_given_no_function_and_calls_tools_in_their_turn() {
    let sites = "Error.prepareStackTrace = (_, sites) => sites; const sites = [...new Error().stack];";
    assert_eq!(
        result(&format!(
            "{sites} return [sites.length > 0, sites.some((site) => site.getFunction || site.getThis), typeof sites[0].getLineNumber()]"
        )),
        r#"[true,false,"number"]"#
    );
    assert_eq!(
        result("return [typeof Error.prepareStackTrace, new Error('x').stack.length > 0]"),
        r#"["undefined",true]"#
    );
    // A call within the writing of a stack, and of an input, comes before the one that it is within.
    for code in [
        "Error.prepareStackTrace = () => { Error.prepareStackTrace = undefined; tools.echo(2); return '' }; return [await tools.echo(1), await tools.echo(3)]",
        "return [await tools.echo({ toJSON() { tools.echo(2); return 1 } }), await tools.echo(3)]",
    ] {
        assert_eq!(result(code), "[1,3]", "{code}");
    }
    let limits = Limits { calls: 1, ..LIMITS };
    let within =
        ran_with("return await tools.echo({ toJSON() { tools.echo(2); return 1 } })", limits).result.unwrap_err();
    assert!(within.starts_with("RangeError: A run may make 1 tool calls"), "{within}");
}

#[test]
fn timers_fire_in_their_order() {
    assert_eq!(
        result(
            "const seen = []; setTimeout(() => seen.push(2), 20); setTimeout((x) => seen.push(x), 1, 1); const id = setTimeout(() => seen.push(3), 5); clearTimeout(id); await new Promise((done) => setTimeout(done, 30)); return seen"
        ),
        "[1,2]"
    );
    assert!(
        error("setTimeout(() => { throw new Error('late') }, 1); await tools.hang()")
            .starts_with("Error: late\n    at")
    );
    assert!(
        error("queueMicrotask(() => { throw new Error('micro') }); await tools.hang()")
            .starts_with("Error: micro\n    at")
    );
}

#[test]
fn there_is_nothing_but_the_language_and_what_is_given() {
    let globals = result("return Reflect.ownKeys(globalThis).map(String).sort().join(' ')");
    assert_eq!(
        globals,
        "\"AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DOMException DataView \
         Date Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity \
         Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number Object Promise Proxy \
         RangeError ReferenceError Reflect RegExp Set String Symbol Symbol(Symbol.toStringTag) SyntaxError \
         TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array \
         Uint8ClampedArray WeakMap WeakRef WeakSet atob btoa clearTimeout console crypto decodeURI \
         decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt \
         queueMicrotask setTimeout structuredClone tools undefined unescape\""
    );
    for code in [
        "Function('return 1')()",
        "new Function('return 1')()",
        "(() => {}).constructor('return 1')()",
        "(async () => {}).constructor('return 1')()",
        "(function*() {}).constructor('return 1')()",
        "(async function*() {}).constructor('return 1')()",
        "Reflect.construct((class {}).constructor, ['return 1'])()",
        "Object.getPrototypeOf((async () => {}).constructor)('return 1')()",
    ] {
        assert!(
            error(code).contains("Code cannot be made from text here") || error(code).contains("not a function"),
            "{code}: {}",
            error(code)
        );
    }
    assert!(error("await import('std')").contains("Error"), "{}", error("await import('std')"));
    assert!(error("eval('1')").contains("eval"));
}
