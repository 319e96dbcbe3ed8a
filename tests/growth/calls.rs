//! Calls of the application, and rules that are stricter than by default.

use crate::row::{Call, Row, Work, row};
use crate::session_calls::SessionCalls;
use ag_ui_wasm::journal::compact;
use ag_ui_wasm::session::{Options, Session};
use serde_json::{Value, json};

/// So many calls.
fn each<Called: Fn(&mut Session) + 'static>(n: usize, call: impl Fn(usize) -> Called) -> Vec<Call> {
    (0..n).map(|at| Box::new(call(at)) as Call).collect()
}

fn once(call: impl Fn(&mut Session) + 'static) -> Vec<Call> {
    vec![Box::new(call)]
}

/// Calls of a tool that the page has.
fn called(n: usize, tool: &str) -> Work {
    let call = |at: usize| {
        let id = format!("c{at}");
        [
            json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": tool, "parentMessageId": "p"}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": "{}"}),
            json!({"type": "TOOL_CALL_END", "toolCallId": id}),
        ]
    };
    let tools = json!([{"name": "page"}, {"name": "asked", "needsApproval": true}, {"name": "human", "manual": true}]);
    Work { page_tools: Some(tools), before: (0..n).flat_map(call).collect(), ..Work::default() }
}

fn messages(n: usize) -> Value {
    (0..n).map(|at| json!({"id": format!("m{at}"), "role": "user", "content": "text"})).collect()
}

/// A run that has ended with questions.
fn asked(n: usize, id: fn(usize) -> String) -> Work {
    let list: Vec<Value> = (0..n).map(|at| json!({"id": id(at), "reason": "confirmation"})).collect();
    let outcome = json!({"type": "interrupt", "interrupts": list});
    let end = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome});
    Work { before: vec![end], ..Work::default() }
}

fn answer(at: usize, status: &str) -> Value {
    json!({"interruptId": format!("i{at}"), "status": status, "payload": 1})
}

fn answers(n: usize) -> Vec<Call> {
    each(n, |at| {
        move |session: &mut Session| {
            let mut answer = answer(at, "resolved");
            answer["run"] = json!({"runId": "r2"});
            session.answer(&answer.to_string(), 0.0).unwrap();
        }
    })
}

fn resume(n: usize) -> Vec<Call> {
    let entries: Vec<Value> = (0..n).map(|at| answer(at, "cancelled")).collect();
    let json = json!({"runId": "r2", "messages": [], "resume": entries}).to_string();
    once(move |session| {
        let _ = session.submit(&json, 0.0);
    })
}

fn queued(at: usize) -> String {
    json!({"runId": format!("q{at}"), "messages": [{"id": format!("q{at}"), "role": "user", "content": "x"}]})
        .to_string()
}

/// The same events under strict rules.
fn strict(work: Work) -> Work {
    Work { options: Options { strict: true, ..Options::default() }, ..work }
}

fn texts(n: usize) -> Vec<Value> {
    let text = |at: usize| {
        let id = format!("m{at}");
        [
            json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "text"}),
            json!({"type": "STEP_STARTED", "stepName": id}),
        ]
    };
    let mut events: Vec<Value> = (0..n).flat_map(text).collect();
    events
        .extend((0..n).map(|at| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": format!("m{at}"), "delta": "x"})));
    events.extend((0..n).map(|at| json!({"type": "TEXT_MESSAGE_END", "messageId": format!("m{at}")})));
    events
}

/// A recording of everything that can join, in turns.
fn recording(n: usize) -> String {
    let snapshot = |at: usize| {
        let members = json!({"messageId": format!("a{}", at % 7), "activityType": "PLAN", "content": {"at": at}});
        let mut event = members;
        event["type"] = "ACTIVITY_SNAPSHOT".into();
        event
    };
    let other = |at: usize| {
        let change = json!([{"op": "add", "path": format!("/k{at}"), "value": at}]);
        [
            snapshot(at),
            json!({"type": "ACTIVITY_DELTA", "messageId": format!("a{}", at % 7), "activityType": "PLAN", "patch": change}),
            json!({"type": "STATE_DELTA", "delta": change}),
        ]
    };
    let state = json!({"type": "STATE_SNAPSHOT", "snapshot": {}});
    let events = std::iter::once(state).chain(texts(n)).chain((0..n).flat_map(other));
    events.map(|event| format!("{event}\n")).collect()
}

/// Events of a server that speaks otherwise.
fn speaking(dialect: &'static str, events: Vec<Value>) -> Work {
    Work { dialect: Some(dialect), events, ..Work::default() }
}

/// Calls that never end, and their results: the first and the last by turns.
fn unended(n: usize) -> Vec<Value> {
    let id = |at: usize| format!("c{at}");
    let calls = (0..n).flat_map(|at| {
        [
            json!({"type": "TOOL_CALL_START", "toolCallId": id(at), "toolCallName": "f"}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": id(at), "delta": "{"}),
        ]
    });
    let order = (0..n).map(|at| if at % 2 == 0 { at / 2 } else { n - 1 - at / 2 });
    let result =
        |at| json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r{at}"), "toolCallId": id(at), "content": "7"});
    let more = (0..n).map(|at| json!({"type": "TOOL_CALL_ARGS", "toolCallId": id(at), "delta": "}"}));
    calls.chain(more).chain(order.map(result)).collect()
}

/// Texts of many targets, each continued with.
fn targets(n: usize) -> Vec<Value> {
    let text = |at: usize| {
        json!({
            "event_id": "e", "timestamp": 1, "agent_id": "a", "session_id": "s", "event_type": "text_stream",
            "classification": "display", "payload": {"text": "x"},
            "target": {"component_type": "chat", "component_id": format!("t{at}")},
        })
    };
    (0..n).chain((0..n).rev()).map(text).collect()
}

/// Subagents as activities show them.
fn activities(n: usize) -> Vec<Value> {
    let shown = |at: usize, status: &str| {
        let content = json!({"name": "n", "status": status});
        json!({"type": "ACTIVITY_SNAPSHOT", "messageId": format!("s{at}"), "activityType": "subagent", "content": content})
    };
    (0..n).map(|at| shown(at, "running")).chain((0..n).map(|at| shown(at, "complete"))).collect()
}

/// A message with parts as AG-UI 0.0 and as 1.0 has them.
fn parts(n: usize) -> Work {
    let old = |at: usize| json!({"type": "binary", "mimeType": "image/png", "url": format!("http://h/{at}")});
    let new = |at: usize| {
        let source = json!({"type": "url", "value": format!("http://h/{}", at + n / 2), "mimeType": "image/png"});
        json!({"type": "image", "source": source})
    };
    let parts: Vec<Value> = (0..n).map(old).chain((0..n).map(new)).collect();
    let message = json!({"id": "m", "role": "user", "content": parts});
    Work { events: vec![json!({"type": "MESSAGES_SNAPSHOT", "messages": [message]})], ..Work::default() }
}

/// Events of old servers, in a run whose id is long.
fn thoughts(n: usize) -> Work {
    let end = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    let start = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "x".repeat(10 * n)});
    let begin = [json!({"type": "THINKING_START"}), json!({"type": "THINKING_TEXT_MESSAGE_START"})];
    let content = json!({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "x"});
    Work { before: vec![end, start], events: [begin.to_vec(), vec![content; n]].concat(), ..Work::default() }
}

pub fn rows() -> Vec<Row> {
    vec![
        row("calls that never end, OpenSearch", |n| speaking("open-search", unended(n))),
        row("text of many targets, Chio", |n| speaking("chio", targets(n))),
        row("subagents that activities show, ngaf", |n| speaking("ngaf", activities(n))),
        row("parts in both shapes", parts),
        row("thoughts of a long run id", thoughts),
        row("results of the page", |n| Work {
            calls: each(n, |at| {
                move |session: &mut Session| {
                    let json = json!({"toolCallId": format!("c{}", at), "content": "7"});
                    session.settle_call(&json.to_string(), 0.0).unwrap();
                }
            }),
            ..called(n, "page")
        }),
        row("answers of people to calls", |n| Work {
            calls: each(n, |at| {
                move |session: &mut Session| {
                    let json = json!({"toolCallId": format!("c{}", n - 1 - at), "content": "7"});
                    session.settle_call(&json.to_string(), 0.0).unwrap();
                }
            }),
            ..called(n, "human")
        }),
        row("approvals", |n| Work {
            calls: each(n, |at| {
                move |session: &mut Session| {
                    assert!(session.approve(&json!({"toolCallId": format!("c{at}")}).to_string(), 0.0).unwrap());
                }
            }),
            ..called(n, "asked")
        }),
        row("denials", |n| Work {
            calls: each(n, |at| {
                move |session: &mut Session| {
                    assert!(session.deny(&json!({"toolCallId": format!("c{at}")}).to_string(), 0.0).unwrap());
                }
            }),
            ..called(n, "asked")
        }),
        row("messages that are set", |n| {
            let json = messages(n).to_string();
            Work { calls: once(move |session| session.set_messages(&json).unwrap()), ..Work::default() }
        }),
        row("messages that are edited", |n| {
            let given = messages(n);
            let changed = |at: usize| match at % 3 {
                0 => json!(at),
                _ => json!({"id": given[at]["id"], "role": given[at]["role"], "content": "edited"}),
            };
            let after = Value::from_iter((0..n).rev().filter(|at| at % 5 != 0).map(changed)).to_string();
            let before = given.to_string();
            Work {
                calls: once(move |session: &mut Session| session.edit_messages(&before, &after).unwrap()),
                messages: Some(given),
                ..Work::default()
            }
        }),
        row("a list of the state that is edited", |n| {
            let list = |keeps: fn(&usize) -> bool| Value::from_iter((0..n).filter(keeps).map(|at| json!({"id": at})));
            let (all, some) = (json!({"list": list(|_| true)}), json!({"list": list(|at| at % 2 == 0)}).to_string());
            let before = all.to_string();
            Work {
                state: Some(all),
                calls: once(move |session: &mut Session| session.edit_state(&before, &some).unwrap()),
                ..Work::default()
            }
        }),
        row("messages that are submitted", |n| {
            let json = json!({"runId": "r2", "messages": messages(n)}).to_string();
            Work {
                calls: once(move |session| {
                    session.submit(&json, 0.0).unwrap();
                }),
                ..asked(0, |_| String::new())
            }
        }),
        row("a state that is set again and again", |n| Work {
            calls: each(n, |at| {
                move |session: &mut Session| session.set_state(&json!({"at": at, "same": [1]}).to_string()).unwrap()
            }),
            ..Work::default()
        }),
        row("submits that wait", |n| Work {
            calls: each(n, |at| {
                move |session: &mut Session| {
                    let _ = session.submit(&queued(at), 0.0);
                }
            }),
            ..Work::default()
        }),
        row("submits that wait, of a queue without a limit", |n| Work {
            options: Options { max_queue: usize::MAX, ..Options::default() },
            calls: each(n, |at| {
                move |session: &mut Session| {
                    session.submit(&queued(at), 0.0).unwrap();
                }
            }),
            ..Work::default()
        }),
        row("a submit that waits and is edited", |n| Work {
            calls: once(|session| {
                session.submit(&queued(0), 0.0).unwrap();
            })
            .into_iter()
            .chain(each(n, |at| move |session: &mut Session| assert!(session.edit_queued(2, &queued(at)).unwrap())))
            .collect(),
            ..Work::default()
        }),
        row("interrupts answered one by one", |n| Work { calls: answers(n), ..asked(n, |at| format!("i{at}")) }),
        row("interrupts of two ids, answered one by one", |n| Work {
            calls: [answers(1), answers(1), answers(2)].into_iter().flatten().collect(),
            ..asked(n, |at| format!("i{}", at % 2))
        }),
        row("interrupts answered at once", |n| Work { calls: resume(n), ..asked(n, |at| format!("i{at}")) }),
        row("interrupts answered and others", |n| Work { calls: resume(2 * n), ..asked(n, |at| format!("i{at}")) }),
        row("interrupts of one id answered at once", |n| Work { calls: resume(n), ..asked(n, |_| "i0".into()) }),
        row("text and steps, strict", |n| strict(Work { events: texts(n), ..Work::default() })),
        row("calls, strict", |n| strict(Work { events: called(n, "f").before, ..Work::default() })),
        row("a recording that is made shorter", |n| {
            let lines = recording(n);
            Work { calls: once(move |_| assert!(!compact(&lines).is_empty())), ..Work::default() }
        }),
    ]
}
