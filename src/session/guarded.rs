//! A session with a guard: what may pass, and what is told of it.

use super::{AgentError, Effect, ErrorKind, Misuse, Session};
use crate::guard::Guard;
use crate::thread::Warning;
use crate::wire::{Incoming, Raw};

impl Session {
    /// The same, with a guard before the rules.
    pub fn guarded(self, guard: Option<Guard>) -> Self {
        Self { guard: guard.map(Box::new), ..self }
    }

    /// Whether every decision is told ([`Effect::Decision`]).
    pub fn report_decisions(&mut self, on: bool) {
        if let Some(guard) = &mut self.guard {
            guard.tell(on);
        }
    }

    /// Other capability tokens (a JSON array) than those that the guard had.
    pub fn present(&mut self, json: &str) -> Result<(), Misuse> {
        self.guard.as_mut().map_or(Ok(()), |guard| guard.present(json).map_err(Misuse::Input))
    }

    /// `{forwarded, blocked, total}` as JSON text.
    pub fn guard_counters(&self) -> Option<String> {
        Some(self.guard.as_ref()?.counters())
    }

    /// Whether an event may go to the agent: the decision as JSON text. `None`: nobody has to decide.
    pub fn judge_inbound(&mut self, json: &str, now: f64) -> Option<String> {
        let decision = self.guard.as_mut()?.inbound(json, self.options.max_depth, now);
        self.report_guard();
        Some(decision)
    }

    /// Why a body must not go out: a dialect sends an event of the system's own, and the guard does not let it.
    pub(super) fn refuses(&mut self, body: &str, now: f64) -> Option<AgentError> {
        self.guard.as_ref().filter(|guard| guard.has_inbound_rule())?;
        Raw::parse_object(body, self.options.max_depth).ok().flatten()?.get("event_type")?;
        let decision = self.judge_inbound(body, now)?;
        let reason = Raw::parse_object(&decision, 8).ok().flatten()?.get("reason")?.string()?.into_owned();
        Some(AgentError { code: Some("guard".into()), ..AgentError::new(ErrorKind::Blocked, reason, false) })
    }

    pub(super) fn begin_guard(&mut self, joins: bool) {
        if let Some(guard) = self.guard.as_mut().filter(|_| !joins) {
            guard.begin();
        }
    }

    pub(super) fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Whether an event may go on to the rules.
    pub(super) fn admits(&mut self, incoming: &Incoming<'_>, now: f64) -> bool {
        let Some(guard) = self.guard.as_mut().filter(|_| !self.judged) else { return true };
        let admitted = guard.admits(incoming, now);
        self.report_guard();
        admitted
    }

    pub(super) fn report_guard(&mut self) {
        let Some(guard) = &mut self.guard else { return };
        let (told, reason) = (guard.take_told(), guard.take_reason());
        self.effects.extend(told.into_iter().map(Effect::Decision));
        if let Some(reason) = reason {
            let message = format!("the guard has blocked an event, and may block more: {reason}");
            self.effects.push_back(Effect::Warning(Warning::new("event-blocked", message)));
        }
    }
}
