//! Cuts of the network: recorded streams, whole and damaged, in reads of any size. The warnings, the last event id, the
//! error and the snapshot are the same for every cut; and a frame over the limit fails however it comes.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::streams::Random;
use ag_ui_wasm::session::Options;
use ag_ui_wasm::wire::BINARY_MEDIA_TYPE;
use serde_json::{Value, json};
use std::path::Path;

const SSE: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";

/// The bodies of all recorded event streams.
fn recorded() -> Vec<(String, Vec<u8>)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus");
    let mut paths: Vec<_> = std::fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .collect();
    paths.sort();
    let bodies = paths.iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap()));
    bodies.filter(|(_, body)| body.len() < 20_000).collect()
}

/// The data of the frames of an event stream.
fn events(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect()
}

/// Adds ids to the frames, odd ones too, and other things that an event stream may have.
fn numbered(random: &mut Random, events: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let break_ = ["\n", "\r\n", "\r"][random.below(3)];
        let extra: &[u8] = match random.below(8) {
            0 => "id: größe 🙂".as_bytes(),
            1 => b"id: a\0b",
            2 => b"id",
            3 => b": note",
            4 => b"id: \xFF\xC3",
            5 => b"retry: 7",
            _ => b"event: x",
        };
        for line in [extra, format!("id: {at}").as_bytes()].into_iter().take(1 + random.below(2)) {
            out.extend_from_slice(line);
            out.extend_from_slice(break_.as_bytes());
        }
        out.extend_from_slice(format!("data: {event}{break_}{break_}").as_bytes());
    }
    out
}

/// Changes, drops, doubles and cuts pieces.
fn damaged(random: &mut Random, body: &[u8]) -> Vec<u8> {
    let mut out = body.to_vec();
    for _ in 0..=random.below(4) {
        if out.is_empty() {
            break;
        }
        let at = random.below(out.len());
        let end = (at + 1 + random.below(60)).min(out.len());
        match random.below(6) {
            0 => out.truncate(at),
            1 => _ = out.drain(at..end),
            2 => {
                let piece = out[at..end].to_vec();
                out.splice(at..at, piece);
            }
            3 => out[at] = *b"{}[]\",:\n\r\0\xFF\xF0x".get(random.below(13)).unwrap(),
            4 => {
                // An event again, or another in its place.
                let from = random.below(out.len());
                let piece = out[from..(from + 200).min(out.len())].to_vec();
                out.splice(at..at, piece);
            }
            _ => _ = out.splice(at..at, b"\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n".iter().copied()),
        }
    }
    out
}

/// Events that are repeated, left out, and taken away by a snapshot, in frames that are alike.
fn disturbed(random: &mut Random, events: &[&str]) -> Vec<u8> {
    let mut list = events.to_vec();
    for _ in 0..2 {
        let at = random.below(list.len());
        match random.below(3) {
            0 => _ = list.remove(at),
            1 => list.insert(at, r#"{"type":"MESSAGES_SNAPSHOT","messages":[]}"#),
            _ => list.insert(at, events[random.below(events.len())]),
        }
        if list.is_empty() {
            break;
        }
    }
    list.iter()
        .flat_map(|event| {
            format!("data: {event}\n\n").repeat(1 + 2 * usize::from(event.contains("\"delta\""))).into_bytes()
        })
        .collect()
}

/// Cuts of a body: whole, byte by byte, and where chance says.
fn cuts<'b>(random: &mut Random, body: &'b [u8]) -> [Vec<&'b [u8]>; 4] {
    let mut by_chance = |most: usize| {
        let mut reads = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            let (read, tail) = rest.split_at((1 + random.below(most)).min(rest.len()));
            reads.push(read);
            rest = tail;
        }
        reads
    };
    [vec![body], body.chunks(1).collect(), by_chance(9), by_chance(700)]
}

fn played(options: &Options, media_type: &str, reads: &[&[u8]], ends: bool) -> Agent {
    let mut agent = Agent::new(options.clone());
    let request = agent.submit("go");
    agent.head(request, 200, media_type);
    for read in reads {
        agent.bytes(request, read);
    }
    if ends {
        agent.end(request);
    }
    agent
}

/// The results that must not depend on the cuts.
fn told(agent: &mut Agent) -> Value {
    let saved = crate::support::parse(&agent.session.save());
    let snapshot = agent.snapshot().clone();
    // How large a checkpoint is depends on when patches are taken.
    let warnings: Vec<&String> = agent.warnings.iter().filter(|code| *code != "history-too-large").collect();
    json!({
        "warnings": warnings, "id": saved["lastEventId"], "shownId": snapshot["connection"]["lastEventId"],
        "error": snapshot["error"], "outcome": snapshot["outcome"], "messages": snapshot["messages"], "state": snapshot["state"],
    })
}

fn same_for_every_cut(random: &mut Random, media_type: &str, body: &[u8], about: &str) -> [Value; 2] {
    [false, true].map(|strict| {
        let options = Options { strict, max_depth: 64, ..Options::default() };
        let [whole, others @ ..] = cuts(random, body);
        let expected = told(&mut played(&options, media_type, &whole, true));
        for reads in others {
            let got = told(&mut played(&options, media_type, &reads, true));
            for (name, value) in expected.as_object().unwrap() {
                let count = reads.len();
                assert_eq!(
                    got[name],
                    *value,
                    "{name} of {about} in {count} reads, strict: {strict}\n{}",
                    body.escape_ascii()
                );
            }
        }
        expected
    })
}

#[test]
fn warnings_and_ids_of_recorded_streams_do_not_depend_on_the_cuts() {
    let bodies = recorded();
    assert!(bodies.len() > 50, "{}", bodies.len());
    let (mut warned, mut failed, mut ids) = (0, 0, 0);
    for (at, (name, body)) in bodies.iter().enumerate() {
        let random = &mut Random::new(at as u64);
        let text = String::from_utf8_lossy(body);
        let list = events(&text);
        let lines = list.join("\n").into_bytes();
        let sse = numbered(random, &list);
        same_for_every_cut(random, SSE, body, name);
        for round in 0..if list.is_empty() { 0 } else { 4 } {
            let body = disturbed(random, &list);
            same_for_every_cut(random, SSE, &body, &format!("{name}, disturbed {round}"));
        }
        for (media_type, body) in [(SSE, &sse), (LINES, &lines), ("", &sse), ("", &lines)] {
            same_for_every_cut(random, media_type, body, name);
            for round in 0..2 {
                let body = damaged(random, body);
                let [tolerant, strict] =
                    same_for_every_cut(random, media_type, &body, &format!("{name}, damage {round}"));
                warned += tolerant["warnings"].as_array().unwrap().len();
                failed += usize::from(strict["error"]["kind"] == "protocol");
                ids += usize::from(strict["error"]["kind"] == "protocol" && !strict["id"].is_null());
            }
        }
    }
    // The damage does what it is there for.
    assert!(warned > 100 && failed > 50 && ids > 10, "{warned} {failed} {ids}");
}

const LIMIT: usize = 300;

/// A frame that is over the limit, in every framing: with what ends it, without, and so that no line of it is too long.
fn too_long() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let event = |length: usize| json!({"type": "CUSTOM", "name": "n", "value": "x".repeat(length)}).to_string();
    let start = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
    let long = event(LIMIT);
    let parts =
        format!("{{\"type\":\"CUSTOM\",\n\"name\":\"n\",\n\"value\":[\n{}1]}}", "\"yyyyyyyyyyyyyyyy\",\n".repeat(20));
    let in_lines: String = parts.lines().map(|line| format!("data: {line}\n")).collect();
    let empty = "data\n".repeat(LIMIT + 2);
    let crlf = in_lines.replace('\n', "\r\n");
    let packet = |length: u32, bytes: usize| [&length.to_be_bytes()[..], &vec![1; bytes]].concat();
    let over = LIMIT as u32 + 1;
    vec![
        ("a line", SSE, format!("data: {start}\n\ndata: {long}\n\n").into_bytes()),
        (
            "a line, and what comes after it",
            SSE,
            format!("data: {start}\n\ndata: {long}\n\ndata: {start}\n\n").into_bytes(),
        ),
        ("a line without its end", SSE, format!("data: {start}\n\ndata: {long}").into_bytes()),
        ("a line with a carriage return", SSE, format!("data: {start}\r\rdata: {long}\r\r").into_bytes()),
        ("lines", SSE, format!("data: {start}\n\n{in_lines}\n").into_bytes()),
        ("lines without their end", SSE, format!("data: {start}\n\n{in_lines}").into_bytes()),
        ("lines that end in two", SSE, format!("data: {start}\n\n{crlf}\r\n").into_bytes()),
        ("empty lines of data", SSE, format!("data: {start}\n\n{empty}\n").into_bytes()),
        ("a comment", SSE, format!("data: {start}\n\n:{}\n\n", "x".repeat(LIMIT)).into_bytes()),
        ("an id", SSE, format!("data: {start}\n\nid:{}\n\n", "x".repeat(LIMIT)).into_bytes()),
        ("a first line of no name", "", format!("{}{long}\n", " ".repeat(2)).into_bytes()),
        ("NDJSON", LINES, format!("{start}\n{long}\n").into_bytes()),
        ("NDJSON without its end", LINES, format!("{start}\n{long}").into_bytes()),
        ("an array", "application/json", format!("[{start},{long}]").into_bytes()),
        ("an array without its end", "application/json", format!("[{start},{long}").into_bytes()),
        ("an array in pretty print", "application/json", format!("[{start},\n{parts}\n]").into_bytes()),
        ("binary", BINARY_MEDIA_TYPE, packet(over, LIMIT + 1)),
        ("binary of which nothing comes", BINARY_MEDIA_TYPE, packet(over, 0)),
        ("binary of which less comes", BINARY_MEDIA_TYPE, packet(u32::MAX, 9)),
    ]
}

#[test]
fn a_frame_over_the_limit_fails_however_it_comes() {
    let random = &mut Random::new(7);
    for (name, media_type, body) in too_long() {
        for strict in [false, true] {
            let options = Options { max_frame_bytes: LIMIT, strict, ..Options::default() };
            let mut first = None;
            for reads in cuts(random, &body) {
                for ends in [true, false] {
                    let mut agent = played(&options, media_type, &reads, ends);
                    let about = format!("{name} in {} reads, strict: {strict}, ends: {ends}", reads.len());
                    let error = agent.snapshot()["error"].clone();
                    assert_eq!(error["code"], "frame-too-long", "{about}: {error}");
                    let got = told(&mut agent);
                    assert_eq!(got, *first.get_or_insert_with(|| got.clone()), "{about}");
                }
            }
        }
    }
}

/// Whether a frame is over the limit is one question, near the limit too.
#[test]
fn the_limit_is_at_the_same_byte_for_every_cut() {
    let random = &mut Random::new(8);
    for length in LIMIT - 70..LIMIT + 10 {
        let event = json!({"type": "CUSTOM", "name": "n", "value": "x".repeat(length - 42)}).to_string();
        let half = event.len() - 20;
        let bodies = [
            (SSE, format!("data: {event}\n\n")),
            (SSE, format!("data:{event}\r\n\r\n")),
            (SSE, format!("data: {event}")),
            (SSE, format!("data: {}\ndata: {}\n\n", &event[..half], &event[half..])),
            (LINES, format!("{event}\n")),
            (LINES, format!(" {event} \r\n")),
            (LINES, event.clone()),
            ("application/json", format!("[{event} , {event}]")),
            ("", format!("\n{event}\n")),
        ];
        for (media_type, body) in bodies {
            for strict in [false, true] {
                let options = Options { max_frame_bytes: LIMIT, strict, ..Options::default() };
                let [whole, others @ ..] = cuts(random, body.as_bytes());
                let expected = told(&mut played(&options, media_type, &whole, true));
                for reads in others {
                    let got = told(&mut played(&options, media_type, &reads, true));
                    assert_eq!(got, expected, "{body} in {} reads, strict: {strict}", reads.len());
                }
            }
        }
    }
}
