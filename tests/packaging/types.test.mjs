// The types, as TypeScript finds them from an application.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { install, moduleFile, root } from "./consumer.mjs";

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
before(async () => {
  consumer = await install({ react: "react", svelte: "svelte", "@types/react": "@types/react", csstype: "csstype" });
});
after(() => consumer?.remove());

const source = `
import { AgentError, createAgent, localStorageStore, tool, type Agent, type AgentSnapshot, type Message, type RunResult } from "ag-ui-wasm";
import { createAgent as createSlimAgent } from "ag-ui-wasm/slim";
import { AgentProvider, useAgent, useAgentSelector } from "ag-ui-wasm/react";
import { setAgent, useAgent as useSvelteAgent } from "ag-ui-wasm/svelte";
import { fakeAgent, scriptedAgent, text, type FakeAgent } from "ag-ui-wasm/testing";

interface Plan { steps: string[] }

const agent: Agent<Plan> = createAgent<Plan>({
  url: new URL("https://example.com/agent"),
  headers: async () => ({ authorization: "Bearer token" }),
  initialState: { steps: [] },
  notify: { throttleMs: 50 },
  onError: (error) => console.log(error.kind, error.retryable),
  tools: [tool({ name: "add", description: "d", execute: ({ a, b }: { a: number; b: number }) => a + b })],
  persist: localStorageStore("plan"),
});
const fake: FakeAgent<Plan> = fakeAgent<Plan>({ state: { steps: [] } });
const server = scriptedAgent();
server.reply(text("a", 100, "b"));
createAgent({ url: "/agent", fetch: server.fetch });
setAgent(fake);
const slim = createSlimAgent({ url: "/agent", wasm: new URL("https://example.com/core.wasm") });

export async function run(signal: AbortSignal): Promise<RunResult> {
  const snapshot: AgentSnapshot<Plan> = agent.getSnapshot();
  const messages: readonly Message[] = snapshot.messages;
  const steps: string[] = snapshot.state.steps;
  const off = agent.on("custom", (event) => (event.type === "custom" ? event.name : event.data));
  off();
  const result = await agent.submit({ message: "hi", signal, ifBusy: "replace" });
  if (AgentError.is(result.error)) throw result.error;
  if (result.outcome === "truncated") return agent.retry();
  console.log(messages.length, steps.length, slim.getSnapshot().status);
  return result;
}

export function Chat(): number {
  const chat = useAgent<Plan>({ url: "/agent" });
  const last: Message | undefined = useAgentSelector(chat.agent, ({ messages }) => messages[0]);
  return last ? chat.state.steps.length : useSvelteAgent<Plan>(agent).messages.length;
}

export const provided = AgentProvider<Plan>({ agent: fake });

// @ts-expect-error: the address is required
createAgent({});
// @ts-expect-error: slim has to be told where its module is
createSlimAgent({ url: "/agent" });
// @ts-expect-error: a snapshot is read-only
agent.getSnapshot().messages = [];
// @ts-expect-error: no such policy
void agent.submit({ message: "hi", ifBusy: "sometimes" });
`;

for (const [moduleResolution, module] of /** @type {const} */ ([["bundler", "ES2022"], ["nodenext", "NodeNext"]])) {
  test(`an application compiles with moduleResolution ${moduleResolution}`, async () => {
    const folder = `types-${moduleResolution}`;
    consumer.write(`${folder}/app.ts`, source);
    const project = consumer.write(
      `${folder}/tsconfig.json`,
      JSON.stringify({
        compilerOptions: {
          target: "ES2022",
          lib: ["ES2022", "DOM", "DOM.Iterable"],
          module,
          moduleResolution,
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          noEmit: true,
          types: [],
          // The package's own declarations are checked too.
          skipLibCheck: false,
        },
        files: ["app.ts"],
      }),
    );
    assert.equal(await tsc(project), "");
  });
}

test("the glue is what the sources were compiled against", async () => {
  consumer.write(
    "glue/check.ts",
    `
    import type * as made from ${JSON.stringify(join(root, "pkg/glue/core.js"))};
    import type * as declared from ${JSON.stringify(join(root, "js/glue/core.js"))};
    export const glue = (given: typeof made): typeof declared => given;
  `,
  );
  const project = consumer.write(
    "glue/tsconfig.json",
    JSON.stringify({
      compilerOptions: {
        target: "ES2022",
        lib: ["ES2022", "DOM", "DOM.Iterable", "ESNext.Disposable"],
        module: "ES2022",
        moduleResolution: "bundler",
        strict: true,
        noEmit: true,
        types: [],
      },
      files: ["check.ts"],
    }),
  );
  assert.equal(await tsc(project), "");
});

/** @param {string} project @returns {Promise<string>} what the compiler complains about */
function tsc(project) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [moduleFile("typescript/bin/tsc"), "--pretty", "false", "-p", project],
      (error, stdout, stderr) => resolve((stdout + stderr).trim() || (error ? error.message : "")),
    );
  });
}
