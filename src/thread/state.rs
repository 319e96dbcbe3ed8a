//! The shared state.

use super::delta::{self, Failed, Steps};
use super::limit::{Copies, LimitExceeded, ThreadLimits};
use super::overlay::{self, Difference, Rebase, ValueEdit};
use crate::document::{Document, Patch};
use crate::wire::{Raw, Tree};

/// The shared state of the thread.
#[derive(Debug)]
pub(super) struct State {
    /// As the snapshot shows it.
    shown: Document,
    /// The application's changes during a run, and the server's state beneath them.
    local: Option<(ValueEdit, Tree)>,
}

impl Default for State {
    /// An agent without a state of its own sends `{}`.
    fn default() -> Self {
        Self { shown: Tree::object().into(), local: None }
    }
}

impl State {
    pub fn value(&self) -> &Tree {
        self.shown.tree()
    }

    pub fn write(&mut self, path: &str, patch: &mut Patch) {
        if self.shown.is_changed() {
            self.shown.write(path, patch);
        }
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

    /// Applies to the state, as it is now, the change that leads from `before` to `after`. During a run, the server's
    /// changes go beneath it. Without `before` it starts from the state as it is.
    pub fn edit(&mut self, before: Option<Raw<'_>>, after: Raw<'_>, running: bool) {
        let after = Tree::read(after);
        let new = match before {
            Some(before) => overlay::merge(Tree::read(before), after, self.value().clone()),
            None => after,
        };
        let old = self.value().clone();
        self.become_as(new);
        let server = self.local.take().map_or(old, |(_, server)| server);
        let edit = if running { ValueEdit::between(&server, self.value()) } else { None };
        self.local = edit.map(|edit| (edit, server));
    }

    /// Becomes another one, which it differs little from: what is equal stays as it is, with the digits of its numbers.
    fn become_as(&mut self, new: Tree) {
        let limits = ThreadLimits { depth: usize::MAX, state_bytes: usize::MAX };
        let change = |difference: &Difference, value: &mut Tree| {
            let patch = Raw::parse(&difference.patch, usize::MAX).ok()?;
            delta::apply(value, patch, limits, &mut Copies::default(), |_| true).ok()
        };
        match Difference::between(self.value(), &new) {
            Some(difference) if change(&difference, self.shown.tree_mut()).is_some() && !difference.rewrites => {
                self.shown.patched(&difference.patch);
            }
            Some(_) => self.shown.replaced(),
            None => {
                *self.shown.tree_mut() = new;
                self.shown.replaced();
            }
        }
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

    /// The server's is this one.
    pub fn become_of_server(&mut self, state: Tree, limits: ThreadLimits) -> Option<LimitExceeded> {
        if self.local.is_none() {
            self.replace(state);
            return None;
        }
        match self.rebase(limits, &mut Copies::default(), |rebase| rebase.replace(state)) {
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
        let Some((_, server)) = &mut self.local else {
            let kept = delta::apply(self.shown.tree_mut(), delta, limits, copies, |_| true)?;
            self.shown.patched(kept.as_deref().unwrap_or(delta.text()));
            return Ok(kept);
        };
        copies.pay(delta.text().len());
        let steps = Steps::read(delta)?;
        // Whether it fits as a whole has to be known before anything of it is shown.
        steps.apply(server, limits, copies, |_| true)?.undo(server);
        self.rebase(limits, copies, |rebase| steps.list.iter().for_each(|step| rebase.step(step)))?;
        Ok(steps.without_unknown)
    }

    /// Changes what the server knows, and what is shown with it.
    fn rebase(
        &mut self,
        limits: ThreadLimits,
        copies: &mut Copies,
        change: impl FnOnce(&mut Rebase<'_>),
    ) -> Result<(), Failed> {
        let Some((edit, server)) = &mut self.local else { return Ok(()) };
        let (operations, failed) = (String::from("["), None);
        let mut rebase = Rebase { edit, server, shown: self.shown.tree_mut(), limits, copies, operations, failed };
        change(&mut rebase);
        let Rebase { mut operations, failed, .. } = rebase;
        operations.pop();
        operations.push(']');
        self.shown.patched(&operations);
        match (failed, self.local.take()) {
            // They are not each other's, which cannot be: the server's is shown.
            (Some(Failed::Misfit(_)), Some((_, server))) => {
                *self.shown.tree_mut() = server;
                self.shown.replaced();
                Ok(())
            }
            (failed, local) => {
                self.local = local;
                failed.map_or(Ok(()), Err)
            }
        }
    }
}
