//! The revisions of the protocol.

/// The stateless revision: every request says all there is to say, and a server keeps nothing.
pub(super) const STATELESS: &str = "2026-07-28";

/// A revision with sessions, which begin with `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SessionVersion {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
}

impl SessionVersion {
    /// The one that `initialize` asks for: a server that has only older ones answers with one of them.
    pub(super) const NEWEST: Self = Self::V2025_11_25;

    const ALL: [Self; 4] = [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_000_099_four_revisions_have_sessions() {
        for name in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
            assert_eq!(SessionVersion::parse(name).unwrap().name(), name);
        }
        for name in ["2026-07-28", "2025-11-26", "", "2024-10-07"] {
            assert_eq!(SessionVersion::parse(name), None, "{name}");
        }
        assert_eq!(SessionVersion::ALL.into_iter().max(), Some(SessionVersion::NEWEST));
    }
}
