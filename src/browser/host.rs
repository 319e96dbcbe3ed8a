//! The page's side: the host's callbacks, the clock, timers, `fetch`. All of it from the global object, so that
//! workers and Node have it too.

// The names are explained where JavaScript declares them: js/glue/core.d.ts.
#![allow(missing_docs)]

use super::request::Body;
use wasm_bindgen::prelude::*;
use web_sys::{ReadableStreamDefaultReader, RequestInit};

#[wasm_bindgen]
extern "C" {
    /// The agent in `js/agent/agent.ts`.
    #[derive(Clone)]
    pub type Host;

    /// Where the next request goes: `RequestTarget`, or a promise of it.
    #[wasm_bindgen(method, catch)]
    pub fn request(this: &Host, resume: bool, run_id: &str, cursor: Option<String>) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method)]
    pub fn receive(this: &Host, reader: ReadableStreamDefaultReader, body: Body, memory: JsValue);
    #[wasm_bindgen(method)]
    pub fn failed(this: &Host, cause: &JsValue);
    #[wasm_bindgen(method, js_name = stopRemote)]
    pub fn stop_remote(this: &Host, run_id: &str);
    #[wasm_bindgen(method)]
    pub fn changed(this: &Host, urgent: bool);
    #[wasm_bindgen(method)]
    pub fn settled(this: &Host, ticket: u32, result: &str);
    #[wasm_bindgen(method)]
    pub fn execute(this: &Host, tool_call_id: &str, name: &str, args: &str, approved: bool);
    #[wasm_bindgen(method)]
    pub fn save(this: &Host, number: u32, save: &str, holds: bool);
    #[wasm_bindgen(method)]
    pub fn abandon(this: &Host, tool_call_id: &str);
    #[wasm_bindgen(method)]
    pub fn custom(this: &Host, name: &str, value: &str);
    #[wasm_bindgen(method)]
    pub fn event(this: &Host, json: &str);
    #[cfg(feature = "guard")]
    #[wasm_bindgen(method)]
    pub fn decision(this: &Host, json: &str);
    #[wasm_bindgen(method)]
    pub fn warning(this: &Host, warning: JsValue);
    #[wasm_bindgen(method)]
    pub fn hold(this: &Host, on: bool);
    #[wasm_bindgen(method)]
    pub fn watch(this: &Host, callback: &JsValue) -> JsValue;
    /// Sends it: a promise of an [`Answer`].
    #[wasm_bindgen(method, catch)]
    pub fn fetch(this: &Host, target: &RequestTarget, init: &RequestInit) -> Result<JsValue, JsValue>;
    /// Calls back once the promise is settled, with what it gives or fails with and whether it has failed, and frees the callback.
    #[wasm_bindgen(method)]
    pub fn settle(this: &Host, promise: &JsValue, callback: &JsValue);
}

#[wasm_bindgen]
extern "C" {
    /// The session's settings, flat.
    pub type SessionOptions;
    #[wasm_bindgen(method, getter, js_name = threadId)]
    pub fn thread_id(this: &SessionOptions) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn rules(this: &SessionOptions) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn binary(this: &SessionOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    pub fn protocol(this: &SessionOptions) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn dialect(this: &SessionOptions) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = dialectSettings)]
    pub fn dialect_settings(this: &SessionOptions) -> String;
    #[cfg(feature = "guard")]
    #[wasm_bindgen(method, getter)]
    pub fn guard(this: &SessionOptions) -> Option<String>;
    #[cfg(feature = "guard")]
    #[wasm_bindgen(method, getter)]
    pub fn decisions(this: &SessionOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    pub fn events(this: &SessionOptions) -> String;
    #[wasm_bindgen(method, getter, js_name = maxFrameBytes)]
    pub fn max_frame_bytes(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxStateBytes)]
    pub fn max_state_bytes(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxThreadBytes)]
    pub fn max_thread_bytes(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxItems)]
    pub fn max_items(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxWarnings)]
    pub fn max_warnings(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxErrorBodyBytes)]
    pub fn max_error_body_bytes(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = errorBodyMs)]
    pub fn error_body_ms(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxQueue)]
    pub fn max_queue(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxDepth)]
    pub fn max_depth(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = maxHistory)]
    pub fn max_history(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter, js_name = graceMs)]
    pub fn grace_ms(this: &SessionOptions) -> f64;
    #[wasm_bindgen(method, getter)]
    pub fn saves(this: &SessionOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    pub fn network(this: &SessionOptions) -> String;
}

#[wasm_bindgen]
extern "C" {
    /// `{ url, method?, headers?, credentials?, fetch?, binary, input? }`.
    pub type RequestTarget;
    #[wasm_bindgen(method, getter)]
    pub fn url(this: &RequestTarget) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn method(this: &RequestTarget) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub fn headers(this: &RequestTarget) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn credentials(this: &RequestTarget) -> Option<web_sys::RequestCredentials>;
    #[wasm_bindgen(method, getter)]
    pub fn binary(this: &RequestTarget) -> bool;
    #[wasm_bindgen(method, getter)]
    pub fn input(this: &RequestTarget) -> Option<String>;
}

#[wasm_bindgen]
extern "C" {
    /// `{ status, contentType, retryAfter?, reader? }`.
    pub type Answer;
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &Answer) -> u16;
    #[wasm_bindgen(method, getter, js_name = contentType)]
    pub fn content_type(this: &Answer) -> String;
    #[wasm_bindgen(method, getter, js_name = retryAfter)]
    pub fn retry_after(this: &Answer) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub fn reader(this: &Answer) -> Option<ReadableStreamDefaultReader>;
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &JsValue, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
    static TIME_ORIGIN: f64;
}

/// Milliseconds since 1970 on a clock that never goes back.
pub fn now() -> f64 {
    TIME_ORIGIN.with(|origin| *origin) + performance_now()
}

/// A timer that is cleared when it is dropped.
pub struct Timer {
    handle: JsValue,
    _callback: Closure<dyn FnMut()>,
}

impl Timer {
    pub fn new(host: &Host, ms: f64, callback: impl FnMut() + 'static) -> Self {
        let callback = Closure::<dyn FnMut()>::new(callback);
        // Timers cut off fractions.
        let handle = set_timeout(&host.watch(callback.as_ref()), ms.max(0.0).ceil());
        Self { handle, _callback: callback }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.handle);
    }
}
