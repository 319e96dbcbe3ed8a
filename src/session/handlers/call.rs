//! One way in for all that the application asks of a session, by the names that `js/glue/core.d.ts` explains.

use crate::session::Session;
use crate::session::types::{Misuse, Reply, Ticket};
use crate::wire::{Fields, Raw, Wanted};

impl Session {
    /// Calls the method of that name with JSON text, which is empty for methods without an argument. A method that this build
    /// lacks, as the guard's, does nothing.
    pub fn call(&mut self, method: &str, json: &str, now: f64) -> Result<Reply, Misuse> {
        Ok(match method {
            "settleCall" => Reply::Taken(self.settle_call(json, now)?),
            "approve" => Reply::Taken(self.approve(json, now)?),
            "deny" => Reply::Taken(self.deny(json, now)?),
            "hold" => Reply::Taken(self.hold(json, now)?),
            "editQueued" => {
                let ticket = self.queue.tickets.named(&self.argument(json)?.text("runId").unwrap_or_default());
                Reply::Taken(self.edit_queued(ticket.unwrap_or(Ticket::MAX), json)?)
            }
            "save" => Reply::Json(self.next_save(true).0),
            "record" => Reply::Json(self.save_parts(None)),
            "guardCounters" | "judgeInbound" | "present" if self.intake.is_guarded() => {
                super::guard::asked(self, method, json, now)?
            }
            _ => {
                self.command(method, json, now)?;
                Reply::Nothing
            }
        })
    }

    /// The methods that return nothing.
    fn command(&mut self, method: &str, json: &str, now: f64) -> Result<(), Misuse> {
        match method {
            "submit" => _ = self.submit(json, now)?,
            "retry" => _ = self.retry(json, now)?,
            "regenerate" => _ = self.regenerate(None, json, now)?,
            "attach" => _ = self.attach(json, now)?,
            "answer" => _ = self.answer(json, now)?,
            "cancel" => self.cancel(self.queue.tickets.named(json).unwrap_or(Ticket::MAX), now),
            "saved" => self.saved(json.parse().unwrap_or_default(), now),
            "stop" => self.stop(now),
            "disconnect" => self.disconnect(now),
            "online" => self.online(now),
            "tick" => self.tick(now),
            "dispose" => self.dispose(now),
            "restore" => self.read_save(json, now)?,
            "proceed" => self.proceed(now),
            "fork" => {
                self.reset(now)?;
                self.restore(json, now)?;
            }
            "reset" => {
                self.reset(now)?;
                let fields = self.argument(json)?;
                fields.get("messages").map_or(Ok(()), |raw| self.change_messages(None, raw.text()))?;
                fields.get("state").map_or(Ok(()), |raw| self.change_state(None, raw.text()))?;
            }
            "editMessages" | "editState" => {
                let fields = self.argument(json)?;
                let member = |name| fields.get(name).map_or("null", Raw::text);
                let (before, after) = (Some(member("before")), member("after"));
                if method == "editState" {
                    self.change_state(before, after)?;
                } else {
                    self.change_messages(before, after)?;
                }
            }
            "listen" => {
                let fields = self.argument(json)?;
                self.report_events(Wanted::read(&fields.text("events").unwrap_or_default()));
                self.report_decisions(fields.yes("decisions"));
            }
            _ => {}
        }
        Ok(())
    }

    /// The members of a method's argument, whose values may be as deep as what they stand for alone.
    fn argument<'j>(&self, json: &'j str) -> Result<Fields<'j>, Misuse> {
        Fields::read(json, self.options.max_depth + 1).ok_or(Misuse::Input("a JSON object"))
    }
}
