// A server's data against the application's schemas, over the real core.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod4";
import { call, createAgent, serve, skip, text, tool } from "../ai-sdk/server.mjs";
import { until } from "../lib.mjs";

const standard = (validate) => ({ "~standard": { version: 1, vendor: "test", validate } });

async function play(options, ...events) {
  const { requests, fetch } = serve();
  const warnings = [];
  const customs = [];
  const states = [];
  const agent = createAgent({
    url: "https://agent.test/",
    fetch,
    notify: "sync",
    onWarning: ({ code, message }) => warnings.push(`${code}: ${message}`),
    ...options,
  });
  agent.on("custom", (event) => customs.push(event));
  agent.subscribe(() => states.push(agent.getSnapshot().state));
  const run = agent.submit("go");
  await until(() => requests.length === 1);
  requests[0].answer(...events);
  await run;
  return { agent, warnings, customs, states, requests };
}
const snapshotOf = (snapshot) => ({ type: "STATE_SNAPSHOT", snapshot });
const delta = (path, value) => ({ type: "STATE_DELTA", delta: [{ op: "add", path, value }] });
const custom = (name, value) => ({ type: "CUSTOM", name, value });

describe("schemas", { skip }, () => {
  const libraries = {
    zod: z.object({ percent: z.number() }),
    valibot: v.object({ percent: v.number() }),
    arktype: type({ percent: "number" }),
  };
  for (const [name, schema] of Object.entries(libraries)) {
    it(`${name}: a CUSTOM event that does not fit is warned of, and kept or dropped`, async () => {
      const events = [custom("progress", { percent: 5 }), custom("progress", { percent: "x" }), custom("toString", 1)];
      for (const [invalid, expected] of [[undefined, [{ percent: 5 }, { percent: "x" }, 1]], ["drop", [{ percent: 5 }, 1]]]) {
        const { warnings, customs } = await play({ schemas: { custom: { progress: schema }, invalid } }, ...events);
        assert.deepEqual(customs.map(({ data }) => data), expected);
        assert.equal(warnings.length, 1);
        assert.match(warnings[0], /^custom-invalid: The CUSTOM event progress does not fit its schema: .*percent/);
      }
    });
  }

  it("gives listeners what the validator makes of a value", async () => {
    const { customs } = await play({ schemas: { custom: { at: z.string().transform((text) => text.length) } } }, custom("at", "four"));
    assert.deepEqual(customs.map(({ data }) => data), [4]);
  });

  it("warns of a state that does not fit; with drop the last one that fitted is shown, and later patches apply to the server's", async () => {
    const state = z.object({ count: z.number(), name: z.string().optional() });
    const events = [snapshotOf({ count: 1 }), delta("/count", "two"), delta("/name", "n"), delta("/count", 3)];
    const kept = await play({ schemas: { state }, initialState: { count: 0 } }, ...events);
    assert.deepEqual(kept.agent.getSnapshot().state, { count: 3, name: "n" });
    const { agent, warnings, states } = await play({ schemas: { state, invalid: "drop" }, initialState: { count: 0 } }, ...events);
    assert.deepEqual(agent.getSnapshot().state, { count: 3, name: "n" });
    assert.ok(states.every(({ count }) => typeof count === "number"), JSON.stringify(states));
    assert.ok(warnings.every((warning) => warning.startsWith("state-invalid: The state does not fit its schema: count: ")), warnings.join());
  });

  it("shows the last state that fitted for as long as none does", async () => {
    const state = z.object({ count: z.number() });
    const { agent, warnings } = await play({ schemas: { state, invalid: "drop" }, initialState: { count: 0 } }, snapshotOf({ count: "x" }), ...text("m", "hi"));
    assert.deepEqual(agent.getSnapshot().state, { count: 0 });
    assert.equal(agent.getSnapshot().messages.at(-1).content, "hi");
    assert.equal(warnings.length, 1);
    const before = agent.getSnapshot().state;
    agent.setMessages([]);
    assert.equal(agent.getSnapshot().state, before);
  });

  it("warns once of a result that does not fit its tool's schema; with drop the call has none", async () => {
    const weather = tool({ name: "weather", description: "d", parameters: z.object({}), result: z.object({ degrees: z.number() }), declared: true });
    const result = (toolCallId, content) => ({ type: "TOOL_CALL_RESULT", messageId: `r-${toolCallId}`, toolCallId, content: JSON.stringify(content) });
    const events = [
      ...call("a", "weather", {}),
      ...call("b", "weather", {}),
      result("a", { degrees: "warm" }),
      result("b", { degrees: 20 }),
      ...text("m", "so"),
    ];
    for (const [invalid, expected] of [["keep", [{ degrees: "warm" }, { degrees: 20 }]], ["drop", [undefined, { degrees: 20 }]]]) {
      const { agent, warnings, requests } = await play({ schemas: { invalid }, tools: [weather] }, ...events);
      assert.deepEqual(agent.getSnapshot().toolCalls.map(({ result }) => result), expected);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0], /^result-invalid: The result of weather does not fit its schema: degrees: /);
      assert.deepEqual(Object.keys(requests[0].tools[0]).sort(), ["description", "name", "parameters"]);
      const { toolCalls } = agent.getSnapshot();
      agent.setState({ x: 1 });
      assert.equal(agent.getSnapshot().toolCalls, toolCalls, "what did not change keeps its identity");
    }
  });

  it("takes a schema that throws, or answers later, as one that says no", async () => {
    const schemas = {
      custom: {
        throws: standard(() => {
          throw new Error("broken");
        }),
        later: standard(async () => {
          throw new Error("late");
        }),
        nothing: standard(() => undefined),
        empty: standard(() => ({ issues: [] })),
      },
    };
    const { customs, warnings } = await play({ schemas }, ...Object.keys(schemas.custom).map((name) => custom(name, 1)), ...text("m", "hi"));
    assert.equal(customs.length, 4);
    assert.deepEqual(warnings.map((warning) => warning.replace(/^.*schema: /, "").replace(/Cannot.*/, "…")), [
      "it threw: broken",
      "it is asynchronous",
      "it threw: …",
      "",
    ]);
  });

  describe("answers to interrupts", () => {
    const interrupt = (id, reason) => ({ id, reason, message: "Sure?" });
    const ends = (...interrupts) => [{ type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts } }];

    /** An agent that is asked about `amount`, and about something else. */
    async function asked(schemas) {
      const { requests, fetch } = serve();
      const warnings = [];
      const agent = createAgent({
        url: "https://agent.test/",
        fetch,
        notify: "sync",
        schemas,
        onWarning: ({ code, message }) => warnings.push(`${code}: ${message}`),
      });
      const run = agent.submit("go");
      await until(() => requests.length === 1);
      requests[0].begin();
      requests[0].send(...ends(interrupt("a", "amount"), interrupt("b", "toString")).map((event) => ({ ...event, ...requests[0].ids })));
      requests[0].cut();
      await run;
      return { agent, requests, warnings };
    }
    const amounts = { zod: z.object({ amount: z.number() }), valibot: v.object({ amount: v.number() }), arktype: type({ amount: "number" }) };
    /** The forms that `resume` takes. */
    const forms = {
      "by id": (payload) => ({ a: { payload }, b: { payload: "any" } }),
      "as a list": (payload) => [{ interruptId: "a", payload }, { interruptId: "b", payload: "any" }],
    };
    for (const [name, schema] of Object.entries(amounts)) {
      for (const [form, answers] of Object.entries(forms)) {
        it(`${name}, ${form}: one that does not fit is warned of and sent, or refused`, async () => {
          const kept = await asked({ interrupts: { amount: schema } });
          void kept.agent.resume(answers({ amount: "much" }));
          await until(() => kept.requests.length === 2);
          assert.deepEqual(kept.requests[1].resume.map(({ payload }) => payload), [{ amount: "much" }, "any"]);
          assert.equal(kept.warnings.length, 1);
          assert.match(kept.warnings[0], /^interrupt-invalid: The answer to the interrupt a does not fit the schema of amount: .*amount/);

          const dropped = await asked({ interrupts: { amount: schema }, invalid: "drop" });
          await assert.rejects(dropped.agent.resume(answers({ amount: "much" })), {
            kind: "unsupported",
            code: "interrupt-invalid",
            message: /schema of amount: .*amount/,
          });
          assert.deepEqual([dropped.requests.length, dropped.warnings], [1, []]);
          assert.deepEqual(
            dropped.agent.getSnapshot().interrupts.map(({ id, answered }) => [id, !!answered]),
            [["a", false], ["b", false]],
            "it can be answered again",
          );
          void dropped.agent.resume(answers({ amount: 5 }));
          await until(() => dropped.requests.length === 2);
          assert.deepEqual([dropped.requests[1].resume[0].payload, dropped.warnings], [{ amount: 5 }, []]);
        });
      }
    }

    it("one by one: the answer that does not fit is refused, the others wait", async () => {
      const { agent, requests } = await asked({ interrupts: { amount: amounts.zod }, invalid: "drop" });
      void agent.resume({ interruptId: "b", payload: 1 });
      await assert.rejects(agent.resume({ interruptId: "a", payload: 1 }), { code: "interrupt-invalid" });
      assert.equal(requests.length, 1);
      void agent.resume({ interruptId: "a", payload: { amount: 1 } });
      await until(() => requests.length === 2);
      assert.deepEqual(requests[1].resume.map(({ payload }) => payload).sort(), [1, { amount: 1 }]);
    });

    it("leaves a cancellation alone, sends what the page has given, and takes a schema that throws as one that says no", async () => {
      const broken = standard(() => {
        throw new Error("broken");
      });
      const cancelled = await asked({ interrupts: { amount: broken }, invalid: "drop" });
      void cancelled.agent.resume({ a: { status: "cancelled" }, b: {} });
      await until(() => cancelled.requests.length === 2);
      const thrown = await asked({ interrupts: { amount: broken }, invalid: "drop" });
      await assert.rejects(thrown.agent.resume({ a: { payload: 1 }, b: {} }), /it threw: broken/);
      const given = await asked({ interrupts: { amount: z.string().transform((text) => text.length) }, invalid: "drop" });
      void given.agent.resume({ a: { payload: "four" }, b: {} });
      await until(() => given.requests.length === 2);
      assert.equal(given.requests[1].resume[0].payload, "four");
    });

    it("checks the first answer after a reload, before the core is there", async () => {
      const { agent } = await asked({});
      const { requests, fetch } = serve();
      const next = createAgent({ url: "https://agent.test/", fetch, restore: agent.save(), schemas: { interrupts: { amount: amounts.zod }, invalid: "drop" } });
      await assert.rejects(next.resume({ a: { payload: 1 }, b: {} }), { code: "interrupt-invalid" });
      assert.equal(requests.length, 0);
      void next.resume({ a: { payload: { amount: 1 } }, b: {} });
      await until(() => requests.length === 1);
    });
  });
});
