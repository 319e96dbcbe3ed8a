//! An agent as one JSON text, and back: thread, queue, the page's calls and the cursor, but not what was published.
//!
//! `{v, threadId, runId?, running?, cut?, interrupts, unsent, handled, untold?, turn?, failed?, queue, resumed?, usage?, lastEventId?, cursor?,
//! first?, behind?, usageTold?, checkpoint?, earlier?, messages, state}`. A later version that means something else has another `v`. What
//! grows with the thread is at the end, each message in a line of its own: the page reads no more than it has to.

use crate::session::Session;
use crate::session::page::Page;
use crate::session::rejoin::Resume;
use crate::session::submit::Submit;
use crate::session::types::{Ended, Misuse, Outcome, Ticket};
use crate::wire::{At, Fields, Gather, Index, JsonWriter, Raw, Tree, keep_private};

/// The value of `v`.
const VERSION: &str = "1";

impl Session {
    /// The next save of the page, and whether it has the changes since the last whole one alone: `from` says how many messages of that one stay,
    /// and `state` is missing where that one stays. All other members are whole.
    pub(in crate::session) fn next_save(&mut self, whole: bool) -> (String, bool) {
        let thread = self.thread.next_save(whole);
        (self.save_parts(Some(thread)), thread.0 > 0)
    }

    /// The agent as JSON text. `thread`: how many messages are left out, and whether the state is; `None`: both are.
    pub fn save_parts(&self, thread: Option<(usize, bool)>) -> String {
        JsonWriter::object_text(|object| {
            object.member("v").push_str(VERSION);
            object.string("threadId", &self.options.thread_id).optional("runId", self.verdict.run_id());
            let connected = self.run.as_ref().map(|run| run.end().is_none());
            let running = self.rejoin.is_unfinished(connected);
            // A browser ends the requests of a page that it leaves, and the page may still save that.
            object.flag("running", running).flag("cut", !running && self.verdict.is_cut);
            self.thread.report.interrupts.write_all(object.member("interrupts"));
            // Answers of the page that the server has not seen.
            object.strings("unsent", self.thread.unsent_answers());
            self.page.save(object, self.thread.review.orphans.iter());
            // A retry drops them. A run that cannot be joined is over once the page is left; what waits in the page is not.
            let failed = self.thread.failed_calls(running && self.options.network.resume.is_none());
            let failed: Vec<&str> = failed.filter(|id| self.page.stage_of(id).is_none()).gather();
            if !failed.is_empty() {
                object.strings("failed", failed.into_iter());
            }
            let mut queue = JsonWriter::array(object.member("queue"));
            self.queue.submits().iter().for_each(|submit| submit.save(queue.item()));
            queue.close();
            self.replies.save(object);
            if let Some(usage) = self.thread.report.write_usage() {
                object.json("usage", &usage);
            }
            // A run that was cut can be joined still.
            let joinable = running || self.verdict.outcome() == Some(Outcome::Truncated);
            let whole_threads = self.options.network.resume.as_ref().is_some_and(Resume::replays_threads);
            self.rejoin.save(object, joinable, running, whole_threads, &self.thread);
            if let Some((from, state)) = thread {
                object.number("from", (from > 0).then_some(from as u64));
                let mut messages = JsonWriter::array(object.member("messages"));
                self.thread.write_messages(&mut messages, from);
                messages.close();
                if !state {
                    self.thread.state.value().write(object.member("state"));
                }
            }
        })
    }

    /// Makes a fresh session the one that was saved, and lets it continue.
    pub fn restore(&mut self, json: &str, now: f64) -> Result<(), Misuse> {
        self.read_save(json, now)?;
        self.proceed(now);
        Ok(())
    }

    /// Makes a fresh session the one that was saved, and begins nothing. A damaged save, or one of another version, is refused, and the
    /// session stays as it was.
    pub(super) fn read_save(&mut self, json: &str, now: f64) -> Result<(), Misuse> {
        self.alive()?;
        let (json, depth) = (keep_private(json), self.options.max_depth);
        let damaged = || Misuse::Restore("the save is damaged");
        let fields = Fields::read(&json, depth).ok_or_else(damaged)?;
        if fields.get("v").map(Raw::text) != Some(VERSION) {
            return Err(Misuse::Restore("the save is of another version"));
        }
        let list = |name: &str| fields.get(name).filter(|raw| raw.text().starts_with('['));
        let parts = || {
            let mut queue = Vec::new();
            for raw in list("queue")?.array()? {
                queue.push(Submit::restore(raw, depth)?);
            }
            list("unsent")?;
            let (messages, interrupts, state) = (list("messages")?, list("interrupts")?, fields.get("state")?);
            Some((fields.text("threadId")?, messages, interrupts, state, queue, Page::read(&fields, depth)?))
        };
        let (thread_id, messages, interrupts, state, queue, page) = parts().ok_or_else(damaged)?;
        // Whatever waits here is not of that session.
        self.abandon(false, now);
        self.options.thread_id = thread_id.into_owned();
        self.thread.set_messages(messages);
        self.thread.state.replace(Tree::read(state));
        self.thread.restore_unsent(&fields.strings("unsent"));
        self.thread.report.interrupts.set(Some(interrupts), true);
        self.verdict.named(fields.text("runId").map(Into::into));
        // The lists of a save change nothing.
        self.review_calls();
        if let Some(usage) = fields.some("usage") {
            self.thread.report.restore_usage(usage);
        }
        self.replies.restore(&fields, &mut self.thread);
        self.rejoin.restore(&fields, &mut self.thread);
        // A run is sent once, whatever a save says.
        let mut runs = Index::new();
        for submit in queue {
            if runs.insert(submit.run_id(), At::default()).is_none() {
                let ticket = self.queue.tickets.give(submit.run_id());
                self.queue.push(Submit { ticket, ..submit });
            }
        }
        fields.strings("failed").iter().for_each(|id| self.thread.restore_failed(id));
        self.page = page;
        self.page.restored(&mut self.thread);
        // Where the thread is brought first, what became of the page's work stands in that, perhaps, and no run follows on it before.
        if self.queue.submits().first().is_none_or(Submit::speaks) {
            self.page.give_up_left(&mut self.thread);
            // How that run has ended is known by what it asks.
            let asks = self.thread.report.interrupts.len() > 0;
            self.page
                .turn
                .run_ended(Ticket::default(), Ended::new(if asks { Outcome::Interrupted } else { Outcome::Success }));
        }
        self.report_warnings();
        self.rejoin.progress.restored = fields.yes("running");
        if self.rejoin.progress.restored || fields.yes("cut") {
            self.verdict.cut("the page was left during the run");
        }
        Ok(())
    }

    /// Begins what waits in a save, unless its run is to be joined. Where the page was at work alone, its agent learns what became of that.
    pub(super) fn proceed(&mut self, now: f64) {
        if !self.rejoin.progress.restored {
            self.rest(now);
            self.next(now);
        }
        self.outbox.changed(true);
    }
}
