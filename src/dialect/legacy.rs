//! THINKING_* events of AG-UI 0.0 → REASONING_* events.
//!
//! The old events carry no ids. There is one span and one message at a time, so each START makes an id that
//! holds until its END; an END or content without its START gets a fresh one, which the rules of order then judge.

use crate::wire::{Fields, JsonWriter, frame_type, hash};
use std::borrow::Cow;

/// Bytes of a run's id that become part of other ids.
const LONGEST: usize = 100;

/// The span and the message that are open.
#[derive(Debug, Default)]
pub struct Thinking {
    made: u32,
    span: Option<String>,
    message: Option<String>,
}

impl Thinking {
    /// A new run: nothing is open.
    pub fn clear(&mut self) {
        self.span = None;
        self.message = None;
    }

    /// The frame as AG-UI 1.0 has it, where it is one of the old events. `run_id` makes the ids unique.
    pub fn convert(&mut self, fields: &Fields<'_>, run_id: &str) -> Option<String> {
        let old = frame_type(fields).ok()?;
        let (register, name, begins, ends) = match old.strip_prefix("THINKING_")? {
            "START" => (&mut self.span, "REASONING_START", true, false),
            "END" => (&mut self.span, "REASONING_END", false, true),
            "TEXT_MESSAGE_START" => (&mut self.message, "REASONING_MESSAGE_START", true, false),
            "TEXT_MESSAGE_CONTENT" => (&mut self.message, "REASONING_MESSAGE_CONTENT", false, false),
            "TEXT_MESSAGE_END" => (&mut self.message, "REASONING_MESSAGE_END", false, true),
            _ => return None,
        };
        if begins || register.is_none() {
            self.made = self.made.wrapping_add(1);
            *register = Some(format!("{}-thinking-{}", short(run_id), self.made));
        }
        let id = if ends { register.take() } else { register.clone() }.unwrap_or_default();
        Some(JsonWriter::object_text(|object| {
            object.string("type", name).string("messageId", &id);
            if name == "REASONING_MESSAGE_START" {
                object.string("role", "reasoning");
            }
            for (key, value) in
                fields.iter().filter(|(key, _)| !matches!(&**key, "type" | "messageId" | "role" | "title"))
            {
                object.json(&key, value.text());
            }
        }))
    }
}

/// A run's id, or what stands for a long one: each event that is made has it.
fn short(run_id: &str) -> Cow<'_, str> {
    if run_id.len() <= LONGEST {
        return run_id.into();
    }
    hash(run_id).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame_fields;

    #[test]
    fn each_start_has_an_id_of_its_own_until_its_end() {
        let mut thinking = Thinking::default();
        let mut convert = |members: &str| {
            let frame = format!("{{\"type\":\"THINKING_{members}}}");
            thinking.convert(&frame_fields(&frame, 9).unwrap(), "r").unwrap()
        };
        assert_eq!(convert("START\",\"title\":\"t\""), r#"{"type":"REASONING_START","messageId":"r-thinking-1"}"#);
        assert_eq!(
            convert("TEXT_MESSAGE_START\",\"messageId\":\"own\""),
            r#"{"type":"REASONING_MESSAGE_START","messageId":"r-thinking-2","role":"reasoning"}"#
        );
        assert_eq!(
            convert("TEXT_MESSAGE_CONTENT\",\"delta\":\"\\ud83d\",\"timestamp\":1"),
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"r-thinking-2","delta":"\ud83d","timestamp":1}"#
        );
        assert_eq!(convert("TEXT_MESSAGE_END\""), r#"{"type":"REASONING_MESSAGE_END","messageId":"r-thinking-2"}"#);
        assert_eq!(convert("TEXT_MESSAGE_END\""), r#"{"type":"REASONING_MESSAGE_END","messageId":"r-thinking-3"}"#);
        assert_eq!(convert("END\""), r#"{"type":"REASONING_END","messageId":"r-thinking-1"}"#);
    }

    #[test]
    fn other_frames_are_left_alone() {
        let mut thinking = Thinking::default();
        for frame in [r#"{"type":"CUSTOM","name":"THINKING_START"}"#, r#"{"type":"THINKING_HARD"}"#, "{}"] {
            assert_eq!(thinking.convert(&frame_fields(frame, 9).unwrap(), "r"), None, "{frame}");
        }
    }
}
