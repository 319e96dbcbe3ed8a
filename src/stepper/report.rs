//! The reports of a stepper: broken rules, warnings, limits.

use super::Stepper;
use crate::pipeline::EventSink;
use crate::session::AgentError;
use crate::wire::JsonWriter;

impl Stepper {
    /// Why nothing more of the stream is taken, as JSON text, once all that came before has been settled.
    pub fn failure(&self) -> Option<String> {
        let failure = self.failure.as_ref().filter(|_| self.waiting.is_empty())?;
        let mut json = String::new();
        failure.write(&mut json);
        Some(json)
    }

    /// Takes the warnings that came up since the last call: a JSON array of `{code, rule?, message, eventType?}`.
    pub fn take_warnings(&mut self) -> Option<String> {
        if self.warnings.is_empty() {
            return None;
        }
        Some(JsonWriter::array_text(|list| {
            for warning in std::mem::take(&mut self.warnings) {
                warning.write(list.item());
            }
        }))
    }

    /// Reports the thread's warnings, and the limit that it would exceed.
    pub(super) fn note_thread(&mut self) {
        std::mem::take(&mut self.thread.warnings).into_iter().for_each(|warning| self.report_warning(warning));
        if let Some(exceeded) = self.thread.exceeded.take() {
            self.waiting.clear();
            self.fail(AgentError::exceeded(exceeded));
        }
    }

    /// So many bytes came for the thread. It is measured when it may have become too large; what came since it was measured
    /// pays for that.
    pub(super) fn took(&mut self, bytes: usize) {
        if self.pipeline.weighs(bytes) {
            self.pipeline
                .set_room(self.thread.measure(self.settings.options.max_thread_bytes, self.settings.options.max_items));
        }
    }
}
