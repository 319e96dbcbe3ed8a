// The program of the installed package, as `npx` runs it in a folder that has the package alone.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { at } from "../../tools/paths.mjs";
import { startAgentServer } from "./agent-server.mjs";
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

/** @param {string[]} args @returns {Promise<{ status: number, out: string, err: string }>} */
const npx = (...args) =>
  new Promise((resolve) => {
    const shell = process.platform === "win32";
    execFile("npx", ["--offline", "ag-ui-wasm", ...args], { cwd: consumer.folder, shell }, (error, out, err) =>
      resolve({ status: error ? Number(error.code) : 0, out, err }));
  });

test("npx ag-ui-wasm check judges a server, and records it", async () => {
  const { status, out } = await npx("check", `${server.url}/`, "--json", "--record", "run.jsonl");
  assert.deepEqual([status, JSON.parse(out).violations], [0, []]);
  assert.equal(JSON.parse(out).official.by, "core");
  const recording = readFileSync(join(consumer.folder, "run.jsonl"), "utf8");
  const script = consumer.write(
    "play.mjs",
    `
    import { readFileSync } from "node:fs";
    import { createAgent } from "ag-ui-wasm";
    import { scriptedAgent } from "ag-ui-wasm/testing";
    const server = scriptedAgent();
    server.play(readFileSync("run.jsonl", "utf8"));
    const agent = createAgent({ url: "/agent", fetch: server.fetch });
    const run = agent.submit("hi");
    await server.request();
    await server.tick(60_000);
    console.log((await run).outcome, agent.getSnapshot().messages.at(-1).content);
  `,
  );
  assert.equal(await consumer.node(script), "success Hello from a real socket 👋");
  assert.ok(recording.includes('{"type":"RUN_STARTED"'));
});

test("npx ag-ui-wasm prints its version and refuses what it does not know", async () => {
  const { version } = JSON.parse(readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/package.json"), "utf8"));
  const printed = await npx("--version");
  assert.deepEqual([printed.status, printed.out], [0, `${version}\n`]);
  const { status, err } = await npx("judge");
  assert.equal(status, 2);
  assert.match(err, /unknown command "judge"/);
});

test("npx ag-ui-wasm new copies an example into a new folder, and leaves others alone", async () => {
  const listed = await npx("new");
  assert.deepEqual([listed.status, listed.out.trim().split("\n")], [0, readdirSync(at("examples")).filter((name) => name !== "README.md").sort()]);
  const made = await npx("new", "vite-react", "my-chat");
  assert.match(made.out, /cd my-chat\n {2}npm install\n {2}npm start\n/);
  for (const name of ["package.json", "index.html", "vite.config.js"]) {
    assert.equal(readFileSync(join(consumer.folder, "my-chat", name), "utf8"), readFileSync(at("examples/vite-react", name), "utf8"));
  }
  for (const [args, complaint] of /** @type {const} */ ([
    [["vite-react", "my-chat"], /my-chat is not empty: expected a new or an empty folder/],
    [["../skills", "other"], /unknown example "\.\.\/skills": expected angular, /],
    [["vite-react"], /new expects an EXAMPLE and a FOLDER/],
  ])) {
    const { status, err } = await npx("new", ...args);
    assert.equal(status, 2);
    assert.match(err, complaint);
  }
  assert.ok(!existsSync(join(consumer.folder, "other")));
});

test("what the skill for coding agents names is in the package", () => {
  const folder = join(consumer.folder, "node_modules/ag-ui-wasm");
  const skill = readFileSync(join(folder, "skills/ag-ui-wasm/SKILL.md"), "utf8");
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const pages = [...skill.matchAll(/docs\/[\w./-]+\.md/g)].map(([page]) => page);
  assert.ok(pages.length > 15);
  assert.deepEqual(pages.filter((page) => !existsSync(join(folder, page))), []);
  const entries = [...skill.matchAll(/from "ag-ui-wasm(\/[\w-]+)?"/g)].map(([, entry]) => `.${entry ?? ""}`);
  assert.deepEqual(entries.filter((entry) => !(entry in exports)), []);
});
