//! Text and reasoning messages.

use super::entry::Entry;
use super::{MAX_EARLY_VALUES, Thread};
use crate::document::*;
use crate::wire::{DeltaKind, Event, Raw, Str, shown_id};

impl Thread {
    pub(super) fn text_start(
        &mut self,
        id: &str,
        role: Option<Str<'_>>,
        name: Option<Str<'_>>,
        owner: Option<&str>,
        metadata: Option<Raw<'_>>,
    ) {
        const EVENT: &str = "TEXT_MESSAGE_START";
        let role = match role.map(|role| Role::parse(&role.decode())) {
            None => Role::Assistant,
            Some(Some(role @ (Role::Developer | Role::System | Role::Assistant | Role::User))) => role,
            _ => {
                self.warn("event-malformed", EVENT, "the role is not one of AG-UI 1.0; read as assistant");
                Role::Assistant
            }
        };
        let at = match self.list.find(id) {
            Some(at) if !self.may_write(at, EVENT) => return,
            Some(at) => at,
            None => {
                let mut message = message(id, role);
                message.set_text(CONTENT, "");
                message.set_some(NAME, name.map(Str::decode).as_deref());
                self.open_message(message, owner)
            }
        };
        let Some(entry) = self.list.change(at) else { return };
        // Reasoning that has the id of the answer belongs to the answer.
        if entry.role() == Role::Reasoning {
            entry.fold(role, Value::Text(String::new()));
            entry.row.set_some(NAME, name.map(Str::decode).as_deref());
        }
        entry.text_open = true;
        entry.reopen(metadata);
        self.list.change(at);
        self.list.classify(at);
    }

    /// Appends a message that a stream writes to.
    pub(super) fn open_message(&mut self, mut message: Row, owner: Option<&str>) -> usize {
        message.set_some(OWNER, owner);
        if let Some(value) = self.take_early_value(false, message.text(ID)) {
            message.set(ENCRYPTED, Value::Text(value));
        }
        let mut entry = Entry::new(message);
        entry.set_delivery(Delivery::Streaming);
        entry.streamed = true;
        self.list.push(entry)
    }

    /// Whether a stream may write into the message at `at`: into one that a stream made, or into the assistant's own.
    /// A message of the user is never overwritten.
    fn may_write(&mut self, at: usize, event: &'static str) -> bool {
        let may = self.list.get(at).is_some_and(|entry| match entry.role() {
            Role::Activity => false,
            role => entry.streamed || matches!(role, Role::Assistant | Role::Reasoning),
        });
        if !may {
            self.warn("message-not-streamable", event, "the id belongs to a message that no stream may write to");
        }
        may
    }

    /// The message that a content or END event is about.
    fn target(&mut self, id: &str, event: &'static str) -> Option<usize> {
        match self.list.find(id) {
            Some(at) if self.list.get(at).is_some_and(|entry| entry.delivery() == Delivery::Streaming) => Some(at),
            Some(at) => self.may_write(at, event).then_some(at),
            None => {
                self.warn("message-unknown", event, format!("no message has the id \"{}\"", shown_id(id)));
                None
            }
        }
    }

    /// Text, or reasoning.
    pub(super) fn message_content(&mut self, kind: DeltaKind, id: &str, delta: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.target(id, kind.names().0) else { return };
        let Some(entry) = self.list.change(at) else { return };
        // Without a START, too: reasoning is no part of an answer.
        let of_answer = kind == DeltaKind::Reasoning && entry.role() != Role::Reasoning;
        entry.row.grow(if of_answer { REASONING } else { CONTENT }, delta);
        entry.row.merge(METADATA, metadata);
    }

    /// The text of a message that a stream has made is this one.
    pub(crate) fn replace_text(&mut self, id: &str, text: String) {
        let Some(entry) = self.list.find(id).and_then(|at| self.list.change(at)).filter(|entry| entry.streamed) else {
            return;
        };
        entry.row.set(CONTENT, Value::Text(text));
    }

    pub(super) fn reasoning_start(&mut self, id: &str, owner: Option<&str>, metadata: Option<Raw<'_>>, now: f64) {
        let at = match self.list.find(id) {
            Some(at) if !self.may_write(at, "REASONING_MESSAGE_START") => return,
            Some(at) => at,
            None => {
                let mut message = message(id, Role::Reasoning);
                message.set_text(CONTENT, "");
                self.open_message(message, owner)
            }
        };
        let Some(entry) = self.list.change(at) else { return };
        entry.reasons.start(now);
        if entry.role() != Role::Reasoning && !entry.row.has(REASONING) {
            entry.row.set_text(REASONING, "");
        }
        entry.reopen(metadata);
        self.list.change(at);
    }

    pub(super) fn message_end(&mut self, id: &str, event: &Event<'_>, metadata: Option<Raw<'_>>, now: f64) {
        let Some(at) = self.target(id, event.name()) else { return };
        let Some(entry) = self.list.change(at) else { return };
        if matches!(event, Event::TextMessageEnd { .. }) {
            entry.text_open = false;
            entry.complete();
        } else {
            entry.stop_reasoning(now);
            entry.complete_if_idle();
        }
        entry.row.merge(METADATA, metadata);
    }

    pub(super) fn encrypted_value(&mut self, of_call: bool, id: &str, value: &str) {
        if of_call && let Some(at) = self.list.find_call(id) {
            if let Some(call) = self.list.change_call(at) {
                call.row.set_text(ENCRYPTED_VALUE, value);
            }
        } else if !of_call && let Some(at) = self.list.find(id) {
            let Some(entry) = self.list.change(at).filter(|entry| entry.role() != Role::Activity) else { return };
            let member = if entry.row.has(REASONING) { REASONING_ENCRYPTED } else { ENCRYPTED };
            entry.row.set_text(member, value);
        } else if self.early_values.len() < MAX_EARLY_VALUES {
            self.early_values.push((of_call, id.to_owned(), value.to_owned()));
        }
    }

    /// The value that came before the message or call it belongs to.
    pub(super) fn take_early_value(&mut self, of_call: bool, id: &str) -> Option<String> {
        let at = self.early_values.iter().rposition(|(call, of, _)| *call == of_call && of == id)?;
        Some(self.early_values.remove(at).2)
    }
}

impl Entry {
    fn reopen(&mut self, metadata: Option<Raw<'_>>) {
        self.set_delivery(Delivery::Streaming);
        self.streamed = true;
        self.row.merge(METADATA, metadata);
    }
}
