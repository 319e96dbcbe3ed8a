//! Everything but the state: messages, calls, results, reasoning, snapshots, runs, steps, subagents, usage.

use crate::row::{Row, Work, row};
use serde_json::{Value, json};

fn work(events: Vec<Value>) -> Work {
    Work { events, ..Work::default() }
}

fn after(before: Vec<Value>, events: Vec<Value>) -> Work {
    Work { before, events, ..Work::default() }
}

/// The events that `make` returns for each number.
fn each(n: usize, make: impl Fn(usize) -> Vec<Value>) -> Vec<Value> {
    (0..n).flat_map(make).collect()
}

fn event(kind: &str, mut members: Value) -> Value {
    members["type"] = kind.into();
    members
}

fn message(id: &str) -> Vec<Value> {
    vec![
        event("TEXT_MESSAGE_START", json!({"messageId": id})),
        event("TEXT_MESSAGE_CONTENT", json!({"messageId": id, "delta": "text"})),
        event("TEXT_MESSAGE_END", json!({"messageId": id})),
    ]
}

fn call(id: &str, parent: Option<&str>) -> Vec<Value> {
    vec![
        event("TOOL_CALL_START", json!({"toolCallId": id, "toolCallName": "f", "parentMessageId": parent})),
        event("TOOL_CALL_ARGS", json!({"toolCallId": id, "delta": "{\"a\":1}"})),
        event("TOOL_CALL_END", json!({"toolCallId": id})),
    ]
}

fn result(call: &str) -> Value {
    event("TOOL_CALL_RESULT", json!({"messageId": format!("r-{call}"), "toolCallId": call, "content": "7"}))
}

fn runs(n: usize) -> Vec<Value> {
    each(n, |at| {
        let run = json!({"threadId": "t", "runId": format!("r{at}")});
        vec![event("RUN_FINISHED", run.clone()), event("RUN_STARTED", run)]
    })
}

fn subagent(id: usize, parent: Option<String>) -> Value {
    let members = json!({"subagentRunId": format!("s{id}"), "name": "n", "parentSubagentRunId": parent});
    event("SUBAGENT_STARTED", members)
}

fn long(n: usize) -> String {
    "x".repeat(10 * n)
}

fn metadata(n: usize, key: impl Fn(usize) -> String) -> Work {
    let grow = |at: usize| {
        let metadata = json!({(key(at)): at});
        vec![event("TEXT_MESSAGE_CONTENT", json!({"messageId": "m", "delta": "x", "metadata": metadata}))]
    };
    after(message("m"), each(n, grow))
}

fn snapshot(messages: Value) -> Value {
    event("MESSAGES_SNAPSHOT", json!({"messages": messages}))
}

fn activities(n: usize) -> Vec<Value> {
    each(n, |at| {
        let members = json!({"messageId": format!("a{at}"), "activityType": format!("t{}", at % 3), "content": {}});
        vec![event("ACTIVITY_SNAPSHOT", members)]
    })
}

fn chunk(kind: &str, at: usize) -> Value {
    let (id, owner) = (format!("c{at}"), format!("o{at}"));
    match kind {
        "TOOL_CALL_CHUNK" => {
            event(kind, json!({"toolCallId": id, "toolCallName": "f", "delta": "1", "subagentRunId": owner}))
        }
        _ => event(kind, json!({"messageId": id, "delta": "x", "subagentRunId": owner})),
    }
}

/// Streams of many subagents, each continued with by its owner, and by an event that names nobody.
fn lanes(n: usize, kind: &str) -> Work {
    let opened = each(n, |at| vec![chunk(kind, at)]);
    let again = each(n, |at| vec![chunk(kind, at), chunk(kind, n - 1 - at)]);
    let other = if kind == "TEXT_MESSAGE_CHUNK" { "REASONING_MESSAGE_CHUNK" } else { "TEXT_MESSAGE_CHUNK" };
    let first = event(other, json!({"messageId": "one", "delta": "x", "subagentRunId": "one"}));
    let alone = each(n, |_| vec![event(other, json!({"delta": "x"}))]);
    work([opened, again, vec![first], alone, runs(1)].concat())
}

/// Calls, then their results: the first and the last by turns.
fn results(n: usize, calls: Vec<Value>) -> Work {
    let order = (0..n).map(|at| if at % 2 == 0 { at / 2 } else { n - 1 - at / 2 });
    after(calls, order.map(|at| result(&format!("c{at}"))).collect())
}

pub fn rows() -> Vec<Row> {
    vec![
        row("messages", |n| work(each(n, |at| message(&format!("m{at}"))))),
        row("messages opened again", |n| work(each(n, |_| message("m")))),
        row("text", |n| {
            let delta = |_| vec![event("TEXT_MESSAGE_CONTENT", json!({"messageId": "m", "delta": "text"}))];
            after(message("m"), each(n, delta))
        }),
        row("long texts", |n| {
            let text = "x".repeat(20_000);
            let list: Vec<Value> =
                (0..n / 10).map(|at| json!({"id": format!("m{at}"), "role": "user", "content": text})).collect();
            work(vec![snapshot(json!(list))])
        }),
        row("text of two messages", |n| {
            let delta =
                |at: usize| event("TEXT_MESSAGE_CONTENT", json!({"messageId": (["m", "o"][at % 2]), "delta": "x"}));
            after([message("m"), message("o")].concat(), each(n, |at| vec![delta(at)]))
        }),
        row("text of nobody's messages", |n| {
            work(each(n, |at| {
                vec![event("TEXT_MESSAGE_CONTENT", json!({"messageId": format!("m{at}"), "delta": "x"}))]
            }))
        }),
        row("metadata of many keys", |n| metadata(n, |at| format!("k{at}"))),
        row("metadata of one key", |n| metadata(n, |_| String::new())),
        row("text chunks", |n| lanes(n, "TEXT_MESSAGE_CHUNK")),
        row("call chunks", |n| lanes(n, "TOOL_CALL_CHUNK")),
        row("reasoning chunks", |n| lanes(n, "REASONING_MESSAGE_CHUNK")),
        row("calls", |n| work(each(n, |at| call(&format!("c{at}"), None)))),
        row("calls of one parent", |n| work(each(n, |at| call(&format!("c{at}"), Some("p"))))),
        row("calls of a message with a long id and owner", |n| {
            let calls: Vec<Value> = (0..n)
                .map(|at| json!({"id": format!("c{at}"), "type": "function", "function": {"name": "f", "arguments": "{}"}}))
                .collect();
            let message = json!({"id": long(n), "role": "assistant", "subagentRunId": long(n), "toolCalls": calls});
            work(vec![snapshot(json!([message]))])
        }),
        row("calls that a message with a long owner gets", |n| {
            let start = event("TEXT_MESSAGE_START", json!({"messageId": "p", "subagentRunId": long(n)}));
            after(vec![start], each(n, |at| call(&format!("c{at}"), Some("p"))))
        }),
        row("a call that begins and ends again", |n| {
            let large = event("TOOL_CALL_ARGS", json!({"toolCallId": "c", "delta": format!("[\"{}\"", long(n))}));
            let mut before = call("c", None);
            before[1] = large;
            let again = |_| {
                let start = json!({"toolCallId": "c", "toolCallName": "f"});
                vec![event("TOOL_CALL_START", start), event("TOOL_CALL_END", json!({"toolCallId": "c"}))]
            };
            after(before, each(n, again))
        }),
        row("a call that is renamed", |n| {
            let rename =
                |at: usize| event("TOOL_CALL_START", json!({"toolCallId": "c0", "toolCallName": format!("f{at}")}));
            after(each(n, |at| call(&format!("c{at}"), Some("p"))), each(n, |at| vec![rename(at)]))
        }),
        row("arguments", |n| {
            let start = call("c", None);
            let grow = |_| vec![event("TOOL_CALL_ARGS", json!({"toolCallId": "c", "delta": "1,"}))];
            let open = event("TOOL_CALL_ARGS", json!({"toolCallId": "c", "delta": "["}));
            after(vec![start[0].clone(), open], each(n, grow))
        }),
        row("results", |n| results(n, each(n, |at| call(&format!("c{at}"), None)))),
        row("results of one parent's calls", |n| results(n, each(n, |at| call(&format!("c{at}"), Some("p"))))),
        row("results of one call", |n| {
            let other = |at: usize| {
                vec![event(
                    "TOOL_CALL_RESULT",
                    json!({"messageId": format!("r{at}"), "toolCallId": "c", "content": "7"}),
                )]
            };
            after([message("m"), call("c", None), message("o")].concat(), each(n, other))
        }),
        row("results of one id", |n| {
            let same = |at: usize| {
                vec![event(
                    "TOOL_CALL_RESULT",
                    json!({"messageId": "r", "toolCallId": format!("c{at}"), "content": "7"}),
                )]
            };
            after(each(n, |at| call(&format!("c{at}"), None)), [each(n, same), each(n, same)].concat())
        }),
        row("reasoning", |n| {
            work(each(n, |at| {
                let id = json!({"messageId": format!("m{at}")});
                let start = json!({"messageId": format!("m{at}"), "role": "reasoning"});
                let content = json!({"messageId": format!("m{at}"), "delta": "why"});
                vec![
                    event("REASONING_START", id.clone()),
                    event("REASONING_MESSAGE_START", start),
                    event("REASONING_MESSAGE_CONTENT", content),
                    event("REASONING_MESSAGE_END", id.clone()),
                    event("REASONING_END", id),
                ]
            }))
        }),
        row("encrypted values of a long message", |n| {
            let content = event("TEXT_MESSAGE_CONTENT", json!({"messageId": "m", "delta": long(n)}));
            let value = |at: usize| {
                let members = json!({"subtype": "message", "entityId": "m", "encryptedValue": format!("v{at}")});
                vec![event("REASONING_ENCRYPTED_VALUE", members)]
            };
            after([message("m"), vec![content]].concat(), each(n, value))
        }),
        row("encrypted values that come early", |n| {
            let value = |at: usize| {
                let members = json!({"subtype": "tool-call", "entityId": format!("c{at}"), "encryptedValue": "v"});
                vec![event("REASONING_ENCRYPTED_VALUE", members)]
            };
            work([each(n, value), each(n, |at| call(&format!("c{at}"), None))].concat())
        }),
        row("snapshots beside activities", |n| after(activities(n), vec![snapshot(json!([])); n])),
        row("snapshots of types beside activities", |n| {
            let mut one = snapshot(json!([]));
            one["metadata"] = json!({"@ag-ui/client": {"authoritativeActivityTypes": ["none"]}});
            after(activities(n), vec![one; n])
        }),
        row("a snapshot of many messages", |n| {
            let list: Vec<Value> =
                (0..n).map(|at| json!({"id": format!("m{at}"), "role": "user", "content": "x"})).collect();
            work(vec![snapshot(json!(list)), snapshot(json!(list[n / 2..]))])
        }),
        row("a snapshot of malformed messages", |n| {
            let list: Vec<Value> = (0..n).map(|at| json!({"id": format!("m{at}"), "role": "nobody"})).collect();
            after(each(n, |at| message(&format!("m{at}"))), vec![snapshot(json!(list))])
        }),
        row("a snapshot of calls in another order", |n| {
            let call = |at: usize| json!({"id": format!("c{at}"), "type": "function", "function": {"name": "f", "arguments": "{}"}});
            let list: Vec<Value> = (0..n).rev().map(call).collect();
            let before = each(n, |at| self::call(&format!("c{at}"), Some("p")));
            after(before, vec![snapshot(json!([{"id": "p", "role": "assistant", "toolCalls": list}]))])
        }),
        row("activities", |n| work(activities(n))),
        row("runs of a long thread", |n| after(each(n, |at| message(&format!("m{at}"))), runs(n))),
        row("runs with a call each", |n| {
            let run = |at: usize| [call(&format!("c{at}"), Some("p")), runs(1)].concat();
            work(each(n, run))
        }),
        row("runs that bring a message each", |n| {
            work(each(n, |at| {
                let input =
                    json!({"messages": [{"id": format!("m{at}"), "role": "tool", "toolCallId": "c", "content": "7"}]});
                let run = json!({"threadId": "t", "runId": "r"});
                let mut start = run.clone();
                start["input"] = input;
                vec![event("RUN_FINISHED", run), event("RUN_STARTED", start)]
            }))
        }),
        row("runs that fail", |n| {
            let failed = |_| {
                let run = json!({"threadId": "t", "runId": "r"});
                vec![event("RUN_ERROR", json!({"message": "no"})), event("RUN_STARTED", run)]
            };
            after(each(n, |at| message(&format!("m{at}"))), each(n, failed))
        }),
        row("interrupts", |n| {
            let list: Vec<Value> = (0..n).map(|at| json!({"id": format!("i{at}"), "reason": "confirmation"})).collect();
            let outcome = json!({"type": "interrupt", "interrupts": list});
            work(vec![event("RUN_FINISHED", json!({"threadId": "t", "runId": "r", "outcome": outcome}))])
        }),
        row("interrupts that close one by one", |n| {
            let list: Vec<Value> = (0..n).map(|at| json!({"id": format!("i{at}"), "reason": "confirmation"})).collect();
            let outcome = json!({"type": "interrupt", "interrupts": list});
            let asks = event("RUN_FINISHED", json!({"threadId": "t", "runId": "r", "outcome": outcome}));
            // From both ends, so that the middle is closed last.
            let closes = each(n, |at| {
                let value = json!({"interruptId": format!("i{}", if at % 2 == 0 { at / 2 } else { n - 1 - at / 2 })});
                vec![event("CUSTOM", json!({"name": "agent-os.run.resumed", "value": value}))]
            });
            Work { dialect: Some("agent-os"), ..after(vec![asks], closes) }
        }),
        row("interruptions of a run with a long id", |n| {
            let start = event("RUN_STARTED", json!({"threadId": long(n), "runId": long(n)}));
            let asks = |at: usize| {
                let value = json!({"interruptId": format!("i{at}"), "reason": "confirmation"});
                vec![event("CUSTOM", json!({"name": "agent-os.run.interrupted", "value": value}))]
            };
            let end = event("RUN_FINISHED", json!({"threadId": "t", "runId": "r"}));
            Work { dialect: Some("agent-os"), ..after(vec![end, start], each(n, asks)) }
        }),
        row("usage by models", |n| {
            let used = |at: usize| {
                let usage = json!([{"provider": "p", "model": format!("m{at}"), "inputTokens": 1}]);
                let run = json!({"threadId": "t", "runId": "r"});
                let mut end = run.clone();
                end["usage"] = usage;
                vec![event("RUN_FINISHED", end), event("RUN_STARTED", run)]
            };
            work([each(n, used), each(n, used)].concat())
        }),
        row("steps", |n| {
            let step = |at: usize| {
                let name = json!({"stepName": format!("s{at}")});
                vec![event("STEP_STARTED", name.clone()), event("STEP_FINISHED", name)]
            };
            work(each(n, step))
        }),
        row("steps of a long run id", |n| {
            let run = event("RUN_STARTED", json!({"threadId": "t", "runId": long(n)}));
            let step = |at: usize| vec![event("STEP_STARTED", json!({"stepName": format!("s{at}")}))];
            after(vec![event("RUN_FINISHED", json!({"threadId": "t", "runId": "r"})), run], each(n, step))
        }),
        row("subagents of unknown parents", |n| work(each(n, |at| vec![subagent(at, Some(format!("unknown{at}")))]))),
        row("subagents of one parent", |n| work(each(n, |at| vec![subagent(at, Some("s0".into()))]))),
        row("subagents in a chain", |n| {
            work(each(n, |at| vec![subagent(at, at.checked_sub(1).map(|at| format!("s{at}")))]))
        }),
        row("subagents that end", |n| {
            let end = |at: usize| {
                let id = format!("s{}", n - 1 - at);
                let finished = json!({"subagentRunId": id, "result": {"n": at}});
                let failed = json!({"subagentRunId": format!("s{at}"), "message": "no"});
                vec![event("SUBAGENT_FINISHED", finished), event("SUBAGENT_ERROR", failed)]
            };
            after(each(n, |at| vec![subagent(at, None)]), each(n, end))
        }),
        row("subagents that stay suspended", |n| {
            let suspended = |at: usize| {
                let outcome = json!({"type": "suspended", "interruptIds": ["i"]});
                let end = json!({"subagentRunId": format!("s{at}"), "outcome": outcome});
                vec![subagent(at, None), event("SUBAGENT_FINISHED", end)]
            };
            after(each(n, suspended), runs(n))
        }),
    ]
}
