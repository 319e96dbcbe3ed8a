//! Runs that are joined while the page works: every promise settles.

use super::*;
use crate::support::SessionCalls;

fn joinable() -> Options {
    let network = Network { resume: Some(Resume::by("snapshot", None, None).unwrap()), ..Network::default() };
    Options { network, ..Options::default() }
}

#[test]
fn a_run_that_is_joined_while_the_page_works_settles_everyone() {
    for (other, finishes) in [(false, true), (false, false), (true, true)] {
        let (mut agent, request) = calling_with(joinable(), &[call("a", "page", "{}")]);
        end(&mut agent, request, "r");
        assert!(agent.settled.is_empty(), "the page is at work");
        let second = agent.submit_json(json!({"runId": "s", "messages": [user("u2", "and?")]}));
        let mut joined = 0;
        let run = if other { "elsewhere" } else { "r" };
        agent.act(|session, now| joined = session.attach(&json!({"runId": run}).to_string(), now).unwrap());
        let again = agent.requests.last().unwrap().0;
        if !finishes {
            agent.head(again, 404, "text/plain");
            agent.end(again);
        } else {
            agent.head(again, 200, "text/event-stream");
            agent.events(again, &[started(run), finished(run)]);
            agent.end(again);
            if !other {
                assert!(settle(&mut agent, "a", "done"));
                let follows = agent.requests.last().unwrap().0;
                agent.head(follows, 200, "text/event-stream");
                agent.events(follows, &[started("r-1"), finished("r-1")]);
                agent.end(follows);
            }
        }
        let last = agent.requests.last().unwrap();
        assert_eq!(last.1["runId"], "s", "the thread is free");
        let (request, run) = (last.0, "s");
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started(run), finished(run)]);
        agent.end(request);
        let mut settled: Vec<u32> = agent.settled.iter().map(|(ticket, _)| *ticket).collect();
        settled.sort_unstable();
        assert_eq!(settled, [1, second, joined], "each once: {:?}", agent.settled);
    }
}

#[test]
fn an_attach_has_the_name_of_the_submit_that_waits_for_the_same_run() {
    let (mut agent, request) = calling_with(joinable(), &[call("a", "page", "{}")]);
    end(&mut agent, request, "r");
    agent.act(|session, now| {
        session.attach(r#"{"runId":"r"}"#, now).unwrap();
    });
    assert_eq!(agent.sent()["runId"], "r");
    agent.act(|session, now| {
        session.call("cancel", "r", now).unwrap();
    });
    assert_eq!(agent.names, ["r", "r"]);
}

#[test]
fn a_run_that_follows_is_not_lost_to_one_that_is_joined() {
    let (mut agent, request) = calling_with(joinable(), &[call("a", "page", "{}")]);
    settle(&mut agent, "a", "done");
    // The body stays open after the end.
    agent.session.bytes(request, &sse(&[finished("r")]), agent.now);
    agent.act(|session, now| {
        let _ = session.attach(&json!({"runId": "r"}).to_string(), now);
    });
    agent.act(|session, now| session.dispose(now));
    let tickets: Vec<u32> = agent.settled.iter().map(|(ticket, _)| *ticket).collect();
    assert_eq!(tickets, [1]);
}

#[test]
fn a_call_that_is_renamed_just_before_a_reload_is_asked_about() {
    let (mut agent, request) = calling_with(joinable(), &[call("a", "human", "{}")]);
    let renamed = event!("TOOL_CALL_START", "toolCallId": "a", "toolCallName": "asked");
    agent.event(request, renamed);
    let save = agent.session.save();
    let mut agent = Agent::new(joinable());
    agent.act(|session, now| session.restore(&save, now).unwrap());
    agent.act(|session, now| assert!(session.attach("{}", now).is_ok()));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    let list = snapshot(&[user("u", "go"), assistant("m", &[("a", "asked", "{}")])]);
    agent.events(request, &[started("r"), list, finished("r")]);
    agent.end(request);
    assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval");
    assert!(approve(&mut agent, "a"));
    assert_eq!(ran(&agent), [("a", "asked", "{}".to_owned())]);
}
