// Runs programs quietly: what they write goes to a log file, and its end is shown when they fail.

import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { logs, root } from "./paths.mjs";

/** A failure whose message is all that a person needs: no stack is printed. */
export class Failure extends Error {
  name = "Failure";
}

/**
 * @typedef {object} RunOptions
 * @property {string} log  name of the log file, without extension
 * @property {string} [cwd]
 * @property {Record<string, string | undefined>} [env]  added to the environment; undefined takes a variable away
 * @property {number} [tail]  how many last lines to show when it fails; 40 by default
 * @property {number} [timeout]  in milliseconds; none by default
 */

/** The progress of cargo. It would fill the few lines that are shown. */
const cargoProgress = /^ +(?:Blocking|Checking|Compiling|Downloaded|Downloading|Locking|Updating) /;

/**
 * Runs a program to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<{ ok: boolean, output: string, tail: string }>} never rejects for a failing program
 */
export async function attempt(command, args, { log, cwd = root, env = {}, tail = 40, timeout }) {
  mkdirSync(logs, { recursive: true });
  const file = join(logs, `${log}.log`);
  writeFileSync(file, `$ ${[command, ...args].join(" ")}\n`);

  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", CARGO_TERM_COLOR: "never", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      appendFileSync(file, chunk);
    });
  }
  const failure = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(signal ? `ended by ${signal}` : code === 0 ? undefined : `exit code ${code}`));
  });
  const lines = output.trimEnd().split("\n").filter((line) => !cargoProgress.test(line));
  const last = lines.slice(-tail).join("\n");
  return { ok: failure === undefined, output, tail: failure ? `${last}\n[${failure}; all of it in ${relative(root, file)}]` : last };
}

/**
 * Runs a program that has to succeed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<string>} what it wrote
 */
export async function run(command, args, options) {
  const { ok, output, tail } = await attempt(command, args, options);
  if (!ok) throw new Failure(`${tail}\n\n${[command, ...args].join(" ")} failed.`);
  return output;
}

/**
 * The output of a program, or undefined when it is not there or fails.
 *
 * @param {string} command
 * @param {...string} args
 */
export function probe(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Says what is being done, does it, says how long it took.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function step(title, action) {
  const start = Date.now();
  /** A step that runs beside another one may find the line taken. */
  const write = (/** @type {string} */ end) => {
    if (said !== title) process.stdout.write(`${said && "\n"}${title} …`);
    said = end ? "" : title;
    process.stdout.write(end);
  };
  write("");
  try {
    const result = await action();
    write(` ${seconds(start)}\n`);
    return result;
  } catch (error) {
    write(` failed after ${seconds(start)}\n`);
    throw error;
  }
}

/** The step on whose line is written. */
let said = "";

/** Work that is being done, by its name. @type {Map<string, Promise<unknown>>} */
const underWay = new Map();

/**
 * Does the work, unless the same is being done: then waits for that.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export function together(name, work) {
  const running = underWay.get(name) ?? work().finally(() => underWay.delete(name));
  underWay.set(name, running);
  return /** @type {Promise<T>} */ (running);
}

/** @param {number} start */
export const seconds = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`;

/**
 * Runs a command's main function; a Failure ends the process with its message alone.
 *
 * @param {() => Promise<void>} body
 */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

/** @param {string} url an `import.meta.url` */
export const isMain = (url) => process.argv[1] === fileURLToPath(url);
