//! Compaction: the shorter list is as short as it gets, and shows the same.

use super::{seeded, streams};
use crate::support::Agent;
use ag_ui_wasm::journal::compact as shorten;
use ag_ui_wasm::session::Options;
use serde_json::Value;

pub fn compact(data: &[u8]) {
    let (mut random, bytes) = seeded(data);
    let text = String::from_utf8_lossy(bytes);
    // A recording is a line of JSON text an event.
    let lines: String = text
        .lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line))
        .filter(|line| ag_ui_wasm::wire::Raw::parse(line, streams::DEPTH).is_ok())
        .flat_map(|line| [line, "\n"])
        .collect();
    let shorter = shorten(&lines);
    assert_eq!(shorten(&shorter), shorter, "it gets shorter still");
    let _ = shorten(&text);
    let strict = random.one_in(2);
    streams::same(&shown(&shorter, strict), &shown(&lines, strict), "the compacted events");
}

fn shown(lines: &str, strict: bool) -> Value {
    let mut agent = Agent::with(
        Options { strict, max_depth: streams::DEPTH, ..Options::default() },
        None,
        Some(r#"{"list":[0],"n":1}"#),
    );
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let body: String = lines.lines().map(|line| format!("data: {line}\n\n")).collect();
    agent.bytes(request, body.as_bytes());
    agent.end(request);
    agent.snapshot().clone()
}
