//! Reports of a run besides messages and state: steps, subagents, usage, interrupts.

use super::entry::Stopwatch;
use super::interrupts::Interrupts;
use super::queue::PlacesByKey;
use super::subagents::Subagents;
use crate::document::*;
use crate::wire::{At, Event, Gather, Index, Keyed, Raw, pair};

/// Everything that runs report beside the messages.
#[derive(Debug, Default)]
pub(crate) struct RunReports {
    steps: Rows,
    /// One for each of them, which runs while the step does.
    times: Vec<Stopwatch>,
    /// The running steps, by name and owner.
    running: PlacesByKey,
    subagents: Subagents,
    usage: Rows,
    /// Places of the counts, by provider and model.
    usages: Index,
    /// The interrupts that wait for an answer.
    pub interrupts: Interrupts,
    /// The calls that this run has started and not answered, in order.
    unanswered: Keyed<String>,
}

impl RunReports {
    /// The calls that this run has started and not answered, in order.
    pub fn unanswered(&self) -> Vec<String> {
        self.unanswered.iter().cloned().gather()
    }

    pub fn called(&mut self, id: &str) {
        if !self.unanswered.has(id) {
            self.unanswered.push(id, id.to_owned());
        }
    }

    /// The calls of an earlier run are not this one's.
    pub fn forget_calls(&mut self) {
        self.unanswered = Keyed::default();
    }

    pub fn answered(&mut self, id: &str) {
        self.unanswered.take(id);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let mut interrupts = std::mem::take(&mut self.interrupts);
        interrupts.clear();
        *self = Self { interrupts, steps: Rows::anew(), usage: Rows::anew(), ..Self::default() };
        self.subagents.clear();
    }

    /// A new run: its steps and subagents begin anew.
    pub fn started(&mut self) {
        self.forget_calls();
        if !self.steps.is_empty() {
            (self.steps, self.times, self.running) = (Rows::anew(), Vec::new(), PlacesByKey::default());
        }
        // A suspended subagent may continue in the next run.
        self.subagents.keep_suspended();
    }

    /// The run is over; what it left open ended with it.
    pub fn ended(&mut self, well: bool, now: f64) {
        let status = if well { Status::Complete } else { Status::Error };
        self.running = PlacesByKey::default();
        for at in 0..self.times.len() {
            if self.times.get(at).is_some_and(Stopwatch::runs) {
                self.end_step(at, status, now);
            }
        }
        self.subagents.end(status);
    }

    fn end_step(&mut self, at: usize, status: Status, now: f64) {
        let (Some(time), Some(row)) = (self.times.get_mut(at), self.steps.change(at)) else { return };
        row.set_word(STEP_STATUS, status as u8);
        row.set(STEP_TIME, time.stop(None, now).map(Value::count).unwrap_or_default());
    }

    /// Adds a run's usage to the thread's, by provider and model.
    pub fn add_usage(&mut self, list: Option<Raw<'_>>) {
        for fields in list.and_then(Raw::array).unwrap_or_default().into_iter().filter_map(Raw::object) {
            // Token counts are whole numbers; one that is not is dropped, the answer stays.
            let more = Row::read(USAGE, &fields, 1);
            let key = pair(more.some(PROVIDER), more.some(MODEL).unwrap_or("\0"));
            let next = At { message: self.usage.len(), call: 0 };
            let at = self.usages.note(&key, next).message;
            if at == next.message {
                self.usage.push(more);
                continue;
            }
            let Some(usage) = self.usage.change(at) else { continue };
            for member in FIRST_COUNT..USAGE.len() {
                // "Not reported" stays apart from 0.
                if let Some(more) = more.count(member) {
                    usage.set(member, Value::count(usage.count(member).unwrap_or(0).saturating_add(more)));
                }
            }
        }
    }

    /// The token counts that the thread was saved with.
    pub fn restore_usage(&mut self, list: Raw<'_>) {
        (self.usage, self.usages) = (Rows::anew(), Index::new());
        self.add_usage(Some(list));
    }

    /// The token counts as JSON text, unless there are none.
    pub fn write_usage(&self) -> Option<String> {
        let mut json = String::new();
        self.usage.write(&mut json);
        (!self.usage.is_empty()).then_some(json)
    }

    /// Takes a STEP_* or SUBAGENT_* event. The end of what never began has no effect.
    pub fn apply(&mut self, event: Event<'_>, owner: Option<&str>, now: f64) {
        match event {
            Event::StepStarted { step_name } => {
                let mut time = Stopwatch::default();
                time.start(now);
                let name = step_name.decode();
                self.running.add(&pair(owner, &name), self.steps.len());
                let mut step = Row::new(STEP);
                step.set_text(STEP_NAME, &name);
                step.set_word(STEP_STATUS, Status::Running as u8);
                step.set_some(STEP_OWNER, owner);
                self.steps.push(step);
                self.times.push(time);
            }
            Event::StepFinished { step_name } => {
                let Some(at) = self.running.take(&pair(owner, &step_name.decode())) else { return };
                self.end_step(at, Status::Complete, now);
            }
            _ => self.subagents.apply(event, owner.unwrap_or_default()),
        }
    }

    /// The elements of its longest list.
    pub fn longest(&self) -> usize {
        self.steps.len().max(self.usage.len()).max(self.interrupts.len()).max(self.subagents.len())
    }

    /// The bytes of its lists, roughly; `element`: what an element takes beside its texts.
    pub fn size(&self, element: usize) -> usize {
        let lists = self.steps.bytes(element) + self.usage.bytes(element);
        lists + self.interrupts.size(element) + self.subagents.size(element)
    }

    pub fn write(&mut self, patch: &mut Patch) {
        self.steps.write_changes("\"steps\"", patch);
        self.subagents.write(patch);
        self.usage.write_changes("\"usage\"", patch);
        self.interrupts.write(patch);
    }
}
