//! Where a stream that joins a run begins: in every way to resume, for every form of answer, wherever it was cut, within a page and
//! after a reload.

use super::*;
use crate::support::SessionCalls;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// The events after the cursor.
    Rest,
    /// That, and the event of the cursor before it.
    Overlap,
    /// All of the run; or all of it with the first event without a mark.
    Whole,
    Announced,
    /// How things stand, with RUN_STARTED before that, and what follows.
    Snapshot,
    Prelude,
}

const FORMS: [Form; 6] = [Form::Rest, Form::Overlap, Form::Whole, Form::Announced, Form::Snapshot, Form::Prelude];
const WAYS: [&str; 7] = ["last-event-id", "run-url", "cursor", "socket-cursor", "replay", "snapshot", "prelude"];

fn events() -> Vec<Value> {
    let [start, hello] = text("m", "hel");
    let args = |delta: &str| event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta);
    vec![
        started("r"),
        event!("STATE_SNAPSHOT", "snapshot": {"list": []}),
        start,
        hello,
        content("m", "lo"),
        ended("m"),
        event!("STATE_DELTA", "delta": [{"op": "add", "path": "/list/-", "value": 1}]),
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "pay"),
        args("{\"amount\""),
        args(":1}"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        finished("r"),
    ]
}

/// The event as the server writes it, with marks that are numbers or names.
fn marked(at: usize, event: &Value, numbers: bool) -> Vec<u8> {
    let name = if numbers { format!("{}", at + 1) } else { format!("r:{at}") };
    let mut event = event.clone();
    event["metadata"] = json!({"seq": if numbers { json!(at + 1) } else { json!(name) }});
    frame(&name, &event)
}

fn plain(event: &Value) -> Vec<u8> {
    format!("data: {event}\n\n").into_bytes()
}

/// How things stand after so many events.
fn stands(taken: usize) -> [Value; 2] {
    let mut messages = vec![user("r", "go")];
    let text = ["", "", "", "", "hel"].get(taken).unwrap_or(&"hello");
    if taken > 2 {
        messages.push(json!({"id": "m", "role": "assistant", "content": text}));
    }
    if taken > 10 {
        let function = json!({"name": "pay", "arguments": "{\"amount\":1}"});
        let calls = json!([{"id": "c", "type": "function", "function": function}]);
        messages.push(json!({"id": "c", "role": "assistant", "toolCalls": calls}));
    }
    let list = if taken > 6 { json!([1]) } else { json!([]) };
    [event!("STATE_SNAPSHOT", "snapshot": {"list": list}), event!("MESSAGES_SNAPSHOT", "messages": messages)]
}

/// The server's answer after `taken` events; `None`: no server of this kind answers so.
fn answer(by: &str, form: Form, taken: usize, numbers: bool) -> Option<Vec<Vec<u8>>> {
    let marks = !matches!(by, "replay" | "snapshot" | "prelude");
    let all = events();
    let write = |from: usize| -> Vec<Vec<u8>> {
        let each = all.iter().enumerate().skip(from);
        each.map(|(at, event)| if marks { marked(at, event, numbers) } else { plain(event) }).collect()
    };
    // Arguments of a call that is open come with its events alone.
    let apart = !(8..11).contains(&taken);
    match form {
        Form::Rest => marks.then(|| write(taken)),
        Form::Overlap => marks.then(|| write(taken - 1)),
        Form::Whole => Some(write(0)),
        Form::Announced => marks.then(|| [vec![plain(&all[0])], write(1)].concat()),
        Form::Snapshot | Form::Prelude if !apart => None,
        Form::Snapshot => Some([stands(taken).iter().map(plain).collect(), write(taken)].concat()),
        Form::Prelude => {
            let mut opening = vec![plain(&all[0])];
            opening.extend(stands(taken).iter().map(plain));
            if (3..6).contains(&taken) {
                opening.push(plain(&all[2]));
            }
            Some([opening, write(taken)].concat())
        }
    }
}

/// Plays the first connection, which is cut after `cut` events, and the one that joins, which may be cut as well.
fn play(by: &str, form: Form, numbers: bool, [cut, again]: [usize; 2], reload: bool) -> Option<Result<(), String>> {
    let network = Network { attempts: 50, ..resume(by) };
    let mut agent = agent(network.clone());
    let tools = json!([{"name": "pay", "needsApproval": true}]);
    agent.submit_json(json!({"runId": "r", "messages": [user("r", "go")], "pageTools": tools.clone()}));
    let attach = json!({"pageTools": tools}).to_string();
    let mut request = 1;
    let first: Vec<Vec<u8>> = match (by, form) {
        ("replay" | "snapshot" | "prelude", _) => events().iter().map(plain).collect(),
        (_, Form::Announced) => answer(by, form, 0, numbers)?,
        _ => answer(by, Form::Whole, 0, numbers)?,
    };
    let mut taken = cut;
    for (at, end) in [cut, again, usize::MAX].into_iter().enumerate() {
        let body = if at == 0 { first.clone() } else { answer(by, form, taken, numbers)? };
        agent.head(request, 200, SSE);
        for (sent, frame) in body.iter().enumerate().take(end) {
            // So far the server has come by then.
            taken = taken.max((events().len() + sent + 1).saturating_sub(body.len()));
            agent.bytes(request, frame);
        }
        if end >= body.len() {
            agent.end(request);
            break;
        }
        request = match reload {
            true => {
                let saved = agent.session.save();
                agent = super::agent(network.clone());
                agent.act(|session, now| session.restore(&saved, now).unwrap());
                agent.act(|session, now| assert!(session.attach(&attach, now).is_ok()));
                agent.requests.last().unwrap().0
            }
            false => {
                agent.cut(request);
                agent.wait()
            }
        };
    }
    let snapshot = agent.snapshot();
    let texts: Vec<&Value> =
        snapshot["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    let call = &snapshot["toolCalls"];
    let shown = json!([texts, call[0]["argsText"], call[0]["phase"], call[1], snapshot["state"], agent.warnings.len()]);
    let expected = json!([["go", "hello", null], "{\"amount\":1}", "awaiting-approval", null, {"list": [1]}, 0]);
    Some(if shown == expected { Ok(()) } else { Err(format!("{shown} {:?}", agent.warnings)) })
}

#[test]
fn nothing_is_doubled_or_lost() {
    let (mut played, mut failed) = (0, Vec::new());
    for by in WAYS {
        for form in FORMS {
            for numbers in [false, true] {
                for reload in [false, true] {
                    for (cut, again) in (2..events().len()).flat_map(|cut| [1, 2, 4, 99].map(|again| (cut, again))) {
                        let Some(held) = play(by, form, numbers, [cut, again], reload) else { continue };
                        played += 1;
                        if let Err(shown) = held {
                            failed.push(format!(
                                "{by} {form:?} numbers {numbers} {cut} {again} reload {reload}: {shown}"
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} of {played}\n{}", failed.len(), failed.join("\n"));
    assert!(played > 2000, "{played}");
}
