//! What a run may take. The numbers come from the shim, which has checked them, and go to a process as its arguments.

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of the engine's heap, in bytes.
    pub memory: u64,
    /// Of the engine's stack, in bytes.
    pub stack: u64,
    /// The code's own time, in milliseconds: tool calls are not counted.
    pub cpu: u64,
    /// From start to end, tool calls included, in milliseconds.
    pub wall: u64,
    /// Tool calls of a run.
    pub calls: u32,
    /// Tool calls under way at once; others wait.
    pub concurrent: u32,
    /// The source, in UTF-16 units.
    pub source: u32,
    /// What is logged, in UTF-16 units, each line counting one more.
    pub log: u32,
    /// The input of a tool call as JSON, in UTF-16 units.
    pub input: u32,
    /// A tool's answer as JSON, in UTF-16 units.
    pub answer: u32,
    /// What the code returns as JSON, in UTF-16 units.
    pub result: u32,
}

impl Limits {
    /// As arguments of a process.
    #[must_use]
    pub fn to_args(&self) -> [String; 11] {
        let Self { memory, stack, cpu, wall, calls, concurrent, source, log, input, answer, result } = *self;
        let wide = [memory, stack, cpu, wall];
        let narrow = [calls, concurrent, source, log, input, answer, result].map(u64::from);
        std::array::from_fn(|at| if at < 4 { wide[at] } else { narrow[at - 4] }.to_string())
    }

    /// From the arguments of a process; none where they are not such.
    #[must_use]
    pub fn from_args(args: impl Iterator<Item = String>) -> Option<Self> {
        let numbers: Vec<u64> = args.map(|arg| arg.parse().ok()).collect::<Option<_>>()?;
        let [memory, stack, cpu, wall, narrow @ ..] = numbers.as_slice() else { return None };
        let narrow: Vec<u32> = narrow.iter().map(|number| u32::try_from(*number).ok()).collect::<Option<_>>()?;
        let [calls, concurrent, source, log, input, answer, result] = *narrow.as_slice() else { return None };
        Some(Self {
            memory: *memory,
            stack: *stack,
            cpu: *cpu,
            wall: *wall,
            calls,
            concurrent,
            source,
            log,
            input,
            answer,
            result,
        })
    }
}

/// Bytes as a person says them.
#[must_use]
pub fn bytes(count: u64) -> String {
    match count {
        ..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{} KiB", count / 1024),
        _ => format!("{} MiB", count / 1_048_576),
    }
}

/// Milliseconds as a person says them.
#[must_use]
pub fn milliseconds(count: u64) -> String {
    match count {
        ..1000 => format!("{count} ms"),
        1000..120_000 if count.is_multiple_of(1000) => format!("{} seconds", count / 1000),
        1000..120_000 => format!("{}.{:03} seconds", count / 1000, count % 1000),
        _ => format!("{} minutes", count / 60_000),
    }
}

/// A count with its thousands apart.
#[must_use]
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut spaced = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            spaced.push(',');
        }
        spaced.push(digit);
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_the_same_after_being_arguments() {
        let limits = Limits {
            memory: 1,
            stack: 2,
            cpu: 3,
            wall: 4,
            calls: 5,
            concurrent: 6,
            source: 7,
            log: 8,
            input: 9,
            answer: 10,
            result: 11,
        };
        assert_eq!(Limits::from_args(limits.to_args().into_iter()), Some(limits));
        for wrong in [vec![], vec!["1"; 10], vec!["1"; 12], vec!["x"; 11], vec!["99999999999"; 11]] {
            assert_eq!(Limits::from_args(wrong.into_iter().map(str::to_owned)), None);
        }
    }

    #[test]
    fn amounts_are_said_as_a_person_says_them() {
        assert_eq!([bytes(12), bytes(2048), bytes(64 << 20)], ["12 bytes", "2 KiB", "64 MiB"]);
        assert_eq!(
            [milliseconds(50), milliseconds(10_000), milliseconds(1_500), milliseconds(300_000)],
            ["50 ms", "10 seconds", "1.500 seconds", "5 minutes"]
        );
        assert_eq!([count(1), count(1_000), count(262_144), count(1_234_567)], ["1", "1,000", "262,144", "1,234,567"]);
    }
}
