//! One request: fetch, and its body read chunk by chunk, in slices that leave the page its turn.

use super::Shared;
use super::host::{ReadResult, RequestTarget, Turn, global_fetch, now};
use js_sys::{Array, Promise, Uint8Array};
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
    let body = Rc::new(Body {
        shared,
        request,
        reader,
        bytes: RefCell::default(),
        rest: RefCell::default(),
        slice: Cell::default(),
        handlers: RefCell::default(),
        turn: RefCell::default(),
    });
    let (read, failed) = (body.clone(), body.clone());
    *body.handlers.borrow_mut() =
        Some(handlers(move |result| read.read(&result.unchecked_into()), move |error| failed.failed(&error)));
    body.next();
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

/// Milliseconds that bytes may be read for before the page has its turn: half of a frame.
const SLICE_MS: f64 = 8.0;
/// Bytes that are read between two looks at the clock; a fraction of a millisecond in any machine.
const PIECE: u32 = 32 * 1024;
/// Milliseconds in which no bytes came: the page has had its turn.
const PAUSE_MS: f64 = 2.0;

/// A body that is read. Its handlers hold it, and it holds them until it has ended: a future a chunk, with closures of
/// its own each time, would cost more than reading the chunk.
///
/// ```text
///   read() ──► chunk ──► piece ──► piece ──► … ──► read()
///                 ▲        │ 8 ms are used up: the rest waits
///                 └─ turn ◄┘
/// ```
///
/// Chunks that are there already come one after the other without the page having its turn, so the time counts across
/// them.
struct Body {
    shared: Rc<Shared>,
    request: u32,
    reader: ReadableStreamDefaultReader,
    bytes: RefCell<Vec<u8>>,
    /// What of the last chunk has not been read.
    rest: RefCell<Option<Uint8Array>>,
    /// When this slice began, and when its last piece was done.
    slice: Cell<(f64, f64)>,
    handlers: RefCell<Option<(Handler, Handler)>>,
    turn: RefCell<Option<Turn>>,
}

impl Body {
    fn next(&self) {
        if let Some((read, failed)) = &*self.handlers.borrow() {
            let _ = self.reader.read().then2(read, failed);
        }
    }

    fn read(self: &Rc<Self>, result: &ReadResult) {
        if result.done() {
            self.shared.drive(|core, now| core.end(self.request, now));
            self.close();
            return;
        }
        let now = now();
        let (_, last) = self.slice.get();
        if now - last > PAUSE_MS {
            self.slice.set((now, now));
        }
        self.pieces(&result.value(), now);
    }

    /// Reads a chunk as far as the slice lasts.
    fn pieces(self: &Rc<Self>, chunk: &Uint8Array, mut time: f64) {
        let length = chunk.length();
        let mut at = 0;
        loop {
            let end = length.min(at + PIECE);
            let mut bytes = self.bytes.take();
            bytes.resize((end - at) as usize, 0);
            if end - at == length {
                chunk.copy_to(&mut bytes);
            } else {
                chunk.subarray(at, end).copy_to(&mut bytes);
            }
            self.shared.drive_at(time, |core, now| core.bytes(self.request, &bytes, now));
            self.bytes.replace(bytes);
            if !self.shared.is_open(self.request) {
                return self.close();
            }
            at = end;
            let (began, _) = self.slice.get();
            time = now();
            self.slice.set((began, time));
            if time - began > SLICE_MS {
                self.rest.replace((at < length).then(|| chunk.subarray(at, length)));
                return self.wait();
            }
            if at == length {
                return self.next();
            }
        }
    }

    /// Goes on behind whatever else the page has to do.
    fn wait(self: &Rc<Self>) {
        let body = self.clone();
        self.turn.replace(Some(Turn::new(move || body.go_on())));
    }

    fn go_on(self: &Rc<Self>) {
        self.turn.take();
        // Stopped meanwhile.
        if !self.shared.is_open(self.request) {
            return self.close();
        }
        let now = now();
        self.slice.set((now, now));
        match self.rest.take() {
            Some(rest) => self.pieces(&rest, now),
            None => self.next(),
        }
    }

    fn failed(&self, error: &JsValue) {
        self.shared.failed(self.request, error);
        self.close();
    }

    /// Lets go of what would keep this body alive.
    fn close(&self) {
        self.shared.open.borrow_mut().take_if(|open| open.request == self.request);
        self.handlers.take();
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
