// Which worker an agent gets, how it leaves it, and what it does where there is none.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { deferred, load, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";
import { agents, create, inPage, running, settled, texts, user, workers } from "./over-fake.mjs";

const { createWorkerAgentWith } = await load("worker/agent");

describe("leaving", () => {
  it("a run is done when the promise says so", async () => {
    const { agent, session } = await running();
    session.disconnect = () => {
      session.patch(["=", ["isLoading"], false]);
      session.changed(true);
    };
    await agent.disconnect();
    assert.equal(agent.getSnapshot().isLoading, false);
  });

  it("the agent ends its run and frees the session", async () => {
    const { agent, first, session } = await running();
    agent.dispose();
    assert.equal(agent.getSnapshot().outcome, "aborted");
    assert.equal((await first).outcome, "aborted");
    await until(() => session.freed);
    assert.deepEqual(texts(agent), ["1"]);
    await assert.rejects(agent.submit("2"), { code: "disposed" });
  });
});

describe("one death", () => {
  it("of a worker is one error, however many submits waited", async () => {
    const failed = mock.fn();
    const { agent, first } = await running({ onError: failed });
    const runs = [first, ...["2", "3", "4"].map((text) => agent.submit(text))];
    await settled();
    workers.all[0].crash("gone");
    assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["error", "error", "error", "error"]);
    await settled();
    assert.equal(failed.mock.callCount(), 1);
  });

  it("of a worker that loads its core is noticed at once, and the agent works in the page", async () => {
    const { navigator } = globalThis;
    const [life, asked] = [deferred(), deferred()];
    let requests = 0;
    const request = async (_, granted) => {
      if (++requests === 1) return granted({});
      asked.resolve();
      await life.promise;
      return granted({});
    };
    Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true, writable: true });
    globalThis.WorkerGlobalScope = class {};
    try {
      const loading = await localWorkers(() => new Promise(() => {}));
      const warned = mock.fn();
      const agent = create({ onWarning: warned }, loading.spawn);
      const run = agent.submit("1");
      await asked.promise;
      loading.all[0].terminate();
      life.resolve();
      await until(() => Session.last?.calls.length);
      Session.last.finish();
      assert.equal((await run).outcome, "success");
      assert.deepEqual(warned.mock.calls.map(({ arguments: [{ code }] }) => code), ["worker-unavailable"]);
    } finally {
      Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true, writable: true });
      delete globalThis.WorkerGlobalScope;
    }
  });
});

describe("workers", () => {
  it("are shared by all agents, end with the last one, and begin again", async () => {
    const many = Array.from({ length: 50 }, () => create());
    const runs = many.map((agent, at) => agent.submit(`${at}`));
    await until(() => Session.all.length === 50);
    assert.equal(workers.all.length, 1);
    for (const session of Session.all) session.finish();
    await Promise.all(runs);
    const [last, ...others] = many;
    for (const agent of others) agent.dispose();
    await until(() => Session.all.filter(({ freed }) => freed).length === 49);
    assert.equal(workers.all[0].dead, false);
    last.dispose();
    await until(() => workers.all[0].dead);
    const run = create().submit("again");
    await until(() => Session.all.length === 51);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.equal(workers.all.length, 2);
  });

  it("are kept for an agent that waits for one, when the last session ends meanwhile", async () => {
    const { agent } = await running();
    workers.all[0].crash("gone");
    // The next one is on its way when the session that asked for it goes.
    agent.submit("2");
    agent.dispose();
    const run = create().submit("3");
    await until(() => Session.all.some(({ calls }) => calls.some(([name, input]) => name === "submit" && input.messages[0].content === "3")));
    await settled();
    Session.last.finish();
    assert.equal((await run).outcome, "success");
  });

  it("are not made before they are needed, nor without the option", async () => {
    const spawn = mock.fn(workers.spawn);
    const idle = create({}, spawn);
    idle.setState({ n: 1 });
    await settled();
    const page = createWorkerAgentWith(inPage, spawn, undefined, { url: "/", worker: false });
    agents.push(page);
    const run = page.submit("1");
    await until(() => Session.last);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.equal(spawn.mock.callCount(), 0);
    idle.submit("1");
    await until(() => spawn.mock.callCount() === 1);
  });

  for (const [what, die] of [
    ["that dies", () => workers.all[0].crash("out of memory")],
    ["whose core traps", async (agent, session) => {
      session.throws.stop = trap();
      await agent.stop();
    }],
    ["whose core traps in a callback", (agent, session) => session.trap()],
  ]) {
    it(`${what} ends its runs with an error, the snapshot stays, and the next run has another`, async () => {
      const failed = mock.fn();
      const { agent, first, session } = await running({ onError: failed, initialState: { n: 1 } });
      session.say("half");
      await until(() => texts(agent).length === 2);
      await die(agent, session);
      const { outcome, error } = await first;
      assert.deepEqual([outcome, error.kind, error.retryable], ["error", "internal", true]);
      const { status, messages, state } = agent.getSnapshot();
      assert.deepEqual([status, messages.map(({ content }) => content), state], ["error", ["1", "half"], { n: 1 }]);
      assert.equal(failed.mock.callCount(), 1);
      const next = agent.submit("2");
      await until(() => Session.all.length === 2);
      await settled();
      Session.last.finish();
      assert.equal((await next).outcome, "success");
      assert.deepEqual(texts(agent), ["1", "half", "2"]);
      assert.equal(workers.all.length, 2);
    });
  }

  it("that die while the core begins lose nothing", async () => {
    const agent = create({ initialMessages: [user("a", "0")] });
    const run = agent.submit("1");
    await until(() => workers.all[0]?.ports.length);
    workers.all[0].crash("gone");
    assert.equal((await run).outcome, "error");
    assert.deepEqual(texts(agent), ["0", "1"]);
  });

  it("that die leave no promise open", async () => {
    const { agent } = await running();
    const stopped = agent.stop();
    const left = agent.disconnect();
    workers.all[0].crash("gone");
    await Promise.all([stopped, left]);
  });
});

describe("where no worker can be had", () => {
  const cases = {
    "because the constructor throws": () => {
      throw new Error("refused by policy");
    },
    "because its script is refused": () => {
      const worker = workers.spawn();
      worker.terminate();
      setImmediate(() => worker.onerror({}));
      return worker;
    },
  };
  for (const [what, spawn] of Object.entries(cases)) {
    it(`${what}, the agent works in the page and says why; nothing is lost`, async () => {
      const warned = [];
      const agent = create({ onWarning: (warning) => warned.push(warning) }, spawn);
      const run = agent.submit("1");
      agent.setState({ n: 1 });
      await until(() => Session.last);
      Session.last.say("a");
      assert.deepEqual(texts(agent), ["1", "a"]);
      Session.last.finish();
      assert.equal((await run).outcome, "success");
      assert.deepEqual(warned.map(({ code }) => code), ["worker-unavailable"]);
      assert.match(warned[0].message, /refused/);
      assert.deepEqual(agent.getSnapshot().state, { n: 1 });
    });
  }

  it("because the core cannot be loaded there, the page tries", async () => {
    const { spawn } = await localWorkers(() => Promise.reject(new Error("forbids WebAssembly")));
    const warned = [];
    const agent = create({ onWarning: ({ message }) => warned.push(message) }, spawn);
    agent.submit("1");
    await until(() => Session.last);
    assert.match(warned[0], /forbids WebAssembly/);
  });

  it("the second script is tried, once for all", async () => {
    const first = mock.fn(cases["because its script is refused"]);
    const warned = mock.fn();
    const both = Array.from({ length: 3 }, () => createWorkerAgentWith(inPage, first, workers.spawn, { url: "/", onWarning: warned }));
    agents.push(...both);
    for (const agent of both) agent.submit("1");
    await until(() => Session.all.length === 3);
    assert.deepEqual([first.mock.callCount(), workers.all.length, warned.mock.callCount()], [1, 2, 0]);
  });

  it("and the page cannot either, it can be tried again", async () => {
    let refuse = true;
    const load = async () => (refuse ? Promise.reject(new Error("no core")) : { CoreSession: Session });
    const agent = create({}, cases["because the constructor throws"], load);
    assert.equal((await agent.submit("1")).outcome, "error");
    refuse = false;
    const again = agent.retry();
    await until(() => Session.last);
    Session.last.finish();
    assert.equal((await again).outcome, "success");
  });
});

it("Vite's folder of prepared packages is left for the script", async () => {
  const { beyondVite } = await load("worker/pool");
  const { Worker } = globalThis;
  const asked = [];
  globalThis.Worker = class {
    constructor(...given) {
      asked.push(given);
    }
  };
  try {
    beyondVite("http://localhost:5173/@fs/app/node_modules/.vite/deps/ag-ui-wasm_worker.js?v=1", "worker-main.js")();
    assert.deepEqual(asked, [["http://localhost:5173/@fs/app/node_modules/ag-ui-wasm/worker-main.js", { type: "module" }]]);
    for (const other of ["http://localhost/assets/index.js", undefined]) assert.equal(beyondVite(other, "worker-main.js"), undefined);
  } finally {
    globalThis.Worker = Worker;
    if (!Worker) delete globalThis.Worker;
  }
});
