//! The snapshot's fields that belong to the agent rather than to the thread.

use super::run::Phase;
use super::{Session, Status};
use crate::thread::Patch;
use crate::wire::{JsonWriter, write_string};

/// Each field's JSON as the mirror has it. The fields are small, so they are written and compared.
#[derive(Debug, Default)]
pub(super) struct Published([String; 7]);

/// The paths, in the order of [`Session::fields`].
const PATHS: [&str; 7] =
    ["\"runId\"", "\"status\"", "\"error\"", "\"outcome\"", "\"timing\"", "\"queue\"", "\"connection\""];

impl Published {
    /// What the mirror starts with (`js/initial.ts`).
    pub fn initial() -> Self {
        let closed = r#"{"phase":"closed","attempt":0}"#;
        Self(["", "\"idle\"", "", "", "", "[]", closed].map(str::to_owned))
    }
}

impl Session {
    /// The patch that brings the snapshot up to date; `None` if it is.
    pub fn take_patch(&mut self) -> Option<String> {
        self.told = None;
        let mut patch = Patch::behind(std::mem::take(&mut self.marked));
        self.write_patch(&mut patch);
        patch.finish()
    }

    /// Writes what the mirror lacks.
    pub(super) fn write_patch(&mut self, patch: &mut Patch) {
        self.thread.write_patch(patch);
        for (at, json) in self.fields().into_iter().enumerate() {
            let (Some(path), Some(sent)) = (PATHS.get(at), self.published.0.get_mut(at)) else { continue };
            if *sent == json {
                continue;
            }
            if *path == "\"status\"" {
                let running = json == "\"running\"";
                patch.set("\"isLoading\"", |out| out.push_str(if running { "true" } else { "false" }));
            }
            if json.is_empty() {
                patch.remove(path);
            } else {
                patch.reconcile(path, |out| out.push_str(&json));
            }
            *sent = json;
        }
    }

    /// The fields as JSON, empty where there is none.
    fn fields(&self) -> [String; 7] {
        let string = |text: &str| {
            let mut json = String::new();
            write_string(&mut json, text);
            json
        };
        let status = match self.status {
            Status::Idle => "idle",
            Status::Running => "running",
            Status::Error => "error",
        };
        let mut error = String::new();
        if let Some(e) = &self.error {
            e.write(&mut error);
        }
        let mut timing = String::new();
        if let Some(t) = &self.timing {
            let mut object = JsonWriter::object(&mut timing);
            object
                .number("startedAt", Some(t.started.round() as u64))
                .number("firstTokenMs", t.first_token.map(|ms| ms.round() as u64))
                .number("durationMs", t.duration.map(|ms| ms.round() as u64));
            object.close();
        }
        let mut queue = String::new();
        let mut list = JsonWriter::array(&mut queue);
        self.queue.iter().for_each(|submit| submit.write(list.item()));
        list.close();
        let mut connection = String::new();
        let mut object = JsonWriter::object(&mut connection);
        let attempt = self.run.as_ref().map_or(0, |run| run.attempt);
        object.string("phase", self.connection()).number("attempt", Some(attempt.into()));
        if let Some(Phase::Waiting { until }) = self.run.as_ref().map(|run| run.phase) {
            object.number("retryAt", Some(until.round() as u64));
        }
        if !self.last_event_id.is_empty() {
            object.string("lastEventId", &self.last_event_id);
        }
        object.close();
        [
            self.run_id.as_deref().map(string).unwrap_or_default(),
            string(status),
            error,
            self.outcome.map(|outcome| string(outcome.name())).unwrap_or_default(),
            timing,
            queue,
            connection,
        ]
    }
}
