//! The export of [`crate::stepper`].

use super::host;
use crate::stepper::Stepper;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A stream of events, taken one at a time. JSON texts in and out.
#[wasm_bindgen(js_name = Stepper)]
pub struct CoreStepper(RefCell<Stepper>);

#[wasm_bindgen(js_class = Stepper)]
impl CoreStepper {
    /// `settings`: see [`Stepper::with_settings`]; `messages`, an array, and `state` are what the application has.
    #[wasm_bindgen(constructor)]
    pub fn new(settings: &str, messages: &str, state: &str) -> Result<CoreStepper, JsValue> {
        crate::wire::seed(js_sys::Math::random);
        let core = Stepper::with_settings(settings, messages, state)
            .ok_or_else(|| js_sys::TypeError::new("expected an array of messages, and a state, as JSON"))?;
        Ok(Self(RefCell::new(core)))
    }

    /// The events that `next` returns: types with commas between them, or `*`.
    pub fn want(&self, types: &str) {
        self.0.borrow_mut().want(types);
    }

    /// A body begins.
    pub fn open(&self, content_type: &str) {
        self.0.borrow_mut().open(content_type);
    }

    /// Bytes of the body.
    pub fn feed(&self, bytes: &[u8]) {
        self.0.borrow_mut().feed(bytes, host::now());
    }

    /// The body has ended.
    pub fn finish(&self) {
        self.0.borrow_mut().finish(host::now());
    }

    /// One event.
    pub fn push(&self, json: &str) {
        self.0.borrow_mut().push(json, host::now());
    }

    /// The next event that was asked for; empty, where it is the one that was pushed.
    pub fn next(&self) -> Option<String> {
        self.0.borrow_mut().next(host::now())
    }

    /// That event counts, or is left out.
    pub fn settle(&self, counts: bool) {
        self.0.borrow_mut().settle(counts, host::now());
    }

    /// The ids of calls that the run has started and not answered.
    pub fn unanswered(&self) -> String {
        self.0.borrow().unanswered()
    }

    /// Replaces all messages; false for what is no array.
    #[wasm_bindgen(js_name = setMessages)]
    pub fn set_messages(&self, json: &str) -> bool {
        self.0.borrow_mut().set_messages(json)
    }

    /// Replaces the state.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&self, json: &str) -> bool {
        self.0.borrow_mut().set_state(json)
    }

    /// Takes the changes for the snapshot.
    #[wasm_bindgen(js_name = takePatch)]
    pub fn take_patch(&self) -> Option<String> {
        self.0.borrow_mut().take_patch()
    }

    /// The warnings since the last call.
    #[wasm_bindgen(js_name = takeWarnings)]
    pub fn take_warnings(&self) -> Option<String> {
        self.0.borrow_mut().take_warnings()
    }

    /// Why nothing more is taken.
    pub fn failure(&self) -> Option<String> {
        self.0.borrow().failure()
    }

    /// How many events came.
    pub fn events(&self) -> u32 {
        self.0.borrow().events()
    }
}
