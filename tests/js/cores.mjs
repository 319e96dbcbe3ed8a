// The core of the plays, which comes, traps and cannot be loaded as a play has it.

import { carried, load } from "./lib.mjs";

const { AgentError } = await load("api/error");
export const core = await carried();

/** The core of a page, or of its worker, which traps at a call, or cannot be loaded, where the kind says so. */
export const coreOf = (page, { losses }, origin, inWorker = false) => async () => {
  const { outside } = origin;
  const who = inWorker ? `the worker of ${page.name}` : page.name;
  if (losses === "loads" && !origin.reachable && outside.pick(2)) {
    // Where the worker is refused it, the page loads it itself.
    page.lost ||= !inWorker;
    outside.note(`${who} cannot load the core`);
    throw new AgentError({ kind: "internal", code: "load", message: "no network", retryable: true });
  }
  const loaded = await core();
  if (losses !== "traps") return loaded;
  const at = (session, name) => {
    const value = session[name];
    if (typeof value !== "function") return value;
    return (...args) => {
      if (name !== "free" && page.calls-- === 0) {
        page.lost = true;
        outside.note(`${who} traps at ${name} ${name === "call" ? args[0] : ""}`);
        throw Object.assign(new WebAssembly.RuntimeError("unreachable"), inWorker && { worker: page.worker });
      }
      return value.apply(session, args);
    };
  };
  return {
    CoreSession: function CoreSession (...args) {
      return new Proxy(new loaded.CoreSession(...args), { get: at });
    },
  };
};

/** The traps that no code of a worker catches: such a worker ends, as a thread does. `end` gives `queueMicrotask` back. */
export function uncaughtTraps() {
  const { queueMicrotask } = globalThis;
  const errors = [];
  globalThis.queueMicrotask = (action) =>
    queueMicrotask(() => {
      try {
        action();
      } catch (error) {
        if (!error.worker) throw error;
        errors.push(error.message);
        error.worker.crash(error.message);
      }
    });
  return { errors, end: () => Object.assign(globalThis, { queueMicrotask }) };
}
