//! Saves: what is restored is saved as the same, and what cannot be restored changes nothing.

use super::seeded;
use super::streams::DEPTH;
use crate::support::SessionCalls;
use crate::support::{Agent, parse};
use ag_ui_wasm::session::Options;
use serde_json::Value;

fn agent() -> Agent {
    Agent::new(Options { max_depth: DEPTH, ..Options::default() })
}

/// The input is a save.
pub fn saves(data: &[u8]) {
    let (_, bytes) = seeded(data);
    let text = String::from_utf8_lossy(bytes);
    let mut agent = agent();
    agent.snapshot();
    let before = agent.session.save();
    let now = agent.now;
    let mut result = Ok(());
    agent.act(|session, _| result = session.restore(&text, now));
    if result.is_err() {
        assert_eq!(agent.session.save(), before, "what was refused has left something");
        assert!(agent.session.take_patch(usize::MAX).is_none());
        return;
    }
    agent.snapshot();
    super::streams::once(&agent);
    again(&agent, self::agent);
    // Waiting submits continue, or at least end.
    let tickets: Vec<u32> = agent.settled.iter().map(|(ticket, _)| *ticket).collect();
    let next = r#"{"runId":"next","messages":[],"ifBusy":"replace"}"#;
    agent.act(|session, now| drop(session.submit(next, now)));
    agent.act(|session, now| session.dispose(now));
    let mut all: Vec<u32> = agent.settled.iter().map(|(ticket, _)| *ticket).collect();
    all.sort_unstable();
    // Ticket 0 is nobody's: runs that follow on calls.
    assert!(
        all.windows(2).all(|pair| pair[0] != pair[1] || pair[0] == 0),
        "a ticket settles twice: {all:?} after {tickets:?}"
    );
}

/// Restores what an agent saves in two others, one after the other: both save the same.
pub fn again(agent: &Agent, make: impl Fn() -> Agent) {
    let saved = agent.session.save();
    let first = restored(&saved, &make);
    let second = restored(&first, &make);
    super::streams::same(&plain(&second), &plain(&first), "restoring and saving once more");
}

/// A save, with its sets in order.
pub fn plain(saved: &str) -> Value {
    let mut save = parse(saved);
    for set in ["/handled", "/checkpoint/messages", "/checkpoint/calls", "/earlier/runs"] {
        if let Some(ids) = save.pointer_mut(set).and_then(Value::as_array_mut) {
            ids.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            ids.dedup();
        }
    }
    save
}

fn restored(saved: &str, make: impl Fn() -> Agent) -> String {
    let mut agent = make();
    let now = agent.now;
    agent.act(|session, _| session.restore(saved, now).unwrap_or_else(|error| panic!("{error}: {saved}")));
    agent.snapshot();
    super::streams::once(&agent);
    agent.session.save()
}
