//! Streams that are cut, damaged or hostile.

use super::*;

#[test]
fn a_cut_stream_is_joined_before_it_is_given_up() {
    let resume = Some(Resume::by("snapshot", None, None).unwrap());
    let network = Network { resume, attempts: 1, ..Network::default() };
    let make = |settings: Value| {
        Agent::speaking("hector", settings, Options { strict: true, network: network.clone(), ..Options::default() })
    };
    let mut agent = played(make(json!({"route": "v2"})), [&*body("08-agui-truncated")]);
    assert_eq!(agent.snapshot()["connection"]["phase"], "reconnecting");
    agent.now = agent.wake.unwrap();
    agent.act(|session, now| session.tick(now));
    let (target, run, _) = agent.targets.last().unwrap().clone();
    let task = "9d0f6b9e-1111-4222-8333-000000000001";
    assert_eq!((target, &*run), (Target::Resume, task));
    let expected = json!({"jsonrpc": "2.0", "method": "tasks/resubscribe", "params": {"id": task}, "id": task});
    assert_eq!(*agent.sent(), expected);
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("09-agui-task-snapshot-states"));
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(agent.snapshot()["outcome"], "success");
    let reduced = reduction(&mut agent);
    assert_eq!((&reduced["text"], &reduced["blocks"][0]["open"]), (&json!("Partialrest of the answer"), &json!(false)));
    assert_eq!(agent.events.iter().filter(|event| event["type"] == "RUN_STARTED").count(), 1);

    // One that was left is joined again where it is.
    let mut agent = make(json!({"route": "rest"}));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("08-agui-truncated"));
    agent.act(|session, now| session.disconnect(now));
    agent.act(|session, now| {
        session.attach("{}", now).unwrap();
    });
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("09-agui-task-snapshot-states"));
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(reduction(&mut agent)["text"], "Partialrest of the answer");
    assert_eq!(agent.snapshot()["outcome"], "success");

    // A page that comes later joins it too.
    let mut agent = make(json!({"route": "rest"}));
    agent.act(|session, now| {
        session.attach(&json!({"runId": task}).to_string(), now).unwrap();
    });
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("09-agui-task-snapshot-states"));
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn a_connection_that_fails_is_a_truncated_stream() {
    let mut agent = of_route("rest");
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("08-agui-truncated"));
    agent.act(|session, now| session.failed(request, "reset", now));
    let error = &agent.snapshot()["error"];
    assert_eq!(error["code"], "stream_truncated");
    let last = agent.snapshot()["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["content"], "Partial", "nothing that was shown is lost");
}

#[test]
fn ends_without_done() {
    let text = message(json!({"text": "Hello"})).replace(",\"taskId\":\"k\"", "");
    let with_task = message(json!({"text": "Hello"}));
    let working = frame("message", json!({"statusUpdate": {"taskId": "k", "status": {"state": "TASK_STATE_WORKING"}}}));
    let waiting = frame(
        "message",
        json!({"statusUpdate": {"taskId": "k", "final": true, "status": {"state": "TASK_STATE_AUTH_REQUIRED"}}}),
    );
    for (route, frames, outcome) in [
        ("json-rpc", text.clone(), "success"),
        ("v2", text.clone(), "success"),
        ("rest", text.clone(), "error"),
        ("rest", format!("{text}{}", frame("done", json!({}))), "success"),
        ("json-rpc", format!("{working}{with_task}"), "error"),
        ("json-rpc", format!("{with_task}{waiting}"), "success"),
        ("json-rpc", format!("{waiting}{with_task}"), "error"),
    ] {
        let mut agent = play(json!({"route": route}), &frames);
        assert_eq!(agent.snapshot()["outcome"], outcome, "{route}: {frames}");
    }
    let mut agent = play(json!({"route": "json-rpc"}), "");
    assert_eq!(agent.snapshot()["outcome"], "truncated", "nothing has come at all");
}

#[test]
fn bad_frames_are_told_and_nothing_shown_is_lost() {
    let hello = message(json!({"text": "Hello"}));
    let deep = format!("event: message\ndata: {}1{}\n\n", "[".repeat(100_000), "]".repeat(100_000));
    let late = format!("{}{}", frame("done", json!({})), message(json!({"text": "late"})));
    const BAD: &str = "hector-frame-malformed";
    for (bad, code) in [
        (frame("message", json!({"nothing": 1})), BAD),
        (frame("message", json!({"message": 7})), BAD),
        (frame("message", json!({"message": {"parts": "x"}})), BAD),
        (frame("message", json!({"message": {"parts": [7]}})), BAD),
        (frame("message", json!({"statusUpdate": {"status": "x"}})), BAD),
        (frame("message", json!({"task": {"id": 1}})), BAD),
        (frame("message", json!([])), BAD),
        ("event: content_block_delta\ndata: nonsense\n\n".to_owned(), BAD),
        (result(json!({"kind": "artifact-update", "artifact": 1})), BAD),
        (result(json!({"kind": "artifact-update", "artifact": {"parts": 1}})), BAD),
        (result(json!({"kind": "status-update"})), BAD),
        (frame("", json!({"jsonrpc": "2.0", "result": []})), BAD),
        (deep, BAD),
        (result(json!({"kind": "novelty"})), "hector-event-unknown"),
        (frame("novelty", json!({"eventId": "1", "type": "AGUI_EVENT_TYPE_NOVELTY"})), "hector-event-unknown"),
        (frame("agui_event", json!({})), "hector-event-unknown"),
        (
            frame("message", json!({"statusUpdate": {"status": {"state": "TASK_STATE_DREAMING"}}})),
            "hector-state-unknown",
        ),
        (frame("tool_call_delta", json!({"toolCallId": "no", "partialInput": "x"})), "hector-event-late"),
        (late, "hector-event-late"),
    ] {
        let mut agent = play(json!({"route": "json-rpc"}), &format!("{hello}{bad}"));
        assert_eq!(agent.warnings, [code], "{:.200}", bad);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "Hello", "{:.200}", bad);
        let mut agent = played(of_route("json-rpc"), [hello.as_bytes(), bad.as_bytes()]);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "Hello");
        if code == BAD {
            assert_eq!(agent.snapshot()["error"]["code"], BAD, "strict rules end the run");
        }
    }
}

#[test]
fn hostile_numbers_take_no_time() {
    let many = 20_000;
    let starts: String = (0..many).map(|at| frame("content_block_start", json!({"blockId": at.to_string()}))).collect();
    let calls: String =
        (0..many).map(|at| frame("tool_call_stop", json!({"toolCallId": at.to_string(), "result": "x"}))).collect();
    let thoughts: String = (0..many)
        .map(|at| result(json!({"kind": "artifact-update", "artifact": {"parts": null}, "metadata": {"partial": true, "author": at.to_string(),
            "thinking": {"id": at.to_string(), "content": "x"}}})))
        .collect();
    for frames in [starts, calls, thoughts] {
        let mut agent = play(json!({}), &frames);
        assert!(agent.snapshot()["messages"].as_array().unwrap().len() > 1);
    }
}

#[test]
fn damaged_bytes_do_not_panic() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let names = RECORDED.iter().map(|(name, _)| *name).chain(["11-v2-a2a-jsonrpc-approval", "13-v2-jsonrpc-error"]);
    for name in names {
        let whole = body(name);
        for round in 0..300 {
            let mut damaged = whole.clone();
            for _ in 0..=random(4) {
                let at = random(damaged.len());
                match random(3) {
                    0 => damaged[at] = *b"{}[]\",:0ntf\\\n\xff".get(random(14)).unwrap(),
                    1 => drop(damaged.drain(at..(at + 1 + random(40)).min(damaged.len()))),
                    _ => {
                        let copy = damaged[at..(at + random(200)).min(damaged.len())].to_vec();
                        damaged.splice(at..at, copy);
                    }
                }
            }
            let mut agent = played(agent(json!({}), round % 2 == 0), [&*damaged]);
            assert_eq!(agent.snapshot()["isLoading"], false, "{name}: the run ends, whatever comes");
        }
    }
}
