//! Where a JSON object or list ends, found while its bytes arrive.

/// A place in the text of a value. Each byte is looked at once, however it arrives in pieces.
#[derive(Debug, Default, Clone)]
pub(super) struct JsonEnd {
    state: State,
    depth: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Only white space so far.
    #[default]
    Before,
    Between,
    String,
    Escape,
    /// It is over, or it begins as something that is neither an object nor a list.
    Over,
}

impl JsonEnd {
    /// Whether what follows can make no value any more.
    pub(super) fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// Looks at more of the text: the place behind the value, if it ends here.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            match self.state {
                State::Before => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => {}
                    b'{' | b'[' => {
                        self.state = State::Between;
                        self.depth = 1;
                    }
                    _ => self.state = State::Over,
                },
                State::Between => match byte {
                    b'"' => self.state = State::String,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            self.state = State::Over;
                            return Some(at + 1);
                        }
                    }
                    _ => {}
                },
                State::String => {
                    let found = memchr::memchr2(b'"', b'\\', &bytes[at..])?;
                    at += found;
                    self.state = if bytes[at] == b'"' { State::Between } else { State::Escape };
                }
                State::Escape => self.state = State::String,
                State::Over => return None,
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_end_of_a_value_in_whatever_pieces() {
        let text = br#"  {"a":["}\"]\\",{"b":1}],"c":"\\"} more"#;
        let end = text.len() - " more".len();
        assert_eq!(JsonEnd::default().scan(text), Some(end));
        let mut scan = JsonEnd::default();
        let found = text.iter().position(|byte| scan.scan(&[*byte]).is_some());
        assert_eq!(found, Some(end - 1));
        assert!(scan.is_over());
    }

    #[test]
    fn finds_none_in_what_is_no_object_and_no_list() {
        for text in ["null", "\"{}\"", "7", "x{}"] {
            let mut scan = JsonEnd::default();
            assert_eq!(scan.scan(text.as_bytes()), None, "{text}");
            assert!(scan.is_over(), "{text}");
        }
        let mut scan = JsonEnd::default();
        assert_eq!(scan.scan(b"[{\"a\":1}"), None);
        assert!(!scan.is_over());
    }
}
