//! The reducer: the only writer of messages, tool calls, state, activities, subagents, steps and usage. It records
//! what changed, and writes it as a patch. Uses `wire`.
//!
//! ```text
//!             ┌─► text, reasoning, calls ─► list of messages ─┐
//! event ──────┼─► state ──────────────────► document ─────────┼─► marks ─► patch
//!             └─► run ────────────────────► steps, usage, … ──┘
//! ```
//!
//! A message is `streaming` from its START to its END or the end of the run. A tool call goes
//!
//! ```text
//! input-streaming ──END──► input-available ──RESULT──► output-available
//!        └──────── the run failed ┴──────────────────► output-error
//! ```

mod activity;
mod ahead;
mod apply;
mod baseline;
mod calls;
mod delta;
mod edit;
mod entry;
mod finder;
mod interrupts;
mod limit;
mod list;
mod mask;
mod measure;
mod merge;
mod merged;
mod queue;
mod results;
mod run;
mod shown;
mod state;
mod subagents;
mod text;

pub(crate) use crate::document::{CallPhase, Patch, numbered, same_args};
pub use crate::wire::Warning;
pub(crate) use crate::wire::{At, Index};
pub(crate) use ahead::Ahead;
pub(crate) use baseline::Baseline;
pub(crate) use delta::apply as apply_patch;
pub(crate) use interrupts::Interrupts;
pub use limit::ThreadLimits;
pub(crate) use limit::{Copies, LimitExceeded};

use crate::document::{Delivery, ID, OWNER, Role, Row, Value};
use crate::wire::{Delta, DeltaKind, Event, Gather, Incoming, JsonWriter, Protocol, Raw, Str, Tree, shown_id};
use delta::Failed;
use edit::Edit;
pub(crate) use entry::RELOADED;
use entry::{Entry, is_given_up};
use list::MessageList;
use merge::{Authority, NewMessages};
use merged::{Merged, Review};
use run::RunReports;
use state::State;

/// Encrypted values that came before what they belong to; more are dropped.
const MAX_EARLY_VALUES: usize = 256;

/// One conversation.
#[derive(Debug, Default)]
pub struct Thread {
    limits: ThreadLimits,
    /// A limit that an input would exceed. The session takes it, and ends the run.
    pub(crate) exceeded: Option<LimitExceeded>,
    /// The copies that the server has made in the state and in activities.
    copies: Copies,
    list: MessageList,
    pub(crate) state: State,
    pub(crate) report: RunReports,
    /// REASONING_ENCRYPTED_VALUE whose target has not appeared: subtype is "tool-call", id, value.
    early_values: Vec<(bool, String, String)>,
    /// Whether what the server sends may name subagents: not where it is of a version that knows none.
    pub(crate) tags: bool,
    /// Whether lists of messages leave the order as it is, and what they bring follows, as in the official client.
    pub(crate) local_order: bool,
    /// The warnings that came up since somebody has taken them.
    pub(crate) warnings: Vec<Warning>,
    /// The consequences of lists of messages, for the session to take.
    pub(crate) review: Review,
    /// A list of messages, or a replay, has taken calls away.
    pub(crate) calls_lost: bool,
    /// The parts that were read ahead of the event that is reduced.
    pub(crate) ahead: Option<Box<Ahead>>,
}

impl Thread {
    /// A thread with the messages (JSON array, AG-UI's or the snapshot's shape) and the state that the application has.
    pub fn new(limits: ThreadLimits, messages: Option<Raw<'_>>, state: Option<Raw<'_>>) -> Self {
        let mut thread = Self { limits, tags: true, ..Self::default() };
        if let Some(state) = state {
            thread.state.replace(Tree::read(state));
        }
        if let Some(messages) = messages {
            thread.set_messages(messages);
        }
        thread
    }

    /// Replaces all messages.
    pub fn set_messages(&mut self, messages: Raw<'_>) {
        self.edit_messages(None, messages);
    }

    /// Does an edit of the messages; see [`edit`]. Returns the ids of the messages that it has added.
    pub(crate) fn edit_messages(&mut self, before: Option<Raw<'_>>, after: Raw<'_>) -> Vec<String> {
        let mut edit = Edit::read(before, after);
        self.warnings.append(&mut edit.notes);
        let mut merged = Merged::default();
        let added = edit.apply(&mut self.list, &mut merged);
        // It may have moved the message after which calls are claimed.
        self.list.claimed = None;
        self.settle_results(merged, false);
        added
    }

    /// Appends messages that the user sends, or that the server got. One whose id the thread has is left out.
    pub fn add_messages(&mut self, messages: Raw<'_>) {
        let mut given = NewMessages::read(messages);
        self.warnings.append(&mut given.notes);
        self.add(given);
    }

    /// Messages that the server sends.
    fn receive(&mut self, mut given: NewMessages) -> NewMessages {
        self.warnings.append(&mut given.notes);
        // The official client leaves them as they are.
        if !self.local_order {
            self.list.number_calls(&mut given.entries);
        }
        if !self.tags {
            given.entries.iter_mut().for_each(|entry| entry.row.set(OWNER, Value::None));
        }
        given
    }

    fn add(&mut self, given: NewMessages) {
        let mut added = Vec::new();
        for entry in given.entries {
            if self.list.find(entry.id()).is_none() {
                added.push(self.list.push(entry));
            }
        }
        let mut merged = Merged::default();
        merged.slots.clone_from(&added);
        merged.fresh = added;
        self.settle_results(merged, false);
    }

    /// Forgets everything. The mirror is told.
    pub fn clear(&mut self) {
        self.list.take();
        self.list.replace(Vec::new());
        self.state.replace(Tree::object());
        self.report.clear();
        self.review = Review::default();
        self.early_values.clear();
    }

    /// Whether [`Self::rewind`] has a place to cut.
    pub fn can_rewind(&self, id: Option<&str>) -> bool {
        self.cut(id).is_some()
    }

    /// Cuts the thread after the user message that led to the assistant message `id`, or after the last user message.
    pub fn rewind(&mut self, id: Option<&str>) {
        self.keep(self.cut(id));
    }

    /// Leaves so many messages.
    fn keep(&mut self, length: Option<usize>) {
        let Some(length) = length else { return };
        let mut kept = self.list.take();
        kept.truncate(length);
        self.list.replace(kept);
    }

    /// How many messages stay. Counted along the way: the list's own size has those that the mirror has yet to drop.
    fn cut(&self, id: Option<&str>) -> Option<usize> {
        let mut question = None;
        for (at, entry) in self.list.iter().enumerate() {
            match entry.role() {
                Role::User => question = Some(at + 1),
                Role::Assistant if id.is_some_and(|id| entry.id() == id) => return question,
                _ => {}
            }
        }
        question.filter(|_| id.is_none())
    }

    /// Whether a user has said something.
    pub fn has_turn(&self) -> bool {
        self.list.iter().any(|entry| entry.role() == Role::User)
    }

    /// Whether there is such a user message.
    pub fn has_user_message(&self, id: &str) -> bool {
        self.user_message(id).is_some()
    }

    /// Whether the thread has the last of these messages, and an answer after it.
    pub fn has_answered(&mut self, messages: Raw<'_>) -> bool {
        let mut last = None;
        messages.each(&mut |_, fields| last = fields.and_then(|fields| self.list.find(&fields.text("id")?)));
        last.is_some() && self.list.after(last).next().is_some_and(|(_, next)| next.role() != Role::User)
    }

    fn user_message(&self, id: &str) -> Option<usize> {
        self.list.iter().position(|entry| entry.id() == id && entry.role() == Role::User)
    }

    /// Gives the last user message another id, unless a message has that id.
    pub fn rename_question(&mut self, id: &str) {
        if self.list.find(id).is_some() {
            return;
        }
        let mut entries = self.list.take();
        if let Some(entry) = entries.iter_mut().rfind(|entry| entry.role() == Role::User) {
            let mut message = entry.row.clone();
            message.set_text(ID, id);
            *entry = Entry::new(message);
            entry.set_delivery(Delivery::Complete);
        }
        self.list.replace(entries);
    }

    /// Cuts the thread before a user message, for another in its place.
    pub fn cut_before(&mut self, id: &str) {
        self.keep(self.user_message(id));
    }

    /// Drops what a run began after the last user message and did not finish, with all that followed on it: a call
    /// without its answer, which many servers refuse, does not go back.
    pub fn drop_unfinished(&mut self) {
        let unfinished = |entry: &Entry| {
            matches!(entry.delivery(), Delivery::Aborted | Delivery::Error) || entry.calls.iter().any(is_given_up)
        };
        let entries: Vec<&Entry> = self.list.iter().gather();
        let begin = entries.iter().rposition(|entry| entry.role() == Role::User).map_or(0, |at| at + 1);
        let length = entries.iter().skip(begin).position(|entry| unfinished(entry)).map(|at| begin + at);
        self.keep(length);
    }

    /// The id of the last message.
    pub fn last_id(&self) -> Option<&str> {
        self.list.iter().next_back().map(Entry::id)
    }

    /// Writes the messages that go to the server; says how many of their parts are not for it.
    pub(crate) fn write_outgoing(&self, list: &mut JsonWriter<'_>, protocol: Protocol) -> usize {
        // Model providers refuse an answer to nothing, also where a list of the server's has it.
        let answers =
            |entry: &&Entry| entry.role() != Role::Tool || entry.call_id().is_some_and(|id| self.list.has_call(id));
        self.list.iter().filter(answers).map(|entry| entry.write_outgoing(list, protocol)).sum()
    }

    /// Writes the messages as the snapshot has them, each in a line of its own: no message has a line break outside of a string.
    pub(crate) fn write_messages(&self, list: &mut JsonWriter<'_>, from: usize) {
        self.list.iter().skip(from).for_each(|entry| {
            let out = list.item();
            out.push('\n');
            entry.write(out);
            out.push('\n');
        });
    }

    /// Begins a save: how many messages, from the first on, it leaves out because the last whole one has them, and whether it leaves out the
    /// state. A `whole` one leaves out nothing.
    pub(crate) fn next_save(&mut self, whole: bool) -> (usize, bool) {
        let from = if whole { 0 } else { self.list.saved() };
        let state = from > 0 && self.state.is_saved();
        if from == 0 {
            self.list.set_saved();
            self.state.saved = true;
        }
        (from, state)
    }

    /// Messages and state, to be compared.
    pub(crate) fn stands(&self) -> String {
        let mut json = JsonWriter::array_text(|list| {
            self.list.iter().for_each(|entry| entry.write_unmeasured(list.item()));
        });
        self.state.value().write(&mut json);
        json
    }

    /// Notes where the thread stands.
    pub(crate) fn baseline(&self) -> Baseline {
        Baseline::of(&self.list, self.state.value().clone())
    }

    /// Writes a baseline as JSON text, for [`Self::read_baseline`].
    pub(crate) fn write_baseline(&self, baseline: &Baseline, out: &mut String) {
        baseline.write(out, &self.list);
    }

    pub(crate) fn read_baseline(&self, raw: Raw<'_>) -> Option<Baseline> {
        Baseline::read(raw, &self.list)
    }

    /// Forgets the part of the run that was told since. Gives the answers that the page has added to its calls. `stated`: the state is the one of now.
    pub(crate) fn roll_back(&mut self, baseline: &Baseline, stated: bool) -> Vec<Row> {
        if !stated {
            self.state.become_of_server(baseline.state.clone(), self.limits);
        }
        self.report.started();
        self.calls_lost = true;
        baseline.roll_back(&mut self.list)
    }

    /// Reduces a content event that was read the fast way.
    pub fn grow(&mut self, delta: &Delta<'_>) {
        let (id, text) = (delta.id.decode(), delta.delta.decode());
        if delta.kind == DeltaKind::Text && self.list.grow_last(&id, &text) {
            return;
        }
        match delta.kind {
            DeltaKind::Args => self.call_args(&id, &text, None),
            kind => self.message_content(kind, &id, &text, None),
        }
    }

    fn warn(&mut self, code: &'static str, event: &str, message: impl Into<String>) {
        self.warnings.push(Warning { event_type: Some(event.to_owned()), ..Warning::new(code, message) });
    }

    /// The run is to end: a limit would be exceeded. The first one counts.
    fn exceed(&mut self, exceeded: LimitExceeded) {
        self.exceeded.get_or_insert(exceeded);
    }

    /// Reports how a patch went; see [`delta::apply`].
    fn warn_of_patch(&mut self, event: &str, code: &'static str, applied: Result<Option<String>, Failed>) {
        match applied {
            Ok(None) => {}
            Ok(Some(_)) => {
                self.warn("patch-op-unknown", event, "an operation that JSON Patch does not have was left out")
            }
            Err(Failed::Misfit(reason)) => self.warn(code, event, format!("the document stays as it was: {reason}")),
            Err(Failed::Exceeded(exceeded)) => self.exceed(exceeded),
        }
    }

    /// Writes what changed since the last call.
    pub(crate) fn write_patch(&mut self, patch: &mut Patch) {
        self.list.write_changes(patch);
        self.state.write("\"state\"", patch);
        self.report.write(patch);
    }
}
