// A chat in the terminal: `npm start`, or `npm start -- https://your.agent/agent`.

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createAgent } from "ag-ui-wasm";
import { agent as scripted } from "./agent.js";

const url = process.argv[2] ?? (await serveScripted());
const agent = createAgent({ url });
const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "you: " });

let written = 0;
agent.subscribe(() => {
  const last = agent.getSnapshot().messages.at(-1);
  if (last?.role !== "assistant" || typeof last.content !== "string") return;
  process.stdout.write(last.content.slice(written));
  written = last.content.length;
});
// Control-C stops an answer; where none is written, it ends the program.
lines.on("SIGINT", () => (agent.getSnapshot().isLoading ? agent.stop() : lines.close()));

lines.prompt();
for await (const line of lines) {
  written = 0;
  process.stdout.write("agent: ");
  const { outcome, error } = await agent.submit(line);
  console.log(outcome === "success" ? "" : `[${error?.message ?? outcome}]`);
  lines.prompt();
}
process.exit();

/** The scripted agent on a port of its own. */
async function serveScripted() {
  const server = createServer(scripted);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}/`;
}
