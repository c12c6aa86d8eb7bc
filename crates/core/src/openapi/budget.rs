//! What the operations of one document may come to: many times what large documents have. A small document can say the same
//! large thing of thousands of operations by reference, and each of them would have it anew, in time and in memory.

use super::skip::{Reason, SkipCode};

/// How many parameters and fields of forms they may have together. Each becomes an object of JavaScript.
const MOST_PARAMETERS: usize = 1 << 20;

/// How many bytes they may have at most, or of a large document how many for each byte of it.
const MOST_BYTES: usize = 64 << 20;
const MOST_BYTES_OF_A_BYTE: usize = 8;

/// The longest name of an operation or a parameter in bytes: names are compared and written again and again.
pub(super) const LONGEST_NAME: usize = 4 << 10;

/// How many bytes the operations of a document may have of one kind.
pub(super) fn most_bytes(document: &str) -> usize {
    MOST_BYTES.max(document.len().saturating_mul(MOST_BYTES_OF_A_BYTE))
}

/// What is left of it.
#[derive(Debug)]
pub(super) struct Budget {
    parameters: usize,
    /// Of what is written for each operation: its description, or that it was left out.
    bytes: usize,
}

impl Budget {
    pub(super) fn of(document: &str) -> Self {
        Self { parameters: MOST_PARAMETERS, bytes: most_bytes(document) }
    }

    /// Takes so many parameters, or says that there are none left.
    pub(super) fn take_parameters(&mut self, count: usize) -> Result<(), Reason> {
        match self.parameters.checked_sub(count) {
            Some(left) => self.parameters = left,
            None => {
                let text = format!("it and the operations before it have more than {MOST_PARAMETERS} parameters");
                return Err(Reason::new(SkipCode::Malformed, text));
            }
        }
        Ok(())
    }

    /// Takes so many bytes. False when there are none left, from then on.
    pub(super) fn take_bytes(&mut self, count: usize) -> bool {
        self.bytes = self.bytes.saturating_sub(count);
        self.has_bytes()
    }

    pub(super) fn has_bytes(&self) -> bool {
        self.bytes > 0
    }
}
