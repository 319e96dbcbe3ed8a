//! The ids that events have opened: which type of event opened each, and which are open.

use crate::wire::{At, Index};
use std::rc::Rc;

/// A subagent, or `None`: the parent agent. Shared by what a message brings: its calls have its owner.
pub(super) type Owner = Option<Rc<str>>;

/// The state of one id.
#[derive(Debug, Default)]
pub(super) struct IdState {
    /// The outer `None`: nobody has said.
    pub(super) owner: Option<Owner>,
    pub(super) open: bool,
}

impl IdState {
    pub(super) fn disagrees(&self, tag: Option<&str>) -> bool {
        matches!(&self.owner, Some(owner) if tag.is_some() && owner.as_deref() != tag)
    }
}

/// The ids of one kind of thing.
#[derive(Debug, Default)]
pub(super) struct Ids {
    index: Index,
    known: Vec<IdState>,
    pub(super) open: usize,
}

impl Ids {
    pub(super) fn clear(&mut self) {
        // Not cleared: that would go through the room that an earlier run has taken.
        *self = Self::default();
    }

    pub(super) fn get(&self, id: &str) -> Option<&IdState> {
        self.known.get(self.index.get(id)?.message)
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut IdState> {
        self.known.get_mut(self.index.get(id)?.message)
    }

    pub(super) fn owner(&self, id: &str) -> Option<&Owner> {
        self.get(id)?.owner.as_ref()
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.get(id).is_some_and(|known| known.open)
    }

    pub(super) fn disagrees(&self, id: &str, tag: Option<&str>) -> bool {
        self.get(id).is_some_and(|known| known.disagrees(tag))
    }

    /// The state of `id`, which is known from now on.
    fn of(&mut self, id: &str) -> Option<&mut IdState> {
        let at = match self.index.get(id) {
            Some(at) => at.message,
            None => {
                let at = self.known.len();
                self.index.insert(id, At { message: at, call: 0 });
                self.known.push(IdState::default());
                at
            }
        };
        self.known.get_mut(at)
    }

    /// Gives `id` an owner: instead of what is known, or where nothing is known.
    pub(super) fn name(&mut self, id: &str, owner: Owner, replace: bool) {
        if let Some(known) = self.of(id)
            && (replace || known.owner.is_none())
        {
            known.owner = Some(owner);
        }
    }

    /// Opens `id`. The first owner is kept; one that the opener does not name is `otherwise`.
    pub(super) fn open(&mut self, id: &str, owner: Owner) {
        let Some(known) = self.of(id) else { return };
        known.owner.get_or_insert(owner);
        let opened = !std::mem::replace(&mut known.open, true);
        self.open += usize::from(opened);
    }

    pub(super) fn close(&mut self, id: &str) {
        if let Some(known) = self.get_mut(id)
            && std::mem::replace(&mut known.open, false)
        {
            self.open -= 1;
        }
    }
}
