//! Plays schedules, and makes the ones that fail shorter.

use super::plan::Plan;
use super::world::{Held, World};
use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Where the last panic was.
    static PLACE: Cell<String> = const { Cell::new(String::new()) };
}

/// Runs `body` with panics caught and kept for the report, not printed as they come.
pub fn quietly<T>(body: impl FnOnce() -> T) -> T {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| PLACE.set(info.to_string())));
    let result = body();
    std::panic::set_hook(before);
    result
}

/// Plays a schedule; a panic is a failure like others.
pub fn play(plan: &Plan) -> Held {
    played(plan, false).1
}

fn played(plan: &Plan, tracing: bool) -> (Option<Vec<String>>, Held) {
    let mut world = World::new(plan.clone(), tracing);
    let held = catch_unwind(AssertUnwindSafe(|| world.play())).unwrap_or_else(|_| Err(PLACE.take()));
    (world.trace, held)
}

/// Plays a plan: its steps in words, and the result.
pub fn trace(plan: &Plan) -> (String, Held) {
    let (lines, held) = quietly(|| played(plan, true));
    let mut text = format!("{plan}\n");
    for line in lines.unwrap_or_default() {
        writeln!(text, "{line}").unwrap();
    }
    (text, held)
}

/// A shorter schedule that fails, too: steps are left out, many at once first, for as long as that helps.
fn shrunk(mut plan: Plan) -> Plan {
    let mut size = plan.steps.len() / 2;
    let mut plays = 2000;
    while size > 0 {
        let mut at = 0;
        let mut helped = false;
        while at < plan.steps.len() && plays > 0 {
            let mut shorter = plan.clone();
            let end = (at + size).min(shorter.steps.len());
            shorter.steps.drain(at..end);
            plays -= 1;
            if play(&shorter).is_err() {
                plan = shorter;
                helped = true;
            } else {
                at += size;
            }
        }
        if !(size == 1 && helped) {
            size /= 2;
        }
    }
    plan
}

/// Why a seed fails, by the shortest schedule that was found.
pub fn report(seed: u64) -> String {
    let plan = Plan::new(seed);
    let steps = plan.steps.len();
    let shorter = quietly(|| shrunk(plan));
    let (text, held) = trace(&shorter);
    let why = held.err().unwrap_or_default();
    let left = shorter.steps.len();
    format!("{text}\n{why}\n\n{left} of {steps} steps are left. To repeat it: SEED={seed} cargo test --test simulation")
}
