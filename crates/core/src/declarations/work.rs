//! How much is done: counted, and not timed, so that what is too much is the same on every machine.

/// Steps that may be taken. One is what it takes to copy a few characters; reading a schema is many.
#[derive(Debug)]
pub(super) struct Work {
    most: usize,
    spent: usize,
}

impl Work {
    pub(super) fn of_at_most(most: usize) -> Self {
        Self { most, spent: 0 }
    }

    pub(super) fn spend(&mut self, steps: usize) {
        self.spent = self.spent.saturating_add(steps);
    }

    pub(super) fn spent(&self) -> usize {
        self.spent
    }

    /// Whether more was done than may be.
    pub(super) fn is_out(&self) -> bool {
        self.spent > self.most
    }
}
