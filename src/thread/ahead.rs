//! The parts of a long event, read before the event counts, a piece at a time: the page has its turn in between.
//! Nothing here knows the thread, so changes of it meanwhile do not matter.

use super::interrupts::{Interrupt, ReadInterrupts, list_of};
use super::merge::NewMessages;
use crate::wire::{Builder, Raw, Tree, frame_fields};

/// Reads ahead of one event.
#[derive(Debug)]
pub(crate) struct Ahead {
    depth: usize,
    /// Interrupts may name subagents.
    tags: bool,
    /// Where in the event's text the value stands that is read, and in memory; and how much of it is read.
    from: usize,
    place: (usize, usize),
    at: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    /// Nobody has looked at the event.
    Unknown,
    Messages(Box<NewMessages>),
    Interrupts(ReadInterrupts),
    State(Box<Builder>),
    Tree(Tree),
    /// There is nothing to read, or it was taken.
    Nothing,
}

impl Ahead {
    /// `depth`: how deep an event may nest.
    pub fn new(depth: usize, tags: bool) -> Self {
        Self { depth, tags, from: 0, place: (0, 0), at: 0, what: What::Unknown }
    }

    /// Reads so many bytes more of the event, whose text stands at the same place every time. Says whether there is more.
    pub fn read(&mut self, event: &str, bytes: usize) -> bool {
        if let What::Unknown = self.what {
            self.begin(event);
            return !matches!(self.what, What::Nothing);
        }
        let text = event.get(self.from..self.from + self.place.1).unwrap_or_default();
        let (list, until) = (Raw::known(text), self.at.saturating_add(bytes));
        let next = match &mut self.what {
            What::Messages(given) => list.each_from(self.at, until, &mut |_, fields| given.take(fields)),
            What::Interrupts((found, odd)) => list.each_from(self.at, until, &mut |_, fields| {
                found.extend(fields.and_then(|fields| Interrupt::read(fields, self.tags, odd)));
            }),
            What::State(builder) => match builder.read(text, bytes) {
                Some(tree) => {
                    self.what = What::Tree(tree);
                    None
                }
                None => Some(until),
            },
            What::Unknown | What::Tree(_) | What::Nothing => None,
        };
        self.at = next.unwrap_or(usize::MAX);
        next.is_some()
    }

    /// Finds what takes long to read.
    fn begin(&mut self, event: &str) {
        self.what = What::Nothing;
        let Ok(fields) = frame_fields(event, self.depth) else { return };
        let list = |raw: &Raw<'_>| raw.text().starts_with('[');
        let found = match fields.text("type").as_deref() {
            Some("MESSAGES_SNAPSHOT") => {
                fields.get("messages").filter(list).map(|raw| (raw, What::Messages(Box::default())))
            }
            Some("STATE_SNAPSHOT") => fields.get("snapshot").map(|raw| (raw, What::State(Box::default()))),
            Some("RUN_FINISHED") => {
                let asked = fields.some("outcome").and_then(list_of).filter(list);
                asked.map(|raw| (raw, What::Interrupts(ReadInterrupts::default())))
            }
            _ => None,
        };
        if let Some((raw, what)) = found {
            self.place = place(raw);
            self.from = self.place.0.saturating_sub(event.as_ptr() as usize);
            self.what = what;
        }
    }

    /// Takes what was read, where it is that.
    fn take(&mut self, raw: Raw<'_>) -> What {
        let read = self.at == usize::MAX && self.place == place(raw);
        if read { std::mem::replace(&mut self.what, What::Nothing) } else { What::Nothing }
    }

    pub(super) fn messages(&mut self, raw: Raw<'_>) -> Option<NewMessages> {
        if let What::Messages(given) = self.take(raw) { Some(*given) } else { None }
    }

    pub(super) fn interrupts(&mut self, raw: Raw<'_>) -> Option<ReadInterrupts> {
        if let What::Interrupts(read) = self.take(raw) { Some(read) } else { None }
    }

    pub(super) fn state(&mut self, raw: Raw<'_>) -> Option<Tree> {
        if let What::Tree(tree) = self.take(raw) { Some(tree) } else { None }
    }
}

/// Where a value stands in memory.
fn place(raw: Raw<'_>) -> (usize, usize) {
    (raw.text().as_ptr() as usize, raw.text().len())
}
