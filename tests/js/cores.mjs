// The core of the plays, which comes, traps and cannot be loaded as a play has it.

import { carried, load } from "./lib.mjs";

const { AgentError } = await load("api/error");
export const core = await carried();

/** The core of a page, which traps at a call, or cannot be loaded, where the kind says so. */
export const coreOf = (page, { losses }, origin) => async () => {
  const { outside } = origin;
  if (losses === "loads" && !origin.reachable && outside.pick(2)) {
    page.lost = true;
    outside.note(`${page.name} cannot load the core`);
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
        outside.note(`${page.name} traps at ${name} ${name === "call" ? args[0] : ""}`);
        throw new WebAssembly.RuntimeError("unreachable");
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
