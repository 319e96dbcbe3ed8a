//! Calls that a server repeats: their ends stay, and one id is one call.

use super::*;

#[test]
fn a_denied_or_failed_call_stays_so_where_the_server_echoes_its_result() {
    for (name, phase, error) in [("asked", "denied", "no"), ("page", "output-error", "it broke")] {
        for id in ["a-result", "t"] {
            for listed in [false, true] {
                let (mut agent, request) = calling(&[call("a", name, "{}")]);
                let said = match name {
                    "asked" => says(&mut agent, "deny", json!({"toolCallId": "a", "reason": error})),
                    _ => says(&mut agent, "settle", json!({"toolCallId": "a", "error": error})),
                };
                assert!(said);
                end(&mut agent, request, "r");
                let again = agent.requests[1].0;
                agent.head(again, 200, "text/event-stream");
                let result = json!({"id": id, "role": "tool", "toolCallId": "a", "content": error});
                let told = match listed {
                    true => snapshot(&[user("u", "go"), assistant("m", &[("a", name, "{}")]), result]),
                    false => event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": "a", "content": error),
                };
                agent.events(again, &[started("r-1"), told, finished("r-1")]);
                let what = format!("{name} {id} {listed}");
                let shown = shown(&mut agent, "a");
                assert_eq!((&shown["phase"], &shown["error"]), (&json!(phase), &json!(error)), "{what}");
                assert!(agent.warnings.is_empty(), "{what}: {:?}", agent.warnings);
            }
        }
    }
}

#[test]
fn another_result_of_a_denied_call_is_another_end() {
    let (mut agent, request) = calling(&[call("a", "asked", "{}")]);
    assert!(says(&mut agent, "deny", json!({"toolCallId": "a"})));
    let result = event!("TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "a", "content": "done all the same");
    agent.event(request, result);
    assert_eq!(shown(&mut agent, "a")["phase"], "output-available");
    assert_eq!(agent.warnings, ["result-differs"]);
}

#[test]
fn an_id_that_a_message_lists_twice_is_one_call() {
    let (a, b) = (("a", "page", "{}"), ("b", "page", "{}"));
    let (mut agent, request) = calling(&[call("a", "page", "{}"), call("b", "page", "{}")]);
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[a, b, a, b])]));
    for id in ["a", "b"] {
        assert!(settle(&mut agent, id, "done"));
    }
    end(&mut agent, request, "r");
    let shown = agent.snapshot();
    assert_eq!(shown["toolCalls"].as_array().unwrap().len(), 2);
    assert_eq!(shown["messages"][1]["toolCallIds"], json!(["a", "b"]));
    assert!(shown["toolCalls"].as_array().unwrap().iter().all(|call| call["phase"] == "output-available"));
    let sent = agent.sent()["messages"].as_array().unwrap().clone();
    assert_eq!(refuses(&sent), None);
    assert_eq!(sent[1]["toolCalls"].as_array().unwrap().len(), 2);
}

#[test]
fn a_result_without_its_call_is_not_sent_also_where_the_server_lists_it() {
    let (mut agent, request) = calling(&[]);
    let result =
        |call: &str| json!({"id": format!("t-{call}"), "role": "tool", "toolCallId": call, "content": "found"});
    let list = [user("u", "go"), result("gone"), assistant("m", &[("a", "search", "{}")]), result("a")];
    agent.event(request, snapshot(&list));
    end(&mut agent, request, "r");
    agent.submit_json(json!({"runId": "s", "messages": [user("u2", "and?")]}));
    let sent = agent.sent()["messages"].as_array().unwrap().clone();
    assert_eq!(refuses(&sent), None, "{sent:?}");
    let ids: Vec<&str> = sent.iter().map(|message| message["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["u", "m", "t-a", "u2"]);
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 5, "it is shown");
}
