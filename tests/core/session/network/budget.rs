//! How often a lost connection is made again, and after which time.

use super::*;

#[test]
fn a_replay_that_brings_nothing_new_uses_the_budget_up() {
    let mut agent = agent(Network { attempts: 3, ..resume("replay") });
    let mut request = agent.submit("go");
    for attempt in 1..=4 {
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r")]);
        agent.events(request, &text("m", "Hello"));
        agent.end(request);
        if attempt <= 3 {
            assert_eq!(agent.snapshot()["connection"]["attempt"], attempt);
            request = agent.wait();
        }
    }
    assert_eq!((agent.texts(), outcomes(&agent)), (vec!["Hello".to_owned()], vec![(1, "truncated")]));
}

#[test]
fn what_everyone_hears_who_joins_does_not_fill_the_budget() {
    let mut agent = cut(Network { attempts: 2, ..resume("snapshot") });
    for _ in 0..2 {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        let messages = json!([user("u0", "go"), {"id": "m", "role": "assistant", "content": "Hello"}]);
        agent.events(request, &[started("r"), event!("MESSAGES_SNAPSHOT", "messages": messages)]);
        agent.end(request);
    }
    assert_eq!(outcomes(&agent), [(1, "truncated")]);
}

#[test]
fn a_time_that_each_connection_measures_anew_does_not_fill_the_budget() {
    let mut agent = cut(Network { attempts: 2, ..resume("snapshot") });
    for ms in 1..=3 {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        let messages = json!([user("u0", "go"), {"id": "t", "role": "reasoning", "content": "so"}]);
        let thinks = [event!("REASONING_MESSAGE_START", "messageId": "t", "role": "reasoning")];
        agent.events(request, &[started("r"), event!("MESSAGES_SNAPSHOT", "messages": messages)]);
        agent.events(request, &thinks);
        agent.now += f64::from(ms);
        agent.events(request, &[event!("REASONING_MESSAGE_END", "messageId": "t")]);
        agent.end(request);
    }
    assert_eq!(outcomes(&agent), [(1, "truncated")]);
}

#[test]
fn every_new_event_fills_the_budget() {
    let mut agent = cut(Network { attempts: 1, ..resume("last-event-id") });
    for id in 3..20 {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
        agent.end(request);
    }
    let request = agent.wait();
    agent.cut(request);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["outcome"], &snapshot["error"]["code"]), (&json!("truncated"), &json!("truncated")));
    assert_eq!(agent.texts(), [format!("Hello{}", "!".repeat(17))]);
}

#[test]
fn a_server_that_knows_the_run_no_more_is_not_asked_again() {
    for status in [204, 404, 410] {
        let mut agent = cut(resume("last-event-id"));
        let request = agent.wait();
        agent.head(request, status, "");
        agent.end(request);
        assert_eq!((agent.requests.len(), outcomes(&agent)), (2, vec![(1, "truncated")]), "{status}");
        assert_eq!(agent.wake, None);
    }
    // One that has no time now is, and one that wants other headers.
    let mut agent = cut(Network { renew_headers: true, ..resume("last-event-id") });
    let request = agent.wait();
    agent.refuse(request, 500, None);
    let request = agent.wait();
    agent.refuse(request, 401, None);
    assert_eq!(agent.targets[3], (Target::Resume, "r".into(), Some("r:2".into())));
    agent.head(4, 200, SSE);
    agent.bytes(4, &frame("r:3", &ended("m")));
    agent.bytes(4, &frame("r:4", &finished("r")));
    agent.end(4);
    ends_well(&mut agent, &["Hello"]);
}

#[test]
fn the_server_says_how_long_to_wait() {
    let network = Network { base_ms: 1e9, max_ms: 1e9, ..resume("last-event-id") };
    let mut agent = agent(network);
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.bytes(request, b"retry: 300\n");
    agent.bytes(request, &frame("1", &started("r")));
    agent.end(request);
    let waits = agent.wake.unwrap() - agent.now;
    assert!((100.0..=300.0).contains(&waits), "{waits}");
}

#[test]
fn online_ends_the_waiting() {
    let mut agent = cut(resume("last-event-id"));
    agent.act(|session, now| session.online(now));
    assert_eq!(agent.targets[1].0, Target::Resume);
    agent.act(|session, now| session.online(now));
    assert_eq!((agent.requests.len(), agent.wake), (2, None), "and disturbs no other request");
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("r:3", &ended("m")));
    agent.bytes(2, &frame("r:4", &finished("r")));
    agent.end(2);
    agent.act(|session, now| session.online(now));
    ends_well(&mut agent, &["Hello"]);
}

#[test]
fn a_connection_on_which_nothing_comes_is_lost() {
    let network = Network { idle_ms: 5000.0, ..resume("last-event-id") };
    let mut agent = agent(network.clone());
    let request = agent.submit("go");
    agent.now += 4000.0;
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("1", &started("r")));
    agent.now += 1000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.wake, Some(10_000.0), "a byte came meanwhile");
    agent.now = 9000.0;
    // A comment is a sign of life.
    agent.bytes(request, b": ping\n");
    agent.now = 10_000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.len(), agent.wake), (0, Some(14_000.0)));
    agent.now = 14_000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.clone(), agent.phase().as_str()), (vec![request], "reconnecting"));
    // The next one never answers at all.
    let request = agent.wait();
    agent.now += 5000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.last().copied(), agent.phase().as_str()), (Some(request), "reconnecting"));
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.wake, None);
    // Where the run cannot be joined, that is its end.
    let mut agent = self::agent(Network { resume: None, ..network });
    let request = agent.submit("go");
    agent.now += 5000.0;
    agent.act(|session, now| session.tick(now));
    let message = "The server could not be reached: nothing came for 5000 ms";
    assert_eq!((agent.closed.clone(), &agent.snapshot()["error"]["message"]), (vec![request], &json!(message)));
}

#[test]
fn a_lost_connection_without_any_delay_is_made_again() {
    let network = Network { idle_ms: 5000.0, base_ms: 0.0, min_ms: 0.0, ..resume("last-event-id") };
    let mut agent = agent(network);
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("1", &started("r")));
    agent.now += 5000.0;
    agent.wake = None;
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.wake, Some(agent.now));
    agent.wait();
}

/// Plays a server that cuts every connection, for a simulated time. Gives the times of the connections.
fn connections(agent: &mut Agent, minutes: f64, mut serve: impl FnMut(&mut Agent, u32)) -> Vec<f64> {
    let mut times = vec![agent.now];
    let until = agent.now + minutes * 60_000.0;
    let mut request = agent.requests.last().unwrap().0;
    while agent.settled.is_empty() && agent.now < until {
        let before = agent.requests.len();
        serve(agent, request);
        if agent.requests.len() == before && agent.settled.is_empty() {
            agent.wait();
        }
        times.extend(agent.requests[before..].iter().map(|_| agent.now));
        request = agent.requests.last().unwrap().0;
    }
    times
}

/// The most connections of any minute.
fn most_a_minute(times: &[f64]) -> usize {
    let within = |(at, from): (usize, &f64)| times[at..].iter().take_while(|time| **time < from + 60_000.0).count();
    times.iter().enumerate().map(within).max().unwrap()
}

/// One event that is new, with `retry: 0`, and the end.
fn one_more(agent: &mut Agent, request: u32, id: usize) {
    agent.head(request, 200, SSE);
    agent.bytes(request, b"retry: 0\n");
    agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
    agent.end(request);
}

#[test]
fn no_server_makes_a_page_connect_without_end() {
    let renewing = |per_minute: f64| Network { renew_headers: true, per_minute, ..resume("last-event-id") };
    for per_minute in [60.0, 10.0] {
        // Something new over every connection.
        let mut agent = cut(renewing(per_minute));
        let mut id = 3;
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| {
            one_more(agent, request, id);
            id += 1;
        });
        let most = most_a_minute(&times);
        assert!(most as f64 <= per_minute && most as f64 > per_minute / 3.0, "{most}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 100.0), "with a pause");
        assert!(agent.settled.is_empty(), "a run that goes on is not given up");
        // 401 and 200 by turns.
        let mut agent = cut(renewing(per_minute));
        let mut id = 3;
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| match agent.requests.len() % 2 {
            0 => agent.refuse(request, 401, None),
            _ => {
                one_more(agent, request, id);
                id += 1;
            }
        });
        let most = most_a_minute(&times);
        assert!(most as f64 <= per_minute, "{most}");
        // A socket that says nothing new, and then that it does not accept the credentials.
        let mut agent = cut(renewing(per_minute));
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| {
            agent.head(request, 200, "application/x-ndjson");
            agent.act(|session, now| session.denied(request, "expired", now));
        });
        assert_eq!((times.len(), outcomes(&agent)), (2, vec![(1, "truncated")]));
        assert_eq!(agent.snapshot()["error"]["kind"], "auth");
        // One that says something new before.
        let mut agent = cut(renewing(per_minute));
        let mut id = 3;
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| {
            agent.head(request, 200, SSE);
            agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
            id += 1;
            agent.act(|session, now| session.denied(request, "expired", now));
        });
        let most = most_a_minute(&times);
        assert!(most as f64 <= per_minute && most > 1, "{most}");
    }
}

#[test]
fn a_run_of_an_hour_outlives_a_proxy_that_cuts_every_minute() {
    let mut agent = cut(resume("last-event-id"));
    let mut id = 3;
    let mut waited = Vec::new();
    for _ in 0..60 {
        let lost = agent.now;
        let request = agent.wait();
        waited.push(agent.now - lost);
        agent.head(request, 200, SSE);
        for _ in 0..6 {
            agent.now += 10_000.0;
            agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
            id += 1;
        }
        agent.cut(request);
    }
    assert!(waited.iter().all(|ms| *ms <= 500.0), "{waited:?}");
    assert!(agent.settled.is_empty());
}

#[test]
fn a_page_that_is_looked_at_again_waits_for_no_budget_but_spends_it() {
    let mut agent = cut(Network { per_minute: 4.0, ..resume("last-event-id") });
    for id in 3..6 {
        agent.act(|session, now| session.online(now));
        let request = agent.requests.last().unwrap().0;
        one_more(&mut agent, request, id);
    }
    assert!(agent.wake.unwrap() >= agent.now + 60_000.0, "{:?}", agent.wake);
}
