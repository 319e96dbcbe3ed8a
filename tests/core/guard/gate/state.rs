//! State and activities.

use super::*;

pub const ROWS: &[Row] = &[
    ("STATE_SNAPSHOT", state_snapshot),
    ("STATE_DELTA", state_delta),
    ("ACTIVITY_SNAPSHOT", activity_snapshot),
    ("ACTIVITY_DELTA", activity_delta),
];

fn state_snapshot() {
    row(restricts(&["mutate"]), &[event!("STATE_SNAPSHOT", "snapshot": {"a": MARK})]);
}

fn state_delta() {
    row(restricts(&["mutate"]), &[event!("STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": MARK}])]);
}

fn activity_snapshot() {
    row(only("activity"), &[activity(MARK, "x")]);
    row(only("activity"), &[activity("bad", MARK)]);
    row(restricts(&["create"]), &[activity("ok", MARK)]);
    row(only("activity"), &[activity("ok", "x"), activity(MARK, "x")]);
    row(
        only("activity"),
        &[
            event!("TEXT_MESSAGE_START", "messageId": "v"),
            event!("TEXT_MESSAGE_END", "messageId": "v"),
            activity(MARK, "x"),
        ],
    );
}

fn activity_delta() {
    let delta = |kind: &str, value: &str| event!("ACTIVITY_DELTA", "messageId": "v", "activityType": kind, "patch": [{"op": "add", "path": "/b", "value": value}]);
    row(only("activity"), &[activity("ok", "x"), delta(MARK, "x")]);
    row(restricts(&["mutate"]), &[activity("ok", "x"), delta("ok", MARK)]);
    row(only("activity"), &[activity("bad", "x"), delta("bad", MARK)]);
}
