//! Past a value of a text that may not be JSON (RFC 8259): checked on the way, so that no byte is looked at twice. A loop, so
//! that no nesting reaches the stack.

/// The place behind the value that begins at `at`; None where that is no JSON. `open` is room for it to work in.
pub(super) fn past_value(bytes: &[u8], mut at: usize, open: &mut Vec<u8>) -> Option<usize> {
    open.clear();
    loop {
        // A value begins here.
        match *bytes.get(at)? {
            b'"' => at = past_string(bytes, at)?,
            b'{' => {
                at = past_space(bytes, at + 1);
                if bytes.get(at) != Some(&b'}') {
                    at = past_key(bytes, at)?;
                    open.push(b'}');
                    continue;
                }
                at += 1;
            }
            b'[' => {
                at = past_space(bytes, at + 1);
                if bytes.get(at) != Some(&b']') {
                    open.push(b']');
                    continue;
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => at = past_number(bytes, at)?,
            b't' => at = past_word(bytes, at, b"true")?,
            b'f' => at = past_word(bytes, at, b"false")?,
            b'n' => at = past_word(bytes, at, b"null")?,
            _ => return None,
        }
        // A value has ended here, and maybe what it was the last of.
        loop {
            let Some(close) = open.last().copied() else { return Some(at) };
            at = past_space(bytes, at);
            match *bytes.get(at)? {
                b',' => {
                    at = past_space(bytes, at + 1);
                    if close == b'}' {
                        at = past_key(bytes, at)?;
                    }
                    break;
                }
                byte if byte == close => {
                    open.pop();
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

/// Past a member's name and colon, to its value.
fn past_key(bytes: &[u8], at: usize) -> Option<usize> {
    past_colon(bytes, past_string(bytes, at)?)
}

/// Past the colon behind a name, to the value.
pub(super) fn past_colon(bytes: &[u8], at: usize) -> Option<usize> {
    let colon = past_space(bytes, at);
    (bytes.get(colon) == Some(&b':')).then(|| past_space(bytes, colon + 1))
}

const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;
const SPACES: u64 = ONES * b' ' as u64;

/// Eight bytes from `at` on, the first the lowest.
fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))
}

/// The high bit of the lowest byte that is zero; what is above it says nothing.
fn zero(eight: u64) -> u64 {
    eight.wrapping_sub(ONES) & !eight & HIGH
}

/// Past white space.
#[inline]
pub(super) fn past_space(bytes: &[u8], mut at: usize) -> usize {
    if bytes.get(at).is_none_or(|byte| *byte > b' ') {
        return at;
    }
    loop {
        // Indented text is mostly this.
        if let Some(eight) = eight(bytes, at) {
            let other = (eight ^ SPACES).trailing_zeros() / 8;
            at += other as usize;
            if other == 8 {
                continue;
            }
        }
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

/// To the next quote, backslash or control character from `at` on, or to the end.
#[inline]
pub(super) fn to_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = eight(bytes, at) {
        let quote = zero(eight ^ (ONES * u64::from(b'"')));
        let backslash = zero(eight ^ (ONES * u64::from(b'\\')));
        let control = eight.wrapping_sub(SPACES) & !eight & HIGH;
        let found = quote | backslash | control;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1F) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Past the string that begins at `at`.
#[inline]
pub(super) fn past_string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = to_special(bytes, at + 1);
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = to_special(bytes, past_escape(bytes, at)?),
            _ => return None,
        }
    }
}

fn past_escape(bytes: &[u8], at: usize) -> Option<usize> {
    match *bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        b'u' => bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit).then_some(at + 6),
        _ => None,
    }
}

fn past_number(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + usize::from(bytes[at] == b'-');
    at = match *bytes.get(at)? {
        b'0' => at + 1,
        b'1'..=b'9' => past_digits(bytes, at)?,
        _ => return None,
    };
    if bytes.get(at) == Some(&b'.') {
        at = past_digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let signed = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at = past_digits(bytes, at + 1 + usize::from(signed))?;
    }
    Some(at)
}

/// Past one digit or more.
fn past_digits(bytes: &[u8], at: usize) -> Option<usize> {
    let count = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(at + count)
}

fn past_word(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes.get(at..)?.starts_with(word).then_some(at + word.len())
}
