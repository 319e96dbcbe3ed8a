// Real servers: installed, each in an environment of its own, and started with the model that is scripted.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fingerprint, whenChanged } from "../../tools/fingerprint.mjs";
import { at, toolsFolder } from "../../tools/paths.mjs";
import { Failure, run, step } from "../../tools/run.mjs";
import { ensurePython } from "../../tools/setup.mjs";
import { uvVersion } from "../../tools/versions.mjs";
import { blocksOf } from "./stage.mjs";

/** @typedef {import("./servers.mjs").Server} Server */

const folderOf = (/** @type {string} */ name) => join(toolsFolder, "servers", name);

/** Installs a server as its requirements pin it, and answers with what runs it. @param {Server} server */
export async function install({ name, node }) {
  if (node) return installNode();
  const folder = folderOf(name);
  const requirements = at(`tests/servers/requirements/${name}.txt`);
  const python = join(folder, "bin/python");
  await whenChanged(
    `server-${name}`,
    { inputs: fingerprint([requirements]), outputs: [join(folder, "pyvenv.cfg")] },
    () =>
      step(`Installing the server ${name}`, async () => {
        const uv = await ensureUv();
        const log = `setup-server-${name}`;
        await run(uv, ["venv", "--clear", "--quiet", folder], { log });
        await run(uv, ["pip", "install", "--quiet", "--python", python, "-r", requirements], { log });
      }),
  );
  return python;
}

/** Servers in Node share their packages. */
async function installNode() {
  const folder = folderOf("node");
  const inputs = fingerprint([at("tests/servers/node")]);
  await whenChanged(
    "server-node",
    { inputs, outputs: [join(folder, "node_modules/.package-lock.json")] },
    () =>
      step("Installing the servers in Node", async () => {
        cpSync(at("tests/servers/node"), folder, { recursive: true });
        await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder], { log: "setup-server-node" });
      }),
  );
  return process.execPath;
}

/** uv installs in seconds what takes pip minutes. */
async function ensureUv() {
  const folder = join(toolsFolder, "uv");
  const uv = join(folder, "bin/uv");
  const python = await ensurePython();
  await whenChanged(
    "uv",
    { inputs: uvVersion, outputs: [uv] },
    () => run(python, ["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", folder, `uv==${uvVersion}`], { log: "setup-uv" }),
  );
  return uv;
}

/** Starts the server of a document. @param {Server} server @param {string} modelUrl @returns {Promise<{ base: string, close(): void }>} */
export async function start({ name, node }, modelUrl) {
  const program = await install(/** @type {Server} */ ({ name, node }));
  const code = node ? folderOf("node") : join(folderOf(name), "app");
  mkdirSync(code, { recursive: true });
  // Its threads are of this run.
  rmSync(join(code, "threads.db"), { force: true });
  writeFileSync(join(code, node ? `${name}.mjs` : "server.py"), blocksOf(name).server);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const args = node ? [`${name}.mjs`] : ["-m", "uvicorn", "server:app", "--port", String(port), "--log-level", "warning"];
  const child = spawn(program, args, { cwd: code, env: { ...process.env, ...environment(modelUrl), PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (log = (log + part).slice(-4000)));
  const close = () => void child.kill("SIGKILL");
  for (const deadline = Date.now() + 240_000;; await sleep(100)) {
    if (child.exitCode !== null) throw new Failure(`The server ${name} has ended:\n${log}`);
    if (await fetch(base).then(() => true, () => false)) break;
    if (Date.now() > deadline) {
      close();
      throw new Failure(`The server ${name} does not answer:\n${log}`);
    }
  }
  return { base, close };
}

/** The model in place of OpenAI's, and no requests to anybody else. @param {string} url */
const environment = (url) => ({
  OPENAI_API_KEY: "none",
  OPENAI_BASE_URL: url,
  OPENAI_API_BASE: url,
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  AGNO_TELEMETRY: "false",
  CREWAI_DISABLE_TELEMETRY: "true",
  CREWAI_TRACING_ENABLED: "false",
  COPILOTKIT_TELEMETRY_DISABLED: "true",
  MASTRA_TELEMETRY_DISABLED: "1",
  OTEL_SDK_DISABLED: "true",
  DO_NOT_TRACK: "1",
});

/** @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
