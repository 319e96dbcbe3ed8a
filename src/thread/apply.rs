//! Applies an event to the thread.

use super::interrupts::list_of;
use super::*;

impl Thread {
    /// Reduces one event. `now` is in milliseconds since 1970.
    pub fn apply(&mut self, incoming: &Incoming<'_>, now: f64) {
        let owner = incoming.subagent_run_id.map(Str::decode);
        let owner = owner.as_deref();
        let metadata = incoming.metadata;
        let [id, text] = incoming.event.texts().map(|text| text.unwrap_or_default().decode());
        let (id, text) = (&*id, &*text);
        match incoming.event {
            Event::TextMessageContent { .. } => self.message_content(DeltaKind::Text, id, text, metadata),
            Event::ToolCallArgs { .. } => self.call_args(id, text, metadata),
            Event::ReasoningMessageContent { .. } => self.message_content(DeltaKind::Reasoning, id, text, metadata),
            Event::StateDelta { delta } => self.state_delta(delta),
            Event::StateSnapshot { snapshot } => self.state_snapshot(snapshot),
            Event::TextMessageStart { role, name, .. } => self.text_start(id, role, name, owner, metadata),
            Event::ReasoningMessageStart { .. } => self.reasoning_start(id, owner, metadata, now),
            Event::TextMessageEnd { .. } | Event::ReasoningMessageEnd { .. } => {
                self.message_end(id, &incoming.event, metadata, now)
            }
            Event::ToolCallStart { parent_message_id, .. } => {
                self.call_start(id, text, parent_message_id, owner, metadata)
            }
            Event::ToolCallEnd { .. } => self.call_end(id, metadata),
            Event::ToolCallResult { content, .. } => self.call_result(id, text, content, owner, metadata),
            Event::ReasoningEncryptedValue { subtype, .. } => {
                self.encrypted_value(subtype.raw() == "tool-call", id, text)
            }
            Event::MessagesSnapshot { messages } => self.messages_snapshot(messages, metadata),
            Event::ActivitySnapshot { content, replace, .. } => {
                self.activity_snapshot(id, text, content, replace, owner, metadata)
            }
            Event::ActivityDelta { patch, .. } => self.activity_delta(id, text, patch, metadata),
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
