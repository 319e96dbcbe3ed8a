//! The fast way for the three events that streams consist of.
//!
//! A frame that is nothing but a content event with the usual members is read in one pass, without a list of members:
//! three times as fast as the general way (`event.rs`), which takes every other frame, and decides what is wrong with one.

use super::event::{Event, Incoming, Str};
use super::text::unescape;

/// The event, if `frame` is a TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS or REASONING_MESSAGE_CONTENT with no other members
/// than its id, its delta, a timestamp and a `subagentRunId`.
pub(super) fn read(frame: &str) -> Option<Incoming<'_>> {
    let mut rest = Rest(frame);
    let (mut name, mut message_id, mut tool_call_id, mut delta, mut owner) = (None, None, None, None, None);
    let mut open = b'{';
    loop {
        match rest.next()? {
            byte if byte == open => open = b',',
            b'}' if open == b',' => break,
            _ => return None,
        }
        rest.expect(b'"')?;
        let place = match rest.key()? {
            "type" => &mut name,
            "messageId" => &mut message_id,
            "delta" => &mut delta,
            "toolCallId" => &mut tool_call_id,
            "subagentRunId" => &mut owner,
            "timestamp" => {
                rest.expect(b':')?;
                rest.digits()?;
                continue;
            }
            _ => return None,
        };
        rest.expect(b':')?;
        rest.expect(b'"')?;
        *place = Some(rest.string()?);
    }
    let delta = delta?;
    let event = match (name?.0, message_id, tool_call_id) {
        ("TEXT_MESSAGE_CONTENT", Some(message_id), None) => Event::TextMessageContent { message_id, delta },
        ("TOOL_CALL_ARGS", None, Some(tool_call_id)) => Event::ToolCallArgs { tool_call_id, delta },
        ("REASONING_MESSAGE_CONTENT", Some(message_id), None) => Event::ReasoningMessageContent { message_id, delta },
        _ => return None,
    };
    rest.0.bytes().all(|b| b == b' ').then_some(Incoming { event, subagent_run_id: owner, metadata: None })
}

/// What is not read yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// The next byte that is no space.
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.0.as_bytes().first()?;
            // What is not ASCII is nothing that is looked for here.
            self.0 = self.0.get(1..)?;
            if byte != b' ' {
                return Some(byte);
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a str> {
        let taken = self.0.get(..length)?;
        self.0 = self.0.get(length + 1..)?;
        Some(taken)
    }

    /// A key up to its closing quote. Keys are short, so a plain loop beats a vectorised search.
    fn key(&mut self) -> Option<&'a str> {
        let end = self.0.bytes().position(|b| b == b'"')?;
        self.take(end)
    }

    /// A string up to its closing quote.
    fn string(&mut self) -> Option<Str<'a>> {
        let bytes = self.0.as_bytes();
        let mut end = memchr::memchr2(b'"', b'\\', bytes)?;
        let escaped = bytes.get(end) == Some(&b'\\');
        while bytes.get(end) == Some(&b'\\') {
            end += 2;
            end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
        }
        let text = self.take(end)?;
        // A fold without an early exit, so that it vectorises.
        let controls = text.bytes().fold(false, |found, b| found | (b < 0x20));
        if controls || (escaped && unescape(text).is_err()) {
            return None;
        }
        Some(Str(text))
    }

    /// A number that is digits and nothing else.
    fn digits(&mut self) -> Option<()> {
        let length = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let zero = self.0.starts_with('0');
        self.0 = self.0.get(length..)?;
        (length == 1 || (length > 1 && !zero)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_takes_is_what_the_general_way_reads() {
        let taken = [
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\n\"b\\"}"#,
            r#" { "delta" : "" , "messageId" : "ü" , "type" : "REASONING_MESSAGE_CONTENT" } "#,
            r#"{"type":"TOOL_CALL_ARGS","timestamp":17,"toolCallId":"t","delta":"{","subagentRunId":"s","delta":"[\ud83d"}"#,
        ];
        for frame in taken {
            let fast = format!("{:?}", read(frame).expect(frame));
            assert_eq!(fast, format!("{:?}", Incoming::read_general(frame, 9).unwrap()), "{frame}");
        }
        let left = [
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","metadata":{}}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a",}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\x"}"#,
            "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\t\"}",
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":7}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","timestamp":01,"delta":"a"}"#,
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}"#,
            r#"{,"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m","delta":"a"}"#,
            "",
            "ü",
        ];
        for frame in left {
            assert!(read(frame).is_none(), "{frame}");
        }
    }
}
