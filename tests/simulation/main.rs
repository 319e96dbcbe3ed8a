//! A session in a made-up world: a user who does as he pleases, a server and a network that fail, a clock that is ours.
//! Each schedule follows from its seed; `tests/simulation/world.rs` says what must hold after each step.
//!
//! ```text
//! cargo test --test simulation                        60,000 schedules
//! SCHEDULES=1000000 cargo test --test simulation      a million
//! SEED=42 cargo test --test simulation                one of them, with its trace
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../support/mod.rs"]
mod support;

mod plan;
mod server;
mod shrink;
mod stores;
mod thread;
mod world;

use plan::Plan;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

// Both tests replace the hook for panics.
static ONE: Mutex<()> = Mutex::new(());

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is to be a number, not {text:?}")))
}

#[test]
fn what_must_hold_holds() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(seed) = number("SEED") {
        let (trace, held) = shrink::trace(&Plan::new(seed));
        println!("{trace}");
        if held.is_err() {
            panic!("{}", shrink::report(seed));
        }
        return;
    }
    let failed = lowest(|seed| shrink::play(&Plan::new(seed)).is_err());
    if let Some((seed, schedule)) = failed {
        panic!("{}\n(schedule {schedule})", shrink::report(seed));
    }
}

/// The same of saves: `tests/simulation/stores.rs` says what is lost, sent and executed.
#[test]
fn nothing_is_lost_or_done_twice() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let play = |seed| catch_unwind(|| stores::play(seed)).unwrap_or_else(|_| Err("a panic".to_owned()));
    if let Some(seed) = number("SEED") {
        return play(seed).unwrap_or_else(|why| panic!("{why}"));
    }
    if let Some((seed, schedule)) = lowest(|seed| play(seed).is_err()) {
        panic!("{}\n(schedule {schedule})", play(seed).unwrap_err());
    }
}

/// The lowest seed that fails, and which of all schedules it is.
fn lowest(fails: impl Fn(u64) -> bool + Sync) -> Option<(u64, String)> {
    let (count, first) = (number("SCHEDULES").unwrap_or(60_000), number("FIRST").unwrap_or(1));
    // Each schedule is played by one thread; the lowest seed that fails is reported, whoever found it.
    let (next, failed) = (AtomicU64::new(first), AtomicU64::new(u64::MAX));
    shrink::quietly(|| {
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= first + count || seed > failed.load(Ordering::Relaxed) {
                            return;
                        }
                        if fails(seed) {
                            failed.fetch_min(seed, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
    });
    let failed = failed.into_inner();
    (failed != u64::MAX).then(|| (failed, format!("{} of {count}", failed - first + 1)))
}
