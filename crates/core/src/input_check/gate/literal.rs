//! Single values, and whether they keep the bounds that stand beside them: one that does not leaves nothing, and what is
//! nothing is not looked into any further.

use super::super::multiple::is_multiple;
use super::super::view::{Object, Value};
use super::shape::kinds;

/// A value of `const` or `enum`, but for null.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Literal<'a> {
    Text(&'a str),
    Number(f64),
    Boolean(bool),
}

impl Literal<'_> {
    pub(super) fn kind(self) -> u8 {
        match self {
            Self::Text(_) => kinds::TEXT,
            Self::Number(_) => kinds::NUMBER,
            Self::Boolean(_) => kinds::BOOLEAN,
        }
    }
}

/// The schema whose bounds a text or number has to keep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub(super) schema: Object<'a>,
    pub(super) whole: bool,
}

impl Bounds<'_> {
    fn bound(&self, keyword: &str) -> Option<f64> {
        self.schema.get(keyword).and_then(Value::as_number)
    }

    pub(super) fn keeps_text(&self, text: &str) -> bool {
        let length = || {
            // No text is longer than what a float tells apart.
            #[allow(clippy::cast_precision_loss)]
            let length = text.chars().count() as f64;
            length
        };
        self.bound("minLength").is_none_or(|least| length() >= least.floor())
            && self.bound("maxLength").is_none_or(|most| length() <= most.floor().max(0.0))
    }

    pub(super) fn keeps_number(&self, number: f64) -> bool {
        const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
        let is_whole = || number.fract() == 0.0 && number.abs() <= MAX_SAFE;
        (!self.whole || is_whole())
            && self.bound("minimum").is_none_or(|least| number >= least)
            && self.bound("maximum").is_none_or(|most| number <= most)
            && self.bound("exclusiveMinimum").is_none_or(|least| number > least)
            && self.bound("exclusiveMaximum").is_none_or(|most| number < most)
            && self.bound("multipleOf").is_none_or(|divisor| is_multiple(number, divisor).0)
    }
}
