//! The page's side: the host's callbacks, the clock, `fetch`. All of it from the global object, so that
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
    /// The method `tick` is to be called after so many milliseconds, and not at the time that was said before; `None`: not at all.
    #[wasm_bindgen(method)]
    pub fn wake(this: &Host, ms: Option<f64>);
    /// Sends it: a promise of an [`Answer`].
    #[wasm_bindgen(method, catch)]
    pub fn fetch(this: &Host, target: &RequestTarget, init: &RequestInit) -> Result<JsValue, JsValue>;
    /// Calls back once the promise is settled, with what it gives or fails with and whether it has failed, and frees the callback.
    #[wasm_bindgen(method)]
    pub fn settle(this: &Host, promise: &JsValue, callback: &JsValue);
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
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
    static TIME_ORIGIN: f64;
}

/// Milliseconds since 1970 on a clock that never goes back.
pub fn now() -> f64 {
    TIME_ORIGIN.with(|origin| *origin) + performance_now()
}
