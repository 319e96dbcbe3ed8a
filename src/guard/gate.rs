//! The gate: the one place where AG-UI is judged, by what an event would show or execute. An event is taken apart into
//! items (a message, a call, an activity, an interrupt, …), and every item is judged as the event that would have brought
//! it alone. A refused item is cut out of the event; an event that is nothing without it is blocked.
//!
//! `docs/guard.md` has the table of all ways in.

mod bounds;
mod cut;
mod item;
mod messages;

use super::classify::Classification;
use super::policy::Facts;
use super::refused::{Key, Of};
use super::{Guard, GuardReport};
use crate::wire::{Event, Fields, Incoming, JsonWriter, Keyed, Raw, Str, frame_fields, frame_type};
use cut::{IDENTITY, bare, changed, filtered};
use item::ItemRole::{Goes, Opens};
use item::*;
use std::borrow::Cow;

/// The shown items, as far as the gate has to know them.
pub(crate) trait ShownItems {
    /// The name that a call has now.
    fn call(&mut self, id: &str) -> Option<String>;
    /// How a message (JSON) of a list relates to what is shown.
    fn message(&mut self, message: Raw<'_>) -> MessageState;
    /// Whether the stream has opened what the event continues or ends.
    fn is_open(&self, incoming: &Incoming<'_>) -> bool;
}

/// How a message relates to what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageState {
    /// It is shown just so.
    Same,
    /// One of its id and kind is shown.
    Changed,
    /// It is new.
    New,
}

/// The parts of an event that may pass.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GateVerdict {
    /// All of it.
    Pass,
    /// This event in its place (JSON text).
    Less(String),
    /// Nothing.
    Block,
}

/// How many originals may stand in one another.
const MOST_WRAPPED: u8 = 4;

/// In place of what a server says of a failure.
pub(crate) const WITHHELD: &str = "The guard withholds what the server says of the failure.";

/// A component: its type, and its id where that is known.
type Component<'a> = Option<(&'static str, Option<Cow<'a, str>>)>;

impl Guard {
    /// Judges an AG-UI event. `fields`: the members of the frame that it came in.
    pub(crate) fn judge(
        &mut self,
        incoming: &Incoming<'_>,
        fields: &Fields<'_>,
        shown: &mut dyn ShownItems,
        now: f64,
    ) -> GateVerdict {
        self.clock = now;
        let subagent = subagent_key(incoming.subagent_run_id.map(Str::decode));
        self.event(&mut Way { shown, carrier: incoming.event.name(), incoming, subagent, fields, now })
    }

    /// An event without an arm is one item, of the class that its row names.
    fn event(&mut self, way: &mut Way<'_, '_>) -> GateVerdict {
        let item = match way.incoming.event {
            Event::RunStarted { input, .. } => return self.run_started(input, way),
            Event::RunFinished { result, outcome, usage, .. } => return self.run_finished(result, outcome, usage, way),
            Event::RunError { .. } => return self.failure(way),
            Event::SubagentStarted { parent_subagent_run_id, parent_tool_call_id, .. } => {
                return self.subagent_started(parent_subagent_run_id, parent_tool_call_id, way);
            }
            Event::SubagentFinished { result, .. } => return self.subagent_finished(result, way),
            Event::SubagentError { .. } => return self.subagent_error(way),
            Event::StepStarted { step_name } => return self.step_started(step_name, way),
            Event::StepFinished { step_name } => return self.step_finished(step_name, way),
            Event::MessagesSnapshot { messages } => return self.messages_snapshot(messages, way),
            Event::Raw { event, .. } => return self.wrapper(event, way),
            Event::TextMessageStart { message_id, .. } => way.part(Opens, Of::Message, message_id),
            Event::TextMessageContent { message_id, .. } => {
                let start = way.part(Opens, Of::Message, message_id).named("TEXT_MESSAGE_START");
                return self.content(start, way.part(Goes, Of::Message, message_id), way);
            }
            Event::TextMessageEnd { message_id } => {
                return self.end(way.part(Goes, Of::Message, message_id), way);
            }
            Event::ReasoningStart { message_id } => way.part(Opens, Of::Span, message_id),
            Event::ReasoningEnd { message_id } => return self.end(way.part(Goes, Of::Span, message_id), way),
            Event::ReasoningMessageStart { message_id } => reasoning(way.carrier, &message_id.decode()),
            Event::ReasoningMessageContent { message_id, .. } => {
                let start = reasoning("REASONING_MESSAGE_START", &message_id.decode());
                return self.content(start, reasoning_goes(way.carrier, message_id), way);
            }
            Event::ReasoningMessageEnd { message_id } => return self.end(reasoning_goes(way.carrier, message_id), way),
            Event::ReasoningEncryptedValue { subtype, entity_id, .. } => encrypted_value(subtype, entity_id, way),
            Event::ToolCallStart { tool_call_id, tool_call_name, .. } => {
                way.part(Opens, Of::Call, tool_call_id).about("tool", Some(tool_call_name.decode()))
            }
            Event::ToolCallArgs { tool_call_id, .. } => arguments(tool_call_id, way),
            Event::ToolCallEnd { tool_call_id } => return self.end(arguments(tool_call_id, way), way),
            Event::ToolCallResult { tool_call_id, .. } => {
                way.part(Goes, Of::Call, tool_call_id).of_tool(way.shown.call(&tool_call_id.decode()))
            }
            Event::ActivitySnapshot { message_id, activity_type, .. } => {
                way.part(Opens, Of::Activity, message_id).about("activity", Some(activity_type.decode()))
            }
            Event::ActivityDelta { message_id, activity_type, .. } => {
                way.part(Goes, Of::Activity, message_id).about("activity", Some(activity_type.decode()))
            }
            Event::Custom { name, .. } => way.item().about("custom", Some(name.decode())),
            // They are expanded before they come here. By themselves they bring nothing.
            Event::TextMessageChunk { .. } | Event::ToolCallChunk { .. } | Event::ReasoningMessageChunk { .. } => {
                return GateVerdict::Block;
            }
            _ => way.item(),
        };
        self.verdict(&item.in_(way.subagent), way.now)
    }

    /// Why a call must not be executed under the name that it has now.
    pub(crate) fn forbids(&mut self, id: &str, name: &str) -> Option<String> {
        let item = GateItem::new("TOOL_CALL_START", Classification::Submit).part(Goes, Of::Call, id);
        let item = GateItem { counts: false, ..item.about("tool", Some(Cow::Borrowed(name))) };
        let reason = self.refusal(&item, self.clock).err()?;
        self.count(Err(reason.clone()), &item.report(self.class(&item), self.clock));
        Some(reason)
    }

    /// Whether what a server says of a failure outside of any event may be shown.
    pub(crate) fn admits_failure(&mut self, now: f64) -> bool {
        self.admits(&GateItem { counts: false, ..GateItem::new("RUN_ERROR", Classification::Display) }, now)
    }

    /// Whether a frame may be seen that stands in an event as its original. Nothing is counted or noted.
    pub(crate) fn permits(&mut self, original: Raw<'_>, shown: &mut dyn ShownItems, now: f64) -> bool {
        // Originals of originals: a few are looked into, so that what is read stays linear.
        if self.wrapped == MOST_WRAPPED {
            return false;
        }
        self.wrapped += 1;
        let inner = original.object().and_then(|fields| fields.get("event")).filter(|raw| raw.is_object());
        let seen = [Some(original), inner].into_iter().flatten().all(|raw| {
            let Ok(fields) = frame_fields(raw.text(), usize::MAX) else { return true };
            self.sees(&fields, shown, now) && fields.some("rawEvent").is_none_or(|raw| self.permits(raw, shown, now))
        });
        self.wrapped -= 1;
        seen
    }

    fn sees(&mut self, fields: &Fields<'_>, shown: &mut dyn ShownItems, now: f64) -> bool {
        if fields.some("event_type").is_some() {
            return self.permits_own(fields, now);
        }
        if frame_type(fields).is_ok_and(|name| name.starts_with("THINKING_")) {
            return self.admits(&GateItem::new("REASONING_MESSAGE_CONTENT", Classification::Display), now);
        }
        // An event that AG-UI does not have has no class.
        let Ok(incoming) = Incoming::read(fields, &mut |_| {}) else { return true };
        self.judge(&unchunked(incoming), fields, shown, now) == GateVerdict::Pass
    }

    fn refuse(&mut self, item: &GateItem<'_>, reason: &str, now: f64) -> GateVerdict {
        if self.wrapped == 0 {
            self.count(Err(reason.to_owned()), &item.report(self.class(item), now));
        }
        GateVerdict::Block
    }

    fn verdict(&mut self, item: &GateItem<'_>, now: f64) -> GateVerdict {
        if self.admits(item, now) { GateVerdict::Pass } else { GateVerdict::Block }
    }

    /// Judges an item, counts it and tells of it.
    fn admits(&mut self, item: &GateItem<'_>, now: f64) -> bool {
        let verdict = self.refusal(item, now);
        if self.wrapped > 0 {
            return verdict.is_ok();
        }
        let verdict = verdict.and_then(|()| match item.counts {
            true => self.limits.pass(&self.policy, item.name, item.own, now),
            false => Ok(()),
        });
        if let (Some(own), Opens) = (item.own, item.part) {
            match &verdict {
                Ok(()) => self.calls.remove(own),
                Err(_) => {
                    self.refused.add(own);
                    if item.class == Classification::Submit {
                        self.calls.add(own);
                    }
                }
            }
        }
        self.count(verdict, &item.report(self.class(item), now))
    }

    fn class(&self, item: &GateItem<'_>) -> Classification {
        self.policy.class(item.name).unwrap_or(item.class)
    }

    /// The policy's verdict on an item, with the verdicts on those that it belongs to.
    fn refusal(&self, item: &GateItem<'_>, now: f64) -> Result<(), String> {
        let held = [item.own, item.blocked_with, item.subagent].into_iter().any(|key| self.refused.holds(key))
            || item.part == Goes && self.calls.holds(item.own)
            || item.part != ItemRole::Alone && self.refused.full;
        if held {
            return Err("what it belongs to was blocked".to_owned());
        }
        if let Some((kind, id)) = &item.of {
            self.policy.check_component(kind, id.as_deref())?;
        }
        let (kind, id) = item.target.clone().unzip();
        let kind = kind.map(Cow::Borrowed);
        let (event_type, class) = (item.name.into(), self.class(item));
        let facts = Facts { event_type, class, also: item.also, kind, id: id.flatten(), ..Facts::default() };
        self.policy.decide(&facts, now, false)
    }

    /// RAW: what it wraps must be allowed as well.
    fn wrapper(&mut self, original: Raw<'_>, way: &mut Way<'_, '_>) -> GateVerdict {
        let item = way.item();
        if !self.permits(original, way.shown, way.now) {
            return self.refuse(&item, "what it wraps is not allowed", way.now);
        }
        self.verdict(&item.in_(way.subagent), way.now)
    }

    fn content(&mut self, start: GateItem<'_>, item: GateItem<'_>, way: &Way<'_, '_>) -> GateVerdict {
        if self.is_begun(start, way) { self.verdict(&item.in_(way.subagent), way.now) } else { GateVerdict::Block }
    }

    fn end(&self, item: GateItem<'_>, way: &Way<'_, '_>) -> GateVerdict {
        if self.closes(&item.in_(way.subagent), way) { GateVerdict::Pass } else { GateVerdict::Block }
    }

    /// Whether an END may come: that of what is open may, whatever was decided since. Any other is judged as content.
    fn closes(&self, item: &GateItem<'_>, way: &Way<'_, '_>) -> bool {
        way.shown.is_open(way.incoming) || self.refusal(item, way.now).is_ok()
    }

    /// Content that nothing has begun is a beginning, too: tolerant rules open the message.
    fn is_begun(&mut self, start: GateItem<'_>, way: &Way<'_, '_>) -> bool {
        // A blocked item counts as begun: its content is refused as content.
        way.shown.is_open(way.incoming)
            || self.refused.holds(start.own)
            || self.admits(&start.brought_by(way.carrier, true).in_(way.subagent), way.now)
    }
}

/// The START of what a chunk belongs to, or the content that it is.
fn unchunked(incoming: Incoming<'_>) -> Incoming<'_> {
    let event = match incoming.event {
        Event::TextMessageChunk { message_id, role, name, .. } => {
            Event::TextMessageStart { message_id: message_id.unwrap_or_default(), role, name }
        }
        Event::ReasoningMessageChunk { message_id, .. } => {
            Event::ReasoningMessageStart { message_id: message_id.unwrap_or_default() }
        }
        Event::ToolCallChunk { tool_call_id, tool_call_name: Some(tool_call_name), parent_message_id, .. } => {
            let tool_call_id = tool_call_id.unwrap_or_default();
            Event::ToolCallStart { tool_call_id, tool_call_name, parent_message_id }
        }
        Event::ToolCallChunk { tool_call_id, delta, .. } => {
            Event::ToolCallArgs { tool_call_id: tool_call_id.unwrap_or_default(), delta: delta.unwrap_or_default() }
        }
        event => event,
    };
    Incoming { event, ..incoming }
}
