//! An agent as one JSON text, and back: thread, queue, the page's calls and the cursor, but not what was published.
//!
//! `{v, threadId, runId?, running?, messages, state, interrupts, handled, unsent, untold?, failed?, queue, turn?, resumed?,
//! usage?, lastEventId?, cursor?, behind?, usageTold?, checkpoint?, earlier?}`. A later version that means something else has another `v`.

use super::earlier::Earlier;
use super::event::USAGE;
use super::page_calls::Untold;
use super::reconnect::{Progress, Resume};
use super::submit::{IfAwaiting, Start, Submit};
use super::tools::Turn;
use super::words::Misuse;
use super::{Outcome, Session};
use crate::thread::{At, Checkpoint, Index, LocalAnswer};
use crate::wire::{Fields, JsonWriter, Raw, keep_private};

/// What `v` says.
const VERSION: &str = "1";

impl Session {
    /// The agent as JSON text.
    pub fn save(&self) -> String {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        object.member("v").push_str(VERSION);
        object.string("threadId", &self.options.thread_id).optional("runId", self.verdict.run_id());
        let connected = self.run.as_ref().map(|run| run.ended.is_none());
        let running = self.left || connected.unwrap_or(self.progress.restored);
        object.member("running").push_str(if running { "true" } else { "false" });
        let mut messages = JsonWriter::array(object.member("messages"));
        self.thread.write_messages(&mut messages);
        messages.close();
        self.thread.state().write(object.member("state"));
        self.thread.write_interrupts(object.member("interrupts"));
        object.strings("handled", self.handled.keys().map(String::as_str));
        // Answers of the page that the server has not seen.
        object.strings("unsent", self.thread.unsent_answers());
        // Those to calls that the thread lacks, for now.
        let mut untold = self.untold.iter().chain(self.thread.orphans()).peekable();
        if untold.peek().is_some() {
            let mut list = JsonWriter::array(object.member("untold"));
            untold.for_each(|answer| answer.write(list.item()));
            list.close();
        }
        // A retry drops them.
        let mut failed = self.thread.failed_calls().peekable();
        if failed.peek().is_some() {
            object.strings("failed", failed);
        }
        let mut queue = JsonWriter::array(object.member("queue"));
        self.queue.iter().for_each(|submit| submit.save(queue.item()));
        queue.close();
        if let Some(turn) = self.turn.as_ref().filter(|turn| turn.waits()) {
            turn.save(object.member("turn"));
        }
        if let Some(resumed) = &self.resumed {
            object.json("resumed", resumed);
        }
        if let Some(usage) = self.thread.write_usage() {
            object.json("usage", &usage);
        }
        object.optional("lastEventId", Some(self.last_event_id.as_str()).filter(|id| !id.is_empty()));
        // A run that was cut can be joined still.
        if running || self.verdict.outcome() == Some(Outcome::Truncated) {
            object.optional("cursor", self.progress.cursor.as_deref());
            object.optional("behind", self.progress.behind.as_deref());
            // The run may be told again, from its beginning.
            object.number("usageTold", Some(self.progress.told.known(USAGE) as u64).filter(|told| *told > 0));
            if let Some(checkpoint) = &self.progress.checkpoint {
                checkpoint.write(object.member("checkpoint"), &self.thread);
            }
        }
        if self.options.network.resume.as_ref().is_some_and(Resume::tells_threads)
            && (running || self.earlier.renames())
        {
            self.earlier.save(object.member("earlier"));
        }
        object.close();
        json
    }

    /// Makes a fresh session the one that was saved. What is damaged, or of another version, is refused, and the session
    /// stays as it was.
    pub fn restore(&mut self, json: &str, now: f64) -> Result<(), Misuse> {
        self.alive()?;
        let json = keep_private(json);
        let damaged = || Misuse::Restore("the save is damaged");
        let fields = Raw::parse_object(&json, self.options.max_depth).ok().flatten().ok_or_else(damaged)?;
        if fields.get("v").map(Raw::text) != Some(VERSION) {
            return Err(Misuse::Restore("the save is of another version"));
        }
        let string = |name: &str| fields.some(name).and_then(Raw::string).map(String::from);
        let list = |name: &str| fields.get(name).and_then(Raw::array).ok_or_else(damaged);
        let thread_id = string("threadId").ok_or_else(damaged)?;
        let messages = fields.get("messages").filter(|raw| raw.text().starts_with('[')).ok_or_else(damaged)?;
        let state = fields.get("state").ok_or_else(damaged)?;
        let interrupts = fields.get("interrupts").filter(|raw| raw.text().starts_with('[')).ok_or_else(damaged)?;
        let handled: Option<Index> =
            list("handled")?.into_iter().map(|id| Some((id.string()?.into_owned(), At::default()))).collect();
        let handled = handled.ok_or_else(damaged)?;
        let unsent: Vec<String> = list("unsent")?.into_iter().filter_map(|id| id.string().map(Into::into)).collect();
        let untold = fields.some("untold").and_then(Raw::array).unwrap_or_default();
        let queue: Result<Vec<Submit>, Misuse> =
            list("queue")?.into_iter().map(|raw| Submit::restore(raw, self.options.max_depth)).collect();
        let queue = queue.map_err(|_| damaged())?;
        let turn = match fields.some("turn").and_then(Raw::object) {
            Some(turn) => Some(Turn::restore(&turn, self.options.max_depth).ok_or_else(damaged)?),
            None => None,
        };
        // Whatever waits here is not of that session.
        self.abandon(false, now);
        self.options.thread_id = thread_id;
        self.thread.set_messages(messages);
        self.thread.set_state(state);
        self.thread.restore_unsent(&unsent);
        if let Some(usage) = fields.some("usage") {
            self.thread.restore_usage(usage);
        }
        self.thread.restore_interrupts(interrupts);
        self.handled = handled;
        self.untold = Untold::default();
        untold.into_iter().filter_map(LocalAnswer::read).for_each(|answer| self.untold.push(answer));
        self.verdict.named(string("runId"));
        self.resumed = fields.some("resumed").filter(|raw| raw.array().is_some()).map(|raw| raw.text().to_owned());
        self.last_event_id = string("lastEventId").unwrap_or_default();
        let checkpoint = fields.some("checkpoint").and_then(Checkpoint::read);
        self.progress = Progress::default();
        self.progress.cursor = string("cursor");
        self.progress.behind = string("behind");
        self.progress.checkpoint = checkpoint;
        if let Some(told) = fields.some("usageTold").and_then(Raw::whole) {
            self.progress.told.restore(USAGE, usize::try_from(told).unwrap_or_default());
        }
        self.earlier = fields.some("earlier").and_then(Earlier::restore).unwrap_or_default();
        self.earlier.set_old();
        for submit in queue {
            let ticket = self.queue.give();
            self.queue.push(Submit { ticket, ..submit });
        }
        for id in fields.some("failed").and_then(Raw::array).unwrap_or_default() {
            id.string().into_iter().for_each(|id| self.thread.restore_failed(&id));
        }
        self.restore_turn(turn);
        self.report_warnings();
        if fields.get("running").and_then(Raw::boolean) == Some(true) {
            self.progress.restored = true;
            self.verdict.cut("the page was left during the run");
        } else {
            // Where the page was at work alone, its agent is told what became of that.
            self.rest(now);
            self.next(now);
        }
        self.outbox.changed(true);
        Ok(())
    }
}

impl Submit {
    /// Writes all of it.
    pub(super) fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        let (start, of) = match &self.start {
            Start::Submit | Start::Attach | Start::Unasked { .. } => ("submit", None),
            Start::Retry => ("retry", None),
            Start::Regenerate(id) => ("regenerate", id.as_deref()),
        };
        object.string("start", start).optional("of", of).string("runId", &self.run_id);
        object.optional("ifAwaiting", (self.if_awaiting == IfAwaiting::Wait).then_some("wait"));
        object.optional("replaces", self.replaces.as_deref());
        object.optional("newMessageId", self.new_message_id.as_deref());
        for (name, json) in [
            ("messages", Some(self.messages.as_str())),
            ("state", self.state.as_deref()),
            ("resume", self.resume.as_deref()),
            ("tools", Some(&self.tools)),
            ("context", Some(&self.context)),
            ("forwardedProps", Some(&self.forwarded_props)),
        ] {
            if let Some(json) = json {
                object.json(name, json);
            }
        }
        let mut tools = JsonWriter::array(object.member("pageTools"));
        self.page_tools.iter().for_each(|tool| tool.save(tools.item()));
        tools.close();
        object.number("maxFollowUps", Some(u64::from(self.max_follow_ups)));
        object.close();
    }

    pub(super) fn restore(raw: Raw<'_>, depth: usize) -> Result<Self, Misuse> {
        let expected = Misuse::Input("a saved submit");
        let fields: Fields<'_> = raw.object().ok_or(expected.clone())?;
        let start = match fields.get("start").and_then(Raw::string).as_deref() {
            Some("submit") => Start::Submit,
            Some("retry") => Start::Retry,
            Some("regenerate") => Start::Regenerate(fields.some("of").and_then(Raw::string).map(String::from)),
            _ => return Err(expected),
        };
        Self::read(raw.text(), depth, start).map(|(submit, _)| submit)
    }
}
