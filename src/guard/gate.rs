//! The gate: the one place where AG-UI is judged, by what an event would show or execute. An event is taken apart into
//! items (a message, a call, an activity, an interrupt, …), and every item is judged as the event that would have brought
//! it alone. What is refused is cut out of the event; an event that is nothing without it is blocked.
//!
//! `docs/guard.md` has the table of all ways in.

mod item;

use super::classify::Class;
use super::policy::Facts;
use super::shut::{Key, Of};
use super::{Guard, Told};
use crate::wire::{Event, Fields, Incoming, JsonWriter, Raw, Str, frame_fields, frame_type};
use item::*;
use std::borrow::Cow;
use std::collections::HashMap;

/// What is shown already, as far as the gate has to know it.
pub(crate) trait Shown {
    /// The name that a call has now.
    fn call(&mut self, id: &str) -> Option<String>;
    /// How a message (JSON) of a list relates to what is shown.
    fn message(&mut self, message: Raw<'_>) -> Known;
    /// Whether the stream has opened what the event continues or ends.
    fn is_open(&self, incoming: &Incoming<'_>) -> bool;
}

/// How a message relates to what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// It is shown just so.
    Same,
    /// One of its id and kind is shown.
    Changed,
    /// It is new.
    New,
}

/// What may pass of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
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
    /// What may pass of an AG-UI event. `fields`: the members of the frame that it came in.
    pub(crate) fn judge(
        &mut self,
        incoming: &Incoming<'_>,
        fields: &Fields<'_>,
        shown: &mut dyn Shown,
        now: f64,
    ) -> Verdict {
        use Class::{Create, Display, Mutate, Submit};
        let name = incoming.event.name();
        let subagent = subagent_key(incoming.subagent_run_id.map(Str::decode));
        let mut way = Way { shown, carrier: name, fields, now };
        let mut ends = false;
        self.clock = now;
        // Every event has its arm: a new one does not compile before somebody has said what it brings.
        let item = match incoming.event {
            Event::RunStarted { input, .. } => return self.run_started(input, &mut way),
            Event::RunFinished { result, outcome, usage, .. } => {
                return self.run_finished(result, outcome, usage, &mut way);
            }
            Event::RunError { .. } => return self.failure(&mut way),
            Event::SubagentFinished { result, .. } => {
                let item = Item { own: subagent, part: Part::Goes, ..Item::new(name, Display) };
                return match self.closes(&item, incoming, &way) {
                    true => self.subagent_finished(result, &mut way),
                    false => Verdict::Block,
                };
            }
            Event::SubagentError { .. } => {
                let item = Item { own: subagent, part: Part::Goes, ..Item::new(name, Display) };
                return if self.closes(&item, incoming, &way) { self.failure(&mut way) } else { Verdict::Block };
            }
            Event::StepStarted { step_name } => return self.step_started(step_name, subagent, &mut way),
            Event::StepFinished { step_name } => return self.step_finished(step_name, subagent, incoming, &mut way),
            Event::TextMessageEnd { message_id } => {
                ends = true;
                Item::new(name, Display).goes(Of::Message, &message_id.decode())
            }
            Event::ReasoningEnd { message_id } => {
                ends = true;
                Item::new(name, Display).goes(Of::Span, &message_id.decode())
            }
            Event::ReasoningMessageEnd { message_id } => {
                ends = true;
                Item { part: Part::Goes, ..reasoning(name, &message_id.decode()) }
            }
            Event::ToolCallEnd { tool_call_id } => {
                ends = true;
                arguments(name, &tool_call_id.decode(), &mut way)
            }
            Event::TextMessageStart { message_id, .. } => {
                Item::new(name, Display).opens(Of::Message, &message_id.decode())
            }
            Event::TextMessageContent { message_id, .. } => {
                let id = message_id.decode();
                if !self.is_begun(Item::new("TEXT_MESSAGE_START", Display).opens(Of::Message, &id), incoming, &way) {
                    return Verdict::Block;
                }
                Item::new(name, Display).goes(Of::Message, &id)
            }
            Event::ReasoningStart { message_id } => Item::new(name, Display).opens(Of::Span, &message_id.decode()),
            Event::ReasoningMessageStart { message_id } => reasoning(name, &message_id.decode()),
            Event::ReasoningMessageContent { message_id, .. } => {
                let id = message_id.decode();
                if !self.is_begun(reasoning("REASONING_MESSAGE_START", &id), incoming, &way) {
                    return Verdict::Block;
                }
                Item { part: Part::Goes, ..reasoning(name, &id) }
            }
            Event::ReasoningEncryptedValue { subtype, entity_id, .. } => {
                let id = entity_id.decode();
                let item = Item::new(name, Display);
                if subtype.decode() == "tool-call" {
                    item.goes(Of::Call, &id).of_tool(way.shown.call(&id))
                } else {
                    Item { beside: Some(Key::new(Of::Message, &id)), ..item.goes(Of::Reasoning, &id) }
                }
            }
            Event::ToolCallStart { tool_call_id, tool_call_name, .. } => Item::new(name, Submit)
                .opens(Of::Call, &tool_call_id.decode())
                .about("tool", Some(tool_call_name.decode())),
            Event::ToolCallArgs { tool_call_id, .. } => arguments(name, &tool_call_id.decode(), &mut way),
            Event::ToolCallResult { tool_call_id, .. } => {
                let id = tool_call_id.decode();
                let called = way.shown.call(&id);
                Item::new(name, Display).goes(Of::Call, &id).of_tool(called)
            }
            Event::StateSnapshot { .. } | Event::StateDelta { .. } => Item::new(name, Mutate),
            Event::MessagesSnapshot { messages } => {
                if !self.admits(&Item::new(name, Mutate), now) {
                    return Verdict::Block;
                }
                return match self.messages(messages, &mut way) {
                    Some(kept) => Verdict::Less(changed(fields, &[("messages", Some(&kept))])),
                    None => Verdict::Pass,
                };
            }
            Event::ActivitySnapshot { message_id, activity_type, .. } => Item::new(name, Create)
                .opens(Of::Activity, &message_id.decode())
                .about("activity", Some(activity_type.decode())),
            Event::ActivityDelta { message_id, activity_type, .. } => Item::new(name, Mutate)
                .goes(Of::Activity, &message_id.decode())
                .about("activity", Some(activity_type.decode())),
            Event::Custom { name: of, .. } => Item::new(name, Submit).about("custom", Some(of.decode())),
            Event::Raw { event, .. } => {
                let item = Item::new(name, Display);
                if !self.permits(event, way.shown, now) {
                    return self.refuse(&item, "what it wraps is not allowed", now);
                }
                item
            }
            Event::SubagentStarted { parent_subagent_run_id, parent_tool_call_id, .. } => {
                let parent = subagent_key(parent_subagent_run_id.map(Str::decode));
                let beside = parent_tool_call_id.map(|id| Key::new(Of::Call, &id.decode()));
                let item = Item { own: subagent, part: Part::Opens, beside, ..Item::new(name, Display) };
                return self.verdict(&item.in_(parent), now);
            }
            // They are expanded before they come here. By themselves they bring nothing.
            Event::TextMessageChunk { .. } | Event::ToolCallChunk { .. } | Event::ReasoningMessageChunk { .. } => {
                return Verdict::Block;
            }
        };
        let item = item.in_(subagent);
        match ends {
            true if self.closes(&item, incoming, &way) => Verdict::Pass,
            true => Verdict::Block,
            false => self.verdict(&item, now),
        }
    }

    /// Why a call must not be executed under the name that it has now.
    pub(crate) fn forbids(&mut self, id: &str, name: &str) -> Option<String> {
        let item = Item::new("TOOL_CALL_START", Class::Submit).goes(Of::Call, id);
        let item = Item { counts: false, ..item.about("tool", Some(Cow::Borrowed(name))) };
        let reason = self.refusal(&item, self.clock).err()?;
        self.count(Err(reason.clone()), &item.told(self.class(&item), self.clock));
        Some(reason)
    }

    /// Whether what a server says of a failure outside of any event may be shown.
    pub(crate) fn admits_failure(&mut self, now: f64) -> bool {
        self.admits(&Item { counts: false, ..Item::new("RUN_ERROR", Class::Display) }, now)
    }

    /// Whether a frame may be seen that stands in an event as its original. Nothing is counted or noted.
    pub(crate) fn permits(&mut self, original: Raw<'_>, shown: &mut dyn Shown, now: f64) -> bool {
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

    fn sees(&mut self, fields: &Fields<'_>, shown: &mut dyn Shown, now: f64) -> bool {
        if fields.some("event_type").is_some() {
            return self.permits_own(fields, now);
        }
        if frame_type(fields).is_ok_and(|name| name.starts_with("THINKING_")) {
            return self.admits(&Item::new("REASONING_MESSAGE_CONTENT", Class::Display), now);
        }
        // What is no event of AG-UI has no class.
        let Ok(incoming) = Incoming::read(fields, &mut |_| {}) else { return true };
        self.judge(&unchunked(incoming), fields, shown, now) == Verdict::Pass
    }

    fn refuse(&mut self, item: &Item<'_>, reason: &str, now: f64) -> Verdict {
        if self.wrapped == 0 {
            self.count(Err(reason.to_owned()), &item.told(self.class(item), now));
        }
        Verdict::Block
    }

    fn verdict(&mut self, item: &Item<'_>, now: f64) -> Verdict {
        if self.admits(item, now) { Verdict::Pass } else { Verdict::Block }
    }

    /// Judges an item, counts it and tells of it.
    fn admits(&mut self, item: &Item<'_>, now: f64) -> bool {
        let verdict = self.refusal(item, now);
        if self.wrapped > 0 {
            return verdict.is_ok();
        }
        let verdict = verdict.and_then(|()| match item.counts {
            true => self.limits.pass(&self.policy, item.name, item.own, now),
            false => Ok(()),
        });
        if let (Some(own), Part::Opens) = (item.own, item.part) {
            match &verdict {
                Ok(()) => self.calls.remove(own),
                Err(_) => {
                    self.shut.add(own);
                    if item.class == Class::Submit {
                        self.calls.add(own);
                    }
                }
            }
        }
        self.count(verdict, &item.told(self.class(item), now))
    }

    fn class(&self, item: &Item<'_>) -> Class {
        self.policy.class(item.name).unwrap_or(item.class)
    }

    /// What the policy says of an item, and what was said of those that it belongs to.
    fn refusal(&self, item: &Item<'_>, now: f64) -> Result<(), String> {
        let held = [item.own, item.beside, item.subagent].into_iter().any(|key| self.shut.holds(key))
            || item.part == Part::Goes && self.calls.holds(item.own)
            || item.part != Part::Alone && self.shut.full;
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

    /// Whether an END may come: that of what is open may, whatever was decided since. Any other is judged as content.
    fn closes(&self, item: &Item<'_>, incoming: &Incoming<'_>, way: &Way<'_, '_>) -> bool {
        way.shown.is_open(incoming) || self.refusal(item, way.now).is_ok()
    }

    /// Content that nothing has begun is a beginning, too: tolerant rules open the message.
    fn is_begun(&mut self, start: Item<'_>, incoming: &Incoming<'_>, way: &Way<'_, '_>) -> bool {
        let subagent = subagent_key(incoming.subagent_run_id.map(Str::decode));
        // What was blocked before is refused as its content.
        way.shown.is_open(incoming)
            || self.shut.holds(start.own)
            || self.admits(&start.brought_by(way.carrier, true).in_(subagent), way.now)
    }

    /// A step is no secret, but its name is text.
    fn step_started(&mut self, name: Str<'_>, subagent: Option<Key>, way: &mut Way<'_, '_>) -> Verdict {
        let own = step(subagent, name);
        let item = Item { own: Some(own), part: Part::Opens, counts: false, ..Item::new(way.carrier, Class::Display) };
        match self.admits(&item.in_(subagent), way.now) {
            true => Verdict::Pass,
            false if self.shut.holds(subagent) => Verdict::Block,
            false => renamed(way.fields, own),
        }
    }

    fn step_finished(
        &mut self,
        name: Str<'_>,
        subagent: Option<Key>,
        incoming: &Incoming<'_>,
        way: &mut Way<'_, '_>,
    ) -> Verdict {
        let own = step(subagent, name);
        let item = Item { own: Some(own), part: Part::Goes, ..Item::new(way.carrier, Class::Display) }.in_(subagent);
        if self.closes(&item, incoming, way) {
            return Verdict::Pass;
        }
        if self.shut.holds(subagent) {
            return Verdict::Block;
        }
        // A name comes again, where an id does not.
        if self.wrapped == 0 {
            self.shut.remove(own);
        }
        renamed(way.fields, own)
    }

    fn run_started(&mut self, input: Option<Raw<'_>>, way: &mut Way<'_, '_>) -> Verdict {
        let Some(input) = input.and_then(Raw::object) else { return Verdict::Pass };
        let kept = input.some("messages").and_then(|messages| self.messages(messages, way));
        let Some(kept) = kept else { return Verdict::Pass };
        let input = changed(&input, &[("messages", Some(&kept))]);
        Verdict::Less(changed(way.fields, &[("input", Some(&input))]))
    }

    fn run_finished(
        &mut self,
        result: Option<Raw<'_>>,
        outcome: Option<Raw<'_>>,
        usage: Option<Raw<'_>>,
        way: &mut Way<'_, '_>,
    ) -> Verdict {
        let mut changes = Vec::new();
        let text = Item { counts: false, ..Item::new(way.carrier, Class::Display) };
        for (name, member) in [("result", result), ("usage", usage)] {
            if member.is_some() && !self.admits(&text, way.now) {
                changes.push((name, None));
            }
        }
        let outcome = outcome.and_then(Raw::object).and_then(|outcome| self.outcome(&outcome, way));
        if let Some(outcome) = &outcome {
            changes.push(("outcome", Some(outcome.as_str())));
        }
        if changes.is_empty() { Verdict::Pass } else { Verdict::Less(changed(way.fields, &changes)) }
    }

    /// An outcome without the interrupts and calls that are blocked, where it has any.
    fn outcome(&mut self, outcome: &Fields<'_>, way: &mut Way<'_, '_>) -> Option<String> {
        let interrupts = kept(outcome.some("interrupts"), &mut |raw| {
            let fields = raw.object();
            let text = |name: &str| fields.as_ref().and_then(|fields| fields.text(name));
            let item = Item::new(way.carrier, Class::Submit).in_(subagent_key(text("subagentRunId")));
            // Its text is shown, and an answer is asked for.
            let mut item = Item { also: Some(Class::Display), counts: false, ..item };
            if let Some(call) = text("toolCallId") {
                let name = way.shown.call(&call).map(Cow::Owned);
                item = item.goes(Of::Call, &call).about("tool", name);
            }
            self.admits(&item, way.now)
        });
        let pending = kept(outcome.some("pendingToolCallIds"), &mut |raw| {
            let key = raw.string().map(|id| Key::new(Of::Call, &id));
            !self.shut.holds(key) && !self.calls.holds(key)
        });
        let mut changes = Vec::new();
        changes.extend(interrupts.as_deref().map(|list| ("interrupts", Some(list))));
        changes.extend(pending.as_deref().map(|list| ("pendingToolCallIds", Some(list))));
        (!changes.is_empty()).then(|| changed(outcome, &changes))
    }

    /// RUN_ERROR and SUBAGENT_ERROR: that something has failed is no secret, but what is said of it is text.
    fn failure(&mut self, way: &mut Way<'_, '_>) -> Verdict {
        if self.admits(&Item { counts: false, ..Item::new(way.carrier, Class::Display) }, way.now) {
            return Verdict::Pass;
        }
        let message = format!("\"{WITHHELD}\"");
        Verdict::Less(changed(way.fields, &[("message", Some(&message)), ("code", None), ("usage", None)]))
    }

    fn subagent_finished(&mut self, result: Option<Raw<'_>>, way: &mut Way<'_, '_>) -> Verdict {
        let item = Item { counts: false, ..Item::new(way.carrier, Class::Display) };
        if result.is_none() || self.admits(&item, way.now) {
            return Verdict::Pass;
        }
        Verdict::Less(changed(way.fields, &[("result", None)]))
    }

    /// The messages of a list that may stay, where that is not all of them (JSON text).
    fn messages(&mut self, list: Raw<'_>, way: &mut Way<'_, '_>) -> Option<String> {
        let list = list.array().unwrap_or_default();
        // Calls first: an answer may stand before its call.
        let mut names = HashMap::new();
        let mut cut = Vec::with_capacity(list.len());
        for raw in &list {
            let known = way.shown.message(*raw);
            let fields = raw.object().filter(|_| known != Known::Same);
            cut.push((known, fields.and_then(|fields| self.calls(&fields, &mut names, way))));
        }
        let mut whole = true;
        let mut json = String::new();
        let mut out = JsonWriter::array(&mut json);
        for (raw, (known, calls)) in list.into_iter().zip(cut) {
            let verdict = self.message(raw, known, calls.as_deref(), &names, way);
            whole &= verdict == Verdict::Pass;
            match verdict {
                Verdict::Pass => out.item().push_str(raw.text()),
                Verdict::Less(message) => out.item().push_str(&message),
                Verdict::Block => {}
            }
        }
        out.close();
        (!whole).then_some(json)
    }

    /// The calls of a message that may stay, where that is not all of them. Notes the names of those that do.
    fn calls(
        &mut self,
        message: &Fields<'_>,
        names: &mut HashMap<String, String>,
        way: &mut Way<'_, '_>,
    ) -> Option<String> {
        let subagent = subagent_key(message.text("subagentRunId"));
        kept(message.some("toolCalls"), &mut |raw| {
            let call = raw.object();
            let id = call.as_ref().and_then(|call| call.text("id")).unwrap_or_default();
            let function = call.as_ref().and_then(|call| call.get("function")).and_then(Raw::object);
            let name = function.and_then(|function| function.text("name"));
            let is_new = way.shown.call(&id).as_deref() != name.as_deref();
            let item = Item::new("TOOL_CALL_START", Class::Submit).opens(Of::Call, &id).about("tool", name.clone());
            let admitted = self.admits(&item.in_(subagent).brought_by(way.carrier, is_new), way.now);
            if let (Some(name), true) = (name, admitted) {
                names.insert(id.into_owned(), name.into_owned());
            }
            admitted
        })
    }

    /// What may stay of a message of a list. `calls`: those that may, where not all of them may.
    fn message(
        &mut self,
        raw: Raw<'_>,
        known: Known,
        calls: Option<&str>,
        names: &HashMap<String, String>,
        way: &mut Way<'_, '_>,
    ) -> Verdict {
        if known == Known::Same {
            return Verdict::Pass;
        }
        let Some(fields) = raw.object() else {
            let item = Item::new("TEXT_MESSAGE_START", Class::Display).brought_by(way.carrier, true);
            return self.verdict(&item, way.now);
        };
        let text = |name: &str| fields.text(name).unwrap_or_default();
        let (id, role) = (text("id"), text("role"));
        let item = match &*role {
            "tool" => {
                let call = text("toolCallId");
                let name = names.get(&*call).cloned().or_else(|| way.shown.call(&call));
                Item::new("TOOL_CALL_RESULT", Class::Display).goes(Of::Call, &call).of_tool(name)
            }
            "activity" => Item::new("ACTIVITY_SNAPSHOT", Class::Create)
                .opens(Of::Activity, &id)
                .about("activity", fields.text("activityType")),
            "reasoning" => reasoning("REASONING_MESSAGE_START", &id),
            _ => Item::new("TEXT_MESSAGE_START", Class::Display).opens(Of::Message, &id),
        };
        let (subagent, is_new) = (subagent_key(fields.text("subagentRunId")), known == Known::New);
        let item = item.in_(subagent).brought_by(way.carrier, is_new);
        let given = fields.some("toolCalls").map(Raw::text);
        let calling = calls.or(given).is_some_and(|calls| calls != "[]");
        // A message that only calls tools says nothing by itself.
        let says =
            role != "assistant" || given.is_none() || fields.some("content").is_some_and(|raw| raw.text() != "\"\"");
        if says && !self.admits(&item, way.now) {
            let rest = calls.or(given).filter(|_| calling && role == "assistant");
            return rest.map_or(Verdict::Block, |calls| Verdict::Less(bare(&fields, calls)));
        }
        if !says && !calling && is_new {
            return Verdict::Block;
        }
        let mut changes: Vec<(&str, Option<&str>)> = Vec::new();
        if fields.some("reasoning").is_some() {
            let item = reasoning("REASONING_MESSAGE_START", &id).in_(subagent).brought_by(way.carrier, is_new);
            if !self.admits(&item, way.now) {
                changes.extend([("reasoning", None), ("reasoningEncryptedValue", None)]);
            }
        }
        if let Some(calls) = calls {
            changes.extend([("toolCalls", Some(calls)), ("toolCallIds", None)]);
        }
        if changes.is_empty() { Verdict::Pass } else { Verdict::Less(changed(&fields, &changes)) }
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

/// The elements of a list that `keep` keeps, where that is not all of them.
fn kept(list: Option<Raw<'_>>, keep: &mut dyn FnMut(Raw<'_>) -> bool) -> Option<String> {
    let mut whole = true;
    let mut json = String::new();
    let mut out = JsonWriter::array(&mut json);
    for raw in list?.array()? {
        if keep(raw) {
            out.item().push_str(raw.text());
        } else {
            whole = false;
        }
    }
    out.close();
    (!whole).then_some(json)
}

/// An object with other members in place of some, or without them. What an event was made of is left out: it has them.
fn changed(fields: &Fields<'_>, changes: &[(&str, Option<&str>)]) -> String {
    let mut json = String::new();
    let mut out = JsonWriter::object(&mut json);
    for (key, value) in fields.iter() {
        if key != "rawEvent" && changes.iter().all(|(name, _)| *name != key) {
            out.member(&key).push_str(value.text());
        }
    }
    for (name, value) in changes {
        if let Some(value) = value {
            out.member(name).push_str(value);
        }
    }
    out.close();
    json
}

/// A message that says nothing, with these calls.
fn bare(fields: &Fields<'_>, calls: &str) -> String {
    let mut json = String::new();
    let mut out = JsonWriter::object(&mut json);
    for (key, value) in fields.iter().filter(|(key, _)| ["id", "role", "subagentRunId"].contains(&&**key)) {
        out.member(&key).push_str(value.text());
    }
    out.member("toolCalls").push_str(calls);
    out.close();
    json
}
