//! Compiled checks of the process, found by what their schema's text hashes to.
//!
//! Rule: the least recently used go first once the bytes that their programs take pass the bound. A text that several threads ask for
//! at once is compiled once, outside the lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use sha2::{Digest, Sha256};

use super::{InputCheck, Mode};

/// Most bytes that the kept checks may take.
const MAX_BYTES: usize = 64 << 20;

/// What an entry takes whatever its text.
const BYTES_PER_ENTRY: usize = 256;

type Key = [u8; 16];
type Slot = Arc<OnceLock<Arc<InputCheck>>>;

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(|| Mutex::new(Cache::new(MAX_BYTES)));

/// The check of this text in this mode, compiled at most once while it is kept.
pub(super) fn get_or_compile(schema_text: &str, mode: Mode, compile: impl FnOnce() -> InputCheck) -> Arc<InputCheck> {
    let key = key(schema_text, mode);
    let slot = lock().slot(key);
    let mut compiled_bytes = None;
    let check = slot.get_or_init(|| {
        let check = compile();
        compiled_bytes = Some(check.bytes());
        Arc::new(check)
    });
    if let Some(bytes) = compiled_bytes {
        lock().weigh(key, bytes);
    }
    Arc::clone(check)
}

fn lock() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(text: &str, mode: Mode) -> Key {
    let digest = Sha256::new().chain_update([mode as u8]).chain_update(text.as_bytes()).finalize();
    let mut key = Key::default();
    key.copy_from_slice(&digest[..16]);
    key
}

struct Entry {
    slot: Slot,
    bytes: usize,
    used: u64,
}

struct Cache {
    entries: HashMap<Key, Entry>,
    /// Keys by when they were last used, oldest first.
    order: BTreeMap<u64, Key>,
    bytes: usize,
    max_bytes: usize,
    clock: u64,
}

impl Cache {
    fn new(max_bytes: usize) -> Self {
        Cache { entries: HashMap::new(), order: BTreeMap::new(), bytes: 0, max_bytes, clock: 0 }
    }

    fn slot(&mut self, key: Key) -> Slot {
        self.clock += 1;
        let now = self.clock;
        if let Some(entry) = self.entries.get_mut(&key) {
            self.order.remove(&entry.used);
            entry.used = now;
            self.order.insert(now, key);
            return Arc::clone(&entry.slot);
        }
        let slot = Slot::default();
        self.order.insert(now, key);
        self.entries.insert(key, Entry { slot: Arc::clone(&slot), bytes: BYTES_PER_ENTRY, used: now });
        self.bytes += BYTES_PER_ENTRY;
        self.make_room();
        slot
    }

    /// Notes what a check takes that was compiled.
    fn weigh(&mut self, key: Key, bytes: usize) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.bytes += bytes;
            self.bytes += bytes;
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        while self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            if let Some(gone) = self.entries.remove(&oldest) {
                self.bytes -= gone.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_used_last_within_its_bytes() {
        let one = 100 + BYTES_PER_ENTRY;
        let mut cache = Cache::new(one * 2);
        let keys = ["a", "b", "c"].map(|text| key(text, Mode::Full));
        let mut slot = |at: usize| {
            let slot = cache.slot(keys[at]);
            if slot.get().is_none() {
                slot.get_or_init(|| Arc::new(InputCheck { program: None }));
                cache.weigh(keys[at], 100);
            }
            slot
        };
        let first = slot(0);
        slot(1);
        assert!(Arc::ptr_eq(&first, &slot(0)));
        slot(2);
        assert!(cache.entries.contains_key(&keys[0]));
        assert!(!cache.entries.contains_key(&keys[1]));
        assert_eq!((cache.bytes, cache.order.len()), (one * 2, 2));
    }

    #[test]
    fn gives_the_same_check_for_the_same_text_and_mode() {
        let text = r#"{"title":"gives_the_same_check_for_the_same_text_and_mode"}"#;
        let compile = |mode| InputCheck::compile(text, mode);
        assert!(Arc::ptr_eq(&compile(Mode::Full), &compile(Mode::Full)));
        assert!(!Arc::ptr_eq(&compile(Mode::Full), &compile(Mode::Compatible)));
    }

    #[test]
    fn tells_the_bytes_of_a_check_once() {
        let text = r#"{"title":"tells_the_bytes_of_a_check_once"}"#;
        let check = InputCheck::compile(text, Mode::Full);
        assert!(InputCheck::bytes_held(&check) > 0);
        let other = InputCheck::compile(text, Mode::Full);
        assert_eq!(InputCheck::bytes_held(&other), 0);
        let nothing = InputCheck::compile(r##"{"$ref":"#/tells_the_bytes_of_a_check_once"}"##, Mode::Full);
        assert_eq!((nothing.object_only(), InputCheck::bytes_held(&nothing)), (true, 0));
    }
}
