//! Changes that the application makes: messages and state.

use crate::session::Session;
use crate::session::page::Page;
use crate::session::types::{Misuse, list, value};
use crate::wire::keep_private;

impl Session {
    /// Replaces all messages (JSON array). With `before`: does what the application has done to these messages (JSON array, as
    /// the page shows them), which has made `after` of them: a JSON array of messages, and of numbers of those in `before` that
    /// it has left as they were. Of these `before` may have `id`, `role` and `toolCallId` alone. Later messages stay.
    pub fn change_messages(&mut self, before: Option<&str>, after: &str) -> Result<(), Misuse> {
        self.alive()?;
        let (before, after) = (before.map(keep_private), keep_private(after));
        let depth = self.options.max_depth;
        let before = before.as_deref().map(|json| list(json, depth)).transpose()?;
        let added = self.thread.edit_messages(before, list(&after, depth)?);
        if let Some(baseline) = &mut self.rejoin.progress.baseline {
            baseline.keep(added);
        }
        self.review_calls();
        self.report_warnings();
        self.outbox.changed(true);
        Ok(())
    }

    /// Replaces the state (any JSON). With `before`: does what the application has done to this state, which has made `after` of
    /// it. Members of objects that both lack are not its. Later changes stay, unless it has changed the same place.
    pub fn change_state(&mut self, before: Option<&str>, after: &str) -> Result<(), Misuse> {
        self.alive()?;
        let (before, after) = (before.map(keep_private), keep_private(after));
        let depth = self.options.max_depth;
        let before = before.as_deref().map(|json| value(json, depth)).transpose()?;
        // A run that is joined, or that the server begins, continues the state that it knows.
        self.thread.state.edit(before, value(&after, depth)?);
        self.outbox.changed(true);
        Ok(())
    }

    /// Stops, forgets the queue, the messages, the state and the error. The thread id stays.
    pub fn reset(&mut self, now: f64) -> Result<(), Misuse> {
        self.alive()?;
        self.abandon(true, now);
        self.page = Page::default();
        self.rejoin.clear();
        self.thread.clear();
        self.verdict.clear();
        self.replies.ended();
        self.outbox.saving.due = true;
        self.outbox.changed(true);
        Ok(())
    }
}
