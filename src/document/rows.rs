//! A list of rows that grows at its end, and what the mirror lacks of it. To take a row out costs nothing for those that stay.

use super::order::{Item, Order, parts_of};
use super::patch::Patch;
use super::row::Row;
use crate::wire::Gather;

#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// By their slots. `None`: it was taken out.
    slots: Vec<Option<Row>>,
    /// The slots in the list, with those that the mirror still shows.
    order: Order,
    /// The mirror has another list.
    anew: bool,
    /// How many slots there were when the mirror was told last, and the length of its list.
    told: usize,
    mirrored: usize,
    /// The slots that have changed, and those that were taken out, since.
    changed: Vec<usize>,
    gone: Vec<usize>,
}

impl Rows {
    /// An empty list in the place of one that the mirror has.
    pub fn anew() -> Self {
        Self { anew: true, ..Self::default() }
    }

    /// The slot that the next row gets.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether neither the list nor the mirror's has a row.
    pub fn is_empty(&self) -> bool {
        self.order.size().message == 0
    }

    pub fn push(&mut self, row: Row) {
        self.order.push(Item { slot: self.slots.len(), calls: 0, follows: false });
        self.slots.push(Some(row));
    }

    pub fn get(&self, slot: usize) -> Option<&Row> {
        self.slots.get(slot)?.as_ref()
    }

    /// The rows with their slots.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.order.iter().filter_map(|slot| Some((slot, self.get(slot)?)))
    }

    /// A row, to be changed.
    pub fn change(&mut self, slot: usize) -> Option<&mut Row> {
        let row = self.slots.get_mut(slot)?.as_mut()?;
        self.changed.push(slot);
        Some(row)
    }

    /// Takes a row out.
    pub fn remove(&mut self, slot: usize) {
        self.slots.get_mut(slot).into_iter().for_each(|row| *row = None);
        self.gone.push(slot);
    }

    /// The bytes of all, roughly; `element`: what each takes beside its values.
    pub fn bytes(&self, element: usize) -> usize {
        self.iter().map(|(_, row)| element + row.bytes()).sum()
    }

    /// Writes all of them.
    pub fn write(&self, out: &mut String) {
        Row::write_list(self.iter().map(|(_, row)| row), out);
    }

    /// Writes what the mirror, which has the list at `path`, lacks.
    pub fn write_changes(&mut self, path: &str, patch: &mut Patch) {
        let (changed, gone) = (std::mem::take(&mut self.changed), std::mem::take(&mut self.gone));
        let places: Vec<_> = gone.iter().map(|slot| (self.order.place(*slot).message, *slot, 0)).gather();
        gone.into_iter().for_each(|slot| self.order.remove(slot));
        let told = std::mem::replace(&mut self.told, self.slots.len());
        let mirrored = std::mem::replace(&mut self.mirrored, self.order.size().message);
        if std::mem::take(&mut self.anew) {
            patch.reconcile(path, |out| self.write(out));
            return self.slots.iter_mut().flatten().for_each(Row::set_mirrored);
        }
        if !places.is_empty() {
            let parts = parts_of(places, mirrored, &|slot, _| Some(slot < told));
            patch.rebuild(path, mirrored, &parts, &mut |_, _, _| {});
        }
        let new = told..self.slots.len();
        for slot in changed.into_iter().filter(|slot| *slot < told).chain(new) {
            let path = format!("{path},{}", self.order.place(slot).message);
            match self.slots.get_mut(slot) {
                // A row that has changed twice is written once.
                Some(Some(row)) if slot < told => row.write_changes(&[(0, &path)], patch),
                Some(Some(row)) => {
                    row.set_mirrored();
                    patch.set(&path, |out| row.write_object(out));
                }
                _ => {}
            }
        }
    }
}
