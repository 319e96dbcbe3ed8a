// One thread in a page: several agents with one store, over stores that fail in every way.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { agents, core, create, full, gc, hide, memory, never, page, texts, turn, user } from "./over-stores.mjs";

const { createAgentWith } = await load("agent/agent");

describe("one thread in a page", () => {
  const submits = () => Session.all.flatMap(({ calls }) => calls).filter(([name]) => name === "submit").map(([, { runId }]) => runId);

  it("two agents with one store show the same, and one core begins with the queue", async () => {
    const store = memory(full);
    const [one, other] = [create({ persist: store }), create({ persist: store })];
    one.subscribe(() => {});
    other.subscribe(() => {});
    await turn();
    await turn();
    assert.equal(Session.all.length, 1);
    assert.deepEqual(texts(one), ["one"]);
    assert.equal(other.getSnapshot(), one.getSnapshot());
  });

  it("what either submits waits in one queue, and each promise settles", async () => {
    const store = memory();
    const [one, other] = [create({ persist: store }), create({ persist: store })];
    const results = [one.submit({ message: "1", runId: "r1" }), other.submit({ message: "2", runId: "r2" }), one.submit({ message: "3", runId: "r3" })];
    await until(() => Session.last);
    assert.deepEqual([Session.all.length, submits()], [1, ["r1", "r2", "r3"]]);
    assert.deepEqual(other.getSnapshot().queue.map(({ runId }) => runId), ["r2", "r3"]);
    for (let n = 0; n < 3; n++) Session.last.finish();
    assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["success", "success", "success"]);
  });

  it("a component that is made anew in a run has that run: one request, and it can be stopped", async () => {
    const store = memory();
    const mounted = () => create({ persist: store }, core, (source, options) => createAgentWith(source, options, true));
    const old = mounted();
    const off = old.subscribe(() => {});
    const run = old.submit({ message: "1", runId: "r1" });
    await until(() => Session.last);
    Session.last.say("so ");
    off();
    await new Promise((done) => setTimeout(done));
    const next = mounted();
    next.subscribe(() => {});
    assert.deepEqual([texts(next), next.getSnapshot().isLoading], [["1", "so "], true]);
    Session.last.say("far");
    assert.deepEqual(texts(next), ["1", "so ", "far"]);
    const waits = next.submit({ message: "2", runId: "r2" });
    await next.stop();
    assert.equal((await run).outcome, "aborted");
    Session.last.finish();
    assert.equal((await waits).outcome, "success");
    assert.deepEqual([Session.all.length, submits()], [1, ["r1", "r2"]]);
  });

  it("one that is disposed of leaves the others as they are; the last hangs up", async () => {
    const store = memory();
    const heard = [];
    const make = (name) => create({ persist: store, onFinish: ({ outcome }) => heard.push([name, outcome]) });
    const [one, other] = [make("one"), make("other")];
    const run = one.submit("1");
    await until(() => Session.last);
    one.dispose();
    assert.equal(other.getSnapshot().isLoading, true);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.deepEqual(heard, [["other", "success"]]);
    const last = other.submit("2");
    other.dispose();
    assert.equal((await last).outcome, "aborted");
    assert.ok(Session.last.disposed);
  });

  it("the end of a run is told to the agent that has asked, once, and to all that listen", async () => {
    const store = memory();
    const heard = [];
    const make = (name) => {
      const agent = create({ persist: store, onFinish: () => heard.push(`${name} called`), onWarning: () => heard.push(`${name} warned`) });
      agent.on("finish", () => heard.push(`${name} hears`));
      return agent;
    };
    const [one] = [make("one"), make("other")];
    const run = one.submit("1");
    await until(() => Session.last);
    Session.last.finish();
    await run;
    assert.deepEqual(heard.sort(), ["one called", "one hears", "other hears"]);
  });

  it("a request has the options of whoever has asked, and a call finds its tool in any that is there", async () => {
    const store = memory();
    const heard = [];
    const make = (name, tools) =>
      create({ persist: store, headers: { name }, tools, fetch: async (_, { headers }) => (heard.push(new Headers(headers).get("name")), new Response("")) });
    const tool = { name: "count", description: "", parameters: {}, execute: () => (heard.push("counted"), 1) };
    const one = make("one", [tool]);
    make("status", []);
    void one.submit("1");
    await until(() => heard.length);
    assert.deepEqual(heard, ["one"]);
    Session.last.host.execute("c", "count", "{}", false);
    await until(() => heard.length === 2);
    assert.deepEqual(heard, ["one", "counted"]);
  });

  it("a call that nobody is there for waits for whoever comes", async () => {
    const store = memory();
    const ran = [];
    const tool = { name: "count", description: "", parameters: {}, execute: () => void ran.push("counted") };
    const mounted = () => create({ persist: store, tools: [tool] }, core, (source, options) => createAgentWith(source, options, true));
    const old = mounted();
    const off = old.subscribe(() => {});
    void old.submit("1");
    await until(() => Session.last);
    off();
    // A component that is made anew is no release.
    Session.last.host.execute("b", "count", "{}", false);
    await until(() => ran.length);
    await new Promise((done) => setTimeout(done));
    Session.last.host.execute("c", "count", "{}", false);
    await turn();
    assert.deepEqual(ran, ["counted"]);
    mounted().subscribe(() => {});
    await until(() => ran.length > 1);
    assert.deepEqual(ran, ["counted", "counted"]);
  });

  it("a run goes on although no component is left", async () => {
    {
      const agent = create({ persist: memory(), saving: {} }, core, (source, options) => createAgentWith(source, options, true));
      const off = agent.subscribe(() => {});
      const count = Session.all.length;
      const run = agent.submit("1");
      await until(() => Session.all.length > count);
      let ended;
      run.then((result) => (ended = result.outcome));
      off();
      await new Promise((done) => setTimeout(done, 5));
      Session.last.finish();
      await until(() => ended);
      assert.equal(ended, "success");
      agent.subscribe(() => {});
      const again = agent.submit("2");
      await until(() => !Session.last.disposed && Session.last.calls.some(([name, input]) => name === "submit" && input.messages[0].content === "2"));
      Session.last.finish();
      assert.equal((await again).outcome, "success");
    }
  });

  it("stores with one key are two users' where there is no page", async () => {
    delete globalThis.document;
    const make = () => create({ persist: Object.assign(memory(), { key: "chat" }) });
    const [one, other] = [make(), make()];
    one.setMessages([user("a", "secret")]);
    assert.deepEqual([texts(one), texts(other)], [["secret"], []]);
  });

  it("stores with one key are two users' where there is no page, who do not wait for each other", async () => {
    delete globalThis.document;
    const make = () => create({ persist: Object.assign(memory(), { key: "busy" }) });
    const [one, other] = [make(), make()];
    const results = [one.submit({ message: "1", runId: "r1" }), other.submit({ message: "2", runId: "r2" })];
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.deepEqual(submits().sort(), ["r1", "r2"]);
    for (const session of Session.all) session.finish();
    assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["success", "success"]);
  });

  it("agents of other options use the store in turn, and say so", async () => {
    const store = memory();
    const warnings = [];
    const one = create({ persist: store });
    const run = one.submit("1");
    await until(() => Session.last);
    const strict = create({ persist: store, rules: "strict", onWarning: ({ code, message }) => warnings.push([code, /rules/.test(message)]) });
    const second = strict.submit("2");
    await turn();
    assert.deepEqual(warnings, [["store-shared", true]]);
    assert.equal(Session.all.length, 1, "it waits");
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    await until(() => Session.all.length === 2 && Session.last.calls.some(([name]) => name === "submit"));
    Session.last.finish();
    assert.equal((await second).outcome, "success");
  });

  it("agents with different guards use the store in turn: nothing is shown that another guard has let pass", async () => {
    const store = memory();
    const warnings = [];
    const [lax, strict] = ["lax", "strict"].map((id) => ({ capabilities: [], id }));
    const make = (guard, onWarning) => create({ persist: store, guard, onWarning });
    const one = make(lax);
    const run = one.submit("1");
    await until(() => Session.last);
    const other = make(strict, ({ code, message }) => warnings.push([code, /guard/.test(message)]));
    const same = make({ ...lax });
    Session.last.say("let pass");
    const second = other.submit("2");
    await turn();
    assert.deepEqual(warnings, [["store-shared", true]]);
    assert.deepEqual([texts(one), texts(same)], [["1", "let pass"], ["1", "let pass"]]);
    assert.ok(!texts(other).includes("let pass"));
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    await until(() => Session.all.length === 2 && Session.last.calls.some(([name]) => name === "submit"));
    assert.deepEqual(Session.all.map(({ options }) => JSON.parse(options.guard).id), ["lax", "strict"]);
    // It reads the save with its own.
    assert.ok(Session.last.restored);
    Session.last.finish();
    assert.equal((await second).outcome, "success");
  });

  for (const [name, answer] of [
    ["throws", () => {
      throw new Error("locked");
    }],
    ["refuses", () => Promise.reject(new Error("locked"))],
    ["never answers", never],
  ]) {
    it(`a store that ${name} is not asked without end`, async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      let loads = 0;
      const load = () => (++loads > 100 ? never() : answer());
      const store = memory(undefined, { load });
      const agents = [1, 2].map(() => create({ persist: store }));
      for (const agent of [...agents, ...agents]) {
        agent.setMessages((messages) => [...messages, user(`m${messages.length}`, "edit")]);
        await turn();
      }
      for (let second = 0; second < 60; second++) {
        mock.timers.tick(1000);
        await turn();
      }
      assert.ok(loads < 12, `it was read ${loads} times`);
      assert.deepEqual(agents.map((agent) => texts(agent).length), [4, 4]);
    });
  }

  it("another store has another thread", async () => {
    const [one, other] = [memory(), memory()];
    const agents = [create({ persist: one }), create({ persist: other })];
    for (const agent of agents) agent.submit("x");
    await until(() => Session.all.length === 2);
    for (const session of Session.all) session.finish();
    assert.ok(one.saves.length && other.saves.length);
  });

  it("agents that nobody uses are collected", async () => {
    const store = memory();
    let agent = createAgentWith(core, { url: "/agent", persist: store, notify: "sync" });
    const gone = new WeakRef(agent);
    const run = agent.submit("x");
    await until(() => Session.last);
    Session.last.finish();
    await run;
    hide();
    Session.all = [];
    agent = undefined;
    await until(() => (gc(), gone.deref() === undefined));
  });
});
