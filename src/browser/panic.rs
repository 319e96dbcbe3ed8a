//! The last resort: a panic means that a session is lost. Where it happens below JavaScript, the caller sees the trap;
//! where it happens while a request is read, nobody would.

use super::Shared;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Once;

thread_local! {
    static SESSIONS: RefCell<Vec<Weak<Shared>>> = const { RefCell::new(Vec::new()) };
}

/// Tells the session's host should the module panic.
pub fn watch(session: &Rc<Shared>) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = info.payload_as_str().unwrap_or("panic");
            // The memory of the module is not to be trusted any more, so every session of it is lost.
            for session in SESSIONS.take().iter().filter_map(Weak::upgrade) {
                session.host.fatal(message);
            }
        }));
    });
    SESSIONS.with_borrow_mut(|sessions| {
        sessions.retain(|session| session.strong_count() > 0);
        sessions.push(Rc::downgrade(session));
    });
}
