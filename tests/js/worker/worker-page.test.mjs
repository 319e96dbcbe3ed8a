// The page's part of an agent in a worker: requests and saves.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { deferred, load, storeOf, until } from "../lib.mjs";
import { create, running, settled, texts, user } from "./over-fake.mjs";

describe("a request that the page makes", () => {
  /** A session of an agent with this fetch, which is asked once more. */
  async function fetching(fetch) {
    const { session } = await running({ fetch: (url, init) => (init.method ? fetch(url, init) : new Response("")) });
    const target = await session.host.request(false, "r");
    return (init = {}) => target.fetch("http://host/x", { method: "POST", headers: new Headers({ a: "b" }), body: "{}", ...init });
  }
  const bytes = (text) => new TextEncoder().encode(text);

  it("gives its status, headers and bytes", async () => {
    const asked = [];
    const whole = bytes("abcdef");
    const send = await fetching(async (url, { method, headers, body }) => {
      asked.push([url, method, headers.get("a"), body]);
      const start = (to) => {
        for (const part of [whole.subarray(0, 2), whole.subarray(2)]) to.enqueue(part);
        to.close();
      };
      const stream = new ReadableStream({ start });
      return new Response(stream, { status: 418, headers: { "x-y": "z" } });
    });
    const { status, headers, body } = await send();
    assert.deepEqual([status, headers.get("x-y"), asked], [418, "z", [["http://host/x", "POST", "b", "{}"]]]);
    let text = "";
    for await (const piece of body) text += new TextDecoder().decode(piece);
    assert.equal(text, "abcdef");
    // The page's bytes have not been transferred.
    assert.equal(new TextDecoder().decode(whole), "abcdef");
  });

  it("is not read far ahead of the worker, nor asked for piece by piece", async () => {
    let given = 0;
    const piece = new Uint8Array(1000);
    const send = await fetching(async () => {
      const pull = (to) => (given++ < 200 ? to.enqueue(piece) : to.close());
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    });
    const { body } = await send();
    await settled();
    const ahead = given;
    assert.ok(ahead < 150, `${ahead} pieces`);
    const lengths = [];
    for await (const { length } of body) lengths.push(length);
    assert.equal(lengths.reduce((sum, length) => sum + length), 200_000);
    assert.ok(lengths.length < 50, `${lengths.length} answers`);
  });

  it("is let go of", async () => {
    const cancelled = mock.fn();
    let signal;
    const send = await fetching(async (_, init) => {
      signal = init.signal;
      return new Response(new ReadableStream({ cancel: cancelled }));
    });
    const { body } = await send();
    await body.cancel();
    await until(() => signal.aborted && cancelled.mock.callCount());
  });

  it("is aborted before its answer", async () => {
    const came = deferred();
    const send = await fetching((_, { signal }) => {
      came.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    });
    const controller = new AbortController();
    const answer = send({ signal: controller.signal });
    await came.promise;
    controller.abort();
    await assert.rejects(answer, /aborted/);
  });

  it("fails as it fails in the page", async () => {
    for (const [fetch, message] of [
      [async () => Promise.reject(new TypeError("Failed to fetch")), /Failed to fetch/],
      [async () => undefined, /no response/],
    ]) {
      const send = await fetching(fetch);
      await assert.rejects(send(), message);
    }
    const send = await fetching(async () => new Response(new ReadableStream({ start: (to) => to.error(Object.assign(new Error("cut"), { status: 401 })) })));
    const { body } = await send();
    await assert.rejects(body.getReader().read(), { message: "cut", status: 401 });
  });
});

describe("a save", () => {
  it("is the core's, with the thread as it is shown", async () => {
    const { agent, session } = await running({ threadId: "t" });
    session.finish();
    await settled();
    agent.setState({ n: 1 });
    const { v, threadId, handled, messages, state } = agent.save();
    assert.deepEqual([v, threadId, handled, messages.length, state], [1, "t", ["kept"], 1, { n: 1 }]);
  });

  it("has the thread that belongs to it, also during a run of which little is shown", async () => {
    const { agent, session } = await running({ notify: { throttleMs: 60_000 } });
    session.say("said");
    await settled();
    assert.deepEqual(texts(agent), ["1"]);
    agent.addToolResult({ toolCallId: "c", result: 1 });
    await settled();
    assert.deepEqual(agent.save().messages.map(({ content }) => content), ["1", "said"]);
  });

  it("is put into the store after a run, and before the agent goes", async () => {
    const saves = [];
    const { agent, first, session } = await running({ persist: storeOf({ load() {}, save: (saved) => void saves.push(saved), clear() {} }) });
    // Before the worker has heard of it.
    assert.deepEqual(saves[0].queue.map(({ messages }) => messages[0].content), ["1"]);
    session.finish();
    await first;
    await until(() => saves.at(-1).handled.length);
    agent.setState({ n: 1 });
    agent.dispose();
    const { handled, state } = saves.at(-1);
    assert.deepEqual([handled, state], [["kept"], { n: 1 }]);
  });

  it("is restored in the worker, and what the core cannot read is told", async () => {
    const saved = { v: 1, threadId: "t", messages: [user("a", "old")], state: { n: 1 }, handled: ["kept"] };
    const agent = create({ restore: Promise.resolve(saved) });
    agent.submit("new");
    await until(() => Session.last?.restored);
    await settled();
    assert.deepEqual([texts(agent), agent.getSnapshot().state, Session.last.restored], [["old", "new"], { n: 1 }, saved]);

    Session.refuseSave = Object.assign(new Error("damaged"), { code: "restore" });
    const failed = mock.fn();
    const other = create({ restore: saved, onError: failed });
    other.submit("new");
    await until(() => failed.mock.callCount());
    await settled();
    assert.deepEqual([failed.mock.calls[0].arguments[0].code, texts(other)], ["restore", ["new"]]);
  });
});
