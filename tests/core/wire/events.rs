//! The events that are known, and a sample of each.

use crate::support::samples::samples;
use ag_ui_wasm::wire::{Event, Incoming, frame_fields};
use std::collections::BTreeSet;

#[test]
fn every_event_has_a_sample() {
    let known: BTreeSet<String> = Event::TYPES.iter().map(|name| (*name).to_owned()).collect();
    let sampled: BTreeSet<String> =
        samples().iter().map(|sample| sample["type"].as_str().unwrap().to_owned()).collect();
    let odd: Vec<&String> = known.symmetric_difference(&sampled).collect();
    assert!(odd.is_empty(), "in only one of src/wire/event/table.rs and tests/fixtures/events.json: {odd:?}");
}

#[test]
fn every_sample_is_read_as_the_event_that_it_names() {
    for sample in samples() {
        let json = sample.to_string();
        let fields = frame_fields(&json, 512).unwrap();
        let read = Incoming::read(&fields, &mut |wrong| panic!("{wrong:?}: {json}")).unwrap();
        assert_eq!(read.event.name(), sample["type"].as_str().unwrap());
    }
}
