//! Text and reasoning messages.

use super::entry::{Delivery, Entry, Reasoning};
use super::{MAX_EARLY_VALUES, Thread};
use crate::wire::{Content, Event, Message, Raw, Role, Str, shown_id};

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
                let mut message = Message::new(id, role);
                message.content = Content::Text(String::new());
                message.name = name.map(Str::to_text);
                self.open_message(message, owner)
            }
        };
        let Some(entry) = self.list.change(at) else { return };
        // Reasoning that has the id of the answer belongs to the answer.
        if entry.message.role == Role::Reasoning {
            entry.fold(role, Content::Text(String::new()));
            entry.message.name = name.map(Str::to_text);
        }
        entry.text_open = true;
        entry.reopen(metadata);
        self.list.opens(at);
        self.list.classify(at);
    }

    /// Appends a message that a stream writes to.
    pub(super) fn open_message(&mut self, mut message: Message, owner: Option<&str>) -> usize {
        message.subagent_run_id = owner.map(Into::into);
        if let Some(value) = self.take_early_value(false, &message.id) {
            message.encrypted_value = Some(value);
        }
        let mut entry = Entry::new(message, Delivery::Streaming);
        entry.streamed = true;
        self.list.push(entry)
    }

    /// Whether a stream may write into the message at `at`: into one that a stream made, or into the assistant's own.
    /// What the user wrote is never overwritten.
    fn may_write(&mut self, at: usize, event: &'static str) -> bool {
        let may = self
            .list
            .get(at)
            .is_some_and(|entry| entry.streamed || matches!(entry.message.role, Role::Assistant | Role::Reasoning))
            && self.list.get(at).is_some_and(|entry| entry.message.role != Role::Activity);
        if !may {
            self.warn("message-not-streamable", event, "the id belongs to a message that no stream may write to");
        }
        may
    }

    /// The message that a content or END event is about.
    fn target(&mut self, id: &str, event: &'static str) -> Option<usize> {
        match self.list.find(id) {
            Some(at) if self.list.get(at).is_some_and(|entry| entry.delivery == Delivery::Streaming) => Some(at),
            Some(at) => self.may_write(at, event).then_some(at),
            None => {
                self.warn("message-unknown", event, format!("no message has the id \"{}\"", shown_id(id)));
                None
            }
        }
    }

    pub(super) fn text_content(&mut self, id: &str, delta: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.target(id, "TEXT_MESSAGE_CONTENT") else { return };
        let Some(entry) = self.list.change(at) else { return };
        if !matches!(entry.message.content, Content::Text(_)) {
            entry.unsent.whole = true;
        }
        entry.message.content.append(delta);
        entry.unsent.metadata.merge(&mut entry.message.metadata, metadata);
    }

    /// The text of a message that a stream has made is this one.
    pub(crate) fn replace_text(&mut self, id: &str, text: String) {
        let Some(entry) = self.list.find(id).and_then(|at| self.list.change(at)).filter(|entry| entry.streamed) else {
            return;
        };
        entry.message.content = Content::Text(text);
        entry.unsent.replaced = true;
    }

    pub(super) fn reasoning_start(&mut self, id: &str, owner: Option<&str>, metadata: Option<Raw<'_>>, now: f64) {
        let at = match self.list.find(id) {
            Some(at) if !self.may_write(at, "REASONING_MESSAGE_START") => return,
            Some(at) => at,
            None => {
                let mut message = Message::new(id, Role::Reasoning);
                message.content = Content::Text(String::new());
                self.open_message(message, owner)
            }
        };
        let Some(entry) = self.list.change(at) else { return };
        entry.reasoning_time.start(now);
        if entry.message.role != Role::Reasoning && entry.reasoning.is_none() {
            entry.reasoning = Some(Reasoning { text: String::new(), encrypted_value: None });
            entry.unsent.whole = true;
        }
        entry.reopen(metadata);
        self.list.opens(at);
    }

    pub(super) fn reasoning_content(&mut self, id: &str, delta: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.target(id, "REASONING_MESSAGE_CONTENT") else { return };
        let Some(entry) = self.list.change(at) else { return };
        match (&mut entry.reasoning, entry.message.role) {
            (Some(reasoning), _) => reasoning.text.push_str(delta),
            (None, Role::Reasoning) => entry.message.content.append(delta),
            // No START said so, but reasoning is no part of an answer.
            (reasoning, _) => {
                *reasoning = Some(Reasoning { text: delta.to_owned(), encrypted_value: None });
                entry.unsent.whole = true;
            }
        }
        entry.unsent.metadata.merge(&mut entry.message.metadata, metadata);
    }

    pub(super) fn message_end(&mut self, id: &str, event: &Event<'_>, metadata: Option<Raw<'_>>, now: f64) {
        let Some(at) = self.target(id, event.name()) else { return };
        let Some(entry) = self.list.change(at) else { return };
        if matches!(event, Event::TextMessageEnd { .. }) {
            entry.text_open = false;
            entry.complete();
        } else {
            entry.unsent.duration |= entry.reasoning_time.stop(now);
            entry.complete_if_idle();
        }
        entry.unsent.metadata.merge(&mut entry.message.metadata, metadata);
    }

    pub(super) fn encrypted_value(&mut self, of_call: bool, id: &str, value: &str) {
        if of_call && let Some(at) = self.list.find_call(id) {
            if let Some((call, state)) = self.list.change_call(at) {
                call.encrypted_value = Some(value.to_owned());
                state.encrypted_value = true;
            }
        } else if !of_call && let Some(at) = self.list.find(id) {
            let Some(entry) = self.list.change(at).filter(|entry| entry.message.role != Role::Activity) else { return };
            entry.unsent.encrypted_value = true;
            match &mut entry.reasoning {
                Some(reasoning) => reasoning.encrypted_value = Some(value.to_owned()),
                None => entry.message.encrypted_value = Some(value.to_owned()),
            }
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
        self.unsent.delivery |= self.delivery != Delivery::Streaming;
        self.delivery = Delivery::Streaming;
        self.streamed = true;
        self.unsent.metadata.merge(&mut self.message.metadata, metadata);
    }
}
