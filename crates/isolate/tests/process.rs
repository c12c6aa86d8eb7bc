//! The executable of an isolate, and what its host makes of one that has been taken over.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

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
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let sink = Arc::new(move |event| {
        let _ = tell.lock().unwrap().send(event);
    });
    (Host::open(Options { limits: LIMITS, program: Some(program.to_owned()), warm: 1 }, sink).unwrap(), told)
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
    host.answer(run, call, true, "2".to_owned());
    let Event::Done { result, logs, .. } = told.recv_timeout(PATIENCE).unwrap() else { panic!("not done") };
    assert_eq!((result, logs), (Ok("2".to_owned()), vec!["x".to_owned()]));
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
    let (said, program) = (folder.join("said"), folder.join("program"));
    std::fs::write(&said, bytes).unwrap();
    std::fs::write(&program, format!("#!/bin/sh\nexec /bin/cat '{}' - >&1\n", said.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn anything() -> impl Strategy<Value = Vec<u8>> {
    let frame =
        prop_oneof![
            (any::<u32>(), any::<u32>(), ".{0,10}").prop_map(|(call, tool, input)| ToHost::Call { call, tool, input }),
            (0_u32..3, 0_u32..3, ".{0,10}").prop_map(|(call, tool, input)| ToHost::Call { call, tool, input }),
            ".{0,10}".prop_map(ToHost::Log),
            ".{0,10}".prop_map(|text| ToHost::Done(Ok(text))),
            ".{0,10}".prop_map(|text| ToHost::Done(Err(text))),
            any::<[bool; 3]>().prop_map(|[seccomp, landlock, limits]| ToHost::Ready(
                toolkit_isolate::sandbox::Sandbox { seccomp, landlock, limits }
            )),
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
            ToHost::Ready(toolkit_isolate::sandbox::Sandbox::default()).write(&mut bytes);
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
