//! Subagents: a tree in the snapshot.
//!
//! Where one stands is settled when it starts: among the children of its parent, or at the root where that has not
//! started. Only what is new or other is written.

use super::list::{At, Index};
use super::patch::Patch;
use super::run::Status;
use crate::wire::{Event, Gather, JsonWriter, Raw, Str, write_json, write_string};

/// Deeper ones stand at this level: each path to one is written with the patches of what it does.
const MAX_DEPTH: usize = 64;

/// The members that may change.
const MEMBERS: [&str; 9] = [
    "name",
    "description",
    "parentSubagentRunId",
    "parentToolCallId",
    "parentMessageId",
    "status",
    "result",
    "error",
    "interruptIds",
];
const STATUS: u16 = 1 << 5;
const RESULT: u16 = 1 << 6;
const ERROR: u16 = 1 << 7;
const INTERRUPTS: u16 = 1 << 8;
const ALL: u16 = (1 << 9) - 1;

#[derive(Debug)]
struct Subagent {
    id: String,
    /// Strings, by their place in [`MEMBERS`].
    texts: [Option<String>; 5],
    status: Status,
    /// JSON text.
    result: Option<String>,
    error: Option<String>,
    interrupt_ids: Vec<String>,
    /// It was suspended before this run began, and nothing has come for it since.
    carried: bool,
    /// Whose child it is, and where among the children.
    parent: Option<usize>,
    place: usize,
    depth: usize,
    children: Vec<usize>,
    /// The mirror has it, but for these members.
    sent: bool,
    unsent: u16,
}

/// All of them, in the order in which they started.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    list: Vec<Subagent>,
    index: Index,
    roots: Vec<usize>,
    running: Vec<usize>,
    touched: Vec<usize>,
    /// The tree is to be written whole.
    all: bool,
}

impl Subagents {
    /// Their bytes, roughly; `element`: what each takes beside its texts.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn size(&self, element: usize) -> usize {
        let size = |subagent: &Subagent| {
            let texts = subagent.texts.iter().chain([&subagent.result, &subagent.error]).flatten();
            let ids = subagent.interrupt_ids.iter().chain([&subagent.id]);
            element + texts.chain(ids).map(String::len).sum::<usize>()
        };
        self.list.iter().map(size).sum()
    }

    pub fn clear(&mut self) {
        *self = Self { all: true, ..Self::default() };
    }

    /// A run begins: those that the last one has suspended may continue.
    pub fn keep_suspended(&mut self) {
        if self.list.is_empty() {
            return;
        }
        let before = std::mem::take(self);
        self.all = true;
        for mut subagent in before.list {
            if subagent.status == Status::Suspended && !subagent.carried {
                subagent.carried = true;
                self.add(subagent);
            }
        }
    }

    /// The run is over.
    pub fn end(&mut self, status: Status) {
        for at in std::mem::take(&mut self.running) {
            if let Some(subagent) = self.list.get_mut(at).filter(|subagent| subagent.status == Status::Running) {
                subagent.status = status;
                self.touch(at, STATUS);
            }
        }
    }

    /// Takes a SUBAGENT_* event. The end of what never began has no effect.
    pub fn apply(&mut self, event: Event<'_>, id: &str) {
        let known = self.index.get(id).map(|at| at.message);
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
                let own = |text: Option<Str<'_>>| text.map(Str::to_text);
                let texts = [
                    Some(name.to_text()),
                    own(description),
                    own(parent_subagent_run_id),
                    own(parent_tool_call_id),
                    own(parent_message_id),
                ];
                self.start(id, known, texts);
            }
            (Event::SubagentFinished { result, outcome }, Some(at)) => {
                let outcome = outcome.and_then(Raw::object);
                let suspended = outcome.as_ref().and_then(|o| o.get("type")).and_then(Raw::string);
                let ids = outcome.and_then(|o| o.some("interruptIds")).and_then(Raw::array).unwrap_or_default();
                if let Some(subagent) = self.list.get_mut(at) {
                    subagent.status = match suspended.as_deref() {
                        Some("suspended") => Status::Suspended,
                        _ => Status::Complete,
                    };
                    subagent.interrupt_ids = ids.into_iter().filter_map(Raw::string).map(Into::into).gather();
                    subagent.result = result.map(|raw| raw.text().to_owned());
                }
                self.touch(at, STATUS | RESULT | INTERRUPTS);
            }
            (Event::SubagentError { message, .. }, Some(at)) => {
                if let Some(subagent) = self.list.get_mut(at) {
                    subagent.status = Status::Error;
                    subagent.error = Some(message.to_text());
                }
                self.touch(at, STATUS | ERROR);
            }
            _ => {}
        }
    }

    /// One that was there before begins anew in its place, with the children that it has.
    fn start(&mut self, id: &str, known: Option<usize>, texts: [Option<String>; 5]) {
        let at = match known.and_then(|at| Some((at, self.list.get_mut(at)?))) {
            Some((at, subagent)) => {
                (subagent.texts, subagent.status) = (texts, Status::Running);
                (subagent.result, subagent.error, subagent.interrupt_ids) = (None, None, Vec::new());
                at
            }
            None => self.add(Subagent {
                id: id.to_owned(),
                texts,
                status: Status::Running,
                result: None,
                error: None,
                interrupt_ids: Vec::new(),
                carried: false,
                parent: None,
                place: 0,
                depth: 0,
                children: Vec::new(),
                sent: false,
                unsent: 0,
            }),
        };
        self.running.push(at);
        self.touch(at, ALL);
    }

    fn add(&mut self, mut subagent: Subagent) -> usize {
        let at = self.list.len();
        let named = subagent.texts.get(2).and_then(Option::as_ref);
        let mut parent = named.and_then(|id| self.index.get(id)).map(|at| at.message);
        // One level up, where it would be too deep.
        if parent.and_then(|at| self.list.get(at)).is_some_and(|parent| parent.depth + 1 >= MAX_DEPTH) {
            parent = parent.and_then(|at| self.list.get(at)?.parent);
        }
        subagent.children = Vec::new();
        (subagent.sent, subagent.unsent) = (false, 0);
        subagent.depth = match parent.and_then(|at| self.list.get_mut(at)) {
            Some(above) => {
                subagent.place = above.children.len();
                above.children.push(at);
                above.depth + 1
            }
            None => {
                subagent.place = self.roots.len();
                self.roots.push(at);
                0
            }
        };
        subagent.parent = parent;
        self.index.insert(subagent.id.clone(), At { message: at, call: 0 });
        self.list.push(subagent);
        at
    }

    fn touch(&mut self, at: usize, members: u16) {
        let Some(subagent) = self.list.get_mut(at) else { return };
        if subagent.unsent == 0 {
            self.touched.push(at);
        }
        subagent.unsent |= members;
        subagent.carried = false;
    }

    pub fn write(&mut self, patch: &mut Patch) {
        let touched = std::mem::take(&mut self.touched);
        if std::mem::take(&mut self.all) {
            patch.reconcile("\"subagents\"", |out| self.write_list(&self.roots, out));
            for subagent in &mut self.list {
                (subagent.sent, subagent.unsent) = (true, 0);
            }
            return;
        }
        let mut rest = touched.as_slice();
        let mut above = None;
        while let Some(&at) = rest.first() {
            let fresh = self.siblings(rest);
            if fresh > 0 {
                let (siblings, others) = rest.split_at_checked(fresh).unwrap_or((rest, &[]));
                self.write_fresh(siblings, &mut above, patch);
                rest = others;
                continue;
            }
            rest = rest.get(1..).unwrap_or_default();
            let path = self.path(at, &mut above);
            let Some(subagent) = self.list.get_mut(at) else { continue };
            let unsent = std::mem::take(&mut subagent.unsent);
            for (number, name) in MEMBERS.iter().enumerate().filter(|(number, _)| unsent >> number & 1 == 1) {
                let path = format!("{path},\"{name}\"");
                if subagent.has(number) {
                    patch.reconcile(&path, |out| subagent.write_member(number, out));
                } else {
                    patch.remove(&path);
                }
            }
        }
    }

    /// With how many the list begins that the mirror does not have, and that stand one after the other.
    fn siblings(&self, list: &[usize]) -> usize {
        let mut before: Option<&Subagent> = None;
        let follows = |at: &&usize| {
            let next = self.list.get(**at).filter(|next| !next.sent);
            let next = next.filter(|next| before.is_none_or(|b| b.parent == next.parent && b.place + 1 == next.place));
            before = next;
            next.is_some()
        };
        list.iter().take_while(follows).count()
    }

    /// Writes new ones that stand one after the other: the path to them may be long.
    fn write_fresh(&mut self, siblings: &[usize], above: &mut Option<(usize, String)>, patch: &mut Patch) {
        let Some(first) = siblings.first().and_then(|at| self.list.get(*at)) else { return };
        let path = match first.parent {
            Some(at) => self.path(at, above) + ",\"children\"",
            None => "\"subagents\"".to_owned(),
        };
        patch.extend(&path, first.place, |list| {
            for subagent in siblings.iter().filter_map(|at| self.list.get(*at)) {
                let mut object = JsonWriter::object(list.item());
                subagent.write_members(&mut object);
                // Its children come after it.
                object.member("children").push_str("[]");
                object.close();
            }
        });
        for at in siblings {
            if let Some(subagent) = self.list.get_mut(*at) {
                (subagent.sent, subagent.unsent) = (true, 0);
            }
        }
    }

    /// The path to one of them. `above`: whose path was asked for last, because one below it was wanted, and that path.
    fn path(&self, at: usize, above: &mut Option<(usize, String)>) -> String {
        let Some(Subagent { parent, place, .. }) = self.list.get(at) else { return String::new() };
        let Some(parent) = *parent else { return format!("\"subagents\",{place}") };
        if above.as_ref().is_none_or(|(known, _)| *known != parent) {
            let path = self.path(parent, above);
            *above = Some((parent, path));
        }
        let above = above.as_ref().map(|(_, path)| &**path).unwrap_or_default();
        [above, ",\"children\",", &place.to_string()].concat()
    }

    fn write_list(&self, places: &[usize], out: &mut String) {
        let mut list = JsonWriter::array(out);
        for subagent in places.iter().filter_map(|at| self.list.get(*at)) {
            let mut object = JsonWriter::object(list.item());
            subagent.write_members(&mut object);
            self.write_list(&subagent.children, object.member("children"));
            object.close();
        }
        list.close();
    }
}

impl Subagent {
    fn write_members(&self, object: &mut JsonWriter<'_>) {
        object.string("subagentRunId", &self.id);
        for (number, name) in MEMBERS.iter().enumerate().filter(|(number, _)| self.has(*number)) {
            self.write_member(number, object.member(name));
        }
    }

    fn has(&self, number: usize) -> bool {
        match number {
            5 => true,
            6 => self.result.is_some(),
            7 => self.error.is_some(),
            8 => !self.interrupt_ids.is_empty(),
            _ => self.texts.get(number).is_some_and(Option::is_some),
        }
    }

    fn write_member(&self, number: usize, out: &mut String) {
        match number {
            5 => write_string(out, self.status.name()),
            6 => write_json(out, self.result.as_deref().unwrap_or("null")),
            7 => write_string(out, self.error.as_deref().unwrap_or_default()),
            8 => {
                let mut list = JsonWriter::array(out);
                self.interrupt_ids.iter().for_each(|id| write_string(list.item(), id));
                list.close();
            }
            _ => write_string(out, self.texts.get(number).and_then(Option::as_deref).unwrap_or_default()),
        }
    }
}
