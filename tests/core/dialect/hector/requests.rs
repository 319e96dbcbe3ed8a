//! Requests: the body of every route, and the form that is asked for.

use super::*;

#[test]
fn every_route_has_its_body() {
    let url = json!({"type": "url", "value": "https://f.test/a.png", "mimeType": "image/png"});
    let bytes = json!({"type": "data", "value": "YQ==", "mimeType": "text/plain"});
    let content = json!([{"type": "text", "text": "hi \u{10F900}"}, {"type": "image", "source": url},
        {"type": "document", "source": bytes, "metadata": {"filename": "a.txt"}}]);
    let submit = json!({"runId": "r", "messages": [{"id": "u", "role": "user", "content": content}], "forwardedProps": {"user_id": "7"}});
    let parts = json!([{"text": "hi \u{10F900}"}, {"file": {"fileWithUri": "https://f.test/a.png", "mediaType": "image/png"}},
        {"file": {"fileWithBytes": "YQ==", "mediaType": "text/plain", "name": "a.txt"}}]);
    let v1 = json!({"contextId": "t", "role": "user", "parts": parts});
    let v2 = json!({"contextId": "t", "role": "user", "metadata": {"user_id": "7"}, "parts": [
        {"kind": "text", "text": "hi \u{10F900}"},
        {"kind": "file", "file": {"uri": "https://f.test/a.png", "mimeType": "image/png"}},
        {"kind": "file", "file": {"bytes": "YQ==", "mimeType": "text/plain", "name": "a.txt"}}]});
    let rpc = |params: Value| json!({"jsonrpc": "2.0", "method": "message/stream", "params": params, "id": "r"});
    for (settings, expected) in [
        (json!({"url": "/v1/agents/a/message:stream"}), json!({"message": v1})),
        (json!({}), json!({"message": v1})),
        (json!({"route": "request", "url": "/v1/agents/a/stream"}), json!({"request": v1})),
        (json!({"url": "https://h.test/v1/agents/a/stream?format=agui"}), rpc(json!({"request": v1}))),
        (json!({"url": "/agents/a"}), rpc(json!({"message": v2}))),
    ] {
        let mut agent = agent(settings, true);
        agent.submit_json(submit.clone());
        assert_eq!(*agent.sent(), expected);
    }
}

#[test]
fn only_what_is_new_is_sent() {
    let mut agent = played(of_route("rest"), [&*body("01-agui-task-thinking-tool-text")]);
    agent.submit("next");
    let expected = json!({"message": {"contextId": "hector-web-7f3a", "role": "user", "parts": [{"text": "next"}]}});
    assert_eq!(*agent.sent(), expected, "with the context that the server has named");

    // A call that ends a run, with its result; the agent has not spoken after it.
    let mut agent = played(of_route("rest"), [&*body("05-agui-tool-error-task-failed")]);
    agent.submit("next");
    assert_eq!(agent.sent()["message"]["parts"], json!([{"text": "next"}]), "not what the server itself has said");

    // A question without a word of the agent: the message that led to it is not sent again.
    let waits = json!({"kind": "status-update", "taskId": "k", "contextId": "c", "final": true,
        "status": {"state": "input-required", "message": {"parts": [{"kind": "text", "text": "Which one?"}]}}});
    let mut agent = played(of_route("v2"), [result(waits).as_bytes()]);
    let open = agent.snapshot()["interrupts"][0].clone();
    let metadata = json!({"hector": {"taskId": "k"}});
    assert_eq!(
        open,
        json!({"id": "input:k", "reason": "input_required", "message": "Which one?", "metadata": metadata})
    );
    agent.submit_json(
        json!({"runId": "r2", "resume": [{"interruptId": "input:k", "status": "resolved", "payload": "the first"}]}),
    );
    assert_eq!(agent.sent()["params"]["message"]["parts"], json!([{"kind": "text", "text": "the first"}]));
}

#[test]
fn requests_ask_for_the_form() {
    let accepts = |settings: Value| agent(settings, false).session.accept(None);
    let form = Some("application/x-agui-events, text/event-stream;q=0.9".to_owned());
    assert_eq!(accepts(json!({})), form);
    assert_eq!(accepts(json!({"url": "/v1/agents/a/stream"})), form);
    assert_eq!(accepts(json!({"form": "native"})), None);
    assert_eq!(accepts(json!({"format": "native"})), None);
    assert_eq!(accepts(json!({"format": "agui"})), form);
    assert_eq!(accepts(json!({"route": "v2"})), None);
}

#[test]
fn an_accept_of_the_application_is_kept_and_a_contradiction_is_a_warning() {
    for (settings, given, warned) in [
        (json!({}), "application/agui+json", false),
        (json!({}), "text/event-stream", true),
        (json!({"format": "native"}), "application/x-agui-events", true),
        (json!({"format": "native"}), "text/event-stream", false),
    ] {
        let mut agent = agent(settings.clone(), false);
        let mut kept = None;
        agent.act(|session, _| kept = session.accept(Some(given)));
        assert_eq!(kept.as_deref(), Some(given));
        let codes: &[&str] = if warned { &["accept-contradicts"] } else { &[] };
        assert_eq!(agent.warnings, codes, "{settings} {given}");
    }
    assert_eq!(Agent::speaking("agent-os", json!({}), Options::default()).session.accept(Some("x/y")), None);
}
