// The installed package in hosts that are not Node and no browser: Bun, Deno, and workerd, which is what Cloudflare Workers are.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ANSWER, startAgentServer } from "./agent-server.mjs";
import { install, moduleFile } from "./consumer.mjs";

const execute = promisify(execFile);

/**
 * The program of a package that has one of its own for each platform, of which npm installs those that fit.
 *
 * @param {string} scope @param {string} name @param {string} path
 */
function program(scope, name, path) {
  const packages = existsSync(moduleFile(scope)) ? readdirSync(moduleFile(scope)) : [];
  const files = packages.filter((found) => found.startsWith(name)).flatMap((found) =>
    [path, `${path}.exe`].map((file) => moduleFile(join(scope, found, file)))
  );
  return files.find((file) => existsSync(file));
}
const bun = program("@oven", "bun-", "bin/bun");
const deno = program("@deno", "", "deno");
const workerd = program("@cloudflare", "workerd-", "bin/workerd");
const without = (/** @type {string | undefined} */ file) => (file ? {} : { skip: "it has no binary for this platform" });

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
/** @type {Awaited<ReturnType<typeof startAgentServer>>} */
let server;
before(async () => {
  [consumer, server] = await Promise.all([install({ react: "react", "react-dom": "react-dom" }), startAgentServer()]);
});
after(async () => {
  consumer?.remove();
  await server?.close();
});

/** One run with each module, as text. @param {string} url */
const script = (url) => `
  import { createAgent } from "ag-ui-wasm";
  for (const options of [{}, { rules: "strict" }]) {
    const agent = createAgent({ url: ${JSON.stringify(url)}, ...options });
    const { outcome, error } = await agent.submit("hi");
    console.log(JSON.stringify([outcome, error?.message, agent.getSnapshot().messages.at(-1).content]));
    agent.dispose();
  }
`;
const printed = `["success",null,${JSON.stringify(ANSWER)}]`;

test("Bun", without(bun), async () => {
  const file = consumer.write("bun.mjs", script(server.url));
  const { stdout } = await execute(bun ?? "", ["run", file], { cwd: consumer.folder });
  assert.deepEqual(stdout.trim().split("\n"), [printed, printed]);
});

test("Deno, with no right but to the network", without(deno), async () => {
  const file = consumer.write("deno.mjs", script(server.url));
  const { stdout } = await execute(deno ?? "", ["run", "--no-prompt", "--allow-net", file], { cwd: consumer.folder });
  assert.deepEqual(stdout.trim().split("\n"), [printed, printed]);
});

/** Serves a worker, and gives what it answers. @param {string} text @param {string} name @returns {Promise<string>} */
async function ask(text, name) {
  const entry = consumer.write(`${name}.mjs`, text);
  const outfile = join(consumer.folder, `${name}-bundle.mjs`);
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", external: ["*.wasm"], conditions: ["workerd"], logLevel: "error" });
  copyFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/core.wasm"), join(consumer.folder, "core.wasm"));
  const config = consumer.write(
    `${name}.capnp`,
    `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private", "public"]))],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
    );
    const main :Workerd.Worker = (
      modules = [(name = "main", esModule = embed "${name}-bundle.mjs"), (name = "ag-ui-wasm/core.wasm", wasm = embed "core.wasm")],
      compatibilityDate = "2026-10-01",
    );
  `,
  );
  const host = spawn(workerd ?? "", ["serve", config, "--control-fd=3"], { cwd: consumer.folder, stdio: ["ignore", "inherit", "inherit", "pipe"] });
  try {
    /** @type {number} */
    const port = await new Promise((resolve, reject) => {
      let said = "";
      host.stdio[3]?.on("data", (data) => {
        said += data;
        const port = /"port":\s*(\d+)/.exec(said)?.[1];
        if (port) resolve(Number(port));
      });
      host.on("error", reject);
      host.on("exit", () => reject(new Error(`workerd has ended: ${said}`)));
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    return await response.text();
  } finally {
    host.kill();
  }
}

/** A worker that runs an agent once. @param {string} imports @param {string} options */
const worker = (imports, options) => `
  ${imports}
  export default {
    async fetch() {
      const agent = createAgent({ url: ${JSON.stringify(server.url)}, ${options} });
      const { outcome, error } = await agent.submit("hi");
      const { messages } = agent.getSnapshot();
      agent.dispose();
      return Response.json({ outcome, error, said: messages.map(({ content }) => content) });
    },
  };
`;

test("workerd, with slim and the module as a file", without(workerd), async () => {
  const imports = `import { createAgent } from "ag-ui-wasm/slim"; import wasm from "ag-ui-wasm/core.wasm";`;
  assert.deepEqual(JSON.parse(await ask(worker(imports, "wasm"), "slim")), { outcome: "success", said: ["hi", ANSWER] });
});

test("workerd, with the module inline, which it may not compile: the error says what to do", without(workerd), async () => {
  const { outcome, error, said } = JSON.parse(await ask(worker(`import { createAgent } from "ag-ui-wasm";`, ""), "inline"));
  assert.deepEqual([outcome, error.kind, error.code, error.retryable, said], ["error", "blocked", "load", false, ["hi"]]);
  assert.match(error.message, /Cloudflare Worker ag-ui-wasm\/slim/);
});

test("workerd renders React without the module", without(workerd), async () => {
  const rendering = `
    import { createElement } from "react";
    import { renderToString } from "react-dom/server.edge";
    import { useAgent } from "ag-ui-wasm/react";
    const Chat = () => {
      const { messages, status } = useAgent({ url: "/agent", threadId: "t", initialMessages: [{ id: "1", role: "user", content: "hi" }] });
      return createElement("p", null, status + " " + messages[0].content);
    };
    export default { fetch: () => new Response(renderToString(createElement(Chat))) };
  `;
  assert.equal(await ask(rendering, "render"), "<p>idle hi</p>");
});
