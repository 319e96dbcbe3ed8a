//! The state, and JSON Patch on it and on activities.

use crate::row::{Row, Work, row};
use json_patch::PatchOperation;
use serde_json::{Map, Value, json};

/// The operations of JSON Patch: each begins the name of a row. A new one does not compile without.
pub const OPERATIONS: [&str; 6] = {
    const fn place(operation: &PatchOperation) -> usize {
        match operation {
            PatchOperation::Add(_) => 0,
            PatchOperation::Remove(_) => 1,
            PatchOperation::Replace(_) => 2,
            PatchOperation::Move(_) => 3,
            PatchOperation::Copy(_) => 4,
            PatchOperation::Test(_) => 5,
        }
    }
    let _ = place;
    ["add", "remove", "replace", "move", "copy", "test"]
};

fn delta(operations: Value) -> Value {
    json!({"type": "STATE_DELTA", "delta": operations})
}

/// A delta with each of these operations.
fn deltas(operations: impl Iterator<Item = Value>) -> Vec<Value> {
    operations.map(|operation| delta(json!([operation]))).collect()
}

/// An object with `n` members, and a list with `n` elements, in the state: what is patched is as large as what comes.
fn large(n: usize) -> Value {
    let members: Map<String, Value> = (0..n).map(|at| (format!("k{at}"), json!({"n": at}))).collect();
    let items: Vec<Value> = (0..n).map(|at| json!({"id": at, "text": "unchanged"})).collect();
    json!({"object": members, "list": items, "small": {"a": 1}, "n": 1.0, "x": {}})
}

/// Deltas of one operation each, on the large state.
fn single(n: usize, operation: fn(usize, usize) -> Value) -> Work {
    Work { state: Some(large(n)), events: deltas((0..n).map(|at| operation(at, n))), ..Work::default() }
}

/// The same, in one delta.
fn together(n: usize, operation: fn(usize, usize) -> Value) -> Work {
    let operations: Vec<Value> = (0..n).map(|at| operation(at, n)).collect();
    Work { state: Some(large(n)), events: vec![delta(Value::from(operations))], ..Work::default() }
}

/// Deltas that do not apply, and are undone.
fn failing(n: usize, operation: fn(usize, usize) -> Value) -> Work {
    let fails = json!({"op": "test", "path": "/n", "value": 2});
    let events = (0..n).map(|at| delta(json!([operation(at, n), fails]))).collect();
    Work { state: Some(large(n)), events, ..Work::default() }
}

/// Deltas of one operation each, while the page has edits that the server does not know.
fn edited(n: usize, operation: fn(usize, usize) -> Value) -> Work {
    let mut edit = large(n);
    edit["list"].as_array_mut().unwrap().push(json!("mine"));
    edit["object"]["k1"]["mine"] = json!(1);
    edit["mine"] = json!(true);
    Work { edit: Some(edit), ..single(n, operation) }
}

fn add_member(at: usize, _: usize) -> Value {
    json!({"op": "add", "path": format!("/x/m{at}"), "value": at})
}

fn add_first(at: usize, _: usize) -> Value {
    json!({"op": "add", "path": "/list/0", "value": at})
}

fn add_last(at: usize, _: usize) -> Value {
    json!({"op": "add", "path": "/list/-", "value": at})
}

fn add_middle(at: usize, n: usize) -> Value {
    json!({"op": "add", "path": format!("/list/{}", n / 2), "value": at})
}

fn remove_member(at: usize, _: usize) -> Value {
    json!({"op": "remove", "path": format!("/object/k{at}")})
}

fn remove_first(_: usize, _: usize) -> Value {
    json!({"op": "remove", "path": "/list/0"})
}

fn replace_item(at: usize, _: usize) -> Value {
    json!({"op": "replace", "path": format!("/list/{at}/text"), "value": "new"})
}

fn replace_member(at: usize, _: usize) -> Value {
    json!({"op": "replace", "path": format!("/object/k{at}/n"), "value": "new"})
}

fn move_member(at: usize, _: usize) -> Value {
    json!({"op": "move", "from": format!("/object/k{at}"), "path": format!("/object/moved{at}")})
}

fn move_item(_: usize, n: usize) -> Value {
    json!({"op": "move", "from": "/list/0", "path": format!("/list/{}", n - 1)})
}

/// Back and forth.
fn move_all(at: usize, _: usize) -> Value {
    let [from, path] = if at.is_multiple_of(2) { ["/list", "/moved"] } else { ["/moved", "/list"] };
    json!({"op": "move", "from": from, "path": path})
}

fn copy_small(at: usize, _: usize) -> Value {
    json!({"op": "copy", "from": "/small", "path": format!("/x/c{at}")})
}

fn copy_item(at: usize, _: usize) -> Value {
    json!({"op": "copy", "from": format!("/list/{}", 2 * at), "path": "/list/0"})
}

fn test_number(_: usize, _: usize) -> Value {
    json!({"op": "test", "path": "/n", "value": 1})
}

fn test_item(at: usize, _: usize) -> Value {
    json!({"op": "test", "path": format!("/list/{at}"), "value": {"id": at, "text": "unchanged"}})
}

fn remove_large(_: usize, _: usize) -> Value {
    json!({"op": "remove", "path": "/list"})
}

fn replace_root(_: usize, _: usize) -> Value {
    json!({"op": "replace", "path": "", "value": {"n": 1}})
}

fn copy_large(at: usize, _: usize) -> Value {
    match at % 2 {
        0 => json!({"op": "copy", "from": "/small", "path": "/copy"}),
        _ => json!({"op": "remove", "path": "/copy"}),
    }
}

/// Snapshots, in all as long as `n`.
fn snapshots(n: usize) -> Vec<Value> {
    let snapshot = |at| json!({"type": "STATE_SNAPSHOT", "snapshot": {"at": at, "rows": [1, {"a": [2]}]}});
    (0..n).map(snapshot).collect()
}

fn activity(operations: fn(usize, usize) -> Value, n: usize) -> Work {
    let snapshot = json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": large(n)});
    let delta =
        |at| json!({"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "PLAN", "patch": [operations(at, n)]});
    Work { before: vec![snapshot], events: (0..n).map(delta).collect(), ..Work::default() }
}

pub fn rows() -> Vec<Row> {
    vec![
        row("state snapshots", |n| Work { events: snapshots(n), ..Work::default() }),
        row("a large state snapshot", |n| Work {
            events: vec![json!({"type": "STATE_SNAPSHOT", "snapshot": large(n)})],
            ..Work::default()
        }),
        row("add: members", |n| single(n, add_member)),
        row("add: first in a list", |n| single(n, add_first)),
        row("add: last in a list", |n| single(n, add_last)),
        row("add: in a list, one delta", |n| together(n, add_middle)),
        row("add: undone", |n| failing(n, add_middle)),
        row("remove: members", |n| single(n, remove_member)),
        row("remove: members, one delta", |n| together(n, remove_member)),
        row("remove: first in a list", |n| single(n, remove_first)),
        row("remove: members, undone", |n| failing(n, remove_member)),
        row("remove: all, undone", |n| failing(n, remove_large)),
        row("replace: in a list", |n| single(n, replace_item)),
        row("replace: in an object", |n| single(n, replace_member)),
        row("replace: the root, undone", |n| failing(n, replace_root)),
        row("move: members", |n| single(n, move_member)),
        row("move: members, undone", |n| failing(n, move_member)),
        row("move: in a list", |n| single(n, move_item)),
        row("move: all there is, back and forth", |n| single(n, move_all)),
        row("copy: small", |n| single(n, copy_small)),
        row("copy: small, one delta", |n| together(n, copy_small)),
        row("copy: items", |n| single(n, copy_item)),
        row("copy: and remove", |n| single(n, copy_large)),
        row("copy: undone", |n| failing(n, copy_small)),
        row("test: a number", |n| single(n, test_number)),
        row("test: a number, one delta", |n| together(n, test_number)),
        row("test: items", |n| single(n, test_item)),
        row("activity snapshots", |n| {
            Work {
            events: (0..n)
                .map(|at| json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {"at": at}}))
                .collect(),
            ..Work::default()
        }
        }),
        row("activity deltas", |n| activity(add_last, n)),
        row("activity deltas: test", |n| activity(test_number, n)),
        row("activity deltas: remove", |n| activity(remove_member, n)),
        row("state snapshots under an edit", |n| Work {
            edit: Some(large(n)),
            ..Work { events: snapshots(n), ..Work::default() }
        }),
        row("state snapshots under edited members", |n| {
            let snapshot = |at| json!({"type": "STATE_SNAPSHOT", "snapshot": {"at": at, "object": {}}});
            Work {
                state: Some(json!({"object": {}})),
                edit: Some(json!({"object": large(n)["object"]})),
                ..Work { events: (0..n).map(snapshot).collect(), ..Work::default() }
            }
        }),
        row("add: under an edit", |n| edited(n, add_last)),
        row("add: members, under an edit", |n| edited(n, add_member)),
        row("replace: under an edit", |n| edited(n, replace_item)),
        row("remove: under an edit", |n| edited(n, remove_first)),
        row("move: under an edit", |n| edited(n, move_item)),
        row("copy: under an edit", |n| edited(n, copy_small)),
    ]
}
