// Options that are times: one that no timer takes is a long time, and not none at all.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";

const { createAgent, createStore } = await load("index");
const { createThreads } = await load("threads/index");
const { createAttachments } = await load("attachments/index");
const { loadUIMessages } = await load("ai-sdk/index");

const events = (...list) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const answer = ({ threadId, runId }) =>
  new Response(events({ type: "RUN_STARTED", threadId, runId }, { type: "RUN_FINISHED", threadId, runId }), {
    headers: { "content-type": "text/event-stream" },
  });
/** A little later, so that a timer that fires at once is the first. */
const soon = (value) => new Promise((done) => setTimeout(done, 20, value));

describe("a time that no timer takes", { skip: !real && "the core is a stand-in" }, () => {
  const { setTimeout: native } = globalThis;
  let longest = 0;
  beforeEach(() => {
    longest = 0;
    globalThis.setTimeout = (action, ms = 0, ...rest) => {
      longest = Math.max(longest, ms);
      return native(action, Math.min(ms, 60_000), ...rest);
    };
  });
  afterEach(() => void (globalThis.setTimeout = native));

  for (const ms of [Infinity, 2 ** 40]) {
    it(`is a long one: ${ms}`, async () => {
      const fetch = async (_url, { body }) => soon(answer(JSON.parse(body)));
      const store = createStore({ key: `store of ${ms}`, load: () => soon(undefined), save: () => soon(undefined), clear: () => {} });
      const codes = [];
      const agent = createAgent({
        url: "/",
        threadId: "t",
        fetch,
        persist: store,
        retry: { idleMs: ms, maxMs: ms },
        limits: { graceMs: ms, errorBodyMs: ms },
        saving: { loadMs: ms, waitMs: ms, everyMs: ms },
        thread: { timeoutMs: ms, load: () => soon({ messages: [{ id: "a", role: "assistant", content: "a" }] }) },
        onWarning: ({ code }) => codes.push(code),
      });
      await agent.ready;
      assert.equal((await agent.submit("go")).outcome, "success");
      assert.deepEqual([codes, agent.getSnapshot().messages.length], [[], 2]);
      agent.dispose();

      const threads = createThreads({ timeoutMs: ms, list: () => soon({ threads: [{ threadId: "a" }] }) });
      await threads.load();
      assert.equal(threads.getSnapshot().status, "ready");

      const files = createAttachments({ stallMs: ms, upload: () => soon({ url: "u" }) });
      files.add([new File(["a"], "a.txt")]);
      await until(() => files.items[0].status !== "uploading");
      assert.equal(files.items[0].status, "ready");

      const saved = { messages: [{ id: "b", role: "user", content: "b" }] };
      const restored = createAgent({ url: "/", restore: soon(agent.save()) });
      assert.equal((await loadUIMessages(restored, { load: () => soon(saved) }, { waitMs: ms })).length, 2);
      restored.dispose();
      assert.ok(longest < 2 ** 31, `a timer of ${longest} ms`);
    });
  }
});
