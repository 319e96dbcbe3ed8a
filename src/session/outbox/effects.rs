//! Effects in their order.

use crate::session::types::Effect;

/// New ones are added to one list, and the next one is taken from the end of the other, which stands the other way round.
#[derive(Debug, Default)]
pub(super) struct Effects {
    coming: Vec<Effect>,
    going: Vec<Effect>,
}

impl Effects {
    #[inline(always)]
    pub fn push(&mut self, effect: Effect) {
        self.coming.push(effect);
    }

    /// Takes the next one. After each read of a stream there are few, and mostly one.
    #[inline(always)]
    pub fn take(&mut self) -> Option<Effect> {
        if self.going.is_empty() {
            // One alone has no order.
            if self.coming.len() < 2 {
                return self.coming.pop();
            }
            std::mem::swap(&mut self.coming, &mut self.going);
            self.going.reverse();
        }
        self.going.pop()
    }

    pub fn is_empty(&self) -> bool {
        self.coming.is_empty() && self.going.is_empty()
    }

    /// Drops those that are not to stay.
    pub fn retain(&mut self, stays: impl Fn(&Effect) -> bool) {
        [&mut self.coming, &mut self.going].into_iter().for_each(|list| list.retain(&stays));
    }
}
