import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { addOns } from "../../tools/split.mjs";
import { follow } from "./fake-core.mjs";

const root = new URL("../../", import.meta.url);

/** The folder of the compiled package. */
export const folder = process.env.AG_UI_WASM_JS
  ? pathToFileURL(resolve(process.env.AG_UI_WASM_JS) + "/")
  : new URL("pkg/", root);

follow(await import(new URL("core/driver.js", folder)));

/** Whether the core in that folder is the real one. */
export const real = existsSync(new URL("core.wasm", folder));

/** The load of the WebAssembly module that the package carries, of that name, with all add-ons. */
export const carried = async (name = "core") => {
  const [{ inline }, { inflate }] = await Promise.all(["core/inline", "core/unpack"].map(load));
  return () => inline[name](inflate, {}, ...Object.keys(addOns));
};

/** A module of the package. */
export const load = async (name) => {
  const module = await import(new URL(`${name}.js`, folder));
  // The core of a test comes when the test says so, and not when this has come.
  await (await import(new URL("agent/core-source.js", folder))).loadLive();
  await (await import(new URL("persistence/open.js", folder))).loadSaves();
  if (!process.env.AG_UI_WASM_WORKER || name !== "index") return module;
  const { inWorker } = await import("./thread.mjs");
  return { ...module, createAgent: await inWorker() };
};

/** That object as a store: what a test sees there, and changes, is what the agent has. */
export const storeOf = (given) => {
  const { open, share } = createStore(given);
  return Object.assign(given, { open, share });
};
const { createStore } = await load("persistence/stores");

/** Waits until a condition holds. */
export async function until(condition, what = condition.toString()) {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline;) {
    if (condition()) return;
    await new Promise((done) => setImmediate(done));
  }
  throw new Error(`Never came true: ${what}`);
}

/** A promise to be settled from outside. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ((resolve = yes), (reject = no)));
  return { promise, resolve, reject };
}
