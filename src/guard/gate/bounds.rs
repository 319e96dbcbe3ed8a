//! Where runs, steps and subagents begin and end, and what they bring with it.

use super::*;

impl Guard {
    /// A step is no secret, but its name is text.
    pub(super) fn step_started(&mut self, name: Str<'_>, way: &mut Way<'_, '_>) -> GateVerdict {
        let subagent = way.subagent;
        let own = step(subagent, name);
        let item = GateItem { own: Some(own), part: Opens, counts: false, ..way.item() };
        match self.admits(&item.in_(subagent), way.now) {
            true => GateVerdict::Pass,
            false if self.refused.holds(subagent) => GateVerdict::Block,
            false => renamed(way.fields, own),
        }
    }

    pub(super) fn step_finished(&mut self, name: Str<'_>, way: &mut Way<'_, '_>) -> GateVerdict {
        let subagent = way.subagent;
        let own = step(subagent, name);
        let item = GateItem { own: Some(own), part: Goes, ..way.item() }.in_(subagent);
        if self.closes(&item, way) {
            return GateVerdict::Pass;
        }
        if self.refused.holds(subagent) {
            return GateVerdict::Block;
        }
        // A name comes again, where an id does not.
        if self.wrapped == 0 {
            self.refused.remove(own);
        }
        renamed(way.fields, own)
    }

    pub(super) fn run_started(&mut self, input: Option<Raw<'_>>, way: &mut Way<'_, '_>) -> GateVerdict {
        let Some(input) = input.and_then(Raw::object) else { return GateVerdict::Pass };
        let kept = input.some("messages").and_then(|messages| self.messages(messages, way));
        let Some(kept) = kept else { return GateVerdict::Pass };
        let input = changed(&input, &[("messages", Some(&kept))]);
        GateVerdict::Less(changed(way.fields, &[("input", Some(&input))]))
    }

    pub(super) fn run_finished(
        &mut self,
        result: Option<Raw<'_>>,
        outcome: Option<Raw<'_>>,
        usage: Option<Raw<'_>>,
        way: &mut Way<'_, '_>,
    ) -> GateVerdict {
        let mut changes = Vec::new();
        let text = GateItem { counts: false, ..way.item() };
        for (name, member) in [("result", result), ("usage", usage)] {
            if member.is_some() && !self.admits(&text, way.now) {
                changes.push((name, None));
            }
        }
        let outcome = outcome.and_then(Raw::object).and_then(|outcome| self.outcome(&outcome, way));
        if let Some(outcome) = &outcome {
            changes.push(("outcome", Some(outcome.as_str())));
        }
        if changes.is_empty() { GateVerdict::Pass } else { GateVerdict::Less(changed(way.fields, &changes)) }
    }

    /// An outcome without the interrupts and calls that are blocked, where it has any.
    fn outcome(&mut self, outcome: &Fields<'_>, way: &mut Way<'_, '_>) -> Option<String> {
        let interrupts = filtered(outcome.some("interrupts"), &mut |raw| {
            let fields = raw.object();
            let text = |name: &str| fields.as_ref().and_then(|fields| fields.text(name));
            let item = GateItem::new(way.carrier, Classification::Submit).in_(subagent_key(text("subagentRunId")));
            // Its text is shown, and an answer is asked for.
            let mut item = GateItem { also: Some(Classification::Display), counts: false, ..item };
            if let Some(call) = text("toolCallId") {
                let name = way.shown.call(&call).map(Cow::Owned);
                item = item.part(Goes, Of::Call, &call).about("tool", name);
            }
            self.admits(&item, way.now)
        });
        let pending = filtered(outcome.some("pendingToolCallIds"), &mut |raw| {
            let key = raw.string().map(|id| Key::new(Of::Call, &id));
            !self.refused.holds(key) && !self.calls.holds(key)
        });
        let mut changes = Vec::new();
        changes.extend(interrupts.as_deref().map(|list| ("interrupts", Some(list))));
        changes.extend(pending.as_deref().map(|list| ("pendingToolCallIds", Some(list))));
        (!changes.is_empty()).then(|| changed(outcome, &changes))
    }

    /// RUN_ERROR and SUBAGENT_ERROR: that something has failed is no secret, but what is said of it is text.
    pub(super) fn failure(&mut self, way: &mut Way<'_, '_>) -> GateVerdict {
        if self.admits(&GateItem { counts: false, ..way.item() }, way.now) {
            return GateVerdict::Pass;
        }
        let message = format!("\"{WITHHELD}\"");
        GateVerdict::Less(changed(way.fields, &[("message", Some(&message)), ("code", None), ("usage", None)]))
    }

    pub(super) fn subagent_started(
        &mut self,
        parent: Option<Str<'_>>,
        call: Option<Str<'_>>,
        way: &mut Way<'_, '_>,
    ) -> GateVerdict {
        let parent = subagent_key(parent.map(Str::decode));
        let blocked_with = call.map(|id| Key::new(Of::Call, &id.decode()));
        let item = way.item();
        let item = GateItem { own: way.subagent, part: Opens, blocked_with, ..item };
        self.verdict(&item.in_(parent), way.now)
    }

    pub(super) fn subagent_finished(&mut self, result: Option<Raw<'_>>, way: &mut Way<'_, '_>) -> GateVerdict {
        if !self.closes_subagent(way) {
            return GateVerdict::Block;
        }
        let item = GateItem { counts: false, ..way.item() };
        if result.is_none() || self.admits(&item, way.now) {
            return GateVerdict::Pass;
        }
        GateVerdict::Less(changed(way.fields, &[("result", None)]))
    }

    pub(super) fn subagent_error(&mut self, way: &mut Way<'_, '_>) -> GateVerdict {
        if self.closes_subagent(way) { self.failure(way) } else { GateVerdict::Block }
    }

    fn closes_subagent(&self, way: &Way<'_, '_>) -> bool {
        let item = GateItem { own: way.subagent, part: Goes, ..way.item() };
        self.closes(&item, way)
    }
}
