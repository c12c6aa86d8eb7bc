//! What a host and an isolate say to each other over a pipe: frames, each a length of four bytes, a kind of one, and what
//! the kind has. Numbers are little-endian and of four bytes; a text that is not the last thing has its length before it.
//!
//! Either side may have been taken over, so whatever comes in is checked, and what is no frame ends the talk.

use crate::sandbox::Sandbox;

/// What a host says.
#[allow(missing_docs, reason = "what the fields are is in what is said")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToIsolate {
    /// Run this code, the only one of this isolate. The tools are a JSON list of names.
    Begin { tools: String, code: String },
    /// What became of a tool call: JSON, of the answer or of a failure.
    Answer { call: u32, is_ok: bool, text: String },
}

/// What an isolate says.
#[allow(missing_docs, reason = "what the fields are is in what is said")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToHost {
    /// Ready for code, shut in as far as the system could.
    Ready(Sandbox),
    /// The code logged a line.
    Log(String),
    /// Call a tool, by its place among the names, with an input, JSON.
    Call { call: u32, tool: u32, input: String },
    /// The code is over: JSON of what it returned, or why not.
    Done(Result<String, String>),
}

/// What came in is no frame.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("what came in is no frame: {0}")]
pub struct Malformed(&'static str);

const BEGIN: u8 = 1;
const ANSWER: u8 = 2;
const FAILURE: u8 = 3;
const READY: u8 = 11;
const LOG: u8 = 12;
const CALL: u8 = 13;
const RETURNED: u8 = 14;
const FAILED: u8 = 15;

/// How long a frame may be that tells of sizes that nobody has limited.
pub const LONGEST: usize = 1 << 30;

/// Writes a frame of these parts, the last without its length.
fn write(into: &mut Vec<u8>, kind: u8, numbers: &[u32], texts: &[&str]) {
    let start = into.len();
    into.extend_from_slice(&[0, 0, 0, 0, kind]);
    for number in numbers {
        into.extend_from_slice(&number.to_le_bytes());
    }
    for (at, text) in texts.iter().enumerate() {
        if at + 1 < texts.len() {
            into.extend_from_slice(&length(text.len()));
        }
        into.extend_from_slice(text.as_bytes());
    }
    let written = length(into.len() - start - 4);
    into[start..start + 4].copy_from_slice(&written);
}

/// A length as it is written. Nothing here comes near four gigabytes: texts are limited long before.
fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

impl ToIsolate {
    /// Appends it as a frame.
    pub fn write(&self, into: &mut Vec<u8>) {
        match self {
            Self::Begin { tools, code } => write(into, BEGIN, &[], &[tools, code]),
            Self::Answer { call, is_ok, text } => write(into, if *is_ok { ANSWER } else { FAILURE }, &[*call], &[text]),
        }
    }

    /// # Errors
    ///
    /// What is wrong with the frame.
    pub fn read(frame: &[u8]) -> Result<Self, Malformed> {
        let mut parts = Parts(frame);
        match parts.kind()? {
            BEGIN => Ok(Self::Begin { tools: parts.text()?, code: parts.rest()? }),
            kind @ (ANSWER | FAILURE) => {
                Ok(Self::Answer { call: parts.number()?, is_ok: kind == ANSWER, text: parts.rest()? })
            }
            _ => Err(Malformed("its kind is unknown")),
        }
    }
}

impl ToHost {
    /// Appends it as a frame.
    pub fn write(&self, into: &mut Vec<u8>) {
        match self {
            Self::Ready(Sandbox { seccomp, landlock, limits }) => {
                write(into, READY, &[u32::from(*seccomp), u32::from(*landlock), u32::from(*limits)], &[]);
            }
            Self::Log(line) => write(into, LOG, &[], &[line]),
            Self::Call { call, tool, input } => write(into, CALL, &[*call, *tool], &[input]),
            Self::Done(Ok(text)) => write(into, RETURNED, &[], &[text]),
            Self::Done(Err(text)) => write(into, FAILED, &[], &[text]),
        }
    }

    /// # Errors
    ///
    /// What is wrong with the frame.
    pub fn read(frame: &[u8]) -> Result<Self, Malformed> {
        let mut parts = Parts(frame);
        match parts.kind()? {
            READY => {
                let [seccomp, landlock, limits] = [parts.flag()?, parts.flag()?, parts.flag()?];
                parts.end()?;
                Ok(Self::Ready(Sandbox { seccomp, landlock, limits }))
            }
            LOG => Ok(Self::Log(parts.rest()?)),
            CALL => Ok(Self::Call { call: parts.number()?, tool: parts.number()?, input: parts.rest()? }),
            RETURNED => Ok(Self::Done(Ok(parts.rest()?))),
            FAILED => Ok(Self::Done(Err(parts.rest()?))),
            _ => Err(Malformed("its kind is unknown")),
        }
    }
}

/// What is left of a frame to be read.
struct Parts<'a>(&'a [u8]);

impl Parts<'_> {
    fn kind(&mut self) -> Result<u8, Malformed> {
        let (kind, rest) = self.0.split_first().ok_or(Malformed("it is empty"))?;
        self.0 = rest;
        Ok(*kind)
    }

    fn number(&mut self) -> Result<u32, Malformed> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Malformed("it is too short"))?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*bytes))
    }

    fn flag(&mut self) -> Result<bool, Malformed> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a flag is neither on nor off")),
        }
    }

    fn text(&mut self) -> Result<String, Malformed> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length).ok_or(Malformed("it is too short"))?;
        self.0 = rest;
        Self(text).rest()
    }

    fn rest(self) -> Result<String, Malformed> {
        std::str::from_utf8(self.0).map(str::to_owned).map_err(|_| Malformed("a text is not UTF-8"))
    }

    fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("it is too long")) }
    }
}

/// Finds the frames in bytes as they come in, in whatever pieces.
#[derive(Debug)]
pub struct Frames {
    bytes: Vec<u8>,
    /// Where what is not taken yet begins.
    at: usize,
    longest: usize,
}

impl Frames {
    /// Takes frames up to a length, in bytes.
    #[must_use]
    pub fn new(longest: usize) -> Self {
        Self { bytes: Vec::new(), at: 0, longest }
    }

    /// Adds what came in.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.at == self.bytes.len() {
            self.bytes.clear();
            self.at = 0;
        } else if self.at > self.bytes.len() / 2 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, without its length; none until more is there.
    ///
    /// # Errors
    ///
    /// The frame says that it is longer than any is.
    pub fn take(&mut self) -> Result<Option<&[u8]>, Malformed> {
        let Some((length, rest)) = self.bytes[self.at..].split_first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.longest {
            return Err(Malformed("it is longer than any is"));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let start = self.at + 4;
        self.at = start + length;
        Ok(Some(&self.bytes[start..self.at]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn to_isolate() -> impl Strategy<Value = ToIsolate> {
        prop_oneof![
            (".*", ".*").prop_map(|(tools, code)| ToIsolate::Begin { tools, code }),
            (any::<u32>(), any::<bool>(), ".*").prop_map(|(call, is_ok, text)| ToIsolate::Answer { call, is_ok, text }),
        ]
    }

    fn to_host() -> impl Strategy<Value = ToHost> {
        prop_oneof![
            any::<[bool; 3]>().prop_map(|[seccomp, landlock, limits]| ToHost::Ready(Sandbox {
                seccomp,
                landlock,
                limits
            })),
            ".*".prop_map(ToHost::Log),
            (any::<u32>(), any::<u32>(), ".*").prop_map(|(call, tool, input)| ToHost::Call { call, tool, input }),
            ".*".prop_map(|text| ToHost::Done(Ok(text))),
            ".*".prop_map(|text| ToHost::Done(Err(text))),
        ]
    }

    /// What is read of bytes that come in pieces of these sizes.
    fn read<A>(bytes: &[u8], sizes: &[usize], of: impl Fn(&[u8]) -> Result<A, Malformed>) -> Result<Vec<A>, Malformed> {
        let mut frames = Frames::new(1 << 20);
        let mut read = Vec::new();
        let mut left = bytes;
        for size in sizes.iter().copied().chain([usize::MAX]) {
            let (piece, rest) = left.split_at(size.min(left.len()));
            left = rest;
            frames.push(piece);
            while let Some(frame) = frames.take()? {
                read.push(of(frame)?);
            }
        }
        Ok(read)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again_in_whatever_pieces_it_comes(
            said in prop::collection::vec(to_isolate(), 0..6),
            answered in prop::collection::vec(to_host(), 0..6),
            sizes in prop::collection::vec(0_usize..40, 0..20),
        ) {
            let (mut down, mut up) = (Vec::new(), Vec::new());
            said.iter().for_each(|frame| frame.write(&mut down));
            answered.iter().for_each(|frame| frame.write(&mut up));
            prop_assert_eq!(read(&down, &sizes, ToIsolate::read), Ok(said));
            prop_assert_eq!(read(&up, &sizes, ToHost::read), Ok(answered));
        }

        #[test]
        fn bytes_that_are_no_frames_are_refused_or_waited_for_and_nothing_else(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            sizes in prop::collection::vec(0_usize..40, 0..20),
        ) {
            // What it holds does not matter here: it may not panic, nor depend on the pieces.
            prop_assert_eq!(read(&bytes, &sizes, ToIsolate::read), read(&bytes, &[], ToIsolate::read));
            prop_assert_eq!(read(&bytes, &sizes, ToHost::read), read(&bytes, &[], ToHost::read));
        }

        #[test]
        fn a_frame_with_a_changed_byte_is_another_frame_or_none(frame in to_host(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = Vec::new();
            frame.write(&mut bytes);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = read(&bytes, &[], ToHost::read);
            let _ = read(&bytes, &[], ToIsolate::read);
        }
    }

    #[test]
    fn a_frame_that_says_it_is_longer_than_any_is_refused_before_it_is_there() {
        let mut frames = Frames::new(100);
        frames.push(&101_u32.to_le_bytes());
        assert_eq!(frames.take(), Err(Malformed("it is longer than any is")));
    }
}
