//! Being awake a little while for what usually comes at once.
//!
//! A thread that sleeps is woken in some tens of microseconds, which is more than most tools take to answer code, and code to
//! go on with an answer. So whoever waits for such a thing looks for it about as long as a wake would take, and sleeps then:
//! at the worst that is twice the wait, and processor time that the wake would have taken as well. Where it keeps coming later
//! nobody is awake for it: each look in vain doubles the waits until the next one.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long anyone is awake for one thing.
const MOST: Duration = Duration::from_micros(50);

/// How often it was worth it.
#[derive(Debug, Default)]
pub struct Patience {
    /// Waits that are slept through before the next one that is not, and how many of them are left.
    asleep: Cell<u32>,
    left: Cell<u32>,
}

impl Patience {
    /// Whether the next wait is one to look in. To be asked once a wait.
    pub fn looks(&self) -> bool {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.unwrap_or_default());
        left.is_none()
    }

    /// Looks for something until it is there or it was long enough, and no longer than until then.
    pub fn look<A>(&self, until: Option<Instant>, mut look: impl FnMut() -> Option<A>) -> Option<A> {
        let most = Instant::now() + MOST;
        let until = until.map_or(most, |until| until.min(most));
        loop {
            let found = look();
            if found.is_some() {
                // Not forgotten at once, so that what comes now and then is looked for now and then.
                self.asleep.set(self.asleep.get() / 2);
                return found;
            }
            if Instant::now() >= until {
                self.asleep.set(self.asleep.get().saturating_mul(2).saturating_add(1));
                self.left.set(self.asleep.get());
                return None;
            }
            // Whoever is waited for may need this very processor.
            std::thread::yield_now();
        }
    }
}

/// Of the processor time that a wait took, what is not the waiting code's own.
#[must_use]
pub(crate) fn of_a_wait(used: Duration) -> Duration {
    used.min(MOST)
}

/// Whether an answer that came so long after its call may have been looked for until it was there.
#[must_use]
pub(crate) fn is_quick(answered: Duration) -> bool {
    answered <= Duration::from_millis(1)
}

/// The most of it that a run may have come to that has heard so many quick answers. Looks in vain are as many as the others and
/// the doublings that a count of waits has room for.
#[must_use]
pub(crate) fn of_answers(count: u32) -> Duration {
    MOST * count.saturating_mul(2).saturating_add(u32::BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_at_once_is_looked_for_each_time() {
        let patience = Patience::default();
        for _ in 0..100 {
            assert!(patience.looks());
            let mut left = 3_u32;
            let found = patience.look(None, || {
                left -= 1;
                (left == 0).then_some(left)
            });
            // A look that the system held up is in vain, and no fault of this.
            if found.is_none() {
                return;
            }
        }
        assert_eq!((patience.asleep.get(), patience.left.get()), (0, 0));
    }

    #[test]
    fn what_comes_late_is_looked_for_less_and_less_and_never_longer_than_a_while() {
        let patience = Patience::default();
        let mut looks = Vec::new();
        for wait in 0..1000 {
            if patience.looks() {
                assert_eq!(patience.look(None, || None::<()>), None);
                looks.push(wait);
            }
        }
        assert_eq!(looks, [0, 2, 6, 14, 30, 62, 126, 254, 510]);
        // What comes again is believed again.
        patience.left.set(0);
        for _ in 0..20 {
            assert_eq!(patience.look(None, || Some(1)), Some(1));
        }
        assert_eq!(patience.asleep.get(), 0);
    }

    #[test]
    fn nothing_is_looked_for_past_its_time_but_once() {
        let patience = Patience::default();
        let mut looks = 0;
        let found = patience.look(Some(Instant::now()), || {
            looks += 1;
            None::<()>
        });
        assert_eq!((found, looks), (None, 1));
    }
}
