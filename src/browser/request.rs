//! One request: fetch, and its body read chunk by chunk.

use super::Shared;
use super::host::{RequestTarget, global_fetch};
use js_sys::{Promise, Reflect, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, Headers, ReadableStreamDefaultReader, RequestInit, Response};

/// Sends the request; what comes back goes to the core under its number.
pub fn open(shared: &Rc<Shared>, request: u32, body: String) {
    let Ok(controller) = AbortController::new() else { return };
    *shared.open.borrow_mut() = Some((request, controller.clone()));
    let shared = shared.clone();
    spawn_local(async move {
        match exchange(&shared, request, &body, &controller).await {
            Ok(()) => shared.drive(|core, now| core.end(request, now)),
            Err(error) => {
                // A body that is not read to its end is not wanted any more, whatever ended it.
                controller.abort();
                shared.drive(|core, now| core.failed(request, &reason(&error), now));
            }
        }
        shared.open.borrow_mut().take_if(|(number, _)| *number == request);
    });
}

async fn exchange(shared: &Rc<Shared>, request: u32, body: &str, controller: &AbortController) -> Result<(), JsValue> {
    let target = JsFuture::from(Promise::resolve(&shared.host.request()?)).await?;
    let signal = controller.signal();
    if signal.aborted() {
        return Ok(());
    }
    let target: RequestTarget = target.unchecked_into();
    let init = init(&target, body, controller)?;
    let promise = match target.fetch() {
        Some(fetch) => fetch.call2(&JsValue::UNDEFINED, &target.url().into(), &init)?,
        None => global_fetch(&target.url(), &init)?.into(),
    };
    let response: Response = JsFuture::from(Promise::resolve(&promise)).await?.unchecked_into();
    let content_type = response.headers().get("content-type")?.unwrap_or_default();
    shared.drive(|core, now| core.head(request, response.status(), &content_type, now));
    let Some(stream) = response.body() else { return Ok(()) };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    while !signal.aborted() {
        let chunk = JsFuture::from(reader.read()).await?;
        if Reflect::get(&chunk, &"done".into())?.is_truthy() {
            break;
        }
        let bytes: Uint8Array = Reflect::get(&chunk, &"value".into())?.unchecked_into();
        shared.drive(|core, now| core.bytes(request, &bytes.to_vec(), now));
    }
    Ok(())
}

fn init(target: &RequestTarget, body: &str, controller: &AbortController) -> Result<RequestInit, JsValue> {
    let headers = match target.headers() {
        given if given.is_undefined() || given.is_null() => Headers::new()?,
        given => Headers::new_with_headers(given.unchecked_ref())?,
    };
    headers.set("content-type", "application/json")?;
    headers.set("accept", "text/event-stream")?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_body(&body.into());
    init.set_headers(&headers);
    init.set_signal(Some(&controller.signal()));
    if let Some(credentials) = target.credentials() {
        init.set_credentials(credentials);
    }
    Ok(init)
}

/// What an exception says.
fn reason(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => error.as_string().unwrap_or_else(|| "unknown error".to_owned()),
    }
}
