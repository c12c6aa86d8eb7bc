//! Runs deep work where there is room for it.
//!
//! Rule: worker threads may have small stacks (musl, Windows, Node's workers), so work of more levels than a small
//! stack surely holds runs on a thread of its own, as large as the levels ask for. Levels are bounded before, so the
//! size is too; the pages are only reserved until they are touched.

use std::thread;

/// What runs on the caller's stack: less than what V8 leaves of a worker's when JavaScript has used its own share up.
const INLINE_BYTES: usize = 96 << 10;

/// Most that a thread is given. Deeper work is not done.
const MAX_BYTES: usize = 256 << 20;

/// Room that any work has besides its levels.
const BASE_BYTES: usize = 256 << 10;

/// Runs the work with room for so many levels of recursion of so many bytes. None: there is no room to be had.
pub(crate) fn with_room<T: Send>(levels: usize, bytes_per_level: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    let bytes = levels.saturating_mul(bytes_per_level);
    if bytes <= INLINE_BYTES {
        return Some(work());
    }
    if bytes > MAX_BYTES {
        return None;
    }
    thread::scope(|scope| {
        let deep = thread::Builder::new().stack_size(BASE_BYTES + bytes).spawn_scoped(scope, work).ok()?;
        deep.join().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_deep_work_a_larger_stack_and_says_when_it_cannot() {
        fn descend(levels: usize) -> usize {
            let filler = std::hint::black_box([levels; 64]);
            if levels == 0 { 0 } else { descend(levels - 1) + filler[0] / levels }
        }
        assert_eq!(with_room(20_000, 2048, || descend(20_000)), Some(20_000));
        assert_eq!(with_room(usize::MAX, 1024, || ()), None);
    }
}
