//! Compaction: what a session shows after the compacted list is what it shows after the list.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use ag_ui_wasm::journal::compact;
use ag_ui_wasm::session::Options;
use ag_ui_wasm::wire::{Frame, SseParser};
use serde_json::Value;
use support::Agent;
use support::streams::Streams;

/// JSON text in which the characters that stand for halves are escapes again.
fn text(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match (c as u32).checked_sub(0x10_F800) {
            // The first of these is a genuine character in the streams.
            Some(offset) if offset != 1 => out.push_str(&format!("\\u{:04x}", offset + 0xD800)),
            _ => out.push(c),
        }
    }
    out
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| text(event) + "\n").collect()
}

/// What is shown after these events came in one answer.
fn shown(lines: &str, history: &Value, strict: bool, closed: bool) -> Value {
    let options = Options { strict, ..Options::default() };
    let mut agent = Agent::with(options, Some(&text(history)), Some(r#"{"list":[0],"n":1}"#));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let body: String = lines.lines().map(|line| format!("data: {line}\n\n")).collect();
    agent.bytes(request, body.as_bytes());
    if closed {
        agent.end(request);
    }
    agent.snapshot().clone()
}

/// What is wrong with the compaction of these events, if anything.
fn fault(events: &[Value], history: &Value) -> Option<String> {
    let before = lines(events);
    let after = compact(&before);
    for strict in [false, true] {
        for closed in [false, true] {
            let (whole, short) = (shown(&before, history, strict, closed), shown(&after, history, strict, closed));
            if whole != short {
                return Some(format!(
                    "strict {strict}, closed {closed}\n--- events\n{before}--- compacted\n{after}\n--- shown\n{whole}\n--- shown then\n{short}"
                ));
            }
        }
    }
    let again = compact(&after);
    (again != after).then(|| format!("not idempotent\n--- events\n{before}--- once\n{after}\n--- twice\n{again}"))
}

/// Leaves out what the fault does not need.
fn shrink(mut events: Vec<Value>, history: &Value) -> Vec<Value> {
    let mut length = events.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < events.len() {
            let mut fewer = events.clone();
            fewer.drain(at..events.len().min(at + length));
            if fault(&fewer, history).is_some() {
                events = fewer;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    events
}

/// The events of every recording, as lines, by the folder that it is in.
fn recordings() -> Vec<(String, String)> {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "sse") {
                let bytes = std::fs::read(&path).unwrap();
                let mut lines = String::new();
                let mut parser = SseParser::new(1 << 20);
                // Pretty-printed JSON goes onto one line; a line end inside of a string would be no JSON.
                let mut take = |frame: Frame<'_>| lines.extend([&*frame.data.replace('\n', " "), "\n"]);
                parser.feed(&String::from_utf8_lossy(&bytes), &mut take).unwrap();
                parser.finish(&mut take).unwrap();
                found.push((name.clone(), lines));
            }
        }
    }
    assert!(found.len() > 150, "the recordings are there: {}", found.len());
    found
}

#[test]
fn recordings_show_the_same() {
    let mut sizes = std::collections::BTreeMap::<String, [usize; 4]>::new();
    for (folder, before) in recordings() {
        let after = compact(&before);
        for strict in [false, true] {
            let nothing = Value::Array(Vec::new());
            assert_eq!(shown(&after, &nothing, strict, true), shown(&before, &nothing, strict, true), "{before}");
        }
        assert_eq!(compact(&after), after, "{before}");
        let size = [before.lines().count(), after.lines().count(), before.len(), after.len()];
        sizes.entry(folder).or_default().iter_mut().zip(size).for_each(|(sum, n)| *sum += n);
    }
    for (folder, [events, fewer, bytes, less]) in sizes {
        assert!(fewer <= events && less <= bytes, "{folder} has not grown");
        println!("{folder}: {events} events became {fewer}, {bytes} bytes {less}");
    }
}

#[test]
fn made_up_streams_show_the_same() {
    let seeds = std::env::var("SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let (mut before, mut after, mut legal) = (0, 0, 0);
    for seed in 0..seeds {
        let mut streams = Streams::new(seed);
        let history = Value::Array(streams.history());
        let events = streams.events();
        if fault(&events, &history).is_some() {
            let events = shrink(events, &history);
            panic!("seed {seed}, history {history}\n{}", fault(&events, &history).unwrap_or_default());
        }
        before += events.len();
        let strict = shown(&lines(&events), &history, true, true);
        legal += usize::from(strict["error"]["kind"] != "protocol");
        after += compact(&lines(&events)).lines().count();
    }
    assert!(after < before, "something was joined");
    println!("{before} events became {after}; strict rules allow {legal} of {seeds} streams");
}
