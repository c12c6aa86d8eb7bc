//! How deeply code may be nested. The parser goes down a level for each bracket and operator and knows no end, so the stack
//! that it gets has to be enough for as many as there are: code is hostile, and a stack that overflows ends the process.

/// How many levels are read at all.
pub const MOST_LEVELS: usize = 32_768;

/// What a level takes at the most, in bytes; held by a test that nests everything that can be nested.
const LEVEL: usize = 4096;

/// The stack for so many levels, in bytes.
#[must_use]
pub const fn stack(levels: usize) -> usize {
    levels * LEVEL + 256 * 1024
}

/// Not less than the levels of the code: what can begin one, wherever it stands, in a string or a comment, too.
pub(super) fn most(code: &str) -> usize {
    let bytes = code.as_bytes();
    let mut levels = 1;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            // The end of an arrow, which its beginning has counted.
            b'>' if at > 0 && bytes[at - 1] == b'=' => at += 1,
            b'(' | b'[' | b'{' | b'<' | b'>' | b'!' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'?' | b':'
            | b'&' | b'|' | b'^' | b'`' | b'.' | b'@' | b'#' => {
                levels += 1;
                at += 1;
            }
            byte if is_word(byte) => {
                let length = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                levels += usize::from(nests(&bytes[at..at + length]));
                at += length;
            }
            // Part of a word that may be written in escapes, or of no word at all.
            b'\\' => {
                levels += 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
    levels
}

/// What is not ASCII may be space, which parts words; in a word it has more counted than there is.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Whether a word begins a level without a bracket or an operator beside it.
fn nests(word: &[u8]) -> bool {
    matches!(
        word,
        b"abstract"
            | b"as"
            | b"asserts"
            | b"async"
            | b"await"
            | b"class"
            | b"declare"
            | b"delete"
            | b"do"
            | b"else"
            | b"extends"
            | b"for"
            | b"if"
            | b"in"
            | b"infer"
            | b"instanceof"
            | b"is"
            | b"keyof"
            | b"new"
            | b"readonly"
            | b"satisfies"
            | b"throw"
            | b"try"
            | b"typeof"
            | b"unique"
            | b"void"
            | b"while"
            | b"with"
            | b"yield"
    )
}
