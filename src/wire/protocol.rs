//! The version of AG-UI that a server speaks, and what older ones lack.

/// The AG-UI version that requests declare.
pub const PROTOCOL_VERSION: &str = "1.0";

/// The newest version that the server knows: 1.0, or one of the 0.0.x before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol(u16);

impl Protocol {
    /// AG-UI 1.0.
    pub const CURRENT: Self = Self(u16::MAX);

    /// Reads `1.0` or `0.0.x`.
    pub fn parse(version: &str) -> Option<Self> {
        if version == PROTOCOL_VERSION {
            return Some(Self::CURRENT);
        }
        let digits = version.strip_prefix("0.0.").filter(|digits| digits.len() <= 3)?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        digits.parse::<u64>().ok().filter(|_| plain).map(|number| Self(number as u16))
    }

    /// Whether requests declare their version.
    pub fn versions(self) -> bool {
        self == Self::CURRENT
    }

    /// Whether there are subagents: their events, and `subagentRunId` on what they make.
    pub fn tags(self) -> bool {
        self.0 > 57
    }

    /// Whether media are `image`, `audio`, `video` and `document` parts, not `binary` ones.
    pub fn media_parts(self) -> bool {
        self.0 > 47
    }

    /// Whether content may be a list of parts, or absent.
    pub fn part_lists(self) -> bool {
        self.0 > 39
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(Protocol::parse("1.0"), Some(Protocol::CURRENT));
        let old = |version: &str| {
            let protocol = Protocol::parse(version).unwrap();
            [protocol.versions(), protocol.tags(), protocol.media_parts(), protocol.part_lists()]
        };
        assert_eq!(old("1.0"), [true; 4]);
        assert_eq!(old("0.0.59"), [false, true, true, true]);
        assert_eq!(old("0.0.58"), old("0.0.59"));
        assert_eq!(old("0.0.57"), [false, false, true, true]);
        assert_eq!(old("0.0.47"), [false, false, false, true]);
        assert_eq!(old("0.0.39"), [false; 4]);
        for wrong in ["", "1", "1.1", "2.0", "1.0.0", "0.1.0", "0.0", "0.0.", "0.0.x", "0.0.+1", "0.0.07", "0.0.1234"] {
            assert_eq!(Protocol::parse(wrong), None, "{wrong}");
        }
    }
}
