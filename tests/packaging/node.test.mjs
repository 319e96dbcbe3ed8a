// The installed package in Node, with nothing configured.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ANSWER, startAgentServer } from "./agent-server.mjs";
import { install } from "./consumer.mjs";

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
/** @type {Awaited<ReturnType<typeof startAgentServer>>} */
let server;
before(async () => {
  [consumer, server] = await Promise.all([install(), startAgentServer()]);
});
after(async () => {
  consumer?.remove();
  await server?.close();
});

/** Prints how a run ended, and what the snapshot then held. @param {string} setup declares `agent` */
const scriptOfOneRun = (setup) => `
  ${setup}
  const { outcome, error } = await agent.submit("hi");
  if (error) console.error(error);
  const { messages, state, status } = agent.getSnapshot();
  console.log(JSON.stringify({ outcome, status, state, said: messages.map(({ role, content }) => [role, content]) }));
  agent.dispose();
`;

const expected = {
  outcome: "success",
  status: "idle",
  state: { steps: ["said it"] },
  said: [
    ["user", "hi"],
    ["assistant", ANSWER],
  ],
};

test("createAgent gives a snapshot at once, before there is any WebAssembly", async () => {
  const script = consumer.write(
    "sync.mjs",
    `
    delete globalThis.WebAssembly;
    const { createAgent, AgentError } = await import("ag-ui-wasm");
    const agent = createAgent({ url: "http://127.0.0.1:1/", threadId: "t", initialState: { a: 1 } });
    const { threadId, status, messages, state } = agent.getSnapshot();
    console.log(JSON.stringify({ threadId, status, messages, state, is: AgentError.is(new Error("x")) }));
  `,
  );
  const printed = JSON.parse(await consumer.node(script));
  assert.deepEqual(printed, { threadId: "t", status: "idle", messages: [], state: { a: 1 }, is: false });
});

test("a run goes from the socket to the final message", async () => {
  const setup = `
    import { createAgent } from "ag-ui-wasm";
    const agent = createAgent({ url: process.argv[2] });`;
  assert.deepEqual(JSON.parse(await consumer.node(consumer.write("run.mjs", scriptOfOneRun(setup)), server.url)), expected);
  const sent = server.requests.at(-1);
  assert.equal(typeof sent.threadId, "string");
  assert.deepEqual(sent.messages.map((/** @type {{ content: string }} */ { content }) => content), ["hi"]);
});

test("the process ends by itself once a run has ended", async () => {
  const script = consumer.write(
    "ends.mjs",
    `
    import { createAgent } from "ag-ui-wasm";
    const agent = createAgent({ url: process.argv[2] });
    agent.subscribe(() => {});
    const { outcome } = await agent.submit("hi");
    console.log(outcome);
  `,
  );
  assert.equal(await consumer.node(script, server.url), "success");
});

const sources = {
  "bytes from a file": `
    import { readFileSync } from "node:fs";
    const wasm = readFileSync(new URL(import.meta.resolve("ag-ui-wasm/core.wasm")));`,
  "a compiled module": `
    import { readFileSync } from "node:fs";
    const wasm = new WebAssembly.Module(readFileSync(new URL(import.meta.resolve("ag-ui-wasm/core.wasm"))));`,
  "an address": `
    import { createServer } from "node:http";
    import { readFileSync } from "node:fs";
    const files = createServer((_request, response) => {
      response.setHeader("content-type", "application/wasm");
      response.end(readFileSync(new URL(import.meta.resolve("ag-ui-wasm/core.wasm"))), () => files.close());
    });
    await new Promise((resolve) => files.listen(0, "127.0.0.1", resolve));
    files.unref();
    const wasm = new URL("http://127.0.0.1:" + files.address().port + "/core.wasm");`,
};
for (const [name, source] of Object.entries(sources)) {
  test(`slim takes the module as ${name}`, async () => {
    const setup = `
      import { createAgent } from "ag-ui-wasm/slim";
      ${source}
      const agent = createAgent({ url: process.argv[2], wasm });`;
    const script = consumer.write(`slim-${name.replaceAll(" ", "-")}.mjs`, scriptOfOneRun(setup));
    assert.deepEqual(JSON.parse(await consumer.node(script, server.url)), expected);
  });
}
