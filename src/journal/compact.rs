//! Compaction: events of a recording joined, so that the shorter list reduces to what the recording reduces to.
//!
//! One rule carries it: **no event that stays ever moves**. An event either stays where it is, or it *joins* an earlier
//! one that stayed, or (a state event that a later snapshot undoes) it goes. So there is one thing to prove for each
//! kind of joining: that the reducer would not notice if the joining event came right after the one that it joins. It
//! does not, if the joining event commutes with all that stayed between the two. It commutes in these cases.
//!
//! - *Content* (text, reasoning, arguments), once there was some for its id, appends to the text of one message or call
//!   and does nothing else. It commutes with all that neither makes an id mean another message or call nor begins or
//!   ends one that the id means. So an event ends the joining for the ids that it does this to: its START and END,
//!   another kind of content, a result with that id, a call that may go into it, an activity that may take its place.
//!   A new activity may also take the place of a message with calls, which it does not name: it ends the joining for
//!   all calls.
//! - *A patch* changes one document, the state or the content of an activity. It joins the snapshot that the document
//!   began with, which must be in the list: of an unknown document nobody can say whether two patches in one fail
//!   together. One that fails there does nothing in the reducer either, but for the metadata of an activity.
//! - *A snapshot of the state* undoes the state events before it. *A snapshot of an activity* puts its content where
//!   the one before has made a place in the list of messages: it joins that one.
//! - Events of a run's frame commute with nothing, for the user sees what stands there when a run begins and ends.
//!   MESSAGES_SNAPSHOT may remove and bring any message: only the state joins across it.
//!
//! And what goes must not have mattered to the rules. *Chunks*: an event that closes a chunk stream, or opens one,
//! stays. All others leave the streams as they are, so each chunk that stays is read as before; those that continue a
//! stream join like content. *Strict rules*: what they allow they allow in the shorter list, because they ask whether
//! an id is open and whose it is, which joining does not change. The first event that they refuse ends the run there, so
//! nothing joins across it.
//!
//! Joining what was joined finds nothing to join, for all that kept events apart has stayed.

use super::entry::{JournalEntry, LIMITS};
use crate::dialect::Thinking;
use crate::rules::{ChunkExpander, OrderKeeper, grammar};
use crate::thread::{At, Index};
use crate::wire::{Event, Incoming, Raw, Str, Tree, Violation, frame_fields, keep_private};

/// A shorter list of events with the same outcome, for tolerant and for strict rules. Events are lines of JSON text.
///
/// A joined event has the members of the first event that it consists of (of the last one, for snapshots of an activity)
/// and the metadata of all, but no `rawEvent`. A line that cannot be read stays as it is. Limits that are tighter than a
/// session's by default may refuse in one piece what they take in many.
pub fn compact(lines: &str) -> String {
    let lines = keep_private(lines);
    let mut rules = Rules {
        thinking: Thinking::default(),
        chunks: ChunkExpander::default(),
        order: OrderKeeper::default(),
        strict: true,
    };
    let mut list = Shorter::default();
    for line in lines.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        list.take(line, &mut rules);
    }
    let mut out = String::with_capacity(lines.len() / 2);
    list.events.iter().for_each(|event| event.write(&mut out));
    out
}

/// Where there is nothing to join.
const NOWHERE: At = At { message: usize::MAX, call: 0 };

/// Applies the rules to events before they are reduced.
struct Rules {
    thinking: Thinking,
    chunks: ChunkExpander,
    order: OrderKeeper,
    /// Strict rules have refused nothing yet. After what they refuse there are only tolerant ones.
    strict: bool,
}

/// The shorter list, and where in it which event may join.
#[derive(Debug, Default)]
struct Shorter<'a> {
    events: Vec<JournalEntry<'a>>,
    /// The last event with content for a message, or the snapshot of an activity, by the message's id.
    messages: Index,
    /// The last event with arguments, by the call's id.
    calls: Index,
    /// The snapshot that the state began with.
    state: Option<usize>,
    /// Events that the next snapshot of the state undoes.
    undoable: Vec<usize>,
}

impl<'a> Shorter<'a> {
    fn take(&mut self, line: &'a str, rules: &mut Rules) {
        let Rules { thinking, chunks, order, strict } = rules;
        let fields = frame_fields(line, LIMITS.depth);
        // The ids that converted events get only have to differ: nothing else names them.
        let converted = fields.as_ref().ok().and_then(|fields| thinking.convert(fields, ""));
        let fields = converted.as_deref().map_or(fields, |converted| frame_fields(converted, LIMITS.depth));
        let mut refused = false;
        let read = fields.and_then(|fields| {
            refused = *strict && grammar::check(&fields, &mut |_| {}).is_err();
            Incoming::read(&fields, &mut |_| refused = true)
        });
        self.events.push(JournalEntry::new(read.as_ref().map_or("", |incoming| incoming.event.name()), line));
        let (mut alone, mut needless) = (true, true);
        match read {
            Ok(incoming) => {
                let expanded = chunks.expand(&incoming, &mut |one, _| {
                    refused |= *strict && order.check(one).is_some();
                    if *strict && refused {
                        self.part();
                    }
                    needless = self.place(one, alone);
                    alone = false;
                });
                if expanded.is_err() {
                    (refused, needless) = (true, false);
                }
            }
            Err(error) => (refused, needless) = (error.code != Violation::UNKNOWN, false),
        }
        if *strict && refused {
            *strict = false;
            self.part();
        } else if needless {
            // It has joined, or it is a chunk that says nothing.
            self.events.pop();
        }
    }

    fn last(&self) -> usize {
        self.events.len().saturating_sub(1)
    }

    /// Ends the joining: the next event is not joined with those before it.
    fn part(&mut self) {
        self.part_messages();
        self.state = None;
        self.undoable.clear();
    }

    fn part_messages(&mut self) {
        self.messages = Index::new();
        self.calls = Index::new();
    }

    /// Lets the last event join, if it may: not if it does more than `one`. Says whether it has.
    fn place(&mut self, one: &Incoming<'_>, alone: bool) -> bool {
        let metadata = one.metadata;
        match one.event {
            Event::TextMessageContent { message_id: id, delta }
            | Event::ReasoningMessageContent { message_id: id, delta } => {
                self.content(false, id, delta, metadata, alone)
            }
            Event::ToolCallArgs { tool_call_id: id, delta } => self.content(true, id, delta, metadata, alone),
            Event::StateSnapshot { .. } => self.state_snapshot(alone),
            Event::StateDelta { delta } => self.state_delta(delta, metadata, alone),
            Event::ActivitySnapshot { message_id, replace: true, .. } => self.activity_snapshot(message_id),
            Event::ActivityDelta { message_id, activity_type, patch } => {
                self.activity_delta(message_id, activity_type, patch, metadata)
            }
            Event::RunStarted { .. } | Event::RunFinished { .. } | Event::RunError { .. } => {
                self.part();
                false
            }
            Event::MessagesSnapshot { .. } => {
                self.part_messages();
                false
            }
            event => {
                self.part_named(&event);
                false
            }
        }
    }

    /// The places in the list that are noted for ids.
    fn noted(&mut self, call: bool) -> &mut Index {
        if call { &mut self.calls } else { &mut self.messages }
    }

    /// The place that is noted for an id.
    #[inline(never)]
    fn place_noted(&mut self, call: bool, id: Str<'_>) -> usize {
        self.noted(call).get(&id.decode()).unwrap_or(&NOWHERE).message
    }

    /// Where the last event may join, by its id. If it may not, what comes may join it.
    fn place_of(&mut self, call: bool, id: Str<'_>, alone: bool) -> Option<usize> {
        let last = self.last();
        let at = self.place_noted(call, id);
        let name = |at: usize| self.events.get(at).map(|event| event.name);
        if alone && name(at) == name(last) {
            return Some(at);
        }
        self.noted(call).insert(id.to_text(), At { message: last, call: 0 });
        None
    }

    fn part_id(&mut self, call: bool, id: Str<'_>) {
        self.noted(call).insert(id.to_text(), NOWHERE);
    }

    fn part_named(&mut self, event: &Event<'_>) {
        match *event {
            Event::TextMessageStart { message_id: id, .. }
            | Event::TextMessageEnd { message_id: id }
            | Event::ReasoningMessageStart { message_id: id }
            | Event::ReasoningMessageEnd { message_id: id }
            | Event::ActivitySnapshot { message_id: id, .. } => self.part_id(false, id),
            // An answered call has its arguments.
            Event::ToolCallResult { message_id, tool_call_id, .. } => {
                self.part_id(false, message_id);
                self.part_id(true, tool_call_id);
            }
            Event::ToolCallStart { tool_call_id, parent_message_id, .. } => {
                self.part_id(true, tool_call_id);
                // A call without a message to go to makes one with its own id.
                self.part_id(false, tool_call_id);
                parent_message_id.into_iter().for_each(|id| self.part_id(false, id));
            }
            Event::ToolCallEnd { tool_call_id } => self.part_id(true, tool_call_id),
            _ => {}
        }
    }

    fn content(&mut self, call: bool, id: Str<'_>, delta: Str<'_>, metadata: Option<Raw<'_>>, alone: bool) -> bool {
        let at = self.place_of(call, id, alone);
        let event = at.and_then(|at| self.events.get_mut(at));
        event.map(|event| event.append(delta, metadata)).is_some()
    }

    fn state_snapshot(&mut self, alone: bool) -> bool {
        for at in self.undoable.drain(..) {
            if let Some(event) = self.events.get_mut(at) {
                event.remove();
            }
        }
        let last = self.last();
        self.state = Some(last);
        self.undoable.extend(alone.then_some(last));
        false
    }

    fn state_delta(&mut self, delta: Raw<'_>, metadata: Option<Raw<'_>>, alone: bool) -> bool {
        if let Some(event) = self.state.filter(|_| alone).and_then(|at| self.events.get_mut(at)) {
            event.patch("snapshot", delta, metadata, |_| true);
            return true;
        }
        self.state = None;
        self.undoable.extend(alone.then(|| self.last()));
        false
    }

    fn activity_snapshot(&mut self, id: Str<'_>) -> bool {
        let at = self.place_of(false, id, true);
        let line = self.events.last().map(JournalEntry::line);
        if let (Some(event), Some(line)) = (at.and_then(|at| self.events.get_mut(at)), line) {
            event.replace("content", line);
            return true;
        }
        self.calls = Index::new();
        false
    }

    fn activity_delta(
        &mut self,
        id: Str<'_>,
        activity_type: Str<'_>,
        patch: Raw<'_>,
        metadata: Option<Raw<'_>>,
    ) -> bool {
        let at = self.place_noted(false, id);
        let Some(event) = self.events.get_mut(at).filter(|event| event.name == "ACTIVITY_SNAPSHOT") else {
            self.part_id(false, id);
            return false;
        };
        if event.patch("content", patch, metadata, Tree::is_object) {
            event.rename(activity_type.to_text());
        }
        true
    }
}
