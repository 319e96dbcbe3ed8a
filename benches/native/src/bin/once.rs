//! Gives one part of the core one stream, once: what a counter of instructions is put under.
//!
//!     once <part> <deltas>

use ag_ui_wasm_bench::{Stream, reader, reducer, rules, session};

fn main() {
    let mut args = std::env::args().skip(1);
    let (part, deltas) = (args.next().unwrap_or_default(), args.next().and_then(|deltas| deltas.parse().ok()));
    let deltas = deltas.unwrap_or_else(|| panic!("how many deltas?"));
    let stream = match part.as_str() {
        "reads" => Stream::one_a_read(deltas),
        "rules" => Stream::chunks(deltas),
        "arguments" => Stream::args(deltas),
        "patch" => Stream::state(1_000, deltas),
        _ => Stream::text(deltas),
    };
    let result = measured(&part, &stream);
    println!("{} events, {result}", stream.events);
}

/// Measured by the counter, which finds it by its name.
#[unsafe(no_mangle)]
#[inline(never)]
fn measured(part: &str, stream: &Stream) -> usize {
    match part {
        "reader" => reader(stream).0,
        "rules" => rules(stream),
        "reducer" => reducer(stream),
        "session" | "arguments" => session(stream, 5),
        "reads" => session(stream, 50),
        "patch" => session(stream, 1),
        _ => panic!("no part is called {part:?}"),
    }
}
