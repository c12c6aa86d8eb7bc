//! Whether a number is a multiple of another, as Effect has it: fractions count as they are written in decimal.

/// Steps of exact division that count as one.
const POWERS_A_STEP: u64 = 4;

/// What writing two numbers in decimal takes, in steps.
const WRITING: u64 = 8;

/// Whether a number is a multiple, and the steps that took. A whole number is what it is exactly, and not as it is written.
pub(super) fn is_multiple(number: f64, divisor: f64) -> (bool, u64) {
    if divisor.fract() == 0.0 {
        return (divisor != 0.0 && number % divisor == 0.0, 0);
    }
    let (divisor, divisor_power) = decimal(divisor);
    if number.fract() == 0.0 {
        let (whole, doublings) = binary(number);
        let tens = divisor_power.unsigned_abs();
        let doubled = (0..doublings).fold(whole % divisor, |rest, _| rest * 2 % divisor);
        let rest = (0..tens).fold(doubled, |rest, _| rest * 10 % divisor);
        return (rest == 0, WRITING + u64::from(doublings + tens) / POWERS_A_STEP);
    }
    let (digits, power) = decimal(number);
    let apart = power.abs_diff(divisor_power);
    let steps = WRITING + u64::from(apart) / POWERS_A_STEP;
    if power < divisor_power {
        let shift = 10_u128.checked_pow(apart);
        let is_multiple = shift.is_some_and(|shift| digits % shift == 0 && (digits / shift) % divisor == 0);
        return (is_multiple, steps);
    }
    ((0..apart).fold(digits % divisor, |rest, _| rest * 10 % divisor) == 0, steps)
}

/// A whole number, as another one and how often that is doubled.
fn binary(number: f64) -> (u128, u32) {
    const BITS: u32 = 52;
    const BIAS: u32 = 1023;
    let bits = number.to_bits();
    // Eleven bits.
    #[allow(clippy::cast_possible_truncation)]
    let power = ((bits >> BITS) & 0x7FF) as u32;
    let mantissa = bits & ((1 << BITS) - 1) | (1 << BITS);
    match power.checked_sub(BIAS + BITS) {
        Some(doublings) => (mantissa.into(), doublings),
        // Below 2^53, where a float has nothing between whole numbers to lose.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        None => ((number.abs() as u64).into(), 0),
    }
}

/// The digits of a number's shortest decimal form, and the power of ten they stand for.
fn decimal(number: f64) -> (u128, i32) {
    let text = format!("{:e}", number.abs());
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let power: i32 = power.parse().unwrap_or(0);
    let digits = format!("{whole}{fraction}").parse().unwrap_or(0);
    (digits, power - i32::try_from(fraction.len()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_as_the_numbers_are_written() {
        for (number, divisor) in [
            (19.99, 0.01),
            (0.3, 0.1),
            (4.35, 0.01),
            (1e21, 0.01),
            (1e300, 0.1),
            (-2.5, 0.5),
            (0.0, 0.1),
            (1e-7, 1e-8),
            (12_391_239_123.0, 1e-8),
            (6.0, 3.0),
        ] {
            assert!(is_multiple(number, divisor).0, "{number} {divisor}");
        }
        for (number, divisor) in
            [(1.005, 0.01), (0.35, 0.1), (1e308, 0.123_456_789), (7.0, 3.0), (0.5, 1e300), (1.0, 0.0)]
        {
            assert!(!is_multiple(number, divisor).0, "{number} {divisor}");
        }
    }
}
