// An example as its readers have it: its folder, the packed package in its node modules, and `npm start`.

import { spawn } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../../tools/paths.mjs";
import { install } from "../packaging/consumer.mjs";

const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/**
 * Copies an example into a folder whose parents have its other modules, and installs the package there.
 *
 * @param {string} name
 * @param {string} place  a folder below the modules that the example needs
 */
export async function copy(name, place) {
  const consumer = await install({}, place);
  const source = join(root, "examples", name);
  cpSync(source, consumer.folder, { recursive: true, filter: (path) => !/node_modules|\.next|\.svelte-kit|dist$/.test(path.slice(source.length)) });
  const read = (/** @type {string} */ file) => readFileSync(join(consumer.folder, file), "utf8");
  return { ...consumer, read };
}

/**
 * Runs a script of an example's package.json.
 *
 * @param {string} folder
 * @param {string[]} args  of npm
 * @param {NodeJS.ProcessEnv} [more]
 */
export function npmRun(folder, args, more) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1", FORCE_COLOR: undefined, PORT: "0", ...more };
  // A group of its own: npm starts a shell, and that the program.
  return spawn(npm, args, { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
}

/**
 * Starts an example, and waits until it says where it is.
 *
 * @param {string} folder
 * @param {string[]} [args]  of its start script
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function start(folder, args = [], env) {
  const server = npmRun(folder, ["start", "--", ...args], env);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const close = async () => {
    if (server.exitCode === null && server.pid) process.kill(-server.pid, "SIGTERM");
    await ended;
  };
  let printed = "";
  server.stderr.on("data", (text) => (printed += text));
  for await (const line of createInterface({ input: server.stdout })) {
    printed += `${line}\n`;
    const [, port] = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(line) ?? [];
    if (!port) continue;
    // Its later output is ignored, but has to be read.
    server.stdout.resume();
    return { url: `http://127.0.0.1:${port}`, close };
  }
  throw new Error(`npm start ended before it served anything:\n${printed}`);
}

/** Runs a script to its end. @param {string} folder @param {string[]} args @returns {Promise<void>} */
export function finish(folder, args) {
  const child = npmRun(folder, args);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  return new Promise((resolve, reject) =>
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`npm ${args.join(" ")} failed:\n${printed}`))))
  );
}
