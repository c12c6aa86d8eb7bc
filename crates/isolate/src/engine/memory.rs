//! The engine's heap, which knows how much it may hold and whether it had to refuse something: an engine that is out of
//! memory cannot always say so.
#![allow(unsafe_code, reason = "the functions of libc that the engine's heap is made of")]

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Mutex;

use rquickjs::allocator::Allocator;

/// What a heap holds, and may hold, in bytes.
#[derive(Debug)]
pub(super) struct Memory {
    most: usize,
    used: Cell<usize>,
    refused: Cell<bool>,
}

impl Memory {
    pub(super) fn new(most: u64) -> Rc<Self> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Rc::new(Self { most, used: Cell::new(0), refused: Cell::new(false) })
    }

    /// Whether there was not enough.
    pub(super) fn has_refused(&self) -> bool {
        self.refused.get()
    }

    fn has_room(&self, size: usize) -> bool {
        let has_room = self.used.get().saturating_add(size) <= self.most;
        if !has_room {
            self.refused.set(true);
        }
        has_room
    }

    /// Counts an allocation; one that failed is refused, too.
    fn count(&self, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            self.refused.set(true);
        } else {
            self.used.set(self.used.get() + usable(block));
        }
        block
    }
}

fn usable(block: *mut u8) -> usize {
    // SAFETY: `block` is null, of which there are no bytes, or one that `malloc` and its like have given and that is not freed.
    unsafe { libc::malloc_usable_size(block.cast()) }
}

/// The sizes of what the engine divides into small blocks itself, which is most of what it asks for.
const PIECE: RangeInclusive<usize> = 3500..=4096;

/// Pieces of engines that are gone, for those to come: what goes back to the system has to be given by it anew, page by page.
static SPARE: Mutex<Vec<Piece>> = Mutex::new(Vec::new());

/// As many are kept: what three engines begin with, in a megabyte.
const MOST_SPARE: usize = 256;

/// A block of the largest size of a piece that nobody has.
struct Piece(*mut u8);

// SAFETY: nobody else has the block.
unsafe impl Send for Piece {}

impl Piece {
    /// One that is kept, or a new one, or null. Nobody waits for what is kept.
    fn take() -> *mut u8 {
        let kept = SPARE.try_lock().ok().and_then(|mut spare| spare.pop());
        // SAFETY: any size may be asked for.
        kept.map_or_else(|| unsafe { libc::malloc(*PIECE.end()) }.cast(), |piece| piece.0)
    }

    /// Whether a block that is freed has been kept, which may be one that was asked for at about the same size.
    fn keep(block: *mut u8) -> bool {
        if !(*PIECE.end()..*PIECE.end() + 16).contains(&usable(block)) {
            return false;
        }
        let Ok(mut spare) = SPARE.try_lock() else { return false };
        let has_room = spare.len() < MOST_SPARE;
        if has_room {
            spare.push(Self(block));
        }
        has_room
    }
}

pub(super) struct Heap(pub(super) Rc<Memory>);

// SAFETY: `malloc` and its like give null or a block of the size, aligned for anything; `usable` asks them for its size.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.0.has_room(size) {
            return std::ptr::null_mut();
        }
        if PIECE.contains(&size) {
            return self.0.count(Piece::take());
        }
        // SAFETY: any size may be asked for.
        self.0.count(unsafe { libc::malloc(size) }.cast())
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if !self.0.has_room(count.saturating_mul(size)) {
            return std::ptr::null_mut();
        }
        // SAFETY: any size may be asked for; one that overflows gives null.
        self.0.count(unsafe { libc::calloc(count, size) }.cast())
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        self.0.used.set(self.0.used.get().saturating_sub(usable(block)));
        if !Piece::keep(block) {
            // SAFETY: the caller frees what this heap gave, once.
            unsafe { libc::free(block.cast()) }
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, size: usize) -> *mut u8 {
        if size == 0 {
            // SAFETY: as here. The system's own frees then, and gives null, which is no refusal.
            unsafe { self.dealloc(block) };
            return std::ptr::null_mut();
        }
        let before = usable(block);
        if !self.0.has_room(size.saturating_sub(before)) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller gives what this heap gave, and uses it no longer where another block comes back.
        let moved: *mut u8 = unsafe { libc::realloc(block.cast(), size) }.cast();
        if moved.is_null() {
            self.0.refused.set(true);
            return moved;
        }
        self.0.used.set(self.0.used.get().saturating_sub(before));
        self.0.count(moved)
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        usable(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_one_of_any_size_and_counts_as_what_it_is() {
        let memory = Memory::new(1 << 20);
        let mut heap = Heap(memory.clone());
        for size in [100, *PIECE.start() - 1, *PIECE.start(), *PIECE.end(), *PIECE.end() + 100] {
            let block = heap.alloc(size);
            let most = usable(block);
            assert!(most >= if PIECE.contains(&size) { *PIECE.end() } else { size });
            assert_eq!(memory.used.get(), most);
            // SAFETY: a block of this heap of that many bytes, freed once.
            unsafe {
                block.write_bytes(1, size);
                heap.dealloc(block);
            }
            assert_eq!(memory.used.get(), 0);
        }
        assert!(SPARE.lock().unwrap().len() <= MOST_SPARE);
        let small = heap.alloc(100);
        assert!(!Piece::keep(small) && !Piece::keep(std::ptr::null_mut()));
        // SAFETY: as here; it has not been kept.
        unsafe { heap.dealloc(small) }
    }

    #[test]
    fn a_block_that_is_made_nothing_of_is_freed_and_leaves_a_refusal_known() {
        let memory = Memory::new(1024);
        let mut heap = Heap(memory.clone());
        let block = heap.alloc(100);
        // SAFETY: blocks of this heap, each used until another stands in its place.
        unsafe {
            assert!(heap.realloc(block, 0).is_null());
            assert_eq!((memory.used.get(), memory.has_refused()), (0, false));
            let block = heap.alloc(100);
            assert!(heap.realloc(block, 10_000).is_null() && memory.has_refused());
            assert!(heap.realloc(block, 0).is_null());
        }
        assert_eq!((memory.used.get(), memory.has_refused()), (0, true));
    }
}
