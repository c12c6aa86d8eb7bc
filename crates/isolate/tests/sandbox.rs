//! What is left to a process that has shut itself in: this program starts itself anew for each thing that it then tries.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use toolkit_isolate::limits::Limits;
use toolkit_isolate::sandbox;

const LIMITS: Limits = Limits {
    memory: 64 << 20,
    stack: 512 << 10,
    cpu: 1_000,
    wall: 10_000,
    calls: 1,
    concurrent: 1,
    source: 1_000,
    log: 1_000,
    input: 1_000,
    answer: 1_000,
    result: 1_000,
};

/// A thing to try, by its name.
type Try = (&'static str, fn() -> bool);

/// What is tried; it says how it went by ending with 0 when it got what it wanted and 1 when it was refused.
const TRIES: &[Try] = &[
    ("to read a file", || std::fs::read("/etc/passwd").is_ok()),
    ("to write a file", || std::fs::write("/tmp/toolkit-isolate-test", "x").is_ok()),
    ("to list a folder", || std::fs::read_dir("/").is_ok()),
    ("to see a file", || std::fs::metadata("/etc/passwd").is_ok()),
    ("to connect", || std::net::TcpStream::connect("127.0.0.1:9").is_ok()),
    ("to listen", || std::net::TcpListener::bind("127.0.0.1:0").is_ok()),
    ("to open a socket of this machine", || std::os::unix::net::UnixStream::pair().is_ok()),
    ("to start a program", || Command::new("/bin/true").status().is_ok()),
    ("to fork", || unsafe { libc::fork() } >= 0),
    ("to begin a thread", || std::thread::Builder::new().spawn(|| {}).is_ok_and(|thread| thread.join().is_ok())),
    ("to run another program in its place", || unsafe {
        libc::execve(c"/bin/true".as_ptr(), [std::ptr::null()].as_ptr(), [std::ptr::null()].as_ptr()) == 0
    }),
    ("to signal its parent", || unsafe { libc::kill(libc::getppid(), 0) == 0 }),
    ("to have memory that can be executed", || executable_memory()),
    ("to make memory executable", || unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_EXEC) == 0
    }),
    ("to look into a process", || unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) == 0 }),
    ("to raise a limit", || unsafe {
        let limit = libc::rlimit { rlim_cur: 100, rlim_max: 100 };
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) == 0
    }),
    ("to make a pipe", || unsafe { libc::pipe([0, 0].as_mut_ptr()) == 0 }),
    ("to have a second copy of a pipe", || unsafe { libc::dup(0) >= 0 }),
    ("to call as another kind of program does", || unsafe { libc::syscall(0x4000_0000 + libc::SYS_getpid) > 0 }),
    ("to use io_uring", || unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, [0_u8; 256].as_mut_ptr()) >= 0 }),
    ("to have a terminal", || unsafe { libc::ioctl(0, libc::TIOCSTI, [0_u8].as_ptr()) == 0 }),
];

/// The kernel's version of landlock, less than 1 where it has none.
fn landlock() -> libc::c_long {
    const ASK_VERSION: u32 = 1;
    // SAFETY: without a ruleset the call gives a number.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, ASK_VERSION) }
}

fn executable_memory() -> bool {
    let wanted = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: new memory, which nothing else has.
    unsafe {
        libc::mmap(std::ptr::null_mut(), 4096, wanted, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
            != libc::MAP_FAILED
    }
}

const ASKED: &str = "TOOLKIT_ISOLATE_TRY";

/// Tries one thing, in a process of its own that has shut itself in.
#[test]
fn a_process_that_is_shut_in_tries_one_thing() {
    let Ok(asked) = std::env::var(ASKED) else { return };
    let attempt = TRIES.iter().find(|(name, _)| *name == asked).map(|(_, attempt)| attempt);
    let version = landlock();
    let mut shut = sandbox::give_up(&LIMITS, 64 << 20);
    sandbox::give_up_calls(&mut shut);
    if !(shut.seccomp && shut.limits) {
        std::process::exit(9);
    }
    // Whatever the kernel has is on.
    if shut.landlock != (version >= 1) {
        std::process::exit(10);
    }
    match attempt {
        Some(attempt) => std::process::exit(if attempt() { 0 } else { 1 }),
        None => std::process::exit(match asked.as_str() {
            // What is left works.
            "nothing" => i32::from(std::hint::black_box(vec![1_u8; 10 << 20]).iter().all(|byte| *byte == 1)) + 40,
            _ => 8,
        }),
    }
}

/// Does one thing before the system's calls are gone, in a process of its own.
#[test]
fn a_process_does_one_thing() {
    match std::env::var(ASKED).as_deref() {
        Ok("what landlock refuses") => {
            let version = landlock();
            let shut = sandbox::give_up(&LIMITS, 64 << 20);
            // There are to be no more than three descriptors, so one makes room.
            // SAFETY: standard error is not used any more.
            unsafe { libc::close(2) };
            let is_refused = |error: std::io::Error| error.raw_os_error() == Some(libc::EACCES);
            let is_file_refused = std::fs::read("/etc/passwd").is_err_and(is_refused);
            let is_port_refused = std::net::TcpStream::connect("127.0.0.1:9").is_err_and(is_refused);
            std::process::exit(match version {
                ..1 => i32::from(shut.landlock),
                1..4 => i32::from(!(shut.landlock && is_file_refused)),
                4.. => i32::from(!(shut.landlock && is_file_refused && is_port_refused)),
            });
        }
        Ok("lower limits") => {
            let lower = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
            let mut after = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: limits that the calls read and write.
            unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const lower) };
            let shut = sandbox::give_up(&LIMITS, 64 << 20);
            // SAFETY: as above.
            unsafe { libc::getrlimit(libc::RLIMIT_CPU, &raw mut after) };
            std::process::exit(i32::from(!(shut.limits && after.rlim_max == 1)));
        }
        Ok("a mistake") => {
            sandbox::end_when_broken();
            let _ = std::thread::spawn(|| panic!("broken")).join();
            std::process::exit(0);
        }
        _ => {}
    }
}

#[test]
fn landlock_alone_refuses_files_and_ports() {
    assert_eq!(ended_in("a_process_does_one_thing", "what landlock refuses").code(), Some(0));
}

#[test]
fn a_limit_that_is_lower_already_stays_and_is_one() {
    assert_eq!(ended_in("a_process_does_one_thing", "lower limits").code(), Some(0));
}

#[test]
fn a_panic_in_any_thread_ends_the_process() {
    assert_eq!(ended_in("a_process_does_one_thing", "a mistake").code(), Some(sandbox::BROKEN));
}

#[test]
fn a_process_is_shut_in_with_less_where_it_lacks_one_part() {
    let all = sandbox::Sandbox { seccomp: true, landlock: true, limits: true };
    for less in [
        sandbox::Sandbox { seccomp: false, ..all },
        sandbox::Sandbox { landlock: false, ..all },
        sandbox::Sandbox { limits: false, ..all },
    ] {
        assert!(!less.has_all_of(all) && all.has_all_of(less) && less.has_all_of(less));
    }
}

fn ended(asked: &str) -> std::process::ExitStatus {
    ended_in("a_process_that_is_shut_in_tries_one_thing", asked)
}

fn ended_in(test: &str, asked: &str) -> std::process::ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(ASKED, asked)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

#[test]
fn r_000_310_a_process_that_is_shut_in_reaches_nothing() {
    // A system without seccomp refuses none of it, and a runtime says so; these are held where there is one.
    let status = ended("nothing");
    if status.code() == Some(9) {
        return;
    }
    assert_eq!(status.code(), Some(41), "{status}");
    for (name, _) in TRIES {
        let status = ended(name);
        assert!(status.signal() == Some(libc::SIGSYS) || status.code() == Some(1), "{name}: {status}");
    }
}
