// Hot reload: a module of the application is evaluated anew in the middle of a run. Its store is another object with the same key, and its component
// another one, which takes the place of the old one.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { createElement as h, StrictMode } from "react";
import { load, real, until } from "../lib.mjs";
import { openPage } from "../page.mjs";
import { fakeIndexedDb, fakeStorage } from "../persistence/fake-storages.mjs";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
fakeStorage();
globalThis.indexedDB = fakeIndexedDb();

describe("a module that is evaluated anew in the middle of a run", { skip: !real && "the core is a stand-in" }, async () => {
  const closePage = openPage();
  const { act } = await import("react");
  const { createRoot } = await import("react-dom/client");
  const { forgetThreads } = await load("testing");
  after(closePage);

  let requests;
  beforeEach(() => {
    requests = [];
    globalThis.hot = { ran: [], fetch };
  });
  afterEach(forgetThreads);

  /** A response that says what the test says. */
  async function fetch(_, { body, signal }) {
    let controller;
    const { runId, threadId, messages } = JSON.parse(body);
    const stream = new ReadableStream({ start: (made) => void (controller = made) });
    signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
    const say = (...events) => {
      for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    };
    const end = () => (say({ type: "RUN_FINISHED", threadId, runId }), controller.close());
    say({ type: "RUN_STARTED", threadId, runId });
    requests.push({ messages, signal, say, end });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  }

  let keys = 0;
  /** A page with the component of the module's first version, which has asked something. */
  async function begun(kind, made) {
    const key = `hot ${++keys}`;
    const container = document.createElement("div");
    const root = createRoot(container);
    const versions = [];
    let chat;
    const take = (shown) => void (chat = shown);
    /** Evaluates the module, and shows its component in place of the one before. */
    const evaluate = async () => {
      const query = new URLSearchParams({ version: versions.length + 1, kind, key });
      const { components } = await import(`./hot-module.mjs?${query}`);
      versions.push(components);
      await act(async () => root.render(h(StrictMode, null, h(components[made], { take }))));
    };
    // React renders what comes while it acts when it has.
    const shows = async (text) => {
      for (let turn = 0; turn < 1000 && container.textContent !== text; turn++) await act(() => new Promise(setImmediate));
      assert.equal(container.textContent, text);
    };
    await evaluate();
    let result;
    await act(async () => void (result = chat.submit("hello")));
    await act(() => until(() => requests.length));
    const close = () => act(async () => root.unmount());
    return { chat: () => chat, evaluate, shows, result, close };
  }

  for (const kind of ["localStorage", "IndexedDB"]) {
    for (const made of ["of options", "of the module"]) {
      const where = `${kind}, an agent ${made}`;
      const says = (messageId, delta) => [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta }];

      it(`shows the run on, which is asked for once: ${where}`, async () => {
        const { evaluate, shows, result, close } = await begun(kind, made);
        const [{ say, end }] = requests;
        say({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, ...says("a", "one"));
        await shows("1 running: hello | one");
        await evaluate();
        await shows("2 running: hello | one");
        say(...says("a", " two"));
        await shows("2 running: hello | one two");
        await evaluate();
        say(...says("a", " three"));
        end();
        await shows("3 idle: hello | one two three");
        assert.equal((await result).outcome, "success");
        assert.equal(requests.length, 1);
        await close();
      });

      it(`stops it: ${where}`, async () => {
        const { chat, evaluate, shows, result, close } = await begun(kind, made);
        const [{ say, signal }] = requests;
        say({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, ...says("a", "one"));
        await shows("1 running: hello | one");
        await evaluate();
        await act(() => chat().stop());
        await shows("2 idle: hello | one");
        assert.equal((await result).outcome, "aborted");
        assert.deepEqual([signal.aborted, requests.length], [true, 1]);
        await close();
      });

      // An agent that the application has made is there until it is disposed of, and answers what it has asked for.
      const second = made === "of options" ? "2" : "1";
      it(`has the result of a tool of the old module, and then calls those of version ${second}: ${where}`, async () => {
        const { evaluate, shows, result, close } = await begun(kind, made);
        const { ran } = globalThis.hot;
        const calls = (id) => [{ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "work" }, { type: "TOOL_CALL_END", toolCallId: id }];
        requests[0].say(...calls("c1"));
        await act(() => until(() => ran.length));
        await evaluate();
        globalThis.hot.done("first");
        requests[0].end();
        await act(() => until(() => requests.length === 2));
        assert.equal(requests[1].messages.find(({ toolCallId }) => toolCallId === "c1").content, "first");
        requests[1].say(...calls("c2"));
        await act(() => until(() => ran.length === 2));
        assert.deepEqual(ran, ["1", second]);
        globalThis.hot.done("second");
        requests[1].end();
        await act(() => until(() => requests.length === 3));
        requests[2].end();
        await shows("2 idle: hello |  | first |  | second");
        assert.deepEqual([(await result).outcome, requests.length], ["success", 3]);
        await close();
      });

      it(`sends once what waits, and what is said then: ${where}`, async () => {
        const { chat, evaluate, shows, result, close } = await begun(kind, made);
        const results = [result];
        await act(async () => void results.push(chat().submit("next")));
        await evaluate();
        assert.deepEqual(chat().queue.map(({ messages }) => messages[0].content), ["next"]);
        await act(async () => void results.push(chat().submit("last")));
        for (let n = 0; n < 3; n++) {
          await act(() => until(() => requests.length === n + 1));
          requests[n].end();
        }
        assert.deepEqual((await act(() => Promise.all(results))).map(({ outcome }) => outcome), ["success", "success", "success"]);
        await shows("2 idle: hello | next | last");
        await close();
      });
    }
  }
});
