//! A row of the table: one kind of input, in any length.

use crate::count::{self, Counts, growth_measured};
use crate::session_calls::SessionCalls;
use ag_ui_wasm::dialect::named;
use ag_ui_wasm::guard::Guard;
use ag_ui_wasm::session::{Effect, Options, Session};
use serde_json::{Value, json};

/// The input of a row, and the state before it, which is not counted.
#[derive(Default)]
pub struct Work {
    pub options: Options,
    /// The server's dialect, where it is not AG-UI.
    pub dialect: Option<&'static str>,
    /// The application's messages.
    pub messages: Option<Value>,
    pub state: Option<Value>,
    /// Events of the run, and edits of the application, before those that count.
    pub before: Vec<Value>,
    /// Set by the application during the run.
    pub edit: Option<Value>,
    /// The tools that the page has.
    pub page_tools: Option<Value>,
    /// The counted input: events, then calls of the application.
    pub events: Vec<Value>,
    pub calls: Vec<Call>,
}

/// A call of the application.
pub type Call = Box<dyn Fn(&mut Session)>;

/// When the page takes its patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// After every event.
    Often,
    /// At the end.
    Once,
    /// At the end, through a guard that refuses some of the components.
    Guarded,
}

/// The policy of a row's guard.
fn policy() -> Value {
    json!({
        "restricted_classifications": [],
        "allow_display_without_capability": true,
        "allow_components": ["tool", "activity", "custom"],
        "allow_ids": ["tool:f", "tool:page", "tool:asked", "tool:human", "activity:t0"]
    })
}

pub struct Row {
    pub name: String,
    make: Box<dyn Fn(usize) -> Work>,
}

/// A row, whose input has about so many parts.
pub fn row(name: impl Into<String>, make: impl Fn(usize) -> Work + 'static) -> Row {
    Row { name: name.into(), make: Box::new(make) }
}

impl Row {
    pub fn make(&self, length: usize) -> Work {
        (self.make)(length)
    }

    /// Runs it in this length, and counts.
    pub fn run(&self, length: usize, flush: Flush) -> Counts {
        self.run_for(length, flush, &mut |_| {})
    }

    /// The same for a page, which is given the patch of what was before, and those of what counts.
    pub fn run_for(&self, length: usize, flush: Flush, page: &mut dyn FnMut(&str)) -> Counts {
        let work = self.make(length);
        let options = Options { thread_id: "t".into(), ..work.options };
        let [messages, state] = [work.messages, work.state].map(|json| json.map(|json| json.to_string()));
        let session = Session::new(options, messages.as_deref(), state.as_deref()).unwrap();
        let guard = (flush == Flush::Guarded).then(|| Guard::new(&policy().to_string()).unwrap());
        let mut session = session.speaking(work.dialect.map(|name| named(name, "{}").unwrap())).guarded(guard);
        let mut input = json!({"runId": "r", "messages": [{"id": "u", "role": "user", "content": "go"}]});
        input["pageTools"] = work.page_tools.unwrap_or_default();
        session.submit(&input.to_string(), 0.0).unwrap();
        let mut request = 0;
        while let Some(effect) = session.poll_effect() {
            if let Effect::Open { request: opened, .. } = effect {
                request = opened;
            }
        }
        session.head(request, 200, "text/event-stream", None, 0.0);
        let start = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
        let frame = |event: &Value| format!("data: {event}\n\n");
        for event in std::iter::once(&start).chain(&work.before) {
            session.bytes(request, frame(event).as_bytes(), 0.0);
        }
        if let Some(state) = work.edit {
            session.set_state(&state.to_string()).unwrap();
        }
        page(&session.take_patch(usize::MAX).unwrap_or_default());
        while session.poll_effect().is_some() {}
        let give = |event: String| {
            Box::new(move |session: &mut Session| session.bytes(request, event.as_bytes(), 0.0)) as Call
        };
        let calls: Vec<Call> = work.events.iter().map(frame).map(give).chain(work.calls).collect();
        let mut patches = 0;
        let mut take = |session: &mut Session| {
            let patch = session.take_patch(usize::MAX).unwrap_or_default();
            patches += patch.len();
            page(&patch);
        };
        let before = count::allocated();
        growth_measured(&mut || {
            for call in &calls {
                call(&mut session);
                while session.poll_effect().is_some() {}
                if flush == Flush::Often {
                    take(&mut session);
                }
            }
            take(&mut session);
        });
        Counts([0, count::allocated() - before, patches as u64])
    }
}
