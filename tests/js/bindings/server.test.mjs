import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { folder } from "../lib.mjs";

// A server that has none of what a page has. What is touched throws, and what is left running keeps the process alive.
const script = `
  const forbidden = ["WebAssembly", "DecompressionStream", "fetch", "setTimeout", "setInterval", "performance"];
  const { createElement } = await import("react");
  const { renderToString } = await import("react-dom/server");
  for (const name of forbidden) {
    Object.defineProperty(globalThis, name, { get: () => { throw new Error(name + " was touched"); } });
  }
  const load = (name) => import(new URL(name + ".js", ${JSON.stringify(folder.href)}));
  const [index, slim, react, svelte, worker] = await Promise.all(["index", "slim", "react", "svelte", "worker"].map(load));
  const options = { url: "/agent", initialMessages: [{ id: "1", role: "user", content: "hi" }], initialState: { n: 1 } };
  for (const agent of [index.createAgent(options), worker.createAgent(options), slim.createAgent({ ...options, wasm: "/core.wasm" }), svelte.useAgent(options).agent]) {
    agent.subscribe(() => {})();
    agent.setState({ n: 2 });
    console.log(agent.getSnapshot().state.n, agent.getServerSnapshot().messages.length);
  }
  console.log(renderToString(createElement(() => react.useAgent(options).messages[0].content)));
`;

it("a server imports, creates, reads and renders, and touches nothing", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  assert.equal(stdout, "2 1\n2 1\n2 1\n2 1\nhi\n");
});
