//! An agent as one JSON text, and back: thread, queue, the page's calls and the cursor, but not what was published.
//!
//! `{v, threadId, runId?, running?, messages, state, interrupts, handled, unsent, queue, turn?, lastEventId?, cursor?,
//! behind?, checkpoint?}`. A later version that means something else has another `v`.

use super::reconnect::Progress;
use super::submit::{Misuse, Start, Submit};
use super::tools::Turn;
use super::{AgentError, Outcome, Session, Status};
use crate::thread::{At, Checkpoint, Index};
use crate::wire::{Fields, JsonWriter, Raw, keep_private, write_value};

/// What `v` says.
const VERSION: &str = "1";

impl Session {
    /// The agent as JSON text.
    pub fn save(&self) -> String {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        object.member("v").push_str(VERSION);
        object.string("threadId", &self.options.thread_id).optional("runId", self.run_id.as_deref());
        let running = self.left || self.run.as_ref().is_some_and(|run| run.ended.is_none());
        object.member("running").push_str(if running { "true" } else { "false" });
        let mut messages = JsonWriter::array(object.member("messages"));
        self.thread.write_messages(&mut messages);
        messages.close();
        write_value(object.member("state"), self.thread.state());
        self.thread.write_interrupts(object.member("interrupts"));
        object.strings("handled", self.handled.keys().map(String::as_str));
        // Answers of the page that the server has not seen.
        object.strings("unsent", self.thread.unsent_answers());
        let mut queue = JsonWriter::array(object.member("queue"));
        self.queue.iter().for_each(|submit| submit.save(queue.item()));
        queue.close();
        if let Some(turn) = self.turn.as_ref().filter(|turn| turn.waits()) {
            turn.save(object.member("turn"));
        }
        object.optional("lastEventId", Some(self.last_event_id.as_str()).filter(|id| !id.is_empty()));
        if running {
            object.optional("cursor", self.progress.cursor.as_deref());
            object.optional("behind", self.progress.behind.as_deref());
            if let Some(checkpoint) = &self.progress.checkpoint {
                checkpoint.write(object.member("checkpoint"));
            }
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
        let queue: Result<Vec<Submit>, Misuse> =
            list("queue")?.into_iter().map(|raw| Submit::restore(raw, self.options.max_depth)).collect();
        let queue = queue.map_err(|_| damaged())?;
        let turn = match fields.some("turn").and_then(Raw::object) {
            Some(turn) => Some(Turn::restore(&turn, self.options.max_depth).ok_or_else(damaged)?),
            None => None,
        };
        self.options.thread_id = thread_id;
        self.thread.set_messages(messages);
        self.thread.set_state(state);
        self.thread.restore_unsent(&unsent);
        self.thread.restore_interrupts(interrupts);
        self.handled = handled;
        self.run_id = string("runId");
        self.last_event_id = string("lastEventId").unwrap_or_default();
        let checkpoint = fields.some("checkpoint").and_then(Checkpoint::read);
        self.progress = Progress::default();
        self.progress.cursor = string("cursor");
        self.progress.behind = string("behind");
        self.progress.checkpoint = checkpoint;
        for submit in queue {
            self.tickets = self.tickets.wrapping_add(1);
            self.queue.push_back(Submit { ticket: self.tickets, ..submit });
        }
        self.restore_turn(turn);
        self.report_warnings();
        if fields.get("running").and_then(Raw::boolean) == Some(true) {
            self.status = Status::Error;
            self.outcome = Some(Outcome::Truncated);
            self.error = Some(AgentError::truncated(Some("the page was left while the run was on")));
        } else {
            // Where the page was at work alone, its agent is told what became of that.
            self.rest(now);
            self.next(now);
        }
        self.changed(true);
        Ok(())
    }
}

impl Submit {
    /// Writes all of it.
    pub(super) fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        let (start, of) = match &self.start {
            Start::Submit | Start::Attach => ("submit", None),
            Start::Retry => ("retry", None),
            Start::Regenerate(id) => ("regenerate", id.as_deref()),
        };
        object.string("start", start).optional("of", of).string("runId", &self.run_id);
        object.optional("replaces", self.replaces.as_deref());
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
