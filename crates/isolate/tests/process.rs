//! The executable of an isolate, and what its host makes of one that has been taken over.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use toolkit_isolate::frame::{Frames, ToHost, ToIsolate};
use toolkit_isolate::host::{Event, Host, Options};
use toolkit_isolate::limits::Limits;
use toolkit_isolate::sandbox::Sandbox;

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolkit-isolate");

const LIMITS: Limits = Limits {
    memory: 32 << 20,
    stack: 512 << 10,
    cpu: 1_000,
    wall: 5_000,
    calls: 10,
    concurrent: 4,
    source: 10_000,
    log: 1_000,
    input: 1_000,
    answer: 1_000,
    result: 1_000,
};

/// Longer than anything here takes, so that a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(30);

fn start() -> Child {
    Command::new(PROGRAM)
        .args(LIMITS.to_args())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a process says to its end, when it is told this once it is ready, and then nothing more.
fn says(told: &[u8]) -> Vec<u8> {
    let mut child = start();
    let mut from = child.stdout.take().unwrap();
    let mut said = Vec::new();
    // One whose pipe is closed before it is ready ends before it says so.
    while frames(&said).is_empty() {
        let mut byte = [0];
        from.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
    // One that has ended in between takes no more.
    let _ = child.stdin.take().unwrap().write_all(told);
    from.read_to_end(&mut said).unwrap();
    child.wait().unwrap();
    said
}

#[test]
fn a_process_is_not_ended_by_the_signals_of_a_terminal_or_a_supervisor() {
    let mut child = start();
    let mut from = child.stdout.take().unwrap();
    let mut said = Vec::new();
    while frames(&said).is_empty() {
        let mut byte = [0];
        from.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
    let pid = libc::pid_t::try_from(child.id()).unwrap();
    for signal in
        [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGTSTP, libc::SIGUSR1, libc::SIGUSR2]
    {
        // SAFETY: a signal to a process that this one has started and not taken in.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
    }
    let mut told = Vec::new();
    ToIsolate::Begin { tools: "[]".to_owned(), code: "return 1".to_owned() }.write(&mut told);
    let mut to = child.stdin.take().unwrap();
    to.write_all(&told).unwrap();
    from.read_to_end(&mut said).unwrap();
    drop(to);
    child.wait().unwrap();
    assert_eq!(frames(&said).last(), Some(&ToHost::Done(Ok("1".to_owned()))));
}

fn frames(said: &[u8]) -> Vec<ToHost> {
    let mut frames = Frames::new(1 << 20);
    frames.push(said);
    let mut read = Vec::new();
    while let Some(frame) = frames.take().unwrap() {
        read.push(ToHost::read(frame).unwrap());
    }
    read
}

#[test]
fn a_process_says_that_it_is_ready_and_ends_with_the_pipe_it_reads() {
    assert!(matches!(frames(&says(&[])).as_slice(), [ToHost::Ready(_)]));
    // While it runs, too.
    let mut child = start();
    let mut told = Vec::new();
    ToIsolate::Begin { tools: "[]".to_owned(), code: "for (;;) {}".to_owned() }.write(&mut told);
    let mut to = child.stdin.take().unwrap();
    to.write_all(&told).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    drop(to);
    let mut said = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut said).unwrap();
    child.wait().unwrap();
    assert!(matches!(frames(&said).as_slice(), [ToHost::Ready(_)]));
}

#[test]
fn a_process_without_its_arguments_ends() {
    let status = Command::new(PROGRAM).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_process_is_told_it_says_frames_and_ends(
        program in prop::option::of(".{0,40}"),
        answers in prop::collection::vec((any::<u32>(), any::<bool>(), ".{0,20}"), 0..4),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut told = Vec::new();
        if let Some(code) = program {
            let code = format!("await tools.a(); {code}");
            ToIsolate::Begin { tools: r#"["a"]"#.to_owned(), code }.write(&mut told);
        }
        for (call, is_ok, text) in answers {
            ToIsolate::Answer { call, is_ok, text }.write(&mut told);
        }
        told.extend(bytes);
        let said = frames(&says(&told));
        prop_assert!(matches!(said.first(), Some(ToHost::Ready(_))), "{:?}", said);
    }
}

/// A host of a program, and what happens in it.
fn host(program: &Path) -> (Host, Receiver<Event>) {
    host_with(program, 1)
}

fn host_with(program: &Path, warm: usize) -> (Host, Receiver<Event>) {
    host_of(Options { limits: LIMITS, program: Some(program.to_owned()), warm, max: 32 })
}

fn host_of(options: Options) -> (Host, Receiver<Event>) {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let sink = Arc::new(move |event| {
        let _ = tell.lock().unwrap().send(event);
    });
    (Host::open(options, sink).unwrap(), told)
}

/// Closes a host, waits until everything in it has ended, and gives what happened until then.
fn close(host: &Host, told: &Receiver<Event>) -> Vec<Event> {
    host.close();
    let mut events = Vec::new();
    loop {
        match told.recv_timeout(PATIENCE).expect("it closes") {
            Event::Closed => return events,
            event => events.push(event),
        }
    }
}

#[test]
fn a_host_runs_code_and_tells_what_came_of_it() {
    let (host, told) = host(Path::new(PROGRAM));
    assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Ready(_))));
    let run = host.start(r#"["a"]"#.to_owned(), 1, "console.log('x'); return await tools.a(1)".to_owned());
    let Event::Call { run: of, call, tool: 0, input } = told.recv_timeout(PATIENCE).unwrap() else { panic!("no call") };
    assert_eq!((of, input.as_str()), (run, "1"));
    let next = host.answer(run, call, true, "2".to_owned()).map_or_else(|| told.recv_timeout(PATIENCE), Ok);
    let Event::Done { result, logs, .. } = next.unwrap() else { panic!("not done") };
    assert_eq!((result, logs), (Ok("2".to_owned()), vec!["x".to_owned()]));
    close(&host, &told);
}

#[test]
fn calls_in_a_row_come_in_their_order_each_once_whether_they_are_given_or_told() {
    let (host, told) = host(Path::new(PROGRAM));
    assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Ready(_))));
    let (mut was_given, mut was_told) = (false, false);
    for _ in 0..6 {
        let code = "let sum = 0; for (let n = 0; n < 3; n++) sum += await tools.a(n); return sum";
        let run = host.start(r#"["a"]"#.to_owned(), 1, code.to_owned());
        let mut given = None;
        for n in 0..3 {
            let next = given.take().map_or_else(|| told.recv_timeout(PATIENCE), Ok).unwrap();
            let Event::Call { run: of, call, input, .. } = next else { panic!("no call: {next:?}") };
            assert_eq!((of, call, input), (run, n, n.to_string()));
            if n == 1 {
                std::thread::sleep(Duration::from_millis(2));
            }
            given = host.answer(run, call, true, "2".to_owned());
            was_given |= given.is_some();
            was_told |= given.is_none();
        }
        let next = given.take().map_or_else(|| told.recv_timeout(PATIENCE), Ok).unwrap();
        let Event::Done { run: of, result, .. } = next else { panic!("not done: {next:?}") };
        assert_eq!((of, result), (run, Ok("6".to_owned())));
    }
    // The caller's thread is let go after a while, whatever this machine is doing.
    assert!(was_told, "{was_given}");
    assert!(close(&host, &told).is_empty());
}

#[test]
fn runs_beyond_the_most_at_once_wait_in_their_order_until_one_ends_or_is_given_up() {
    for program in [Some(PathBuf::from(PROGRAM)), None] {
        let (host, told) = host_of(Options { limits: LIMITS, program, warm: 2, max: 1 });
        assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Ready(_))));
        let start = |code: &str| host.start(r#"["a"]"#.to_owned(), 1, code.to_owned());
        let asks = || start("return await tools.a(1)");
        let calls = || {
            let run = asks();
            let Event::Call { run: of, call, .. } = told.recv_timeout(PATIENCE).unwrap() else { panic!("no call") };
            assert_eq!(of, run);
            (run, call)
        };
        // A run ends when it is answered, and the next one begins. Which of the two is told first depends on their threads.
        let ends = |(run, call): (u32, u32), next: u32| {
            let mut events: Vec<Event> = host.answer(run, call, true, "1".to_owned()).into_iter().collect();
            while events.len() < 2 {
                events.push(told.recv_timeout(PATIENCE).unwrap());
            }
            let is_end = |event: &Event| matches!(event, Event::Done { run: of, result: Ok(_), .. } if *of == run);
            assert!(events.iter().any(is_end), "{events:?}");
            let call = events.iter().find_map(|event| match event {
                Event::Call { run, call, .. } if *run == next => Some(*call),
                _ => None,
            });
            (next, call.unwrap_or_else(|| panic!("{events:?}")))
        };
        // As long as a run would take.
        let is_silent = || {
            std::thread::sleep(Duration::from_millis(50));
            told.try_recv().is_err()
        };
        let first = calls();
        let (second, third) = (asks(), asks());
        assert!(is_silent());
        let second = ends(first, second);
        assert!(is_silent());
        let third = ends(second, third);
        host.interrupt(third.0);
        let (first, _) = calls();
        let (second, third) = (asks(), start("return 3"));
        host.interrupt(second);
        host.interrupt(first);
        let next = told.recv_timeout(PATIENCE).unwrap();
        assert!(matches!(&next, Event::Done { run, result: Ok(_), .. } if *run == third), "{next:?}");
        close(&host, &told);
    }
}

#[test]
fn an_isolate_that_says_more_than_one_thing_at_once_is_heard_in_order() {
    let folder = Folder::new("at-once");
    let call = |call| ToHost::Call { call, tool: 0, input: "1".to_owned() };
    std::fs::write(folder.0.join("first"), bytes(&[call(0)])).unwrap();
    // Three calls in answer to one, more than are given at once.
    std::fs::write(folder.0.join("more"), bytes(&[call(1), call(2), call(3)])).unwrap();
    let at = folder.0.display();
    let does = format!(
        "/bin/cat \"$said\"; head -c 1 > /dev/null; /bin/cat '{at}/first'; head -c 200 > /dev/null; exec /bin/cat '{at}/more' -"
    );
    let (host, told) = host_with(&program_that(&folder.0, &bytes(&[ToHost::Ready(NONE)]), &does), 0);
    let run = host.start(r#"["a"]"#.to_owned(), 1, "return 1".to_owned());
    while !matches!(told.recv_timeout(PATIENCE).unwrap(), Event::Call { .. }) {}
    let mut given = host.answer(run, 0, true, format!("\"{}\"", "x".repeat(300)));
    for n in 1..4 {
        let next = given.take().map_or_else(|| told.recv_timeout(PATIENCE), Ok).unwrap();
        assert!(matches!(next, Event::Call { call, .. } if call == n), "{next:?}");
    }
    host.interrupt(run);
    close(&host, &told);
}

#[test]
fn a_host_without_its_program_says_so() {
    let (host, told) = host(Path::new("/nowhere/toolkit-isolate"));
    let Event::Unavailable(why) = told.recv_timeout(PATIENCE).unwrap() else { panic!("it is there") };
    assert!(why.contains("/nowhere/toolkit-isolate"), "{why}");
    let run = host.start("[]".to_owned(), 0, "return 1".to_owned());
    let Event::Done { run: of, result, .. } = told.recv_timeout(PATIENCE).unwrap() else { panic!("not done") };
    assert_eq!(of, run);
    assert!(result.unwrap_err().contains("could not be started"));
    close(&host, &told);
}

/// A program that says these bytes and then reads on, as an isolate does that has been taken over.
fn program_that_says(folder: &Path, bytes: &[u8]) -> PathBuf {
    program_that(folder, bytes, "exec /bin/cat \"$said\" - >&1")
}

/// A program of a shell, for which `said` is a file of these bytes.
fn program_that(folder: &Path, bytes: &[u8], does: &str) -> PathBuf {
    let (said, program) = (folder.join("said"), folder.join("program"));
    std::fs::write(&said, bytes).unwrap();
    std::fs::write(&program, format!("#!/bin/sh\nsaid='{}'\n{does}\n", said.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// A folder for a test, which is gone after it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toolkit-isolate-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bytes(frames: &[ToHost]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.write(&mut bytes));
    bytes
}

const NONE: Sandbox = Sandbox { seccomp: false, landlock: false, limits: false };
const ALL: Sandbox = Sandbox { seccomp: true, landlock: true, limits: true };

/// What comes of the one run of a host.
fn done(told: &Receiver<Event>) -> Result<String, String> {
    loop {
        if let Event::Done { result, .. } = told.recv_timeout(PATIENCE).expect("it ends") {
            return result;
        }
    }
}

#[test]
fn a_run_whose_isolate_ended_without_a_word_begins_again_in_another_once() {
    let folder = Folder::new("again");
    let isolate = "/bin/cat \"$said\"; head -c 1 > /dev/null; exit 4";
    // The first time it ends where it should begin, the second time it is an isolate.
    let does = format!("if [ -e \"$said.again\" ]; then exec '{PROGRAM}' \"$@\"; fi; : > \"$said.again\"; {isolate}");
    let (host, told) = host_with(&program_that(&folder.0, &bytes(&[ToHost::Ready(NONE)]), &does), 0);
    let _ = host.start("[]".to_owned(), 0, "return 1".to_owned());
    assert_eq!(done(&told), Ok("1".to_owned()));
    close(&host, &told);
    let (host, told) = host_with(&program_that(&folder.0, &bytes(&[ToHost::Ready(NONE)]), isolate), 0);
    let _ = host.start("[]".to_owned(), 0, "return 1".to_owned());
    let error = done(&told).unwrap_err();
    assert_eq!(error, "The isolate of the code ended before the code did: it found itself broken.");
    close(&host, &told);
    // Code that was heard of is not run twice.
    let said = bytes(&[ToHost::Ready(NONE)]);
    let log = bytes(&[ToHost::Log("x".to_owned())]);
    std::fs::write(folder.0.join("log"), log).unwrap();
    let does = format!(
        "/bin/cat \"$said\"; head -c 1 > /dev/null; /bin/cat '{}'; echo x >> \"$said.count\"; exit 4",
        folder.0.join("log").display()
    );
    let (host, told) = host_with(&program_that(&folder.0, &said, &does), 0);
    let _ = host.start("[]".to_owned(), 0, "return 1".to_owned());
    assert!(done(&told).is_err());
    close(&host, &told);
    assert_eq!(std::fs::read_to_string(folder.0.join("said.count")).unwrap(), "x\n");
}

/// The system ends many at once, and it is a while until the host hears of each.
#[test]
fn a_run_does_not_begin_again_in_an_isolate_that_was_ready_before_its_own_ended() {
    let folder = Folder::new("many");
    let does = format!(
        "if [ -e \"$said.over\" ]; then exec '{PROGRAM}' \"$@\"; fi; /bin/cat \"$said\"; echo x >> \"$said.count\"; head -c 1 > /dev/null; exit 4"
    );
    let (host, told) = host_with(&program_that(&folder.0, &bytes(&[ToHost::Ready(NONE)]), &does), 4);
    let count = folder.0.join("said.count");
    while !std::fs::read_to_string(&count).is_ok_and(|lines| lines.lines().count() == 4) {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::fs::write(folder.0.join("said.over"), "").unwrap();
    let runs: Vec<u32> = (0..2).map(|_| host.start("[]".to_owned(), 0, "return 1".to_owned())).collect();
    for _ in runs {
        assert_eq!(done(&told), Ok("1".to_owned()));
    }
    close(&host, &told);
}

/// One that the system ends before it is ready takes no run with it while another is on its way.
#[test]
fn a_run_waits_while_an_isolate_is_on_its_way_for_it() {
    let folder = Folder::new("way");
    let file = |name: &str| folder.0.join(format!("said.{name}"));
    let until = |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    // The second one ends where it should be ready, and the third one is an isolate in the end.
    let does = format!(
        r#"if [ ! -e "$said.first" ]; then : > "$said.first"; exec '{PROGRAM}' "$@"; fi
if [ ! -e "$said.second" ]; then : > "$said.second"; until [ -e "$said.go" ]; do /bin/sleep 0.01; done; exit 4; fi
: > "$said.third"; until [ -e "$said.go" ]; do /bin/sleep 0.01; done; /bin/sleep 0.2; exec '{PROGRAM}' "$@""#
    );
    let (host, told) = host_with(&program_that(&folder.0, &[], &does), 1);
    assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Ready(_))));
    let _ = host.start("[]".to_owned(), 0, "return 1".to_owned());
    assert_eq!(done(&told), Ok("1".to_owned()));
    until(&|| file("second").exists());
    let _ = host.start("[]".to_owned(), 0, "return 2".to_owned());
    until(&|| file("third").exists());
    std::fs::write(file("go"), "").unwrap();
    assert_eq!(done(&told), Ok("2".to_owned()));
    close(&host, &told);
}

#[test]
fn an_isolate_that_is_shut_in_with_less_than_the_first_is_given_no_code() {
    let folder = Folder::new("less");
    std::fs::write(folder.0.join("less"), bytes(&[ToHost::Ready(NONE)])).unwrap();
    let does = format!(
        "if [ -e \"$said.again\" ]; then /bin/cat '{}'; exec /bin/cat > /dev/null; fi; : > \"$said.again\"; /bin/cat \"$said\"; head -c 1 > /dev/null",
        folder.0.join("less").display()
    );
    let (host, told) = host_with(&program_that(&folder.0, &bytes(&[ToHost::Ready(ALL)]), &does), 0);
    assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Ready(ALL))));
    let _ = host.start("[]".to_owned(), 0, "return 1".to_owned());
    assert_eq!(done(&told), Err("An isolate could not be started: it is not shut in as the first one was.".to_owned()));
    close(&host, &told);
}

#[test]
fn an_isolate_says_how_it_ended_before_it_was_ready() {
    let folder = Folder::new("early");
    let (host, told) = host(&program_that(&folder.0, &[], "exit 3"));
    let Event::Unavailable(why) = told.recv_timeout(PATIENCE).unwrap() else { panic!("it is there") };
    assert!(why.ends_with("its process ended before it was ready: it ended with 3."), "{why}");
    close(&host, &told);
}

#[test]
fn a_run_that_finds_no_process_waits_until_another_run_has_ended() {
    let folder = Folder::new("wait");
    let program = folder.0.join("program");
    std::os::unix::fs::symlink(PROGRAM, &program).unwrap();
    let (host, told) = host_with(&program, 0);
    assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Ready(_))));
    let first = host.start(r#"["a"]"#.to_owned(), 1, "return await tools.a()".to_owned());
    assert!(matches!(told.recv_timeout(PATIENCE), Ok(Event::Call { .. })));
    // The system starts nothing for a while.
    std::fs::remove_file(&program).unwrap();
    let second = host.start("[]".to_owned(), 0, "return 2".to_owned());
    std::thread::sleep(Duration::from_millis(200));
    std::os::unix::fs::symlink(PROGRAM, &program).unwrap();
    // Two runs are under way, so that nobody listens to one.
    assert!(host.answer(first, 0, true, "1".to_owned()).is_none());
    for (expected, text) in [(first, "1"), (second, "2")] {
        let Event::Done { run, result, .. } = told.recv_timeout(PATIENCE).unwrap() else { panic!("not done") };
        assert_eq!((run, result), (expected, Ok(text.to_owned())));
    }
    // With no other run under way there is nothing to wait for. The words are for a model, and tell no path.
    std::fs::remove_file(&program).unwrap();
    let _ = host.start("[]".to_owned(), 0, "return 3".to_owned());
    let error = done(&told).unwrap_err();
    assert!(error.starts_with("An isolate could not be started: ") && !error.contains('/'), "{error}");
    close(&host, &told);
}

#[test]
fn an_isolate_that_gives_a_tool_more_than_it_may_is_ended() {
    let folder = Folder::new("input");
    let input = format!("\"{}\"", "x".repeat(3 * LIMITS.input as usize));
    let said = bytes(&[ToHost::Ready(NONE), ToHost::Call { call: 0, tool: 0, input }]);
    // It says so only once it has been given code.
    let (ready, call) = said.split_at(bytes(&[ToHost::Ready(NONE)]).len());
    std::fs::write(folder.0.join("call"), call).unwrap();
    let does =
        format!("/bin/cat \"$said\"; head -c 1 > /dev/null; exec /bin/cat '{}' -", folder.0.join("call").display());
    let (host, told) = host_with(&program_that(&folder.0, ready, &does), 0);
    let _ = host.start(r#"["a"]"#.to_owned(), 1, "return 1".to_owned());
    let error = done(&told).unwrap_err();
    assert!(error.ends_with("it said what it may not."), "{error}");
    close(&host, &told);
}

#[test]
fn an_isolate_that_does_not_read_its_answers_is_ended() {
    let folder = Folder::new("unread");
    std::fs::write(folder.0.join("call"), bytes(&[ToHost::Call { call: 0, tool: 0, input: "1".to_owned() }])).unwrap();
    let does = format!(
        "/bin/cat \"$said\"; head -c 1 > /dev/null; /bin/cat '{}'; exec sleep 60",
        folder.0.join("call").display()
    );
    let (host, told) = host_with(&program_that(&folder.0, &bytes(&[ToHost::Ready(NONE)]), &does), 0);
    let run = host.start(r#"["a"]"#.to_owned(), 1, "return 1".to_owned());
    while !matches!(told.recv_timeout(PATIENCE).unwrap(), Event::Call { .. }) {}
    // More than a pipe holds and all the answers that there may be.
    let next = host.answer(run, 0, true, "x".repeat((1 << 20) + 4 * (3 * LIMITS.answer as usize + 64)));
    let Some(Event::Done { result, .. }) = next else { panic!("not done at once") };
    let error = result.unwrap_err();
    assert!(error.ends_with("it does not read what its calls are answered."), "{error}");
    close(&host, &told);
}

#[test]
fn code_that_takes_all_memory_to_be_read_is_told_and_ends_at_once() {
    let (host, told) = host(Path::new(PROGRAM));
    // The parser takes each bracket for the beginning of a function at first, and all within it again.
    let code = ["return ", &"(a=".repeat(2400), "1", &")".repeat(2400)].concat();
    let _ = host.start("[]".to_owned(), 0, code);
    let error = done(&told).unwrap_err();
    assert!(error.contains("no memory left to read the code") || error.contains("gave it no more memory"), "{error}");
    let _ = host.start("[]".to_owned(), 0, "return 1".to_owned());
    assert_eq!(done(&told), Ok("1".to_owned()));
    close(&host, &told);
}

fn anything() -> impl Strategy<Value = Vec<u8>> {
    let frame = prop_oneof![
        (any::<u32>(), any::<u32>(), ".{0,10}").prop_map(|(call, tool, input)| ToHost::Call { call, tool, input }),
        (0_u32..3, 0_u32..3, ".{0,10}").prop_map(|(call, tool, input)| ToHost::Call { call, tool, input }),
        ".{0,10}".prop_map(ToHost::Log),
        ".{0,10}".prop_map(|text| ToHost::Done(Ok(text))),
        ".{0,10}".prop_map(|text| ToHost::Done(Err(text))),
        any::<[bool; 3]>().prop_map(|[seccomp, landlock, limits]| ToHost::Ready(Sandbox { seccomp, landlock, limits })),
    ];
    (prop::collection::vec(frame, 0..5), prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(frames, rest)| {
        let mut bytes = Vec::new();
        frames.iter().for_each(|frame| frame.write(&mut bytes));
        bytes.extend(rest);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn whatever_an_isolate_says_a_run_of_its_host_ends_and_so_does_it(is_ready in any::<bool>(), said in anything()) {
        let folder = std::env::temp_dir().join(format!("toolkit-isolate-{}-{:?}", std::process::id(), std::thread::current().id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut bytes = Vec::new();
        if is_ready {
            ToHost::Ready(Sandbox::default()).write(&mut bytes);
        }
        bytes.extend(said);
        let (host, told) = host(&program_that_says(&folder, &bytes));
        let run = host.start(r#"["a"]"#.to_owned(), 1, "return 1".to_owned());
        std::thread::sleep(Duration::from_millis(20));
        let events = close(&host, &told);
        std::fs::remove_dir_all(&folder).unwrap();
        // Its run ends once, and before that calls no tool that it does not have, each call once and in turn.
        let mut calls = 0;
        let mut ends = 0;
        for event in events {
            match event {
                Event::Call { run: of, call, tool, .. } => {
                    prop_assert_eq!((of, call, tool, ends), (run, calls, 0, 0));
                    calls += 1;
                }
                Event::Done { run: of, .. } => {
                    prop_assert_eq!(of, run);
                    ends += 1;
                }
                Event::Ready(_) | Event::Unavailable(_) => {}
                Event::Closed => prop_assert!(false, "closed twice"),
            }
        }
        prop_assert_eq!(ends, 1);
        prop_assert!(calls <= LIMITS.concurrent);
    }
}
