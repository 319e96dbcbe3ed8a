//! Subagents: a tree in the snapshot.
//!
//! Where one stands is settled when it starts: among the children of its parent, or at the root where that has not
//! started. Only what is new or other is written.

use crate::document::*;
use crate::wire::{At, Event, Index, JsonWriter, Raw, Str, write_string};

/// Deeper ones stand at this level: each path to one is written with the patches of what it does.
const MAX_DEPTH: usize = 64;

#[derive(Debug, Default)]
struct Subagent {
    row: Row,
    /// It was suspended before this run began, and nothing has come for it since.
    carried: bool,
    /// The parent, and the place among its children.
    parent: Option<usize>,
    place: usize,
    depth: usize,
    children: Vec<usize>,
    /// The mirror has it.
    sent: bool,
    /// Noted for the next patch.
    touched: bool,
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
        self.list.iter().map(|subagent| element + subagent.row.bytes()).sum()
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
            if subagent.has(Status::Suspended) && !subagent.carried {
                subagent.carried = true;
                self.add(subagent);
            }
        }
    }

    /// The run is over.
    pub fn end(&mut self, status: Status) {
        for at in std::mem::take(&mut self.running) {
            if self.list.get(at).is_some_and(|subagent| subagent.has(Status::Running)) {
                self.change(at).into_iter().for_each(|row| row.set_word(SUBAGENT_STATUS, status as u8));
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
                let mut row = Row::new(SUBAGENT);
                row.set_text(SUBAGENT_ID, id);
                let mut own = |member, text: Option<Str<'_>>| row.set_some(member, text.map(Str::decode).as_deref());
                own(SUBAGENT_NAME, Some(name));
                own(DESCRIPTION, description);
                own(PARENT, parent_subagent_run_id);
                own(PARENT_CALL, parent_tool_call_id);
                own(PARENT_MESSAGE, parent_message_id);
                row.set_word(SUBAGENT_STATUS, Status::Running as u8);
                self.start(known, row);
            }
            (Event::SubagentFinished { result, outcome }, Some(at)) => {
                let outcome = outcome.and_then(Raw::object);
                let suspended = outcome.as_ref().and_then(|o| o.get("type")).and_then(Raw::string);
                let status = match suspended.as_deref() {
                    Some("suspended") => Status::Suspended,
                    _ => Status::Complete,
                };
                let ids = outcome.and_then(|o| o.some("interruptIds")).and_then(Raw::array).unwrap_or_default();
                let Some(row) = self.change(at) else { return };
                row.set_word(SUBAGENT_STATUS, status as u8);
                row.set_some(SUBAGENT_RESULT, result.map(Raw::text));
                row.set(INTERRUPT_IDS, strings(ids));
            }
            (Event::SubagentError { message, .. }, Some(at)) => {
                let Some(row) = self.change(at) else { return };
                row.set_word(SUBAGENT_STATUS, Status::Error as u8);
                row.set_text(SUBAGENT_ERROR, &message.unwrap_or_default().decode());
            }
            _ => {}
        }
    }

    /// One that was there before begins anew in its place, with the children that it has.
    fn start(&mut self, known: Option<usize>, row: Row) {
        let at = match known {
            Some(at) => {
                if let Some(old) = self.change(at) {
                    old.assume(row, Members::MAX);
                }
                at
            }
            None => {
                let at = self.add(Subagent { row, ..Subagent::default() });
                self.change(at);
                at
            }
        };
        self.running.push(at);
    }

    fn add(&mut self, mut subagent: Subagent) -> usize {
        let at = self.list.len();
        let named = subagent.row.some(PARENT);
        let mut parent = named.and_then(|id| self.index.get(id)).map(|at| at.message);
        // One level up, where it would be too deep.
        if parent.and_then(|at| self.list.get(at)).is_some_and(|parent| parent.depth + 1 >= MAX_DEPTH) {
            parent = parent.and_then(|at| self.list.get(at)?.parent);
        }
        subagent.children = Vec::new();
        (subagent.sent, subagent.touched) = (false, false);
        let above = parent.and_then(|at| self.list.get_mut(at));
        subagent.depth = above.as_ref().map_or(0, |above| above.depth + 1);
        let siblings = above.map_or(&mut self.roots, |above| &mut above.children);
        subagent.place = siblings.len();
        siblings.push(at);
        subagent.parent = parent;
        self.index.insert(subagent.row.text(SUBAGENT_ID), At { message: at, call: 0 });
        self.list.push(subagent);
        at
    }

    /// One of them, to be changed.
    fn change(&mut self, at: usize) -> Option<&mut Row> {
        let subagent = self.list.get_mut(at)?;
        if !std::mem::replace(&mut subagent.touched, true) {
            self.touched.push(at);
        }
        subagent.carried = false;
        Some(&mut subagent.row)
    }

    pub fn write(&mut self, patch: &mut Patch) {
        let touched = std::mem::take(&mut self.touched);
        if std::mem::take(&mut self.all) {
            patch.reconcile("\"subagents\"", |out| self.write_list(&self.roots, out));
            return self.list.iter_mut().for_each(Subagent::set_sent);
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
            subagent.touched = false;
            subagent.row.write_changes(&[(0, &path)], patch);
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
            // Their children come after them.
            siblings.iter().filter_map(|at| self.list.get(*at)).for_each(|one| self.write_one(one, &[], list.item()));
        });
        for at in siblings {
            self.list.get_mut(*at).into_iter().for_each(Subagent::set_sent);
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
            self.write_one(subagent, &subagent.children, list.item());
        }
    }

    fn write_one(&self, subagent: &Subagent, children: &[usize], out: &mut String) {
        let mut object = JsonWriter::object(out);
        subagent.row.write(&mut object, 0, Members::MAX);
        self.write_list(children, object.member("children"));
    }
}

impl Subagent {
    fn has(&self, status: Status) -> bool {
        self.row.word(SUBAGENT_STATUS) == status as u8
    }

    fn set_sent(&mut self) {
        self.row.set_mirrored();
        (self.sent, self.touched) = (true, false);
    }
}

/// Strings as a member has them; none, where there are none.
fn strings(list: Vec<Raw<'_>>) -> Value {
    let json = JsonWriter::array_text(|strings| {
        list.into_iter().filter_map(Raw::string).for_each(|text| write_string(strings.item(), &text));
    });
    if json == "[]" { Value::None } else { Value::Text(json) }
}
