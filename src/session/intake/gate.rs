//! The guard of a session, where it has one. Without the feature, a gate that lets everything pass.

#[cfg(feature = "guard")]
pub(in crate::session) use with_guard::Gate;
#[cfg(not(feature = "guard"))]
pub(in crate::session) use without_guard::NoGate as Gate;

#[cfg(feature = "guard")]
mod with_guard {
    use crate::dialect::Output;
    use crate::guard::{GateVerdict, Guard, MessageState, ShownItems, WITHHELD};
    use crate::rules::OrderKeeper;
    use crate::thread::Thread;
    use crate::wire::{Fields, Incoming, Raw, shortened};

    #[derive(Debug, Default)]
    pub(in crate::session) struct Gate {
        guard: Option<Box<Guard>>,
        /// The current event was judged as the frame that it was made of.
        judged: bool,
    }

    impl Gate {
        pub fn new(guard: Option<Guard>) -> Self {
            Self { guard: guard.map(Box::new), judged: false }
        }

        pub fn is_guarded(&self) -> bool {
            self.guard.is_some()
        }

        pub fn is_judged(&self) -> bool {
            self.judged
        }

        pub fn set_judged(&mut self, judged: bool) {
            self.judged = judged;
        }

        /// The dialect asks the guard itself.
        pub fn lend(&mut self, out: &mut Output, now: f64) {
            (out.guard, out.now) = (self.guard.take(), now);
        }

        pub fn take_back(&mut self, out: &mut Output) {
            self.guard = out.guard.take();
        }

        /// A run begins, which is another one than the last.
        pub fn begin(&mut self) {
            self.guard.iter_mut().for_each(|guard| guard.begin());
        }

        /// A run is replayed from its beginning: it is counted once.
        pub fn begin_again(&mut self) {
            self.guard.iter_mut().for_each(|guard| guard.begin_again());
        }

        /// Judges an event: the parts of it that may pass.
        pub fn judge(
            &mut self,
            incoming: &Incoming<'_>,
            fields: &Fields<'_>,
            thread: &mut Thread,
            order: &OrderKeeper,
            now: f64,
        ) -> GateVerdict {
            let Some(guard) = self.guard.as_mut().filter(|_| !self.judged) else { return GateVerdict::Pass };
            guard.judge(incoming, fields, &mut View(thread, order), now)
        }

        pub fn permits(&mut self, original: Raw<'_>, thread: &mut Thread, order: &OrderKeeper, now: f64) -> bool {
            let shown = &mut View(thread, order);
            self.guard.as_mut().is_none_or(|guard| guard.permits(original, shown, now))
        }

        /// Whether an event may go to the agent: the decision as JSON text. `None`: nobody has to decide.
        pub fn inbound(&mut self, json: &str, max_depth: usize, now: f64) -> Option<String> {
            Some(self.guard.as_mut()?.inbound(json, max_depth, now))
        }

        /// Whether bodies of a dialect's have to be asked about.
        pub fn has_inbound_rule(&self) -> bool {
            self.guard.as_ref().is_some_and(|guard| guard.has_inbound_rule())
        }

        /// Why a call must not be executed under the name that it has now.
        pub fn forbids(&mut self, id: &str, name: &str) -> Option<String> {
            self.guard.as_mut()?.forbids(id, name)
        }

        /// Sets the time, where a person acts on a call.
        pub fn set_clock(&mut self, now: f64) {
            self.guard.iter_mut().for_each(|guard| guard.set_clock(now));
        }

        /// The text in place of the server's message of a failure, where that may not be shown.
        pub fn withheld(&mut self, now: f64) -> Option<&'static str> {
            let admitted = self.guard.as_mut()?.admits_failure(now);
            (!admitted).then_some(WITHHELD)
        }

        /// The decisions since, as JSON texts.
        pub fn take_decisions(&mut self) -> Vec<String> {
            self.guard.as_mut().map(|guard| guard.take_told()).unwrap_or_default()
        }

        /// Why the first event of this run was blocked, once.
        pub fn take_reason(&mut self) -> Option<String> {
            self.guard.as_mut()?.take_reason()
        }

        pub fn report_decisions(&mut self, on: bool) {
            self.guard.iter_mut().for_each(|guard| guard.tell(on));
        }

        /// Other capability tokens (a JSON array) than those that the guard had.
        pub fn present(&mut self, json: &str) -> Result<(), &'static str> {
            self.guard.as_mut().map_or(Ok(()), |guard| guard.present(json))
        }

        pub fn counters(&self) -> Option<String> {
            Some(self.guard.as_ref()?.counters())
        }
    }

    /// The shown thread, for the guard to ask.
    struct View<'s>(&'s mut Thread, &'s OrderKeeper);

    impl ShownItems for View<'_> {
        fn call(&mut self, id: &str) -> Option<String> {
            // A list of components has none that is longer; decisions repeat it for each part of the arguments.
            self.0.call_name(id).map(|name| shortened(name, 1024).into_owned())
        }

        fn message(&mut self, message: Raw<'_>) -> MessageState {
            match self.0.compare(message) {
                Some(true) => MessageState::Same,
                Some(false) => MessageState::Changed,
                None => MessageState::New,
            }
        }

        fn is_open(&self, incoming: &Incoming<'_>) -> bool {
            self.1.has_open(incoming)
        }
    }
}

#[cfg(not(feature = "guard"))]
mod without_guard {
    use crate::dialect::Output;

    #[derive(Debug, Default)]
    pub(in crate::session) struct NoGate;

    impl NoGate {
        pub fn is_guarded(&self) -> bool {
            false
        }

        pub fn set_judged(&mut self, _: bool) {}

        pub fn lend(&mut self, _: &mut Output, _: f64) {}

        pub fn take_back(&mut self, _: &mut Output) {}

        pub fn begin(&mut self) {}

        pub fn begin_again(&mut self) {}

        pub fn set_clock(&mut self, _: f64) {}
    }
}
