//! A server's data cost in proportion to their length: time, memory and patches. Each row makes one kind of input in
//! four lengths, each twice the one before. Bytes that are allocated and bytes of patches are counted here;
//! instructions by valgrind, which runs this file again (`npm run test:speed`).
//!
//! `ROW=name cargo test --test growth -- --nocapture` prints the table, of the rows whose names contain it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod calls;
mod count;
mod events;
mod row;
#[path = "../support/samples.rs"]
mod samples;
#[path = "../support/calls.rs"]
mod session_calls;
mod state;
mod steps;
mod thread;

use count::Counts;
use row::{Flush, Row};
use std::process::Command;

/// The smallest length; the others are 2, 4 and 8 times as long. Under valgrind everything takes fifty times as long.
const LENGTH: usize = 250;
const COUNTED_LENGTH: usize = 80;

/// The most that the longest may cost, as a multiple of the shortest: n log n is less than 11 here, n² would be 64.
const RATIO: f64 = 12.0;

/// And as a multiple of the one half as long, where the part that grows faster shows.
const LAST_RATIO: f64 = 2.6;

/// Costs that are ignored: a first table of a map, a first block of a list.
const SMALL: [u64; 3] = [100_000, 20_000, 2_000];

fn rows() -> Vec<Row> {
    let wanted = std::env::var("ROW").unwrap_or_default();
    let mut rows: Vec<Row> = [state::rows(), thread::rows(), calls::rows()].into_iter().flatten().collect();
    rows.extend(events::rows(&rows));
    rows.into_iter().filter(|row| row.name.contains(&wanted)).collect()
}

/// The rows with each way to take patches, and through a guard.
fn each(length: usize, mut measure: impl FnMut(&Row, Flush, usize) -> Counts) -> Vec<(String, [Counts; 4])> {
    let rows = rows();
    let ways = rows.iter().flat_map(|row| [Flush::Often, Flush::Once, Flush::Guarded].map(|way| (row, way)));
    ways.map(|(row, flush)| {
        let counts = [1, 2, 4, 8].map(|times| measure(row, flush, length * times));
        (format!("{} ({flush:?})", row.name), counts)
    })
    .collect()
}

/// The rows that grow faster than their input.
fn too_fast(table: &[(String, [Counts; 4])], what: &[usize]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, counts) in table {
        for &at in what {
            let [first, _, half, last] = counts.map(|counts| (counts.0[at] + SMALL[at]) as f64);
            let line = format!("{name}: {} {:?}", Counts::NAMES[at], counts.map(|counts| counts.0[at]));
            if std::env::var("ROW").is_ok() {
                println!("{line}  ×{:.1}, the last ×{:.2}", last / first, last / half);
            }
            if last / first > RATIO || last / half > LAST_RATIO {
                found.push(line);
            }
        }
    }
    found
}

#[test]
fn memory_and_patches_grow_with_what_comes() {
    let table = each(LENGTH, |row, flush, length| row.run(length, flush));
    let found = too_fast(&table, &[Counts::ALLOCATED, Counts::PATCHES]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_operation_has_a_row() {
    let rows = rows();
    if std::env::var("ROW").is_ok() {
        return;
    }
    for operation in state::OPERATIONS {
        assert!(rows.iter().any(|row| row.name.starts_with(operation)), "{operation} has no row");
    }
}

/// A folder for what goes to the page, which `tests/growth/mirror.test.mjs` gives: a file for each row, way and length, with
/// its name in the first line, and then a patch in each.
const PAGE: &str = "GROWTH_PAGE";

#[test]
#[ignore = "for tests/growth/mirror.test.mjs"]
fn what_goes_to_the_page() {
    let folder = std::path::PathBuf::from(std::env::var(PAGE).unwrap());
    for (at, row) in rows().iter().enumerate() {
        for flush in [Flush::Often, Flush::Once] {
            for times in [1, 2, 4, 8] {
                let mut lines = format!("{} ({flush:?})", row.name);
                row.run_for(COUNTED_LENGTH * times, flush, &mut |patch| {
                    lines.push('\n');
                    lines.push_str(patch);
                });
                std::fs::write(folder.join(format!("{at:03}-{flush:?}-{times}")), lines).unwrap();
            }
        }
    }
}

/// Set for the run under valgrind.
const COUNTED: &str = "GROWTH_COUNTED";

#[test]
#[ignore = "takes long: npm run test:speed"]
fn instructions_grow_with_what_comes() {
    if std::env::var(COUNTED).is_ok() {
        each(COUNTED_LENGTH, |row, flush, length| row.run(length, flush));
        return;
    }
    let folder = std::env::temp_dir().join(format!("growth-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let run = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--toggle-collect=growth_measured",
            "--dump-after=growth_measured",
            "--compress-strings=no",
        ])
        .arg(format!("--callgrind-out-file={}/counts", folder.display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "instructions_grow_with_what_comes", "--include-ignored", "--test-threads=1"])
        .env(COUNTED, "1")
        .output();
    let Ok(run) = run else { panic!("valgrind is not installed") };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut at = 0;
    let table = each(COUNTED_LENGTH, |_, _, _| {
        at += 1;
        Counts::instructions(&std::fs::read_to_string(folder.join(format!("counts.{at}"))).unwrap())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let found = too_fast(&table, &[Counts::INSTRUCTIONS]);
    assert!(found.is_empty(), "{found:#?}");
}
