//! What foreign systems send, and what becomes of it. `tests/fixtures/dialects` has their bytes.
#![allow(dead_code, unused_imports)] // While the dialects come.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod hector;
mod ngaf;

#[path = "../support/mod.rs"]
mod support;

mod chio;
mod guard;

use ag_ui_wasm::session::Options;
use serde_json::{Value, json};
use support::Agent;

/// A file of `tests/fixtures/dialects`.
fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/dialects/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The same as JSON.
fn json_fixture(name: &str) -> Value {
    serde_json::from_slice(&fixture(name)).unwrap()
}

/// An agent that has read the pieces of a body, with its clock standing still.
fn played<'a>(mut agent: Agent, pieces: impl IntoIterator<Item = &'a [u8]>) -> Agent {
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    for piece in pieces {
        agent.bytes(request, piece);
    }
    agent.end(request);
    agent
}

/// Plays a body whole and cut at every byte: `outcome` says of the agent what is to be compared. Gives what all cuts gave.
fn at_every_cut<T: PartialEq + std::fmt::Debug>(
    body: &[u8],
    make: impl Fn() -> Agent,
    outcome: impl Fn(&mut Agent) -> T,
) -> T {
    let whole = outcome(&mut played(make(), [body]));
    for at in 1..body.len() {
        let (head, tail) = body.split_at(at);
        assert_eq!(outcome(&mut played(make(), [head, tail])), whole, "cut at {at}");
    }
    assert_eq!(outcome(&mut played(make(), body.chunks(1))), whole, "byte by byte");
    whole
}

#[test]
fn a_dialect_that_this_build_does_not_have() {
    assert!(ag_ui_wasm::dialect::named("esperanto", "{}").is_none());
}
