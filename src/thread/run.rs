//! What a run tells besides messages and state: steps, subagents, usage, interrupts.

use super::entry::Stopwatch;
use super::patch::Patch;
use crate::wire::{Event, Fields, JsonWriter, Raw, Str, parse_time, write_json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Running,
    Complete,
    Suspended,
    Error,
}

impl Status {
    fn name(self) -> &'static str {
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
}

#[derive(Debug)]
struct Subagent {
    id: String,
    name: String,
    description: Option<String>,
    parent: Option<String>,
    parent_tool_call_id: Option<String>,
    parent_message_id: Option<String>,
    status: Status,
    /// JSON text.
    result: Option<String>,
    error: Option<String>,
    interrupt_ids: Vec<String>,
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

/// The members of an interrupt.
const INTERRUPT: [&str; 8] =
    ["id", "reason", "message", "toolCallId", "responseSchema", "expiresAt", "metadata", "subagentRunId"];

/// An interrupt that waits for an answer.
#[derive(Debug, Clone)]
pub(super) struct Interrupt {
    pub id: String,
    /// Milliseconds since 1970; never, if it does not say, or not in ISO 8601.
    pub expires: Option<f64>,
    pub tool_call_id: Option<String>,
    /// Somebody has answered it; the others have not been.
    answered: bool,
    json: String,
}

/// Everything that runs report beside the messages.
#[derive(Debug, Default)]
pub(super) struct Report {
    steps: Vec<Step>,
    subagents: Vec<Subagent>,
    usage: Vec<Usage>,
    interrupts: Vec<Interrupt>,
    /// Calls that this run has started and not answered.
    unanswered: Vec<String>,
    unsent: [bool; 4],
}

const STEPS: usize = 0;
const SUBAGENTS: usize = 1;
const USAGE: usize = 2;
const INTERRUPTS: usize = 3;

impl Report {
    pub fn interrupts(&self) -> &[Interrupt] {
        &self.interrupts
    }

    /// The calls that this run has started and not answered, in order.
    pub fn unanswered(&self) -> &[String] {
        &self.unanswered
    }

    pub fn called(&mut self, id: &str) {
        if !self.unanswered.iter().any(|call| call == id) {
            self.unanswered.push(id.to_owned());
        }
    }

    /// The calls of an earlier run are not this one's.
    pub fn forget_calls(&mut self) {
        self.unanswered.clear();
    }

    pub fn answered(&mut self, id: &str) {
        self.unanswered.retain(|call| call != id);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self { unsent: [true; 4], ..Self::default() };
    }

    /// A new run: its steps and subagents begin anew.
    pub fn started(&mut self) {
        self.unanswered.clear();
        self.mark(STEPS, !self.steps.is_empty());
        self.steps.clear();
        // A suspended subagent may go on in the next run.
        let before = self.subagents.len();
        self.subagents.retain(|subagent| subagent.status == Status::Suspended);
        self.mark(SUBAGENTS, self.subagents.len() < before);
    }

    /// The run is over; what it left open ended with it.
    pub fn ended(&mut self, well: bool, now: f64) {
        let status = if well { Status::Complete } else { Status::Error };
        let (mut steps, mut subagents) = (false, false);
        for step in self.steps.iter_mut().filter(|step| step.status == Status::Running) {
            step.status = status;
            steps |= step.time.stop(now);
        }
        for subagent in self.subagents.iter_mut().filter(|subagent| subagent.status == Status::Running) {
            subagent.status = status;
            subagents = true;
        }
        self.mark(STEPS, steps);
        self.mark(SUBAGENTS, subagents);
    }

    /// Takes the interrupts that a run has ended with. Gives the ids of those whose expiry cannot be read.
    pub fn set_interrupts(&mut self, list: Option<Raw<'_>>, tags: bool) -> Vec<String> {
        let mut unreadable = Vec::new();
        let list = list.and_then(Raw::array).unwrap_or_default();
        self.mark(INTERRUPTS, !(list.is_empty() && self.interrupts.is_empty()));
        self.interrupts = list
            .into_iter()
            .filter_map(|raw| {
                let fields = raw.object()?;
                let id = text(&fields, "id")?;
                let expiry = fields.some("expiresAt");
                let expires = expiry.and_then(Raw::string).and_then(|text| parse_time(&text));
                if expiry.is_some() && expires.is_none() {
                    unreadable.push(id.clone());
                }
                // What AG-UI 1.0 has of it; a server's `null` is read as absent, here as everywhere.
                let mut json = String::new();
                let mut object = JsonWriter::object(&mut json);
                fields
                    .iter()
                    .filter(|(key, value)| {
                        INTERRUPT.contains(&&**key) && !value.is_null() && (tags || *key != "subagentRunId")
                    })
                    .for_each(|(key, value)| {
                        object.json(&key, value.text());
                    });
                object.close();
                Some(Interrupt { id, expires, tool_call_id: text(&fields, "toolCallId"), answered: false, json })
            })
            .collect();
        unreadable
    }

    /// An interrupt was answered, which the server is told with the others; or that answer was dropped.
    pub fn mark_answered(&mut self, id: &str, answered: bool) {
        for interrupt in self.interrupts.iter_mut().filter(|interrupt| interrupt.id == id) {
            interrupt.answered = answered;
        }
        self.mark(INTERRUPTS, true);
    }

    /// An interrupt is open no more.
    pub fn close_interrupt(&mut self, id: &str) {
        let before = self.interrupts.len();
        self.interrupts.retain(|interrupt| interrupt.id != id);
        self.mark(INTERRUPTS, self.interrupts.len() < before);
    }

    /// Adds a run's usage to the thread's, by provider and model.
    pub fn add_usage(&mut self, list: Option<Raw<'_>>) {
        for fields in list.and_then(Raw::array).unwrap_or_default().into_iter().filter_map(Raw::object) {
            let (provider, model) = (text(&fields, "provider"), text(&fields, "model"));
            let known = self.usage.iter().position(|u| u.provider == provider && u.model == model);
            let at = known.unwrap_or_else(|| {
                self.usage.push(Usage { provider, model, counts: Default::default() });
                self.usage.len() - 1
            });
            let Some(usage) = self.usage.get_mut(at) else { continue };
            for (count, name) in usage.counts.iter_mut().zip(COUNTS) {
                // Token counts are whole numbers; one that is not is dropped, the answer stays.
                let more = fields.get(name).and_then(Raw::whole);
                // "Not reported" stays apart from 0.
                *count = more.map(|more| count.unwrap_or(0).saturating_add(more)).or(*count);
            }
            self.mark(USAGE, true);
        }
    }

    /// Takes a STEP_* or SUBAGENT_* event. The end of what never began has no effect.
    pub fn apply(&mut self, event: Event<'_>, owner: Option<&str>, now: f64) {
        match event {
            Event::StepStarted { step_name } => {
                let mut time = Stopwatch::default();
                time.start(now);
                let (name, owner) = (step_name.to_text(), owner.map(Into::into));
                self.steps.push(Step { name, owner, status: Status::Running, time });
                self.mark(STEPS, true);
            }
            Event::StepFinished { step_name } => {
                let step_name = step_name.decode();
                let is =
                    |s: &&mut Step| s.status == Status::Running && s.name == step_name && s.owner.as_deref() == owner;
                if let Some(step) = self.steps.iter_mut().rev().find(is) {
                    step.status = Status::Complete;
                    step.time.stop(now);
                    self.mark(STEPS, true);
                }
            }
            _ => {
                self.subagent(event, owner.unwrap_or_default());
                self.mark(SUBAGENTS, true);
            }
        }
    }

    fn subagent(&mut self, event: Event<'_>, id: &str) {
        let own = |text: Option<Str<'_>>| text.map(Str::to_text);
        let known = self.subagents.iter_mut().find(|subagent| subagent.id == id);
        match (event, known) {
            (
                Event::SubagentStarted {
                    name,
                    description,
                    parent_subagent_run_id,
                    parent_tool_call_id,
                    parent_message_id,
                },
                _,
            ) => {
                self.subagents.retain(|subagent| subagent.id != id);
                self.subagents.push(Subagent {
                    id: id.to_owned(),
                    name: name.to_text(),
                    description: own(description),
                    parent: own(parent_subagent_run_id),
                    parent_tool_call_id: own(parent_tool_call_id),
                    parent_message_id: own(parent_message_id),
                    status: Status::Running,
                    result: None,
                    error: None,
                    interrupt_ids: Vec::new(),
                });
            }
            (Event::SubagentFinished { result, outcome }, Some(subagent)) => {
                let outcome = outcome.and_then(Raw::object);
                let suspended = outcome.as_ref().and_then(|o| o.get("type")).and_then(Raw::string);
                subagent.status = match suspended.as_deref() {
                    Some("suspended") => Status::Suspended,
                    _ => Status::Complete,
                };
                let ids = outcome.and_then(|o| o.some("interruptIds")).and_then(Raw::array).unwrap_or_default();
                subagent.interrupt_ids = ids.into_iter().filter_map(Raw::string).map(Into::into).collect();
                subagent.result = result.map(|raw| raw.text().to_owned());
            }
            (Event::SubagentError { message, .. }, Some(subagent)) => {
                subagent.status = Status::Error;
                subagent.error = Some(message.to_text());
            }
            _ => {}
        }
    }

    fn mark(&mut self, list: usize, changed: bool) {
        if let Some(unsent) = self.unsent.get_mut(list) {
            *unsent |= changed;
        }
    }

    pub fn write(&mut self, patch: &mut Patch) {
        let [steps, subagents, usage, interrupts] = std::mem::take(&mut self.unsent);
        let write = |patch: &mut Patch, path: &str, unsent: bool, list: &dyn Fn(&mut String)| {
            if unsent {
                patch.reconcile(path, list);
            }
        };
        write(patch, "\"steps\"", steps, &|out| self.write_steps(out));
        write(patch, "\"subagents\"", subagents, &|out| self.write_subagents(out, None, 0));
        write(patch, "\"usage\"", usage, &|out| self.write_usage(out));
        write(patch, "\"interrupts\"", interrupts, &|out| self.write_interrupts(out));
    }

    pub fn write_interrupts(&self, out: &mut String) {
        let mut list = JsonWriter::array(out);
        for interrupt in &self.interrupts {
            let out = list.item();
            write_json(out, &interrupt.json);
            // The text is that of an object with at least its id.
            if interrupt.answered && out.pop().is_some() {
                out.push_str(",\"answered\":true}");
            }
        }
        list.close();
    }

    fn write_steps(&self, out: &mut String) {
        let mut list = JsonWriter::array(out);
        for step in &self.steps {
            let mut object = JsonWriter::object(list.item());
            object
                .string("name", &step.name)
                .string("status", step.status.name())
                .optional("subagentRunId", step.owner.as_deref())
                .number("durationMs", step.time.total);
            object.close();
        }
        list.close();
    }

    /// Writes the subagents below `parent`. One whose parent is unknown stands at the root.
    fn write_subagents(&self, out: &mut String, parent: Option<&str>, depth: usize) {
        let known = |id: &str| self.subagents.iter().any(|subagent| subagent.id == id);
        let mut list = JsonWriter::array(out);
        // A cycle of parents cannot be reached from the root; the depth bounds what a hostile chain costs.
        let below = |s: &&Subagent| s.parent.as_deref().filter(|p| known(p) && *p != s.id) == parent && depth < 64;
        for subagent in self.subagents.iter().filter(below) {
            let mut object = JsonWriter::object(list.item());
            object
                .string("subagentRunId", &subagent.id)
                .string("name", &subagent.name)
                .optional("description", subagent.description.as_deref())
                .optional("parentSubagentRunId", subagent.parent.as_deref())
                .optional("parentToolCallId", subagent.parent_tool_call_id.as_deref())
                .optional("parentMessageId", subagent.parent_message_id.as_deref())
                .string("status", subagent.status.name());
            if let Some(result) = &subagent.result {
                object.json("result", result);
            }
            object.optional("error", subagent.error.as_deref());
            if !subagent.interrupt_ids.is_empty() {
                object.strings("interruptIds", subagent.interrupt_ids.iter().map(String::as_str));
            }
            self.write_subagents(object.member("children"), Some(&subagent.id), depth + 1);
            object.close();
        }
        list.close();
    }

    fn write_usage(&self, out: &mut String) {
        let mut list = JsonWriter::array(out);
        for usage in &self.usage {
            let mut object = JsonWriter::object(list.item());
            object.optional("provider", usage.provider.as_deref()).optional("model", usage.model.as_deref());
            for (name, count) in COUNTS.into_iter().zip(usage.counts) {
                object.number(name, count);
            }
            object.close();
        }
        list.close();
    }
}

fn text(fields: &Fields<'_>, name: &str) -> Option<String> {
    fields.get(name).and_then(Raw::string).map(Into::into)
}
