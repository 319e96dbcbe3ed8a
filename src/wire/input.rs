//! `RunAgentInput`: the body of the request that starts a run.

use super::protocol::{PROTOCOL_VERSION, Protocol};
use super::text::write_json;
use super::tree::Tree;
use super::write::JsonWriter;

/// The body of a request.
#[allow(missing_docs)] // The specification's own names.
pub(crate) struct RunAgentInput<'a, M> {
    /// The server's version of AG-UI.
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
    /// The JSON text, and the length of its beginning, which [`refill`] continues: all up to the tools.
    pub fn write(self) -> (String, usize) {
        let mut out = JsonWriter::object_text(|input| {
            input.string("threadId", self.thread_id).string("runId", self.run_id);
            input.optional("protocolVersion", self.protocol.versions().then_some(PROTOCOL_VERSION));
            // A null state is an absent one.
            if !self.state.is_null() {
                self.state.write(input.member("state"));
            }
            (self.messages)(&mut JsonWriter::array(input.member("messages")));
        });
        out.pop();
        let begin = out.len();
        refill(&mut out, self.tools, self.context, self.forwarded_props, self.resume);
        (out, begin)
    }
}

/// Writes the rest of a `RunAgentInput` after its beginning.
pub(crate) fn refill(out: &mut String, tools: &str, context: &str, forwarded_props: &str, resume: Option<&str>) {
    let rest = JsonWriter::object_text(|input| {
        write_json(input.member("tools"), tools);
        write_json(input.member("context"), context);
        if forwarded_props != "null" {
            write_json(input.member("forwardedProps"), forwarded_props);
        }
        if let Some(resume) = resume {
            write_json(input.member("resume"), resume);
        }
    });
    out.push(',');
    out.push_str(rest.get(1..).unwrap_or_default());
}
