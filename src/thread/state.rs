//! The shared state.

use super::delta::{self, Failed, Steps};
use super::limit::{Copies, LimitExceeded, ThreadLimits};
use super::mask::{Difference, Mask, Translation, merge};
use crate::document::{Document, Patch};
use crate::wire::{Raw, Tree};

/// The shared state of the thread.
#[derive(Debug)]
pub(crate) struct State {
    /// As the snapshot shows it.
    shown: Document,
    /// The application's changes since the last request was written, and the server's state beneath them.
    local: Option<(Option<Mask>, Tree)>,
    /// The last save has what the mirror has.
    pub saved: bool,
}

impl Default for State {
    /// An agent without a state of its own sends `{}`.
    fn default() -> Self {
        Self { shown: Tree::object().into(), local: None, saved: false }
    }
}

impl State {
    pub fn value(&self) -> &Tree {
        self.shown.tree()
    }

    pub fn write(&mut self, path: &str, patch: &mut Patch) {
        if self.shown.is_changed() {
            self.saved = false;
            self.shown.write(path, patch);
        }
    }

    pub fn is_saved(&self) -> bool {
        self.saved && !self.shown.is_changed()
    }

    /// The application's own, for the server to see with the next run.
    pub fn replace(&mut self, state: Tree) {
        *self.shown.tree_mut() = state;
        self.local = None;
        self.shown.replaced();
    }

    /// Sets members of the application's own, where both are objects; else replaces it.
    pub fn merge(&mut self, state: Raw<'_>) {
        if !self.shown.tree_mut().merge(state) {
            *self.shown.tree_mut() = Tree::read(state);
        }
        self.local = None;
        self.shown.replaced();
    }

    /// Applies to the state, as it is now, the change that leads from `before` to `after`. The server's changes go beneath it, until it is told.
    /// Without `before` it starts from the state as it is. What is equal stays as it is, with the digits of its numbers.
    pub fn edit(&mut self, before: Option<Raw<'_>>, after: Raw<'_>) {
        let old = self.value().clone();
        let before = before.map_or_else(|| old.clone(), Tree::read);
        self.show(merge(&before, &Tree::read(after), &old, false));
        let server = self.local.take().map_or(old, |(_, server)| server);
        self.put_over(server);
    }

    /// The server knows this one: what differs in the one that is shown is the application's.
    pub fn put_over(&mut self, server: Tree) {
        self.local = Mask::between(&server, self.value()).map(|mask| (Some(mask), server));
    }

    /// The one that the server knows, where it is not what is shown.
    pub fn beneath(&self) -> Option<&Tree> {
        self.local.as_ref().map(|(_, server)| server)
    }

    /// Shows another one, which it differs little from.
    fn show(&mut self, new: Tree) {
        let Difference { operations, rewrites } = Difference::between(self.value(), &new, "");
        // Done in the same way as in the mirror, the members have one order in both.
        if !rewrites && delta::apply_own(self.shown.tree_mut(), &operations).is_ok() {
            return self.shown.patched(&delta::patch_of(&operations));
        }
        *self.shown.tree_mut() = new;
        self.shown.replaced();
    }

    /// The server is told everything now.
    pub fn sent(&mut self) {
        self.local = None;
    }

    /// The server's, which may be read already. One that is too large is not taken.
    pub fn receive(&mut self, snapshot: Raw<'_>, read: Option<Tree>, limits: ThreadLimits) -> Option<LimitExceeded> {
        if snapshot.text().len() > limits.state_bytes {
            return Some(limits.exceeded());
        }
        self.become_of_server(read.unwrap_or_else(|| Tree::read(snapshot)), limits)
    }

    /// The server's is this one. Under an edit that costs what is new in it, however much was edited.
    pub fn become_of_server(&mut self, state: Tree, limits: ThreadLimits) -> Option<LimitExceeded> {
        let Some((_, server)) = &self.local else {
            self.replace(state);
            return None;
        };
        let changes = delta::patch_of(&Difference::between(server, &state, "").operations);
        match self.patch(Raw::known(&changes), limits, &mut Copies::default()) {
            Err(Failed::Exceeded(exceeded)) => Some(exceeded),
            _ => None,
        }
    }

    /// As [`delta::apply`].
    pub fn patch(
        &mut self,
        delta: Raw<'_>,
        limits: ThreadLimits,
        copies: &mut Copies,
    ) -> Result<Option<String>, Failed> {
        let Some((mask, server)) = &mut self.local else {
            let kept = delta::apply(self.shown.tree_mut(), delta, limits, copies, |_| true)?;
            self.shown.patched(kept.as_deref().unwrap_or(delta.text()));
            return Ok(kept);
        };
        copies.pay(delta.text().len());
        let steps = Steps::read(delta)?;
        // Whether it fits as a whole has to be known before anything of it is shown.
        steps.apply(server, limits, copies, |_| true)?.undo(server);
        let shown = self.shown.tree_mut();
        let mut translation = Translation { mask, server, shown, limits, copies, operations: String::new() };
        let done = steps.list.iter().try_for_each(|step| translation.step(step));
        let patch = delta::patch_of(&translation.operations);
        self.shown.patched(&patch);
        match done {
            // They are not each other's, which cannot be: the server's is shown.
            Err(Failed::Misfit(_)) => self.local.take().into_iter().for_each(|(_, server)| self.replace(server)),
            done => done?,
        }
        Ok(steps.without_unknown)
    }
}
