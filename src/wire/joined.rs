//! The deltas of frames that are alike, as one.

use super::event::Str;
use super::template::Alike;

/// A buffer that is written in blocks: a copy of just the dozen bytes that a delta has would be a call for each.
#[derive(Debug, Default)]
pub(super) struct Joined {
    bytes: Vec<u8>,
    length: usize,
    escaped: bool,
}

const BLOCK: usize = 16;

impl Joined {
    /// Begins anew, for parts of a text of `length` bytes.
    pub fn clear(&mut self, length: usize) {
        if self.bytes.len() < length + BLOCK {
            self.bytes.resize(length + BLOCK, 0);
        }
        (self.length, self.escaped) = (0, false);
    }

    /// Adds the delta of a frame of `text`.
    #[inline(always)]
    pub fn push(&mut self, text: &str, frame: &Alike) {
        let part = &frame.delta;
        let source = text.as_bytes().get(part.start..).unwrap_or_default();
        let target = self.bytes.get_mut(self.length..).unwrap_or_default();
        let mut at = 0;
        while at < part.len() {
            let block = target.get_mut(at..).and_then(|target| target.first_chunk_mut::<BLOCK>());
            match (block, source.get(at..).and_then(|source| source.first_chunk())) {
                // Bytes that are copied beyond the end are written over by the next part.
                (Some(block), Some(bytes)) => *block = *bytes,
                // The text ends before the block does.
                (Some(block), None) => {
                    let rest = source.get(at..).unwrap_or_default();
                    block.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
                }
                (None, _) => {}
            }
            at += BLOCK;
        }
        self.length += part.len();
        self.escaped |= frame.escaped;
    }

    /// All of it: the inside of a JSON string literal.
    pub fn text(&self) -> Str<'_> {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        Str::new(simdutf8::basic::from_utf8(bytes).unwrap_or_default(), self.escaped)
    }
}
