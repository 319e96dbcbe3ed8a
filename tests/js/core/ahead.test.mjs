// The first request leaves while the core loads, and is the one that the core would have sent.

import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { random } from "../chance.mjs";
import { carried, deferred, load, real, until } from "../lib.mjs";

const { createAgentWith } = await load("agent/agent");
const { loading } = await load("core/loader");
const { createWorkerAgentWith } = await load("worker/agent");
const { localStorageStore } = await load("persistence/stores");
const { fetchTransport } = await load("index");

const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;
const user = (id, content) => ({ id, role: "user", content });

/** A server in place of the page's fetch, whose answers are written by the test. */
function server() {
  const requests = [];
  const answer = (url, init) => {
    const input = init.body && JSON.parse(init.body);
    const request = { url, ...init, input, aborted: () => init.signal?.aborted ?? false };
    requests.push(request);
    const head = deferred();
    init.signal?.addEventListener("abort", () => {
      head.reject(init.signal.reason);
      try {
        request.body?.error(init.signal.reason);
      } catch {
        // It has ended.
      }
    });
    request.fail = () => head.reject(new TypeError("Failed to fetch"));
    request.open = (status = 200) => {
      const body = new ReadableStream({ start: (controller) => void (request.body = controller) });
      head.resolve(new Response(body, { status, headers: { "content-type": "text/event-stream" } }));
    };
    request.say = (...events) => request.body.enqueue(new TextEncoder().encode(events.map(frame).join("")));
    request.finish = (content = "Hello") => {
      const run = { threadId: input.threadId, runId: input.runId };
      request.open();
      const messageId = `answer to ${input.runId}`;
      const text = [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId, delta: content }, {
        type: "TEXT_MESSAGE_END",
        messageId,
      }];
      request.say({ type: "RUN_STARTED", ...run }, ...text, { type: "RUN_FINISHED", ...run });
      request.body.close();
    };
    return head.promise;
  };
  return { requests, answer };
}

/** How an agent's core comes: when the test says so. */
const loads = await carried();
const agents = [];
function create(options = {}) {
  const { requests, answer } = server();
  mock.method(globalThis, "fetch", answer);
  let gate = deferred();
  let failures = 0;
  const source = async () => {
    await gate.promise;
    if (failures-- > 0) return loading(() => Promise.reject(new TypeError("Failed to fetch dynamically imported module")));
    return loads();
  };
  if (options.fetch) options = { ...options, fetch: answer };
  const agent = createAgentWith(source, { url: "/agent", notify: "sync", threadId: "t", ...options });
  agents.push(agent);
  return { agent, requests, fail: () => void (failures = 1), hold: () => void (gate = deferred()), come: () => gate.resolve() };
}
const turn = () => new Promise((done) => setImmediate(done));
const turns = async () => {
  for (let left = 10; left; left--) await turn();
};
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);

describe("a request that leaves before the core is there", { skip: !real }, () => {
  afterEach(() => {
    agents.splice(0).forEach((agent) => agent.dispose());
    mock.restoreAll();
  });

  it("is sent once, and its answer is read by the core", async () => {
    const { agent, requests, come } = create();
    const run = agent.submit("hi");
    await until(() => requests.length);
    assert.equal(agent.getSnapshot().status, "running");
    requests[0].finish();
    await turns();
    assert.deepEqual(texts(agent), ["hi"]);
    come();
    assert.equal((await run).outcome, "success");
    assert.deepEqual(texts(agent), ["hi", "Hello"]);
    assert.equal(requests.length, 1);
    assert.equal(agent.requests.length, 1);
    assert.equal(agent.requests[0].status, 200);
  });

  it("leaves where a page loads the core before anybody submits", async () => {
    const { agent, requests, come } = create();
    agent.subscribe(() => {});
    await turns();
    assert.equal(requests.length, 0);
    const run = agent.submit("hi");
    await until(() => requests.length);
    requests[0].finish();
    come();
    assert.equal((await run).outcome, "success");
    assert.equal(requests.length, 1);
  });

  /** A tool of the page. */
  const weather = { name: "weather", description: "d", parameters: { type: "object" }, execute: () => "sun" };
  const cases = {
    "a text": [{}, "hi"],
    "an empty submit": [{ initialMessages: [user("m", "hi")] }, {}],
    "messages before": [{
      initialMessages: ["user", "assistant", "system", "developer"].map((role) => ({ id: role, role, content: `${role} "\u2028 \\ ü 😀` })),
    }, "hi"],
    "empty texts": [{ initialMessages: [{ id: "a", role: "assistant", content: "" }, { id: "u", role: "user", content: "" }] }, ""],
    "ids that come twice": [{ initialMessages: [user("m", "one"), user("m", "two"), user("said", "before")] }, "hi"],
    "a state": [{ initialState: { a: [1, 2.5, -0, 1e21, 1e-7, null, true, ""], 'é"': { deep: [[]] } } }, "hi"],
    "a state of null": [{ initialState: null }, "hi"],
    "a state that is no object": [{ initialState: [1, "two"] }, "hi"],
    "a submit's state": [{ initialState: { a: 1, b: { c: 2 } } }, { message: "hi", state: { b: 3 } }],
    "tools, context and properties": [{ tools: [weather], context: () => [{ description: "d", value: "v" }], forwardedProps: { p: [1] } }, "hi"],
    "a submit's own": [{ tools: [weather], context: [{ description: "d", value: "v" }], forwardedProps: { p: 1 } }, {
      message: "hi",
      tools: [],
      context: [],
      forwardedProps: null,
    }],
    "no properties": [{ forwardedProps: null }, "hi"],
    "halves of surrogate pairs": [{ initialState: { half: "\ud83d" } }, "half \ude00 of one"],
    "headers": [{ headers: async () => ({ authorization: "secret", accept: "any/thing" }), credentials: "include" }, "hi"],
    "strict rules and limits": [{ limits: { history: 3 }, maxFollowUps: 2 }, { message: "hi", ifBusy: "replace" }],
  };
  for (const [name, [options, input]] of Object.entries(cases)) {
    it(`is what the core would send: ${name}`, async () => {
      const long = typeof input === "string"
        ? { message: { id: "said", content: input }, runId: "r" }
        : { ...input, runId: "r", ...(input.message && { message: { id: "said", content: input.message } }) };
      const sent = async (ahead) => {
        // With a fetch of the application's the core sends it.
        const { agent, requests, come } = create({ ...options, ...(!ahead && { fetch }) });
        if (!ahead) come();
        const run = agent.submit(long);
        await until(() => requests.length);
        const [{ url, method, headers, body, credentials }] = requests;
        requests[0].finish();
        come();
        assert.equal((await run).outcome, "success");
        assert.equal(requests.length, 1);
        return { url, method, headers: [...new Headers(headers)], body, credentials };
      };
      assert.deepEqual(await sent(true), await sent(false));
    });
  }

  const never = {
    "a store": { persist: localStorageStore("ahead", { storage: { getItem: () => null, setItem() {}, removeItem() {} } }) },
    "a save": { restore: { v: 1, threadId: "t", messages: [user("m", "old")], state: {} } },
    "a thread at the server": { thread: { load: async () => ({ messages: [] }) } },
    "an older protocol": { protocol: "0.0.40" },
    "a transport": { transport: fetchTransport({ url: "/agent" }) },
    "messages with more than a text": { initialMessages: [{ id: "m", role: "user", content: [{ type: "text", text: "hi" }] }] },
    "answers of tools": { initialMessages: [{ id: "m", role: "assistant", toolCalls: [] }] },
  };
  for (const [name, options] of Object.entries(never)) {
    it(`does not leave: ${name}`, async () => {
      const { agent, requests, come } = create(options);
      const run = agent.submit("hi");
      await turns();
      assert.equal(requests.length, 0);
      come();
      await until(() => requests.length);
      requests[0].finish();
      assert.equal((await run).outcome, "success");
    });
  }

  it("does not leave from a page whose worker sends it, once that has started", async () => {
    const { requests, answer } = server();
    mock.method(globalThis, "fetch", answer);
    const starting = () => ({ addEventListener() {}, postMessage() {}, terminate() {} });
    const agent = createWorkerAgentWith(loads, starting, undefined, { url: "/agent", notify: "sync", threadId: "t" });
    agents.push(agent);
    agent.submit("hi").catch(() => {});
    await turns();
    assert.equal(requests.length, 0);
  });

  it("does not leave for a submit that takes the place of another message, or for a retry", async () => {
    const { agent, requests } = create({ initialMessages: [user("m", "old")] });
    agent.submit({ message: "new", replaces: "m" }).catch(() => {});
    await turns();
    assert.equal(requests.length, 0);
    const other = create();
    other.agent.retry().catch(() => {});
    await turns();
    assert.equal(other.requests.length, 0);
  });

  it("is given up where its run is stopped, of which the server hears, and where the agent is disposed of", async () => {
    for (const end of ["stop", "dispose", "reset", "signal"]) {
      const stop = mock.fn();
      const { agent, requests, come } = create({ stop });
      const controller = new AbortController();
      const run = agent.submit({ message: "hi", signal: controller.signal });
      await until(() => requests.length);
      if (end === "signal") controller.abort();
      else void agent[end]();
      assert.equal((await run).outcome, "aborted", end);
      assert.ok(requests[0].aborted(), end);
      assert.equal(stop.mock.callCount(), end === "stop" || end === "signal" ? 1 : 0, end);
      come();
      await turns();
      assert.equal(requests.length, 1, end);
      assert.deepEqual(texts(agent), end === "reset" ? [] : ["hi"], end);
    }
  });

  it("is still the one where a load has failed and the run is asked for again", async () => {
    const { agent, requests, come, fail } = create();
    fail();
    const run = agent.submit("hi");
    await until(() => requests.length);
    come();
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.code], ["error", "load"]);
    requests[0].finish();
    await turns();
    assert.equal((await agent.retry()).outcome, "success");
    assert.equal(requests.length, 1);
    assert.deepEqual(texts(agent), ["hi", "Hello"]);
  });

  it("does not leave where a load has failed and nothing has worked since", async () => {
    const { agent, requests, come, hold, fail } = create();
    fail();
    const run = agent.submit("one");
    await until(() => requests.length);
    come();
    assert.equal((await run).error.code, "load");
    fail();
    hold();
    const next = agent.submit("two");
    await turns();
    assert.equal(requests.length, 1);
    come();
    assert.equal((await next).error.code, "load");
  });

  it("is given up where after a failed load something else is asked, or the agent is disposed of", async () => {
    const left = create();
    left.fail();
    const last = left.agent.submit("one");
    await until(() => left.requests.length);
    left.come();
    assert.equal((await last).outcome, "error");
    left.agent.reset();
    assert.ok(left.requests[0].aborted());
    const { agent, requests, come, fail } = create();
    fail();
    const run = agent.submit("one");
    await until(() => requests.length);
    come();
    assert.equal((await run).outcome, "error");
    assert.ok(!requests[0].aborted());
    const next = agent.submit("two");
    assert.ok(requests[0].aborted());
    await until(() => requests.length > 1);
    assert.deepEqual(requests[1].input.messages.map(({ content }) => content), ["one", "two"]);
    requests[1].finish();
    assert.equal((await next).outcome, "success");
  });

  it("loses nothing of an answer whose connection breaks before the core is there", async () => {
    const { agent, requests, come } = create({ retry: false });
    const run = agent.submit("hi");
    await until(() => requests.length);
    const [{ input: { threadId, runId } }] = requests;
    requests[0].open();
    requests[0].say({ type: "RUN_STARTED", threadId, runId }, { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" });
    await turns();
    requests[0].say({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "as far as" });
    await turns();
    requests[0].body.error(new TypeError("network error"));
    await turns();
    come();
    assert.equal((await run).outcome, "truncated");
    assert.deepEqual(texts(agent), ["hi", "as far as"]);
  });

  it("is refused, or fails, as any other", async () => {
    const refused = create({ retry: false });
    const run = refused.agent.submit("hi");
    await until(() => refused.requests.length);
    refused.requests[0].open(403);
    refused.requests[0].body.close();
    refused.come();
    assert.equal((await run).error.status, 403);

    const failing = create({ retry: false });
    const again = failing.agent.submit("hi");
    await until(() => failing.requests.length);
    failing.requests[0].fail();
    await turns();
    failing.come();
    const { outcome, error } = await again;
    assert.deepEqual([outcome, error.kind, failing.requests.length], ["error", "connection", 1]);
  });

  it("has what was there when the run was asked for: what comes after waits in order", async () => {
    const { agent, requests, come } = create({ initialState: { n: 1 } });
    const first = agent.submit("one");
    await until(() => requests.length);
    agent.setState({ n: 2 });
    const second = agent.submit("two");
    come();
    requests[0].finish("1");
    await until(() => requests.length > 1);
    requests[1].finish("2");
    assert.deepEqual([(await first).outcome, (await second).outcome], ["success", "success"]);
    assert.deepEqual(requests.map(({ input }) => [input.state, input.messages.map(({ content }) => content)]), [
      [{ n: 1 }, ["one"]],
      [{ n: 2 }, ["one", "1", "two"]],
    ]);
  });

  it("is in progress in a save that is made meanwhile, and is not sent again by whoever has that", async () => {
    const { agent, requests } = create();
    for (const [at, message] of ["one", "two"].entries()) void agent.submit({ message: user(message, message), runId: `r${at}` });
    await until(() => requests.length);
    const restore = agent.save();
    const { messages, queue, runId, running } = restore;
    assert.deepEqual([messages.map(({ id }) => id), queue.map((row) => row.runId), runId, running], [["one"], ["r1"], "r0", true]);
    const next = create({ restore });
    next.come();
    void next.agent.retry();
    await until(() => next.requests.length);
    await turns();
    assert.deepEqual(next.requests.map(({ input }) => input.messages.map(({ id }) => id)), [["one"]]);
    assert.notEqual(next.requests[0].input.runId, "r0");
  });

  it("is that of the first submit where others wait before anything could leave", async () => {
    const { agent, requests, come } = create();
    const runs = ["one", "two"].map((message) => agent.submit(message));
    await until(() => requests.length);
    assert.deepEqual(requests[0].input.messages.map(({ content }) => content), ["one"]);
    requests[0].finish("1");
    come();
    await until(() => requests.length > 1);
    requests[1].finish("2");
    assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["success", "success"]);
    assert.deepEqual(texts(agent), ["one", "1", "two", "2"]);
    assert.equal(requests.length, 2);
  });

  it("ends where another run takes its place", async () => {
    const { agent, requests, come } = create();
    const first = agent.submit("one");
    await until(() => requests.length);
    const second = agent.submit({ message: "two", ifBusy: "replace" });
    assert.equal((await first).outcome, "aborted");
    assert.ok(requests[0].aborted());
    come();
    await until(() => requests.length > 1);
    requests[1].finish();
    assert.equal((await second).outcome, "success");
    assert.deepEqual(texts(agent), ["one", "two", "Hello"]);
  });

  const acts = {
    submit: (agent, at) => agent.submit({ message: { id: `m${at}`, content: `${at}` }, runId: `r${at}` }),
    replace: (agent, at) => agent.submit({ message: { id: `m${at}`, content: `${at}` }, runId: `r${at}`, ifBusy: "replace" }),
    drop: (agent, at) => agent.submit({ message: { id: `m${at}`, content: `${at}` }, runId: `r${at}`, ifBusy: "drop" }),
    stop: (agent) => agent.stop(),
    edit: (agent, at) => agent.setMessages((all) => [...all, user(`e${at}`, `edit ${at}`)]),
    state: (agent, at) => agent.setState((old) => ({ ...old, [`s${at}`]: at })),
    cancel: (agent) => agent.cancelQueued(agent.getSnapshot().queue[0]?.id ?? "none"),
    disconnect: (agent) => agent.disconnect(),
    reset: (agent) => agent.reset(),
    wait: turns,
    come: (_, __, made) => {
      made.come();
      made.here = true;
    },
    // Before, the answer of a request that has not left would come later.
    answer: (_, __, { here, requests }) => {
      for (const request of here ? requests : [])
        if (!request.aborted() && !request.done) (request.done = true, request.finish(`answer to ${request.input.runId}`));
    },
  };

  it("ends as without it, whatever is done around it", async () => {
    for (let seed = 1; seed <= (Number(process.env.AHEAD) || 300); seed++) {
      const chance = random(seed);
      const names = Array.from({ length: 3 + chance(8) }, () => Object.keys(acts)[chance(Object.keys(acts).length)]);
      // A request that is answered has left by then.
      const waits = names.map((_, at) => names[at + 1] === "answer" || chance(2));
      const play = async (own) => {
        const made = create({ retry: false, initialState: { n: 0 }, ...(own && { fetch }) });
        const outcomes = [];
        const keep = (promise, at) =>
          promise?.then?.((result) => void (result && (outcomes[at] = result.outcome)), (error) => void (outcomes[at] = error.code));
        for (const [at, name] of names.entries()) {
          keep(acts[name](made.agent, at, made), at);
          if (waits[at]) await turns();
        }
        acts.come(made.agent, 0, made);
        for (let round = 0; round < 3 || made.agent.getSnapshot().isLoading; round++) {
          assert.ok(round < 100, `seed ${seed}: ${names.join(" ")}`);
          await turns();
          acts.answer(made.agent, 0, made);
        }
        const { messages, state, status } = made.agent.getSnapshot();
        return {
          outcomes,
          state,
          status,
          messages: messages.map(({ role, content }) => [role, content]),
          answered: made.requests.filter(({ done }) => done).map(({ input }) => input),
        };
      };
      const [ahead, later] = [await play(false), await play(true)];
      assert.deepEqual(ahead, later, `seed ${seed}: ${names.join(" ")}`);
    }
  });
});
