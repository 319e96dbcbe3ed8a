//! Activities: structured messages for the page that the server patches.

use super::entry::Entry;
use super::{Thread, delta};
use crate::document::*;
use crate::wire::{Raw, Tree, shown_id};

impl Thread {
    pub(super) fn activity_snapshot(
        &mut self,
        id: &str,
        activity_type: &str,
        content: Raw<'_>,
        replace: bool,
        owner: Option<&str>,
        metadata: Option<Raw<'_>>,
    ) {
        let fresh = || {
            let mut message = message(id, Role::Activity);
            message.set_text(ACTIVITY_TYPE, activity_type);
            message.set(CONTENT, Tree::read(content).into());
            message.set_some(OWNER, owner);
            message
        };
        let add = |metadata| {
            let mut message = fresh();
            message.merge(METADATA, metadata);
            Entry::new(message)
        };
        let Some(at) = self.list.find(id) else {
            self.list.push(add(metadata));
            return;
        };
        let Some(entry) = self.list.change(at) else { return };
        if entry.role() == Role::Activity {
            if replace {
                entry.row.assume(fresh(), 1 << CONTENT | 1 << ACTIVITY_TYPE | 1 << OWNER);
            }
            entry.row.merge(METADATA, metadata);
            self.list.classify(at);
        } else if replace {
            self.list.supplant(at, add(metadata));
        }
    }

    pub(super) fn activity_delta(&mut self, id: &str, activity_type: &str, patch: Raw<'_>, metadata: Option<Raw<'_>>) {
        const EVENT: &str = "ACTIVITY_DELTA";
        let limits = self.limits;
        let at = self.list.find(id);
        let entry = at.and_then(|at| self.list.change(at)).filter(|entry| entry.role() == Role::Activity);
        let Some(entry) = entry else {
            self.warn("message-unknown", EVENT, format!("no activity has the id \"{}\"", shown_id(id)));
            return;
        };
        entry.row.merge(METADATA, metadata);
        let copies = &mut self.copies;
        let applied = entry.row.change(CONTENT, |document| {
            let applied = delta::apply(document.tree_mut(), patch, limits, copies, Tree::is_object);
            if let Ok(kept) = &applied {
                document.patched(kept.as_deref().unwrap_or(patch.text()));
            }
            applied
        });
        let Some(applied) = applied else { return };
        if applied.is_ok() {
            entry.row.set_text(ACTIVITY_TYPE, activity_type);
        }
        self.warn_of_patch(EVENT, "activity-patch-failed", applied);
    }
}
