//! The thread before a run, to go back to when the run is told again from its beginning.

use super::entry::{CallPhase, Entry};
use super::{At, Index, Thread};
use crate::wire::{JsonWriter, Raw, write_value};

/// What a run may change, as it was.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    messages: Index,
    /// JSON text.
    state: String,
}

impl Checkpoint {
    /// Writes it as JSON text, for [`Self::read`].
    pub(crate) fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.strings("messages", self.messages.keys().map(String::as_str)).json("state", &self.state);
        object.close();
    }

    pub(crate) fn read(raw: Raw<'_>) -> Option<Self> {
        let fields = raw.object()?;
        let mut messages = Index::new();
        for id in fields.get("messages")?.array()? {
            messages.insert(id.string()?.into_owned(), At { message: 0, call: 0 });
        }
        Some(Self { messages, state: fields.get("state")?.text().to_owned() })
    }

    /// The application gives the messages of the thread. Those that are new there are not the run's to tell.
    pub(crate) fn keep(&mut self, given: Raw<'_>, thread: &mut Thread) {
        let id = |raw: Raw<'_>| raw.object()?.get("id")?.string().map(String::from);
        for id in given.array().unwrap_or_default().into_iter().filter_map(id) {
            if thread.list.find(&id).is_none() {
                self.messages.insert(id, At { message: 0, call: 0 });
            }
        }
    }
}

/// An answer that the page has given to a call.
#[derive(Debug)]
pub(crate) struct LocalAnswer {
    pub call: String,
    pub content: String,
    pub error: Option<String>,
    pub denied: bool,
}

impl Entry {
    fn denied(&self) -> impl Iterator<Item = String> {
        let calls = self.message.tool_calls.iter().zip(&self.calls);
        calls.filter(|(_, state)| state.phase == CallPhase::Denied).map(|(call, _)| call.id.clone())
    }
}

impl Thread {
    /// Notes where the thread stands.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let mut messages = Index::new();
        for (message, entry) in self.list.entries().iter().enumerate() {
            messages.insert(entry.message.id.clone(), At { message, call: 0 });
        }
        let mut state = String::new();
        write_value(&mut state, &self.state.value);
        Checkpoint { messages, state }
    }

    /// Forgets what the run has told since. Gives the answers that the page has added to its calls, for they do not come
    /// again.
    pub(crate) fn go_back(&mut self, checkpoint: &Checkpoint) -> Vec<LocalAnswer> {
        let mut answers = Vec::new();
        let mut entries = self.list.take();
        let mut kept_calls = Index::new();
        for entry in entries.iter().filter(|entry| checkpoint.messages.contains_key(&entry.message.id)) {
            for call in &entry.message.tool_calls {
                kept_calls.insert(call.id.clone(), At { message: 0, call: 0 });
            }
        }
        let denied: Vec<String> = entries.iter().flat_map(Entry::denied).collect();
        entries.retain(|entry| {
            let answers_kept = entry.message.tool_call_id.as_ref().is_some_and(|call| kept_calls.contains_key(call));
            let keep = checkpoint.messages.contains_key(&entry.message.id) || entry.local && answers_kept;
            if let (false, true, Some(call)) = (keep, entry.local, &entry.message.tool_call_id) {
                answers.push(LocalAnswer {
                    call: call.clone(),
                    content: entry.message.content.text().to_owned(),
                    error: entry.message.error.clone(),
                    denied: denied.contains(call),
                });
            }
            keep
        });
        self.list.replace(entries);
        if let Ok(state) = Raw::parse(&checkpoint.state, usize::MAX) {
            self.state.receive(state);
        }
        self.report.started();
        answers
    }
}
