//! The thread before a run, to go back to when the run is replayed from its beginning.

use super::entry::{CallPhase, Entry};
use super::{At, Edited, Index, Thread, ThreadLimits};
use crate::wire::{Content, JsonWriter, Raw, ToolCall};

/// What a run may change, as it was.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    /// The messages that there were; `message` of each is its place in `sizes`.
    messages: Index,
    sizes: Vec<Size>,
    /// The ids of the calls that there were.
    calls: Index,
    /// JSON text.
    state: String,
}

/// How large a message was. A stream may write on in one that it made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    content: usize,
    reasoning: usize,
    calls: usize,
    /// Bytes of the arguments of the last call.
    args: usize,
}

/// A message that grows no more, or whose size is not known.
const WHOLE: Size = Size { content: usize::MAX, reasoning: usize::MAX, calls: usize::MAX, args: usize::MAX };

impl Size {
    fn of(entry: &Entry) -> Self {
        let content = match &entry.message.content {
            Content::Text(text) => text.len(),
            Content::None => 0,
            _ => usize::MAX,
        };
        let calls = &entry.message.tool_calls;
        Self {
            content,
            reasoning: entry.reasoning.as_ref().map_or(0, |reasoning| reasoning.text.len()),
            calls: calls.len(),
            args: calls.last().map_or(0, |call| call.arguments.len()),
        }
    }

    /// Takes back what was added since. `known`: the calls that there were, wherever they stood.
    fn cut(self, entry: &mut Entry, known: &Index) {
        // The last of the calls that it had then.
        let last = self.calls.wrapping_sub(1);
        if let Content::Text(text) = &mut entry.message.content {
            shorten(text, self.content);
        }
        if let Some(reasoning) = &mut entry.reasoning {
            shorten(&mut reasoning.text, self.reasoning);
        }
        if let (Some(call), Some(state)) = (entry.message.tool_calls.get_mut(last), entry.calls.get_mut(last))
            && call.arguments.len() != self.args
        {
            shorten(&mut call.arguments, self.args);
            state.replace_args();
        }
        let calls = std::mem::take(&mut entry.message.tool_calls).into_iter().zip(std::mem::take(&mut entry.calls));
        let stays = |(at, (call, _)): &(usize, (ToolCall, _))| *at < self.calls || known.contains_key(&call.id);
        (entry.message.tool_calls, entry.calls) = calls.enumerate().filter(stays).map(|(_, call)| call).unzip();
        for state in &mut entry.calls {
            state.changed = true;
        }
        entry.unsent.whole = true;
    }
}

fn shorten(text: &mut String, length: usize) {
    if text.is_char_boundary(length) {
        text.truncate(length);
    }
}

impl Checkpoint {
    /// Writes it as JSON text, for [`Self::read`]: `{messages, calls, state, grown?}`, where `grown` has the sizes of those
    /// messages that have grown since.
    pub(crate) fn write(&self, out: &mut String, thread: &Thread) {
        let mut object = JsonWriter::object(out);
        object.strings("messages", self.messages.keys());
        object.strings("calls", self.calls.keys()).json("state", &self.state);
        let entries = thread.list.iter();
        let mut grown = entries
            .filter_map(|entry| Some((entry, self.size(&entry.message.id)?)))
            .filter(|(entry, size)| *size != WHOLE && *size != Size::of(entry))
            .peekable();
        if grown.peek().is_some() {
            let mut sizes = JsonWriter::object(object.member("grown"));
            for (entry, size) in grown {
                let mut list = JsonWriter::array(sizes.member(&entry.message.id));
                for number in [size.content, size.reasoning, size.calls, size.args] {
                    list.item().push_str(&number.to_string());
                }
                list.close();
            }
            sizes.close();
        }
        object.close();
    }

    fn size(&self, id: &str) -> Option<Size> {
        self.sizes.get(self.messages.get(id)?.message).copied()
    }

    fn add(&mut self, id: String, size: Size) {
        self.messages.insert(id, At { message: self.sizes.len(), call: 0 });
        self.sizes.push(size);
    }

    pub(crate) fn read(raw: Raw<'_>) -> Option<Self> {
        let fields = raw.object()?;
        let state = fields.get("state")?.text().to_owned();
        let mut checkpoint = Self { messages: Index::new(), sizes: Vec::new(), calls: Index::new(), state };
        let calls = fields.some("calls").and_then(Raw::array).unwrap_or_default();
        checkpoint.calls.extend(calls.into_iter().filter_map(|id| Some((id.string()?.into_owned(), At::default()))));
        let grown = fields.some("grown").and_then(Raw::object);
        for id in fields.get("messages")?.array()? {
            let id = id.string()?.into_owned();
            let sizes = grown.as_ref().and_then(|grown| grown.get(&id)?.array());
            let sizes: Vec<usize> =
                sizes.into_iter().flatten().filter_map(Raw::whole).map(|size| size as usize).collect();
            let size = match sizes[..] {
                [content, reasoning, calls, args] => Size { content, reasoning, calls, args },
                _ => WHOLE,
            };
            checkpoint.add(id, size);
        }
        Some(checkpoint)
    }

    /// The application has edited the thread. Messages that it has added are not the run's to tell, and older ones that say
    /// something else now are the application's.
    pub(crate) fn keep(&mut self, edited: Edited) {
        for id in edited.added {
            self.add(id, WHOLE);
        }
        for id in edited.rewritten {
            let size = self.messages.get(&id).and_then(|at| self.sizes.get_mut(at.message));
            size.into_iter().for_each(|size| *size = WHOLE);
        }
    }
}

/// An answer that the page has given to a call.
#[derive(Debug)]
pub(crate) struct LocalAnswer {
    pub call: String,
    pub content: String,
    pub error: Option<String>,
    pub denied: bool,
}

impl LocalAnswer {
    /// Writes it as JSON text, for [`Self::read`].
    pub(crate) fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("call", &self.call).string("content", &self.content).optional("error", self.error.as_deref());
        object.flag("denied", self.denied);
        object.close();
    }

    pub(crate) fn read(raw: Raw<'_>) -> Option<Self> {
        let fields = raw.object()?;
        let string = |name: &str| fields.get(name).and_then(Raw::string).map(String::from);
        let denied = fields.get("denied").and_then(Raw::boolean) == Some(true);
        Some(Self { call: string("call")?, content: string("content")?, error: string("error"), denied })
    }
}

impl Entry {
    fn denied(&self) -> impl Iterator<Item = String> {
        let calls = self.message.tool_calls.iter().zip(&self.calls);
        calls.filter(|(_, state)| state.phase == CallPhase::Denied).map(|(call, _)| call.id.clone())
    }
}

impl Thread {
    /// Notes where the thread stands.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let mut state = String::new();
        self.state.value().write(&mut state);
        let mut checkpoint = Checkpoint { messages: Index::new(), sizes: Vec::new(), calls: Index::new(), state };
        for entry in self.list.iter() {
            checkpoint.calls.extend(entry.message.tool_calls.iter().map(|call| (call.id.clone(), At::default())));
            checkpoint.add(entry.message.id.clone(), Size::of(entry));
        }
        checkpoint
    }

    /// Forgets what the run has told since. Gives the answers that the page has added to its calls, for they do not come
    /// again.
    pub(crate) fn go_back(&mut self, checkpoint: &Checkpoint) -> Vec<LocalAnswer> {
        let mut answers = Vec::new();
        let mut entries = self.list.take();
        let denied_calls: Vec<String> = entries.iter().flat_map(Entry::denied).collect();
        for entry in &mut entries {
            if let Some(size) =
                checkpoint.size(&entry.message.id).filter(|size| *size != WHOLE && *size != Size::of(entry))
            {
                size.cut(entry, &checkpoint.calls);
            }
        }
        let mut kept_calls = Index::new();
        for entry in entries.iter().filter(|entry| checkpoint.messages.contains_key(&entry.message.id)) {
            for call in &entry.message.tool_calls {
                kept_calls.insert(call.id.clone(), At { message: 0, call: 0 });
            }
        }
        let mut denied = Index::new();
        for call in denied_calls {
            denied.insert(call, At::default());
        }
        entries.retain(|entry| {
            let answers_kept = entry.message.tool_call_id.as_ref().is_some_and(|call| kept_calls.contains_key(call));
            let keep = checkpoint.messages.contains_key(&entry.message.id) || entry.local && answers_kept;
            if let (false, true, Some(call)) = (keep, entry.local, &entry.message.tool_call_id) {
                answers.push(LocalAnswer {
                    call: call.clone(),
                    content: entry.message.content.text().to_owned(),
                    error: entry.message.error.clone(),
                    denied: denied.contains_key(call),
                });
            }
            keep
        });
        self.list.replace(entries);
        self.calls_lost = true;
        if let Ok(state) = Raw::parse(&checkpoint.state, usize::MAX) {
            // It was within the limits.
            self.state.receive(state, ThreadLimits { state_bytes: usize::MAX, ..self.limits });
        }
        self.report.started();
        answers
    }
}
