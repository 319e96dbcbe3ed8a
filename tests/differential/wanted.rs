//! The wanted differences between the core as it was and the core of today, each with its reason. Nothing else may differ.

use serde_json::{Value, json};
use std::fmt::Display;

/// The reason of a difference, and how it is taken out of both values.
type Difference = (&'static str, fn(&mut Value));

/// In snapshots, and in the threads of saves.
const SHOWN: &[Difference] = &[
    (
        "A message that loses its reasoning forgets how long that took: the old core shows it with the reasoning that comes next.",
        |shown| each_row(shown, "messages", "reasoningDurationMs"),
    ),
    ("A row of the queue has the id of its run; in the old core it had the submit's number.", |shown| {
        each_row(shown, "queue", "id");
    }),
];

/// In saves.
const SAVED: &[Difference] = &[
    ("The old core does not save that the last run was cut.", |save| drop(save.as_object_mut().unwrap().remove("cut"))),
    ("The old core names a member once more each time that a submit which waits is edited.", |save| {
        let waiting = save["queue"].as_array().map_or(0, Vec::len);
        (0..waiting).for_each(|at| sort(save, &format!("/queue/{at}/own")));
        sort(save, "/turn/run/own");
    }),
    ("Sets have no order.", |save| {
        ["/handled", "/checkpoint/messages", "/checkpoint/calls", "/earlier/runs"]
            .iter()
            .for_each(|set| sort(save, set));
    }),
    (
        "A message of a user is none of a run's to tell: after a reload the old core takes one for that which a list of the run has brought.",
        forget_users,
    ),
    (
        "Which of several messages with one id has grown is not known: the old core cuts all of them in a replay.",
        forget_sizes,
    ),
];

/// Inputs that the made-up streams and lives leave out, for the cores differ after them.
#[derive(Debug, Clone, Copy)]
pub enum Avoided {
    /// A retry of a run that was left goes before what waits, which in the old core goes first.
    RetryOfWhatWasLeft,
    /// Where a run is joined after an edit from while nothing ran, the old core loses the edit.
    AttachAfterAnEdit,
    /// The old core knows no question without an answer, which is regenerated.
    RegenerateWithoutAnswer,
    /// A reply begins its run although the body of the last one is open. In the old core it waits for the end of that.
    ReplyDuringABody,
    /// The core of today takes the id of a call that is over, and that comes again, for another call, or leaves its arguments out
    /// (`docs/decisions/0050-ids-of-calls-that-come-again.md`).
    CallAgain,
    /// Where messages that were shown have another order now, or are a part of another one, an edit of the earlier list adds at the
    /// end in the core of today, and did so after the message that stood before.
    EditOfMovedMessages,
    /// Of several messages of one id streams write to the first that came: an edit that moves them does not change that, and did.
    MoveOfAlikeMessages,
}

impl Avoided {
    /// Whether it would come about, where `differs` says so.
    pub fn if_so(self, differs: bool) -> bool {
        differs
    }
}

/// The old core knows submits by their numbers alone.
pub fn settled(ticket: impl Display, result: &str) -> String {
    format!("Settled {ticket} {result}")
}

/// A snapshot without the differences.
pub fn shown(mut shown: Value) -> Value {
    SHOWN.iter().for_each(|(_, take_out)| take_out(&mut shown));
    shown
}

/// A save without the differences.
pub fn saved(mut save: Value) -> Value {
    SAVED.iter().for_each(|(_, take_out)| take_out(&mut save));
    shown(save)
}

/// The saves of both without members of which one of them has more.
pub fn in_both(old: &mut Value, new: &mut Value) {
    // The old core saves no replies that wait for others, nor the state that the server knows beneath edits, nor that the last run was cut.
    ["replies", "server", "cut"].iter().for_each(|name| drop(new.as_object_mut().unwrap().remove(*name)));
    // To the old core a call that waits for a person is begun.
    old["handled"].as_array_mut().unwrap().retain(|id| new["handled"].as_array().unwrap().contains(id));
}

/// Takes a member out of each row of a list.
fn each_row(value: &mut Value, list: &str, member: &str) {
    for row in value[list].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        row.remove(member);
    }
}

fn sort(save: &mut Value, set: &str) {
    if let Some(ids) = save.pointer_mut(set).and_then(Value::as_array_mut) {
        ids.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        ids.dedup();
    }
}

fn forget_users(save: &mut Value) {
    let messages = save["messages"].as_array().into_iter().flatten();
    let users: Vec<Value> =
        messages.filter(|message| message["role"] == "user").map(|message| message["id"].clone()).collect();
    if let Some(ids) = save.pointer_mut("/checkpoint/messages").and_then(Value::as_array_mut) {
        ids.retain(|id| !users.contains(id));
    }
}

fn forget_sizes(save: &mut Value) {
    let mut ids: Vec<String> = save["messages"].as_array().into_iter().flatten().map(|m| m["id"].to_string()).collect();
    ids.sort();
    let several: Vec<String> = ids.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0].clone()).collect();
    if let Some(checkpoint) = save["checkpoint"].as_object_mut()
        && let Some(grown) = checkpoint.get_mut("grown").and_then(Value::as_object_mut)
    {
        grown.retain(|id, _| !several.contains(&json!(id).to_string()));
        if grown.is_empty() {
            checkpoint.remove("grown");
        }
    }
}
