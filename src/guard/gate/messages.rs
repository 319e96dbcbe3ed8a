//! Lists of messages: each is judged as what would have brought it alone.

use super::*;

impl Guard {
    pub(super) fn messages_snapshot(&mut self, messages: Raw<'_>, way: &mut Way<'_, '_>) -> GateVerdict {
        if !self.admits(&way.item(), way.now) {
            return GateVerdict::Block;
        }
        match self.messages(messages, way) {
            Some(kept) => GateVerdict::Less(changed(way.fields, &[("messages", Some(&kept))])),
            None => GateVerdict::Pass,
        }
    }

    /// The messages of a list that may stay, where that is not all of them (JSON text).
    pub(super) fn messages(&mut self, list: Raw<'_>, way: &mut Way<'_, '_>) -> Option<String> {
        let list = list.array().unwrap_or_default();
        // Calls first: an answer may stand before its call.
        let mut names = Keyed::default();
        let mut cut = Vec::with_capacity(list.len());
        for raw in &list {
            let known = way.shown.message(*raw);
            let fields = raw.object().filter(|_| known != MessageState::Same);
            cut.push((known, fields.and_then(|fields| self.calls(&fields, &mut names, way))));
        }
        let mut whole = true;
        let json = JsonWriter::array_text(|out| {
            for (raw, (known, calls)) in list.into_iter().zip(cut) {
                let verdict = self.message(raw, known, calls.as_deref(), &names, way);
                whole &= verdict == GateVerdict::Pass;
                match verdict {
                    GateVerdict::Pass => out.item().push_str(raw.text()),
                    GateVerdict::Less(message) => out.item().push_str(&message),
                    GateVerdict::Block => {}
                }
            }
        });
        (!whole).then_some(json)
    }

    /// The calls of a message that may stay, where that is not all of them. Notes the names of those that do.
    fn calls(&mut self, message: &Fields<'_>, names: &mut Keyed<String>, way: &mut Way<'_, '_>) -> Option<String> {
        let subagent = subagent_key(message.text("subagentRunId"));
        filtered(message.some("toolCalls"), &mut |raw| {
            let call = raw.object();
            let id = call.as_ref().and_then(|call| call.text("id")).unwrap_or_default();
            let function = call.as_ref().and_then(|call| call.get("function")).and_then(Raw::object);
            let name = function.and_then(|function| function.text("name"));
            let is_new = way.shown.call(&id).as_deref() != name.as_deref();
            let item = GateItem::new("TOOL_CALL_START", Classification::Submit)
                .part(Opens, Of::Call, &id)
                .about("tool", name.clone());
            let admitted = self.admits(&item.in_(subagent).brought_by(way.carrier, is_new), way.now);
            if let (Some(name), true) = (name, admitted) {
                names.push(&id, name.into_owned());
            }
            admitted
        })
    }

    /// Reduces a message of a list to its allowed parts. `calls`: the allowed ones, where some are not.
    fn message(
        &mut self,
        raw: Raw<'_>,
        known: MessageState,
        calls: Option<&str>,
        names: &Keyed<String>,
        way: &mut Way<'_, '_>,
    ) -> GateVerdict {
        if known == MessageState::Same {
            return GateVerdict::Pass;
        }
        let Some(fields) = raw.object() else {
            let item = GateItem::new("TEXT_MESSAGE_START", Classification::Display).brought_by(way.carrier, true);
            return self.verdict(&item, way.now);
        };
        let text = |name: &str| fields.text(name).unwrap_or_default();
        let (id, role) = (text("id"), text("role"));
        let item = match &*role {
            "tool" => {
                let call = text("toolCallId");
                let name = names.get(&call).cloned().or_else(|| way.shown.call(&call));
                GateItem::new("TOOL_CALL_RESULT", Classification::Display).part(Goes, Of::Call, &call).of_tool(name)
            }
            "activity" => GateItem::new("ACTIVITY_SNAPSHOT", Classification::Create)
                .part(Opens, Of::Activity, &id)
                .about("activity", fields.text("activityType")),
            "reasoning" => reasoning("REASONING_MESSAGE_START", &id),
            _ => GateItem::new("TEXT_MESSAGE_START", Classification::Display).part(Opens, Of::Message, &id),
        };
        let (subagent, is_new) = (subagent_key(fields.text("subagentRunId")), known == MessageState::New);
        let item = item.in_(subagent).brought_by(way.carrier, is_new);
        let given = fields.some("toolCalls").map(Raw::text);
        let calling = calls.or(given).is_some_and(|calls| calls != "[]");
        // A message that only calls tools says nothing by itself. Its reasoning is judged apart.
        let says = role != "assistant" || given.is_none() || fields.iter().any(|(key, raw)| speaks(&key, raw));
        if says && !self.admits(&item, way.now) {
            let rest = calls.or(given).filter(|_| calling && role == "assistant");
            return rest.map_or(GateVerdict::Block, |calls| GateVerdict::Less(bare(&fields, calls)));
        }
        if !says && !calling && is_new {
            return GateVerdict::Block;
        }
        let mut changes: Vec<(&str, Option<&str>)> = Vec::new();
        if fields.some("reasoning").is_some() {
            let item = reasoning("REASONING_MESSAGE_START", &id).in_(subagent).brought_by(way.carrier, is_new);
            if !self.admits(&item, way.now) {
                changes.extend([("reasoning", None), ("reasoningEncryptedValue", None)]);
            }
        }
        if let Some(calls) = calls {
            changes.extend([("toolCalls", Some(calls)), ("toolCallIds", None)]);
        }
        if changes.is_empty() { GateVerdict::Pass } else { GateVerdict::Less(changed(&fields, &changes)) }
    }
}

/// Whether a member of an assistant's message shows something that neither its calls nor its reasoning do.
fn speaks(key: &str, value: Raw<'_>) -> bool {
    const SILENT: [&str; 7] = [
        "toolCalls",
        "toolCallIds",
        "delivery",
        "reasoning",
        "reasoningEncryptedValue",
        "reasoningDurationMs",
        "rawEvent",
    ];
    !IDENTITY.contains(&key) && !SILENT.contains(&key) && !["null", "\"\""].contains(&value.text())
}
