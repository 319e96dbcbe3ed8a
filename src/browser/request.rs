//! One request: fetch, up to the body that the page reads.

use super::host::{Answer, Host, RequestTarget};
use super::{Shared, misuse};
use js_sys::{Array, Promise};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, Headers, ReadableStreamDefaultReader, RequestInit};

/// The request that is open.
pub struct OpenRequest {
    pub request: u32,
    controller: AbortController,
    reader: Option<ReadableStreamDefaultReader>,
}

impl OpenRequest {
    /// Lets go of the connection.
    pub fn close(self) {
        if let Some(reader) = self.reader {
            // Before the abort, after which cancelling fails; a custom fetch may not know the signal at all.
            cancel(&reader);
        }
        self.controller.abort();
    }
}

/// A request that is to be sent.
pub struct OutgoingRequest {
    /// It joins a run, and goes where the host says that runs are joined.
    pub resume: bool,
    pub run_id: String,
    pub cursor: Option<String>,
    pub body: Rc<str>,
}

/// Sends the request; what comes back goes to the core under its number.
pub fn open(shared: &Rc<Shared>, request: u32, sent: OutgoingRequest) {
    let Ok(controller) = AbortController::new() else { return };
    *shared.open.borrow_mut() = Some(OpenRequest { request, controller: controller.clone(), reader: None });
    let (host, step) = (shared.host.clone(), Cell::new(Resolved::Target));
    let sending = Sending { shared: Rc::downgrade(shared), host, request, controller, sent, step };
    // The host is asked once the caller is done.
    Rc::new(sending).wait(&JsValue::UNDEFINED);
}

/// The result of a promise of a [`Sending`].
#[derive(Clone, Copy)]
enum Resolved {
    /// Nothing yet: the host is to be asked where the request goes.
    Target,
    /// Where it goes.
    Fetch,
    /// The response.
    Response,
}

/// A request on its way to its response, one promise after the other. No future: those bring a queue, tasks and wakers,
/// 2 kB (brotli) of them.
struct Sending {
    /// A fetch that never settles must not keep the session alive.
    shared: Weak<Shared>,
    host: Host,
    request: u32,
    controller: AbortController,
    sent: OutgoingRequest,
    step: Cell<Resolved>,
}

impl Sending {
    /// Continues when the promise is settled. Only the promise holds what it calls: with a fetch that never settles, not even
    /// when it is aborted, all of this is collected.
    fn wait(self: &Rc<Self>, promise: &JsValue) {
        let sending = self.clone();
        let settled = Closure::<dyn FnMut(JsValue, bool)>::new(move |value, failed| match failed {
            true => sending.failed(&value),
            false => sending.done(value),
        });
        self.host.settle(promise, &settled.into_js_value());
    }

    fn done(self: &Rc<Self>, value: JsValue) {
        match self.next(value) {
            Ok(Some(promise)) => self.wait(&promise),
            Ok(None) => {}
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&self, error: &JsValue) {
        if let Some(shared) = self.shared.upgrade() {
            shared.failed(self.request, error);
        }
    }

    /// The next promise. `None`: there is none, or the request was aborted before it began.
    fn next(&self, value: JsValue) -> Result<Option<JsValue>, JsValue> {
        let Some(shared) = self.shared.upgrade() else {
            // A fetch of the application's may look at no signal: its connection would stay open.
            if matches!(self.step.get(), Resolved::Response)
                && let Some(reader) = value.unchecked_ref::<Answer>().reader()
            {
                cancel(&reader);
            }
            return Ok(None);
        };
        match self.step.get() {
            Resolved::Target => {
                self.step.set(Resolved::Fetch);
                let OutgoingRequest { resume, run_id, cursor, .. } = &self.sent;
                shared.host.request(*resume, run_id, cursor.clone()).map(Some)
            }
            Resolved::Fetch => {
                let target: RequestTarget = value.unchecked_into();
                let mut body = self.sent.body.clone();
                if let Some(input) = target.input().filter(|_| !self.controller.signal().aborted()) {
                    let other = shared.drive(|core, now| core.refresh(self.request, &input, now)).map_err(misuse)?;
                    body = other.unwrap_or(body);
                }
                // The guard may have refused it.
                if self.controller.signal().aborted() {
                    return Ok(None);
                }
                self.step.set(Resolved::Response);
                let init = self.init(&shared, &target, &body)?;
                shared.host.fetch(&target, &init).map(Some)
            }
            Resolved::Response => {
                receive(shared, self.request, value.unchecked_ref());
                Ok(None)
            }
        }
    }

    fn init(&self, shared: &Rc<Shared>, target: &RequestTarget, body: &str) -> Result<RequestInit, JsValue> {
        let headers = match target.headers() {
            given if given.is_undefined() || given.is_null() => Headers::new()?,
            given => Headers::new_with_headers(given.unchecked_ref())?,
        };
        let given = headers.get("accept").ok().flatten();
        let accept = match target.binary() {
            true => None,
            false => shared.drive(|core, _| core.accept(given.as_deref())),
        };
        let otherwise = if target.binary() { ACCEPT_BINARY } else { "text/event-stream" };
        headers.set("accept", accept.as_deref().unwrap_or(otherwise))?;
        let init = RequestInit::new();
        let method = target.method().unwrap_or_else(|| "POST".to_owned());
        init.set_method(&method);
        if method != "GET" {
            headers.set("content-type", "application/json")?;
            init.set_body(&body.into());
        }
        init.set_headers(&headers);
        init.set_signal(Some(&self.controller.signal()));
        if let Some(credentials) = target.credentials() {
            init.set_credentials(credentials);
        }
        Ok(init)
    }
}

/// A server without the binary framing answers with an event stream.
const ACCEPT_BINARY: &str = "application/vnd.ag-ui.event+proto, text/event-stream;q=0.9";

fn receive(shared: Rc<Shared>, request: u32, answer: &Answer) {
    let (content_type, retry_after) = (answer.content_type(), answer.retry_after());
    shared.drive(|core, now| core.head(request, answer.status(), &content_type, retry_after.as_deref(), now));
    let Some(reader) = answer.reader() else {
        return shared.drive(|core, now| core.end(request, now));
    };
    let mut open = shared.open.borrow_mut();
    match open.as_mut().filter(|open| open.request == request) {
        Some(open) => open.reader = Some(reader.clone()),
        // Stopped meanwhile.
        None => {
            return cancel(&reader);
        }
    }
    drop(open);
    let host = shared.host.clone();
    host.receive(reader, Body { shared, request, room: RefCell::default() }, wasm_bindgen::memory());
}

/// Gives a body back unread. Whether that works does not matter.
fn cancel(reader: &ReadableStreamDefaultReader) {
    // A rejection that nobody looks at would be reported.
    let _ = Promise::all_settled(&Array::of1(&reader.cancel()));
}

/// How much of a long event is read ahead at a time: some milliseconds' worth.
const STEP: usize = 32 * 1024;

/// The body of an answer, for its reader (`js/core/read.ts`): copies what comes into the room, then says how much it is.
#[wasm_bindgen]
pub struct Body {
    shared: Rc<Shared>,
    request: u32,
    /// Kept from read to read: room of its own for each would cost a small one a quarter of its time.
    room: RefCell<Vec<u8>>,
}

#[wasm_bindgen]
impl Body {
    /// Where in the module's memory there is room for so many bytes, until more room is asked for.
    pub fn room(&self, bytes: usize) -> *const u8 {
        let mut room = self.room.borrow_mut();
        room.resize(bytes, 0);
        room.as_ptr()
    }

    /// So many bytes have come; `now` in milliseconds since 1970. 0: nothing more is wanted; 2: a long event is being read, which
    /// goes on with a call without bytes.
    pub fn read(&self, length: usize, now: f64) -> u32 {
        let room = self.room.take();
        let waits = self.shared.drive_at(now, |core, now| {
            if length > 0 || !core.go_on(self.request, STEP, now) {
                core.read(self.request, room.get(..length).unwrap_or_default(), now);
            }
            core.waits()
        });
        self.room.replace(room);
        u32::from(self.shared.is_open(self.request)) << u32::from(waits)
    }

    /// The body has ended.
    pub fn end(&self) {
        self.shared.drive(|core, now| core.end(self.request, now));
        self.close();
    }

    /// It broke.
    pub fn fail(&self, error: &JsValue) {
        self.shared.failed(self.request, error);
        self.close();
    }

    fn close(&self) {
        self.shared.open.borrow_mut().take_if(|open| open.request == self.request);
        self.shared.hold();
    }
}

impl Shared {
    fn is_open(&self, request: u32) -> bool {
        self.open.borrow().as_ref().is_some_and(|open| open.request == request)
    }

    fn failed(self: &Rc<Self>, request: u32, error: &JsValue) {
        self.host.failed(error);
        // Transports report a status in an error where HTTP would have it in a head.
        let status = js_sys::Reflect::get(error, &"status".into()).ok().and_then(|status| status.as_f64());
        let reason = reason(error);
        if status == Some(401.0) {
            self.drive(|core, now| core.denied(request, &reason, now));
        } else {
            self.drive(|core, now| core.failed(request, &reason, now));
        }
        let open = self.open.borrow_mut().take_if(|open| open.request == request);
        if let Some(open) = open {
            open.controller.abort();
        }
        self.hold();
    }
}

/// The message of an exception.
fn reason(error: &JsValue) -> String {
    // Whatever it is: its message may be no string.
    let message = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_else(|| "unknown error".to_owned())
}
