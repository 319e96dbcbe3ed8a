//! The shared state.

use super::delta::{self, Failed, Steps};
use super::limit::{Copies, LimitExceeded, ThreadLimits};
use super::overlay::{self, Difference, Edit, Rebase};
use super::patch::Patch;
use crate::wire::{Raw, Tree};

/// What the mirror lacks of a document.
#[derive(Debug, Default)]
pub(super) struct UnsentDocument {
    /// What has taken the place of what the mirror has.
    whole: Option<Tree>,
    /// JSON Patches on that, or on what the mirror has, in order; and how long they are.
    patches: Vec<String>,
    bytes: usize,
}

impl UnsentDocument {
    pub fn is_empty(&self) -> bool {
        self.whole.is_none() && self.patches.is_empty()
    }

    /// The document was replaced; what was to be sent before is ignored.
    pub fn replaced(&mut self, document: &Tree) {
        *self = Self { whole: Some(document.clone()), ..Self::default() };
    }

    /// The document is what these operations have made of it.
    pub fn patched(&mut self, operations: &str, document: &Tree) {
        // A patch may have no operations.
        if !operations.contains('{') {
            return;
        }
        self.bytes += operations.len();
        // Where it is shorter than what was done to it, it goes itself.
        if self.bytes > 1024 + 2 * document.bytes() {
            return self.replaced(document);
        }
        self.patches.push(operations.to_owned());
    }

    pub fn write(&mut self, path: &str, document: &Tree, patch: &mut Patch) {
        let Self { whole, patches, bytes } = std::mem::take(self);
        if let Some(whole) = whole {
            // Few bytes of patches may have copied many. But what comes whole is read faster than patches are applied.
            if whole.bytes() + 4 * bytes >= document.bytes() {
                return patch.reconcile(path, |out| document.write(out));
            }
            patch.reconcile(path, |out| whole.write(out));
        }
        for operations in patches {
            patch.apply(path, &operations);
        }
    }
}

/// The shared state of the thread.
#[derive(Debug)]
pub(super) struct State {
    /// As the snapshot shows it.
    value: Tree,
    pub unsent: UnsentDocument,
    /// What the application has changed while a run was on, and the state that the server knows beneath it.
    local: Option<(Edit, Tree)>,
}

impl Default for State {
    /// An agent without a state of its own sends `{}`.
    fn default() -> Self {
        Self { value: Tree::object(), unsent: UnsentDocument::default(), local: None }
    }
}

impl State {
    pub fn value(&self) -> &Tree {
        &self.value
    }

    pub fn write(&mut self, path: &str, patch: &mut Patch) {
        self.unsent.write(path, &self.value, patch);
    }

    /// The application's own, for the server to see with the next run.
    pub fn replace(&mut self, state: Tree) {
        self.value = state;
        self.local = None;
        self.unsent.replaced(&self.value);
    }

    /// Sets members of the application's own, where both are objects; else replaces it.
    pub fn merge(&mut self, state: Raw<'_>) {
        if !self.value.merge(state) {
            self.value = Tree::read(state);
        }
        self.local = None;
        self.unsent.replaced(&self.value);
    }

    /// What the application has made of the state `before`, done to the state as it is now. During a run, what the server
    /// says meanwhile goes beneath it. Without `before` it was made of the state as it is.
    pub fn edit(&mut self, before: Option<Raw<'_>>, after: Raw<'_>, running: bool) {
        let after = Tree::read(after);
        let new = match before {
            Some(before) => overlay::merge(Tree::read(before), after, self.value.clone()),
            None => after,
        };
        let old = self.value.clone();
        self.become_as(new);
        let server = self.local.take().map_or(old, |(_, server)| server);
        let edit = if running { Edit::between(&server, &self.value) } else { None };
        self.local = edit.map(|edit| (edit, server));
    }

    /// Becomes another one, which it differs little from: what is equal stays as it is, with the digits of its numbers.
    fn become_as(&mut self, new: Tree) {
        let limits = ThreadLimits { depth: usize::MAX, state_bytes: usize::MAX };
        let change = |difference: &Difference, value: &mut Tree| {
            let patch = Raw::parse(&difference.patch, usize::MAX).ok()?;
            delta::apply(value, patch, limits, &mut Copies::default(), |_| true).ok()
        };
        match Difference::between(&self.value, &new) {
            Some(difference) if change(&difference, &mut self.value).is_some() && !difference.rewrites => {
                self.unsent.patched(&difference.patch, &self.value);
            }
            Some(_) => self.unsent.replaced(&self.value),
            None => {
                self.value = new;
                self.unsent.replaced(&self.value);
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
        let state = read.unwrap_or_else(|| Tree::read(snapshot));
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
            let kept = delta::apply(&mut self.value, delta, limits, copies, |_| true)?;
            self.unsent.patched(kept.as_deref().unwrap_or(delta.text()), &self.value);
            return Ok(kept);
        };
        copies.pay(delta.text().len());
        let steps = Steps::read(delta)?;
        // Whether it fits as a whole has to be known before anything of it is shown.
        steps.apply(server, limits, copies, |_| true)?.undo(server);
        self.rebase(limits, copies, |rebase| steps.list.iter().for_each(|step| rebase.step(step)))?;
        Ok(steps.kept)
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
        let mut rebase = Rebase { edit, server, shown: &mut self.value, limits, copies, operations, failed };
        change(&mut rebase);
        let Rebase { mut operations, failed, .. } = rebase;
        operations.pop();
        operations.push(']');
        self.unsent.patched(&operations, &self.value);
        match (failed, self.local.take()) {
            // They are not each other's, which cannot be: the server's is shown.
            (Some(Failed::Misfit(_)), Some((_, server))) => {
                self.value = server;
                self.unsent.replaced(&self.value);
                Ok(())
            }
            (failed, local) => {
                self.local = local;
                failed.map_or(Ok(()), Err)
            }
        }
    }
}
