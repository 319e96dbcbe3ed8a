//! An agent that is saved and restored continues where it was, and does nothing twice.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::{finished, started, text, user};
use ag_ui_wasm::session::{Options, Reply, Session};
use serde_json::{Value, json};

fn restored(saved: &str) -> Agent {
    let mut agent = Agent::new(Options::default());
    agent.act(|session, now| session.restore(saved, now).unwrap());
    agent
}

/// The snapshot's part about the thread itself.
fn thread(agent: &mut Agent) -> Value {
    let snapshot = agent.snapshot();
    json!([snapshot["messages"], snapshot["toolCalls"], snapshot["state"], snapshot["interrupts"], snapshot["queue"]])
}

fn calling(tool: Value) -> (Agent, u32) {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [tool], "context": [{"description": "d", "value": "v"}]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(
        request,
        &[
            started("r"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"half\": \"\\ud83d\"}"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ],
    );
    (agent, request)
}

#[test]
fn a_record_is_a_save_without_what_grows_with_the_thread() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"n\":1}"));
    let [start, content] = text("m", &"x".repeat(10_000));
    agent.run(&[started("r"), start, content, event!("RUN_FINISHED", "threadId": "t", "runId": "r")]);
    let Ok(Reply::Json(record)) = agent.session.call("record", "", agent.now) else { panic!("a record") };
    let mut save: Value = serde_json::from_str(&agent.session.save()).unwrap();
    let thread = save.as_object_mut().unwrap();
    assert!(thread.remove("messages").is_some() && thread.remove("state").is_some());
    assert_eq!(serde_json::from_str::<Value>(&record).unwrap(), save);
    assert!(record.len() < 1_000, "{record}");
}

#[test]
fn each_message_of_a_save_is_a_line() {
    let mut agent = Agent::new(Options::default());
    let metadata = "{\n\"id\": \"x\",\n\"role\": \"user\"}";
    let said = format!(
        "{{\"runId\":\"r\",\"messages\":[{{\"role\":\"user\",\n\"id\":\"u\",\"content\":\"a\\nb\",\"metadata\":{metadata}}}]}}"
    );
    agent.act(|session, now| _ = session.submit(&said, now).unwrap());
    agent.act(|session, _| session.set_state(&format!("{{\"messages\":[\n{metadata}\n]}}")).unwrap());
    let save = agent.session.save();
    let (head, thread) = save.rsplit_once("\"messages\":[\n").unwrap();
    assert!(serde_json::from_str::<Value>(&format!("{head}\"messages\":[]}}")).is_ok(), "{head}");
    let lines: Vec<&str> = thread.lines().collect();
    assert!(lines[0].starts_with("{\"id\":\"u\",\"role\":\"user\","), "{save}");
    assert!(lines.len() == 2 && lines[1].starts_with("],\"state\":"), "{save}");
}

#[test]
fn a_thread_at_rest_comes_back_as_it_was() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"n\":12345678901234567890}"));
    let [start, content] = text("m", "hel\u{1F642}lo");
    let ask = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]});
    let call = [
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "t", "content": "{\"ok\":true}"),
    ];
    let end = [
        event!("TEXT_MESSAGE_END", "messageId": "m"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": ask),
    ];
    agent.run(&[&[started("r"), start, content], &call[..], &end].concat());
    let saved = agent.session.save();
    let mut again = restored(&saved);
    assert_eq!(thread(&mut again), thread(&mut agent));
    assert_eq!(again.session.save(), saved, "and is saved as the same");
    assert_eq!(again.snapshot()["status"], "idle");
    // The interrupt still stands before the next run.
    again.act(|session, now| {
        let refused = session.submit(&json!({"runId": "q", "messages": []}).to_string(), now);
        assert_eq!(refused.unwrap_err().code(), "interrupts-open");
    });
}

#[test]
fn a_run_that_was_on_is_truncated_and_what_waited_waits() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.events(request, &text("m", "half an ans"));
    agent.submit_json(json!({"runId": "q", "messages": [user("u2", "and then?")]}));
    let mut again = restored(&agent.session.save());
    let snapshot = again.snapshot();
    assert_eq!(snapshot["messages"][1]["content"], "half an ans");
    assert_eq!(snapshot["messages"][1]["delivery"], "aborted");
    assert_eq!((&snapshot["outcome"], &snapshot["error"]["retryable"]), (&json!("truncated"), &json!(true)));
    assert_eq!(snapshot["queue"].as_array().unwrap().len(), 1);
    assert!(again.requests.is_empty(), "nothing is sent unasked");
}

#[test]
fn a_run_in_progress_is_still_one_after_two_reloads() {
    let options = || {
        let resume = Some(ag_ui_wasm::session::Resume::by("last-event-id", None, None).unwrap());
        Options { network: ag_ui_wasm::session::Network { resume, ..Default::default() }, ..Options::default() }
    };
    let mut agent = Agent::new(options());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, b"id: 7\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n");
    let again = |saved: &str| {
        let mut agent = Agent::new(options());
        agent.act(|session, now| session.restore(saved, now).unwrap());
        agent
    };
    let mut second = again(&again(&agent.session.save()).session.save());
    second.act(|session, now| assert!(session.attach("{}", now).is_ok()));
    assert_eq!(second.targets[0].2.as_deref(), Some("7"), "it is joined where it was left");
    // Once it has ended, it is over.
    let request = second.requests[0].0;
    second.head(request, 200, "text/event-stream");
    second.event(request, finished("r"));
    second.end(request);
    let saved: Value = serde_json::from_str(&second.session.save()).unwrap();
    assert_eq!(saved["running"], false);
}

#[test]
fn people_may_answer_after_a_reload() {
    let (mut agent, request) = calling(json!({"name": "f", "needsApproval": true}));
    agent.event(request, finished("r"));
    agent.end(request);
    let mut again = restored(&agent.session.save());
    assert_eq!(again.snapshot()["toolCalls"][0]["phase"], "awaiting-approval");
    again.act(|session, now| assert!(session.approve("{\"toolCallId\":\"c\"}", now).unwrap()));
    assert_eq!(again.executed.len(), 1);
    again.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c\",\"result\":1}", now).unwrap()));
    let input = &again.requests[0].1;
    assert_eq!((&input["runId"], &input["context"][0]["value"]), (&json!("r-1"), &json!("v")));
    assert_eq!(input["messages"][2]["content"], "1");
}

#[test]
fn a_tool_that_was_at_work_is_not_executed_again() {
    let (agent, _) = calling(json!({"name": "f"}));
    assert_eq!(agent.executed.len(), 1);
    let mut again = restored(&agent.session.save());
    assert!(again.executed.is_empty());
    assert_eq!(again.snapshot()["toolCalls"][0]["phase"], "output-error");
    assert_eq!(again.snapshot()["messages"][2]["error"], "The page was left before the tool had finished.");
    // Nor when the server sends the call once more.
    let request = again.submit("go on");
    again.head(request, 200, "text/event-stream");
    again.events(
        request,
        &[
            started("r2"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ],
    );
    assert!(again.executed.is_empty());
}

#[test]
fn the_agent_learns_that_the_page_was_left_before_its_tool_was_done() {
    let (mut agent, request) = calling(json!({"name": "f"}));
    agent.event(request, finished("r"));
    agent.end(request);
    let again = restored(&agent.session.save());
    assert!(again.executed.is_empty());
    let input = &again.requests[0].1;
    assert_eq!((&input["runId"], &input["context"][0]["value"]), (&json!("r-1"), &json!("v")));
    assert_eq!(input["messages"][2]["error"], "The page was left before the tool had finished.");
    // Once: a page that is left again, and comes back, asks no more than a retry.
    let mut third = restored(&again.session.save());
    assert!(third.requests.is_empty());
    assert_eq!(third.snapshot()["outcome"], "truncated");
}

#[test]
fn an_answer_that_was_not_sent_goes_out_after_a_reload() {
    let (mut agent, _) = calling(json!({"name": "f"}));
    agent.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c\",\"result\":1}", now).unwrap()));
    let mut again = restored(&agent.session.save());
    let request = again.submit("go on");
    // The server has seen the messages of this request.
    assert_eq!(again.requests[0].1["messages"][2]["content"], "1");
    let mut other = restored(&agent.session.save());
    other.act(|session, now| drop(session.submit("{\"runId\":\"x\",\"messages\":[]}", now)));
    assert_eq!(other.requests[0].1["messages"][2]["content"], "1");
    again.head(request, 200, "text/event-stream");
    let snapshot = again.events(request, &[started("r2"), event!("MESSAGES_SNAPSHOT", "messages": [user("u", "go")])]);
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 1, "so its snapshot counts");
}

/// After a core has failed, the page begins anew with its last save and with what is shown, which may be newer.
#[test]
fn a_call_that_was_answered_after_the_save_stays_answered() {
    let approval = json!({"name": "f", "needsApproval": true});
    for (tool, own) in
        [(&approval, true), (&approval, false), (&json!({"name": "f"}), true), (&json!({"name": "f"}), false)]
    {
        let (mut agent, request) = calling(tool.clone());
        agent.event(request, finished("r"));
        agent.end(request);
        let mut save = serde_json::from_str::<Value>(&agent.session.save()).unwrap();
        let id = if own { "c-result" } else { "of-server" };
        let result = json!({"id": id, "role": "tool", "toolCallId": "c", "content": "found"});
        save["messages"].as_array_mut().unwrap().push(result);
        let mut again = restored(&save.to_string());
        let shown = again.snapshot();
        assert_eq!(shown["toolCalls"][0]["phase"], "output-available");
        let ids: Vec<&Value> = shown["messages"].as_array().unwrap().iter().map(|message| &message["id"]).collect();
        assert_eq!(ids, [&save["messages"][0]["id"], &save["messages"][1]["id"], &json!(id)]);
        again.act(|session, now| assert!(!session.approve("{\"toolCallId\":\"c\"}", now).unwrap()));
        assert!(again.executed.is_empty());
        // Text that the page has found is sent to the agent, but not its own messages.
        assert_eq!(again.requests.len(), usize::from(own));
    }
}

/// An agent that can join its run, which has called "f"; `settled`: the page has answered. Then a list took the call away.
fn taken_away(settled: bool) -> Agent {
    let resume = Some(ag_ui_wasm::session::Resume::by("last-event-id", None, None).unwrap());
    let network = ag_ui_wasm::session::Network { resume, ..Default::default() };
    let mut agent = Agent::new(Options { network: network.clone(), ..Options::default() });
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [{"name": "f"}]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    let frame = |id: u32, event: Value| format!("id: {id}\ndata: {event}\n\n");
    agent.bytes(request, frame(1, started("r")).as_bytes());
    let start = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f");
    agent.bytes(request, frame(2, start).as_bytes());
    agent.bytes(request, frame(3, event!("TOOL_CALL_END", "toolCallId": "c")).as_bytes());
    assert_eq!(agent.executed.len(), 1);
    if settled {
        agent.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c\",\"result\":1}", now).unwrap()));
    }
    let list = event!("MESSAGES_SNAPSHOT", "messages": [user("u", "go")]);
    agent.bytes(request, frame(4, list).as_bytes());
    let mut again = Agent::new(Options { network, ..Options::default() });
    again.act(|session, now| session.restore(&agent.session.save(), now).unwrap());
    assert_eq!(again.snapshot()["messages"].as_array().unwrap().len(), 1);
    again
}

#[test]
fn an_answer_whose_call_was_removed_is_kept_over_reloads_until_the_call_is_back() {
    for (settled, result) in [(true, json!(1)), (false, json!("The page was left before the tool had finished."))] {
        let mut again = taken_away(settled);
        let saved = again.session.save();
        assert_eq!(crate::support::parse(&saved)["untold"][0]["call"], "c", "and once more");
        again.act(|session, now| assert!(session.attach("{\"pageTools\":[{\"name\":\"f\"}]}", now).is_ok()));
        let request = again.requests[0].0;
        again.head(request, 200, "text/event-stream");
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}});
        let messages = json!([user("u", "go"), {"id": "m", "role": "assistant", "toolCalls": [call]}]);
        let snapshot = again.events(request, &[event!("MESSAGES_SNAPSHOT", "messages": messages)]).clone();
        assert_eq!(snapshot["toolCalls"][0]["result"], result);
        assert_eq!(snapshot["messages"][2]["toolCallId"], "c");
        assert!(again.executed.is_empty(), "it is not executed again");
    }
}

#[test]
fn results_stand_after_a_reload_where_they_stood() {
    let (mut agent, request) = calling(json!({"name": "f"}));
    let result = |call: &str| event!("TOOL_CALL_RESULT", "toolCallId": call, "messageId": call, "content": "?");
    agent.events(request, &[result("unknown")]);
    agent.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c\",\"result\":1}", now).unwrap()));
    agent.events(request, &[result("unknown too"), finished("r")]);
    let ids = |agent: &mut Agent| -> Vec<Value> {
        agent.snapshot()["messages"].as_array().unwrap().iter().map(|message| message["id"].clone()).collect()
    };
    let before = ids(&mut agent);
    assert_eq!(before, ["u", "c", "unknown", "c-result", "unknown too"]);
    assert_eq!(ids(&mut restored(&agent.session.save())), before);
}

#[test]
fn a_damaged_save_is_refused_and_changes_nothing() {
    let (agent, _) = calling(json!({"name": "f", "needsApproval": true}));
    let saved = agent.session.save();
    let mut fresh = Agent::new(Options::default());
    let before = fresh.snapshot().clone();
    let cuts = (0..saved.len()).filter(|at| saved.is_char_boundary(*at)).map(|at| saved[..at].to_owned());
    let others = ["null", "[]", "{}", "{\"v\":2}", "{\"v\":1,\"threadId\":7}"].map(str::to_owned);
    let without = ["messages", "state", "queue", "handled", "interrupts", "threadId"].map(|name| {
        let mut save: Value = serde_json::from_str(&saved).unwrap();
        assert!(save.as_object_mut().unwrap().remove(name).is_some(), "{name}");
        save.to_string()
    });
    let renamed = [saved.replacen("\"calls\"", "\"x\"", 1)];
    for damaged in cuts.chain(others).chain(without).chain(renamed) {
        fresh
            .act(|session, now| assert_eq!(session.restore(&damaged, now).unwrap_err().code(), "restore", "{damaged}"));
    }
    assert_eq!(fresh.snapshot(), &before);
}

/// An agent whose saves somebody keeps.
fn kept() -> Agent {
    Agent::new(Options { saves: true, ..Options::default() })
}

fn last_save(agent: &Agent) -> (u32, Value) {
    let (number, save) = agent.saves.last().unwrap();
    (*number, crate::support::parse(save))
}

#[test]
fn a_request_waits_for_the_save_that_knows_of_it() {
    let mut agent = kept();
    agent.store_hangs = true;
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    agent.submit_json(json!({"runId": "q", "messages": [user("u2", "and then?")]}));
    assert!(agent.requests.is_empty());
    let (_, save) = last_save(&agent);
    assert_eq!(
        (&save["runId"], &save["running"], &save["messages"][0]["id"]),
        (&json!("r"), &json!(true), &json!("u"))
    );
    assert_eq!(save["queue"][0]["runId"], "q");
    // A submit that only waits in the queue holds nothing up.
    agent.act(|session, now| session.saved(1, now));
    assert_eq!((agent.requests.len(), &agent.sent()["runId"]), (1, &json!("r")));
    // The next one leaves the queue: that is saved before it is sent.
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r"), finished("r")]);
    agent.end(request);
    let (number, save) = last_save(&agent);
    assert_eq!((agent.requests.len(), save["queue"].as_array().unwrap().len()), (1, 0));
    agent.act(|session, now| session.saved(number, now));
    assert_eq!(agent.sent()["runId"], "q");
}

#[test]
fn a_tool_is_executed_once_its_call_is_saved_as_handled() {
    let mut agent = kept();
    agent.submit_json(json!({"runId": "r", "messages": [], "pageTools": [{"name": "f"}]}));
    let request = agent.requests[0].0;
    agent.store_hangs = true;
    agent.head(request, 200, "text/event-stream");
    agent.events(
        request,
        &[
            started("r"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ],
    );
    let (number, save) = last_save(&agent);
    assert_eq!((agent.executed.len(), &save["handled"]), (0, &json!(["c"])));
    agent.act(|session, now| session.saved(number, now));
    assert_eq!(agent.executed.len(), 1);
}

#[test]
fn calls_that_come_one_after_the_other_are_saved_as_often_as_the_thread_allows() {
    let mut agent = kept();
    let long = user("u", &"x".repeat(500_000));
    agent.submit_json(json!({"runId": "r", "messages": [long], "pageTools": [{"name": "f"}]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.event(request, started("r"));
    let before = agent.saves.len();
    for at in 0..100 {
        let id = format!("c{at}");
        agent.event(request, event!("TOOL_CALL_START", "toolCallId": &id, "toolCallName": "f"));
        agent.event(request, event!("TOOL_CALL_END", "toolCallId": &id));
        agent.now += 1.0;
    }
    let saves = agent.saves.len() - before;
    assert!((1..=4).contains(&saves), "{saves} saves");
    // A waiting call is executed when its time has come, without an event of the server.
    let waits = 100 - agent.executed.len();
    assert!(waits > 0);
    agent.now = agent.wake.unwrap();
    agent.act(Session::tick);
    assert_eq!(agent.executed.len(), 100, "{waits} waited");
    // A person's decision is saved at once.
    let before = agent.saves.len();
    agent.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c0\",\"result\":1}", now).unwrap()));
    assert_eq!(agent.saves.len(), before + 1);
}

#[test]
fn what_is_given_up_before_it_was_saved_never_happens() {
    let mut agent = kept();
    agent.store_hangs = true;
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    agent.act(|session, now| session.stop(now));
    agent.act(|session, now| session.saved(9, now));
    assert!(agent.requests.is_empty() && agent.closed.is_empty() && agent.stopped.is_empty());
    assert_eq!(agent.settled[0].1["outcome"], "aborted");
    assert_eq!(last_save(&agent).1["running"], false);
}

#[test]
fn nothing_is_saved_of_a_session_that_was_disposed_of() {
    let mut agent = kept();
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    agent.submit_json(json!({"runId": "q", "messages": []}));
    let saves = agent.saves.len();
    agent.act(|session, now| session.dispose(now));
    assert_eq!((agent.saves.len(), agent.settled.len()), (saves, 2));
}

#[test]
fn a_server_that_knows_runs_by_their_id_need_not_wait_for_the_store() {
    let network = ag_ui_wasm::session::Network { posts: true, ..Default::default() };
    let mut agent = Agent::new(Options { saves: true, network, ..Options::default() });
    agent.store_hangs = true;
    agent.submit_json(json!({"runId": "r", "messages": []}));
    assert_eq!((agent.requests.len(), agent.saves.len()), (1, 1));
}

#[test]
fn what_a_stopped_run_has_replied_to_interrupts_is_replied_again_after_a_restore() {
    let mut agent = Agent::new(Options::default());
    let ask = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]});
    agent.run(&[started("r"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": ask)]);
    let reply = json!([{"interruptId": "i", "status": "resolved", "payload": 1}]);
    agent.submit_json(json!({"runId": "s", "messages": [], "resume": reply}));
    agent.act(|session, now| session.stop(now));
    let mut again = restored(&agent.session.save());
    again.act(|session, now| _ = session.retry("{\"runId\":\"again\"}", now).unwrap());
    assert_eq!(again.sent()["resume"], reply);
}

#[test]
fn a_call_that_has_failed_without_a_result_is_not_sent_again_after_a_restore() {
    let mut agent = Agent::new(Options::default());
    agent.submit("go");
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    let call = [
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("RUN_ERROR", "message": "failed"),
    ];
    agent.events(request, &[&[started("r")], &call[..]].concat());
    agent.end(request);
    assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "output-error");
    let mut again = restored(&agent.session.save());
    assert_eq!(again.snapshot()["toolCalls"], agent.snapshot()["toolCalls"]);
    again.act(|session, now| _ = session.retry("{\"runId\":\"again\"}", now).unwrap());
    let roles: Vec<_> = again.sent()["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["user"]);
}

#[test]
fn token_counts_are_saved_and_later_ones_are_added() {
    let mut agent = Agent::new(Options::default());
    let usage = json!([{"model": "m", "inputTokens": 3, "outputTokens": 1}]);
    let end = event!("RUN_FINISHED", "threadId": "t", "runId": "r", "usage": usage);
    agent.run(&[started("r"), end.clone()]);
    let saved = agent.session.save();
    let mut again = restored(&saved);
    assert_eq!(again.snapshot()["usage"], usage);
    assert_eq!(again.session.save(), saved);
    again.run(&[started("q"), event!("RUN_FINISHED", "threadId": "t", "runId": "q", "usage": usage)]);
    assert_eq!(again.snapshot()["usage"], json!([{"model": "m", "inputTokens": 6, "outputTokens": 2}]));
    // A second restore takes the place of the first.
    again.act(|session, now| session.restore(&saved, now).unwrap());
    assert_eq!(again.snapshot()["usage"], usage);
}

#[test]
fn what_waits_twice_in_a_save_begins_once() {
    let mut agent = Agent::new(Options::default());
    agent.submit("one");
    agent.submit_json(json!({"runId": "two", "messages": [user("u", "two")]}));
    let mut saved: Value = serde_json::from_str(&agent.session.save()).unwrap();
    let waits = saved["queue"][0].clone();
    saved["queue"].as_array_mut().unwrap().push(waits);
    let mut again = restored(&saved.to_string());
    assert_eq!(again.snapshot()["queue"].as_array().unwrap().len() + again.requests.len(), 1);
}
