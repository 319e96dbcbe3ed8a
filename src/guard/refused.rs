//! Items that were blocked when they began, so that no part of them is shown later. Ids are kept as hashes: a collision
//! can only block more.

use std::fmt;

/// How many ids are kept.
const MOST: usize = 4096;

/// The kind of item that an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Message,
    Call,
    Reasoning,
    Activity,
    /// Reasoning has spans, and messages in them that may have the same id.
    Span,
    Step,
    Subagent,
}

/// An id of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(u64);

impl Key {
    pub fn new(of: Of, id: &str) -> Self {
        Self(0xcbf2_9ce4_8422_2325).with(&[of as u8]).with(id.as_bytes())
    }

    /// The same id within another thing.
    pub fn within(self, other: Self) -> Self {
        self.with(&other.0.to_le_bytes())
    }

    /// FNV-1a.
    pub fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// A bounded set of ids.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// Sorted.
    keys: Vec<Key>,
    /// There were more than are kept: whatever begins or continues from now on may be one of them.
    pub full: bool,
}

impl Refused {
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn holds(&self, key: Option<Key>) -> bool {
        key.is_some_and(|key| self.keys.binary_search(&key).is_ok())
    }

    pub fn add(&mut self, key: Key) {
        if let Err(at) = self.keys.binary_search(&key) {
            if self.keys.len() < MOST {
                self.keys.insert(at, key);
            } else {
                self.full = true;
            }
        }
    }

    pub fn remove(&mut self, key: Key) {
        if let Ok(at) = self.keys.binary_search(&key) {
            self.keys.remove(at);
        }
    }
}
