//! A request of the session: the `RequestInit` for its `fetch`, and what comes back.

use super::host::{self, RequestTarget};
use super::{CoreSession, misuse};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, RequestInit};

/// A server without the binary framing answers with an event stream.
const ACCEPT_BINARY: &str = "application/vnd.ag-ui.event+proto, text/event-stream;q=0.9";

/// How much of a long event is read ahead at a time: some milliseconds' worth.
const STEP: usize = 32 * 1024;

#[wasm_bindgen]
impl CoreSession {
    /// The request that was opened last, as `fetch` takes it, but for the credentials.
    pub fn init(&mut self, request: u32, target: &RequestTarget, signal: &AbortSignal) -> Result<RequestInit, JsValue> {
        let mut body = std::mem::take(&mut self.body);
        if let Some(input) = target.input() {
            body = self.core.refresh(request, &input, host::now()).map_err(misuse)?.unwrap_or(body);
        }
        let headers = target.headers();
        let binary = target.binary();
        let given = headers.get("accept").ok().flatten();
        let accept = if binary { None } else { self.core.accept(given.as_deref()) };
        let otherwise = if binary { ACCEPT_BINARY } else { "text/event-stream" };
        headers.set("accept", accept.as_deref().unwrap_or(otherwise))?;
        let init = RequestInit::new();
        let method = target.method().unwrap_or_else(|| "POST".to_owned());
        init.set_method(&method);
        if method != "GET" {
            headers.set("content-type", "application/json")?;
            init.set_body(&(&*body).into());
        }
        init.set_headers(&headers);
        init.set_signal(Some(signal));
        Ok(init)
    }

    /// A response has come.
    pub fn head(&mut self, request: u32, status: u16, content_type: &str, retry_after: Option<String>) {
        self.core.head(request, status, content_type, retry_after.as_deref(), host::now());
    }

    /// Room for so many bytes of its body, in the module's memory. It is there until more is asked for, or the memory grows.
    pub fn room(&mut self, bytes: usize) -> Uint8Array {
        self.room.resize(bytes, 0);
        // SAFETY: the page writes to it before it calls again.
        unsafe { Uint8Array::view_mut_raw(self.room.as_mut_ptr(), bytes) }
    }

    /// So many bytes have come; `now` in milliseconds since 1970. 1: a long event is being read, which goes on with a call without
    /// bytes. 2: there are effects. 3: both.
    pub fn read(&mut self, request: u32, length: usize, now: f64) -> u32 {
        if length > 0 || !self.core.go_on(request, STEP, now) {
            self.core.read(request, self.room.get(..length).unwrap_or_default(), now);
        }
        u32::from(self.core.waits()) | u32::from(self.core.has_effects()) << 1
    }

    /// The body has ended.
    pub fn end(&mut self, request: u32) {
        self.core.end(request, host::now());
    }

    /// The request or its body has failed; `denied`: as a status of 401 does, by a transport that has no status.
    pub fn fail(&mut self, request: u32, reason: &str, denied: bool) {
        let now = host::now();
        if denied {
            self.core.denied(request, reason, now);
        } else {
            self.core.failed(request, reason, now);
        }
    }
}
