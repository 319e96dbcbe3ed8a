//! The guard of a session, where it has one. Without the feature, a gate that lets everything pass.

#[cfg(feature = "guard")]
pub(in crate::session) use with_guard::{Gate, View};
#[cfg(not(feature = "guard"))]
pub(in crate::session) use without_guard::NoGate as Gate;

#[cfg(feature = "guard")]
mod with_guard {
    use crate::dialect::Output;
    use crate::guard::{Guard, MessageState, ShownItems};
    use crate::rules::OrderKeeper;
    use crate::thread::Thread;
    use crate::wire::{Incoming, Raw, shortened};

    #[derive(Debug, Default)]
    pub(in crate::session) struct Gate {
        pub guard: Option<Box<Guard>>,
        /// The current event was judged as the frame that it was made of.
        pub judged: bool,
    }

    impl Gate {
        pub fn is_guarded(&self) -> bool {
            self.guard.is_some()
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

        /// Sets the time, where a person acts on a call.
        pub fn set_clock(&mut self, now: f64) {
            self.guard.iter_mut().for_each(|guard| guard.set_clock(now));
        }
    }

    /// The shown thread, for the guard to ask.
    pub(in crate::session) struct View<'s>(pub &'s mut Thread, pub &'s OrderKeeper);

    impl ShownItems for View<'_> {
        fn call(&mut self, id: &str) -> Option<String> {
            // A list of components has none that is longer; decisions repeat it for each part of the arguments.
            self.0.call(id).map(|call| shortened(call.tool(), 1024).into_owned())
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
