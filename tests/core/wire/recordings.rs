//! Every recorded stream gives the same snapshot however its bytes are cut, and however often it is published.

use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Streams up to this length are cut at every byte, longer ones at so many places.
const SHORT: usize = 6000;
const CUTS: usize = 200;

fn fixtures() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "sse") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus"), &mut found);
    found.sort();
    assert!(found.len() > 150, "the recordings are there: {}", found.len());
    found
}

/// The snapshot after the pieces, published after each of them if `often`.
fn replay(pieces: &[&[u8]], often: bool) -> Value {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    for piece in pieces {
        agent.bytes(request, piece);
        if often {
            agent.snapshot();
        }
    }
    agent.end(request);
    agent.snapshot().clone()
}

#[test]
fn every_cut_gives_the_same_snapshot() {
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        let whole = replay(&[&bytes], false);
        assert_ne!(whole["status"], "running", "{}: the run has come to its end", path.display());
        let step = if bytes.len() <= SHORT { 1 } else { bytes.len() / CUTS };
        for cut in (0..=bytes.len()).step_by(step) {
            let (before, after) = bytes.split_at(cut);
            assert_eq!(replay(&[before, after], true), whole, "{} cut at {cut}", path.display());
        }
    }
}

#[test]
fn byte_by_byte_gives_the_same_snapshot() {
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() <= 4 * SHORT {
            let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(replay(&pieces, true), replay(&[&bytes], false), "{}", path.display());
        }
    }
}

#[test]
fn hostile_bytes_never_panic() {
    // Each recording with bytes changed by a small generator of its own: same bytes, same failure.
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let junk = b"\"\\{}[],:\n\r\x00\xff\xf0e0-";
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.is_empty() || bytes.len() > 60_000 {
            continue;
        }
        for _ in 0..20 {
            let mut broken = bytes.clone();
            for _ in 0..1 + next(8) {
                let at = next(broken.len());
                match next(3) {
                    0 => broken[at] = junk[next(junk.len())],
                    1 => broken.truncate(at + 1),
                    _ => {
                        let end = (at + next(40)).min(broken.len());
                        broken.drain(at..end);
                    }
                }
                if broken.is_empty() {
                    break;
                }
            }
            let cut = next(broken.len() + 1);
            let (before, after) = broken.split_at(cut);
            replay(&[before, after], true);
        }
    }
}
