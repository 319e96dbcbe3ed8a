//! The end of a run, a reload, and the steps before a run is sent again.

use super::*;

impl Thread {
    /// The thread as a page has it that was left and is back. `joins`: it can join the run that was in progress.
    pub fn reload(&mut self, joins: bool, gave_up: impl Fn(&str) -> bool) {
        self.local.take_if(|_| !joins);
        self.subagents.clear();
        self.open.clear();
        for message in &mut self.messages {
            message.text_open = false;
            if message.delivery == "streaming" {
                message.delivery = "aborted";
            }
            for call in &mut message.calls {
                let failed = call.phase == "output-error" || call.running && gave_up(&call.id);
                let failed = failed && call.result.is_none();
                call.phase = if failed { "output-error" } else { "input-available" };
                // Whether more of its arguments was to come is not saved.
                (call.running, call.result, call.ended) = (false, None, true);
            }
        }
        self.link();
    }

    /// The calls of a run that no more comes of have failed, but for those of the page.
    pub fn give_up(&mut self, of_page: &[String]) {
        let ids: Vec<String> = self.unanswered().into_iter().filter(|id| !of_page.contains(id)).collect();
        for call in self.messages.iter_mut().flat_map(|message| &mut message.calls) {
            if ids.contains(&call.id) && call.result.is_none() {
                (call.phase, call.running) = ("output-error", false);
            }
        }
    }

    /// A run ended; `pending` are the calls that wait for the page.
    pub fn end(&mut self, ending: &str, pending: &[String]) {
        let delivery = match ending {
            "success" | "interrupted" | "cancelled" => "complete",
            "aborted" => "aborted",
            _ => "error",
        };
        for (_, status) in self.subagents.iter_mut().filter(|(_, status)| *status == "running") {
            *status = if delivery == "complete" { "complete" } else { "error" };
        }
        for message in &mut self.messages {
            message.text_open = false;
            if message.delivery == "streaming" {
                message.delivery = delivery;
            }
            for call in message.calls.iter_mut().filter(|call| call.running) {
                if delivery != "complete" {
                    (call.phase, call.running) = ("output-error", false);
                } else if !pending.contains(&call.id) {
                    call.running = false;
                    if call.phase == "input-streaming" {
                        call.phase = "input-available";
                    }
                }
            }
        }
    }

    /// Before a retry: what a run began after the last user message and did not finish goes, with all after it.
    pub fn drop_unfinished(&mut self) {
        let begin = self.messages.iter().rposition(|message| message.role == "user").map_or(0, |at| at + 1);
        let unfinished = |message: &Message| {
            matches!(message.delivery, "aborted" | "error")
                || message.calls.iter().any(|call| call.phase == "output-error" && call.result.is_none())
        };
        if let Some(at) = self.messages[begin..].iter().position(unfinished) {
            self.messages.truncate(begin + at);
        }
    }

    /// Where `regenerate` cuts.
    pub fn cut(&self, id: Option<&str>) -> Option<usize> {
        let end = match id {
            Some(id) => self.messages.iter().rposition(|message| message.role == "assistant" && message.id == id)?,
            None => self.messages.len(),
        };
        Some(self.messages[..end].iter().rposition(|message| message.role == "user")? + 1)
    }
}
