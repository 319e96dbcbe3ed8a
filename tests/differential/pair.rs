//! Both cores, given the same.

use crate::input::{Input, Setup};
use crate::shared::Node;
use crate::support::{Mirror, parse};
use crate::{new, old, wanted};
use serde_json::{Value, json};

/// The compared state of one core.
struct Side {
    shown: Node,
    bytes: usize,
}

impl Side {
    fn new() -> Self {
        Self { shown: Node::of(&Mirror::new().0), bytes: 0 }
    }

    /// Takes a patch. Gives the checkpoints in it.
    fn take(&mut self, patch: Option<&str>) -> Vec<Value> {
        let Some(patch) = patch else { return Vec::new() };
        self.bytes += patch.len();
        let patch = parse(patch);
        self.shown = self.shown.patched(&patch);
        patch.as_array().unwrap().iter().filter(|operation| operation[0] == "c").map(|mark| mark[2].clone()).collect()
    }
}

pub struct Pair {
    setup: Setup,
    old: old::driver::Driver,
    new: new::driver::Driver,
    sides: [Side; 2],
    pub now: f64,
    /// The number of the last request.
    pub request: u32,
    /// The inputs so far, for a report of a difference.
    log: Vec<String>,
}

impl Pair {
    pub fn new(setup: Setup) -> Self {
        let (old, new) = (old::driver::Driver::new(&setup), new::driver::Driver::new(&setup));
        Self { setup, old, new, sides: [Side::new(), Side::new()], now: 1000.0, request: 0, log: Vec::new() }
    }

    fn same<T: PartialEq + std::fmt::Debug>(&self, old: &T, new: &T, what: &str) {
        if old != new {
            let text = |value: &T| format!("{value:#?}");
            let (old, new) = (text(old), text(new));
            let at = old.lines().zip(new.lines()).position(|(old, new)| old != new).unwrap_or(usize::MAX);
            let near = |text: &str| text.lines().skip(at.saturating_sub(8)).take(14).collect::<Vec<_>>().join("\n");
            panic!("{what}\n--- old\n{}\n--- new\n{}\n--- after\n{}", near(&old), near(&new), self.log.join("\n"));
        }
    }

    /// Gives an input. What comes of it is the same.
    pub fn give(&mut self, input: &Input) -> String {
        self.now += 1.0;
        self.log.push(match input {
            Input::Bytes(_, bytes) => String::from_utf8_lossy(bytes).into_owned(),
            other => format!("{other:?}"),
        });
        let (old, new) = (self.old.give(input, self.now), self.new.give(input, self.now));
        self.same(&old, &new, "another result, or other effects");
        for effect in &new {
            let request = effect.strip_prefix("Open { request: ").and_then(|rest| rest.split(',').next());
            request.into_iter().for_each(|number| self.request = number.parse().unwrap());
        }
        new[0].clone()
    }

    /// Both are published: they show the same, and the new one keeps what the old one keeps.
    pub fn publish(&mut self) {
        let (old, new) = (self.old.patch(), self.new.patch());
        let before = [&self.sides[0], &self.sides[1]].map(|side| side.shown.clone());
        let [ours, theirs] = &mut self.sides;
        let marks = [ours.take(old.as_deref()), theirs.take(new.as_deref())];
        self.log.push(format!("old {old:?}\nnew {new:?}"));
        self.same(&marks[0], &marks[1], "other checkpoints");
        let [old_shown, new_shown] = [0, 1].map(|at| wanted::shown(self.sides[at].shown.value()));
        self.same(&old_shown, &new_shown, "another snapshot");
        let kept = |at: usize| self.sides[at].shown.kept(&before[at]);
        let (old, new) = (kept(0), kept(1));
        let lost: Vec<&String> = old.difference(&new).collect();
        if !lost.is_empty() {
            panic!("what was shown is not the same any longer: {lost:?}\n--- after\n{}", self.log.join("\n"));
        }
    }

    pub fn shown(&self) -> Value {
        self.sides[1].shown.value()
    }

    /// The messages as they are, whether they are published or not.
    pub fn messages(&self) -> Value {
        parse(&self.new.save())["messages"].take()
    }

    /// The saves are the same, and each core restores that of the other.
    pub fn compare_saves(&mut self) {
        let (mut old, mut new) = (parse(&self.old.save()), parse(&self.new.save()));
        wanted::in_both(&mut old, &mut new);
        let restore = Input::Restore(new.to_string());
        self.same(&wanted::saved(old), &wanted::saved(new), "another save");
        let mut pair = Self::new(self.setup);
        pair.give(&restore);
        pair.publish();
        let [old, new] = [pair.old.save(), pair.new.save()].map(|save| wanted::saved(parse(&save)));
        self.same(&old, &new, "another save of what was restored");
    }

    /// The patches have no more bytes than a tenth above the old ones.
    pub fn measure(&self, name: &str) {
        let [old, new] = [0, 1].map(|at| self.sides[at].bytes);
        assert!(new <= old + old / 10 + 200, "{name}: {new} bytes of patches, {old} before");
    }

    pub fn submit(&mut self, run: &str, tools: &[Value]) {
        let message = json!({"id": format!("u-{run}"), "role": "user", "content": "go"});
        let input = json!({"runId": run, "messages": [message], "pageTools": tools});
        self.give(&Input::Submit(input.to_string()));
    }

    pub fn head(&mut self, kind: &'static str) {
        self.give(&Input::Head(self.request, kind));
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.give(&Input::Bytes(self.request, bytes.to_vec()));
    }

    pub fn end(&mut self) {
        self.give(&Input::End(self.request));
    }
}
