//! A policy for shown content: that of Chio's proxy applied once more where events are shown, for any dialect. Uses
//! `wire`.
//!
//! ```text
//!  a frame of Chio's ──► event ─┐                      ┌─ allowed ─► rules, thread
//!                               ├─► policy ─► limits ──┤
//!  an AG-UI event ──► items ────┘                      └─ blocked: cut out of the event, or the whole event
//! ```
//!
//! Only Chio's own frames say what class they are of. AG-UI is judged by [`gate`], by what an event brings. A policy is not
//! enforced in the page, because whoever controls the page controls the guard: it is the second lock, not the first.
//! [`ask()`] is the same rules for applications, as functions over JSON text.

mod ask;
mod canonical;
mod capability;
mod classify;
mod event;
mod gate;
mod held;
mod limits;
mod members;
mod policy;
mod read;
mod receipt;
mod refused;

pub use ask::ask;
pub use canonical::canonicalize;
pub(crate) use event::ChioEvent;
#[cfg(feature = "chio")]
pub(crate) use event::Complaint;
pub(crate) use gate::{GateVerdict, MessageState, ShownItems, WITHHELD};
pub use held::HeldGuard;

use crate::wire::{Fields, JsonWriter};
use classify::Classification;
use limits::RateLimits;
use policy::Policy;
use refused::Refused;
use std::borrow::Cow;

/// A policy at work, with what it has seen.
#[derive(Debug, Default)]
pub struct Guard {
    pub(crate) policy: Policy,
    limits: RateLimits,
    /// The blocked items of this run.
    refused: Refused,
    /// Calls that were refused in any run: their results may come in a later one.
    calls: Refused,
    /// The time of the last decision, or of the last thing that the user did.
    pub(crate) clock: f64,
    /// In how many originals of an event the one stands that is judged now: it is not counted, noted or told.
    wrapped: u8,
    forwarded: u64,
    blocked: u64,
    /// Whether what is decided is written down.
    pub(crate) reports_decisions: bool,
    reports: Vec<String>,
    /// Why something was blocked, once a run.
    pub(crate) reason: Option<String>,
    complained: bool,
}

impl Guard {
    /// `json`: a policy, as `docs/guard.md` describes it. The error says what is expected.
    #[inline(never)]
    pub fn new(json: &str) -> Result<Self, String> {
        let policy = Policy::read(json)?;
        Ok(Self { limits: RateLimits::new(&policy), policy, ..Self::default() })
    }

    /// The decisions since, as JSON texts.
    pub fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.reports)
    }

    /// Other tokens (a JSON array) in place of those that the policy came with.
    pub fn present(&mut self, json: &str) -> Result<(), &'static str> {
        self.policy.present(json)
    }

    /// `{forwarded, blocked, total}`; they stop at the largest number.
    pub fn counters(&self) -> String {
        JsonWriter::object_text(|object| {
            object.number("forwarded", Some(self.forwarded)).number("blocked", Some(self.blocked));
            object.number("total", Some(self.forwarded.saturating_add(self.blocked)));
        })
    }

    /// A run begins: ids of an earlier one mean nothing.
    #[inline(never)]
    pub fn begin(&mut self) {
        self.refused.clear();
        if self.calls.full {
            self.calls.clear();
        }
        self.limits.begin();
        self.complained = false;
    }

    /// The run is replayed from its beginning.
    #[inline(never)]
    pub fn begin_again(&mut self) {
        self.limits.begin_again();
    }

    /// Whether a frame of Chio's may be shown, with all that becomes of it.
    #[cfg(feature = "chio")]
    pub(crate) fn own(&mut self, fields: &Fields<'_>, now: f64) -> bool {
        // The dialect has complained of what is wrong with it.
        let Some(event) = ChioEvent::read(fields, &mut |_| {}) else { return false };
        let name = event.type_name();
        let verdict = self.decide_own(&event, now).and_then(|()| self.limits.pass(&self.policy, &name, None, now));
        self.count(verdict, &GuardReport::of(&event, &name, event.shown_class(), now, false))
    }

    fn decide_own(&self, event: &ChioEvent<'_>, now: f64) -> Result<(), String> {
        event.facts(self.policy.compares).and_then(|facts| self.policy.decide(&facts, now, false))
    }

    /// The same of a frame of Chio's that stands in another one. It is not counted.
    fn permits_own(&self, fields: &Fields<'_>, now: f64) -> bool {
        ChioEvent::read(fields, &mut |_| {}).is_some_and(|event| self.decide_own(&event, now).is_ok())
    }

    /// Whether an event of the page's may go to the agent: the decision as JSON text. It is not counted.
    pub fn inbound(&mut self, json: &str, max_depth: usize, now: f64) -> String {
        let fields = Fields::read(json, max_depth);
        let event = fields.as_ref().map(ChioEvent::partial);
        let facts = event.as_ref().map(ChioEvent::inbound_facts);
        let verdict = self.policy.inbound(facts.as_ref().map(|(class, facts)| (*class, facts)), now);
        let class = facts.and_then(|(class, _)| class);
        let name = event.as_ref().map(ChioEvent::type_name).unwrap_or_default();
        let report = match &event {
            Some(event) => GuardReport::of(event, &name, class.unwrap_or_default(), now, true),
            None => GuardReport { at: now, inbound: true, ..GuardReport::default() },
        };
        let json = report.write(verdict.err().as_deref(), class.is_some());
        if self.reports_decisions {
            self.reports.push(json.clone());
        }
        json
    }

    fn count(&mut self, verdict: Result<(), String>, report: &GuardReport<'_>) -> bool {
        let counter = if verdict.is_ok() { &mut self.forwarded } else { &mut self.blocked };
        *counter = counter.saturating_add(1);
        let reason = verdict.err();
        if self.reports_decisions {
            self.reports.push(report.write(reason.as_deref(), true));
        }
        if let (Some(reason), false) = (&reason, self.complained) {
            self.complained = true;
            self.reason = Some(reason.clone());
        }
        reason.is_none()
    }
}

/// The subject of a decision.
#[derive(Default)]
struct GuardReport<'a> {
    name: &'a str,
    class: Classification,
    event_id: Option<Cow<'a, str>>,
    /// The component's type and id.
    target: Option<(Cow<'a, str>, Option<Cow<'a, str>>)>,
    /// The event that it came in.
    carrier: Option<&'a str>,
    at: f64,
    inbound: bool,
}

impl<'a> GuardReport<'a> {
    fn of(event: &ChioEvent<'a>, name: &'a str, class: Classification, at: f64, inbound: bool) -> Self {
        Self { name, class, event_id: event.event_id(), target: event.target(), carrier: None, at, inbound }
    }

    fn write(&self, reason: Option<&str>, classified: bool) -> String {
        JsonWriter::object_text(|object| {
            object.flag("allowed", reason.is_none());
            object.optional("reason", reason).optional("classification", classified.then(|| self.class.name()));
            object.string("eventType", self.name).optional("carrier", self.carrier);
            object.string("direction", if self.inbound { "inbound" } else { "outbound" });
            object.optional("eventId", self.event_id.as_deref());
            if let Some((kind, id)) = &self.target {
                JsonWriter::object(object.member("target"))
                    .string("componentType", kind)
                    .optional("componentId", id.as_deref());
            }
            // Milliseconds; `as` saturates.
            object.number("at", Some(self.at as u64));
        })
    }
}
