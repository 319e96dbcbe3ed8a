// The parts beside an agent of ngaf: its options, citations, errors and patches.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";
import { body, create, skip, started } from "./ngaf-server.mjs";

const { citationsOf, classifyError, NgafError } = await load("systems/ngaf/index");
const { applyOperations } = await load("base/checked-patch");

describe("beside the agent", { skip }, () => {
  const say = (id, delta) => body({ type: "TEXT_MESSAGE_CHUNK", messageId: id, role: "assistant", delta });
  const contents = (ngaf) => ngaf.messages.get().map(({ content }) => content);

  it("begins with what the agent has", () => {
    const initialMessages = [
      { id: "u", role: "user", content: [{ type: "text", text: "look" }, { type: "image", source: { type: "url", value: "/a.png" } }] },
      { id: "m", role: "assistant", content: "a", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
      { id: "r", role: "tool", toolCallId: "c", content: "7" },
    ];
    const { ngaf } = create([], 2, { agent: { initialMessages, initialState: { n: 1 } } });
    assert.deepEqual(ngaf.messages.get()[0].content, [{ type: "text", text: "look" }, { type: "image", url: "/a.png" }]);
    assert.deepEqual(ngaf.toolCalls.get(), [{ id: "c", name: "f", args: {}, status: "complete", result: 7 }]);
    assert.deepEqual(ngaf.state.get(), { n: 1 });
  });

  for (const version of [1, 2]) {
    it(`shows the same after a reload as before it, in version ${version}`, async () => {
      const answer = body(
        { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
        { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
        { type: "TOOL_CALL_END", toolCallId: "c" },
        { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "7" },
        { type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: "assistant", delta: "seven" },
      );
      const first = create([answer], version);
      await first.ngaf.submit({ message: "go" });
      const again = create([], version, { agent: { restore: first.agent.save() } });
      const shown = ({ ngaf }) => ngaf.messages.get().filter(({ role }) => role !== "tool").map(({ role, content }) => [role, content]);
      assert.deepEqual(shown(again), shown(first));
      assert.deepEqual(again.ngaf.toolCalls.get().map(({ id, result }) => [id, result]), [["c", 7]]);
    });

    it(`submits without an argument, in version ${version}`, async () => {
      const { ngaf, sent } = create([], version);
      await ngaf.submit();
      assert.equal(sent.length, 1);
    });
  }

  it("follows what is done with the agent itself", async () => {
    const { ngaf, agent } = create([say("a", "one"), say("b", "two")]);
    await agent.submit("first");
    assert.deepEqual(contents(ngaf), ["first", "one"]);
    await agent.submit("second");
    const [begun] = agent.history;
    agent.fork(begun);
    assert.deepEqual(contents(ngaf), ["first"]);
    agent.fork(agent.history.at(-1));
    assert.deepEqual(contents(ngaf), ["first", "one", "second", "two"]);
    agent.reset();
    assert.deepEqual(contents(ngaf), []);
  });

  it("has the history", async () => {
    const { ngaf, agent } = create([
      body({ type: "STEP_STARTED", stepName: "plan" }, { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, {
        type: "TEXT_MESSAGE_CHUNK",
        messageId: "a",
        delta: "x",
      }, { type: "STEP_FINISHED", stepName: "plan" }),
    ]);
    await ngaf.submit({ message: "go" });
    const history = ngaf.history.get();
    assert.deepEqual(history.map(({ label, values }) => [label, values.n]), [
      ...[["run-started", undefined], ["step-started plan", undefined]],
      ...[["step-finished plan", 1], ["run-finished", 1]],
    ]);
    assert.deepEqual([...ngaf.messageCheckpoints.get()], [[ngaf.messages.get()[0].id, history[0].id], ["a", history[2].id]]);
    assert.equal(ngaf.history.get(), history);
    assert.deepEqual(agent.at(history[2].id).state, { n: 1 });
  });

  it("tells those who watch a field when it changes, and no more once that ends", async () => {
    const { ngaf } = create([say("a", "one"), say("b", "two")]);
    const told = [];
    const off = ngaf.status.subscribe((status) => told.push(status));
    let lists = 0;
    ngaf.messages.subscribe(() => lists++);
    await ngaf.submit({ message: "go" });
    await null;
    assert.deepEqual(told, ["running", "idle"]);
    assert.ok(lists > 0);
    const before = ngaf.messages.get();
    off();
    await ngaf.submit({ message: "on" });
    assert.deepEqual(told, ["running", "idle"]);
    // A list that was handed out has not changed.
    assert.deepEqual(before.map(({ content }) => content), ["go", "one"]);
    assert.equal(ngaf.messages.get()[0], before[0]);
    ngaf.dispose();
  });

  it("measures", async () => {
    const names = [];
    const { ngaf } = create([body(), new Response("", { status: 500 })], 2, { telemetry: (name) => names.push(name) });
    await ngaf.submit({});
    await ngaf.submit({});
    assert.deepEqual(names, [
      ...["tplane:runtime_instance_created", "tplane:runtime_request_created", "tplane:stream_started", "tplane:stream_ended"],
      ...["tplane:runtime_request_created", "tplane:stream_errored"],
    ]);
  });

  it("puts the page's catalogues into the state", async () => {
    const { ngaf, sent } = create([body()]);
    ngaf.clientTools.setCatalog([], { supportedCatalogIds: ["basic"] });
    await ngaf.submit({ message: "go" });
    assert.deepEqual(sent[0].state, { a2ui_client_capabilities: { supportedCatalogIds: ["basic"] } });
  });
});

describe("citations", () => {
  it("go by several names", () => {
    const list = ["https://a.example", { refId: "r", name: "N", href: "/h", excerpt: "e", extra: { a: 1 } }, {
      id: "i",
      index: 7,
      title: "T",
      url: 3,
      source: "/s",
      content: "c",
      snippet: null,
      iconUrl: "/i",
      sourceType: "web",
      publishedAt: 5,
    }, {}];
    const state = { citations: { m: list, e: [], x: "no" } };
    assert.deepEqual(citationsOf(state, "m"), [
      { id: "c1", index: 1, url: "https://a.example" },
      { id: "r", index: 2, title: "N", url: "/h", snippet: "e", extra: { a: 1 } },
      { id: "i", index: 7, title: "T", url: "/s", snippet: "c", sourceType: "web", iconUrl: "/i", publishedAt: 5 },
      { id: "c4", index: 4 },
    ]);
    assert.equal("iconUrl" in citationsOf(state, "m", 1)[2], false);
    for (const id of ["e", "x", "none", "__proto__"]) assert.equal(citationsOf(state, id), undefined);
    assert.equal(citationsOf(null, "m"), undefined);
  });
});

describe("errors", () => {
  it("have a class", () => {
    const of = (cause) => {
      const { kind, retryable, status } = classifyError(cause);
      return [kind, retryable, status];
    };
    const own = new NgafError("interrupted", true, "x", undefined);
    assert.equal(classifyError(own), own);
    assert.deepEqual(of(Object.assign(new Error("x"), { name: "AbortError" })), ["aborted", false, undefined]);
    assert.deepEqual(of(new Error("The run was aborted")), ["aborted", false, undefined]);
    assert.deepEqual(of({ status: 403 }), ["auth", false, 403]);
    assert.deepEqual(of({ cause: { status: 502 }, message: "x" }), ["server", true, 502]);
    assert.deepEqual(of({ status: 404 }), ["server", false, 404]);
    assert.deepEqual(of({ status: 0 }), ["server", true, 0]);
    assert.deepEqual(of(new TypeError("Failed to fetch")), ["connection", true, undefined]);
    assert.deepEqual(of("Load failed"), ["connection", true, undefined]);
    assert.deepEqual(of(new Error("HTTP 401")), ["auth", false, 401]);
    assert.deepEqual(of(new Error("Request failed with status code 422")), ["server", false, 422]);
    assert.deepEqual(of(undefined), ["server", true, undefined]);
    assert.equal(classifyError(new Error("model said no")).message, "model said no");
  });
});

describe("patches", () => {
  const apply = (document, ...operations) => applyOperations(document, operations).value;
  it("follow the product", () => {
    assert.deepEqual(apply({ a: 1 }, { op: "replace", path: "/b", value: 2 }), { a: 1, b: 2 });
    assert.deepEqual(apply([1], { op: "add", path: "/2", value: 2 }), [1, 2]);
    assert.deepEqual(apply([1], { op: "add", path: "/-", value: 2 }), [1, 2]);
    assert.deepEqual(apply({ a: [1, 2] }, { op: "move", from: "/a/0", path: "/b" }), { a: [2], b: 1 });
    assert.deepEqual(apply({ "a/b": { "~": 1 } }, { op: "copy", from: "/a~1b/~0", path: "/c" }), { "a/b": { "~": 1 }, c: 1 });
    assert.deepEqual(apply({ a: 1 }, { op: "test", path: "/a", value: 1 }, { op: "replace", path: "", value: [] }), []);
    const document = JSON.parse('{"__proto__":{"x":1}}');
    const next = apply(document, { op: "replace", path: "/__proto__/x", value: 2 });
    assert.equal(JSON.stringify(next), '{"__proto__":{"x":2}}');
    assert.equal(Object.getPrototypeOf(next), Object.prototype);
  });

  it("fail as a whole", () => {
    const fails = (document, operation) => assert.throws(() => apply(document, operation), Error, JSON.stringify(operation));
    fails([1], { op: "replace", path: "/1", value: 2 });
    fails([1], { op: "add", path: "/3", value: 2 });
    fails([1], { op: "remove", path: "/-" });
    fails([1], { op: "add", path: "/01", value: 2 });
    fails({ a: 1 }, { op: "remove", path: "/b" });
    fails({ a: 1 }, { op: "remove", path: "" });
    fails({ a: 1 }, { op: "test", path: "/a", value: 2 });
    fails({ a: 1 }, { op: "test", path: "/toString", value: 2 });
    fails({ a: 1 }, { op: "add", path: "/a/b", value: 2 });
    fails({ a: 1 }, { op: "replace", path: "a", value: 2 });
    fails({}, { op: "bless", path: "/a" });
    fails({}, {});
  });

  it("do not grow without end", () => {
    const double = [{ op: "add", path: "/a", value: "x".repeat(1000) }, ...Array.from({ length: 40 }, (_, n) => ({ op: "copy", from: "", path: `/b${n}` }))];
    assert.throws(() => applyOperations({}, double), /too large/);
  });
});
