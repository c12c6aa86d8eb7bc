//! Landlock without a single rule: no path may be opened, no port bound or connected to, and from its sixth version on no
//! process outside signalled.

/// What the ruleset handles, which is denied unless a rule allows it. As long as the kernel's version knows it.
#[repr(C)]
struct Ruleset {
    files: u64,
    ports: u64,
    scoped: u64,
}

/// Asks which version of landlock there is (`LANDLOCK_CREATE_RULESET_VERSION`).
const ASK_VERSION: u32 = 1;

/// Shuts this thread in, and those that it starts later.
pub(super) fn shut() -> bool {
    // SAFETY: without a ruleset the call gives the version, or an error where there is none.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<Ruleset>(), 0_usize, ASK_VERSION) };
    let Some((ruleset, size)) = ruleset(version) else { return false };
    // SAFETY: `ruleset` has `size` bytes or more, which the call reads.
    let created = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const ruleset, size, 0_u32) };
    let Ok(file) = libc::c_int::try_from(created) else { return false };
    if file < 0 {
        return false;
    }
    // SAFETY: `file` is the ruleset's, and is closed once, after its use.
    unsafe {
        let is_shut = libc::syscall(libc::SYS_landlock_restrict_self, file, 0_u32) == 0;
        libc::close(file);
        is_shut
    }
}

/// All that a version can deny, and how many bytes it says it in.
fn ruleset(version: libc::c_long) -> Option<(Ruleset, usize)> {
    let files = match version {
        ..1 => return None,
        1 => 13,
        2 => 14,
        3 | 4 => 15,
        5.. => 16,
    };
    let size = match version {
        ..4 => 8,
        4 | 5 => 16,
        6.. => 24,
    };
    Some((Ruleset { files: (1 << files) - 1, ports: 0b11, scoped: 0b11 }, size))
}
