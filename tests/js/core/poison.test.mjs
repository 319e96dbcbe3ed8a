// Something that the core traps at is tried once: not by the next session, whoever has it opened, and not after a reload.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { carried, load, real, storeOf, until } from "../lib.mjs";

const [{ createAgentWith }, { scriptedAgent, text, toolCall }] = await Promise.all(["agent/agent", "testing"].map(load));

const memoryStore = () => {
  const store = { kept: undefined, load: () => store.kept, save: (save) => void (store.kept = structuredClone(save)), clear() {} };
  return storeOf(store);
};
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};
const interrupted = ({ input: { threadId, runId } }) => ({
  ...{ type: "RUN_FINISHED", threadId, runId },
  outcome: { type: "interrupt", interrupts: ["i", "j"].map((id) => ({ id, reason: "confirmation" })) },
});

describe("in the page, a core that traps at", { skip: !real && "the core is a stand-in" }, () => {
  /** The method that it traps at, and how often it was called. */
  let poison, tried;
  let core;
  const made = [];
  before(async () => {
    const { CoreSession, ...rest } = await (await carried())();
    class Trapping extends CoreSession {
      call(method, json) {
        if (method !== poison) return super.call(method, json);
        tried++;
        throw new WebAssembly.RuntimeError("unreachable");
      }
    }
    core = async () => ({ ...rest, CoreSession: Trapping });
  });
  beforeEach(() => ([poison, tried] = [undefined, 0]));
  after(() => made.forEach((agent) => agent.dispose()));

  const tools = ["asked", "manual"].map((name) => ({
    name,
    description: "",
    parameters: {},
    ...(name === "asked" && { execute: () => 1, needsApproval: true }),
  }));
  const make = (persist) => {
    const server = scriptedAgent();
    const agent = createAgentWith(core, { url: "http://host/", threadId: "t", fetch: server.fetch, notify: "sync", persist, tools });
    made.push(agent);
    agent.subscribe(() => {});
    return { agent, server, now: () => agent.getSnapshot() };
  };

  const answered = async ({ agent, server }, ...events) => {
    server.reply(...(events.length ? events : text("one")));
    await agent.submit({ message: { id: "u", role: "user", content: "1" } });
  };
  const called = (name) => (side) => answered(side, ...toolCall(name, {}, "c"));
  const running = async ({ agent, server, now }) => {
    server.open(text("half"));
    void agent.submit("1");
    await until(() => now().messages.at(-1)?.content === "half");
  };
  const queued = async (side) => {
    await running(side);
    void side.agent.submit({ message: "2", runId: "q" });
    await until(() => side.now().queue.length);
  };

  /** The method of the core, what comes before, and the call that it traps at. */
  const intents = [
    ["submit", answered, ({ agent }) => agent.submit("poison")],
    ["submit", running, ({ agent }) => agent.submit("poison"), ", which waits for another run"],
    ["retry", answered, ({ agent }) => agent.retry()],
    ["regenerate", answered, ({ agent }) => agent.regenerate()],
    ["answer", (side) => answered(side, ...text("?"), interrupted), ({ agent }) => agent.resume({ id: "i", payload: 1 })],
    ["approve", called("asked"), ({ agent }) => agent.approve("c")],
    ["deny", called("asked"), ({ agent }) => agent.deny("c")],
    ["settleCall", called("manual"), ({ agent }) => agent.addToolResult({ toolCallId: "c", result: 1 })],
    ["editMessages", answered, ({ agent }) => agent.setMessages([])],
    ["editState", answered, ({ agent }) => agent.setState({ n: 1 })],
    ["editQueued", queued, ({ agent }) => agent.editQueued("q", "other")],
    ["cancel", queued, ({ agent }) => agent.cancelQueued("q")],
    ["stop", running, ({ agent }) => agent.stop()],
    ["reset", answered, ({ agent }) => agent.reset()],
  ];
  /** Has the next sessions opened by whatever opens one. */
  const later = async ({ agent, server }) => {
    for (const open of [
      () => (poison === "settleCall" ? agent.deny("none") : agent.addToolResult({ toolCallId: "none", result: 1 })),
      () => (poison === "retry" ? agent.submit("more") : agent.retry()),
      () => (poison === "submit" ? agent.attach("r") : agent.submit("even more")),
    ]) {
      server.reply(text("after"));
      Promise.resolve(open()).catch(() => {});
      await settled();
    }
  };

  for (const persisted of [true, false]) {
    for (const [method, begin, call, when = ""] of intents) {
      it(`${method}${when} tries it once${persisted ? "" : ", without a store"}`, async () => {
        const store = persisted ? memoryStore() : undefined;
        const side = make(store);
        await begin(side);
        await settled();
        poison = method;
        Promise.resolve(call(side)).catch(() => {});
        await settled();
        await later(side);
        assert.equal(tried, 1);
        side.agent.dispose();
        const next = make(store);
        await settled();
        await later(next);
        assert.equal(tried, 1, `${tried} times, after a reload`);
      });
    }
  }

  for (const [method, call] of [["deny", { toolCallId: "c" }], ["settleCall", { toolCallId: "c", result: 1 }]]) {
    it(`${method}, which waits in a save, tries it once`, async () => {
      const store = memoryStore();
      const first = make(store);
      await called("asked")(first);
      await settled();
      first.agent.dispose();
      await settled();
      store.kept = { ...store.kept, acts: [[method, JSON.stringify(call)]] };
      poison = method;
      for (let page = 0; page < 3; page++) {
        const side = make(store);
        await settled();
        poison = undefined;
        side.server.reply(text("after"));
        await side.agent.submit("more");
        poison = method;
        side.agent.dispose();
        await settled();
      }
      assert.equal(tried, 1);
    });
  }
});
