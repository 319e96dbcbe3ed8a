//! Activities: structured messages for the page that the server patches.

use super::entry::{Delivery, Entry};
use super::{Thread, delta, merge_metadata};
use crate::wire::{Content, Message, Raw, Role, Tree, shown_id};

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
            let mut message = Message::new(id, Role::Activity);
            message.activity_type = Some(activity_type.to_owned());
            message.content = Content::Document(Tree::read(content));
            message.subagent_run_id = owner.map(Into::into);
            message
        };
        let Some(at) = self.list.find(id) else {
            let mut message = fresh();
            merge_metadata(&mut message.metadata, metadata);
            self.list.push(Entry::new(message, Delivery::Complete));
            return;
        };
        let Some(entry) = self.list.change(at) else { return };
        if entry.message.role == Role::Activity {
            if replace {
                let Message { content, activity_type, subagent_run_id, .. } = fresh();
                entry.unsent.whole |= entry.message.subagent_run_id != subagent_run_id;
                entry.unsent.activity_type |= entry.message.activity_type != activity_type;
                entry.unsent.replaced = true;
                let message = &mut entry.message;
                (message.content, message.activity_type) = (content, activity_type);
                message.subagent_run_id = subagent_run_id;
            }
            entry.unsent.metadata.merge(&mut entry.message.metadata, metadata);
            self.list.classify(at);
        } else if replace {
            let mut message = fresh();
            merge_metadata(&mut message.metadata, metadata);
            self.list.supplant(at, Entry::new(message, Delivery::Complete));
        }
    }

    pub(super) fn activity_delta(&mut self, id: &str, activity_type: &str, patch: Raw<'_>, metadata: Option<Raw<'_>>) {
        const EVENT: &str = "ACTIVITY_DELTA";
        let limits = self.limits;
        let at = self.list.find(id);
        let entry = at.and_then(|at| self.list.change(at)).filter(|entry| entry.message.role == Role::Activity);
        let Some(entry) = entry else {
            self.warn("message-unknown", EVENT, format!("no activity has the id \"{}\"", shown_id(id)));
            return;
        };
        entry.unsent.metadata.merge(&mut entry.message.metadata, metadata);
        let Content::Document(document) = &mut entry.message.content else { return };
        let applied = delta::apply(document, patch, limits, &mut self.copies, Tree::is_object);
        if let Ok(kept) = &applied {
            if entry.message.activity_type.as_deref() != Some(activity_type) {
                entry.message.activity_type = Some(activity_type.to_owned());
                entry.unsent.activity_type = true;
            }
            entry.unsent.content.patched(kept.as_deref().unwrap_or(patch.text()), document);
        }
        self.warn_of_patch(EVENT, "activity-patch-failed", applied);
    }
}
