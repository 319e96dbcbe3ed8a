//! The run that a stream tells, as AG-UI events: what is open, what is held back, and how it ends. Uses `wire`.
//!
//! ```text
//!  begin ──► RUN_STARTED ──► blocks, calls, results ──► finish: RUN_FINISHED ──┐
//!    └──────────────────────────────────────────────► fail: RUN_ERROR ─────────┴──► over: nothing more is said
//! ```
//!
//! An event opens the message or the run that it belongs to, so that no server can break an order by leaving events out.

use super::write::filled;
use crate::dialect::{Output, OutputItem};
use crate::wire::JsonWriter;

/// How many calls, open blocks or held results are remembered. More than a server has at a time, so that a hostile one
/// cannot make each look-up longer than the last.
const MANY: usize = 1000;

/// The `responseSchema` of an interrupt that asks whether a tool may be used.
const ANSWER: &str =
    r#"{"type":"object","properties":{"decision":{"enum":["approve","deny"]}},"required":["decision"]}"#;

/// The kind of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Text,
    Thinking,
}

struct ContentBlock {
    id: String,
    kind: BlockKind,
    mark: String,
}

/// How a block of text is marked that is not plain: JSON text of its `metadata.hector`. Empty: it is plain.
#[inline(never)]
pub(super) fn mark(block_type: &str, event_type: &str, error_code: &str) -> String {
    let mut json = String::new();
    if matches!(block_type, "" | "text") && event_type.is_empty() && error_code.is_empty() {
        return json;
    }
    let mut object = JsonWriter::object(&mut json);
    object.optional("blockType", filled(block_type).filter(|name| *name != "text"));
    object.optional("eventType", filled(event_type)).optional("errorCode", filled(error_code));
    object.close();
    json
}

/// The last that was said of a call's result.
pub(super) struct Held {
    pub call: String,
    pub content: String,
    pub failed: bool,
    /// Of version 2: `working` where more will come. Else empty.
    pub status: String,
}

/// Something that a person has to answer.
#[derive(Default)]
pub(super) struct Question {
    /// The interrupt's id.
    pub id: String,
    /// The call that is to be approved; empty: it is no call.
    pub call: String,
    pub tool: String,
    pub prompt: String,
    pub task: String,
}

/// One run.
#[derive(Default)]
pub(super) struct HectorRun {
    /// As the client calls them.
    pub own_thread: String,
    pub own_run: String,
    /// As the server does, once it has.
    pub context: String,
    pub task: String,
    announced: Option<(String, String)>,
    over: bool,
    made: u32,
    blocks: Vec<ContentBlock>,
    /// A call without arguments, which may still get some.
    open_call: Option<(String, bool)>,
    /// Ids and names of calls: a server tells of one again when it is approved.
    calls: Vec<(String, String)>,
    results: Vec<Held>,
    /// The questions with which the last run has ended, until one ends well.
    pub questions: Vec<Question>,
}

impl HectorRun {
    /// Begins a request. Open blocks stay open only where it joins the known run.
    pub fn renew(&mut self, thread: &str, run: &str, joins: bool) {
        (self.over, self.announced) = (false, None);
        if joins && self.task == run {
            return;
        }
        self.task.clear();
        let has_question = |id: &String| self.questions.iter().any(|question| question.call == *id);
        self.calls.retain(|(id, _)| has_question(id));
        thread.clone_into(&mut self.own_thread);
        run.clone_into(&mut self.own_run);
        self.made = 0;
        self.blocks.clear();
        self.open_call = None;
        self.results.clear();
    }

    pub fn has_begun(&self) -> bool {
        self.announced.is_some()
    }

    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Notes whose stream it is, and announces the run, once.
    pub fn begin(&mut self, thread: &str, run: &str, out: &mut Output) {
        if self.announced.is_none() && !self.over {
            out.say("RUN_STARTED", &[("threadId", thread), ("runId", run)], &[]);
            self.announced = Some((thread.to_owned(), run.to_owned()));
        }
    }

    /// An id that the server has not given.
    #[inline(never)]
    pub fn make_id(&mut self) -> String {
        self.made = self.made.wrapping_add(1);
        [&self.own_run, "-block-", &self.made.to_string()].concat()
    }

    /// The block that a part belongs to: the last of its kind, where that has the part's block id, or for a part without an id is
    /// marked alike. Else a new one, which ends the others.
    #[inline(never)]
    pub fn block_of(&mut self, kind: BlockKind, given: &str, role: &str, mark: &str, out: &mut Output) -> String {
        let last = self.blocks.iter().rev().find(|block| block.kind == kind);
        if let Some(last) = last.filter(|last| if given.is_empty() { last.mark == mark } else { last.id == given }) {
            return last.id.clone();
        }
        self.close_all(kind, out);
        let id = if given.is_empty() { self.make_id() } else { given.to_owned() };
        self.open(kind, &id, role, mark, out);
        id
    }

    /// Begins a block, if it is not open. `mark`: see [`mark`].
    #[inline(never)]
    pub fn open(&mut self, kind: BlockKind, id: &str, role: &str, mark: &str, out: &mut Output) {
        if !self.speak(out) || self.is_open(kind, id) {
            return;
        }
        if self.blocks.len() >= MANY {
            let first = self.blocks.remove(0);
            end(&first, out);
        }
        match kind {
            BlockKind::Thinking => {
                out.say("REASONING_START", &[("messageId", id)], &[]);
                out.say("REASONING_MESSAGE_START", &[("messageId", id), ("role", "reasoning")], &[]);
            }
            BlockKind::Text => {
                let members = [("messageId", id), ("role", role)];
                let metadata = [r#"{"hector":"#, mark, "}"].concat();
                let marked = [("metadata", &*metadata)];
                out.say("TEXT_MESSAGE_START", &members, if mark.is_empty() { &[] } else { &marked });
            }
        }
        self.blocks.push(ContentBlock { id: id.to_owned(), kind, mark: mark.to_owned() });
    }

    /// Adds to a block, which it opens if need be.
    #[inline(never)]
    pub fn delta(&mut self, kind: BlockKind, id: &str, delta: &str, out: &mut Output) {
        self.open(kind, id, "assistant", "", out);
        if self.speak(out) && !delta.is_empty() {
            let event = if kind == BlockKind::Text { "TEXT_MESSAGE_CONTENT" } else { "REASONING_MESSAGE_CONTENT" };
            out.say(event, &[("messageId", id), ("delta", delta)], &[]);
        }
    }

    /// Ends a block, if it is open.
    #[inline(never)]
    pub fn close(&mut self, kind: BlockKind, id: &str, out: &mut Output) {
        if let Some(at) = self.blocks.iter().position(|block| block.kind == kind && block.id == id) {
            self.close_at(at, out);
        }
    }

    fn close_at(&mut self, at: usize, out: &mut Output) {
        self.speak(out);
        end(&self.blocks.remove(at), out);
    }

    /// Ends all blocks of a kind.
    #[inline(never)]
    pub fn close_all(&mut self, kind: BlockKind, out: &mut Output) {
        while let Some(at) = self.blocks.iter().rposition(|block| block.kind == kind) {
            self.close_at(at, out);
        }
    }

    /// Adds the signature of a thought.
    pub fn sign(&mut self, id: &str, signature: &str, out: &mut Output) {
        if self.speak(out) {
            let members = [("subtype", "message"), ("entityId", id), ("encryptedValue", signature)];
            out.say("REASONING_ENCRYPTED_VALUE", &members, &[]);
        }
    }

    /// Tells of a call, once. `args`: JSON text; `None`: perhaps they follow.
    #[inline(never)]
    pub fn call(&mut self, id: &str, name: &str, args: Option<&str>, out: &mut Output) {
        if !self.speak(out) || self.knows(id) {
            return;
        }
        if self.calls.len() >= MANY {
            self.calls.remove(0);
        }
        self.calls.push((id.to_owned(), name.to_owned()));
        out.say("TOOL_CALL_START", &[("toolCallId", id), ("toolCallName", name)], &[]);
        self.open_call = Some((id.to_owned(), false));
        if let Some(args) = args {
            self.args(id, args, out);
            self.speak(out);
        }
    }

    /// A piece of the arguments. False where the call does not wait for any.
    #[inline(never)]
    pub fn args(&mut self, id: &str, delta: &str, out: &mut Output) -> bool {
        let Some((_, some)) = self.open_call.as_mut().filter(|(open, _)| open == id) else { return false };
        *some = true;
        out.say("TOOL_CALL_ARGS", &[("toolCallId", id), ("delta", delta)], &[]);
        true
    }

    /// All of the arguments, of a call that has none.
    pub fn args_once(&mut self, id: &str, args: &str, out: &mut Output) {
        if self.open_call.as_ref().is_some_and(|(_, some)| !some) {
            self.args(id, args, out);
        }
    }

    pub fn knows(&self, call: &str) -> bool {
        self.calls.iter().any(|(id, _)| id == call)
    }

    pub fn name_of(&self, call: &str) -> &str {
        self.calls.iter().rev().find(|(id, _)| id == call).map_or("", |(_, name)| name)
    }

    /// The last call of that tool.
    pub fn call_of(&self, tool: &str) -> &str {
        self.calls.iter().rev().find(|(_, name)| name == tool).map_or("", |(id, _)| id)
    }

    /// A result, which is emitted once something else follows: the server repeats it as it grows.
    #[inline(never)]
    pub fn result(&mut self, result: Held, out: &mut Output) {
        if self.over {
            return;
        }
        if self.results.len() >= MANY {
            self.speak(out);
            self.tell_results(true, out);
        }
        self.end_call(out);
        match self.results.iter_mut().find(|held| held.call == result.call) {
            Some(held) => *held = result,
            None => self.results.push(result),
        }
    }

    /// Removes the result that is held of a call.
    pub fn drop_result(&mut self, call: &str) {
        self.results.retain(|held| held.call != call);
    }

    /// Something else than what the server is known to send.
    #[inline(never)]
    pub fn custom(&mut self, name: &str, value: &str, out: &mut Output) {
        if self.speak(out) {
            out.say("CUSTOM", &[("name", name)], &[("value", value)]);
        }
    }

    /// Ends it well. `outcome`: JSON text.
    #[inline(never)]
    pub fn finish(&mut self, outcome: &str, result: Option<&str>, out: &mut Output) {
        if self.speak(out) {
            self.questions.clear();
            self.terminal(outcome, result, out);
        }
    }

    fn terminal(&mut self, outcome: &str, result: Option<&str>, out: &mut Output) {
        self.wind_up(out);
        let Some((thread, run)) = self.announced.take() else { return };
        let mut json = vec![("outcome", outcome)];
        json.extend(result.map(|result| ("result", result)));
        out.say("RUN_FINISHED", &[("threadId", &thread), ("runId", &run)], &json);
        self.over = true;
    }

    /// Ends it with an error; `code` may be empty.
    #[inline(never)]
    pub fn fail(&mut self, message: &str, code: &str, out: &mut Output) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        if self.announced.is_some() {
            self.wind_up(out);
        }
        let members = [("message", message), ("code", code)];
        let known = if code.is_empty() { 1 } else { 2 };
        out.say("RUN_ERROR", members.get(..known).unwrap_or_default(), &[]);
    }

    /// Ends it with questions.
    pub fn interrupt(&mut self, questions: Vec<Question>, out: &mut Output) {
        if !self.speak(out) {
            return;
        }
        let outcome = JsonWriter::object_text(|object| {
            object.string("type", "interrupt");
            let mut list = JsonWriter::array(object.member("interrupts"));
            for Question { id, call, tool, prompt, task } in &questions {
                let approval = !(call.is_empty() && tool.is_empty());
                let mut entry = JsonWriter::object(list.item());
                entry.string("id", id).string("reason", if approval { "tool_approval" } else { "input_required" });
                entry.optional("message", filled(prompt)).optional("toolCallId", filled(call));
                if approval {
                    entry.member("responseSchema").push_str(ANSWER);
                }
                let mut metadata = JsonWriter::object(entry.member("metadata"));
                JsonWriter::object(metadata.member("hector"))
                    .optional("taskId", filled(task))
                    .optional("toolName", filled(tool));
            }
        });
        self.terminal(&outcome, None, out);
        self.questions = questions;
    }

    fn is_open(&self, kind: BlockKind, id: &str) -> bool {
        self.blocks.iter().rev().any(|block| block.kind == kind && block.id == id)
    }

    /// An event is to come: what was held back stands before it. False where the run has ended.
    #[inline(never)]
    fn speak(&mut self, out: &mut Output) -> bool {
        if self.over {
            return false;
        }
        if self.announced.is_none() {
            let (thread, run) = (self.own_thread.clone(), self.own_run.clone());
            self.begin(&thread, &run, out);
        }
        self.end_call(out);
        self.tell_results(false, out);
        true
    }

    #[inline(never)]
    fn end_call(&mut self, out: &mut Output) {
        let Some((id, some)) = self.open_call.take() else { return };
        if !some {
            out.say("TOOL_CALL_ARGS", &[("toolCallId", &id), ("delta", "{}")], &[]);
        }
        out.say("TOOL_CALL_END", &[("toolCallId", &id)], &[]);
    }

    fn tell_results(&mut self, all: bool, out: &mut Output) {
        if self.results.is_empty() {
            return;
        }
        for held in std::mem::take(&mut self.results) {
            if held.status == "working" && !all {
                self.results.push(held);
                continue;
            }
            let Held { call, content, failed, status } = held;
            let id = [&call, ":result"].concat();
            let members = [("messageId", id.as_str()), ("toolCallId", &call), ("content", &content), ("role", "tool")];
            if !failed && status.is_empty() {
                out.say("TOOL_CALL_RESULT", &members, &[]);
                continue;
            }
            let metadata = JsonWriter::object_text(|object| {
                let mut own = JsonWriter::object(object.member("hector"));
                if failed {
                    own.member("isError").push_str("true");
                }
                own.optional("status", filled(&status));
            });
            out.say("TOOL_CALL_RESULT", &members, &[("metadata", &metadata)]);
            if failed {
                out.push(OutputItem::Failed { call, error: content });
            }
        }
    }

    fn wind_up(&mut self, out: &mut Output) {
        self.end_call(out);
        self.tell_results(true, out);
        for block in std::mem::take(&mut self.blocks) {
            end(&block, out);
        }
    }
}

fn end(block: &ContentBlock, out: &mut Output) {
    let id = [("messageId", block.id.as_str())];
    if block.kind == BlockKind::Thinking {
        out.say("REASONING_MESSAGE_END", &id, &[]);
    }
    out.say(if block.kind == BlockKind::Text { "TEXT_MESSAGE_END" } else { "REASONING_END" }, &id, &[]);
}
