//! The border: wasm-bindgen exports, and the effects performed. Decides nothing. Compiled for wasm32 only.
//!
//! Every export takes `&self`. The core is borrowed while pure code runs, never while JavaScript does: a listener may
//! call any export from inside any callback.

mod heap;
mod host;
mod request;
#[cfg(feature = "codecs")]
mod stepper;

use crate::session::{Effect, Misuse, Reply, Session as Core, Target};
use crate::thread::Warning;
pub use host::Host;
use request::{OpenRequest, OutgoingRequest};
use serde::Serializer as _;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
#[cfg(feature = "codecs")]
pub use stepper::Stepper;
use wasm_bindgen::prelude::*;

/// The state that the exports and the requests share.
struct Shared {
    core: RefCell<Core>,
    host: Host,
    /// The request that is open.
    open: RefCell<Option<OpenRequest>>,
    /// Whether it is to be called at some time.
    wakes: Cell<bool>,
    /// Whether the host has been asked to hold the session.
    held: Cell<bool>,
}

/// One agent's session.
#[wasm_bindgen]
pub struct Session(Rc<Shared>);

#[wasm_bindgen]
impl Session {
    /// All three are JSON texts; see [`Core::with_options`].
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, messages: Option<String>, state: Option<String>, host: Host) -> Result<Session, JsValue> {
        crate::wire::seed(js_sys::Math::random);
        let core = Core::with_options(options, messages.as_deref(), state.as_deref()).map_err(misuse)?;
        let core = RefCell::new(core);
        let shared = Shared { core, host, open: RefCell::default(), wakes: Cell::default(), held: Cell::default() };
        let shared = Rc::new(shared);
        shared.perform();
        Ok(Self(shared))
    }

    /// Calls a method by its name, with JSON text. A misuse is thrown.
    pub fn call(&self, method: &str, json: Option<String>) -> Result<JsValue, JsValue> {
        let json = json.unwrap_or_default();
        let reply = self.0.drive(|core, now| core.call(method, &json, now)).map_err(misuse)?;
        Ok(match reply {
            Reply::Nothing => JsValue::UNDEFINED,
            Reply::Ticket(ticket) => ticket.into(),
            Reply::Taken(taken) => taken.into(),
            Reply::Json(json) => json.into(),
        })
    }

    /// Takes the changes for the snapshot, as JSON text: a patch, or the next part of a long one.
    #[wasm_bindgen(js_name = takePatch)]
    pub fn take_patch(&self) -> Option<String> {
        self.0.core.borrow_mut().take_part()
    }
}

/// The guard's rules as functions; see [`crate::guard::ask()`].
#[cfg(feature = "guard")]
#[wasm_bindgen(js_name = askGuard)]
pub fn ask_guard(question: &str, json: &str) -> Result<String, JsValue> {
    crate::guard::ask(question, json, js_sys::parse_float).map_err(|error| js_sys::Error::new(&error).into())
}

/// A shorter list of events; see [`crate::journal::compact`].
#[cfg(feature = "codecs")]
#[wasm_bindgen]
pub fn compact(lines: &str) -> String {
    crate::journal::compact(lines)
}

impl Shared {
    /// Gives the core one input, then performs what follows from it.
    fn drive<T>(self: &Rc<Self>, input: impl FnOnce(&mut Core, f64) -> T) -> T {
        self.drive_at(host::now(), input)
    }

    /// The same, with an explicit time.
    fn drive_at<T>(self: &Rc<Self>, now: f64, input: impl FnOnce(&mut Core, f64) -> T) -> T {
        let result = input(&mut self.core.borrow_mut(), now);
        self.perform();
        result
    }

    fn perform(self: &Rc<Self>) {
        loop {
            let effect = self.core.borrow_mut().poll_effect();
            let Some(effect) = effect else { return self.hold() };
            match effect {
                Effect::Open { request, target, run_id, cursor, body } => {
                    let resume = target == Target::Resume;
                    request::open(self, request, OutgoingRequest { resume, run_id, cursor, body });
                }
                Effect::StopRemote { run_id } => self.host.stop_remote(&run_id),
                Effect::Close { request } => {
                    let open = self.open.borrow_mut().take_if(|open| open.request == request);
                    if let Some(open) = open {
                        open.close();
                    }
                }
                Effect::Wake { at } => {
                    self.wakes.set(at.is_some());
                    // Timers cut off fractions.
                    self.host.wake(at.map(|at| (at - host::now()).max(0.0).ceil()));
                }
                Effect::Save { number, save, holds } => self.host.save(number, &save, holds),
                Effect::Execute { tool_call_id, name, args, approved } => {
                    self.host.execute(&tool_call_id, &name, &args, approved);
                }
                Effect::Abandon { tool_call_id } => self.host.abandon(&tool_call_id),
                Effect::Settled { ticket, result } => self.host.settled(ticket, &result),
                Effect::Custom { name, value } => self.host.custom(&name, &value),
                Effect::Event(json) => self.host.event(&json),
                #[cfg(feature = "guard")]
                Effect::Decision(json) => self.host.decision(&json),
                Effect::Warning(warning) => self.host.warning(warning_object(&warning)),
                Effect::Changed { urgent } => self.host.changed(urgent),
            }
        }
    }

    /// The host holds its agent, and the agent this session, weakly where nobody else does: it is asked to while somebody
    /// outside of the page has yet to call back.
    fn hold(&self) {
        let on = self.open.borrow().is_some() || self.wakes.get();
        if self.held.replace(on) != on {
            self.host.hold(on);
        }
    }
}

/// A warning as the application gets it. As a map: for the names of a struct, serde-wasm-bindgen brings a cache.
fn warning_object(warning: &Warning) -> JsValue {
    let Warning { code, rule, message, event_type } = warning;
    let members = [
        ("code", Some(*code)),
        ("rule", *rule),
        ("message", Some(message.as_str())),
        ("eventType", event_type.as_deref()),
    ];
    let object = serde_wasm_bindgen::Serializer::new().serialize_maps_as_objects(true);
    let members = members.into_iter().filter_map(|(name, text)| Some((name, text?)));
    // Text alone: nothing in it can fail.
    object.collect_map(members).unwrap_or_default()
}

/// A misuse as a JavaScript error with a `code`.
fn misuse(misuse: Misuse) -> JsValue {
    let error = js_sys::Error::new(&format!("{misuse}"));
    error.set_name("AgentMisuse");
    // Setting a property of a fresh object does not fail.
    let _ = js_sys::Reflect::set(&error, &"code".into(), &misuse.code().into());
    error.into()
}
