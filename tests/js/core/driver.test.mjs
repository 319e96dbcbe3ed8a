// The effects of the core: they are performed when the core has returned, so nothing that follows from them is called from inside of it.

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { body, call, run, say, sse } from "../garbage.mjs";
import { load, real, until } from "../lib.mjs";

const { Driver } = await load("core/driver");
const trap = () => {
  throw new WebAssembly.RuntimeError("unreachable");
};

/** A session whose core does what the test says, with a log of what its page is called with. */
function driven(core = {}) {
  const [log, effects] = [[], []];
  const methods = ["changed", "settled", "custom", "warning", "save", "hold", "lost", "failed", "head"];
  const host = Object.fromEntries(methods.map((name) => [name, (...args) => log.push([name, ...args])]));
  const driver = new Driver({ effect: () => effects.shift(), free: () => log.push(["free"]), ...core }, { ...host, task: { until: Infinity } });
  return { driver, log, effects, host: driver.host };
}

describe("an effect", () => {
  it("has the arguments of a line, and what comes after it as it is", () => {
    const { driver, log, effects } = driven();
    effects.push(`["changed",true]`, `["custom","a\\nb"]\n{"c":\n1}`, `["save",3,false]\n`);
    driver.enter();
    assert.deepEqual(log, [["changed", true], ["custom", "a\nb", `{"c":\n1}`], ["save", 3, false, ""]]);
  });

  it("is performed once the call has returned, and with all that wait before a call from inside of one returns", () => {
    const { driver, log, effects } = driven();
    let inside;
    const changed = (urgent) => {
      log.push(["changed", urgent]);
      if (!urgent) return;
      driver.enter(() => effects.push(`["settled",2]\n{}`));
      inside = log.length;
    };
    const nested = new Driver(driver.core, { ...driver.host, changed });
    nested.enter(() => {
      effects.push(`["changed",true]`, `["settled",1]\n{}`);
      assert.deepEqual(log, []);
    });
    assert.deepEqual(log, [["changed", true], ["settled", 1, "{}"], ["settled", 2, "{}"]]);
    assert.equal(inside, 3);
  });

  it("of a call that is refused is performed, and the refusal thrown", () => {
    const { driver, log, effects } = driven();
    const refuse = () => {
      effects.push(`["changed",true]`);
      throw Object.assign(new Error("busy"), { code: "busy" });
    };
    assert.throws(() => driver.enter(refuse), { code: "busy" });
    assert.deepEqual(log, [["changed", true]]);
  });
});

describe("a session whose core traps", () => {
  it("is lost: its request is closed, and it wakes no more", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { driver, log, effects, host } = driven();
    host.request = () => new Promise(() => {});
    effects.push(`["wake",5]`, `["open",1,false,"r"]`);
    assert.equal(driver.enter(), true);
    assert.equal(driver.enter(trap), false);
    t.mock.timers.tick(10);
    assert.deepEqual(log.map(([name, value]) => [name, value.name ?? value]), [["hold", true], ["hold", false], ["lost", "RuntimeError"]]);
  });

  it("says so to its host where nobody called it", () => {
    for (const entry of [(driver) => driver.read(1, new Uint8Array(1), 0), (driver) => driver.slice(() => {})]) {
      const { driver, log } = driven({ read: trap, effect: trap, room: (bytes) => new Uint8Array(bytes) });
      entry(driver);
      assert.deepEqual(log.map(([name]) => name), ["lost"]);
    }
  });
});

describe("the core", { skip: !real && "the core is a stand-in" }, async () => {
  const [{ createAgent }, { CoreSession }] = await Promise.all(["index", "glue/core"].map(load));
  const { prototype } = CoreSession;
  const own = Object.getOwnPropertyDescriptors(prototype);
  afterEach(() => Object.defineProperties(prototype, own));

  it("calls nobody while it works: every callback may call the agent", async () => {
    let depth = 0;
    for (const [name, { value }] of Object.entries(own)) {
      if (name === "constructor" || typeof value !== "function") continue;
      prototype[name] = function (...args) {
        depth++;
        try {
          return value.apply(this, args);
        } finally {
          depth--;
        }
      };
    }
    const [called, inside] = [new Set(), []];
    let edits = 0;
    const look = (what, result) => () => {
      called.add(what);
      if (depth) inside.push(what);
      // The call shows its effects before it returns.
      if (edits < 50) agent.setState({ edits: ++edits });
      if (agent.getSnapshot().state.edits !== edits) inside.push(`${what} sees an old state`);
      return typeof result === "function" ? result() : result;
    };
    const answers = [() => run({ type: "CUSTOM", name: "n", value: 1 }, ...say("a"), ...call()), () => body(sse([{ type: "NONSENSE" }]))];
    const parameters = { "~standard": { version: 1, vendor: "test", validate: (value) => look("validate", { value })() } };
    const agent = createAgent({
      url: "/agent",
      notify: "sync",
      retry: false,
      headers: look("headers", {}),
      fetch: look("fetch", async () => answers.shift()()),
      tools: [{ name: "tool", description: "", parameters, jsonSchema: {}, needsApproval: look("needsApproval", false), execute: look("execute", 1) }],
      onEvent: look("event"),
      onWarning: look("warning"),
      onError: look("error"),
      onFinish: look("finish"),
    });
    agent.on("custom", look("custom"));
    agent.subscribe(look("snapshot"));
    await agent.submit("hi");
    await until(() => called.has("error"));
    assert.deepEqual(inside, []);
    assert.deepEqual([...called].sort(), [
      "custom",
      "error",
      "event",
      "execute",
      "fetch",
      "finish",
      "headers",
      "needsApproval",
      "snapshot",
      "validate",
      "warning",
    ]);
    agent.dispose();
  });
});
