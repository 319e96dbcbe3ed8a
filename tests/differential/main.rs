//! The core as it was (`tests/fixtures/old-core`) beside the core of today: both are given the same input, and must show the
//! same, ask for the same and save the same, but for the list in `wanted.rs`. The text of patches may differ, their bytes by a tenth.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::duplicate_mod
)]

mod input;
#[path = "../fixtures/old-core/mod.rs"]
pub mod old_core;
mod pair;
mod shared;
#[path = "../support/mod.rs"]
mod support;
mod user;
mod wanted;

#[path = ""]
mod new {
    pub use ag_ui_wasm as core;
    pub fn patch(session: &mut core::session::Session) -> Option<String> {
        session.take_patch(usize::MAX)
    }
    pub mod driver;
}
#[path = ""]
mod old {
    pub use crate::old_core as core;
    pub fn patch(session: &mut core::session::Session) -> Option<String> {
        session.take_patch()
    }
    pub mod driver;
}

use input::{Input, Setup};
use pair::Pair;
use std::path::{Path, PathBuf};
use support::streams::{Random, Streams};

fn files(folder: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(path.to_str().unwrap(), found);
        } else if path.extension().is_some_and(|extension| extension == "sse") {
            found.push(path);
        }
    }
    found.sort();
}

/// The recordings of real servers, cut by chance, published after each piece or seldom.
#[test]
fn recordings_of_real_servers() {
    let mut found = Vec::new();
    files("tests/fixtures/corpus", &mut found);
    assert!(found.len() > 150, "the recordings are there");
    for (seed, path) in found.iter().enumerate() {
        let bytes = std::fs::read(path).unwrap();
        let mut random = Random::new(seed as u64);
        for often in [1, 3, usize::MAX] {
            let mut pair = Pair::new(Setup::default());
            pair.submit("run1", &[]);
            pair.head("text/event-stream");
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (piece, others) = rest.split_at((1 + random.below(400)).min(rest.len()));
                pair.bytes(piece);
                if often < usize::MAX && random.one_in(often) {
                    pair.publish();
                }
                rest = others;
            }
            pair.end();
            pair.publish();
            pair.compare_saves();
            // The next request has what came of this one.
            pair.submit("run2", &[]);
            pair.publish();
            pair.measure(&path.display().to_string());
        }
    }
}

/// Streams made up from a seed, with whatever a user may do between two pieces.
#[test]
fn users_and_streams() {
    let sessions = std::env::var("DIFFERENTIAL").map_or(1500, |text| text.parse().unwrap());
    let first = std::env::var("DIFFERENTIAL_FROM").map_or(0, |text| text.parse().unwrap());
    for seed in first..first + sessions {
        user::play(seed);
    }
}

/// The same stream with an edit at every pair of points: what the application has changed at the first was made of what it was
/// shown then, and is done at the second.
#[test]
fn edits_at_every_pair_of_points() {
    for seed in 0..12 {
        let events = Streams::new(seed * 5).events();
        let events: Vec<_> = events.into_iter().take(24).collect();
        for seen in (0..events.len()).step_by(3) {
            for done in (seen..events.len()).step_by(3) {
                let mut pair = Pair::new(Setup::default());
                pair.submit("run1", &[]);
                pair.head("text/event-stream");
                let mut shown = pair.shown();
                for (at, event) in events.iter().enumerate() {
                    if at == seen {
                        pair.publish();
                        shown = pair.shown();
                    }
                    if at == done {
                        for edit in user::edits(&shown, &mut Random::new(seed + at as u64)) {
                            pair.give(&edit);
                        }
                    }
                    pair.bytes(format!("data: {event}\n\n").as_bytes());
                }
                pair.publish();
                pair.compare_saves();
                pair.end();
                pair.submit("run2", &[]);
                pair.publish();
            }
        }
    }
}

#[test]
fn saves_of_the_kept_corpus() {
    let mut found: Vec<_> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/saves"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    for path in found {
        let bytes = std::fs::read(path).unwrap();
        let save = String::from_utf8_lossy(bytes.get(8..).unwrap_or_default()).into_owned();
        let mut pair = Pair::new(Setup { resume: Some("last-event-id"), ..Setup::default() });
        pair.give(&Input::Restore(save));
        pair.publish();
        pair.compare_saves();
        pair.submit("next", &[]);
        pair.publish();
    }
}
