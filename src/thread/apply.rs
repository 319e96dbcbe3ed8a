//! Applies an event to the thread.

use super::interrupts::list_of;
use super::*;

/// What the reducer is told by most events.
#[derive(Clone, Copy)]
pub(super) struct Told<'e> {
    /// The `type` of the event.
    pub event: &'static str,
    /// The id that it is about, and what it brings for that: see [`Event::texts`].
    pub id: &'e str,
    pub text: &'e str,
    /// The subagent that it happened in.
    pub owner: Option<&'e str>,
    pub metadata: Option<Raw<'e>>,
    /// Milliseconds since 1970.
    pub now: f64,
}

impl Thread {
    /// Reduces one event. `now` is in milliseconds since 1970.
    pub fn apply(&mut self, incoming: &Incoming<'_>, now: f64) {
        let owner = incoming.subagent_run_id.map(Str::decode);
        let owner = owner.as_deref();
        let metadata = incoming.metadata;
        let [id, text] = incoming.event.texts().map(|text| text.unwrap_or_default().decode());
        let (id, text) = (&*id, &*text);
        let told = &Told { event: incoming.event.name(), id, text, owner, metadata, now };
        match incoming.event {
            Event::TextMessageContent { .. } => self.message_content(DeltaKind::Text, id, text, metadata),
            Event::ToolCallArgs { .. } => self.call_args(id, text, metadata),
            Event::ReasoningMessageContent { .. } => self.message_content(DeltaKind::Reasoning, id, text, metadata),
            Event::StateDelta { delta } => self.state_delta(delta),
            Event::StateSnapshot { snapshot } => self.state_snapshot(snapshot),
            Event::TextMessageStart { role, name, .. } => self.text_start(told, role, name),
            Event::ReasoningMessageStart { .. } => self.reasoning_start(told),
            Event::TextMessageEnd { .. } => self.text_end(told),
            Event::ReasoningMessageEnd { .. } => self.reasoning_end(told),
            Event::ToolCallStart { parent_message_id, .. } => self.call_start(told, parent_message_id),
            Event::ToolCallEnd { .. } => self.call_end(told),
            Event::ToolCallResult { content, .. } => self.call_result(told, content),
            Event::ReasoningEncryptedValue { subtype, .. } => {
                self.encrypted_value(subtype.raw() == "tool-call", id, text)
            }
            Event::MessagesSnapshot { messages } => self.messages_snapshot(messages, metadata),
            Event::ActivitySnapshot { content, replace, .. } => self.activity_snapshot(told, content, replace),
            Event::ActivityDelta { patch, .. } => self.activity_delta(told, patch),
            Event::RunStarted { input, .. } => self.run_started(input),
            Event::RunFinished { outcome, usage, .. } => self.run_finished(outcome, usage),
            Event::RunError { usage, .. } => self.report.add_usage(usage),
            Event::StepStarted { .. }
            | Event::StepFinished { .. }
            | Event::SubagentStarted { .. }
            | Event::SubagentFinished { .. }
            | Event::SubagentError { .. } => self.report.apply(incoming.event, owner, now),
            // Spans of reasoning are no messages; RAW and CUSTOM go to listeners; chunks were expanded before.
            Event::ReasoningStart { .. } | Event::ReasoningEnd { .. } | Event::Raw { .. } | Event::Custom { .. } => {}
            Event::TextMessageChunk { .. } | Event::ToolCallChunk { .. } | Event::ReasoningMessageChunk { .. } => {}
        }
    }

    fn state_delta(&mut self, delta: Raw<'_>) {
        let applied = self.state.patch(delta, self.limits, &mut self.copies);
        self.warn_of_patch("STATE_DELTA", "state-patch-failed", applied);
    }

    fn state_snapshot(&mut self, snapshot: Raw<'_>) {
        let tree = self.ahead.as_mut().and_then(|ahead| ahead.state(snapshot));
        let received = self.state.receive(snapshot, tree, self.limits);
        received.into_iter().for_each(|exceeded| self.exceed(exceeded));
    }

    fn messages_snapshot(&mut self, messages: Raw<'_>, metadata: Option<Raw<'_>>) {
        let ahead = self.ahead.as_mut().and_then(|ahead| ahead.messages(messages));
        let given = self.receive(ahead.unwrap_or_else(|| NewMessages::read(messages)));
        let mut merged = Merged::default();
        self.review.answered.extend(merge::merge(
            &mut self.list,
            given,
            &Authority::read(metadata),
            self.local_order,
            &mut merged,
        ));
        self.settle_results(merged, true);
    }

    fn run_started(&mut self, input: Option<Raw<'_>>) {
        self.report.started();
        let messages = input.and_then(Raw::object).and_then(|input| input.some("messages"));
        if let Some(messages) = messages {
            let given = self.receive(NewMessages::read(messages));
            self.add(given);
        }
    }

    fn run_finished(&mut self, outcome: Option<Raw<'_>>, usage: Option<Raw<'_>>) {
        self.report.add_usage(usage);
        let list = outcome.and_then(list_of);
        let interrupts = &mut self.report.interrupts;
        let unreadable = match list.and_then(|list| self.ahead.as_mut()?.interrupts(list)) {
            Some(read) => interrupts.take(read),
            None => interrupts.set(list, self.tags),
        };
        if self.list.repeats() {
            interrupts.number_calls(&mut self.list);
        }
        for id in unreadable {
            let id = shown_id(&id);
            let message = format!("the \"expiresAt\" of interrupt \"{id}\" is no ISO 8601: it never expires");
            self.warn("interrupt-expiry", "RUN_FINISHED", message);
        }
    }
}
