// Paging back in a stored thread.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { answer, create, createServer, ids, said, sse, started, user } from "./server.mjs";

const { withOlder } = await load("remote-thread/page");
const list = (from, to) => Array.from({ length: to - from }, (_, n) => ((from + n) % 2 ? said(`m${from + n}`) : user(`m${from + n}`)));
const all = list(0, 10);
const names = (from, to) => list(from, to).map(({ id }) => id);

/** Pages of three, named by the number of the first message. */
const paged = (asked = []) => async ({ before = "10", limit }) => {
  asked.push([before, limit]);
  const to = Number(before);
  const from = Math.max(to - 3, 0);
  return { messages: all.slice(from, to), older: from > 0 ? String(from) : null };
};

describe("loadOlder", () => {
  it("shows one page after the other, until there is none", async () => {
    const asked = [];
    const agent = create({ thread: { load: paged(asked), limit: 3 } });
    await agent.ready;
    assert.deepEqual([ids(agent), agent.getSnapshot().thread.hasOlder], [names(7, 10), true]);
    const last = agent.getSnapshot().messages.at(-1);
    assert.equal(await agent.loadOlder(), true);
    assert.deepEqual(ids(agent), names(4, 10));
    assert.equal(agent.getSnapshot().messages.at(-1), last, "what is shown keeps its identity");
    assert.deepEqual(await Promise.all([agent.loadOlder(), agent.loadOlder()]), [true, true], "two at once are one page");
    assert.deepEqual(ids(agent), names(1, 10));
    assert.equal(await agent.loadOlder(), true);
    assert.deepEqual([ids(agent), agent.getSnapshot().thread.hasOlder], [names(0, 10), false]);
    assert.equal(await agent.loadOlder(), false);
    assert.deepEqual(asked, [["10", 3], ["7", 3], ["4", 3], ["1", 3]]);
    agent.dispose();
  });

  it("shows the results at the beginning of a page once the page with their calls has come", async () => {
    const calls = ["a", "b"].map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } }));
    const results = ["a", "b"].map((id) => ({ id: `${id}-result`, role: "tool", toolCallId: id, content: `of ${id}` }));
    const stored = [user("m0"), { id: "m1", role: "assistant", toolCalls: calls }, ...results, said("m2")];
    for (const from of [2, 3]) {
      const pages = { undefined: [from, 5], [stored[from].id]: [1, from], m1: [0, 1] };
      const load = async ({ before }) => ({ messages: stored.slice(...pages[before]), older: before !== "m1" });
      const agent = create({ thread: { load } });
      await agent.ready;
      assert.deepEqual(ids(agent), ["m2"]);
      while (agent.getSnapshot().thread.hasOlder) await agent.loadOlder();
      assert.deepEqual(ids(agent), stored.map(({ id }) => id));
      assert.deepEqual(agent.getSnapshot().toolCalls.map(({ phase, result }) => [phase, result]), [["output-available", "of a"], ["output-available", "of b"]]);
      agent.dispose();
    }
  });

  it("asks before the id of the first message where the loader says only that there are older ones", async () => {
    const asked = [];
    const load = async ({ before }) => {
      asked.push(before);
      return before ? { messages: [user("m0")] } : { messages: [said("m1")], older: true };
    };
    const agent = create({ thread: { load } });
    await agent.ready;
    await agent.loadOlder();
    assert.deepEqual([asked, ids(agent)], [[undefined, "m1"], ["m0", "m1"]]);
    agent.dispose();
  });

  it("asks before the server's first message, and not before one that was put there while the thread was loaded", async () => {
    const asked = [];
    const gate = deferred();
    const load = async ({ before }) => {
      asked.push(before);
      if (!before) await gate.promise;
      return before ? { messages: [user("m0")] } : { messages: [said("m1")], older: true };
    };
    const agent = create({ thread: { load }, initialMessages: [said("m1")] });
    agent.setMessages((messages) => [user("mine"), ...messages]);
    gate.resolve();
    await agent.ready;
    assert.deepEqual(ids(agent), ["mine", "m1"]);
    assert.equal(await agent.loadOlder(), true);
    assert.deepEqual([asked, ids(agent).toSorted()], [[undefined, "m1"], ["m0", "m1", "mine"]]);
    agent.dispose();
  });

  it("works during a run, of which nothing is lost", async () => {
    const gate = deferred();
    const encoder = new TextEncoder();
    const server = createServer(() =>
      answer(
        new ReadableStream({
          start: async (controller) => {
            controller.enqueue(
              encoder.encode(
                sse(started(), { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, {
                  type: "TEXT_MESSAGE_CONTENT",
                  messageId: "a",
                  delta: "one ",
                }),
              ),
            );
            await gate.promise;
            controller.enqueue(
              encoder.encode(
                sse({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "two" }, { type: "TEXT_MESSAGE_END", messageId: "a" }, {
                  type: "RUN_FINISHED",
                  threadId: "t",
                  runId: "r",
                }),
              ),
            );
            controller.close();
          },
        }),
      )
    );
    const agent = create({ thread: { load: paged() } }, server);
    const run = agent.submit({ message: { id: "q", content: "q" } });
    await until(() => agent.getSnapshot().messages.at(-1)?.content === "one ");
    assert.equal(await agent.loadOlder(), true);
    gate.resolve();
    assert.equal((await run).outcome, "success");
    assert.deepEqual(ids(agent), [...names(4, 10), "q", "a"]);
    assert.equal(agent.getSnapshot().messages.at(-1).content, "one two");
    agent.dispose();
  });

  it("ends where `older` repeats itself", async () => {
    let asked = 0;
    const load = async ({ before }) => (asked++, { messages: before ? [user("m8"), said("m9")] : [said("m9")], older: "same" });
    const warnings = [];
    const agent = create({ thread: { load }, onWarning: ({ code }) => warnings.push(code) });
    await agent.ready;
    assert.equal(await agent.loadOlder(), true);
    assert.deepEqual([agent.getSnapshot().thread.hasOlder, await agent.loadOlder(), asked, warnings], [false, false, 2, ["older-repeats"]]);
    agent.dispose();
  });

  it("ends where pages bring nothing new, however many there are", async () => {
    let asked = 0;
    const load = async () => ({ messages: [said("m9")], older: String(++asked) });
    const warnings = [];
    const agent = create({ thread: { load }, onWarning: ({ code }) => warnings.push(code) });
    await agent.ready;
    assert.equal(await agent.loadOlder(), false);
    assert.ok(asked < 20);
    assert.deepEqual(warnings, ["older-repeats"]);
    agent.dispose();
  });

  for (const [name, answer, found] of [
    ["something that is no page", () => "nonsense", { code: "thread-malformed" }],
    ["another thread", () => ({ threadId: "other", messages: [said("x")] }), { code: "thread-other" }],
    ["older pages without a name", () => ({ messages: [said("x")], older: 5 }), { code: "thread-malformed" }],
    ["nothing in time", () => new Promise(() => {}), { kind: "connection", code: "thread" }],
  ]) {
    it(`shows nothing of a loader that answers with ${name}, and can be tried again`, async () => {
      let wrong = true;
      const load = async (request) => (request.before && wrong ? answer() : paged()(request));
      const agent = create({ thread: { load, timeoutMs: 50 } });
      await agent.ready;
      await assert.rejects(agent.loadOlder(), { ...found, retryable: true });
      assert.deepEqual([ids(agent), agent.getSnapshot().thread], [names(7, 10), { status: "ready", hasOlder: true }]);
      wrong = false;
      assert.equal(await agent.loadOlder(), true);
      agent.dispose();
    });
  }

  it("takes an older page of 10,000 messages", async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => (n % 2 ? said(`x${n}`) : user(`x${n}`)));
    const agent = create({ thread: { load: async ({ before }) => (before ? { messages: many } : { messages: [user("last")], older: true }) } });
    await agent.ready;
    assert.equal(await agent.loadOlder(), true);
    assert.equal(agent.getSnapshot().messages.length, 10_001);
    agent.dispose();
  });

  it("shows a message once where the list changes while it is paged", async () => {
    // By place: a message that comes meanwhile moves all others.
    let count = 6;
    const load = async ({ before = "0" }) => {
      const to = Math.max(count - Number(before), 0);
      return { messages: all.slice(Math.max(to - 3, 0), to), older: to > 3 ? String(Number(before) + 3) : null };
    };
    const agent = create({ thread: { load } });
    await agent.ready;
    count = 7;
    await agent.loadOlder();
    assert.deepEqual(ids(agent), names(1, 6));
    agent.dispose();
  });

  it("can be tried again after a failure", async () => {
    let fails = true;
    const load = async (request) => {
      if (request.before && fails) throw new Error("no network");
      return paged()(request);
    };
    const agent = create({ thread: { load } });
    await agent.ready;
    await assert.rejects(agent.loadOlder(), { kind: "connection", retryable: true });
    assert.deepEqual([ids(agent), agent.getSnapshot().thread.status, agent.getSnapshot().thread.hasOlder], [names(7, 10), "ready", true]);
    fails = false;
    assert.equal(await agent.loadOlder(), true);
    agent.dispose();
  });

  it("opens the thread once more where nothing of its page is left: another tab may have opened it, and not so far back", async () => {
    const asked = [];
    const load = async (request) => (asked.push(request.before), paged()(request));
    const agent = create({ thread: { load } });
    await agent.ready;
    assert.equal(await agent.loadOlder(), true);
    const [, second] = asked;
    agent.setMessages([said("of the other tab")]);
    assert.equal(await agent.loadOlder(), true);
    assert.deepEqual([asked, ids(agent)], [[undefined, second, undefined, second], names(4, 10)]);
    agent.dispose();
  });

  it("ends with the agent while it is asked for", async () => {
    let asked;
    const load = ({ before, signal }) => (before === undefined ? { messages: [user("u9")], older: "p1" } : new Promise(() => (asked = signal)));
    const agent = create({ thread: { load } });
    await agent.ready;
    const older = agent.loadOlder();
    await until(() => asked);
    agent.dispose();
    assert.deepEqual([await older, asked.aborted], [false, true]);
  });

  it("does nothing in an agent without a loader", async () => {
    const agent = create({});
    assert.equal(await agent.loadOlder(), false);
    await agent.load();
    await agent.ready;
    assert.deepEqual(agent.getSnapshot().thread, { status: "ready", hasOlder: false });
    agent.dispose();
  });
});

describe("loadOlder with a guard", () => {
  const guard = { restrictedClassifications: ["submit"], allowDisplayWithoutCapability: true };
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const older = [user("m0"), { id: "m1", role: "assistant", content: "m1", toolCalls: [call] }, {
    id: "m2",
    role: "assistant",
    content: "",
    toolCalls: [{ ...call, id: "d" }],
  }];
  const load = async ({ before }) => (before ? { messages: older } : { messages: [user("m8"), said("m9")], older: true });

  it("shows what the guard lets pass, and judges nothing again that is shown", async () => {
    const decisions = [];
    const agent = create({ guard, thread: { load }, onDecision: ({ allowed, eventType }) => decisions.push([allowed, eventType]) });
    await agent.ready;
    await agent.submit({ message: { id: "q", content: "q" } });
    decisions.length = 0;
    assert.equal(await agent.loadOlder(), true);
    assert.deepEqual(ids(agent), ["m0", "m1", "m8", "m9", "q", "q-answer"]);
    assert.deepEqual(agent.getSnapshot().toolCalls, []);
    assert.equal(decisions.filter(([allowed]) => !allowed).length, 2);
    assert.equal(decisions.filter(([, type]) => type === "TEXT_MESSAGE_START").length, 2, "of two messages that are new");
    const { status, outcome, thread } = agent.getSnapshot();
    assert.deepEqual([status, outcome, thread], ["idle", "success", { status: "ready", hasOlder: false }]);
    agent.dispose();
  });

  it("resolves with false where the guard lets nothing of it pass", async () => {
    const only = async ({ before }) => (before ? { messages: [older[2]] } : { messages: [said("m9")], older: true });
    const agent = create({ guard, thread: { load: only } });
    await agent.ready;
    assert.equal(await agent.loadOlder(), false);
    assert.deepEqual(ids(agent), ["m9"]);
    agent.dispose();
  });

  it("waits for a run in progress, of which nothing is lost", async () => {
    const gate = deferred();
    const server = createServer(() => gate.promise.then(() => undefined));
    const agent = create({ guard, thread: { load } }, server);
    await agent.ready;
    const run = agent.submit({ message: { id: "q", content: "q" } });
    await until(() => server.requests.length === 1);
    const paged = agent.loadOlder();
    gate.resolve();
    assert.equal((await run).outcome, "success");
    assert.equal(await paged, true);
    assert.deepEqual(ids(agent), ["m0", "m1", "m8", "m9", "q", "q-answer"]);
    agent.dispose();
  });
});

describe("any page before any thread", () => {
  const random = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;

  it("has each message once, the thread in its order, and the page's in its", () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const next = random(seed);
      const some = () => all.filter(() => next() < 0.5);
      const [thread, page] = [some(), some()];
      const merged = withOlder(thread, page, ({ id }) => id).map(({ id }) => id);
      assert.equal(new Set(merged).size, merged.length);
      assert.deepEqual(merged.filter((id) => thread.some((message) => message.id === id)), thread.map(({ id }) => id), `seed ${seed}`);
      const unknown = page.filter((message) => !thread.includes(message)).map(({ id }) => id);
      assert.deepEqual(merged.filter((id) => unknown.includes(id)), unknown, `seed ${seed}`);
      assert.equal(merged.length, new Set([...thread, ...page]).size);
    }
  });
});
