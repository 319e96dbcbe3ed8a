//! The page's side: the clock, and where a request goes. From the global object, so that workers and Node have it too.

use wasm_bindgen::prelude::*;
use web_sys::Headers;

#[wasm_bindgen]
extern "C" {
    /// `{ method?, headers, binary, input? }`.
    pub type RequestTarget;
    #[wasm_bindgen(method, getter)]
    pub fn method(this: &RequestTarget) -> Option<String>;
    /// A copy of what the application gives: the core adds its own.
    #[wasm_bindgen(method, getter)]
    pub fn headers(this: &RequestTarget) -> Headers;
    #[wasm_bindgen(method, getter)]
    pub fn binary(this: &RequestTarget) -> bool;
    #[wasm_bindgen(method, getter)]
    pub fn input(this: &RequestTarget) -> Option<String>;
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
