//! The thread before a run, to go back to when the run is replayed from its beginning.

use super::entry::Entry;
use super::list::MessageList;
use crate::document::*;
use crate::wire::{At, Gather, Index, JsonWriter, Keyed, Raw, Tree};

/// The state before a run, of all that it may change.
#[derive(Debug)]
pub(crate) struct Baseline {
    /// The messages that there were.
    messages: Keyed<Size>,
    /// The calls that there were; `call` of each is the bytes of its arguments: a stream may start a call again that there was
    /// before.
    calls: Index,
    pub(super) state: Tree,
}

/// How large a message was: the bytes of its content and of its reasoning, and how many calls it had. A stream may write on in one that
/// it made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size([usize; 3]);

/// A message that no longer grows, or whose size is not known.
const WHOLE: Size = Size([usize::MAX; 3]);

impl Size {
    fn of(entry: &Entry) -> Self {
        let content = if entry.row.tree(CONTENT).is_some() { usize::MAX } else { entry.text().len() };
        Self([content, entry.row.text(REASONING).len(), entry.calls.len()])
    }

    /// Whether a message has another one by now.
    fn differs(self, entry: &Entry) -> bool {
        self != WHOLE && self != Self::of(entry)
    }

    /// Takes back what was added since. `known`: the calls that there were, wherever they stood.
    fn cut(self, entry: &mut Entry, known: &Index) {
        let Self([content, reasoning, calls]) = self;
        shorten(&mut entry.row, CONTENT, content);
        shorten(&mut entry.row, REASONING, reasoning);
        let before = entry.calls.len();
        let mut at = 0;
        entry.calls.retain(|call| {
            at += 1;
            at <= calls || known.contains_key(call.id())
        });
        if entry.calls.len() < before {
            entry.row.mark(CALLS);
        }
    }
}

fn shorten(row: &mut Row, member: usize, length: usize) {
    if let Some(start) = row.some(member).and_then(|text| text.get(..length)).map(String::from) {
        row.set(member, Value::Text(start));
    }
}

impl Baseline {
    fn new(state: Tree) -> Self {
        Self { messages: Keyed::default(), calls: Index::new(), state }
    }

    /// Notes where the thread stands.
    pub(super) fn of(list: &MessageList, state: Tree) -> Self {
        let mut baseline = Self::new(state);
        for entry in list.iter() {
            for call in &entry.calls {
                baseline.add_call(call.id().to_owned(), call.arguments().len());
            }
            baseline.add(entry.id(), Size::of(entry));
        }
        baseline
    }

    /// Writes it as JSON text, for [`Self::read`]: `{messages, calls, state, grown?, args?}`, where `grown` has the sizes
    /// of those messages that have grown since, and `args` those of the arguments of calls.
    pub(super) fn write(&self, out: &mut String, list: &MessageList) {
        let mut object = JsonWriter::object(out);
        object.strings("messages", self.messages.keys());
        object.strings("calls", self.calls.keys()).tree("state", Some(&self.state));
        let (mut grown, mut args) = (String::new(), String::new());
        let (mut sizes, mut lengths) = (JsonWriter::object(&mut grown), JsonWriter::object(&mut args));
        for entry in list.iter() {
            if let Some(size) = self.size(entry.id()).filter(|size| size.differs(entry)) {
                let mut numbers = JsonWriter::array(sizes.member(entry.id()));
                for number in size.0 {
                    numbers.item().push_str(&number.to_string());
                }
            }
            for call in &entry.calls {
                lengths.number(call.id(), self.grown(call).map(|length| length as u64));
            }
        }
        sizes.close();
        lengths.close();
        for (name, json) in [("grown", grown), ("args", args)].into_iter().filter(|(_, json)| json != "{}") {
            object.json(name, &json);
        }
    }

    /// The size that the arguments of a call had that are longer now.
    fn grown(&self, call: &Call) -> Option<usize> {
        let size = self.calls.get(call.id())?.call;
        (size < call.arguments().len()).then_some(size)
    }

    pub(crate) fn has_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    fn add_call(&mut self, id: String, args: usize) {
        self.calls.insert(id, At { message: 0, call: args });
    }

    fn size(&self, id: &str) -> Option<Size> {
        self.messages.get(id).copied()
    }

    fn add(&mut self, id: &str, size: Size) {
        // Servers give the results of several calls one id: which of them a size is of is not known.
        match self.messages.get_mut(id) {
            Some(known) => *known = WHOLE,
            None => self.messages.push(id, size),
        }
    }

    /// `list` is the one that [`Self::write`] was given: what has not grown is as large as it is there.
    pub(super) fn read(raw: Raw<'_>, list: &MessageList) -> Option<Self> {
        let fields = raw.object()?;
        let mut baseline = Self::new(Tree::read(fields.get("state")?));
        let now = Self::of(list, Tree::default());
        let args = fields.object("args");
        for id in fields.list("calls").into_iter().filter_map(Raw::string) {
            let before = args.as_ref().and_then(|args| args.get(&id)?.whole()).map(|size| size as usize);
            let size = before.or_else(|| Some(now.calls.get(&id)?.call));
            baseline.add_call(id.into_owned(), size.unwrap_or(usize::MAX));
        }
        let grown = fields.object("grown");
        for id in fields.get("messages")?.array()? {
            let id = id.string()?;
            let sizes = grown.as_ref().and_then(|grown| grown.get(&id)?.array());
            let sizes: Vec<usize> =
                sizes.into_iter().flatten().filter_map(Raw::whole).map(|size| size as usize).gather();
            let size = <[usize; 3]>::try_from(sizes).map_or_else(|_| now.size(&id).unwrap_or(WHOLE), Size);
            baseline.add(&id, size);
        }
        // A page without a core has put more of these into the save. They are none of the run's to tell.
        for entry in list.iter().filter(|entry| entry.role() == Role::User) {
            if !baseline.messages.has(entry.id()) {
                baseline.add(entry.id(), WHOLE);
            }
        }
        Some(baseline)
    }

    /// Takes the messages back to where they stood. Gives the answers that the page has added to calls of the run, for they do not
    /// come again.
    pub(super) fn roll_back(&self, list: &mut MessageList) -> Vec<Row> {
        let mut answers = Vec::new();
        let mut entries = list.take();
        let denied = entries.iter().flat_map(|entry| &entry.calls).filter(|call| call.phase() == CallPhase::Denied);
        let denied = Index::of(denied.map(Call::id));
        for entry in &mut entries {
            if let Some(size) = self.size(entry.id()).filter(|size| size.differs(entry)) {
                size.cut(entry, &self.calls);
            }
            for call in &mut entry.calls {
                if let Some(size) = self.grown(call) {
                    shorten(&mut call.row, ARGUMENTS, size);
                    call.checked = None;
                }
            }
        }
        let kept = entries.iter().filter(|entry| self.messages.has(entry.id()));
        let kept_calls = Index::of(kept.flat_map(|entry| &entry.calls).map(Call::id));
        let mut left = Vec::new();
        for entry in entries {
            let answers_kept = entry.call_id().is_some_and(|call| kept_calls.contains_key(call));
            // A list of the run may have put an older call into a message of its own, with which it goes.
            let there = self.messages.has(entry.id()) && (answers_kept || !entry.page);
            if there || entry.local && answers_kept {
                left.push(entry);
            } else if let (true, Some(call)) = (entry.local, entry.call_id()) {
                answers.push(local_answer(call, entry.text(), entry.row.some(ERROR), denied.contains_key(call)));
            }
        }
        list.replace(left);
        answers
    }

    /// The application has added messages: they are not the run's to tell.
    pub(crate) fn keep(&mut self, added: Vec<String>) {
        for id in added {
            self.add(&id, WHOLE);
        }
    }

    /// A list of messages, of the server or of the application, has put something else in place of what these had: how large
    /// that was says nothing of it.
    pub(crate) fn rewritten(&mut self, messages: &[String], calls: &[String]) {
        for id in messages {
            self.messages.get_mut(id).into_iter().for_each(|size| *size = WHOLE);
        }
        for id in calls {
            self.calls.get_mut(id).into_iter().for_each(|at| at.call = usize::MAX);
        }
    }
}
