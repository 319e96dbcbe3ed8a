//! One of the two cores, given inputs that are data. Compiled once for each: `super::core` says which.

use super::core::session::{Effect, Network, Options, Resume, Session};
use super::core::wire::{Protocol, Wanted};
use crate::input::{Input, Setup};
#[allow(unused_imports, reason = "the old core has them as methods")]
use crate::support::SessionCalls as _;

pub struct Driver(Session);

impl Driver {
    pub fn new(setup: &Setup) -> Self {
        let resume = setup.resume.map(|name| Resume::by(name, None, None).unwrap());
        let network = Network { resume, posts: setup.posts, attempts: 3, ..Network::default() };
        let options = Options {
            thread_id: "t".into(),
            strict: setup.strict,
            protocol: Protocol::parse(setup.protocol).unwrap(),
            events: Wanted::read("TEXT_MESSAGE_END,RUN_FINISHED"),
            max_depth: 64,
            max_queue: 4,
            max_history: setup.history,
            network,
            ..Options::default()
        };
        Self(Session::new(options, None, None).unwrap())
    }

    /// The outputs for an input: its result, and the effects in order.
    pub fn give(&mut self, input: &Input, now: f64) -> Vec<String> {
        let session = &mut self.0;
        let result = match input {
            Input::Submit(json) => format!("{:?}", session.submit(json, now)),
            Input::Retry(json) => format!("{:?}", session.retry(json, now)),
            Input::Regenerate(id, json) => format!("{:?}", session.regenerate(Some(id), json, now)),
            Input::Attach => format!("{:?}", session.attach("{}", now)),
            Input::Answer(json) => format!("{:?}", session.answer(json, now)),
            Input::Settle(json) => format!("{:?}", session.settle_call(json, now)),
            Input::Approve(json) => format!("{:?}", session.approve(json, now)),
            Input::Deny(json) => format!("{:?}", session.deny(json, now)),
            Input::EditMessages(before, after) => format!("{:?}", session.edit_messages(before, after)),
            Input::EditState(before, after) => format!("{:?}", session.edit_state(before, after)),
            Input::SetState(json) => format!("{:?}", session.set_state(json)),
            Input::EditQueued(ticket, json) => format!("{:?}", session.edit_queued(*ticket, json)),
            Input::Restore(json) => format!("{:?}", session.restore(json, now)),
            Input::Reset => format!("{:?}", session.reset(now)),
            Input::Stop => format!("{:?}", session.stop(now)),
            Input::Disconnect => format!("{:?}", session.disconnect(now)),
            Input::Tick => format!("{:?}", session.tick(now)),
            Input::Head(request, kind) => format!("{:?}", session.head(*request, 200, kind, None, now)),
            Input::Bytes(request, bytes) => format!("{:?}", session.bytes(*request, bytes, now)),
            Input::End(request) => format!("{:?}", session.end(*request, now)),
            Input::Failed(request) => format!("{:?}", session.failed(*request, "reset", now)),
        };
        let effects = std::iter::from_fn(|| self.0.poll_effect());
        let text = |effect| match effect {
            Effect::Settled { ticket, result, .. } => crate::wanted::settled(ticket, &result),
            effect => format!("{effect:?}"),
        };
        std::iter::once(result).chain(effects.map(text)).collect()
    }

    pub fn patch(&mut self) -> Option<String> {
        super::patch(&mut self.0)
    }

    pub fn save(&self) -> String {
        self.0.save()
    }
}
