import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "../lib.mjs";

const { createAgent } = await load("index");

describe("the last requests", { skip: !real && "the core is a stand-in" }, () => {
  it("are kept with what became of them, though nobody listened", async () => {
    const answers = [() => new Response("busy", { status: 503 }), () => Promise.reject(new TypeError("no network"))];
    const agent = createAgent({ url: "http://agent.test/", retry: false, fetch: async () => answers.shift()() });
    await agent.submit("one");
    await agent.submit("two");
    const [refused, failed] = agent.requests;
    assert.deepEqual([refused.method, refused.status, refused.body], ["POST", 503, undefined]);
    assert.ok(failed.id > refused.id && failed.status === undefined);
    agent.dispose();
  });

  it("are 20 at most, the newest", async () => {
    const agent = createAgent({ url: "http://agent.test/", fetch: async () => new Response("", { status: 500 }) });
    const seen = [];
    agent.on("request", ({ id, status }) => status && seen.push(id));
    for (let i = 0; i < 25; i++) await agent.retry().catch(() => agent.submit("go"));
    assert.deepEqual(agent.requests.map(({ id }) => id), seen.slice(-20));
    agent.dispose();
  });
});
