//! `RunAgentInput`: the body of the request that starts a run.

use super::text::write_json;
use super::write::{JsonWriter, write_value};
use serde_json::Value;

/// The AG-UI version that requests declare.
pub const PROTOCOL_VERSION: &str = "1.0";

/// What a request carries. JSON that the application gave is passed on as text, unread.
#[allow(missing_docs)] // The specification's own names.
pub(crate) struct RunAgentInput<'a, M> {
    pub thread_id: &'a str,
    pub run_id: &'a str,
    pub state: &'a Value,
    /// Writes them in order; activities are for the page and are left out.
    pub messages: M,
    /// JSON array.
    pub tools: &'a str,
    /// JSON array.
    pub context: &'a str,
    /// Any JSON.
    pub forwarded_props: &'a str,
    /// JSON array.
    pub resume: Option<&'a str>,
}

impl<M: FnOnce(&mut JsonWriter<'_>)> RunAgentInput<'_, M> {
    /// The JSON text.
    pub fn write(self) -> String {
        let mut out = String::new();
        let mut input = JsonWriter::object(&mut out);
        input
            .string("threadId", self.thread_id)
            .string("runId", self.run_id)
            .string("protocolVersion", PROTOCOL_VERSION);
        // A null state is an absent one.
        if !self.state.is_null() {
            write_value(input.member("state"), self.state);
        }
        let mut messages = JsonWriter::array(input.member("messages"));
        (self.messages)(&mut messages);
        messages.close();
        write_json(input.member("tools"), self.tools);
        write_json(input.member("context"), self.context);
        if self.forwarded_props != "null" {
            write_json(input.member("forwardedProps"), self.forwarded_props);
        }
        if let Some(resume) = self.resume {
            write_json(input.member("resume"), resume);
        }
        input.close();
        out
    }
}
