//! Events that wait until the caller has settled those before them.

use crate::wire::{Delta, DeltaKind, Event, Fields, Incoming, JsonWriter, Str, Wanted, write_json};
use std::collections::VecDeque;

/// One event that waits.
#[derive(Debug)]
pub(super) struct WaitingEvent {
    /// JSON text; without its end, where `joins`.
    json: String,
    /// The caller asked for it.
    pub wanted: bool,
    /// The caller has it.
    own: bool,
    /// Deltas of this message or call may be added.
    joins: Option<(DeltaKind, String)>,
}

/// The end of a delta that others may join.
const END: &str = "\"}";

impl WaitingEvent {
    pub fn new(json: String, wanted: bool, own: bool) -> Self {
        Self { json, wanted, own, joins: None }
    }

    /// The event as the reducer reads it.
    pub fn json(mut self) -> String {
        if self.joins.is_some() {
            self.json.push_str(END);
        }
        self.json
    }

    /// The event for JavaScript.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        if !self.own {
            write_json(&mut shown, &self.json);
            if self.joins.is_some() {
                shown.push_str(END);
            }
        }
        shown
    }
}

/// Events in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    steps: VecDeque<WaitingEvent>,
    /// Whether deltas that the caller asked for are joined. Others always are.
    join: bool,
    /// The first one was returned: nothing may be added to it.
    shown: bool,
}

impl Waiting {
    pub fn new(join: bool) -> Self {
        Self { join, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub fn clear(&mut self) {
        self.steps.clear();
    }

    pub fn add(&mut self, step: WaitingEvent) {
        self.steps.push_back(step);
    }

    /// Adds a delta; `text` is its event, where it is only one. Whether the next one that is alike may come without being
    /// judged.
    pub fn add_delta(&mut self, delta: &Delta<'_>, text: Option<&str>, wanted: &Wanted) -> bool {
        let Delta { kind, id, delta } = *delta;
        let asked = wanted.delta(kind);
        let joins = self.join || !asked;
        if !joins {
            let json = text.map_or_else(|| begin(kind, id, delta) + END, Into::into);
            self.add(WaitingEvent::new(json, true, false));
            return false;
        }
        let shown = self.shown && self.steps.len() == 1;
        if let Some(last) = self.steps.back_mut().filter(|_| !shown)
            && let Some((open, open_id)) = &last.joins
            && *open == kind
            && Str::from_raw(open_id) == id
        {
            last.json.push_str(delta.raw());
            return true;
        }
        let joins = Some((kind, id.raw().to_owned()));
        self.add(WaitingEvent { json: begin(kind, id, delta), wanted: asked, own: false, joins });
        true
    }

    /// The one whose turn it is.
    pub fn first(&mut self) -> Option<&WaitingEvent> {
        self.shown = true;
        self.steps.front()
    }

    pub fn take(&mut self) -> Option<WaitingEvent> {
        self.shown = false;
        self.steps.pop_front()
    }
}

/// A delta without its end.
fn begin(kind: DeltaKind, id: Str<'_>, delta: Str<'_>) -> String {
    let (name, member) = kind.names();
    ["{\"type\":\"", name, "\",\"", member, "\":\"", id.raw(), "\",\"delta\":\"", delta.raw()].concat()
}

/// The members of a chunk that those of its events are made from. The last of these has all others as they came.
const OF_CHUNKS: [&str; 10] = [
    "delta",
    "type",
    "timestamp",
    "messageId",
    "toolCallId",
    "role",
    "name",
    "toolCallName",
    "parentMessageId",
    "subagentRunId",
];

/// An event that the rules have made: START, content or END of a message or a call. `source`: the event that came.
pub(super) fn write(incoming: &Incoming<'_>, source: Option<&Fields<'_>>) -> String {
    JsonWriter::object_text(|object| {
        object.string("type", incoming.event.name());
        let mut member = |key: &str, value: Option<Str<'_>>| {
            if let Some(value) = value {
                let out = object.member(key);
                out.push('"');
                out.push_str(value.raw());
                out.push('"');
            }
        };
        let (of_call, text) = match incoming.event {
            Event::ToolCallStart { .. } => (true, "toolCallName"),
            Event::ToolCallArgs { .. } | Event::ToolCallEnd { .. } => (true, "delta"),
            _ => (false, "delta"),
        };
        let [id, what] = incoming.event.texts();
        member(if of_call { "toolCallId" } else { "messageId" }, id);
        member(text, what);
        match incoming.event {
            Event::TextMessageStart { role, name, .. } => {
                member("role", Some(role.unwrap_or(Str::from_raw("assistant"))));
                member("name", name);
            }
            Event::ReasoningMessageStart { .. } => member("role", Some(Str::from_raw("reasoning"))),
            Event::ToolCallStart { parent_message_id, .. } => member("parentMessageId", parent_message_id),
            _ => {}
        }
        member("subagentRunId", incoming.subagent_run_id);
        let holds = |chunk: &&Fields<'_>| match incoming.event {
            event if event.is_end() => false,
            Event::TextMessageStart { .. } | Event::ReasoningMessageStart { .. } | Event::ToolCallStart { .. } => {
                chunk.get("delta").is_none() && chunk.get("rawEvent").is_none()
            }
            _ => true,
        };
        if let Some(chunk) = source.filter(holds) {
            object.copy(chunk, &|key| !OF_CHUNKS.contains(&key));
        } else if let Some(metadata) = incoming.metadata {
            object.json("metadata", metadata.text());
        }
    })
}
