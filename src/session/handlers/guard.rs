//! A session with a guard: what may pass, and what is reported of it.
//!
//! The gate stands between chunk expansion and the rules of order. A blocked event was never sent, as far as the order, the
//! thread and the listeners are concerned.
//!
//! Only [`keep_policy`] is called where a session has no guard: the guard's add-on brings the functions (tools/split.mjs).

use crate::document::ERROR_CODE;
use crate::guard::{GateVerdict, Guard, HeldGuard, WITHHELD};
use crate::pipeline::{EventSink, Source};
use crate::session::Session;
use crate::session::intake::{Intake, View};
use crate::session::rejoin::Report;
use crate::session::types::{AgentError, Effect, ErrorKind, Misuse, Reply};
use crate::thread::Warning;
use crate::wire::{Fields, Incoming, JsonWriter, frame_fields};

/// The session gets a guard with this policy (JSON text). `decisions`: whether each is told.
#[inline(never)]
pub fn keep_policy(session: &mut Session, policy: &str, decisions: bool) -> Result<(), Misuse> {
    session.intake.guard = HeldGuard::new(Guard::new(policy).map_err(Misuse::Policy)?);
    session.report_decisions(decisions);
    Ok(())
}

/// Takes an event through the gate: reports what may be seen of its source, and hands on what may be shown of it.
#[inline(never)]
pub fn through_gate(session: &mut Session, one: &Incoming<'_>, source: &mut Source<'_, '_>, made: bool, now: f64) {
    match session.judge_event(one, source.fields, now) {
        GateVerdict::Pass => {
            // The END of another stream is none of what the source says.
            let ends_another = made && one.event.is_end();
            if !ends_another && !std::mem::replace(&mut source.reported, true) {
                session.report_judged(source.event, source.fields, source.data, now);
            }
            session.past_gate(one, source, made, now);
        }
        GateVerdict::Less(json) if !made => {
            // The remaining JSON was read before.
            let Ok(fields) = frame_fields(&json, usize::MAX) else { return };
            let Ok(mut rest) = Incoming::read(&fields, &mut |_| {}) else { return };
            rest.subagent_run_id = one.subagent_run_id;
            session.report_event(source.event, &json);
            session.past_gate(&rest, source, made, now);
        }
        GateVerdict::Block | GateVerdict::Less(_) => {}
    }
}

/// Whether the guard admits what a dialect says in another way than by an event: as the event with these members (JSON texts).
#[inline(never)]
pub fn admits(session: &mut Session, event: &str, members: &[(&str, &str)], now: f64) -> bool {
    if session.intake.judged {
        return true;
    }
    let event = JsonWriter::object_text(|object| {
        object.string("type", event);
        for (name, json) in members {
            object.json(name, json);
        }
    });
    let Ok(fields) = frame_fields(&event, session.options.max_depth) else { return false };
    let incoming = Incoming::read(&fields, &mut |_| {});
    incoming.is_ok_and(|incoming| session.judge_event(&incoming, &fields, now) == GateVerdict::Pass)
}

/// Why a body must not go out: a dialect sends an event of the system's own, and the guard does not let it.
#[inline(never)]
pub fn refuses(session: &mut Session, body: &str, now: f64) -> Option<AgentError> {
    session.intake.guard.as_ref().filter(|guard| guard.policy.inbound.is_some())?;
    Fields::read(body, session.options.max_depth)?.get("event_type")?;
    let decision = session.judge_inbound(body, now)?;
    let error = AgentError::new(ErrorKind::Blocked, &Fields::read(&decision, 8)?.text("reason")?, false);
    Some(error.with(ERROR_CODE, Some("guard")))
}

/// Answers a call that must not be executed under the name that it has now. Says whether it is one.
#[inline(never)]
pub fn forbids(session: &mut Session, id: &str, name: &str) -> bool {
    let reason = session.intake.guard.as_mut().and_then(|guard| guard.forbids(id, name));
    report_decided(session);
    let Some(reason) = reason else { return false };
    let message = format!("The guard does not allow this call: {reason}");
    session.done(id, &message, Some(&message), true);
    true
}

/// The text in place of the server's message of a failure, where that may not be shown.
#[inline(never)]
pub fn withholds_reason(session: &mut Session, now: f64) -> Option<&'static str> {
    let admitted = session.intake.guard.as_mut().is_none_or(|guard| guard.admits_failure(now));
    report_decided(session);
    (!admitted).then_some(WITHHELD)
}

/// Reports what the guard has decided.
#[inline(never)]
pub fn report_decided(session: &mut Session) {
    let Some(guard) = &mut session.intake.guard else { return };
    let (decisions, reason) = (guard.take_told(), guard.reason.take());
    for decision in decisions {
        if session.rejoin.is_new(Report::Decision) {
            session.outbox.push(Effect::Decision(decision));
        }
    }
    if let Some(reason) = reason {
        let message = format!("the guard has blocked an event: {reason}");
        session.report_warning(Warning::new("event-blocked", message));
    }
}

/// The guard's answers to what the application asks.
#[inline(never)]
pub fn asked(session: &mut Session, method: &str, json: &str, now: f64) -> Result<Reply, Misuse> {
    let answer = match method {
        "present" => {
            session.present(json)?;
            None
        }
        "guardCounters" => session.guard_counters(),
        _ => session.judge_inbound(json, now),
    };
    Ok(answer.map_or(Reply::Nothing, Reply::Json))
}

impl Session {
    /// The same, with a guard before the rules.
    pub fn guarded(mut self, guard: Option<Guard>) -> Self {
        self.intake.guard = guard.and_then(HeldGuard::new);
        self
    }

    /// Whether every decision is told ([`Effect::Decision`]).
    pub fn report_decisions(&mut self, on: bool) {
        self.intake.guard.iter_mut().for_each(|guard| guard.reports_decisions = on);
    }

    /// Other capability tokens (a JSON array) than those that the guard had.
    pub fn present(&mut self, json: &str) -> Result<(), Misuse> {
        self.intake.guard.as_mut().map_or(Ok(()), |guard| guard.present(json)).map_err(Misuse::Input)
    }

    /// `{forwarded, blocked, total}` as JSON text.
    pub fn guard_counters(&self) -> Option<String> {
        Some(self.intake.guard.as_ref()?.counters())
    }

    /// Whether an event may go to the agent: the decision as JSON text. `None`: nobody has to decide.
    pub fn judge_inbound(&mut self, json: &str, now: f64) -> Option<String> {
        let guard = self.intake.guard.as_mut()?;
        let decision = guard.inbound(json, self.options.max_depth, now);
        // No part of a stream, so nothing that a replay repeats.
        guard.take_told().into_iter().for_each(|decision| self.outbox.push(Effect::Decision(decision)));
        Some(decision)
    }

    /// Judges an event: the parts of it that may pass.
    fn judge_event(&mut self, incoming: &Incoming<'_>, fields: &Fields<'_>, now: f64) -> GateVerdict {
        let Intake { guard, judged, pipeline, .. } = &mut self.intake;
        let verdict = match guard.as_mut().filter(|_| !*judged) {
            Some(guard) => guard.judge(incoming, fields, &mut View(&mut self.thread, &pipeline.order), now),
            None => GateVerdict::Pass,
        };
        report_decided(self);
        verdict
    }

    /// No rule of order judges an event that comes outside of any run.
    fn past_gate(&mut self, one: &Incoming<'_>, source: &Source<'_, '_>, made: bool, now: f64) {
        if source.aside { self.reduce(one, None, made, now) } else { self.order(one, source, made, now) }
    }

    /// Reports an event that has passed, without the original that stands in it, where that may not be seen.
    fn report_judged(&mut self, event: &'static str, fields: &Fields<'_>, data: &str, now: f64) {
        let original = fields.some("rawEvent").filter(|_| self.options.events.event(event) && !self.intake.judged);
        let Intake { guard, pipeline, .. } = &mut self.intake;
        let shown = &mut View(&mut self.thread, &pipeline.order);
        let guard = original.and_then(|original| Some((original, guard.as_mut()?)));
        if guard.is_none_or(|(original, guard)| guard.permits(original, shown, now)) {
            return self.report_event(event, data);
        }
        self.report_event(event, &JsonWriter::changed(fields, &[("rawEvent", None)]));
    }

    /// Whether a guard, where there is one, admits what a dialect says in another way than by an event.
    pub(super) fn admits_made(&mut self, event: &str, members: &[(&str, &str)], now: f64) -> bool {
        !self.intake.is_guarded() || admits(self, event, members, now)
    }

    /// The text in place of the server's message of a failure, where a guard does not let that be shown.
    pub(super) fn withheld(&mut self, now: f64) -> Option<&'static str> {
        if self.intake.is_guarded() { withholds_reason(self, now) } else { None }
    }

    pub(super) fn report_guard(&mut self) {
        if self.intake.is_guarded() {
            report_decided(self);
        }
    }
}
