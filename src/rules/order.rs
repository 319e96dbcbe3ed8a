//! The order of events: what may follow what, and who may write to what (chapter "Ordering" of `docs/rules.md`).
//!
//! ```text
//!            RUN_STARTED           RUN_FINISHED: everything closed
//!  nothing ─────────────► a run ───────────────────────────────────► finished ─┐ RUN_ERROR
//!     └────────┬────────────▲ └──────────┬───────────────────────────────────┐ │
//!              │            │            │ RUN_ERROR                         ▼ ▼
//!              └────────────┼────────────┴────────────────────────────────► failed
//!                           └───────────── RUN_STARTED: all forgotten ────────┘
//! ```
//!
//! Within a run every message, reasoning span, call, step and subagent opens and closes, and has an owner: the subagent
//! that its first event named, or the parent agent. An event that names no owner never disagrees with one.

mod ids;

use super::{Repair, Violation};
use crate::wire::{DeltaKind, Event, Incoming, Raw, Str, pair, shown_id};
use ids::{Ids, Owner};

/// Where the stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum StreamPhase {
    #[default]
    Nothing,
    /// Events came that RUN_STARTED should have come before.
    Unannounced,
    Running,
    Finished,
    Failed,
}

/// Follows a stream and says where it breaks the order.
#[derive(Debug, Default)]
pub struct OrderKeeper {
    phase: StreamPhase,
    text: Ids,
    calls: Ids,
    /// Reasoning messages; the owners of reasoning spans are theirs too.
    reasoning: Ids,
    /// Reasoning spans, by id.
    spans: Ids,
    activities: Ids,
    /// Owner and name, in one string: names of different owners are different steps.
    steps: Ids,
    subagents: Ids,
}

/// A broken rule, before it is put into words.
struct Broken {
    code: &'static str,
    rule: &'static str,
    repair: Repair,
    expected: &'static str,
}

const fn broken(code: &'static str, rule: &'static str, repair: Repair, expected: &'static str) -> Option<Broken> {
    Some(Broken { code, rule, repair, expected })
}

const SAME_OWNER: &str = "the subagentRunId that it was opened with";

impl OrderKeeper {
    /// Forgets the stream.
    pub fn clear(&mut self) {
        self.forget(StreamPhase::Nothing);
    }

    /// (To clear the lists would go through the room that an earlier run has taken.)
    #[inline(never)]
    fn forget(&mut self, phase: StreamPhase) {
        *self = Self { phase, ..Self::default() };
    }

    /// Whether a run is in progress and content without an owner may come for `id`. Cheap for the id that it came for last.
    pub fn expects(&mut self, kind: DeltaKind, id: &str) -> bool {
        let ids = match kind {
            DeltaKind::Text => &mut self.text,
            DeltaKind::Args => &mut self.calls,
            DeltaKind::Reasoning => &mut self.reasoning,
        };
        matches!(self.phase, StreamPhase::Running | StreamPhase::Unannounced) && ids.expects(id)
    }

    /// Whether what an event continues or ends is open.
    pub fn has_open(&self, incoming: &Incoming<'_>) -> bool {
        let ids = match incoming.event {
            Event::TextMessageContent { .. } | Event::TextMessageEnd { .. } => &self.text,
            Event::ReasoningMessageContent { .. } | Event::ReasoningMessageEnd { .. } => &self.reasoning,
            Event::ReasoningEnd { .. } => &self.spans,
            Event::ToolCallArgs { .. } | Event::ToolCallEnd { .. } => &self.calls,
            Event::StepFinished { step_name } => {
                let tag = incoming.subagent_run_id.map(Str::decode);
                return self.steps.is_open(&pair(tag.as_deref(), &step_name.decode()));
            }
            Event::SubagentFinished { .. } | Event::SubagentError { .. } => &self.subagents,
            _ => return false,
        };
        subject(incoming).is_some_and(|id| ids.is_open(&id.decode()))
    }

    /// Checks an event. One that breaks a rule is followed as if it were repaired in the way that the violation says.
    pub fn check(&mut self, incoming: &Incoming<'_>) -> Option<Violation> {
        let frame = self.frame(&incoming.event);
        let own = match &frame {
            Some(Broken { repair: Repair::Drop, .. }) => None,
            _ => self.own(incoming),
        };
        let repair = own.as_ref().map(|own| own.repair);
        let Broken { code, rule, repair: own_repair, expected } = frame.or(own)?;
        let event = incoming.event.name();
        let about = subject(incoming).map(|id| format!(" \"{}\"", shown_id(&id.decode()))).unwrap_or_default();
        let message = format!("{event}{about}: expected {expected}");
        Some(Violation { repair: repair.unwrap_or(own_repair), ..Violation::new(code, rule, message) }.of(event))
    }

    /// The frame of runs around all other events.
    fn frame(&mut self, event: &Event<'_>) -> Option<Broken> {
        let terminal = matches!(event, Event::RunFinished { .. } | Event::RunError { .. });
        let repair = if terminal { Repair::Drop } else { Repair::Keep };
        match (self.phase, event) {
            (StreamPhase::Running, Event::RunStarted { .. }) => {
                return broken("run-not-finished", "V4", Repair::Keep, "RUN_FINISHED or RUN_ERROR first");
            }
            (StreamPhase::Unannounced, Event::RunStarted { .. }) => self.phase = StreamPhase::Running,
            (_, Event::RunStarted { .. }) => self.forget(StreamPhase::Running),
            (StreamPhase::Failed, _) => {
                return broken("event-after-end", "V1", repair, "after RUN_ERROR only RUN_STARTED is allowed");
            }
            (_, Event::RunError { .. }) => self.phase = StreamPhase::Failed,
            (StreamPhase::Finished, _) => {
                return broken(
                    "event-after-end",
                    "V2",
                    repair,
                    "after RUN_FINISHED only RUN_STARTED or RUN_ERROR is allowed",
                );
            }
            (StreamPhase::Nothing, _) => {
                let finished = matches!(event, Event::RunFinished { .. });
                self.phase = if finished { StreamPhase::Finished } else { StreamPhase::Unannounced };
                return broken("run-not-started", "V3", Repair::Keep, "RUN_STARTED or RUN_ERROR first");
            }
            (StreamPhase::Running | StreamPhase::Unannounced, Event::RunFinished { .. }) => {
                self.phase = StreamPhase::Finished
            }
            (StreamPhase::Running | StreamPhase::Unannounced, _) => {}
        }
        None
    }

    /// Applies an event to the ids that it names.
    fn own(&mut self, incoming: &Incoming<'_>) -> Option<Broken> {
        let tag = incoming.subagent_run_id.map(Str::decode);
        let tag = tag.as_deref();
        let id = subject(incoming).map(Str::decode).unwrap_or_default();
        let id = &*id;
        match incoming.event {
            Event::TextMessageStart { .. } => start(&mut self.text, id, tag, ["V9", "V10"]),
            Event::TextMessageContent { .. } => content(&mut self.text, id, tag, ["V11", "V13"]),
            Event::TextMessageEnd { .. } => end(&mut self.text, id, tag, ["V12", "V13"], Repair::Drop),
            Event::ToolCallStart { parent_message_id, .. } => {
                self.call_start(id, parent_message_id.map(Str::decode).as_deref(), tag)
            }
            Event::ToolCallArgs { .. } => self.call_args(id, tag),
            Event::ToolCallEnd { .. } => end(&mut self.calls, id, tag, ["V18", "V19"], Repair::Drop),
            Event::ToolCallResult { .. } => {
                self.text.name(id, tag.map(Into::into), true);
                None
            }
            Event::ReasoningMessageStart { .. } => start(&mut self.reasoning, id, tag, ["V24", "V25"]),
            Event::ReasoningMessageContent { .. } => content(&mut self.reasoning, id, tag, ["V26", "V27"]),
            Event::ReasoningMessageEnd { .. } => end(&mut self.reasoning, id, tag, ["V26", "V27"], Repair::Drop),
            Event::ReasoningStart { .. } => {
                let conflict = owner(&self.reasoning, id, tag, "V25");
                self.reasoning.name(id, tag.map(Into::into), false);
                start(&mut self.spans, id, None, ["V24", "V25"]).or(conflict)
            }
            Event::ReasoningEnd { .. } => {
                let conflict = owner(&self.reasoning, id, tag, "V27");
                end(&mut self.spans, id, None, ["V26", "V27"], Repair::Drop).or(conflict)
            }
            Event::ReasoningEncryptedValue { subtype, .. } => self.encrypted(subtype, id, tag),
            Event::ActivitySnapshot { replace, .. } => {
                self.activities.name(id, tag.map(Into::into), replace);
                None
            }
            Event::ActivityDelta { .. } => owner(&self.activities, id, tag, "V30"),
            Event::StepStarted { .. } => self.step_start(&pair(tag, id)),
            Event::StepFinished { .. } => end(&mut self.steps, &pair(tag, id), None, ["V22", "V22"], Repair::Keep),
            Event::SubagentStarted { parent_subagent_run_id, .. } => {
                self.subagent_start(id, parent_subagent_run_id.map(Str::decode).as_deref())
            }
            // One that an earlier run suspended may end in this one.
            Event::SubagentFinished { .. } | Event::SubagentError { .. } => {
                end(&mut self.subagents, id, None, ["V34", "V34"], Repair::Keep)
            }
            Event::MessagesSnapshot { messages } => {
                self.seed(messages, true);
                None
            }
            Event::RunStarted { input, .. } => {
                self.seed(input?.object()?.some("messages")?, false);
                None
            }
            Event::RunFinished { .. } => self.left_open(),
            // They may stand anywhere in a run, or were expanded before.
            _ => None,
        }
    }

    fn call_start(&mut self, id: &str, parent: Option<&str>, tag: Option<&str>) -> Option<Broken> {
        let of_parent = parent.and_then(|parent| self.text.owner(parent)).cloned();
        let known = self.calls.get(id);
        let found = if self.calls.is_open(id) {
            broken("already-open", "V14", Repair::Keep, "a tool call that is not open")
        } else if tag.is_some() && of_parent.as_ref().is_some_and(|owner| owner.as_deref() != tag) {
            broken("owner-conflict", "V15", Repair::Keep, "the subagentRunId of its parent message")
        } else if known.is_some_and(|known| known.disagrees(tag)) {
            broken("owner-conflict", "V16", Repair::Keep, SAME_OWNER)
        } else if let (None, Some(parents), Some(owner)) =
            (tag, &of_parent, known.and_then(|known| known.owner.as_ref()))
            && parents != owner
        {
            broken("owner-conflict", "V17", Repair::Keep, "a parent message of the subagent that the call belongs to")
        } else {
            None
        };
        self.calls.open(id, tag.map(Into::into).or(of_parent.flatten()));
        found
    }

    /// A call cannot be opened without its name: late arguments go to the call that is there.
    fn call_args(&self, id: &str, tag: Option<&str>) -> Option<Broken> {
        if self.calls.is_open(id) {
            return owner(&self.calls, id, tag, "V19");
        }
        broken("not-open", "V18", Repair::Keep, "an open tool call with this id")
    }

    fn encrypted(&self, subtype: Str<'_>, id: &str, tag: Option<&str>) -> Option<Broken> {
        let ids = match subtype.raw() {
            "tool-call" => &self.calls,
            _ if self.text.owner(id).is_some() => &self.text,
            _ => &self.reasoning,
        };
        owner(ids, id, tag, "V28")
    }

    fn step_start(&mut self, step: &str) -> Option<Broken> {
        if self.steps.is_open(step) {
            return broken("already-open", "V21", Repair::Drop, "a step that is not running under this owner");
        }
        self.steps.open(step, None);
        None
    }

    fn subagent_start(&mut self, id: &str, parent: Option<&str>) -> Option<Broken> {
        let found = match self.subagents.get(id) {
            Some(known) if known.open => {
                return broken("already-open", "V31", Repair::Drop, "a subagent that is not running");
            }
            Some(_) => broken("subagent-reused", "V32", Repair::Keep, "an id that no subagent of this run has had"),
            None if parent.is_some_and(|parent| self.subagents.get(parent).is_none()) => broken(
                "subagent-parent-unknown",
                "V33",
                Repair::Keep,
                "a parentSubagentRunId that was started in this run",
            ),
            None => None,
        };
        self.subagents.open(id, None);
        found
    }

    /// Takes the owners of a list of messages: instead of what is known, or where nothing is known.
    fn seed(&mut self, messages: Raw<'_>, replace: bool) {
        messages.each(&mut |_, fields| {
            let string = |name: &str| fields?.text(name);
            let (Some(id), Some(role)) = (string("id"), string("role")) else { return };
            let owner: Owner = string("subagentRunId").map(Into::into);
            let ids = match &*role {
                "reasoning" => &mut self.reasoning,
                "activity" => &mut self.activities,
                _ => &mut self.text,
            };
            ids.name(&id, owner.clone(), replace);
            let calls = fields.and_then(|fields| fields.some("toolCalls"));
            calls.into_iter().for_each(|calls| {
                calls.each(&mut |_, call| {
                    let id = call.and_then(|call| call.text("id"));
                    id.into_iter().for_each(|id| self.calls.name(&id, owner.clone(), replace));
                });
            });
        });
    }

    fn left_open(&self) -> Option<Broken> {
        let Self { steps, text, reasoning, spans, calls, subagents, .. } = self;
        let open = [
            (steps, "every step finished"),
            (text, "every text message ended"),
            (reasoning, "every reasoning message ended"),
            (spans, "every reasoning span ended"),
            (calls, "every tool call ended"),
            (subagents, "every subagent finished"),
        ];
        let (_, expected) = open.into_iter().find(|(ids, _)| ids.open > 0)?;
        broken("left-open", "V38", Repair::Keep, expected)
    }
}

/// The START that content lacks.
pub fn opener<'a>(incoming: &Incoming<'a>) -> Option<Incoming<'a>> {
    let event = match incoming.event {
        Event::TextMessageContent { message_id, .. } => Event::TextMessageStart { message_id, role: None, name: None },
        Event::ReasoningMessageContent { message_id, .. } => Event::ReasoningMessageStart { message_id },
        _ => return None,
    };
    Some(Incoming { event, subagent_run_id: incoming.subagent_run_id, metadata: None })
}

/// A START. It opens what is not open; who opened it first stays its owner.
#[inline(never)]
fn start(ids: &mut Ids, id: &str, tag: Option<&str>, [open, conflict]: [&'static str; 2]) -> Option<Broken> {
    let found = if ids.is_open(id) {
        broken("already-open", open, Repair::Keep, "an id that is not open")
    } else {
        owner(ids, id, tag, conflict)
    };
    ids.open(id, tag.map(Into::into));
    found
}

/// Content opens an item that is not open.
#[inline(never)]
fn content(ids: &mut Ids, id: &str, tag: Option<&str>, [closed, conflict]: [&'static str; 2]) -> Option<Broken> {
    if ids.is_open(id) {
        return owner(ids, id, tag, conflict);
    }
    ids.open(id, tag.map(Into::into));
    broken("not-open", closed, Repair::Open, "an open message with this id")
}

/// An END.
#[inline(never)]
fn end(
    ids: &mut Ids,
    id: &str,
    tag: Option<&str>,
    [closed, conflict]: [&'static str; 2],
    repair: Repair,
) -> Option<Broken> {
    let found = if ids.is_open(id) {
        owner(ids, id, tag, conflict)
    } else {
        broken("not-open", closed, repair, "an open item with this id")
    };
    ids.close(id);
    found
}

fn owner(ids: &Ids, id: &str, tag: Option<&str>, rule: &'static str) -> Option<Broken> {
    if ids.disagrees(id, tag) { broken("owner-conflict", rule, Repair::Keep, SAME_OWNER) } else { None }
}

/// The subject of an event, for messages.
fn subject<'a>(incoming: &Incoming<'a>) -> Option<Str<'a>> {
    match incoming.event {
        Event::SubagentStarted { .. } | Event::SubagentFinished { .. } | Event::SubagentError { .. } => {
            incoming.subagent_run_id
        }
        Event::Custom { .. } => None,
        event => event.texts()[0],
    }
}
