//! The changes in the lists of messages and calls, as operations of a patch. The cost follows the changes, not the
//! length of the thread; only where the application or a replay has given the list anew is all of it looked through.

use super::*;

impl MessageList {
    /// Writes the messages and calls that came, went, or changed.
    pub fn write_changes(&mut self, patch: &mut Patch) {
        let list = self;
        patch.rebuild("\"messages\"", list.mirrored.message, &list.parts(), &mut |out, slot, _| {
            if let Some(entry) = list.get(slot) {
                entry.write(out);
            }
        });
        let mut linked = Vec::new();
        patch.rebuild("\"toolCalls\"", list.mirrored.call, &list.call_parts(), &mut |out, slot, at| {
            let Some(entry) = list.get(slot) else { return };
            let Some(call) = entry.calls.get(at) else { return };
            call.write_in_list(out, &mut |object| {
                for link in LINKS {
                    object.optional(
                        link.to,
                        entry.row.some(link.member).map(|id| if id.len() > SHORT_ID { "" } else { id }),
                    );
                }
            });
            if LINKS.iter().any(|link| link.is_long(entry)) {
                linked.push((slot, at));
            }
        });
        let touched = list.sent();
        for At { message, .. } in &touched {
            // A new entry was written as it is.
            if list.get(*message).is_some_and(|entry| entry.row.lacks()) {
                let path = format!("\"messages\",{}", list.order.place(*message).message);
                list.get_mut(*message).into_iter().for_each(|entry| entry.write_changes(&path, patch));
            }
        }
        for at in &touched {
            call(list, *at, patch);
        }
        for At { message, .. } in touched {
            list.get_mut(message).into_iter().for_each(|entry| entry.calls_written = false);
        }
        // By now the mirror has the messages as they are.
        for (slot, call) in linked {
            link(list, slot, call, patch);
        }
    }
}

/// Writes what the mirror lacks of one call, in its message and in the list.
fn call(list: &mut MessageList, at: At, patch: &mut Patch) {
    let place = list.order.place(at.message);
    let Some(entry) = list.get_mut(at.message) else { return };
    let written = entry.calls_written;
    let Some(call) = entry.calls.get_mut(at.call) else { return };
    let message = format!("\"messages\",{}", place.message);
    if call.fresh && !written {
        let path = |list: &str| format!("{message},\"{list}\",{}", at.call);
        patch.set(&path("toolCalls"), |out| call.write_in_message(out));
        patch.set(&path("toolCallIds"), |out| call.write_id(out));
    }
    let in_message = format!("{message},\"toolCalls\",{}", at.call);
    call.write_changes((!written).then_some(&*in_message), &format!("\"toolCalls\",{}", place.call + at.call), patch);
}

/// The parts of a call that come from its message. A long one is not written for each of the message's calls.
struct Link {
    member: usize,
    from: &'static str,
    to: &'static str,
}

const LINKS: [Link; 2] = [
    Link { member: ID, from: "id", to: "messageId" },
    Link { member: OWNER, from: "subagentRunId", to: "subagentRunId" },
];

/// How long such an id may be that is written again: as long as what says where it stands.
const SHORT_ID: usize = 128;

impl Link {
    fn is_long(&self, entry: &Entry) -> bool {
        entry.row.text(self.member).len() > SHORT_ID
    }
}

/// Copies what is long to a call from its message, which the mirror has.
fn link(list: &mut MessageList, slot: usize, at: usize, patch: &mut Patch) {
    let place = list.order.place(slot);
    let Some(entry) = list.get(slot) else { return };
    let (message, call) = (place.message, place.call + at);
    for Link { from, to, .. } in LINKS.iter().filter(|link| link.is_long(entry)) {
        let (from, path) = (format!("/messages/{message}/{from}"), format!("/toolCalls/{call}/{to}"));
        patch.apply("", &format!("[{{\"op\":\"copy\",\"from\":\"{from}\",\"path\":\"{path}\"}}]"));
    }
}
