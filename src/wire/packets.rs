//! The binary framing: frames of bytes, each after its length in four bytes, the highest first. Uses nothing of ours.

use super::sse::BadBody;

/// The bytes of a length.
const PREFIX: usize = 4;

/// The reader's state between two reads: the beginning of a frame, its length included.
#[derive(Debug)]
pub(super) struct Packets {
    held: Vec<u8>,
    max: usize,
    /// In a build without the binary framing there is no value of the type.
    #[cfg(not(feature = "codecs"))]
    _never: std::convert::Infallible,
}

impl Packets {
    /// A reader that refuses frames of more than `max` bytes, the length's four among them; `None` in a build without.
    #[cfg(feature = "codecs")]
    pub fn new(max: usize) -> Option<Self> {
        Some(Self { held: Vec::new(), max })
    }

    /// The same.
    #[cfg(not(feature = "codecs"))]
    pub fn new(_: usize) -> Option<Self> {
        None
    }

    /// Whether the bytes so far ended with a frame.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Hands every frame that is whole to `sink`; in place where it came in one read.
    #[inline(never)]
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&[u8])) -> Result<(), BadBody> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.held.is_empty() {
                // A length is judged before its bytes are waited for.
                let total = self.total(rest)?;
                if let Some((packet, tail)) = total.and_then(|total| rest.split_at_checked(total)) {
                    sink(packet.get(PREFIX..).unwrap_or_default());
                    rest = tail;
                    continue;
                }
            }
            let total = self.total(&self.held)?;
            let missing = total.unwrap_or(PREFIX) - self.held.len();
            let (head, tail) = rest.split_at_checked(missing).unwrap_or((rest, &[]));
            self.held.extend_from_slice(head);
            rest = tail;
            if self.total(&self.held)? == Some(self.held.len()) {
                sink(self.held.get(PREFIX..).unwrap_or_default());
                self.held.clear();
            }
        }
        Ok(())
    }

    /// The length of the frame that begins so, its prefix included; `None`: that has not come yet.
    fn total(&self, bytes: &[u8]) -> Result<Option<usize>, BadBody> {
        let Some(prefix) = bytes.first_chunk::<PREFIX>() else { return Ok(None) };
        let total = (u32::from_be_bytes(*prefix) as usize).saturating_add(PREFIX);
        if total > self.max { Err(BadBody::FrameTooLong) } else { Ok(Some(total)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
    }

    #[test]
    fn any_cut_gives_the_same_packets() {
        let expected: [&[u8]; 4] = [b"one", b"", b"three", &[7; 90]];
        let body: Vec<u8> = expected.iter().flat_map(|bytes| packet(bytes)).collect();
        for size in 1..=body.len() {
            let (mut packets, mut found) = (Packets::new(100).unwrap(), Vec::new());
            for read in body.chunks(size) {
                packets.feed(read, &mut |packet| found.push(packet.to_vec())).unwrap();
            }
            assert_eq!(found, expected, "reads of {size}");
            assert!(packets.is_empty());
        }
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_its_bytes_come() {
        for read in [&packet(&[0; 97])[..4], &[0xFF; 4]] {
            assert_eq!(Packets::new(100).unwrap().feed(read, &mut |_| {}), Err(BadBody::FrameTooLong));
            let mut packets = Packets::new(100).unwrap();
            let last = read.iter().map(|byte| packets.feed(&[*byte], &mut |_| {})).find(Result::is_err);
            assert_eq!(last, Some(Err(BadBody::FrameTooLong)));
        }
        let mut packets = Packets::new(100).unwrap();
        packets.feed(&packet(&[0; 96])[..50], &mut |_| {}).unwrap();
        assert!(!packets.is_empty());
    }
}
