//! What may be shown: the policy of Chio's proxy applied once more where events are shown, for any dialect. Uses `wire`.
//!
//! ```text
//!  a frame of Chio's ──► event ─┐                      ┌─ allowed ─► rules, thread
//!                               ├─► policy ─► limits ──┤
//!  an AG-UI event ──► table ────┘                      └─ blocked: nothing of it is seen further on
//! ```
//!
//! Only Chio's own frames say what class they are of; AG-UI's events are of the class that [`table`] gives them. The page is
//! not where a policy is enforced, for who controls the page controls the guard: it is the second lock, not the first.
//! [`ask()`] is the same rules for applications, as functions over JSON text.

mod ask;
mod canonical;
mod capability;
mod classify;
mod event;
mod limits;
mod policy;
mod receipt;
mod table;

pub use ask::ask;
pub use canonical::canonicalize;
pub(crate) use event::{ChioEvent, Complaint};

use crate::wire::{Fields, Incoming, JsonWriter, Raw};
use classify::Class;
use limits::Limits;
use policy::{Facts, Policy};
use table::{Part, Shut};

/// A policy at work, with what it has seen.
#[derive(Debug)]
pub struct Guard {
    policy: Policy,
    limits: Limits,
    shut: Shut,
    forwarded: u64,
    blocked: u64,
    /// Whether what is decided is written down.
    tells: bool,
    told: Vec<String>,
    /// Why something was blocked, once a run.
    reason: Option<String>,
    complained: bool,
}

impl Guard {
    /// `json`: a policy, as `docs/guard.md` describes it. The error says what is expected.
    pub fn new(json: &str) -> Result<Self, &'static str> {
        let policy = Policy::read(json)?;
        Ok(Self {
            limits: Limits::new(&policy),
            policy,
            shut: Shut::default(),
            forwarded: 0,
            blocked: 0,
            tells: false,
            told: Vec::new(),
            reason: None,
            complained: false,
        })
    }

    /// Whether to write decisions down for [`Self::take_told`].
    pub fn tell(&mut self, on: bool) {
        self.tells = on;
    }

    /// The decisions since, as JSON texts.
    pub fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    /// Why the first event of this run was blocked, once.
    pub fn take_reason(&mut self) -> Option<String> {
        self.reason.take()
    }

    /// Other tokens (a JSON array) in place of those that the policy came with.
    pub fn present(&mut self, json: &str) -> Result<(), &'static str> {
        self.policy.present(json)
    }

    /// `{forwarded, blocked, total}`; they stop at the largest number.
    pub fn counters(&self) -> String {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        object.number("forwarded", Some(self.forwarded)).number("blocked", Some(self.blocked));
        object.number("total", Some(self.forwarded.saturating_add(self.blocked)));
        object.close();
        json
    }

    /// A run begins: ids of an earlier one mean nothing any more.
    pub fn begin(&mut self) {
        self.shut.clear();
        self.complained = false;
    }

    /// Whether a frame of Chio's may be shown, with all that becomes of it.
    pub(crate) fn own(&mut self, fields: &Fields<'_>, now: f64) -> bool {
        // The dialect has complained of what is wrong with it.
        let Some(event) = ChioEvent::read(fields, &mut |_| {}) else { return false };
        let name = event.type_name();
        let verdict = event.facts(self.policy.compares).and_then(|facts| self.policy.decide(&facts, now, false));
        let verdict = verdict.and_then(|()| self.limits.pass(&self.policy, &name, now));
        self.count(
            verdict,
            &Told { name: &name, class: event.shown_class(), event: Some(&event), at: now, inbound: false },
        )
    }

    /// Whether an AG-UI event may be shown. Events that open something decide for all that belongs to it.
    pub(crate) fn admits(&mut self, incoming: &Incoming<'_>, now: f64) -> bool {
        let Some(ruled) = table::rule(incoming, &self.policy) else { return true };
        let ids = self.shut.ids(incoming, &ruled);
        let name = incoming.event.name();
        if ids.part == Part::Closes {
            return !self.shut.holds(&ids);
        }
        let verdict = if self.shut.holds(&ids) {
            Err("what it belongs to was blocked".to_owned())
        } else {
            let (kind, id) = ruled.target.clone().unzip();
            let facts = Facts { class: ruled.class, also: ruled.also, kind, id, ..Facts::default() };
            self.policy.decide(&facts, now, false).and_then(|()| self.limits.pass(&self.policy, name, now))
        };
        if verdict.is_err() && ids.part == Part::Opens {
            self.shut.add(&ids);
        }
        self.count(verdict, &Told { name, class: ruled.class, event: None, at: now, inbound: false })
    }

    /// Whether there is a rule for what goes to the agent.
    pub fn has_inbound_rule(&self) -> bool {
        self.policy.has_inbound_rule()
    }

    /// Whether an event of the page's may go to the agent: the decision as JSON text. It is not counted.
    pub fn inbound(&mut self, json: &str, max_depth: usize, now: f64) -> String {
        let fields = Raw::parse_object(json, max_depth).ok().flatten();
        let event = fields.as_ref().map(ChioEvent::partial);
        let class = event.as_ref().and_then(ChioEvent::inbound_class);
        let verdict = self.policy.inbound(class, event.is_some());
        let name = event.as_ref().map(ChioEvent::type_name).unwrap_or_default();
        let told =
            Told { name: &name, class: class.unwrap_or_default(), event: event.as_ref(), at: now, inbound: true };
        let json = told.write(verdict.err().as_deref(), class.is_some());
        if self.tells {
            self.told.push(json.clone());
        }
        json
    }

    fn count(&mut self, verdict: Result<(), String>, told: &Told<'_>) -> bool {
        let counter = if verdict.is_ok() { &mut self.forwarded } else { &mut self.blocked };
        *counter = counter.saturating_add(1);
        let reason = verdict.err();
        if self.tells {
            self.told.push(told.write(reason.as_deref(), true));
        }
        if let (Some(reason), false) = (&reason, self.complained) {
            self.complained = true;
            self.reason = Some(reason.clone());
        }
        reason.is_none()
    }
}

/// What a decision is about.
struct Told<'a> {
    name: &'a str,
    class: Class,
    event: Option<&'a ChioEvent<'a>>,
    at: f64,
    inbound: bool,
}

impl Told<'_> {
    fn write(&self, reason: Option<&str>, classified: bool) -> String {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        object.flag("allowed", reason.is_none());
        object.optional("reason", reason).optional("classification", classified.then(|| self.class.name()));
        object.string("eventType", self.name).string("direction", if self.inbound { "inbound" } else { "outbound" });
        if let Some(event) = self.event {
            object.optional("eventId", event.event_id().as_deref());
            if let Some((kind, id)) = event.target() {
                let mut target = JsonWriter::object(object.member("target"));
                target.string("componentType", &kind).optional("componentId", id.as_deref());
                target.close();
            }
        }
        // Milliseconds; `as` saturates.
        object.number("at", Some(self.at as u64));
        object.close();
        json
    }
}
