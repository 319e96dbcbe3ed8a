//! The fuzz targets: a function of bytes for each, which panics when a promise does not hold.
//!
//! ```text
//! input: 8 bytes ─► a seed: where bytes are cut, what the user does, which options
//!        the rest ─► what the server sends
//! ```
//!
//! The same functions run under libFuzzer (`fuzz/fuzz_targets`) and, on stable Rust, over the kept corpus (`tests/fuzz`).

mod canonical;
mod compact;
mod framing;
mod json;
mod patches;
mod reference;
mod saves;
mod session;
mod streams;

use crate::support::streams::Random;

/// A target: its name, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, by the name of its program in `fuzz/fuzz_targets` and its folder in `fuzz/corpus`.
pub const TARGETS: &[Target] = &[
    ("sse", framing::sse),
    ("json", json::json),
    ("binary", framing::binary),
    ("stream", streams::ag_ui),
    ("legacy", streams::legacy),
    ("agent_os", |data| streams::dialect("agent-os", data)),
    ("chio", |data| streams::dialect("chio", data)),
    ("hector", |data| streams::dialect("hector", data)),
    ("ngaf", |data| streams::dialect("ngaf", data)),
    ("open_search", |data| streams::dialect("open-search", data)),
    ("patches", patches::patches),
    ("saves", saves::saves),
    ("canonical", canonical::canonical),
    ("compact", compact::compact),
    ("session", session::session),
];

/// Gives a target its input.
pub fn play(name: &str, data: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target of that name");
    target(data);
}

/// The seed at the start of an input, and the rest of it.
fn seeded(data: &[u8]) -> (Random, &[u8]) {
    let (seed, rest) = data.split_at(data.len().min(8));
    let mut bytes = [0; 8];
    bytes[..seed.len()].copy_from_slice(seed);
    (Random::new(u64::from_le_bytes(bytes)), rest)
}

/// The bytes in pieces: a few, or one byte each where they are few.
fn cut<'d>(random: &mut Random, bytes: &'d [u8]) -> Vec<&'d [u8]> {
    if bytes.len() <= 512 && random.one_in(3) {
        return bytes.chunks(1).collect();
    }
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for _ in 0..random.below(12) {
        // Near what came last, or anywhere.
        let end = if random.one_in(2) { 40 } else { rest.len() + 1 };
        let (piece, others) = rest.split_at(random.below(end).min(rest.len()));
        pieces.push(piece);
        rest = others;
    }
    pieces.push(rest);
    pieces
}
