//! The border: wasm-bindgen exports, and the effects as text. Decides nothing. Compiled for wasm32 only.
//!
//! No export calls the page: an entry returns first, then the page takes the effects that follow from it, one after the
//! other, and performs them. So a listener may call any export from inside any callback.

mod effects;
mod heap;
mod host;
mod request;
#[cfg(feature = "codecs")]
mod stepper;

use crate::session::{Misuse, Reply, Session};
use serde::Serializer as _;
use std::rc::Rc;
#[cfg(feature = "codecs")]
pub use stepper::CoreStepper;
use wasm_bindgen::prelude::*;

/// A patch that is longer is taken in parts. The page reads one in a fraction of a frame, whatever is in it.
const PART_BYTES: usize = 32 * 1024;

/// One agent's session.
#[wasm_bindgen]
pub struct CoreSession {
    core: Session,
    /// The body of the request that was opened last, until it is sent.
    body: Rc<str>,
    /// Kept from read to read: room of its own for each would cost a small one a quarter of its time.
    room: Vec<u8>,
}

#[wasm_bindgen]
impl CoreSession {
    /// All three are JSON texts; see [`Session::with_options`].
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, messages: Option<String>, state: Option<String>) -> Result<CoreSession, JsValue> {
        crate::wire::seed(js_sys::Math::random);
        let core = Session::with_options(options, messages.as_deref(), state.as_deref()).map_err(misuse)?;
        Ok(Self { core, body: Rc::default(), room: Vec::new() })
    }

    /// Calls a method by its name, with JSON text. A misuse is thrown.
    pub fn call(&mut self, method: &str, json: Option<String>) -> Result<JsValue, JsValue> {
        let reply = self.core.call(method, &json.unwrap_or_default(), host::now()).map_err(misuse)?;
        let value = serde_wasm_bindgen::Serializer::new();
        let value = match reply {
            Reply::Nothing => value.serialize_unit(),
            Reply::Taken(taken) => value.serialize_bool(taken),
            Reply::Json(json) => value.serialize_str(&json),
        };
        // None of these can fail.
        Ok(value.unwrap_or_default())
    }

    /// Takes the changes for the snapshot, as JSON text: a patch, or the next part of a long one.
    #[wasm_bindgen(js_name = takePatch)]
    pub fn take_patch(&mut self) -> Option<String> {
        self.core.take_patch(PART_BYTES)
    }

    /// Takes the next effect, as [`effects::text`] writes it: to be asked for until there is none, after every call of another
    /// method.
    pub fn effect(&mut self) -> Option<String> {
        let effect = self.core.poll_effect()?;
        Some(effects::text(effect, &mut self.body))
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

/// A misuse as a JavaScript error with a `code`.
fn misuse(misuse: Misuse) -> JsValue {
    let error = js_sys::Error::new(&format!("{misuse}"));
    error.set_name("AgentMisuse");
    // Setting a property of a fresh object does not fail.
    let _ = js_sys::Reflect::set(&error, &"code".into(), &misuse.code().into());
    error.into()
}
