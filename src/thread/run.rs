//! What a run tells besides messages and state: steps, subagents, usage, interrupts.

use super::entry::Stopwatch;
use super::interrupts::Interrupts;
use super::list::{At, Index};
use super::patch::Patch;
use super::subagents::Subagents;
use crate::wire::{Event, Fields, Gather, JsonWriter, Raw};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Running,
    Complete,
    Suspended,
    Error,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Suspended => "suspended",
            Self::Error => "error",
        }
    }
}

#[derive(Debug)]
struct Step {
    name: String,
    owner: Option<String>,
    status: Status,
    time: Stopwatch,
    /// The running step of the same name and owner that began before it.
    before: Option<usize>,
}

/// Token counts of one provider and model.
#[derive(Debug, PartialEq)]
struct Usage {
    provider: Option<String>,
    model: Option<String>,
    counts: [Option<u64>; COUNTS.len()],
}

const COUNTS: [&str; 6] =
    ["inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"];

/// Everything that runs report beside the messages.
#[derive(Debug, Default)]
pub(super) struct Report {
    steps: Vec<Step>,
    /// The running steps of each name and owner: the last one, whose `before` is the one before it.
    running: Index,
    subagents: Subagents,
    usage: Vec<Usage>,
    /// Places of the counts, by provider and model.
    usages: Index,
    interrupts: Interrupts,
    unanswered: Unanswered,
    unsent_steps: UnsentList,
    unsent_usage: UnsentList,
}

/// What the mirror lacks of a list.
#[derive(Debug, Default)]
pub(super) struct UnsentList {
    /// Most of it is other.
    all: bool,
    /// How many elements the mirror has.
    sent: usize,
    /// Elements among these that are other.
    changed: Vec<usize>,
}

impl UnsentList {
    /// Everything is to be written.
    pub fn all(&mut self) {
        self.all = true;
    }

    pub fn change(&mut self, at: usize) {
        self.changed.push(at);
    }

    /// Writes the list at `path`, which has `length` elements: those that are new or other.
    pub fn write(&mut self, path: &str, length: usize, patch: &mut Patch, item: &dyn Fn(usize, &mut String)) {
        let Self { all, sent, changed } = std::mem::replace(self, Self { sent: length, ..Self::default() });
        if all || length < sent {
            return patch.reconcile(path, |out| {
                let mut list = JsonWriter::array(out);
                (0..length).for_each(|at| item(at, list.item()));
                list.close();
            });
        }
        let mut written = Index::new();
        let changed = changed.into_iter().filter(|at| *at < sent);
        for at in changed.chain(sent..length) {
            // An element that has changed twice has one last form.
            if written.insert(at.to_string(), At::default()).is_none() {
                patch.reconcile(&format!("{path},{at}"), |out| item(at, out));
            }
        }
    }
}

/// Calls that this run has started and not answered, in order.
#[derive(Debug, Default)]
struct Unanswered {
    calls: Vec<Option<String>>,
    index: Index,
}

impl Unanswered {
    fn add(&mut self, id: &str) {
        if !self.index.contains_key(id) {
            self.index.insert(id.to_owned(), At { message: self.calls.len(), call: 0 });
            self.calls.push(Some(id.to_owned()));
        }
    }

    fn remove(&mut self, id: &str) {
        if let Some(place) = self.index.remove(id).and_then(|at| self.calls.get_mut(at.message)) {
            *place = None;
        }
    }
}

impl Report {
    pub fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    pub fn interrupts_mut(&mut self) -> &mut Interrupts {
        &mut self.interrupts
    }

    /// The calls that this run has started and not answered, in order.
    pub fn unanswered(&self) -> Vec<String> {
        self.unanswered.calls.iter().flatten().cloned().gather()
    }

    pub fn called(&mut self, id: &str) {
        self.unanswered.add(id);
    }

    /// The calls of an earlier run are not this one's.
    pub fn forget_calls(&mut self) {
        self.unanswered = Unanswered::default();
    }

    pub fn answered(&mut self, id: &str) {
        self.unanswered.remove(id);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let mut interrupts = std::mem::take(&mut self.interrupts);
        interrupts.clear();
        *self = Self { interrupts, ..Self::default() };
        self.unsent_steps.all();
        self.unsent_usage.all();
        self.subagents.clear();
    }

    /// A new run: its steps and subagents begin anew.
    pub fn started(&mut self) {
        self.forget_calls();
        if !self.steps.is_empty() {
            self.steps = Vec::new();
            self.running = Index::new();
            self.unsent_steps.all();
        }
        // A suspended subagent may continue in the next run.
        self.subagents.keep_suspended();
    }

    /// The run is over; what it left open ended with it.
    pub fn ended(&mut self, well: bool, now: f64) {
        let status = if well { Status::Complete } else { Status::Error };
        for (_, last) in std::mem::take(&mut self.running) {
            let mut at = Some(last.message);
            while let Some((place, step)) = at.and_then(|at| Some((at, self.steps.get_mut(at)?))) {
                step.status = status;
                step.time.stop(now);
                self.unsent_steps.change(place);
                at = step.before;
            }
        }
        self.subagents.end(status);
    }

    /// Adds a run's usage to the thread's, by provider and model.
    pub fn add_usage(&mut self, list: Option<Raw<'_>>) {
        for fields in list.and_then(Raw::array).unwrap_or_default().into_iter().filter_map(Raw::object) {
            let (provider, model) = (text(&fields, "provider"), text(&fields, "model"));
            let next = At { message: self.usage.len(), call: 0 };
            let at = self.usages.entry(pair(provider.as_deref(), model.as_deref().unwrap_or("\0"))).or_insert(next);
            let at = at.message;
            if at == next.message {
                self.usage.push(Usage { provider, model, counts: Default::default() });
            }
            let Some(usage) = self.usage.get_mut(at) else { continue };
            for (count, name) in usage.counts.iter_mut().zip(COUNTS) {
                // Token counts are whole numbers; one that is not is dropped, the answer stays.
                let more = fields.get(name).and_then(Raw::whole);
                // "Not reported" stays apart from 0.
                *count = more.map(|more| count.unwrap_or(0).saturating_add(more)).or(*count);
            }
            self.unsent_usage.change(at);
        }
    }

    pub fn restore_usage(&mut self, list: Raw<'_>) {
        (self.usage, self.usages) = Default::default();
        self.unsent_usage.all();
        self.add_usage(Some(list));
    }

    /// The token counts as JSON text, unless there are none.
    pub fn write_usage(&self) -> Option<String> {
        let mut json = String::new();
        let mut list = JsonWriter::array(&mut json);
        self.usage.iter().for_each(|usage| usage.write(list.item()));
        list.close();
        (!self.usage.is_empty()).then_some(json)
    }

    /// Takes a STEP_* or SUBAGENT_* event. The end of what never began has no effect.
    pub fn apply(&mut self, event: Event<'_>, owner: Option<&str>, now: f64) {
        match event {
            Event::StepStarted { step_name } => {
                let mut time = Stopwatch::default();
                time.start(now);
                let (name, owner) = (step_name.to_text(), owner.map(String::from));
                let at = At { message: self.steps.len(), call: 0 };
                let before = self.running.insert(pair(owner.as_deref(), &name), at).map(|at| at.message);
                self.steps.push(Step { name, owner, status: Status::Running, time, before });
            }
            Event::StepFinished { step_name } => {
                let key = pair(owner, &step_name.decode());
                let Some(at) = self.running.remove(&key).map(|at| at.message) else { return };
                let Some(step) = self.steps.get_mut(at) else { return };
                step.status = Status::Complete;
                step.time.stop(now);
                self.unsent_steps.change(at);
                if let Some(before) = step.before {
                    self.running.insert(key, At { message: before, call: 0 });
                }
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
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let steps = self.steps.iter().map(|step| element + step.name.len() + text(&step.owner));
        let usage = self.usage.iter().map(|usage| element + text(&usage.provider) + text(&usage.model));
        steps.chain(usage).sum::<usize>() + self.interrupts.size(element) + self.subagents.size(element)
    }

    pub fn write(&mut self, patch: &mut Patch) {
        let Self { steps, usage, .. } = self;
        self.unsent_steps.write("\"steps\"", steps.len(), patch, &|at, out| {
            steps.get(at).into_iter().for_each(|step| step.write(out));
        });
        self.subagents.write(patch);
        self.unsent_usage.write("\"usage\"", usage.len(), patch, &|at, out| {
            usage.get(at).into_iter().for_each(|usage| usage.write(out));
        });
        self.interrupts.write(patch);
    }
}

impl Step {
    fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object
            .string("name", &self.name)
            .string("status", self.status.name())
            .optional("subagentRunId", self.owner.as_deref())
            .number("durationMs", self.time.total);
        object.close();
    }
}

impl Usage {
    fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.optional("provider", self.provider.as_deref()).optional("model", self.model.as_deref());
        for (name, count) in COUNTS.into_iter().zip(self.counts) {
            object.number(name, count);
        }
        object.close();
    }
}

/// Two texts, of which the first may be absent, as one that no other two have.
fn pair(first: Option<&str>, second: &str) -> String {
    match first {
        Some(first) => format!("{}:{first}{second}", first.len()),
        None => [":", second].concat(),
    }
}

fn text(fields: &Fields<'_>, name: &str) -> Option<String> {
    fields.get(name).and_then(Raw::string).map(Into::into)
}
