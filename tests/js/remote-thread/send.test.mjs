// The messages that a request carries in each case; a body's other bytes stay as they are.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, until } from "../lib.mjs";
import { create, createServer, said, sse, answer, started, finished, user } from "./server.mjs";

const { chooseMessages, withChosen } = await load("remote-thread/send");

const stored = [user("u1"), said("a1"), user("u2"), said("a2")];
const load2 = { load: async () => ({ messages: stored }) };
const sent = (server, at = -1) => server.requests.at(at).body.messages.map(({ id, role, toolCallId }) => (role === "tool" ? `result of ${toolCallId}` : id));
const calling = (id, ...calls) => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  { type: "TEXT_MESSAGE_END", messageId: id },
  ...calls.flatMap((call) => [
    { type: "TOOL_CALL_START", toolCallId: call, toolCallName: "look", parentMessageId: id },
    { type: "TOOL_CALL_ARGS", toolCallId: call, delta: "{}" },
    { type: "TOOL_CALL_END", toolCallId: call },
  ]),
];

describe("a request", () => {
  for (const [send, expected] of [
    ["all", {
      submit: ["u1", "a1", "u2", "a2", "u3"],
      retry: ["u1", "a1", "u2", "a2", "u3"],
      regenerate: ["u1", "a1", "u2", "a2", "u3"],
      edit: ["u1", "a1", "e"],
    }],
    ["new", { submit: ["u3"], retry: ["u3"], regenerate: ["u3"], edit: ["e"] }],
    ["turn", { submit: ["u3"], retry: ["u3"], regenerate: ["u3"], edit: ["e"] }],
  ]) {
    it(`carries with send: "${send}" what is asked, asked again, and edited`, async () => {
      const server = createServer();
      const agent = create({ thread: { ...load2, send } }, server);
      await agent.submit({ message: { id: "u3", content: "three" } });
      assert.deepEqual(sent(server), expected.submit);
      await agent.regenerate();
      assert.deepEqual(sent(server), expected.regenerate);
      await agent.submit({ message: { id: "e", content: "edited" }, replaces: "u2" });
      assert.deepEqual(sent(server), expected.edit);
      agent.dispose();
    });

    it(`carries with send: "${send}" what a failed run was asked, with what was not answered before it`, async () => {
      let down = true;
      const server = createServer(() => down && new Response("", { status: 500 }));
      const agent = create({ initialMessages: stored, thread: { send } }, server);
      await agent.submit({ message: { id: "u3", content: "three" } });
      await agent.retry();
      assert.deepEqual(sent(server), expected.retry);
      down = false;
      await agent.submit({ message: { id: "u4", content: "four" } });
      assert.deepEqual(sent(server), { all: ["u1", "a1", "u2", "a2", "u3", "u4"], new: ["u3", "u4"], turn: ["u4"] }[send]);
      agent.dispose();
    });

    it(`carries with send: "${send}" a result with its call, and a reply without messages`, async () => {
      const replies = [
        sse(started(), ...calling("a3", "c1", "c2"), finished()),
        sse(started(), { ...finished(), outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "x" }] } }),
      ];
      const server = createServer(() => replies.length && answer(replies.shift()));
      const tools = [{ name: "look", description: "", parameters: {}, execute: () => "seen" }];
      const agent = create({ initialMessages: stored, thread: { send }, tools }, server);
      await agent.submit({ message: { id: "u3", content: "three" } });
      const results = ["a3", "result of c1", "result of c2"];
      assert.deepEqual(sent(server), { all: ["u1", "a1", "u2", "a2", "u3", ...results], new: results, turn: ["u3", ...results] }[send]);
      await agent.resume([{ interruptId: "i1" }]);
      assert.equal(server.requests.at(-1).body.resume.length, 1);
      agent.dispose();
    });
  }

  it("carries what a function chooses, which is told why", async () => {
    const asked = [];
    const replies = [sse(started(), ...calling("a3", "c1"), finished())];
    const server = createServer(() => replies.length && answer(replies.shift()));
    const tools = [{ name: "look", description: "", parameters: {}, execute: () => "seen" }];
    const send = (messages, { reason, threadId }) => {
      asked.push([reason, threadId, messages.length]);
      return messages.slice(-1);
    };
    const agent = create({ initialMessages: stored, thread: { send }, tools }, server);
    await agent.submit("three");
    assert.deepEqual(sent(server), ["a3", "result of c1"], "never a result without its call");
    await agent.regenerate();
    await agent.submit({ message: "edited", replaces: "u2" });
    await agent.retry();
    assert.deepEqual(asked.map(([reason]) => reason), ["submit", "tool-results", "regenerate", "edit", "retry"]);
    assert.deepEqual(asked[0], ["submit", "t", 5]);
    agent.dispose();
  });

  it("is no request where the function returns no list, or the option is none", async () => {
    for (const send of [() => undefined, async (messages) => messages, () => [null], "newest"]) {
      const server = createServer();
      const agent = create({ thread: { send } }, server);
      const { error } = await agent.submit("one");
      assert.match(error.message, /thread\.send: expected/);
      assert.equal(server.requests.length, 0);
      agent.dispose();
    }
  });

  it("keeps every other byte: large numbers, blanks, names that look like its own", () => {
    const body =
      '{"threadId":"\\"messages\\":[","state":{"n":12345678901234567890, "messages":[1]},"messages":[{"id":"u1","role":"user","content":"]},{"},{"id":"u2","role":"user","content":"x","metadata":{"n":1.0}}],"tools":[ {"a":"b"} ],"context":[]}';
    const chosen = withChosen(body, (all) => all.slice(1));
    assert.equal(chosen, body.replace('{"id":"u1","role":"user","content":"]},{"},', ""));
    assert.equal(withChosen(body, (all) => all), body);
    assert.equal(withChosen("no json", () => []), "no json");
    assert.equal(withChosen("", () => []), "");
  });
});

describe("any choice of messages", () => {
  // A small generator, so that a failure comes again.
  const random = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;

  it("has the call of each result, and each result of a call that was added, in the order of the thread", () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const next = random(seed);
      const all = [];
      for (let n = 0; n < 2 + next() * 12; n++) {
        const kind = Math.floor(next() * 3);
        if (kind === 0) all.push(user(`u${n}`));
        else if (kind === 1) all.push(said(`a${n}`));
        else {
          const calls = Array.from(
            { length: 1 + Math.floor(next() * 3) },
            (_, at) => ({ id: `c${n}-${at}`, type: "function", function: { name: "f", arguments: "{}" } }),
          );
          all.push({ ...said(`a${n}`), toolCalls: calls });
          for (const { id } of calls) if (next() < 0.9) all.push({ id: `t${id}`, role: "tool", toolCallId: id, content: "" });
        }
      }
      const picks = new Set(all.filter(() => next() < 0.4));
      for (const send of ["new", "turn", () => all.filter((message) => picks.has(message))]) {
        const chosen = chooseMessages(send, all, { reason: "submit", threadId: "t", runId: "r" }, () => next() < 0.8);
        const calls = new Set(chosen.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
        const where = (list) => list.map((message) => all.indexOf(message));
        assert.ok(chosen.every(({ role, toolCallId }) => role !== "tool" || calls.has(toolCallId)), `seed ${seed}: a result without its call`);
        assert.deepEqual(where(chosen), where(chosen).toSorted((one, other) => one - other), `seed ${seed}: another order`);
        assert.equal(new Set(chosen).size, chosen.length, `seed ${seed}: twice`);
      }
    }
  });
});

describe("an edit, and another answer", () => {
  const asked = async (thread, action) => {
    const server = createServer();
    const agent = create({ initialMessages: stored, thread }, server);
    await action(agent);
    const { messages } = server.requests[0]?.body ?? {};
    agent.dispose();
    return messages?.at(-1).id;
  };
  const edit = (more) => (agent) => agent.submit({ message: "edited", replaces: "u2", ...more });

  it("keep the user message's id where the server forks there", async () => {
    assert.equal(await asked({ edits: "same-id" }, edit()), "u2");
    assert.equal(await asked({ edits: "same-id" }, (agent) => agent.regenerate()), "u2");
    assert.notEqual(await asked({ edits: "same-id" }, edit({ keepId: false })), "u2");
  });

  it("have a new id where the server ignores one that it knows", async () => {
    assert.notEqual(await asked({ edits: "new-id" }, edit()), "u2");
    assert.notEqual(await asked({ edits: "new-id" }, (agent) => agent.regenerate()), "u2");
    assert.notEqual(await asked({ edits: "new-id" }, (agent) => agent.retry()), "u2");
    assert.equal(await asked({ edits: "new-id" }, edit({ keepId: true })), "u2");
    assert.equal(await asked({ edits: "new-id" }, (agent) => agent.regenerate(undefined, { newMessageId: false })), "u2");
  });

  it("are refused where the server keeps what it has answered, and nothing is lost", async () => {
    for (const action of [edit(), (agent) => agent.regenerate()]) {
      await asked({ edits: "none" }, async (agent) => {
        await assert.rejects(action(agent), { kind: "unsupported", code: "server-keeps" });
        assert.equal(agent.getSnapshot().messages.length, 4);
        assert.equal(agent.getSnapshot().error.code, "server-keeps");
      });
    }
    assert.equal(await asked({ edits: "none" }, (agent) => agent.regenerate(undefined, { newMessageId: false })), "u2");
  });

  it("are as the caller says without an option", async () => {
    assert.notEqual(await asked(undefined, edit()), "u2");
    assert.equal(await asked(undefined, edit({ keepId: true })), "u2");
    assert.equal(await asked(undefined, edit({ message: { id: "own", content: "x" }, keepId: true })), "own");
  });
});
