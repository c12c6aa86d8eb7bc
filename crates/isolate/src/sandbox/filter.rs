//! The calls that an isolate may make of the system, as a program of the kernel's packet filter. A call that is not listed
//! ends the process: code that makes one has got out of the engine.

use libc::c_long;

/// What is asked of a call's arguments.
#[derive(Clone, Copy)]
enum Rule {
    Allowed,
    /// Memory that can be executed is not to be had.
    WithoutExecution,
    /// Only of this process itself, which `abort` needs.
    OfItself,
    /// Answered with an error: libraries ask, and go on without.
    Refused,
}

#[rustfmt::skip]
const CALLS: &[(c_long, Rule)] = &[
    (libc::SYS_read, Rule::Allowed),
    (libc::SYS_write, Rule::Allowed),
    (libc::SYS_clock_gettime, Rule::Allowed),
    (libc::SYS_futex, Rule::Allowed),
    (libc::SYS_brk, Rule::Allowed),
    (libc::SYS_mmap, Rule::WithoutExecution),
    (libc::SYS_mprotect, Rule::WithoutExecution),
    (libc::SYS_munmap, Rule::Allowed),
    (libc::SYS_mremap, Rule::Allowed),
    (libc::SYS_madvise, Rule::Allowed),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_poll, Rule::Allowed),
    (libc::SYS_ppoll, Rule::Allowed),
    (libc::SYS_exit_group, Rule::Allowed),
    (libc::SYS_exit, Rule::Allowed),
    (libc::SYS_gettimeofday, Rule::Allowed),
    (libc::SYS_getrandom, Rule::Allowed),
    (libc::SYS_sched_yield, Rule::Allowed),
    (libc::SYS_sched_getaffinity, Rule::Allowed),
    (libc::SYS_restart_syscall, Rule::Allowed),
    (libc::SYS_rt_sigreturn, Rule::Allowed),
    (libc::SYS_rt_sigprocmask, Rule::Allowed),
    (libc::SYS_rt_sigaction, Rule::Allowed),
    (libc::SYS_sigaltstack, Rule::Allowed),
    (libc::SYS_getpid, Rule::Allowed),
    (libc::SYS_gettid, Rule::Allowed),
    (libc::SYS_tgkill, Rule::OfItself),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Rule::Refused),
    (libc::SYS_openat, Rule::Refused),
    (libc::SYS_newfstatat, Rule::Refused),
    (libc::SYS_fstat, Rule::Refused),
    (libc::SYS_ioctl, Rule::Refused),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, Rule::Refused),
    (libc::SYS_readlinkat, Rule::Refused),
    (libc::SYS_getcwd, Rule::Refused),
    (libc::SYS_prctl, Rule::Refused),
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// From here on calls are those of another convention of the same processor, which has them all a second time.
#[cfg(target_arch = "x86_64")]
const OTHER_CONVENTION: u32 = 0x4000_0000;

/// Where `struct seccomp_data` has the number of the call, the architecture, and the low halves of the arguments.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const fn argument(at: u32) -> u32 {
    16 + 8 * at
}

type Step = libc::sock_filter;

const fn load(from: u32) -> Step {
    Step { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: from }
}

const fn end(action: u32) -> Step {
    Step { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: action }
}

/// Passes so many steps where it holds, and so many where it does not.
const fn jump(test: u32, value: u32, holds: u8, does_not: u8) -> Step {
    Step { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt: holds, jf: does_not, k: value }
}

const KILL: Step = end(libc::SECCOMP_RET_KILL_PROCESS);
const ALLOW: Step = end(libc::SECCOMP_RET_ALLOW);
const REFUSE: Step = end(libc::SECCOMP_RET_ERRNO | libc::EACCES as u32);

fn program() -> Option<Vec<Step>> {
    let mut steps = vec![load(ARCH), jump(libc::BPF_JEQ, ARCHITECTURE, 1, 0), KILL, load(NUMBER)];
    #[cfg(target_arch = "x86_64")]
    steps.extend([jump(libc::BPF_JGE, OTHER_CONVENTION, 0, 1), KILL]);
    for (call, rule) in CALLS {
        let rest: &[Step] = match rule {
            Rule::Allowed => &[ALLOW],
            Rule::Refused => &[REFUSE],
            // Of `mmap` and `mprotect` the third argument says what may be done with the memory.
            Rule::WithoutExecution => {
                &[load(argument(2)), jump(libc::BPF_JSET, libc::PROT_EXEC as u32, 1, 0), ALLOW, KILL]
            }
            Rule::OfItself => &[load(argument(0)), jump(libc::BPF_JEQ, std::process::id(), 0, 1), ALLOW, KILL],
        };
        steps.push(jump(libc::BPF_JEQ, u32::try_from(*call).ok()?, 0, u8::try_from(rest.len()).ok()?));
        steps.extend_from_slice(rest);
    }
    steps.push(KILL);
    Some(steps)
}

/// Puts the filter over all threads of this process.
pub(super) fn install() -> bool {
    let Some(mut steps) = program() else { return false };
    let Ok(len) = u16::try_from(steps.len()) else { return false };
    let program = libc::sock_fprog { len, filter: steps.as_mut_ptr() };
    // SAFETY: `program` names `len` steps, which the call reads.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_TSYNC,
            &raw const program,
        ) == 0
    }
}
