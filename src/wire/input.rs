//! `RunAgentInput`: the body of the request that starts a run.

use super::protocol::{PROTOCOL_VERSION, Protocol};
use super::text::write_json;
use super::tree::Tree;
use super::write::JsonWriter;

/// What a request carries.
#[allow(missing_docs)] // The specification's own names.
pub(crate) struct RunAgentInput<'a, M> {
    /// What the server speaks.
    pub protocol: Protocol,
    pub thread_id: &'a str,
    pub run_id: &'a str,
    pub state: &'a Tree,
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
        input.string("threadId", self.thread_id).string("runId", self.run_id);
        input.optional("protocolVersion", self.protocol.versions().then_some(PROTOCOL_VERSION));
        // A null state is an absent one.
        if !self.state.is_null() {
            self.state.write(input.member("state"));
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
