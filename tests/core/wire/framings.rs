//! Bodies of every framing: the same events, whatever frames them, wherever the reads cut them, whatever the head says.

use crate::support::Agent;
use crate::support::runs::*;
use ag_ui_wasm::session::Options;
use ag_ui_wasm::wire::{Format, Framer};
use serde_json::{Value, json};

const BINARY: &str = "application/vnd.ag-ui.event+proto";

/// A run in which "Grüße 🙂" is said.
fn events() -> Vec<Value> {
    let end = event!("TEXT_MESSAGE_END", "messageId": "m");
    [vec![started("r")], text("m", "Grüße 🙂 \"}]\\").to_vec(), vec![end, finished("r")]].concat()
}

/// The run in protobuf: RUN_STARTED, TEXT_MESSAGE_START, its CONTENT "hi" and END, RUN_FINISHED.
fn frames() -> Vec<Vec<u8>> {
    [
        "620a0a02080b1201741a0172",
        "0a050a0012016d",
        "120b0a02080112016d1a026869",
        "1a070a02080212016d",
        "6a0a0a02080c1201741a0172",
    ]
    .map(|hex| (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()).collect())
    .to_vec()
}

fn packet(frame: &[u8]) -> Vec<u8> {
    [&(frame.len() as u32).to_be_bytes(), frame].concat()
}

fn packets(frames: &[Vec<u8>]) -> Vec<u8> {
    frames.iter().flat_map(|frame| packet(frame)).collect()
}

fn joined(events: &[Value], before: &str, between: &str, after: &str) -> String {
    let texts: Vec<String> = events.iter().map(Value::to_string).collect();
    format!("{before}{}{after}", texts.join(between))
}

/// An agent that was answered with a body in reads of so many bytes.
fn answered(options: Options, content_type: &str, body: &[u8], size: usize) -> Agent {
    let mut agent = Agent::new(options);
    let request = agent.submit("go");
    agent.head(request, 200, content_type);
    for read in body.chunks(size) {
        agent.bytes(request, read);
    }
    agent.end(request);
    agent
}

fn strict() -> Options {
    Options { strict: true, ..Options::default() }
}

#[test]
fn every_framing_of_a_run_gives_the_same_snapshot() {
    let list = events();
    let pretty = serde_json::to_string_pretty(&list).unwrap();
    let bodies = [
        ("text/event-stream", joined(&list, "data: ", "\n\ndata: ", "\n\n")),
        ("Text/Event-Stream;charset=utf-8", joined(&list, "data: ", "\r\n\r\ndata: ", "")),
        ("", joined(&list, "\u{FEFF}\n: hello\n\ndata: ", "\n\ndata: ", "\n\n")),
        ("text/plain", joined(&list, "event: x\ndata: ", "\n\nevent: x\ndata: ", "\n\n")),
        ("application/x-ndjson", joined(&list, "", "\n", "\n")),
        ("application/ndjson; charset=utf-8", joined(&list, "\u{FEFF}\n", "\r\n\r\n", "")),
        ("APPLICATION/JSONL", joined(&list, " ", " \n ", "\n")),
        ("application/x-jsonlines", joined(&list, "", "\n", "")),
        ("application/json", joined(&list, "\n", "\n", "")),
        ("", joined(&list, "\u{FEFF}", "\n", "")),
        ("application/json", joined(&list, "[", ",", "]")),
        ("application/json", pretty.clone()),
        ("", format!(" \r\n\t{pretty}\n")),
        ("text/html", joined(&list, "[", "\n,", "")),
    ];
    for (content_type, body) in bodies {
        for options in [Options::default(), strict()] {
            for size in 1..=80 {
                let mut agent = answered(options.clone(), content_type, body.as_bytes(), size);
                let snapshot = agent.snapshot();
                assert_eq!(snapshot["messages"][1]["content"], "Grüße 🙂 \"}]\\", "{content_type} {body}");
                assert_eq!(snapshot["outcome"], "success", "{content_type} {body} in reads of {size}");
                assert!(agent.warnings.is_empty(), "{content_type} {body}: {:?}", agent.warnings);
            }
        }
    }
}

#[test]
fn the_binary_framing_gives_the_same_too() {
    let body = packets(&frames());
    for content_type in [BINARY, "Application/VND.ag-ui.Event+Proto; charset=binary"] {
        for size in 1..=body.len() {
            let mut agent = answered(strict(), content_type, &body, size);
            let snapshot = agent.snapshot();
            assert_eq!(snapshot["messages"][1]["content"], "hi");
            assert_eq!(snapshot["outcome"], "success");
            assert!(agent.warnings.is_empty());
        }
    }
}

#[test]
fn an_element_of_an_array_counts_as_soon_as_it_is_there() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "application/json");
    agent.bytes(request, b"[");
    for event in events() {
        agent.bytes(request, event.to_string().as_bytes());
        if event["type"] == "TEXT_MESSAGE_CONTENT" {
            assert_eq!(agent.snapshot()["messages"][1]["content"], "Grüße 🙂 \"}]\\");
            assert_eq!(agent.snapshot()["status"], "running");
        }
        agent.bytes(request, b",");
    }
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn an_answer_without_an_event_is_an_http_error_with_its_body() {
    let error = json!({"error": {"type": "x", "message": "no agent"}, "detail": ["a", {"b": 1}]});
    let bodies = [
        ("application/json", error.to_string(), "not with a stream"),
        ("application/json", serde_json::to_string_pretty(&error).unwrap(), "not with a stream"),
        ("", format!("\n{error}\n"), "no content type"),
        ("application/json", "[]".to_owned(), "not with a stream"),
        ("application/json", "[\"a\", {\"b\": 1}, 7]".to_owned(), "not with a stream"),
        ("application/json", "{".to_owned(), "not with a stream"),
        ("application/json", "null".to_owned(), "not with a stream"),
        ("text/html", "<!doctype html>\n<p>data: x</p>".to_owned(), "not with a stream"),
        ("text/plain", " \n ".to_owned(), "without a body"),
        ("", String::new(), "without a body"),
    ];
    for (content_type, body, says) in bodies {
        for options in [Options::default(), strict()] {
            for size in [1, 7, 1000] {
                let mut agent = answered(options.clone(), content_type, body.as_bytes(), size);
                let snapshot = agent.snapshot();
                assert_eq!(snapshot["error"]["kind"], "http", "{body}");
                assert_eq!(snapshot["error"]["status"], 200);
                assert!(snapshot["error"]["message"].as_str().unwrap().contains(says), "{}", snapshot["error"]);
                assert_eq!(snapshot["error"]["body"], if body.is_empty() { Value::Null } else { json!(body) });
                assert!(agent.warnings.is_empty(), "{body}: {:?}", agent.warnings);
            }
        }
    }
}

#[test]
fn what_is_no_event_between_events_is_warned_of_in_every_framing() {
    let [start, content] = text("m", "ok");
    let (first, last) = (started("r"), finished("r"));
    let end = event!("TEXT_MESSAGE_END", "messageId": "m");
    let lines = format!("{first}\n{start}\n{{oops\n7\n{content}\n{end}\n{last}\n");
    let array = format!("[{first},{start},{{oops}},7,{content},{end},{last}]");
    for (content_type, body) in [("application/x-ndjson", &lines), ("", &lines), ("application/json", &array)] {
        let mut agent = answered(Options::default(), content_type, body.as_bytes(), 5);
        assert_eq!(agent.warnings, ["frame-not-json", "frame-not-object"]);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "ok");
        assert_eq!(agent.snapshot()["outcome"], "success");
        let mut agent = answered(strict(), content_type, body.as_bytes(), 5);
        assert_eq!(agent.snapshot()["error"]["code"], "frame-not-json");
    }
    // A body that calls itself lines of JSON is judged from its first one.
    let agent = answered(Options::default(), "application/x-ndjson", b"{\"error\":1}\n", 5);
    assert_eq!(agent.warnings, ["frame-without-type"]);
}

#[test]
fn what_follows_the_array_is_ignored() {
    let body = joined(&events(), "[", ",", "]\n<!-- served by x -->");
    let mut agent = answered(strict(), "application/json", body.as_bytes(), 9);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn a_last_line_or_element_that_was_cut_means_a_truncated_run() {
    let list = events();
    for body in [joined(&list, "", "\n", ""), joined(&list, "[", ",", "")] {
        let cut = &body[..body.rfind("RUN_FINISHED").unwrap()];
        for options in [Options::default(), strict()] {
            let mut agent = answered(options, "", cut.as_bytes(), 9);
            assert_eq!(agent.snapshot()["outcome"], "truncated");
            assert!(agent.warnings.is_empty());
        }
    }
}

#[test]
fn a_binary_frame_that_cannot_be_decoded_costs_itself_alone() {
    let [start, message, content, end, finish] = <[Vec<u8>; 5]>::try_from(frames()).unwrap();
    for broken in [vec![], vec![0xFF], content[..content.len() - 1].to_vec()] {
        let body = packets(&[start.clone(), message.clone(), broken, content.clone(), end.clone(), finish.clone()]);
        let mut agent = answered(Options::default(), BINARY, &body, 7);
        assert_eq!(agent.warnings, ["frame-not-decodable"]);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "hi");
        assert_eq!(agent.snapshot()["outcome"], "success");

        let mut agent = answered(strict(), BINARY, &body, 7);
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["error"]["kind"], "protocol");
        assert_eq!(snapshot["error"]["code"], "frame-not-decodable");
        assert_eq!(snapshot["error"]["rule"], "T16");
        assert_eq!(snapshot["messages"][1]["content"], "", "what came before stays, what comes after does not count");
    }
}

#[test]
fn an_event_of_a_later_protocol_is_dropped_in_strict_rules_too() {
    let [start, message, content, end, finish] = <[Vec<u8>; 5]>::try_from(frames()).unwrap();
    // Field 100, which no event of 1.0 has.
    let later = vec![0xA2, 0x06, 0x00];
    let body = packets(&[start, message, later, content, end, finish]);
    for options in [Options::default(), strict()] {
        let mut agent = answered(options, BINARY, &body, 7);
        assert_eq!(agent.warnings, ["event-unknown"]);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "hi");
        assert_eq!(agent.snapshot()["outcome"], "success");
    }
}

#[test]
fn a_binary_body_that_ends_within_a_frame() {
    let body = packets(&frames());
    let cut = &body[..body.len() - 3];
    let mut agent = answered(Options::default(), BINARY, cut, 7);
    assert_eq!(agent.snapshot()["outcome"], "truncated");
    assert!(agent.warnings.is_empty(), "it is reported once");
    let surplus = [&body[..], &[0, 0]].concat();
    let mut agent = answered(Options::default(), BINARY, &surplus, 7);
    assert_eq!(agent.snapshot()["outcome"], "success");
    assert_eq!(agent.warnings, ["frame-not-decodable"]);
    for body in [cut, &surplus] {
        let mut agent = answered(strict(), BINARY, body, 7);
        assert_eq!(agent.snapshot()["error"]["rule"], "T15");
    }
    let mut agent = answered(Options::default(), BINARY, b"", 7);
    assert_eq!(agent.snapshot()["outcome"], "truncated");
}

#[test]
fn the_limit_is_that_of_a_frame_and_not_of_a_read() {
    let limit = |strict| Options { max_frame_bytes: 200, strict, ..Options::default() };
    let list = events();
    let long = [vec![started("r")], text("m", &"x".repeat(200)).to_vec()].concat();
    let sse = |list: &[Value]| joined(list, "data: ", "\n\ndata: ", "\n\n");
    let lines = |list: &[Value]| joined(list, "", "\n", "\n");
    let array = |list: &[Value]| joined(list, "[", ",", "]");
    for strict in [false, true] {
        for size in [7, 100_000] {
            for (content_type, many, one) in [
                ("text/event-stream", sse(&list).repeat(9), sse(&long)),
                ("application/x-ndjson", lines(&list).repeat(9), lines(&long)),
                ("application/json", array(&list).repeat(9), array(&long)),
            ] {
                let mut agent = answered(limit(strict), content_type, many.as_bytes(), size);
                assert_ne!(agent.snapshot()["error"]["kind"], "limit", "{content_type}");
                let mut agent = answered(limit(strict), content_type, one.as_bytes(), size);
                assert_eq!(agent.snapshot()["error"]["kind"], "limit", "{content_type}");
                assert_eq!(agent.snapshot()["error"]["code"], "frame-too-long");
            }
            let many = packets(&frames()).repeat(9);
            let mut agent = answered(limit(strict), BINARY, &many, size);
            assert_ne!(agent.snapshot()["error"]["kind"], "limit");
            // Refused by its length, before its bytes have come.
            let mut agent = answered(limit(strict), BINARY, &[0, 0, 0, 197], size);
            assert_eq!(agent.snapshot()["error"]["code"], "frame-too-long");
        }
    }
}

/// The page of a gateway, say. Whether its long line comes with the first line or after it makes no difference.
#[test]
fn a_body_that_turns_out_to_be_no_stream_has_no_limit_of_frames() {
    for first in ["{no event\n", "[1,"] {
        let body = format!("{first}{}\n", "x".repeat(100));
        for size in 1..=body.len() {
            let mut framer = Framer::new(Format::Unknown, 64, 512);
            for read in body.as_bytes().chunks(size) {
                let fed = framer.feed(read, false, &mut |_| panic!("a frame"));
                assert_eq!(fed, Ok(()), "{first:?} in reads of {size}");
            }
            assert_eq!(framer.finish(&mut |_| panic!("a frame")), Ok(()));
        }
    }
}

/// Reading again for every frame or for every read would take hours.
#[test]
fn many_frames_in_a_read_and_many_reads_of_a_frame() {
    let content = frames()[2].clone();
    let mut list = frames();
    list.splice(2..3, std::iter::repeat_n(content, 40_000));
    let mut agent = answered(Options::default(), BINARY, &packets(&list), usize::MAX);
    assert_eq!(agent.snapshot()["messages"][1]["content"].as_str().unwrap().len(), 80_000);

    let long = "x".repeat(8 << 20);
    let line = text("m", &long)[1].to_string();
    let sse = format!("data: {line}\n\n");
    let lines = format!("{line}\n");
    let array = format!("[{line}]");
    let packet = packet(&vec![0; 8 << 20]);
    for (format, body) in [
        (Format::EventStream, sse.as_bytes()),
        (Format::Lines, lines.as_bytes()),
        (Format::Unknown, array.as_bytes()),
        (Format::Binary, &packet),
    ] {
        let mut framer = Framer::new(format, usize::MAX, 512);
        let mut found = 0;
        for read in body.chunks(16) {
            framer
                .feed(read, false, &mut |_| {
                    found += 1;
                    false
                })
                .unwrap();
        }
        assert_eq!(found, 1, "{format:?}");
    }
}
