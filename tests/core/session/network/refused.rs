//! A request that the server refuses: what is sent again, what is not, and the error.

use super::*;

#[test]
fn an_error_says_how_long_to_wait() {
    let mut agent = agent(Network::default());
    let request = agent.submit("go");
    agent.refuse(request, 429, Some("7"));
    agent.end(request);
    let error = &agent.snapshot()["error"];
    assert_eq!((&error["status"], &error["retryAfterMs"]), (&json!(429), &json!(7000)));
    assert_eq!(agent.requests.len(), 1, "without the option nothing is sent again");
}

#[test]
fn after_401_the_request_is_made_once_more() {
    let network = Network { renew_headers: true, ..Network::default() };
    let mut agent = agent(network);
    let first = agent.submit("go");
    agent.refuse(first, 401, None);
    assert_eq!(agent.closed, [first]);
    assert_eq!(agent.requests[0].1, agent.requests[1].1, "the same body");
    assert_eq!(agent.targets[1].0, Target::Again);
    assert_eq!(agent.snapshot()["status"], "running");
    agent.head(2, 200, SSE);
    agent.events(2, &[started("r"), finished("r")]);
    agent.end(2);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    // Twice is an answer.
    agent.submit("again");
    for request in [3, 4] {
        agent.refuse(request, 401, None);
    }
    agent.end(4);
    assert_eq!(agent.snapshot()["error"]["kind"], "auth");
    assert_eq!(agent.requests.len(), 4);
    // So is 403.
    agent.submit("again");
    agent.refuse(5, 403, None);
    agent.end(5);
    assert_eq!((agent.requests.len(), agent.snapshot()["error"]["kind"].as_str()), (5, Some("auth")));
}

#[test]
fn headers_that_cannot_change_are_not_tried_twice() {
    let mut agent = agent(Network::default());
    let request = agent.submit("go");
    agent.refuse(request, 401, None);
    agent.end(request);
    assert_eq!((agent.requests.len(), agent.snapshot()["error"]["kind"].as_str()), (1, Some("auth")));
}

#[test]
fn a_refused_request_is_sent_again_where_the_application_says_so() {
    for status in [425, 429, 503] {
        let mut agent = agent(Network { refusals: true, ..Network::default() });
        let request = agent.submit("go");
        agent.refuse(request, status, Some("3"));
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["status"], "running");
        assert_eq!(snapshot["connection"], json!({"phase": "reconnecting", "attempt": 1, "retryAt": 4000}));
        assert_eq!(agent.closed, [request]);
        let request = agent.wait();
        assert_eq!((agent.now, agent.phase().as_str()), (4000.0, "reconnecting"));
        assert_eq!((agent.requests[0].1 == agent.requests[1].1, agent.targets[1].0), (true, Target::Again));
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r"), finished("r")]);
        agent.end(request);
        ends_well(&mut agent, &[]);
    }
}

#[test]
fn a_request_that_may_have_begun_a_run_is_not_sent_again() {
    let refusals = Network { refusals: true, resume: resume("snapshot").resume, ..Network::default() };
    for (status, again) in [(400, false), (408, true), (500, false), (502, true), (504, true)] {
        for posts in [false, true] {
            let mut agent = agent(Network { posts, ..refusals.clone() });
            let request = agent.submit("go");
            agent.refuse(request, status, None);
            agent.end(request);
            assert_eq!(agent.snapshot()["status"] == "running", posts && again, "{status} {posts}");
        }
    }
    for posts in [false, true] {
        let mut agent = agent(Network { posts, ..refusals.clone() });
        let request = agent.submit("go");
        agent.cut(request);
        assert_eq!(agent.snapshot()["status"], if posts { "running" } else { "error" });
        if !posts {
            assert_eq!(agent.snapshot()["error"]["message"], "The server could not be reached: reset");
        }
    }
}

#[test]
fn the_last_refusal_is_the_error() {
    let mut agent = agent(Network { refusals: true, attempts: 2, ..Network::default() });
    let mut request = agent.submit("go");
    for attempt in 1..=2 {
        agent.refuse(request, 503, None);
        assert_eq!(agent.snapshot()["connection"]["attempt"], attempt);
        request = agent.wait();
    }
    agent.refuse(request, 503, Some("5"));
    agent.bytes(request, b"busy");
    agent.end(request);
    let error = &agent.snapshot()["error"];
    assert_eq!((&error["message"], &error["retryAfterMs"]), (&json!("HTTP 503: busy"), &json!(5000)));
    assert_eq!((agent.requests.len(), outcomes(&agent)), (3, vec![(1, "error")]));
}

#[test]
fn nobody_waits_for_an_hour() {
    let mut agent = agent(Network { refusals: true, ..Network::default() });
    let request = agent.submit("go");
    agent.refuse(request, 429, Some("3600"));
    agent.end(request);
    assert_eq!(agent.snapshot()["error"]["retryAfterMs"], 3_600_000);
}

#[test]
fn what_broke_before_it_was_a_stream_is_not_asked_for_again() {
    // The request may have begun a run.
    for by in ["run-url", "replay", "snapshot"] {
        let mut agent = agent(resume(by));
        let request = agent.submit("go");
        agent.head(request, 202, "application/json");
        agent.bytes(request, b"{\"run");
        agent.cut(request);
        assert_eq!((agent.requests.len(), agent.wake), (1, None), "{by}");
        assert_eq!(outcomes(&agent), [(1, "truncated")]);
    }
}

#[test]
fn a_refusal_that_trickles_is_told_with_what_has_come() {
    for (status, content_type, said) in [
        (500, "text/plain", "HTTP 500: no no "),
        (401, "text/event-stream", "HTTP 401: no no "),
        (200, "text/plain", "The server answered 200 with text/plain, not with a stream of events."),
        (200, "", "The server answered 200 with no content type, not with a stream of events."),
    ] {
        for idle_ms in [0.0, 2000.0, 60_000.0] {
            let mut agent = agent(Network { idle_ms, ..Network::default() });
            let request = agent.submit("go");
            agent.head(request, status, content_type);
            agent.bytes(request, b"no ");
            let mut took = 0;
            while agent.settled.is_empty() && took < 60 {
                agent.now += 1000.0;
                took += 1;
                if agent.wake.is_some_and(|at| at <= agent.now) {
                    agent.act(|session, now| session.tick(now));
                }
                if took == 1 {
                    agent.bytes(request, b"no ");
                }
                agent.bytes(request, b"");
            }
            assert_eq!((took, outcomes(&agent)), (5, vec![(1, "error")]), "{status} {idle_ms}");
            let error = &agent.snapshot()["error"];
            assert_eq!(error["message"].as_str().unwrap().trim(), said.trim());
            assert_eq!((&error["status"], &error["body"]), (&json!(status), &json!("no no ")));
            assert_eq!(agent.closed, [request]);
            assert!(agent.wake.is_none_or(|at| at <= agent.now), "nothing is waited for");
        }
    }
}
