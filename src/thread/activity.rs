//! Activities: structured messages for the page that the server patches.

use super::entry::{Delivery, Entry};
use super::{Thread, merge_metadata, state};
use crate::wire::{Content, Message, Raw, Role};
use serde_json::Value;

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
            message.content = Content::Value(content.value());
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
                entry.message = Message { metadata: entry.message.metadata.take(), ..fresh() };
            }
            entry.unsent.whole |= merge_metadata(&mut entry.message.metadata, metadata) || replace;
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
            self.warn("message-unknown", EVENT, format!("no activity has the id \"{id}\""));
            return;
        };
        entry.unsent.whole |= merge_metadata(&mut entry.message.metadata, metadata);
        let Content::Value(document) = &mut entry.message.content else { return };
        let applied = state::apply(document, patch, limits, Value::is_object);
        if let Ok(kept) = &applied {
            if entry.message.activity_type.as_deref() != Some(activity_type) {
                entry.message.activity_type = Some(activity_type.to_owned());
                entry.unsent.whole = true;
            }
            entry.unsent.content.patched(kept.as_deref().unwrap_or(patch.text()));
        }
        self.warn_of_patch(EVENT, "activity-patch-failed", applied);
    }
}
