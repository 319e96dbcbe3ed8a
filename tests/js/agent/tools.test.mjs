// The page's side of tools, over a core that does what the test says.

import assert from "node:assert/strict";
import { beforeEach, describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { deferred, load, until } from "../lib.mjs";

const { createAgentWith } = await load("agent/agent");
const { AgentError } = await load("api/error");
const { tool } = await load("agent/tools");

beforeEach(() => void (Session.all = []));

const create = (options) => createAgentWith(async () => ({ CoreSession: Session }), { url: "/agent", notify: "sync", ...options });
const turn = () => new Promise(setImmediate);

/** A validator as any library may make it. */
const validator = (validate, more = {}) => ({ "~standard": { version: 1, vendor: "test", validate, ...more } });
const city = validator((value) =>
  typeof value.city === "string" ? { value: { city: value.city.trim() } } : { issues: [{ message: "must be a string", path: ["city"] }] }
);

/** An agent that runs, its session, and what was settled. */
async function running(tools, options) {
  const agent = create({ tools, ...options });
  agent.submit("hi");
  await until(() => Session.last);
  const session = Session.last;
  const calls = (name) => session.calls.filter(([called]) => called === name).map(([, ...given]) => given.length > 1 ? given : given[0]);
  const settled = () => calls("settleCall");
  const execute = async (id, name, args = {}) => {
    session.host.execute(id, name, JSON.stringify(args));
    await turn();
  };
  return { agent, session, calls, settled, execute, sent: () => session.calls.find(([name]) => name === "submit")[1] };
}

const named = (name, more) => ({ name, description: "d", ...more });

describe("what the server is told", () => {
  const sent = async (given) => {
    const { sent } = await running([given]);
    return sent();
  };

  it("is the declaration alone", async () => {
    const parameters = { type: "object" };
    const given = named("t", { parameters, metadata: { a: 1 }, execute() {}, needsApproval: true, followUp: false });
    const { tools, pageTools } = await sent(given);
    assert.deepEqual(tools, [named("t", { parameters, metadata: { a: 1 } })]);
    assert.deepEqual(pageTools, [{ name: "t", needsApproval: true, followUp: false }]);
  });

  it("is the schema that the validator writes", async () => {
    const schema = { type: "object", title: "a" };
    for (const parameters of [
      validator(() => ({}), { jsonSchema: { input: ({ target }) => (assert.match(target, /^draft/), schema) } }),
      { ...city, toJSONSchema: () => schema },
      Object.assign(() => {}, city, { toJsonSchema: () => schema }),
    ]) {
      Session.all = [];
      assert.deepEqual((await sent(named("t", { parameters, execute() {} }))).tools[0].parameters, schema);
    }
    Session.all = [];
    assert.deepEqual((await sent(named("t", { parameters: city, jsonSchema: schema }))).tools[0].parameters, schema);
  });

  it("is nothing where a validator has no schema", async () => {
    const refusal = (error) => AgentError.is(error) && error.code === "input" && /"t".*jsonSchema/.test(error.message);
    assert.throws(() => create({ tools: [named("t", { parameters: city })] }), refusal);
    // The tools of a function are known when it is called.
    const agent = create({ tools: () => [named("t", { parameters: city })] });
    for (const run of [agent.submit("hi"), agent.retry(), agent.regenerate()]) await assert.rejects(run, refusal);
  });

  it("says how far follow-ups may go", async () => {
    assert.equal((await running([])).sent().maxFollowUps, undefined);
    Session.all = [];
    assert.equal((await running([], { maxFollowUps: 2 })).sent().maxFollowUps, 2);
    Session.all = [];
    assert.ok((await running([], { maxFollowUps: Infinity })).sent().maxFollowUps > 1e6);
  });
});

describe("a call", () => {
  it("gets its arguments and what it needs, and gives its result", async () => {
    let given;
    const { agent, settled, execute } = await running([tool(named("add", { execute: (...args) => ((given = args), { sum: 3 }) }))]);
    await execute("1", "add", { a: 1, b: 2 });
    const [args, { signal, ...context }] = given;
    assert.deepEqual(args, { a: 1, b: 2 });
    assert.equal(signal.aborted, false);
    assert.deepEqual(context, { toolCallId: "1", agent });
    assert.deepEqual(settled(), [{ toolCallId: "1", result: { sum: 3 } }]);
  });

  it("may take its time, beside others", async () => {
    const ends = { a: deferred(), b: deferred() };
    const { settled, execute } = await running([named("wait", { execute: ({ name }) => ends[name].promise })]);
    await execute("1", "wait", { name: "a" });
    await execute("2", "wait", { name: "b" });
    ends.b.resolve("second");
    await turn();
    assert.deepEqual(settled(), [{ toolCallId: "2", result: "second" }]);
    ends.a.resolve();
    await turn();
    assert.deepEqual(settled()[1], { toolCallId: "1" });
  });

  it("takes the tool as it is now", async () => {
    const { agent, settled, execute } = await running([named("t", { execute: () => "old" })]);
    agent.setOptions({ url: "/agent", tools: () => [named("t", { execute: () => "new" })] });
    await execute("1", "t");
    assert.equal(settled()[0].result, "new");
  });

  it("takes the tool that came with the submit, until a run without", async () => {
    const own = named("own", { execute: () => "mine" });
    const { agent, settled, execute } = await running([named("t", { execute: () => "option" })]);
    agent.submit({ message: "x", tools: [named("t", { execute: () => "submit" }), own], ifBusy: "replace" });
    await execute("1", "t");
    agent.submit({ message: "y", ifBusy: "replace" });
    await execute("2", "t");
    await execute("3", "own");
    assert.deepEqual(settled().map(({ result }) => result), ["submit", "option", "mine"]);
  });

  it("that throws, or gives no JSON, tells the agent why", async () => {
    const loop = {};
    loop.loop = loop;
    const { settled, execute } = await running([
      named("throws", { execute: () => Promise.reject(new Error("no such city")) }),
      named("odd", {
        execute: () => {
          throw "odd";
        },
      }),
      named("silent", {
        execute: () => {
          throw new Error();
        },
      }),
      named("loop", { execute: () => loop }),
      named("declared"),
    ]);
    for (const name of ["throws", "odd", "silent", "loop", "declared", "unknown"]) await execute(name, name);
    const errors = Object.fromEntries(settled().map(({ toolCallId, error }) => [toolCallId, error]));
    assert.match(errors.throws, /^no such city$/);
    assert.match(errors.odd, /^odd$/);
    assert.match(errors.silent, /^The tool failed$/);
    assert.match(errors.loop, /circular/i);
    assert.match(errors.declared, /no tool declared/);
    assert.match(errors.unknown, /no tool unknown/);
  });

  it("with arguments that do not fit does not run", async () => {
    const runs = [];
    const later = validator(async (value) => city["~standard"].validate(value));
    const make = (name, parameters) => named(name, { parameters, jsonSchema: {}, execute: ({ city }) => runs.push(city) });
    const { session, settled, execute } = await running([make("now", city), make("later", later)]);
    for (const name of ["now", "later"]) {
      await execute(`${name} bad`, name, { city: 5 });
      await execute(`${name} good`, name, { city: " Rome " });
    }
    session.host.execute("cut", "now", `{"city":`);
    await turn();
    assert.deepEqual(runs, ["Rome", "Rome"]);
    const failed = settled().filter(({ error }) => error);
    assert.deepEqual(failed.map(({ toolCallId }) => toolCallId), ["now bad", "later bad", "cut"]);
    assert.equal(failed[0].error, "The arguments are not valid: city: must be a string");
  });

  it("that is abandoned is aborted, and its result is ignored", async () => {
    const end = deferred();
    const signals = [];
    const { session, settled, execute } = await running([
      named("t", { execute: (_, { signal }) => (signals.push(signal), end.promise) }),
    ]);
    await execute("1", "t");
    session.host.execute("2", "t", "{}");
    session.host.abandon("1");
    session.host.abandon("2");
    end.resolve("late");
    await turn();
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true]);
    assert.deepEqual(settled(), []);
  });

  it("is aborted with its agent, and when the core is lost", async () => {
    for (const end of [(agent) => agent.dispose(), (_, session) => session.trap()]) {
      Session.all = [];
      let signal;
      const { agent, session, execute } = await running([named("t", { execute: (_, context) => new Promise(() => ({ signal } = context)) })]);
      await execute("1", "t");
      end(agent, session);
      await turn();
      assert.ok(signal.aborted);
    }
  });

  it("may use the agent", async () => {
    const { agent, execute } = await running([named("t", { execute: (_, { agent }) => void agent.setState({ n: 1 }) })]);
    await execute("1", "t");
    assert.deepEqual(agent.getSnapshot().state, { n: 1 });
  });
});

describe("approval", () => {
  it("is asked of the arguments before the call counts as running", async () => {
    const ran = [];
    const pay = named("pay", { needsApproval: ({ amount }) => amount > 10, execute: ({ amount }) => void ran.push(amount) });
    const { agent, session, calls, settled, sent } = await running([pay]);
    assert.deepEqual(sent().pageTools, [{ name: "pay" }]);
    session.host.execute("small", "pay", `{"amount":1}`);
    session.host.execute("large", "pay", `{"amount":11}`);
    assert.deepEqual(calls("hold"), ["large"]);
    await turn();
    assert.deepEqual(ran, [1]);
    // Approved, perhaps with other arguments: it is not asked twice.
    session.approved = ({ toolCallId, args }) => session.host.execute(toolCallId, "pay", JSON.stringify(args), true);
    agent.approve("large", { amount: 12 });
    await turn();
    assert.deepEqual(ran, [1, 12]);
    assert.deepEqual(calls("hold"), ["large"]);
    assert.deepEqual(settled().map(({ toolCallId }) => toolCallId), ["small", "large"]);
  });

  it("is of one call, and not of a later one", async () => {
    const { agent, session, calls } = await running([named("t", { needsApproval: () => true, execute() {} })]);
    agent.approve("1");
    session.host.execute("1", "t", "{}", false);
    session.host.abandon("1");
    session.approved = () => session.host.execute("2", "t", "{}", false);
    agent.approve("1");
    assert.deepEqual(calls("hold"), ["1", "2"]);
  });

  it("is asked for by the tool as it is now, also where the run began with one that did not need it", async () => {
    const execute = mock.fn();
    const { agent, session, calls } = await running([named("t", { execute })]);
    agent.setOptions({ url: "/agent", tools: [named("t", { needsApproval: true, execute })] });
    session.host.execute("1", "t", "{}", false);
    await turn();
    assert.deepEqual([calls("hold"), execute.mock.callCount()], [["1"], 0]);
    session.host.execute("1", "t", "{}", true);
    await turn();
    assert.deepEqual([calls("hold"), execute.mock.callCount()], [["1"], 1]);
  });

  it("of arguments that the tool does not take is refused, and the call goes on waiting", async () => {
    const validate = (value) => (value.amount > 0 ? { value } : { issues: [{ message: "too small", path: ["amount"] }] });
    const later = named("later", { parameters: { "~standard": { version: 1, vendor: "x", validate: async (value) => validate(value) } }, jsonSchema: {} });
    const now = named("now", { parameters: { "~standard": { version: 1, vendor: "x", validate } }, jsonSchema: {} });
    const { agent, calls } = await running([now, later]);
    const warnings = [];
    agent.on("warning", ({ code, message }) => warnings.push([code, message]));
    const call = (id, name) => ({ id, name, args: {}, argsText: "{}", status: "running", phase: "awaiting-approval", messageId: "m" });
    agent.approve(call("1", "now"), { amount: 0 });
    agent.approve(call("2", "later"), { amount: 0 });
    await turn();
    assert.deepEqual(calls("approve"), []);
    assert.deepEqual(warnings.map(([code]) => code), ["approval-invalid", "approval-invalid"]);
    assert.match(warnings[0][1], /The call 1 .*amount: too small/);
    agent.approve(call("1", "now"), { amount: 1 });
    agent.approve(call("2", "later"), { amount: 1 });
    await turn();
    assert.deepEqual(calls("approve").map(({ toolCallId }) => toolCallId), ["1", "2"]);
  });

  it("and denial reach the core", async () => {
    const { agent, calls } = await running([]);
    agent.approve("1");
    agent.approve("2", { amount: 5 });
    agent.deny("3");
    agent.deny("4", "too much");
    agent.approve({ id: "3", name: "t", args: {}, argsText: "{}", status: "running", phase: "awaiting-approval", messageId: "m" });
    const approved = [
      { toolCallId: "1", seen: {} },
      { toolCallId: "2", args: { amount: 5 }, seen: {} },
      { toolCallId: "3", seen: { name: "t", argsText: "{}" } },
    ];
    assert.deepEqual(calls("approve"), approved);
    assert.deepEqual(calls("deny"), [{ toolCallId: "3" }, { toolCallId: "4", reason: "too much" }]);
  });
});

describe("addToolResult", () => {
  it("reaches the core", async () => {
    const { agent, settled } = await running([]);
    agent.addToolResult({ toolCallId: "1", result: { yes: true } });
    agent.addToolResult({ toolCallId: "2", error: "no" });
    assert.deepEqual(settled(), [{ toolCallId: "1", result: { yes: true } }, { toolCallId: "2", error: "no" }]);
  });

  it("refuses what is no JSON", async () => {
    const { agent, settled } = await running([]);
    assert.throws(() => agent.addToolResult({ toolCallId: "1", result: 1n }), { name: "AgentError", code: "input" });
    assert.deepEqual(settled(), []);
    agent.dispose();
    for (const late of [() => agent.addToolResult({ toolCallId: "1", result: 1 }), () => agent.approve("1"), () => agent.deny("1")]) {
      assert.throws(late, { name: "AgentError", code: "disposed" });
    }
  });

  it("brings the core if it is not there, after what waits already", async () => {
    const agent = create({ initialMessages: [{ id: "1", role: "user", content: "a" }] });
    agent.setState({ n: 1 });
    agent.addToolResult({ toolCallId: "1", result: 5 });
    agent.setState({ n: 2 });
    assert.equal(agent.getSnapshot().status, "idle");
    await until(() => Session.last?.calls.length === 2);
    const { calls, state } = Session.last;
    assert.deepEqual(state, { n: 1 });
    assert.deepEqual(calls.map(([name]) => name), ["settleCall", "editState"]);
    assert.deepEqual(agent.getSnapshot().state, { n: 2 });
    assert.equal(agent.getSnapshot().status, "idle");
  });

  it("that waits for the core, which refuses it, is an error that onError hears of, and what waits after it is done", async () => {
    class Refusing extends Session {
      call(method, json) {
        if (method === "settleCall") throw Object.assign(new Error("input: expected a reply"), { code: "input" });
        return super.call(method, json);
      }
    }
    const heard = [];
    const agent = createAgentWith(async () => ({ CoreSession: Refusing }), { url: "/", onError: ({ kind }) => heard.push(kind) });
    agent.addToolResult({ result: 1 });
    agent.setState({ n: 2 });
    await until(() => heard.length);
    assert.deepEqual([heard, Session.last.calls.map(([name]) => name)], [["unsupported"], ["editState"]]);
    agent.dispose();
  });

  it("may lead to a run that nobody waits for: the callbacks hear of it", async () => {
    const heard = [];
    const { session } = await running([], { onFinish: ({ runId, outcome }) => heard.push([runId, outcome]), onError: ({ kind }) => heard.push(kind) });
    session.settleAlone({ runId: "r-1", outcome: "error", error: { kind: "http", message: "!" } });
    session.settleAlone({ runId: "r-2", outcome: "success" });
    assert.deepEqual(heard, ["http", ["r-1", "error"], ["r-2", "success"]]);
  });
});
