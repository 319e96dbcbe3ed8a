//! A value that knows whether it may have changed since it was published.

use std::ops::{Deref, DerefMut};

#[derive(Debug, Default)]
pub(super) struct Tracked<T> {
    value: T,
    changed: bool,
}

impl<T> Tracked<T> {
    /// Whether it may have changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }
}

impl<T> Deref for Tracked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Tracked<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.changed = true;
        &mut self.value
    }
}
