//! One request: fetch, up to the body that the page reads.

use super::Shared;
use super::host::{RequestTarget, global_fetch};
use js_sys::{Array, Promise};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, Headers, ReadableStreamDefaultReader, RequestInit, Response};

/// The request that is open.
pub struct Open {
    pub request: u32,
    controller: AbortController,
    reader: Option<ReadableStreamDefaultReader>,
}

impl Open {
    /// Lets go of the connection.
    pub fn close(self) {
        if let Some(reader) = self.reader {
            // Before the abort, behind which cancelling fails; a custom fetch may not know the signal at all.
            cancel(&reader);
        }
        self.controller.abort();
    }
}

/// A request that is to be sent.
pub struct Sent {
    /// It joins a run, and goes where the host says that runs are joined.
    pub resume: bool,
    pub run_id: String,
    pub cursor: Option<String>,
    pub body: Rc<str>,
    /// What it asks for, where that is not an event stream alone.
    pub accept: Option<&'static str>,
}

/// Sends the request; what comes back goes to the core under its number.
pub fn open(shared: &Rc<Shared>, request: u32, sent: Sent) {
    let Ok(controller) = AbortController::new() else { return };
    *shared.open.borrow_mut() = Some(Open { request, controller: controller.clone(), reader: None });
    let sending = Rc::new(Sending {
        shared: shared.clone(),
        request,
        controller,
        sent,
        step: Cell::new(Step::Target),
        handlers: RefCell::default(),
    });
    let (done, failed) = (sending.clone(), sending.clone());
    *sending.handlers.borrow_mut() = Some(handlers(move |value| done.done(value), move |error| failed.failed(&error)));
    // The host is asked once the caller is done.
    sending.wait(&JsValue::UNDEFINED);
}

/// What has come when a promise of a [`Sending`] is kept.
#[derive(Clone, Copy)]
enum Step {
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
    shared: Rc<Shared>,
    request: u32,
    controller: AbortController,
    sent: Sent,
    step: Cell<Step>,
    handlers: RefCell<Option<(Handler, Handler)>>,
}

impl Sending {
    fn wait(&self, promise: &JsValue) {
        if let Some((done, failed)) = &*self.handlers.borrow() {
            let _ = Promise::resolve(promise).then2(done, failed);
        }
    }

    fn done(&self, value: JsValue) {
        match self.next(value) {
            Ok(Some(promise)) => self.wait(&promise),
            Ok(None) => drop(self.handlers.take()),
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&self, error: &JsValue) {
        self.shared.failed(self.request, error);
        self.handlers.take();
    }

    /// The next promise. `None`: there is none, or the request was aborted before it began.
    fn next(&self, value: JsValue) -> Result<Option<JsValue>, JsValue> {
        match self.step.get() {
            Step::Target => {
                self.step.set(Step::Fetch);
                let Sent { resume, run_id, cursor, .. } = &self.sent;
                self.shared.host.request(*resume, run_id, cursor.clone()).map(Some)
            }
            Step::Fetch => {
                if self.controller.signal().aborted() {
                    return Ok(None);
                }
                self.step.set(Step::Response);
                let target: RequestTarget = value.unchecked_into();
                let init = init(&target, &self.sent, &self.controller)?;
                Ok(Some(match target.fetch() {
                    Some(fetch) => fetch.call2(&JsValue::UNDEFINED, &target.url().into(), &init)?,
                    None => global_fetch(&target.url(), &init)?.into(),
                }))
            }
            Step::Response => {
                // A custom fetch may give anything; what throws further on would leave the run open for ever.
                if !value.is_object() {
                    return Err(JsValue::from_str("fetch gave no response"));
                }
                let response: Response = value.unchecked_into();
                if response.body().is_some_and(|body| body.locked()) {
                    return Err(JsValue::from_str("the body of the response has a reader already"));
                }
                receive(self.shared.clone(), self.request, &response);
                Ok(None)
            }
        }
    }
}

/// A server without the binary framing answers with an event stream.
const ACCEPT_BINARY: &str = "application/vnd.ag-ui.event+proto, text/event-stream;q=0.9";

fn init(target: &RequestTarget, sent: &Sent, controller: &AbortController) -> Result<RequestInit, JsValue> {
    let headers = match target.headers() {
        given if given.is_undefined() || given.is_null() => Headers::new()?,
        given => Headers::new_with_headers(given.unchecked_ref())?,
    };
    let accept = if target.binary() { ACCEPT_BINARY } else { sent.accept.unwrap_or("text/event-stream") };
    headers.set("accept", accept)?;
    let init = RequestInit::new();
    let method = target.method().unwrap_or_else(|| "POST".to_owned());
    init.set_method(&method);
    if method != "GET" {
        headers.set("content-type", "application/json")?;
        init.set_body(&(*sent.body).into());
    }
    init.set_headers(&headers);
    init.set_signal(Some(&controller.signal()));
    if let Some(credentials) = target.credentials() {
        init.set_credentials(credentials);
    }
    Ok(init)
}

fn receive(shared: Rc<Shared>, request: u32, response: &Response) {
    let header = |name: &str| response.headers().get(name).ok().flatten();
    let content_type = header("content-type").unwrap_or_default();
    let retry_after = header("retry-after");
    shared.drive(|core, now| core.head(request, response.status(), &content_type, retry_after.as_deref(), now));
    let Some(stream) = response.body() else {
        return shared.drive(|core, now| core.end(request, now));
    };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
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

/// Gives a body back unread. Whether that works is of no interest any more.
fn cancel(reader: &ReadableStreamDefaultReader) {
    // A rejection that nobody looks at would be reported.
    let _ = Promise::all_settled(&Array::of1(&reader.cancel()));
}

type Handler = Closure<dyn FnMut(JsValue)>;

/// For a promise that is kept, and for one that is broken.
fn handlers(done: impl FnMut(JsValue) + 'static, failed: impl FnMut(JsValue) + 'static) -> (Handler, Handler) {
    (Closure::new(done), Closure::new(failed))
}

/// The body of an answer, for who reads it (`js/read.ts`): copies what comes into the room, then says how much it is.
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

    /// So many bytes have come; `now` in milliseconds since 1970. False: nothing more is wanted.
    pub fn read(&self, length: usize, now: f64) -> bool {
        let room = self.room.take();
        if let Some(bytes) = room.get(..length) {
            self.shared.drive_at(now, |core, now| core.bytes(self.request, bytes, now));
        }
        self.room.replace(room);
        self.shared.is_open(self.request)
    }

    /// There is no more.
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
    }
}

impl Shared {
    fn is_open(&self, request: u32) -> bool {
        self.open.borrow().as_ref().is_some_and(|open| open.request == request)
    }

    fn failed(self: &Rc<Self>, request: u32, error: &JsValue) {
        // What transports say where HTTP would say it with a head.
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
    }
}

/// What an exception says.
fn reason(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => error.as_string().unwrap_or_else(|| "unknown error".to_owned()),
    }
}
