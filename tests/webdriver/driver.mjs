// The process between us and the browser: started on a port of its own, asked over HTTP.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { displayEnvironment } from "./display.mjs";
import { engines } from "./engines.mjs";
import { killGroupAtExit } from "./processes.mjs";

/**
 * @param {import("./engines.mjs").EngineName} name
 * @param {string} program
 * @param {Required<import("./engines.mjs").SessionOptions>} settings
 * @returns {Promise<{ base: string, output: () => string, end: () => void }>}  its address; the end of what it and the
 *   browser wrote; and what ends both
 */
export async function startDriver(name, program, settings) {
  const { driverPorts, needsDisplay, environment } = engines[name];
  const scratch = mkdtempSync(join(tmpdir(), "webdriver-"));
  // All at once, so that they differ.
  const ports = await Promise.all(driverPorts.map(freePort));
  const child = spawn(program, driverPorts.map((option, i) => `${option}=${ports[i]}`), {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: {
      ...process.env,
      TMPDIR: scratch, // so that profiles go with the session, also after a crash
      ...(needsDisplay ? await displayEnvironment() : {}),
      ...environment?.(settings, scratch),
    },
  });
  const output = collect(child);
  const end = killGroupAtExit(child, () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
  const base = `http://127.0.0.1:${ports[0]}`;
  try {
    await driverReady(base, child, output);
    return { base, output, end };
  } catch (error) {
    end();
    throw error;
  }
}

/** An error that the driver answered with; `code` is the protocol's name for it. */
class WebDriverError extends Error {
  name = "WebDriverError";
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * One command of the protocol.
 *
 * @param {string} base
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function send(base, method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(90_000),
  });
  const { value } = await response.json();
  if (!response.ok) {
    throw new WebDriverError(value?.error ?? String(response.status), `${method} ${path}: ${value?.error}: ${value?.message}`);
  }
  return value;
}

/**
 * @param {string} base
 * @param {import("node:child_process").ChildProcess} child
 * @param {() => string} output
 */
async function driverReady(base, child, output) {
  const end = Date.now() + 30_000;
  /** @type {Error | undefined} */
  let failed;
  child.once("error", (error) => (failed = error));
  child.once("exit", (code) => (failed ??= new Error(`the driver ended with code ${code}`)));
  for (;;) {
    if (failed) throw failed;
    try {
      await send(base, "GET", "/status");
      return;
    } catch (error) {
      if (Date.now() > end) throw new Error(`the driver does not answer: ${output()}`, { cause: error });
      await delay(50);
    }
  }
}

/**
 * The end of what driver and browser wrote, for error messages.
 *
 * @param {import("node:child_process").ChildProcess} child
 */
function collect(child) {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk) => (text = (text + chunk).slice(-4000)));
  }
  return () => text;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
