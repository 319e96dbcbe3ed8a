//! The fuzz targets as programs for libFuzzer. What they do stands in `targets`, which `tests/fuzz` plays on stable Rust.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../../tests/support/mod.rs"]
pub mod support;
pub mod targets;

#[cfg(fuzzing)]
pub use libfuzzer_sys;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static BYTES: AtomicU64 = AtomicU64::new(0);
static RUNS: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    fn atexit(callback: extern "C" fn()) -> i32;
}

extern "C" fn report() {
    eprintln!("fuzzed: {} bytes in {} runs", BYTES.load(Relaxed), RUNS.load(Relaxed));
}

/// Prints at the end of the process how many bytes the target was given.
pub fn count_bytes() {
    unsafe { atexit(report) };
}

/// Gives a target its input.
pub fn play(name: &str, data: &[u8]) {
    RUNS.fetch_add(1, Relaxed);
    BYTES.fetch_add(data.len() as u64, Relaxed);
    targets::play(name, data);
}

/// The program of one target.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(init: $crate::count_bytes(), |data: &[u8]| $crate::play($name, data));

        #[cfg(not(fuzzing))]
        fn main() {
            eprintln!("built without cfg(fuzzing): run it with `npm run fuzz -- --target {}`", $name);
        }
    };
}
