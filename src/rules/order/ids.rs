//! The ids that events have opened: which type of event opened each, and which are open.

use crate::wire::{Keyed, same};
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
    known: Keyed<IdState>,
    pub(super) open: usize,
    /// The open one that content came for last: a stream writes many deltas to one.
    last: Option<String>,
}

impl Ids {
    pub(super) fn get(&self, id: &str) -> Option<&IdState> {
        self.known.get(id)
    }

    pub(super) fn owner(&self, id: &str) -> Option<&Owner> {
        self.get(id)?.owner.as_ref()
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.get(id).is_some_and(|known| known.open)
    }

    /// The same, cheap for the one that it was asked of last.
    pub(super) fn expects(&mut self, id: &str) -> bool {
        if self.last.as_deref().is_some_and(|last| same(last, id)) {
            return true;
        }
        let open = self.is_open(id);
        self.last = open.then(|| id.to_owned());
        open
    }

    pub(super) fn disagrees(&self, id: &str, tag: Option<&str>) -> bool {
        self.get(id).is_some_and(|known| known.disagrees(tag))
    }

    /// Gives `id` an owner: instead of what is known, or where nothing is known.
    pub(super) fn name(&mut self, id: &str, owner: Owner, replace: bool) {
        if let Some(known) = self.known.get_or_add(id)
            && (replace || known.owner.is_none())
        {
            known.owner = Some(owner);
        }
    }

    /// Opens `id`. The first owner is kept; one that the opener does not name is `otherwise`.
    pub(super) fn open(&mut self, id: &str, owner: Owner) {
        let Some(known) = self.known.get_or_add(id) else { return };
        known.owner.get_or_insert(owner);
        let opened = !std::mem::replace(&mut known.open, true);
        self.open += usize::from(opened);
    }

    pub(super) fn close(&mut self, id: &str) {
        self.last = None;
        if let Some(known) = self.known.get_mut(id)
            && std::mem::replace(&mut known.open, false)
        {
            self.open -= 1;
        }
    }
}
