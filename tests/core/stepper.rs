//! A stream taken one event at a time: what is asked for, what counts, and what is the same as for a session.

use ag_ui_wasm::session::Options;
use ag_ui_wasm::stepper::{Settings, Stepper, StepperStage};

#[allow(clippy::unwrap_used)]
fn stepper(settings: Settings) -> Stepper {
    let mut stepper = Stepper::new(settings, "[]", "{}").unwrap();
    stepper.open("text/event-stream");
    stepper
}

fn frames(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {}\n\n", event.replace('\'', "\""))).collect()
}

fn settle_all(stepper: &mut Stepper, counts: impl Fn(&str) -> bool) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(event) = stepper.next(0.0) {
        stepper.settle(counts(&event), 0.0);
        seen.push(event);
    }
    seen
}

const STARTED: &str = "{'type':'RUN_STARTED','threadId':'t','runId':'r'}";
const FINISHED: &str = "{'type':'RUN_FINISHED','threadId':'t','runId':'r'}";
const START: &str = "{'type':'TEXT_MESSAGE_START','messageId':'m','role':'assistant'}";
const END: &str = "{'type':'TEXT_MESSAGE_END','messageId':'m'}";

fn delta(text: &str) -> String {
    format!("{{'type':'TEXT_MESSAGE_CONTENT','messageId':'m','delta':'{text}'}}")
}

#[test]
fn events_that_nobody_asks_for_count_at_once() {
    let mut stepper = stepper(Settings::default());
    stepper.want("RUN_FINISHED");
    stepper.feed(frames(&[STARTED, START, &delta("a"), &delta("b"), END]).as_bytes(), 0.0);
    assert_eq!(stepper.next(0.0), None);
    let patch = stepper.take_patch().unwrap();
    assert!(patch.contains("\"content\":\"ab\""), "{patch}");
    stepper.feed(frames(&[FINISHED]).as_bytes(), 0.0);
    assert_eq!(settle_all(&mut stepper, |_| true), [FINISHED.replace('\'', "\"")]);
    assert_eq!(stepper.events(), 6);
    assert_eq!(stepper.take_warnings(), None);
}

#[test]
fn an_event_counts_when_it_is_settled_and_later_ones_wait_for_it() {
    let mut stepper = stepper(Settings::default());
    stepper.want("TEXT_MESSAGE_START,CUSTOM");
    stepper.feed(frames(&[STARTED, START, &delta("a"), "{'type':'CUSTOM','name':'n','value':1}"]).as_bytes(), 0.0);
    assert!(stepper.next(0.0).unwrap().contains("TEXT_MESSAGE_START"));
    assert!(!stepper.take_patch().unwrap_or_default().contains("\"m\""), "not yet");
    stepper.settle(true, 0.0);
    assert!(stepper.next(0.0).unwrap().contains("CUSTOM"));
    assert!(stepper.take_patch().unwrap().contains("\"content\":\"a\""), "with what came before the next one");
}

#[test]
fn an_event_that_is_left_out_changes_nothing() {
    let mut stepper = stepper(Settings::default());
    stepper.want("*");
    stepper.feed(frames(&[STARTED, START, &delta("a"), &delta("b"), END, FINISHED]).as_bytes(), 0.0);
    let seen = settle_all(&mut stepper, |event| !event.contains("\"delta\":\"a\""));
    assert_eq!(seen.len(), 6);
    assert!(stepper.take_patch().unwrap().contains("\"content\":\"b\""));
}

#[test]
fn deltas_are_joined_where_asked_and_nowhere_else() {
    for (join, expected) in [(false, 4), (true, 2)] {
        let mut stepper = stepper(Settings { join, ..Settings::default() });
        stepper.want("TEXT_MESSAGE_CONTENT,TOOL_CALL_ARGS");
        let call = "{'type':'TOOL_CALL_START','toolCallId':'c','toolCallName':'n'}";
        let args = "{'type':'TOOL_CALL_ARGS','toolCallId':'c','delta':'1'}";
        stepper.feed(
            frames(&[STARTED, START, call, &delta("\\\\ud83d"), &delta("\\\\ude42"), &delta("z"), args]).as_bytes(),
            0.0,
        );
        let seen = settle_all(&mut stepper, |_| true);
        assert_eq!(seen.len(), expected, "{seen:?}");
        if join {
            assert_eq!(
                seen[0],
                "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\\\\ud83d\\\\ude42z\"}"
            );
        }
        assert!(stepper.take_patch().unwrap().contains("z\""));
    }
}

#[test]
fn chunks_come_expanded_and_content_without_a_start_gets_one() {
    let mut stepper = stepper(Settings::default());
    stepper.want("*");
    let chunk = "{'type':'TEXT_MESSAGE_CHUNK','messageId':'m','delta':'a','metadata':{'k':1}}";
    let other = "{'type':'TEXT_MESSAGE_CONTENT','messageId':'o','delta':'x'}";
    stepper.feed(frames(&[STARTED, chunk, other, FINISHED]).as_bytes(), 0.0);
    let seen = settle_all(&mut stepper, |_| true).concat();
    let types: Vec<&str> = seen.split("\"type\":\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let content = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"];
    assert_eq!(
        types,
        [&["RUN_STARTED"], &content[..], &["TEXT_MESSAGE_END"], &content[..], &["RUN_FINISHED"]].concat()
    );
    assert!(stepper.take_warnings().unwrap().contains("\"rule\":\"V11\""));
}

#[test]
fn strict_rules_fail_after_what_came_before_is_settled() {
    let mut stepper =
        stepper(Settings { options: Options { strict: true, ..Options::default() }, ..Settings::default() });
    stepper.want("*");
    stepper.feed(frames(&[STARTED, &delta("a"), START]).as_bytes(), 0.0);
    assert_eq!(stepper.failure(), None);
    assert_eq!(settle_all(&mut stepper, |_| true).len(), 1);
    let failure = stepper.failure().unwrap();
    assert!(failure.contains("\"kind\":\"protocol\"") && failure.contains("\"rule\":\"V11\""), "{failure}");
}

#[test]
fn what_was_pushed_comes_back_as_it_is() {
    let mut stepper = Stepper::new(Settings::default(), "[]", "{}").unwrap();
    stepper.want("*");
    stepper.push(&STARTED.replace('\'', "\""), 0.0);
    assert_eq!(stepper.next(0.0).as_deref(), Some(""));
    stepper.settle(true, 0.0);
    stepper.push("{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"a\"}", 0.0);
    assert_eq!(settle_all(&mut stepper, |_| true).len(), 2);
    stepper.push("{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"o\"}", 0.0);
    assert_eq!(stepper.next(0.0).unwrap(), "{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"}", "the lane's own end");
}

#[test]
fn a_limit_ends_it() {
    let mut stepper =
        stepper(Settings { options: Options { max_state_bytes: 20, ..Options::default() }, ..Settings::default() });
    stepper.want("*");
    let state = "{'type':'STATE_SNAPSHOT','snapshot':'a text that is far too long'}";
    stepper.feed(frames(&[STARTED, state, START]).as_bytes(), 0.0);
    assert_eq!(settle_all(&mut stepper, |_| true).len(), 2);
    assert!(stepper.failure().unwrap().contains("state-too-large"));
}

#[test]
fn calls_without_an_answer_are_named() {
    let mut stepper = stepper(Settings::default());
    let call = |id: &str| format!("{{'type':'TOOL_CALL_START','toolCallId':'{id}','toolCallName':'n'}}");
    let result = "{'type':'TOOL_CALL_RESULT','messageId':'x','toolCallId':'b','content':''}";
    stepper.feed(frames(&[STARTED, &call("a"), &call("b"), &call("c"), result]).as_bytes(), 0.0);
    assert_eq!(stepper.unanswered(), "[\"a\",\"c\"]");
}

#[test]
fn the_first_stage_hands_on_what_came() {
    let mut stepper = stepper(Settings { stage: StepperStage::Frames, ..Settings::default() });
    stepper.want("*");
    let unknown = "{'type':'LATER','x':1}";
    stepper.feed((frames(&[unknown, &delta("a")]) + "data: {\n\ndata: {}\n\n").as_bytes(), 0.0);
    assert_eq!(settle_all(&mut stepper, |_| false), [unknown.replace('\'', "\""), delta("a").replace('\'', "\"")]);
    let warnings = stepper.take_warnings().unwrap();
    assert!(warnings.contains("frame-not-json") && warnings.contains("frame-without-type"), "{warnings}");
}

#[test]
fn what_is_not_judged_still_counts() {
    let mut stepper =
        Stepper::new(Settings { stage: StepperStage::Frames, ..Settings::default() }, "[]", "{}").unwrap();
    stepper.push(&START.replace('\'', "\""), 0.0);
    stepper.push(&delta("a").replace('\'', "\""), 0.0);
    assert_eq!(stepper.next(0.0), None);
    assert!(stepper.take_patch().unwrap().contains("\"content\":\"a\""));
}
