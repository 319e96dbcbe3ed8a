// A run's input is what the application has when the request of the run leaves, over the real core.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, until } from "../lib.mjs";

const { createAgent } = await load("index");

const sse = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const started = ({ threadId, runId }) => ({ type: "RUN_STARTED", threadId, runId });
const finished = ({ threadId, runId }) => ({ type: "RUN_FINISHED", threadId, runId });
const call = (name) => [
  { type: "TOOL_CALL_START", toolCallId: `call-${name}`, toolCallName: name },
  { type: "TOOL_CALL_END", toolCallId: `call-${name}` },
];

/** An agent over a server that calls a tool once, and what the server was sent. */
function talking(name, options) {
  const bodies = [];
  const fetch = async (_, { body }) => {
    const input = JSON.parse(body);
    bodies.push(input);
    const calls = bodies.length === 1 && name ? call(name) : [];
    return new Response(sse([started(input), ...calls, finished(input)]), { headers: { "content-type": "text/event-stream" } });
  };
  const agent = createAgent({ url: "https://agent.test/", fetch, ...options });
  return { agent, bodies, fetch };
}

const page = (value) => [{ description: "page", value }];

for (const way of ["functions", "setOptions"]) {
  for (const name of ["now", "pay", undefined]) {
    test(`${way}: ${name ? `the run that follows on ${name}` : "a submit that waited"} has what the page is then`, async () => {
      let at = "one";
      const change = () => {
        at = "two";
        if (way === "setOptions") agent.setOptions(options());
      };
      const tools = () => [
        { name: "now", description: at, execute: () => (change(), "noon") },
        { name: "pay", description: at, needsApproval: true, execute: () => "paid" },
      ];
      const asked = { tools, context: () => page(at), forwardedProps: () => ({ at }) };
      const options = () => ({
        url: "https://agent.test/",
        fetch,
        ...(way === "functions" ? asked : { tools: tools(), context: page(at), forwardedProps: { at } }),
      });
      const { agent, bodies, fetch } = talking(name);
      agent.setOptions(options());
      if (name === "pay") {
        await agent.submit("go");
        change();
        agent.approve("call-pay");
      } else if (name) {
        await agent.submit("go");
      } else {
        agent.on("finish", change);
        agent.submit("go");
        agent.submit("and?");
      }
      await until(() => bodies.length === 2 && !agent.getSnapshot().isLoading);
      assert.deepEqual(bodies.map(({ context: [{ value }] }) => value), ["one", "two"]);
      assert.deepEqual(bodies.map(({ forwardedProps }) => forwardedProps.at), ["one", "two"]);
      assert.deepEqual(bodies.map(({ tools: [{ description }] }) => description), ["one", "two"]);
      agent.dispose();
    });
  }
}

test("what a submit gave itself stays its own, also in the run that follows", async () => {
  const { agent, bodies, fetch } = talking("now");
  const options = (at) => ({ url: "https://agent.test/", fetch, context: page(at), forwardedProps: { at }, tools: [] });
  agent.setOptions(options("one"));
  const now = { name: "now", description: "own", execute: () => (agent.setOptions(options("two")), "noon") };
  await agent.submit({ message: "go", context: page("own"), tools: [now] });
  assert.deepEqual(bodies.map(({ context: [{ value }] }) => value), ["own", "own"]);
  assert.deepEqual(bodies.map(({ tools: [{ name }] }) => name), ["now", "now"]);
  assert.deepEqual(bodies.map(({ forwardedProps }) => forwardedProps.at), ["one", "two"]);
  agent.dispose();
});
