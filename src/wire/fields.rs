//! The fields of protobuf messages, in place: tags, lengths, groups. Uses the errors of `protobuf`.

use super::undecodable::Undecodable;

pub(super) type FieldResult<T> = Result<T, Undecodable>;

pub(super) const MALFORMED: Undecodable = Undecodable::Broken("malformed field");

/// How deep groups, which AG-UI has none of, may be nested.
const GROUPS: usize = 100;

/// The content of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Payload<'a> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
    // Neither is anything that AG-UI has.
    FourBytes,
    Group,
}

/// The fields of one message, in order.
pub(super) struct Wire<'a>(pub &'a [u8]);

impl<'a> Wire<'a> {
    pub fn next(&mut self) -> FieldResult<Option<(u32, Payload<'a>)>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        self.field().map(Some).ok_or(MALFORMED)
    }

    fn field(&mut self) -> Option<(u32, Payload<'a>)> {
        let (number, kind) = self.tag()?;
        Some((number, self.payload(number, kind, GROUPS)?))
    }

    fn tag(&mut self) -> Option<(u32, u32)> {
        let tag = self.short()?;
        let (number, kind) = (tag >> 3, tag & 7);
        (number > 0).then_some((number, kind))
    }

    fn payload(&mut self, number: u32, kind: u32, groups: usize) -> Option<Payload<'a>> {
        Some(match kind {
            0 => Payload::Varint(self.varint()?),
            1 => Payload::Fixed(u64::from_le_bytes(*self.take(8)?.first_chunk()?)),
            2 => {
                let length = self.short()?;
                Payload::Bytes(self.take(length as usize)?)
            }
            3 => {
                loop {
                    match self.tag()? {
                        (end, 4) if end == number => break,
                        (_, 4) => return None,
                        (inner, kind) => self.payload(inner, kind, groups.checked_sub(1)?)?,
                    };
                }
                Payload::Group
            }
            5 => {
                self.take(4)?;
                Payload::FourBytes
            }
            _ => return None,
        })
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// Tags and lengths have 32 bits in at most five bytes.
    fn short(&mut self) -> Option<u32> {
        let before = self.0.len();
        let value = u32::try_from(self.varint()?).ok()?;
        (before - self.0.len() <= 5).then_some(value)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in 0..10 {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7F) << (shift * 7);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

/// Every occurrence of a field that holds bytes.
pub(super) fn each<'a>(
    pieces: &[&'a [u8]],
    wanted: u8,
    item: &mut dyn FnMut(&'a [u8]) -> FieldResult<()>,
) -> FieldResult<()> {
    for piece in pieces {
        let mut wire = Wire(piece);
        while let Some((number, payload)) = wire.next()? {
            if let (true, Payload::Bytes(bytes)) = (number == u32::from(wanted), payload) {
                item(bytes)?;
            }
        }
    }
    Ok(())
}

/// Whether bytes are a well-formed message, of whatever kind.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    let mut wire = Wire(bytes);
    while let Ok(field) = wire.next() {
        if field.is_none() {
            return true;
        }
    }
    false
}
