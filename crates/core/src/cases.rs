//! How many cases the property tests try.

use proptest::prelude::ProptestConfig;

/// So many cases, or as many as `PROPTEST_CASES` says.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(count), failure_persistence: None, ..ProptestConfig::default() }
}
