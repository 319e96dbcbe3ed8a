//! Calls that take a session several steps, or that the package makes by name.

#![allow(dead_code)]

use ag_ui_wasm::session::{Misuse, Session};

pub trait SessionCalls {
    /// Reads bytes of a body, and the long frames in them, too.
    fn bytes(&mut self, request: u32, bytes: &[u8], now: f64);
    fn set_messages(&mut self, json: &str) -> Result<(), Misuse>;
    fn edit_messages(&mut self, before: &str, after: &str) -> Result<(), Misuse>;
    fn set_state(&mut self, json: &str) -> Result<(), Misuse>;
    fn edit_state(&mut self, before: &str, after: &str) -> Result<(), Misuse>;
    /// The whole save, for which the session is left as it is.
    fn save(&self) -> String;
}

impl SessionCalls for Session {
    fn bytes(&mut self, request: u32, bytes: &[u8], now: f64) {
        self.read(request, bytes, now);
        while self.waits() && self.go_on(request, usize::MAX, now) {}
    }

    fn set_messages(&mut self, json: &str) -> Result<(), Misuse> {
        self.change_messages(None, json)
    }

    fn edit_messages(&mut self, before: &str, after: &str) -> Result<(), Misuse> {
        self.change_messages(Some(before), after)
    }

    fn set_state(&mut self, json: &str) -> Result<(), Misuse> {
        self.change_state(None, json)
    }

    fn edit_state(&mut self, before: &str, after: &str) -> Result<(), Misuse> {
        self.change_state(Some(before), after)
    }

    fn save(&self) -> String {
        self.save_parts(Some((0, false)))
    }
}
