//! A list of rows that grows at its end, and what the mirror lacks of it.

use super::patch::Patch;
use super::row::Row;

#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// The mirror has another list.
    anew: bool,
    /// How many of them it has, and those that have changed.
    mirrored: usize,
    changed: Vec<usize>,
}

impl Rows {
    /// An empty list in the place of one that the mirror has.
    pub fn anew() -> Self {
        Self { anew: true, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// A row, to be changed.
    pub fn change(&mut self, at: usize) -> Option<&mut Row> {
        let row = self.rows.get_mut(at)?;
        self.changed.push(at);
        Some(row)
    }

    /// The bytes of all, roughly; `element`: what each takes beside its values.
    pub fn bytes(&self, element: usize) -> usize {
        self.rows.iter().map(|row| element + row.bytes()).sum()
    }

    /// Writes all of them.
    pub fn write(&self, out: &mut String) {
        Row::write_list(&self.rows, out);
    }

    /// Writes what the mirror, which has the list at `path`, lacks.
    pub fn write_changes(&mut self, path: &str, patch: &mut Patch) {
        let changed = std::mem::take(&mut self.changed);
        let mirrored = std::mem::replace(&mut self.mirrored, self.rows.len());
        if std::mem::take(&mut self.anew) {
            patch.reconcile(path, |out| self.write(out));
            return self.rows.iter_mut().for_each(Row::set_mirrored);
        }
        for at in changed.into_iter().filter(|at| *at < mirrored) {
            // A row that has changed twice is written once.
            self.rows.get_mut(at).into_iter().for_each(|row| row.write_changes(&[(0, &format!("{path},{at}"))], patch));
        }
        for (at, row) in self.rows.iter_mut().enumerate().skip(mirrored) {
            row.set_mirrored();
            patch.set(&format!("{path},{at}"), |out| row.write_object(out));
        }
    }
}
