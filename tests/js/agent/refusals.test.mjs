// Input of the application that cannot be used: refused where it was given, by name, and shown.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { folder, load, real, storeOf, until } from "../lib.mjs";

const [{ createAgentWith }, { AgentError }, { tool }, { fakeAgent }] = await Promise.all(["agent/agent", "api/error", "agent/tools", "testing"].map(load));

let agents = [];
beforeEach(() => {
  Session.all = [];
});
afterEach(() => {
  for (const agent of agents.splice(0)) agent.dispose();
});
const create = (options = {}) => {
  const agent = createAgentWith(async () => ({ CoreSession: Session }), { url: "/", notify: "sync", ...options });
  agents.push(agent);
  return agent;
};
const called = (name) => Session.last.calls.filter(([method]) => method === name).map(([, given]) => given);

for (const [name, options, expected] of [
  ["notify", { notify: "frames" }, 'notify: expected "frame" or "microtask" or "sync", got "frames"'],
  ["resume.in", { resume: { by: "cursor", path: "seq", in: "body" } }, 'resume.in: expected "forwardedProps" or "query", got "body"'],
  ["server", { server: "mastra" }, 'server: expected an object, got "mastra"'],
  ["thread", { thread: "chat" }, 'thread: expected an object, got "chat"'],
  ["transport", { transport: "websocket" }, 'transport: expected an object, got "websocket"'],
  ["limits", { limits: 5 }, "limits: expected an object, got 5"],
  ["saving", { saving: true }, "saving: expected an object, got true"],
  ["thread.edits", { thread: { edits: "same" } }, 'thread.edits: expected "same-id" or "new-id" or "none", got "same"'],
]) {
  it(`another value as ${name} is the error of the first run, and names what there is`, async () => {
    const { outcome, error } = await create(options).submit("1");
    assert.deepEqual([outcome, error.kind, error.code, error.message], ["error", "unsupported", "input", expected]);
  });
}

describe("replies to interrupts", () => {
  const entries = [{ interruptId: "a", status: "resolved", payload: 1 }, { interruptId: "b", status: "cancelled" }];
  for (const [what, resume, expected = entries] of [
    ["AG-UI's entries", entries],
    ["entries without a status", [{ interruptId: "a", payload: 1 }, { interruptId: "b", status: "cancelled", payload: 2 }]],
    ["entries by `id`", [{ id: "a", payload: 1 }, { id: "b", status: "cancelled" }]],
    ["an object by ids", { a: { payload: 1 }, b: { status: "cancelled" } }],
    ["an object whose values say the id again", { a: { interruptId: "a", payload: 1 }, b: { id: "b", status: "cancelled" } }],
    ["a single one", { id: "a", payload: 1, metadata: { m: 1 } }, [{ interruptId: "a", status: "resolved", payload: 1, metadata: { m: 1 } }]],
  ]) {
    it(`are ${what}`, async () => {
      const agent = create();
      void agent.submit({ resume });
      await until(() => Session.last);
      assert.deepEqual(called("submit")[0].resume, expected);
    });
  }

  it("one by one are the same", async () => {
    const agent = create();
    void agent.resume({ interruptId: "a", payload: 1 });
    void agent.resume({ id: "b", status: "cancelled", payload: 2 });
    await until(() => Session.last?.calls.length === 2);
    const answers = called("answer").map(({ run, ...answer }) => (assert.ok(run.runId), answer));
    assert.deepEqual(answers, entries);
  });

  for (const [resume, expected] of [
    [[{ payload: 1 }], /resume\[0\]\.interruptId: expected a string \(or one as `id`\), got undefined/],
    [[{ id: "a" }, { interruptId: 7 }], /resume\[1\]\.interruptId: expected a string .* got 7/],
    [[{ id: "a", interruptId: "b" }], /resume\[0\]\.id: expected the answer to "b", got "a"/],
    [[{ id: "a", status: "denied" }], /resume\[0\]\.status: expected "resolved" or "cancelled", got "denied"/],
    [[{ id: "a", metadata: [] }], /resume\[0\]\.metadata: expected an object, got a list/],
    [["a"], /resume\[0\]: expected an object, got "a"/],
    [{ a: true }, /resume\["a"\]: expected an object, got true/],
    [{ a: { id: "b" } }, /resume\["a"\]: expected the answer to "b", got "a"/],
    ["a", /resume: expected a list of answers, or an object by the interrupts' ids, got "a"/],
  ]) {
    it(`of another shape are refused, and the member is named: ${JSON.stringify(resume)}`, async () => {
      await assert.rejects(create().submit({ resume }), (error) => {
        assert.match(error.message, expected);
        return AgentError.is(error) && error.code === "input";
      });
    });
  }
});

describe("a run that could not be asked for", () => {
  it("is the snapshot's error until something else is called", async () => {
    const agent = create();
    const seen = [];
    agent.subscribe(() => seen.push([agent.getSnapshot().status, agent.getSnapshot().error?.code]));
    // Nobody looks at the promise: an unhandled rejection would end this test.
    void agent.submit({ message: "a", replaces: undefined, resume: "?" });
    await until(() => seen.length);
    assert.deepEqual(seen, [["error", "input"]]);
    assert.ok(AgentError.is(agent.getSnapshot().error));
    const run = agent.submit("b");
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().error], ["running", undefined]);
    await until(() => Session.last);
    Session.last.finish();
    await run;
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().error], ["idle", undefined]);
  });

  it("because the core refuses it, too", async () => {
    const agent = create();
    void agent.submit("a");
    await until(() => Session.last);
    Session.last.finish();
    Session.last.throws.submit = Object.assign(new Error("open"), { code: "interrupts-open" });
    await assert.rejects(agent.submit("b"), { code: "interrupts-open" });
    assert.deepEqual([agent.getSnapshot().error.code, agent.getSnapshot().isLoading], ["interrupts-open", false]);
    agent.setState({ n: 1 });
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().error, agent.getSnapshot().state], ["idle", undefined, { n: 1 }]);
  });

  it("is not, where that is what the caller asked for, nor after the agent's end", async () => {
    const agent = create();
    void agent.submit("a");
    await until(() => Session.last);
    for (const code of ["busy", "calls-open"]) {
      Session.last.throws.submit = Object.assign(new Error(code), { code });
      await assert.rejects(agent.submit("b"), { code });
    }
    agent.dispose();
    await assert.rejects(agent.submit("c"), { code: "disposed" });
    assert.equal(agent.getSnapshot().error, undefined);
  });

  it("while a run is in progress leaves that in progress", async () => {
    const agent = create();
    void agent.submit("a");
    await until(() => Session.last);
    await assert.rejects(agent.submit(7), { code: "input" });
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().isLoading, agent.getSnapshot().error.code], ["running", true, "input"]);
  });
});

describe("options that no agent can work with", () => {
  for (const [what, options, expected] of [
    ["no address", { url: undefined }, /^url: expected an address or a transport, got undefined$/],
    ["tools by name", { tools: { weather: {} } }, /^tools: expected a list, got an object$/],
    ["a tool without a name", { tools: [{ description: "?" }] }, /^tools\[0\]\.name: expected a string, got undefined$/],
    ["a tool that nothing describes", { tools: [{ name: "?" }] }, /^tools\[0\]\.description: expected a string, got undefined$/],
    ["no tool", { tools: [null] }, /^tools\[0\]\.name: expected a string, got undefined$/],
    ["rules that do not exist", { rules: "stict" }, /^rules: expected "tolerant" or "strict", got "stict"$/],
    ["a way to resume by its name only", { resume: "replay" }, /^resume: expected an object, got "replay"$/],
    ["a store by its key only", { persist: "chat" }, /^persist: expected a store of createStore\(\), got "chat"$/],
    ["a store that nothing was made of", { persist: { load() {}, save() {}, clear() {} } }, /^persist: expected a store of createStore\(\), got an object$/],
    ["a number as the thread's id", { threadId: 7 }, /^threadId: expected a string, got 7$/],
    ["a big integer", { maxFollowUps: 10n }, /^maxFollowUps: expected a number, got 10n$/],
    ["a limit that is no number", { limits: { frameBytes: 10n } }, /^limits\.frameBytes: expected a number, got 10n$/],
    ["a limit that is not a number", { limits: { depth: NaN } }, /^limits\.depth: expected a number, got NaN$/],
    ["a time that is text", { retry: { baseMs: "500", posts: true } }, /^retry\.baseMs: expected a number, got "500"$/],
    ["a throttle without a time", { notify: { throttleMs: Symbol("fast") } }, /^notify\.throttleMs: expected a number, got Symbol\(fast\)$/],
    ["no messages", { initialMessages: null }, /^initialMessages: expected a list of objects, got null$/],
    ["a hole in the messages", { initialMessages: [null] }, /^initialMessages: expected a list of objects, got a list$/],
    ["a state that is no JSON", { initialState: { n: 1n } }, /BigInt/],
    ["types of events that are none", { eventTypes: [Symbol("RAW")] }, /^eventTypes: expected a list of strings, got a list$/],
    ["a protocol that is no string", { protocol: ["1.0"] }, /^protocol: expected "1.0" or "0.0.x", got a list$/],
    ["a protocol that is a big integer", { protocol: 10n }, /^protocol: expected "1.0" or "0.0.x", got 10n$/],
    ["a callback that is none", { onFinish: "log" }, /^onFinish: expected a function, got "log"$/],
    ["a policy that is no JSON", { guard: { velocity: 1n } }, /BigInt/],
    ["a dialect without a name", { dialect: { rawText: true } }, /^dialect: expected a string, got undefined$/],
    ["an address that is none", { url: Symbol("agent") }, /^url: expected an address or a transport, got Symbol\(agent\)$/],
  ]) {
    it(`are refused where they are given: ${what}`, () => {
      assert.throws(() => create(options), (error) => error instanceof AgentError && error.code === "input" && expected.test(error.message));
    });
  }

  it("are refused where there are none at all, by every entry", async () => {
    for (const name of ["index", "slim", "worker"]) {
      const { createAgent } = await import(new URL(`${name}.js`, folder));
      for (const none of [undefined, null, "/agent"]) {
        assert.throws(
          () => createAgent(none),
          (error) => AgentError.is(error) && error.code === "input" && /^options: expected an object/.test(error.message),
          name,
        );
      }
    }
  });

  it("are refused when they are set later, and those before stay", async () => {
    const [early, late] = [mock.fn(), mock.fn()];
    const agent = create({ onFinish: early });
    for (const options of [undefined, null, { url: "/", maxFollowUps: 10n, onFinish: late }, { url: "/", eventTypes: [Symbol()], onFinish: late }]) {
      assert.throws(() => agent.setOptions(options), (error) => AgentError.is(error) && error.code === "input");
    }
    const run = agent.submit("a");
    await until(() => Session.last);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.deepEqual([early.mock.callCount(), late.mock.callCount()], [1, 0]);
  });

  it("are refused with the run that they are given to", async () => {
    const agent = create({ tools: () => ({ weather: {} }) });
    await assert.rejects(agent.submit("hi"), { code: "input", message: /^tools: expected a list, got an object$/ });
    await assert.rejects(create().submit({ message: "hi", tools: {} }), { code: "input", message: /^tools: expected a list, got an object$/ });
    for (const [context, message] of [
      [[{ description: "?" }], /^context\[0\]\.value: expected a string, got undefined$/],
      [[{ value: "?" }], /^context\[0\]\.description: expected a string, got undefined$/],
      [{ page: "?" }, /^context: expected a list, got an object$/],
    ]) {
      await assert.rejects(create({ context }).submit("hi"), { code: "input", message });
      await assert.rejects(create().submit({ message: "hi", context }), { code: "input", message });
    }
  });

  it("are as not given where they are null", () => {
    assert.equal(create({ limits: null, persist: null, resume: null, tools: null }).getSnapshot().status, "idle");
  });
});

describe("input that is none", () => {
  const refused = (message) => (error) => AgentError.is(error) && error.code === "input" && (assert.match(error.message, message), true);
  for (const [what, input, message] of [
    ["nothing", undefined, /^submit\(\): expected a string or \{message\}, got undefined$/],
    ["a click", new Event("click"), /^submit\(\): expected a string or \{message\}, got an event$/],
    ["a click as React has it", { nativeEvent: {}, message: "x", preventDefault() {} }, /^submit\(\): expected a string or \{message\}, got an event$/],
    ["no message", { message: null }, /^message: expected a string or \{content\}, got null$/],
    ["a number as the message", { message: 5 }, /^message: expected a string or \{content\}, got 5$/],
    ["parts as the message", { message: [{ type: "text", text: "x" }] }, /^message: expected a string or \{content\}, got a list$/],
    ["a message as useChat has it", { text: "hi" }, /^submit\(text\): expected a string or \{message\}, got an object$/],
    ["the messages of an HttpAgent", { messages: [{ role: "user", content: "hi" }] }, /^submit\(messages\): expected a string or \{message\}/],
    ["a whole message", { id: "1", role: "user", content: "hi" }, /^submit\(id,role,content\): expected a string or \{message\}/],
    ["a member of another name", { state: { n: 1 }, prompt: "hi" }, /^submit\(prompt\): expected a string or \{message\}/],
    ["text beside parts", { text: "hi", parts: [{ type: "text", text: "x" }] }, /^submit\(text\): expected/],
    ["a promise", Promise.resolve("hi"), /^submit\(\): expected a string or \{message\}, got a promise$/],
    ["a form", new FormData(), /^submit\(\): expected a string or \{message\}, got an object$/],
    ["an object that is a string", new String("hi"), /^submit\(\): expected a string or \{message\}, got an object$/],
    ["a list", ["hi"], /^submit\(\): expected a string or \{message\}, got a list$/],
    ["a message without content", { message: { text: "hi" } }, /^message: expected a string or \{content\}, got an object$/],
    ["the parts of useChat", { message: { role: "user", parts: [{ type: "text", text: "hi" }] } }, /^message: expected a string or \{content\}/],
    ["content that is none", { message: { content: 5 }, parts: [] }, /^message: expected a string or \{content\}/],
    ["content of strings", { message: { content: ["hi"] } }, /^message: expected a string or \{content\}/],
    ["a message that will come", { message: Promise.resolve("hi") }, /^message: expected a string or \{content\}, got a promise$/],
    ["nothing in place of a message", { replaces: "1" }, /^message: expected a string or \{content\}, got undefined$/],
    ["properties that will come", { message: "hi", forwardedProps: async () => ({}) }, /^forwardedProps: expected JSON, got a promise$/],
    ["parts that are no list", { parts: 5 }, /^parts: expected a list of objects, got 5$/],
    ["parts that are no parts", { message: "a", parts: ["b"] }, /^parts: expected a list of objects, got a list$/],
    ["an id that is no string", { message: "a", runId: Symbol("r") }, /^runId: expected a string, got Symbol\(r\)$/],
    ["no signal", { message: "a", signal: "no" }, /^signal: expected an AbortSignal, got "no"$/],
  ]) {
    it(`is refused, and nothing is sent: ${what}`, async () => {
      const agent = create();
      await assert.rejects(agent.submit(input), refused(message));
      assert.deepEqual([Session.all.length, agent.getSnapshot().messages, agent.getSnapshot().isLoading], [0, [], false]);
    });
  }

  it("is none of the members that a submit does not know, beside a message, and no message at all", async () => {
    const agent = create();
    void agent.submit({ message: "hi", foo: 1 });
    void agent.submit({});
    await until(() => Session.last?.calls.length === 2);
    assert.deepEqual(called("submit").map(({ messages }) => messages.map(({ content }) => content)), [["hi"], []]);
  });

  it("is asked for where it is a function: context and forwarded properties of a submit", async () => {
    const agent = create();
    const context = [{ description: "a", value: "b" }];
    void agent.submit({ message: "hi", context: () => context, forwardedProps: () => ({ n: 1 }) });
    await until(() => Session.last);
    assert.deepEqual(called("submit").map(({ context, forwardedProps, own }) => [context, forwardedProps, own]), [[context, { n: 1 }, [
      "context",
      "forwardedProps",
    ]]]);
  });

  it("is refused of an edit of the state, which stays", async () => {
    const agent = create({ initialState: { n: 1 } });
    for (const [next, found] of [
      [undefined, "undefined"],
      // As if it were a draft.
      [(state) => void { ...state, n: 2 }, "undefined"],
      [async () => ({ n: 2 }), "a promise"],
      [new Event("change"), "an event"],
    ]) {
      assert.throws(() => agent.setState(next), refused(new RegExp(`^setState\\(\\): expected JSON, got ${found}$`)));
    }
    assert.deepEqual(agent.getSnapshot().state, { n: 1 });
  });

  it("is refused of a result, or of arguments that a person approves", () => {
    const agent = create();
    assert.throws(() => agent.addToolResult({ toolCallId: "c", result: Promise.resolve(1) }), refused(/^result: expected JSON, got a promise$/));
    for (const [answer, found] of [[{ output: 1 }, "undefined"], [{ content: "1" }, "undefined"], [{ error: new Error("no") }, "an object"]]) {
      assert.throws(() => agent.addToolResult({ toolCallId: "c", ...answer }), refused(new RegExp(`^result, error: expected a string, got ${found}$`)));
    }
    for (const args of [true, "{}", [], new Event("click")]) assert.throws(() => agent.approve("c", args), refused(/^args: expected an object, got /));
  });

  for (const [what, answers] of [["nothing", undefined], ["a click", new Event("click")], ["null", null]]) {
    it(`is refused of an answer: ${what}`, async () => {
      const agent = create();
      await assert.rejects(agent.resume(answers), refused(/^resume: expected a list of answers, or an object by the interrupts' ids, got /));
      assert.equal(Session.all.length, 0);
    });
  }

  it("is refused of an edit as well", async () => {
    const agent = create();
    void agent.submit("a");
    void agent.submit("b");
    await until(() => Session.last && agent.getSnapshot().queue.length === 1);
    const [{ id }] = agent.getSnapshot().queue;
    for (const input of [null, 5, new Event("click"), { message: null }, { text: "b" }])
      assert.throws(() => agent.editQueued(id, input), refused(/expected a string or/));
  });

  it("is nothing where nothing is needed: a click on retry", async () => {
    const agent = create();
    const run = agent.submit("a");
    await until(() => Session.last);
    Session.last.finish();
    await run;
    void agent.retry(Object.assign(new Event("click"), { newMessageId: undefined, runId: "x" }));
    assert.notEqual(called("retry")[0].runId, "x");
    assert.equal(called("retry").length, 1);
    await assert.rejects(agent.attach(5), refused(/^attach\(\): expected a string, got 5$/));
  });

  it("a listener, or a filter, that is none is refused where it is given, and the core lives", async () => {
    const agent = create();
    for (const listener of [undefined, null, "log"]) {
      assert.throws(() => agent.on("event", listener), refused(/^on\(event\): expected a function/));
      assert.throws(() => agent.subscribe(listener), refused(/^subscribe\(\): expected a function/));
    }
    for (const types of [[Symbol("RAW")], "RAW", [1n]])
      assert.throws(() => agent.on("event", () => {}, { types }), refused(/^filter\.types: expected a list of strings/));
    const types = ["RAW"];
    agent.on("event", () => {}, { types });
    types.push(Symbol("later"));
    const run = agent.submit("a");
    await until(() => Session.last);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
  });

  it("a state that the application changes afterwards is its own", async () => {
    const initialState = { list: [1] };
    const agent = create({ initialState });
    initialState.list.push(2);
    assert.deepEqual([agent.getSnapshot().state, agent.getServerSnapshot().state], [{ list: [1] }, { list: [1] }]);
    agent.reset();
    assert.deepEqual(agent.getSnapshot().state, { list: [1] });
  });
});

describe("a validator that cannot write JSON Schema", () => {
  // As zod 3.24 and its like are.
  const old = { "~standard": { version: 1, vendor: "zod", validate: (value) => ({ value }) } };
  const weather = { name: "weather", description: "d", parameters: old, execute() {} };
  const refused = (error) => {
    assert.match(error.message, /tool "weather": its validator \(zod\) cannot write JSON Schema: pass one as `jsonSchema`/);
    return AgentError.is(error) && error.code === "input";
  };
  it("is refused by tool() and by createAgent, not by every submit", () => {
    assert.throws(() => tool(weather), refused);
    assert.throws(() => create({ tools: [weather] }), refused);
  });
  it("is taken with a schema beside it", async () => {
    const agent = create({ tools: [tool({ ...weather, jsonSchema: { type: "object" } })] });
    void agent.submit("a");
    await until(() => Session.last);
    assert.deepEqual(called("submit")[0].tools[0].parameters, { type: "object" });
  });
});

describe("an approval with the tool itself", () => {
  const add = tool({ name: "add", description: "d", execute() {} });
  const call = { id: "c", name: "add", argsText: "{}", args: {} };
  it("approves a call of that tool, with its arguments", async () => {
    const agent = create({ tools: [add] });
    agent.approve(add, call, { a: 1 });
    await until(() => Session.last?.calls.length);
    assert.deepEqual(called("approve"), [{ toolCallId: "c", args: { a: 1 }, seen: { name: "add", argsText: "{}" } }]);
  });
  it("does not approve a call of another one", async () => {
    const warned = mock.fn();
    const agent = create({ tools: [add], onWarning: warned });
    agent.approve(add, { ...call, name: "other" });
    await until(() => warned.mock.callCount());
    assert.deepEqual(warned.mock.calls.map(({ arguments: [{ code }] }) => code), ["approval-invalid"]);
    assert.deepEqual(Session.last ? called("approve") : [], []);
  });
});

it("fakeAgent keeps status and isLoading in agreement", () => {
  const agent = fakeAgent({ isLoading: true });
  const now = () => [agent.getSnapshot().status, agent.getSnapshot().isLoading];
  assert.deepEqual(now(), ["running", true]);
  for (const [changes, expected] of [
    [{ isLoading: false }, ["idle", false]],
    [{ status: "running" }, ["running", true]],
    [{ messages: [] }, ["running", true]],
    [{ error: new AgentError({ kind: "run", message: "no" }) }, ["error", false]],
    [{ isLoading: false }, ["error", false]],
    [{ isLoading: true }, ["running", true]],
    [{ status: "idle", isLoading: true }, ["idle", false]],
  ]) {
    agent.set(changes);
    assert.deepEqual(now(), expected, JSON.stringify(changes));
  }
});

it("ag-ui-wasm/worker exports what the entry without a worker does", async () => {
  const [page, worker] = await Promise.all(["index", "worker"].map((name) => import(new URL(`${name}.js`, folder))));
  assert.deepEqual(Object.keys(worker).sort(), Object.keys(page).sort());
});

// A worker refuses later.
describe("with a core in the page", { skip: (!real && "needs the real core") || (process.env.AG_UI_WASM_WORKER && "in the page alone") }, () => {
  const deep = JSON.parse(`${"[".repeat(600)}${"]".repeat(600)}`);
  /** An agent whose server says "x", and the errors that it reports. */
  const withErrors = async () => {
    const { createAgent } = await load("index");
    const errors = [];
    const fetch = async (_, { body }) => {
      const { threadId, runId } = JSON.parse(body);
      const events = [{ type: "RUN_STARTED", threadId, runId }, { type: "TEXT_MESSAGE_CHUNK", messageId: runId, delta: "x" }, {
        type: "RUN_FINISHED",
        threadId,
        runId,
      }];
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
    };
    const agent = createAgent({ url: "http://agent/", notify: "sync", fetch, initialState: { kept: 1 }, onError: (error) => errors.push(error) });
    agents.push(agent);
    return { agent, errors };
  };
  const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);

  it("a click that regenerate() is given is refused, and the core lives", async () => {
    for (const given of [new Event("click"), 5, {}]) {
      const { agent, errors } = await withErrors();
      await agent.submit("one");
      await assert.rejects(
        agent.regenerate(given),
        (error) => AgentError.is(error) && error.code === "input" && /regenerate\(\): expected a string, got /.test(error.message),
      );
      assert.equal((await agent.submit("two")).outcome, "success");
      assert.deepEqual([texts(agent), errors], [["one", "x", "two", "x"], []]);
    }
  });

  it("what was set before it came, and what it refuses, is reported once and keeps nothing else from being done", async () => {
    const { agent, errors } = await withErrors();
    agent.setMessages([{ id: "m", role: "user", content: "before" }]);
    agent.setState(deep);
    assert.equal((await agent.submit("one")).outcome, "success");
    assert.equal((await agent.submit("two")).outcome, "success");
    assert.deepEqual(texts(agent), ["before", "one", "x", "two", "x"]);
    assert.deepEqual(agent.getSnapshot().state, { kept: 1 });
    assert.deepEqual(errors.map(({ kind, code }) => [kind, code]), [["unsupported", "input"]]);
  });

  it("an edit that it refuses after a submit is reported, and the submit goes out", async () => {
    const { agent, errors } = await withErrors();
    const run = agent.submit("one");
    agent.setState(deep);
    assert.equal((await run).outcome, "success");
    assert.deepEqual([agent.getSnapshot().state, errors.map(({ code }) => code)], [{ kept: 1 }, ["input"]]);
  });

  it("a submit that it refuses is in no save, and what waits beside it is", async () => {
    for (const then of ["nothing", "another", "dispose"]) {
      const { createAgent } = await load("index");
      const saves = [];
      const [messages, interrupts] = [[{ id: "u", role: "user", content: "one" }], [{ id: "i", reason: "r" }]];
      const saved = { v: 1, threadId: "t", runId: "r", running: false, messages, state: {}, interrupts, unsent: [], handled: [], queue: [] };
      const persist = storeOf({ load: () => saved, save: (save) => void saves.push(save.queue.map(({ messages }) => messages[0].content)), clear() {} });
      const agent = createAgent({ url: "http://agent/", fetch: () => new Promise(() => {}), persist });
      agents.push(agent);
      const refused = agent.submit("two").catch((error) => error.code);
      assert.deepEqual(saves.at(-1), ["two"]);
      if (then === "another") void agent.submit({ message: "three", resume: [{ interruptId: "i", payload: 1 }] });
      assert.equal(await refused, "interrupts-open");
      if (then === "dispose") agent.dispose();
      // In the same turn: a page may crash at any time.
      await new Promise((resolve) => queueMicrotask(resolve));
      assert.equal(saves.at(-1).includes("two"), false, then);
      assert.equal(agent.getSnapshot().messages.some(({ content }) => content === "three"), then === "another");
    }
  });

  it("no argument at all is an error with a code, or nothing", async () => {
    const { agent } = await withErrors();
    await agent.submit("one");
    for (const method of ["approve", "addToolResult", "deny", "fork"]) {
      assert.throws(() => agent[method](), (error) => AgentError.is(error), method);
    }
    assert.equal(agent.at(), undefined);
    await assert.rejects(agent.submit({ message: "two", signal: "no" }), (error) => AgentError.is(error) && error.code === "input");
  });
});
