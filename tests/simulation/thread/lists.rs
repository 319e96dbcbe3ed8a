//! Lists of messages: the server's, the application's, and edits.

use super::*;

impl Thread {
    /// The server's list of messages: it is right about what it knows; what it does not know is gone. The page's answers stay
    /// as long as their calls do.
    pub(super) fn merge(&mut self, list: &Value) {
        let given = self.read(list);
        let reasons = given.iter().any(|message| message.role == "reasoning");
        let is_new = |new: &Message| self.messages.iter().all(|local| local.id != new.id);
        let named: Vec<_> = given.iter().map(|new| (new.id.clone(), new.tool_call_id.clone(), is_new(new))).collect();
        // Each message that the list names, with those that stay after it.
        let mut groups = vec![(None, Vec::new())];
        let mut left = Vec::new();
        let before = self.written();
        for mut local in std::mem::take(&mut self.messages) {
            let Some(at) = given.iter().position(|new| new.id == local.id) else {
                if local.page || local.role == "reasoning" && !reasons {
                    groups.last_mut().unwrap().1.push(local);
                } else {
                    left.append(&mut local.calls);
                }
                continue;
            };
            local.become_as(given[at].clone(), &mut left);
            groups.push((Some(at), vec![local]));
        }
        let mut merged = std::mem::take(&mut groups[0].1);
        for (at, mut new) in given.into_iter().enumerate() {
            if let Some((_, group)) = groups.iter_mut().find(|(named, _)| *named == Some(at)) {
                merged.append(group);
            } else {
                new.told = !self.known.contains(&new.id);
                merged.push(new);
            }
        }
        self.messages = merged;
        self.settle(left, &named, false);
        self.rewrites(&before);
    }

    /// The calls as they are written, and where.
    fn written(&self) -> Vec<[String; 4]> {
        let calls = |message: &Message| -> Vec<[String; 4]> {
            message
                .calls
                .iter()
                .map(|call| [&call.id, &message.id, &call.name, &call.args].map(String::clone))
                .collect()
        };
        self.messages.iter().flat_map(calls).collect()
    }

    /// A list has written calls anew: how long their arguments were says nothing any longer.
    fn rewrites(&mut self, before: &[[String; 4]]) {
        for [id, ..] in self.written().into_iter().filter(|call| !before.contains(call)) {
            self.known_calls.entry(id.clone()).and_modify(|length| *length = None);
            self.rewritten.push(id);
        }
    }

    /// The application's list of messages.
    pub fn assign(&mut self, list: &Value) {
        let before = self.written();
        let mut old = std::mem::take(&mut self.messages);
        let mut left = Vec::new();
        let mut named = Vec::new();
        for new in list.as_array().unwrap().iter().map(Message::read) {
            let at = old.iter().position(|local| local.id == new.id);
            named.push((new.id.clone(), new.tool_call_id.clone(), at.is_none()));
            let Some(at) = at else {
                self.known.insert(new.id.clone());
                self.messages.push(new);
                continue;
            };
            let mut local = old.remove(at);
            let streams = local.delivery == "streaming";
            local.become_as(new, &mut left);
            if !streams {
                local.delivery = "complete";
            }
            self.messages.push(local);
        }
        left.extend(old.into_iter().flat_map(|message| message.calls));
        self.settle(left, &named, true);
        self.rewrites(&before);
    }

    /// The application has edited the messages `shown`: of them `after` has the numbers of those that it has left as they were.
    pub fn edit(&mut self, shown: &[Value], after: &[Value]) {
        let key = |value: &Value| (text(&value["id"]), text(&value["role"]), text(&value["toolCallId"]));
        let key_of = |message: &Message| {
            (message.id.clone(), message.role.clone(), message.tool_call_id.clone().unwrap_or_default())
        };
        let seen = |message: &Message| shown.iter().any(|value| key(value) == key_of(message));
        let mut left = Vec::new();
        let wanted: Vec<_> =
            after.iter().map(|value| key(value.as_u64().map_or(value, |at| &shown[at as usize]))).collect();
        let gone = |message: &Message| seen(message) && !wanted.contains(&key_of(message));
        left.extend(self.messages.iter().filter(|message| gone(message)).flat_map(|message| message.calls.clone()));
        self.messages.retain(|message| !gone(message));
        let place = |messages: &[Message], wanted: &_| messages.iter().position(|message| key_of(message) == *wanted);
        let there: Vec<_> = wanted.iter().filter(|wanted| place(&self.messages, wanted).is_some()).collect();
        let order = |wanted: &_| shown.iter().position(|value| key(value) == *wanted);
        let in_order = there.is_sorted_by_key(|wanted| order(wanted));
        if !in_order {
            // As the edit has them; what it has not seen stays after what it stood after.
            let mut moved: Vec<Message> =
                there.iter().map(|wanted| self.messages[place(&self.messages, wanted).unwrap()].clone()).collect();
            for (at, message) in self.messages.iter().enumerate().filter(|(_, message)| !seen(message)) {
                let before = at.checked_sub(1).map(|before| key_of(&self.messages[before]));
                moved.insert(before.map_or(0, |before| place(&moved, &before).unwrap() + 1), message.clone());
            }
            self.messages = moved;
            for message in self.messages.clone().iter().filter(|message| message.tool_call_id.is_some()) {
                let call = message.tool_call_id.as_deref().unwrap();
                let caller = self.messages.iter().position(|message| message.calls.iter().any(|has| has.id == call));
                let at = place(&self.messages, &key_of(message)).unwrap();
                if caller.is_some_and(|caller| at < caller) {
                    self.messages.remove(at);
                    let to = self.after_results(call);
                    self.messages.insert(to, message.clone());
                }
            }
        }
        let mut fresh = Vec::new();
        for (at, value) in after.iter().enumerate().filter(|(_, value)| value.is_object()) {
            let old = shown.iter().find(|old| key(old) == key(value));
            if let Some(at) = place(&self.messages, &wanted[at]) {
                let (message, old) = (&mut self.messages[at], text(&old.unwrap()["content"]));
                let rest = message.content.as_deref().and_then(|now| now.strip_prefix(&old)).unwrap_or_default();
                message.content = Some(text(&value["content"]) + rest);
                continue;
            }
            let before = wanted[..at].iter().rev().find_map(|before| place(&self.messages, before));
            let mut to = before.map_or(0, |before| before + 1);
            // Newer messages stand before it.
            while self.messages.get(to).is_some_and(|message| !seen(message)) {
                to += 1;
            }
            let mut new = Message::read(value);
            new.delivery = match value["delivery"].as_str() {
                Some("aborted" | "streaming") => "aborted",
                Some("error") => "error",
                _ => "complete",
            };
            self.known.insert(new.id.clone());
            fresh.push(key_of(&new));
            self.messages.insert(to, new);
        }
        let named: Vec<_> = self
            .messages
            .iter()
            .map(|message| (message.id.clone(), message.tool_call_id.clone(), fresh.contains(&key_of(message))))
            .collect();
        self.settle(left, &named, true);
    }

    /// After a list: calls that are elsewhere now are as far as they were, and results stand after their calls. `named`: the
    /// messages of the list, and whether they are new.
    pub(super) fn settle(&mut self, mut left: Vec<Call>, named: &[(String, Option<String>, bool)], edited: bool) {
        let mut moved = HashSet::new();
        for message in &mut self.messages {
            for call in message.calls.iter_mut().filter(|call| call.given) {
                call.given = false;
                moved.insert(call.id.clone());
                if let Some(at) = left.iter().position(|old| old.id == call.id) {
                    let Call { phase, running, result, .. } = left.remove(at);
                    (call.phase, call.running, call.result) = (phase, running, result);
                    if phase == "input-streaming" {
                        message.delivery = "streaming";
                    }
                }
            }
        }
        let is_named =
            |message: &Message| named.iter().find(|(id, call, _)| *id == message.id && *call == message.tool_call_id);
        let old = self.messages.clone();
        let others = old.iter().filter(|message| !message.page && is_named(message).is_some());
        let others: HashSet<String> = others.filter_map(|message| message.tool_call_id.clone()).collect();
        let mut misplaced = Vec::new();
        // A result that the list does not name goes with the one that it stands after.
        let mut along = false;
        for (at, message) in old.iter().enumerate() {
            let Some(call) = message.tool_call_id.clone() else {
                along = false;
                continue;
            };
            let caller = old.iter().position(|message| message.calls.iter().any(|has| has.id == call));
            let known = is_named(message);
            let fresh = known.is_some_and(|(.., fresh)| *fresh);
            if message.page && (caller.is_none() || others.contains(&call)) {
                if caller.is_none() && message.local {
                    let denied = left.iter().any(|old| old.id == call && old.phase == "denied");
                    let content = message.content.clone().unwrap_or_default();
                    self.orphans.push((call, content, message.error.clone(), denied));
                }
                self.messages.retain(|other| other != message);
                continue;
            }
            if known.is_some() && !fresh {
                along = false;
            }
            if let Some(caller) = caller
                && (along && message.page && known.is_none()
                    || moved.contains(&call) && (message.page || at < caller)
                    || message.page && fresh
                    || !edited && known.is_some() && !fresh
                    || edited && fresh && at < caller)
                && (at < caller || old[caller + 1..at].iter().any(|between| between.role != "tool"))
            {
                misplaced.push(message.clone());
                along = !edited;
            }
        }
        for message in misplaced {
            self.messages.retain(|other| *other != message);
            let at = self.after_results(message.tool_call_id.as_deref().unwrap());
            self.messages.insert(at, message);
        }
        self.link();
    }

    pub(super) fn link(&mut self) {
        let answers = |message: &Message| {
            Some((message.tool_call_id.clone()?, message.content.clone()?, message.error.is_some()))
        };
        let answers: Vec<_> = self.messages.iter().filter_map(answers).collect();
        // Of several the last one counts.
        for (at, (id, content, error)) in answers.iter().enumerate() {
            let last = !answers[at + 1..].iter().any(|(later, ..)| later == id);
            if let Some(call) = self.call(id).filter(|call| last && call.result.as_ref() != Some(content)) {
                call.answer(content, *error);
            }
        }
    }
}
