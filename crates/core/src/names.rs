//! The names that a model knows tools by: stable for ever, since a stored policy or conversation refers to them.

use data_encoding::BASE32_NOPAD;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest name that model APIs accept, in characters.
pub const MAX_NAME_LENGTH: usize = 64;

/// Characters of the fingerprint that ends a name which was cut.
const FINGERPRINT_LENGTH: usize = 8;

/// The text in the characters that agents accept: any other becomes `_`.
#[must_use]
pub fn sanitize(text: &str) -> String {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.chars().all(is_accepted) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_accepted(c) { c } else { '_' }).collect()
}

/// The name of a source's tool: `source__tool` in the characters that agents accept. A name beyond `max_length` is cut
/// and ends with a fingerprint of the pair as it was given, so that two of them stay apart.
#[must_use]
pub fn tool_name(source: &str, tool: &str, max_length: usize) -> String {
    let mut name = sanitize(source);
    name.push_str("__");
    name.push_str(&sanitize(tool));
    let max_length = max_length.min(MAX_NAME_LENGTH);
    if name.len() > max_length {
        name.truncate(max_length.saturating_sub(FINGERPRINT_LENGTH + 1));
        name.push('_');
        name.push_str(&fingerprint(source, tool));
    }
    name
}

/// Eight characters of base32 (RFC 4648 §6, in lower case) of the SHA-256 of the pair. The length before the source keeps
/// `a, bc` and `ab, c` apart.
fn fingerprint(source: &str, tool: &str) -> String {
    let mut hash = Sha256::new();
    hash.update((source.len() as u64).to_be_bytes());
    hash.update(source);
    hash.update(tool);
    let mut text = BASE32_NOPAD.encode(&hash.finalize()).to_ascii_lowercase();
    text.truncate(FINGERPRINT_LENGTH);
    text
}

/// A member of an assembly, as it crosses: its source's name and the names of its tools.
#[derive(Debug, Deserialize)]
struct Member {
    source: String,
    tools: Vec<String>,
}

/// The names of a whole assembly.
#[derive(Debug, Serialize)]
struct Names<'a> {
    /// One name per tool, member by member.
    names: Vec<&'a str>,
    /// The names that more than one tool has.
    clashes: Vec<Clash<'a>>,
}

#[derive(Debug, Serialize)]
struct Clash<'a> {
    name: &'a str,
    tools: Vec<Owner<'a>>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Owner<'a> {
    source: &'a str,
    tool: &'a str,
}

/// Names every tool of an assembly: JSON text of `[{ source, tools }]` in, `{ names, clashes }` out.
///
/// # Errors
/// When the text is not of that shape.
pub fn assembly_names(members: &str, max_length: usize) -> Result<String, serde_json::Error> {
    let members: Vec<Member> = serde_json::from_str(members)?;
    let owners: Vec<Owner<'_>> = members
        .iter()
        .flat_map(|member| member.tools.iter().map(|tool| Owner { source: &member.source, tool }))
        .collect();
    let named: Vec<String> = owners.iter().map(|owner| tool_name(owner.source, owner.tool, max_length)).collect();
    let mut by_name: IndexMap<&str, Vec<Owner<'_>>> = IndexMap::with_capacity(named.len());
    for (name, owner) in named.iter().zip(&owners) {
        by_name.entry(name).or_default().push(*owner);
    }
    let clashes = by_name.into_iter().filter(|(_, tools)| tools.len() > 1).map(|(name, tools)| Clash { name, tools });
    serde_json::to_string(&Names { names: named.iter().map(String::as_str).collect(), clashes: clashes.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn r_000_236_replaces_every_other_character() {
        assert_eq!(tool_name("git.hub", "create issue/ü😀", 64), "git_hub__create_issue___");
        assert_eq!(tool_name("a-b", "c_d", 64), "a-b__c_d");
    }

    /// Fixed for ever: a change here renames tools in stored policies.
    #[test]
    fn r_000_239_names_are_these_for_ever() {
        let long = "x".repeat(80);
        let vectors = [
            ("github", "create_issue", 64, "github__create_issue"),
            ("github", long.as_str(), 64, "github__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_emyeiiyt"),
            ("github", "create_issue", 16, "github__3astbel4"),
            ("git.hub", "create_issue_in_a_repository", 24, "git_hub__create_uwlrqr6l"),
            ("", "", 64, "__"),
        ];
        for (source, tool, max, name) in vectors {
            assert_eq!(tool_name(source, tool, max), name);
        }
    }

    #[test]
    fn r_000_237_cuts_beyond_the_length_only() {
        let exact = "t".repeat(64 - "s__".len());
        assert_eq!(tool_name("s", &exact, 64), format!("s__{exact}"));
        let cut = tool_name("s", &format!("{exact}t"), 64);
        assert_eq!(cut.len(), 64);
        assert!(cut.starts_with("s__ttt") && cut.as_bytes()[55] == b'_');
    }

    #[test]
    fn counts_a_length_over_64_as_64() {
        assert_eq!(tool_name("s", &"t".repeat(100), 1000), tool_name("s", &"t".repeat(100), 64));
    }

    #[test]
    fn tells_pairs_apart_that_join_to_one_text() {
        assert_ne!(fingerprint("a", "bc"), fingerprint("ab", "c"));
    }

    #[test]
    fn holds_every_clash_with_all_its_tools() {
        let text =
            assembly_names(r#"[{"source":"a","tools":["x.y","x_y","z"]},{"source":"a","tools":["x-y","z"]}]"#, 64)
                .unwrap();
        let names: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(names["names"], serde_json::json!(["a__x_y", "a__x_y", "a__z", "a__x-y", "a__z"]));
        assert_eq!(
            names["clashes"],
            serde_json::json!([
                { "name": "a__x_y", "tools": [{ "source": "a", "tool": "x.y" }, { "source": "a", "tool": "x_y" }] },
                { "name": "a__z", "tools": [{ "source": "a", "tool": "z" }, { "source": "a", "tool": "z" }] },
            ])
        );
    }

    proptest! {
        #[test]
        fn r_000_238_names_are_accepted_and_apart(source in ".{0,40}", a in ".{60,90}", b in ".{60,90}", max in 16_usize..80) {
            let (first, second) = (tool_name(&source, &a, max), tool_name(&source, &b, max));
            for name in [&first, &second] {
                prop_assert!(name.len() <= max.min(64));
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'));
            }
            prop_assert_eq!(a == b, first == second);
        }
    }
}
