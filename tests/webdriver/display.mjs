// A virtual display for browsers that have no headless mode.

import { spawn } from "node:child_process";
import { killGroupAtExit } from "./processes.mjs";

/** @type {Promise<{ display: string, close(): void }> | undefined} */
let shared;

/**
 * The display to use: the one that is there, else an Xvfb that is started once and shared by all
 * who ask in this process. It ends with the process.
 *
 * @returns {Promise<{ DISPLAY: string }>} variables for the environment of the browser
 */
export async function displayEnvironment() {
  if (process.env.DISPLAY) return { DISPLAY: process.env.DISPLAY };
  shared ??= startXvfb();
  return { DISPLAY: (await shared).display };
}

/** Ends the shared display, if one was started. */
export async function closeDisplay() {
  const display = await shared?.catch(() => undefined);
  shared = undefined;
  display?.close();
}

async function startXvfb() {
  // With -displayfd the server picks a free number and writes it once it listens.
  const child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "2000x1600x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached: true,
  });
  const close = killGroupAtExit(child);
  const number = await new Promise((resolve, reject) => {
    let text = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`Xvfb ended with code ${code}`)));
    /** @type {import("node:stream").Readable} */ (child.stdio[3]).on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text.trim());
    });
  });
  child.unref();
  /** @type {import("node:net").Socket} */ (/** @type {unknown} */ (child.stdio[3])).unref();
  return { display: `:${number}`, close };
}
