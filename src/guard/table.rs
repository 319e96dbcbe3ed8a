//! AG-UI's own events: which class each is of, which component it touches, and what belongs together.
//!
//! Events of runs and steps have no class. They show nothing but that the agent is at work, and a run whose end was blocked
//! would never end.

use super::classify::Class;
use super::policy::Policy;
use crate::wire::{Event, Incoming, Raw, Str};
use std::borrow::Cow;

/// What an event is to those that it belongs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Alone,
    /// What is decided of it is decided for all of them.
    Opens,
    Goes,
    /// It shows nothing by itself: it comes through where the opening did.
    Closes,
}

/// What ids are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Message,
    Call,
    Reasoning,
    Activity,
    /// Reasoning has spans, and messages in them that may have the same id.
    Span,
}

/// What the table says of an event.
#[derive(Debug)]
pub(crate) struct Ruled<'a> {
    pub class: Class,
    pub also: Option<Class>,
    /// The component's type and id.
    pub target: Option<(Cow<'a, str>, Cow<'a, str>)>,
    pub part: Part,
    /// What it belongs to; a chunk without an id belongs to the one before it.
    entity: Option<(Of, Option<Str<'a>>)>,
}

/// `None`: the event is never blocked.
pub(crate) fn rule<'a>(incoming: &Incoming<'a>, policy: &Policy) -> Option<Ruled<'a>> {
    use Class::{Create, Display, Mutate, Submit};
    use Part::{Alone, Closes, Goes, Opens};
    let mut target = None;
    let mut also = None;
    let (class, part, entity) = match incoming.event {
        Event::RunStarted { .. }
        | Event::RunFinished { .. }
        | Event::RunError { .. }
        | Event::StepStarted { .. }
        | Event::StepFinished { .. } => return None,
        Event::TextMessageStart { message_id, .. } => (Display, Opens, Some((Of::Message, Some(message_id)))),
        Event::TextMessageContent { message_id, .. } => (Display, Goes, Some((Of::Message, Some(message_id)))),
        Event::TextMessageEnd { message_id } => (Display, Closes, Some((Of::Message, Some(message_id)))),
        Event::TextMessageChunk { message_id, .. } => (Display, begins(message_id), Some((Of::Message, message_id))),
        Event::ReasoningStart { message_id } => (Display, Opens, Some((Of::Span, Some(message_id)))),
        Event::ReasoningEnd { message_id } => (Display, Closes, Some((Of::Span, Some(message_id)))),
        Event::ReasoningMessageStart { message_id } => (Display, Opens, Some((Of::Reasoning, Some(message_id)))),
        Event::ReasoningMessageContent { message_id, .. } => (Display, Goes, Some((Of::Reasoning, Some(message_id)))),
        Event::ReasoningMessageEnd { message_id } => (Display, Closes, Some((Of::Reasoning, Some(message_id)))),
        Event::ReasoningMessageChunk { message_id, .. } => {
            (Display, begins(message_id), Some((Of::Reasoning, message_id)))
        }
        Event::ReasoningEncryptedValue { subtype, entity_id, .. } => {
            let of = if subtype.decode() == "tool-call" { Of::Call } else { Of::Reasoning };
            (Display, Goes, Some((of, Some(entity_id))))
        }
        Event::ToolCallStart { tool_call_id, tool_call_name, .. } => {
            target = component("tool", tool_call_name);
            (Submit, Opens, Some((Of::Call, Some(tool_call_id))))
        }
        Event::ToolCallArgs { tool_call_id, .. } => (Submit, Goes, Some((Of::Call, Some(tool_call_id)))),
        Event::ToolCallEnd { tool_call_id } => (Submit, Closes, Some((Of::Call, Some(tool_call_id)))),
        Event::ToolCallChunk { tool_call_id, tool_call_name, .. } => {
            target = tool_call_name.and_then(|name| component("tool", name));
            (Submit, begins(tool_call_id), Some((Of::Call, tool_call_id)))
        }
        Event::ToolCallResult { tool_call_id, .. } => (Display, Goes, Some((Of::Call, Some(tool_call_id)))),
        Event::StateSnapshot { .. } | Event::StateDelta { .. } => (Mutate, Alone, None),
        Event::MessagesSnapshot { messages } => {
            also = calls(messages).then_some(Submit);
            (Mutate, Alone, None)
        }
        Event::ActivitySnapshot { message_id, activity_type, .. } => {
            target = component("activity", activity_type);
            (Create, Opens, Some((Of::Activity, Some(message_id))))
        }
        Event::ActivityDelta { message_id, activity_type, .. } => {
            target = component("activity", activity_type);
            (Mutate, Goes, Some((Of::Activity, Some(message_id))))
        }
        Event::Custom { name, .. } => {
            target = component("custom", name);
            (Submit, Alone, None)
        }
        Event::Raw { .. } => (Display, Alone, None),
        // Their id stands beside the event.
        Event::SubagentStarted { .. } => (Display, Opens, None),
        Event::SubagentFinished { .. } | Event::SubagentError { .. } => (Display, Closes, None),
    };
    let class = policy.class(incoming.event.name()).unwrap_or(class);
    Some(Ruled { class, also, target, part, entity })
}

/// A chunk that names what it belongs to may open it.
fn begins(id: Option<Str<'_>>) -> Part {
    if id.is_some() { Part::Opens } else { Part::Goes }
}

fn component<'a>(kind: &'static str, id: Str<'a>) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    Some((Cow::Borrowed(kind), id.decode()))
}

/// Whether a list of messages has tool calls.
fn calls(messages: Raw<'_>) -> bool {
    let some = |message: Raw<'_>| message.object()?.some("toolCalls")?.array().map(|calls| !calls.is_empty());
    messages.array().unwrap_or_default().into_iter().any(|message| some(message).unwrap_or_default())
}

/// What was blocked when it was opened, so that nothing comes of it later. Ids are kept as their hashes: whoever makes two
/// of the same only blocks more.
#[derive(Debug, Default)]
pub(crate) struct Shut {
    /// Sorted.
    ids: Vec<u64>,
    /// The last chunk of each kind.
    chunks: [u64; 4],
    /// More than can be kept were blocked: whatever is opened from now on may be one of them.
    full: bool,
}

/// How many are kept; a run that has more is no conversation.
const MOST: usize = 4096;

/// What an event belongs to: itself, and the subagent that it happens in.
pub(crate) struct Ids {
    own: Option<u64>,
    /// That of a subagent which is started is its parent's.
    around: Option<u64>,
    /// The span of a reasoning message.
    span: Option<u64>,
    pub part: Part,
}

impl Shut {
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn ids(&mut self, incoming: &Incoming<'_>, ruled: &Ruled<'_>) -> Ids {
        let subagent = incoming.subagent_run_id.map(|id| hash(SUBAGENT, &id.decode()));
        if let Event::SubagentStarted { parent_subagent_run_id, .. } = incoming.event {
            let parent = parent_subagent_run_id.map(|id| hash(SUBAGENT, &id.decode()));
            return Ids { own: subagent, around: parent, span: None, part: ruled.part };
        }
        let mut ids = Ids { own: None, around: subagent, span: None, part: ruled.part };
        let Some((of, id)) = ruled.entity else { return ids };
        ids.own = id.map(|id| hash(of as u8, &id.decode()));
        if of == Of::Reasoning {
            ids.span = id.map(|id| hash(Of::Span as u8, &id.decode()));
        }
        let chunk = matches!(
            incoming.event,
            Event::TextMessageChunk { .. } | Event::ToolCallChunk { .. } | Event::ReasoningMessageChunk { .. }
        );
        if let (Some(last), true) = (self.chunks.get_mut(of as usize), chunk) {
            if ids.own.is_none_or(|id| id == *last) {
                ids.part = Part::Goes;
            }
            *last = *ids.own.get_or_insert(*last);
        }
        ids
    }

    pub fn holds(&self, ids: &Ids) -> bool {
        let shut = |id: &Option<u64>| id.is_some_and(|id| self.ids.binary_search(&id).is_ok());
        shut(&ids.own)
            || shut(&ids.around)
            || shut(&ids.span)
            || self.full && matches!(ids.part, Part::Opens | Part::Goes)
    }

    pub fn add(&mut self, ids: &Ids) {
        let Some(id) = ids.own else { return };
        if let Err(at) = self.ids.binary_search(&id) {
            if self.ids.len() < MOST {
                self.ids.insert(at, id);
            } else {
                self.full = true;
            }
        }
    }
}

const SUBAGENT: u8 = b's';

/// FNV-1a.
fn hash(of: u8, id: &str) -> u64 {
    let bytes = std::iter::once(of).chain(id.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
