// Edits while the agent writes: at every point of a stream, whenever the page was notified last. Needs the built core.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";

const { createAgent } = await load("index");
const skip = !real && "needs the real core";

const encoder = new TextEncoder();
const user = (id, content) => ({ id, role: "user", content });
const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const start = (messageId) => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
const says = (messageId, delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
const end = (messageId) => ({ type: "TEXT_MESSAGE_END", messageId });
const delta = (...operations) => ({ type: "STATE_DELTA", delta: operations });

const stream = [
  started,
  start("a"),
  says("a", "one "),
  delta({ op: "add", path: "/rows/-", value: 1 }),
  says("a", "two "),
  delta({ op: "replace", path: "/n", value: 1 }),
  says("a", "three"),
  end("a"),
  start("b"),
  says("b", "four"),
  delta({ op: "add", path: "/rows/-", value: 2 }, { op: "replace", path: "/n", value: 2 }),
  end("b"),
  finished,
];
const whole = { u: "go", a: "one two three", b: "four" };

const made = [];
after(() => made.forEach((agent) => agent.dispose()));

/** An agent whose server says what the test says, and which has read it when `send` is over, though the page may not know. */
function open(options = {}) {
  let controller;
  // The body in which it is said: another run may begin before that is closed.
  let saying;
  let read = 0;
  let sent = 0;
  const bodies = [];
  const fetch = async (_url, init) => {
    bodies.push(JSON.parse(init.body));
    let own;
    const body = new ReadableStream({ start: (made) => void (controller = own = made) });
    init.signal?.addEventListener("abort", () => own.error(init.signal.reason));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const agent = createAgent({ url: "http://agent.test/", threadId: "t", fetch, initialState: { rows: [0], n: 0 }, ...options });
  made.push(agent);
  agent.on("event", () => read++);
  const send = async (...events) => {
    await until(() => controller);
    saying = controller;
    for (const event of events) saying.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
    sent += events.length;
    await until(() => read === sent);
  };
  const finish = async () => {
    try {
      saying.close();
    } catch {
      // The agent has given it up: it reads no more of a run that has ended once the next one begins.
    }
    if (controller === saying) controller = undefined;
  };
  return { agent, send, finish, bodies };
}
const run = (agent) => agent.submit({ message: user("u", "go"), runId: "r" });
const texts = ({ messages }) => Object.fromEntries(messages.map(({ id, content }) => [id, content]));
const settings = [{ notify: "sync" }, { notify: "microtask" }, { notify: { throttleMs: 500 } }];

/** Plays the stream once for each of its points and each setting, with an edit there. */
async function everywhere(edit, check) {
  for (const notify of settings) {
    for (let at = 1; at < stream.length; at++) {
      const { agent, send, finish, bodies } = open(notify);
      const result = run(agent);
      await send(...stream.slice(0, at));
      const before = agent.getSnapshot();
      edit(agent);
      await send(...stream.slice(at));
      await finish();
      assert.equal((await result).outcome, "success");
      const place = `${JSON.stringify(notify)}, after ${at}`;
      check(agent.getSnapshot(), place, before);
      void agent.submit({ message: user("next", "more"), runId: "q" });
      await until(() => bodies.length === 2);
      const { state, messages } = agent.getSnapshot();
      assert.deepEqual(texts(bodies[1]), texts({ messages }), `what is sent is what is shown: ${place}`);
      assert.deepEqual(bodies[1].state, state, place);
      agent.dispose();
    }
  }
}

describe("an edit at every point of a stream", { skip }, () => {
  it("adds a message, and takes nothing", async () => {
    const add = (agent) => agent.setMessages((messages) => [...messages, user("x", "mine")]);
    await everywhere(add, (snapshot, place) => assert.deepEqual(texts(snapshot), { ...whole, x: "mine" }, place));
    const value = (agent) => agent.setMessages([...agent.getSnapshot().messages.map((message) => ({ ...message })), user("x", "mine")]);
    await everywhere(value, (snapshot, place) => assert.deepEqual(texts(snapshot), { ...whole, x: "mine" }, place));
  });

  it("changes members of messages that go on", async () => {
    const mark = (agent) => agent.setMessages((messages) => messages.map((message) => ({ ...message, metadata: { seen: 1 } })));
    await everywhere(mark, (snapshot, place, before) => {
      assert.deepEqual(texts(snapshot), whole, place);
      for (const { id } of before.messages) assert.deepEqual(snapshot.messages.find((message) => message.id === id).metadata, { seen: 1 }, place);
      for (const { delivery } of snapshot.messages) assert.equal(delivery, "complete", place);
    });
  });

  it("changes the text of a message that goes on: what came later follows", async () => {
    const rewrite = (agent) => agent.setMessages((messages) => messages.map((message) => (message.id === "a" ? { ...message, content: "<1>" } : message)));
    await everywhere(rewrite, (snapshot, place, before) => {
      const seen = before.messages.find(({ id }) => id === "a")?.content;
      const a = seen === undefined ? whole.a : `<1>${whole.a.slice(seen.length)}`;
      assert.deepEqual(texts(snapshot), { ...whole, a }, place);
    });
  });

  it("removes and moves what it was shown", async () => {
    const remove = (agent) => agent.setMessages((messages) => messages.filter(({ id }) => id !== "u"));
    await everywhere(remove, (snapshot, place) => assert.deepEqual(texts(snapshot), { a: whole.a, b: whole.b }, place));
    const turn = (agent) => agent.setMessages((messages) => messages.toReversed());
    await everywhere(turn, (snapshot, place, before) => {
      assert.deepEqual(texts(snapshot), whole, place);
      const shown = before.messages.map(({ id }) => id);
      const order = snapshot.messages.map(({ id }) => id).filter((id) => shown.includes(id));
      assert.deepEqual(order, shown.toReversed(), place);
    });
  });

  it("changes the state, and keeps every patch", async () => {
    const edits = {
      function: (agent) => agent.setState((state) => ({ ...state, mine: true, rows: [...state.rows, "mine"] })),
      value: (agent) =>
        agent.setState(JSON.parse(JSON.stringify({ ...agent.getSnapshot().state, mine: true, rows: [...agent.getSnapshot().state.rows, "mine"] }))),
    };
    for (const [name, edit] of Object.entries(edits)) {
      await everywhere(edit, ({ state }, place) => {
        assert.deepEqual(state.rows.filter((row) => row !== "mine"), [0, 1, 2], `${name}: ${place}`);
        assert.deepEqual({ ...state, rows: state.rows.length }, { rows: 4, n: 2, mine: true }, `${name}: ${place}`);
      });
    }
  });
});

describe("many edits", { skip }, () => {
  it("tear nothing out of any answer, and lose no patch", async () => {
    for (const notify of [...settings, { notify: "frame" }]) {
      const { agent, send, finish } = open({ ...notify, initialState: { rows: [], edits: 0 } });
      const result = run(agent);
      const tokens = Array.from({ length: 40 }, (_, at) => `token ${at} `);
      await send(started, start("a"));
      for (const [at, token] of tokens.entries()) {
        // Some are read before the edit, some come while it is on its way.
        const sent = send(says("a", token), delta({ op: "add", path: "/rows/-", value: at }));
        if (at % 2) await sent;
        agent.setMessages((messages) => messages.map((message) => ({ ...message, metadata: { edits: at } })));
        agent.setState((state) => ({ ...state, edits: state.edits + 1 }));
        await sent;
      }
      await send(end("a"), finished);
      await finish();
      await result;
      const { messages, state } = agent.getSnapshot();
      assert.equal(messages.at(-1).content, tokens.join(""));
      assert.deepEqual(state, { rows: tokens.map((_, at) => at), edits: 40 });
    }
  });

  it("of the state while patches of its lists come", async () => {
    for (const notify of settings) {
      const { agent, send, finish, bodies } = open({ ...notify, initialState: { rows: [], own: [] } });
      const result = run(agent);
      await send(started);
      const count = 60;
      for (let at = 0; at < count; at++) {
        const sent = send(delta({ op: "add", path: "/rows/-", value: at }));
        if (at % 3 === 0) await sent;
        // Into the list that the server writes to, and into one of the page's.
        agent.setState((state) => ({ ...state, rows: at % 2 ? state.rows : [`mine ${at}`, ...state.rows], own: [...state.own, at] }));
        await sent;
      }
      await send(finished);
      await finish();
      assert.equal((await result).outcome, "success");
      const { rows, own } = agent.getSnapshot().state;
      const numbers = Array.from({ length: count }, (_, at) => at);
      const place = JSON.stringify(notify);
      assert.deepEqual(rows.filter((row) => typeof row === "number"), numbers, place);
      assert.deepEqual(rows.filter((row) => typeof row === "string").sort(), numbers.filter((at) => at % 2 === 0).map((at) => `mine ${at}`).sort(), place);
      assert.deepEqual(own.toSorted((one, other) => one - other), numbers, place);
      void agent.submit({ message: user("v", "later"), runId: "q" });
      await until(() => bodies.length === 2);
      assert.deepEqual(bodies[1].state, agent.getSnapshot().state, place);
      agent.dispose();
    }
  });

  it("show what streams also while there are always some", async () => {
    const { agent, send } = open();
    void run(agent);
    await send(started, start("a"));
    for (let at = 0; at < 20; at++) {
      await send(says("a", `${at} `));
      agent.setMessages((messages) => messages.map((message) => ({ ...message, metadata: { at } })));
    }
    const { content } = agent.getSnapshot().messages.at(-1);
    assert.ok(content.length > 20, content);
    agent.dispose();
  });
});

describe("an edit in the same task as", { skip }, () => {
  const add = (agent) => agent.setMessages((messages) => [...messages, user("x", "mine")]);

  it("a submit that replaces the run keeps the message", async () => {
    const { agent, send, bodies } = open();
    const first = run(agent);
    await send(started, start("a"), says("a", "half"));
    void agent.submit({ message: user("v", "instead"), ifBusy: "replace", runId: "q" });
    add(agent);
    assert.equal((await first).outcome, "aborted");
    await until(() => bodies.length === 2);
    assert.deepEqual(texts(bodies[1]).v, "instead");
    await until(() => agent.getSnapshot().messages.length === 4);
    assert.deepEqual(Object.keys(texts(agent.getSnapshot())).sort(), ["a", "u", "v", "x"]);
    agent.dispose();
  });

  it("a submit that waits, a retry or a regenerate", async () => {
    const { agent, send, finish, bodies } = open();
    const first = run(agent);
    await send(started, start("a"), says("a", "half"));
    const second = agent.submit({ message: user("v", "later"), runId: "q" });
    add(agent);
    await send(says("a", " and half"), end("a"), finished);
    await finish();
    assert.equal((await first).outcome, "success");
    await until(() => bodies.length === 2);
    assert.deepEqual(texts(bodies[1]), { u: "go", a: "half and half", x: "mine", v: "later" });
    await send({ ...started, runId: "q" }, start("b"), says("b", "cut"));
    await finish();
    assert.equal((await second).outcome, "truncated");
    void agent.retry();
    agent.setMessages((messages) => [...messages, user("y", "meanwhile")]);
    await until(() => bodies.length === 3);
    assert.deepEqual(texts(bodies[2]), { u: "go", a: "half and half", x: "mine", v: "later" });
    await until(() => "y" in texts(agent.getSnapshot()) && !("b" in texts(agent.getSnapshot())));
    assert.deepEqual(texts(agent.getSnapshot()), { u: "go", a: "half and half", x: "mine", v: "later", y: "meanwhile" });
    agent.dispose();
  });

  it("a regenerate: the edit stays, and the answer is made anew", async () => {
    for (const [order, edits] of [["after", false], ["before", true]]) {
      const { agent, send, finish, bodies } = open();
      const first = run(agent);
      await send(started, start("a"), says("a", "old"), end("a"), finished);
      await finish();
      await first;
      await until(() => texts(agent.getSnapshot()).a === "old");
      const change = () => {
        agent.setMessages((messages) => messages.map((message) => (message.id === "u" ? { ...message, content: "go!" } : message)));
        agent.setState((state) => ({ ...state, mine: true }));
      };
      if (edits) change();
      const again = agent.regenerate(undefined);
      if (!edits) change();
      await until(() => bodies.length === 2);
      // The request has what was there when it was made.
      assert.deepEqual(texts(bodies[1]), { u: edits ? "go!" : "go" }, order);
      assert.deepEqual(bodies[1].state, { rows: [0], n: 0, ...(edits && { mine: true }) }, order);
      const { runId } = bodies[1];
      await send({ ...started, runId }, start("b"), says("b", "new"), delta({ op: "add", path: "/rows/-", value: 1 }), end("b"), { ...finished, runId });
      await finish();
      assert.equal((await again).outcome, "success");
      assert.deepEqual(texts(agent.getSnapshot()), { u: "go!", b: "new" }, order);
      assert.deepEqual(agent.getSnapshot().state, { rows: [0, 1], n: 0, mine: true }, order);
      agent.dispose();
    }
  });

  it("a MESSAGES_SNAPSHOT that is on its way", async () => {
    const list = [user("u", "go"), { id: "a", role: "assistant", content: "told" }, { id: "s", role: "assistant", content: "more" }];
    const told = { type: "MESSAGES_SNAPSHOT", messages: list };
    const rewrite = (agent) => agent.setMessages((messages) => messages.map((message) => (message.id === "u" ? { ...message, content: "go!" } : message)));
    const drop = (agent) => agent.setMessages((messages) => messages.filter(({ id }) => id !== "u"));
    const edits = [
      [add, { u: "go", a: "told", s: "more", x: "mine" }],
      [rewrite, { u: "go!", a: "told", s: "more" }],
      [drop, { a: "told", s: "more" }],
    ];
    for (const [edit, wanted] of edits) {
      for (const { notify } of settings) {
        for (const known of [true, false]) {
          const { agent, send, finish, bodies } = open({ notify });
          const result = run(agent);
          await send(started, start("a"), says("a", "half"));
          agent.flush();
          await until(() => agent.getSnapshot().messages.length === 2);
          const sent = send(told);
          // The page has not read it, or has and does not show it yet.
          if (known) await sent;
          edit(agent);
          await sent;
          await send(finished);
          await finish();
          assert.equal((await result).outcome, "success");
          // The last word about what is in the thread is the server's, as with a reload: an edit that came before it is gone.
          const place = `${edit}, ${JSON.stringify(notify)}, ${known}`;
          assert.deepEqual(texts(agent.getSnapshot()), known ? wanted : { u: "go", a: "told", s: "more" }, place);
          void agent.submit({ message: user("v", "later"), runId: "q" });
          await until(() => bodies.length === 2);
          assert.deepEqual(texts(bodies[1]), texts(agent.getSnapshot()), place);
          agent.dispose();
        }
      }
    }
  });

  it("the first submit, before the core is there", async () => {
    const { agent, bodies } = open();
    void run(agent);
    add(agent);
    agent.setState((state) => ({ ...state, n: 7 }));
    assert.deepEqual(texts(agent.getSnapshot()), { u: "go", x: "mine" });
    await until(() => bodies.length);
    await until(() => agent.getSnapshot().connection.phase === "open");
    assert.deepEqual(texts(agent.getSnapshot()), { u: "go", x: "mine" });
    assert.deepEqual(agent.getSnapshot().state, { rows: [0], n: 7 });
    agent.dispose();
  });

  it("a save on its way", async () => {
    const saved = { v: 1, threadId: "t", messages: [user("old", "older")], state: { rows: [0, 1], n: 3 }, interrupts: [], handled: [], unsent: [], queue: [] };
    let come;
    const restore = new Promise((resolve) => (come = () => resolve(saved)));
    const { agent, bodies } = open({ restore, threadId: undefined, initialMessages: [] });
    add(agent);
    agent.setState((state) => ({ ...state, mine: true }));
    assert.deepEqual(texts(agent.getSnapshot()), { x: "mine" });
    come();
    await restore;
    await until(() => "old" in texts(agent.getSnapshot()));
    assert.deepEqual(texts(agent.getSnapshot()), { old: "older", x: "mine" });
    assert.deepEqual(agent.getSnapshot().state, { rows: [0, 1], n: 3, mine: true });
    void run(agent);
    await until(() => bodies.length);
    assert.deepEqual(texts(bodies[0]), { old: "older", x: "mine", u: "go" });
    assert.deepEqual(bodies[0].state, { rows: [0, 1], n: 3, mine: true });
    agent.dispose();
  });
});

describe("what is no list of messages", { skip }, () => {
  it("is refused there and then", () => {
    const { agent } = open();
    for (const wrong of [undefined, "hello", { id: "1" }, [undefined], [1]]) {
      assert.throws(() => agent.setMessages(wrong), { kind: "unsupported", code: "input" });
    }
  });
});

describe("the end of an agent in the middle of a run", { skip }, () => {
  const call = [
    { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look", parentMessageId: "a" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{" },
    { type: "STEP_STARTED", stepName: "s" },
    { type: "SUBAGENT_STARTED", subagentRunId: "sub", name: "helper" },
  ];
  const rests = ({ messages, toolCalls, steps, subagents, isLoading }) => {
    assert.equal(isLoading, false);
    assert.deepEqual(messages.map(({ id, delivery }) => [id, delivery]), [["u", "complete"], ["a", "aborted"]]);
    assert.deepEqual(toolCalls.map(({ status, phase }) => [status, phase]), [["error", "output-error"]]);
    assert.deepEqual([...steps, ...subagents].map(({ status }) => status), ["error", "error"]);
  };

  it("leaves nothing that seems to go on", async () => {
    for (const method of ["dispose", "stop"]) {
      const { agent, send } = open();
      void run(agent);
      await send(started, start("a"), says("a", "half"), ...call);
      await until(() => agent.getSnapshot().subagents.length);
      void agent[method]();
      rests(agent.getSnapshot());
      await new Promise(setImmediate);
      rests(agent.getSnapshot());
      agent.dispose();
    }
  });

  it("a reset leaves no checkpoint of what it forgets", async () => {
    const { agent, send, bodies } = open();
    const first = run(agent);
    await send(started, { type: "STEP_STARTED", stepName: "s" }, start("a"), says("a", "half"));
    await until(() => agent.history.length);
    // In the page the reset is there first, and hangs up.
    void send({ type: "STEP_FINISHED", stepName: "s" }).catch(() => {});
    agent.reset();
    assert.deepEqual(agent.history, []);
    await first;
    // The events on the way have come.
    void agent.submit({ message: user("v", "anew"), runId: "q" });
    await until(() => bodies.length === 2);
    await until(() => agent.history.length);
    assert.deepEqual(agent.history.map(({ kind, runId }) => [kind, runId]), [["run-started", "q"]]);
    assert.deepEqual(texts(agent.at(agent.history[0])), { v: "anew" });
    agent.dispose();
  });
});
