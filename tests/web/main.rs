//! The border, in Node and in browsers: requests, and effects as text. What the core decides is tested natively.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use ag_ui_wasm::browser::CoreSession;
use js_sys::{Array, Function, JSON, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

/// A page in a test's hands: it has the session, logs what the core asks for, and answers requests with what the test gives.
const PAGE: &str = include_str!("page.js");

struct Page(JsValue);

impl Page {
    /// A page whose requests are answered by `answer`, the body of a function of `(init, page)`.
    fn new(answer: &str) -> Self {
        Self::with(answer, "{}")
    }

    fn with(answer: &str, options: &str) -> Self {
        let make: Function = js_sys::eval(PAGE).unwrap().unchecked_into();
        let page = make.call2(&JsValue::NULL, &answer.into(), &options.into()).unwrap();
        let options = Reflect::get(&page, &"options".into()).unwrap().as_string().unwrap();
        let session = CoreSession::new(&options, None, None).unwrap();
        let page = Self(page);
        page.method("begin").call1(&JsValue::NULL, &session.into()).unwrap();
        page
    }

    fn method(&self, name: &str) -> Function {
        Reflect::get(&self.0, &name.into()).unwrap().unchecked_into()
    }

    fn submit(&self, text: &str) {
        self.ask("submit", &input(text)).unwrap();
    }

    /// Calls a method of the session.
    fn ask(&self, method: &str, json: &str) -> Result<JsValue, JsValue> {
        self.method("ask").call2(&JsValue::NULL, &method.into(), &json.into())
    }

    fn take_patch(&self) -> Option<String> {
        self.method("takePatch").call0(&JsValue::NULL).unwrap().as_string()
    }

    /// Calls a method of the page, and waits for what it promises.
    async fn call(&self, name: &str, argument: &str) -> String {
        let promise = self.method(name).call1(&JsValue::NULL, &argument.into()).unwrap();
        let value = JsFuture::from(Promise::resolve(&promise)).await.unwrap();
        value.as_string().unwrap_or_default()
    }

    /// The results of the submits so far, once there are `count`.
    async fn settled(&self, count: u32) -> String {
        self.call("settled", &count.to_string()).await
    }

    async fn log(&self, name: &str) -> String {
        self.call("entries", name).await
    }
}

fn input(text: &str) -> String {
    format!(
        r#"{{"runId":"r","messages":[{{"id":"u-{text}","role":"user","content":"{text}"}}],"tools":[],"context":[],"forwardedProps":{{}}}}"#
    )
}

fn code(error: &JsValue) -> String {
    Reflect::get(error, &"code".into()).unwrap().as_string().unwrap_or_default()
}

const ANSWER: &str = r#"return page.stream([
    '{"type":"RUN_STARTED","threadId":"t","runId":"r"}',
    '{"type":"TEXT_MESSAGE_START","messageId":"m"}',
    '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"héllo 🙂"}',
    '{"type":"CUSTOM","name":"n","value":{"a":[1]}}',
    'oops',
    '{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":7}',
], 5)"#;

#[wasm_bindgen_test]
async fn a_body_becomes_a_patch_wherever_it_is_split() {
    let page = Page::new(ANSWER);
    page.submit("hi");
    assert_eq!(page.settled(1).await, r#"[{"runId":"r","outcome":"success","result":7}]"#);
    let patch = JSON::parse(&page.take_patch().unwrap()).unwrap();
    let patch = String::from(JSON::stringify(&patch).unwrap());
    assert!(patch.contains("héllo 🙂"), "{patch}");
    assert!(page.take_patch().is_none());
    assert_eq!(page.log("custom").await, r#"[["n","{\"a\":[1]}"]]"#);
    let warnings = page.log("warning").await;
    assert!(warnings.contains(r#""code":"frame-not-json""#), "warnings are objects: {warnings}");
}

#[wasm_bindgen_test]
async fn the_request_is_a_post_with_the_headers_of_the_page() {
    let page = Page::new(ANSWER);
    page.submit("hi");
    page.settled(1).await;
    let request = page.log("request").await;
    for part in [
        r#""method":"POST""#,
        r#""accept":"text/event-stream""#,
        r#""content-type":"application/json""#,
        r#""x-token":"secret""#,
        r#"\"protocolVersion\":\"1.0\""#,
    ] {
        assert!(request.contains(part), "{part} in {request}");
    }
}

#[wasm_bindgen_test]
async fn stop_lets_go_of_the_connection() {
    let page = Page::new(r#"return page.open(['{"type":"TEXT_MESSAGE_START","messageId":"m"}'])"#);
    page.submit("hi");
    page.call("until", "read").await;
    page.ask("stop", "").unwrap();
    assert_eq!(page.settled(1).await, r#"[{"runId":"r","outcome":"aborted"}]"#);
    page.call("until", "cancel").await;
    assert_eq!(page.log("aborted").await, "[true]");
    // Later bytes are not read.
    page.take_patch();
    page.call("push", r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"late"}"#).await;
    assert!(page.take_patch().is_none());
}

#[wasm_bindgen_test]
async fn stop_before_the_request_is_sent() {
    let page = Page::new(ANSWER);
    page.submit("hi");
    page.ask("stop", "").unwrap();
    assert_eq!(page.settled(1).await, r#"[{"runId":"r","outcome":"aborted"}]"#);
    assert_eq!(page.log("request").await, "[]", "nothing was sent");
}

#[wasm_bindgen_test]
async fn a_refusal_and_a_failure_are_errors() {
    let page = Page::new(r#"return new Response('{"message":"who are you"}', { status: 401 })"#);
    page.submit("hi");
    let result = page.settled(1).await;
    assert!(result.contains(r#""kind":"auth""#) && result.contains("who are you"), "{result}");

    let page = Page::new(r#"throw new TypeError("Failed to fetch")"#);
    page.submit("hi");
    let result = page.settled(1).await;
    assert!(result.contains(r#""kind":"connection""#) && result.contains("Failed to fetch"), "{result}");

    let page = Page::new(r#"return new Response(null, { status: 204 })"#);
    page.submit("hi");
    assert!(page.settled(1).await.contains(r#""status":204"#));
}

#[wasm_bindgen_test]
async fn a_body_that_fails_is_truncated() {
    let page = Page::new(r#"return page.open(['{"type":"TEXT_MESSAGE_START","messageId":"m"}'])"#);
    page.submit("hi");
    page.call("until", "read").await;
    page.call("fail", "socket hang up").await;
    let result = page.settled(1).await;
    assert!(result.contains(r#""outcome":"truncated""#) && result.contains("socket hang up"), "{result}");
}

#[wasm_bindgen_test]
async fn a_body_that_stays_open_is_closed_after_the_run() {
    let open = r#"return page.open(['{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'])"#;
    let page = Page::with(open, r#"{"graceMs":0}"#);
    page.submit("hi");
    assert_eq!(page.settled(1).await, r#"[{"runId":"r","outcome":"success"}]"#);
    page.call("until", "cancel").await;
}

#[wasm_bindgen_test]
async fn callbacks_may_call_back() {
    let page = std::rc::Rc::new(Page::new(ANSWER));
    let again = page.clone();
    let left = std::cell::Cell::new(2);
    let submit = Closure::<dyn Fn()>::new(move || {
        // Over every effect, also one that such a call leads to.
        again.take_patch();
        if left.get() > 0 {
            left.set(left.get() - 1);
            again.submit(&format!("again{}", left.get()));
        }
    });
    Reflect::set(&page.0, &"each".into(), submit.as_ref()).unwrap();
    page.submit("hi");
    let results = page.settled(3).await;
    assert_eq!(results.matches("success").count(), 3, "{results}");
    submit.forget();
}

#[wasm_bindgen_test]
async fn events_are_reported_when_asked_for() {
    let page = Page::new(ANSWER);
    page.submit("one");
    page.settled(1).await;
    assert_eq!(page.log("event").await, "[]");
    page.ask("listen", r#"{"events":"*"}"#).unwrap();
    page.submit("two");
    page.settled(2).await;
    let events: Array = js_sys::JSON::parse(&page.log("event").await).unwrap().unchecked_into();
    assert_eq!(events.length(), 5);
}

#[wasm_bindgen_test]
async fn misuse_has_a_code() {
    let page = Page::new(r#"return page.open([])"#);
    assert_eq!(code(&page.ask("submit", "[]").unwrap_err()), "input");
    page.submit("hi");
    let reject = input("x").replace("\"runId\"", "\"ifBusy\":\"reject\",\"runId\"");
    assert_eq!(code(&page.ask("submit", &reject).unwrap_err()), "busy");
    page.submit("queued");
    page.ask("dispose", "").unwrap();
    let results = page.settled(2).await;
    assert_eq!(results.matches("aborted").count(), 2, "everything is settled: {results}");
    assert_eq!(code(&page.ask("submit", &input("x")).unwrap_err()), "disposed");
    assert_eq!(code(&page.ask("reset", "{}").unwrap_err()), "disposed");
}

#[wasm_bindgen_test]
async fn halves_of_a_pair_cross_as_escapes() {
    let page = Page::new(
        r#"return page.stream([
            '{"type":"TEXT_MESSAGE_START","messageId":"m"}',
            '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\\ud83d"}',
            '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\\ude42"}',
        ], 1000)"#,
    );
    page.submit("hi");
    page.settled(1).await;
    let patch = page.take_patch().unwrap();
    assert!(patch.contains("\\ud83d\\ude42"), "{patch}");
    let parsed = js_sys::JSON::parse(&patch).unwrap();
    assert!(js_sys::JSON::stringify(&parsed).unwrap().as_string().unwrap().contains('🙂'));
}

/// The allocator of `src/browser/heap.rs`, asked for what blocks of all lengths hold.
#[wasm_bindgen_test]
fn memory_is_given_once_and_comes_back() {
    let mut chance = 7_u32;
    let mut next = |below: u32| {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (chance >> 8) % below
    };
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut after_first = 0;
    for round in 0..2 {
        for step in 0..20_000 {
            let mark = step as u8;
            if blocks.len() < 200 || next(2) == 0 {
                // Mostly short, at times some pages.
                let most = [64, 64, 1024, 40_000, 1_000_000][next(5).min(next(5)) as usize];
                blocks.push(vec![mark; 1 + next(most) as usize]);
            }
            let at = next(blocks.len() as u32) as usize;
            if next(3) == 0 || blocks.len() > 300 {
                let block = blocks.swap_remove(at);
                assert!(block.iter().all(|byte| *byte == block[0]), "a block of {} was given twice", block.len());
            } else {
                let block = &mut blocks[at];
                let value = block[0];
                let length = 1 + next(2 * block.len() as u32) as usize;
                block.resize(length, value);
                block.shrink_to_fit();
            }
        }
        assert!(blocks.iter().all(|block| block.iter().all(|byte| *byte == block[0])));
        blocks.clear();
        if round == 0 {
            after_first = pages();
        }
    }
    assert!(pages() <= after_first + after_first / 4, "{} pages, then {}", after_first, pages());

    // A long text grows in its place, and goes back whole.
    let text = "x".repeat(20 << 20);
    let with_text = pages();
    drop(text);
    let _half = "y".repeat(10 << 20);
    let _rest = "z".repeat(9 << 20);
    assert_eq!(pages(), with_text);
}

fn pages() -> usize {
    std::arch::wasm32::memory_size::<0>()
}
