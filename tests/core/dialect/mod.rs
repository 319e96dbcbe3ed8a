//! Streams of foreign systems, and their translation. `tests/fixtures/dialects` has their bytes.

mod agent_os;
mod chio;
mod hector;
mod legacy;
mod ngaf;
mod open_search;

use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

/// A file of `tests/fixtures/dialects`.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/dialects/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The same as JSON.
pub fn json_fixture(name: &str) -> Value {
    serde_json::from_slice(&fixture(name)).unwrap()
}

/// An agent that has read the pieces of a body, with its clock standing still.
pub fn played<'a>(mut agent: Agent, pieces: impl IntoIterator<Item = &'a [u8]>) -> Agent {
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    for piece in pieces {
        agent.bytes(request, piece);
    }
    agent.end(request);
    agent
}

/// Plays a body whole and cut at every byte: `outcome` says of the agent what is to be compared. Gives what all cuts gave.
pub fn at_every_cut<T: PartialEq + std::fmt::Debug>(
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

/// Plays bodies of which some bytes were changed, left out, doubled or moved: `times` of them, by chance from `seed`.
pub fn damage(
    bodies: impl IntoIterator<Item = Vec<u8>>,
    seed: u64,
    times: usize,
    play: &mut dyn FnMut(&mut crate::support::streams::Random, &[u8]),
) {
    let bodies: Vec<_> = bodies.into_iter().collect();
    let mut random = crate::support::streams::Random::new(seed);
    for _ in 0..times {
        let mut body = bodies[random.below(bodies.len())].clone();
        for _ in 0..=random.below(6) {
            if body.is_empty() {
                break;
            }
            let (at, other) = (random.below(body.len()), random.below(body.len()));
            match random.below(5) {
                0 => body[at] = b"{}[]\",:0\\nabc-"[random.below(14)],
                1 => drop(body.remove(at)),
                2 => body.truncate(at + 1),
                3 => body.swap(at, other),
                _ => {
                    let piece = body[at.min(other)..at.max(other)].to_vec();
                    body.splice(at..at, piece);
                }
            }
        }
        play(&mut random, &body);
    }
}

#[test]
fn a_dialect_that_this_build_does_not_have() {
    assert!(ag_ui_wasm::dialect::named("esperanto", "{}").is_none());
}
