//! A copy of bytes that JavaScript may write to.

use std::ops::Deref;

use memmap2::MmapMut;

/// The bytes, until it is dropped. They are in large pages where the system has some: most of the time that copying takes is
/// otherwise the system's, which makes room page by page.
pub(crate) enum Copied {
    /// In memory of their own.
    Mapped(MmapMut),
    /// Among the rest of the process's.
    Listed(Vec<u8>),
}

impl Copied {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let Ok(mut mapped) = MmapMut::map_anon(bytes.len()) else { return Self::Listed(bytes.to_vec()) };
        // A system that has none gives small ones.
        #[cfg(target_os = "linux")]
        let _ = mapped.advise(memmap2::Advice::HugePage);
        mapped.copy_from_slice(bytes);
        Self::Mapped(mapped)
    }
}

impl Deref for Copied {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(mapped) => mapped,
            Self::Listed(bytes) => bytes,
        }
    }
}
