//! Parts, tasks and calls, as the snapshot shows them.

use super::*;

/// The texts that parts become, with how they are marked.
fn blocks(parts: &[Value]) -> Vec<(String, Value)> {
    let frames: String = parts.iter().cloned().map(message).collect();
    let mut agent = play(json!({"form": "native"}), &frames);
    let messages = agent.snapshot()["messages"].as_array().unwrap();
    let shown = messages.iter().filter(|message| message["role"] == "assistant");
    shown
        .map(|message| (message["content"].as_str().unwrap().to_owned(), message["metadata"]["hector"].clone()))
        .collect()
}

#[test]
fn parts_with_an_id_or_a_type_of_their_own_are_blocks_of_their_own() {
    let part = |text: &str, id: &str, kind: &str| json!({"text": text, "metadata": {"agui_event_type": "content_block", "agui_block_id": id, "agui_block_type": kind}});
    let plain = |text: &str| json!({"text": text});
    let code = json!({"blockType": "code"});
    let own = |text: &str, mark: &Value| (text.to_owned(), mark.clone());
    let none = Value::Null;
    let found =
        blocks(&[part("a", "1", "text"), part("b", "1", "text"), part("c", "2", "text"), part("d", "3", "code")]);
    assert_eq!(found, [own("ab", &none), own("c", &none), own("d", &code)]);
    let found = blocks(&[plain("a"), plain("b"), part("x", "", "code"), part("y", "", "code"), plain("c")]);
    assert_eq!(found, [own("ab", &none), own("xy", &code), own("c", &none)]);
}

#[test]
fn parts_of_errors_tasks_and_messages_are_marked() {
    for kind in ["error", "task", "message"] {
        let part = json!({"text": "said", "metadata": {"event_type": kind, "error_code": "E1"}});
        let found = blocks(&[json!({"text": "plain"}), part, json!({"text": "again"})]);
        let mark = json!({"eventType": kind, "errorCode": "E1"});
        let texts: Vec<_> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["plain", "said", "again"]);
        assert_eq!(found[1].1, mark);
    }
}

#[test]
fn a_failed_result_is_an_error_of_its_call() {
    let call = json!({"data": {"data": {"id": "t", "name": "n"}}, "metadata": {"event_type": "tool_call"}});
    let failed = |error: &str, is_error: bool| {
        let data = json!({"tool_call_id": "t", "content": "text", "error": error});
        json!({"data": {"data": data}, "metadata": {"event_type": "tool_call", "is_error": is_error}})
    };
    for (result, status, error) in [
        (failed("", false), "complete", Value::Null),
        (failed("boom", true), "error", json!("boom")),
        (failed("boom", false), "error", json!("boom")),
        (failed("", true), "error", json!("text")),
    ] {
        for form in ["agui", "native"] {
            let frames = [message(call.clone()), message(result.clone()), frame("done", json!({}))].concat();
            let mut agent = play(json!({"form": form}), &frames);
            let call = &agent.snapshot()["toolCalls"][0];
            assert_eq!((&call["status"], &call["error"]), (&json!(status), &error));
        }
    }
}

#[test]
fn tasks_as_they_stand() {
    let task = |state: &str, text: &str| {
        let message = json!({"parts": [{"data": {"data": {}}}, {"text": text}]});
        frame("message", json!({"task": {"id": "k", "contextId": "c", "status": {"state": state, "message": message}}}))
    };
    let done = frame("done", json!({}));
    let outcome = |frames: String| {
        let mut agent = play(json!({"route": "rest"}), &frames);
        let snapshot = agent.snapshot();
        (
            snapshot["outcome"].as_str().unwrap().to_owned(),
            snapshot["error"]["message"].clone(),
            snapshot["error"]["code"].clone(),
        )
    };
    let fine = |outcome: &str| (outcome.to_owned(), Value::Null, Value::Null);
    assert_eq!(outcome(task("TASK_STATE_COMPLETED", "all of it")), fine("success"));
    assert_eq!(
        outcome(task("TASK_STATE_FAILED", "boom") + &done),
        ("error".into(), json!("boom"), json!("TASK_FAILED"))
    );
    assert_eq!(
        outcome(task("TASK_STATE_FAILED", "") + &done),
        ("error".into(), json!("Task failed"), json!("TASK_FAILED"))
    );
    assert_eq!(outcome(task("TASK_STATE_CANCELLED", "") + &done), fine("cancelled"));
    assert_eq!(
        outcome(task("TASK_STATE_REJECTED", "") + &done),
        ("error".into(), json!("task rejected"), json!("rejected"))
    );
    let update = |state: &str, text: &str| {
        let message = json!({"parts": [{"text": text}]});
        frame(
            "message",
            json!({"statusUpdate": {"taskId": "k", "final": true, "status": {"state": state, "message": message}}}),
        )
    };
    assert_eq!(outcome(update("TASK_STATE_CANCELLED", "")), fine("cancelled"));
    assert_eq!(outcome(update("TASK_STATE_REJECTED", "not me")), ("error".into(), json!("not me"), json!("rejected")));
    assert_eq!(
        outcome(frame("task_error", json!({"taskErrror": 1, "errorMessage": "m", "errorCode": "TASK_FAILED"}))),
        ("error".into(), json!("m"), json!("TASK_FAILED"))
    );
    let v2 = |state: &str| {
        result(json!({"kind": "status-update", "taskId": "k", "contextId": "c", "final": true,
        "status": {"state": state, "message": {"parts": [{"kind": "text", "text": "why"}]}}}))
    };
    assert_eq!(outcome(v2("canceled")), fine("cancelled"));
    assert_eq!(outcome(v2("failed")), ("error".into(), json!("why"), json!("failed")));
    let whole = json!({"kind": "task", "id": "k", "contextId": "c", "status": {"state": "completed"},
        "artifacts": [{"artifactId": "a", "parts": [{"kind": "text", "text": "All of it"}]}]});
    let mut agent = play(json!({"route": "v2"}), &result(whole));
    assert_eq!(agent.snapshot()["messages"][1]["content"], "All of it");
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn results_of_parallel_calls_are_emitted_once_each() {
    let stop = |id: &str, result: &str| frame("tool_call_stop", json!({"toolCallId": id, "result": result}));
    let start = |id: &str| frame("tool_call_start", json!({"toolCallId": id, "toolName": "n", "input": {"a": 1}}));
    let frames = [
        start("a"),
        start("b"),
        stop("a", "1"),
        stop("b", "x"),
        stop("a", "12"),
        stop("b", "xy"),
        frame("done", json!({})),
    ];
    let agent = played(agent(json!({}), true), frames.iter().map(String::as_bytes));
    let told: Vec<_> = agent
        .events
        .iter()
        .filter(|event| event["type"] == "TOOL_CALL_RESULT")
        .map(|event| &event["content"])
        .collect();
    assert_eq!(told, ["12", "xy"]);
}
