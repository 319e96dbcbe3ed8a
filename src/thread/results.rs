//! Results and the calls that they answer: a result stands after its call, whatever a list of messages does to the message
//! that calls. Model providers refuse a result before its call, and one without a call.
//!
//! Only what a list names or takes away is looked at.

use super::entry::{Entry, answer, has_other, result_json, text_json};
use super::list::MessageList;
use super::merged::Merged;
use super::{Thread, Warning};
use crate::document::*;
use crate::wire::{At, Gather};

impl Thread {
    /// A list of messages was taken over. Calls that are in another message now are as far as they were, results stand
    /// after their calls, and calls get their answers. `of_server`: it is odd if a call gets another answer than it had.
    pub(super) fn settle_results(&mut self, mut merged: Merged, of_server: bool) {
        let moved = self.hand_on(&mut merged);
        let mut moves = Vec::new();
        let has_results = self.list.has_results();
        for id in moved.iter().filter(|_| has_results) {
            let Some(caller) = self.list.find_call(id) else { continue };
            let own = self.list.page_result(id);
            let other = self.list.answer_of(id).filter(|slot| Some(*slot) != own);
            let other = other.filter(|slot| self.list.order.precedes(*slot, caller.message));
            moves.extend(own.into_iter().chain(other).map(|slot| (slot, caller)));
        }
        for call in merged.unmatched.take_all() {
            self.calls_lost = true;
            // It may stand elsewhere, too.
            let id = call.text(OWN_ID);
            if self.list.find_call(id).is_none() {
                self.drop_result(id, call.word(PHASE) == CallPhase::Denied as u8);
            }
        }
        let known = merged.slots.len().saturating_sub(merged.fresh.len());
        for (at, slot) in merged.slots.iter().enumerate() {
            let Some((page, call, caller)) = self.result_at(*slot) else { continue };
            // The page's own answer is not needed beside another one.
            if !page || caller.is_none() {
                self.drop_result(&call, false);
            }
            let astray = |caller: &At| {
                merged.arranged && at < known || merged.reordered && self.list.order.precedes(*slot, caller.message)
            };
            moves.extend(caller.filter(astray).map(|caller| (*slot, caller)));
        }
        for slot in std::mem::take(&mut merged.fresh) {
            let Some((page, _, caller)) = self.result_at(slot) else { continue };
            // An edit may bring back what the server has taken out, while it has moved the call.
            let before = |caller: &At| page || !of_server && self.list.order.precedes(slot, caller.message);
            moves.extend(caller.filter(before).map(|caller| (slot, caller)));
        }
        self.put_in_order(&mut moves);
        // One that is right after its call stays where it is, between whichever other results.
        moves.retain(|(slot, caller)| !self.list.order.is_right_after(caller.message, *slot));
        self.move_along(&mut moves, merged.arranged);
        let mut answered = moved.clone();
        for (slot, caller) in moves {
            answered.extend(self.list.get(slot).and_then(|entry| entry.call_id().map(Into::into)));
            self.move_result(slot, caller);
        }
        let differ = self.list.link_results(&merged.slots, &answered);
        self.review.changed_calls.extend(moved);
        self.review.changed_calls.append(&mut merged.changed);
        self.review.rewritten.append(&mut merged.rewritten);
        for call in differ.into_iter().filter(|_| of_server) {
            self.warn_of_result(&call);
        }
    }

    /// Of the result in a slot: whether it is the page's, the id of its call, and where that is.
    #[inline(never)]
    fn result_at(&mut self, slot: usize) -> Option<(bool, String, Option<At>)> {
        let entry = self.list.get(slot).filter(|entry| entry.role() == Role::Tool)?;
        let (page, call) = (entry.page, entry.row.text(CALL_ID).to_owned());
        let caller = self.list.find_call(&call);
        Some((page, call, caller))
    }

    /// The page's results that the list does not name stay after the result that they stood after. Where that one goes back to
    /// its call, they do, too.
    fn move_along(&mut self, moves: &mut Vec<(usize, At)>, arranged: bool) {
        for (slot, _) in moves.clone().into_iter().filter(|_| arranged) {
            let unnamed = |(slot, entry): &(usize, &Entry)| entry.role() == Role::Tool && !self.list.is_kept(*slot);
            let after: Vec<(usize, String)> = self
                .list
                .after(Some(slot))
                .take_while(unnamed)
                .filter(|(_, entry)| entry.page)
                .filter_map(|(slot, entry)| Some((slot, entry.call_id()?.to_owned())))
                .gather();
            for (slot, call) in after {
                let caller = self.list.find_call(&call);
                moves
                    .extend(caller.filter(|at| !self.list.order.is_right_after(at.message, slot)).map(|at| (slot, at)));
            }
        }
        self.put_in_order(moves);
    }

    /// Sorts results by their places, each once.
    fn put_in_order(&self, moves: &mut Vec<(usize, At)>) {
        moves.sort_unstable_by_key(|(slot, _)| self.list.order.place(*slot).message);
        moves.dedup_by_key(|(slot, _)| *slot);
    }

    fn move_result(&mut self, slot: usize, caller: At) {
        let Some(entry) = self.list.get(slot) else { return };
        let (mut row, local, page) = (entry.row.clone(), entry.local, entry.page);
        self.list.remove(slot);
        row.set_word(DELIVERY, Delivery::Complete as u8);
        let mut result = Entry::new(row);
        (result.local, result.page) = (local, page);
        self.add_result(Some(caller), result);
    }

    /// A call has begun. A result of it that came before is its answer, and stands after it.
    pub(super) fn adopt_result(&mut self, call: &str) {
        let Some(slot) = self.list.answer_of(call) else { return };
        let Some(caller) = self.list.find_call(call) else { return };
        if self.list.order.place(slot).message < self.list.order.place(caller.message).message {
            self.move_result(slot, caller);
        }
        self.list.link_results(&[], &[call.to_owned()]);
        self.report.answered(call);
    }

    /// Gives the ids of the calls that are new where they are.
    fn hand_on(&mut self, merged: &mut Merged) -> Vec<String> {
        let mut moved = Vec::new();
        for slot in merged.slots.clone() {
            let calls = self.list.get(slot).map_or(0, |entry| entry.calls.len());
            let mut streams = false;
            for call in 0..calls {
                let at = At { message: slot, call };
                let Some(call) = self.list.call(at).filter(|call| call.is_new) else { continue };
                let id = call.id().to_owned();
                let old = merged.unmatched.take(&id);
                moved.push(id);
                let Some(call) = self.list.change_call(at) else { continue };
                call.is_new = false;
                if let Some(old) = old {
                    call.row.assume(old, !CALL_OF_AG_UI);
                    streams |= call.phase() == CallPhase::InputStreaming;
                }
            }
            if let Some(entry) = self.list.change(slot).filter(|_| streams) {
                entry.set_delivery(Delivery::Streaming);
                self.list.change(slot);
            }
        }
        moved
    }

    /// Takes out the page's own result of a call. Where the call is gone and the server has not seen the result, it is kept
    /// aside: it may come back with the call.
    fn drop_result(&mut self, call: &str, denied: bool) {
        let Some(slot) = self.list.page_result(call) else { return };
        let gone = self.list.find_call(call).is_none();
        if let Some(entry) = self.list.get(slot).filter(|entry| gone && entry.local) {
            self.review.orphans.push(local_answer(call, entry.text(), entry.row.some(ERROR), denied));
        }
        self.list.remove(slot);
    }

    pub(super) fn warn_of_result(&mut self, call: &str) {
        let message = format!("the call \"{call}\" had another result before");
        self.warnings.push(Warning::new("result-differs", message));
    }

    /// Whether a call has another answer than this one.
    pub(crate) fn has_other_answer(&mut self, id: &str, content: &str, error: Option<&str>) -> bool {
        let json = text_json(content);
        self.call(id).is_some_and(|call| call.result().is_some() && has_other(call, &json, error))
    }
}

impl MessageList {
    /// The slot of the page's own result of a call.
    pub(super) fn page_result(&self, call: &str) -> Option<usize> {
        self.find_result(&format!("{call}-result"), call).filter(|slot| self.get(*slot).is_some_and(|entry| entry.page))
    }

    /// Gives calls the last answers that stand in the list: those that these messages answer, those in these messages that
    /// have no answer yet, and `answered` ones. Returns the calls that had another answer.
    fn link_results(&mut self, slots: &[usize], answered: &[String]) -> Vec<String> {
        if !self.has_results() {
            return Vec::new();
        }
        // A list may take away the last answer of a call, and leave another one.
        slots.iter().rev().for_each(|slot| self.note_answer(*slot));
        let mut calls = answered.to_vec();
        for entry in slots.iter().filter_map(|slot| self.get(*slot)) {
            calls.extend(entry.call_id().map(Into::into));
            let open = entry.calls.iter().filter(|call| call.result().is_none());
            calls.extend(open.map(|call| call.id().to_owned()));
        }
        let mut differ = Vec::new();
        for call in calls {
            let Some(at) = self.find_call(&call) else { continue };
            let Some(slot) = self.answer_of(&call) else { continue };
            let Some(result) = self.get(slot).map(|entry| &entry.row) else { continue };
            let (json, error) = (result_json(result), result.some(ERROR).map(String::from));
            let Some(known) = self.call(at).filter(|known| has_other(known, &json, error.as_deref())) else { continue };
            if known.result().is_some() {
                differ.push(call);
            }
            if let Some(call) = self.change_call(at) {
                answer(call, &json, error.as_deref());
            }
        }
        differ
    }
}
