// Agents over a core that does what the test says, with stores that remember what they were given.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, storeOf } from "../lib.mjs";

const { createAgentWith } = await load("agent/agent");

setFlagsFromString("--expose_gc");
export const gc = runInNewContext("gc");

export const core = async () => ({ CoreSession: Session });
export const never = () => new Promise(() => {});
export const user = (id, content) => ({ id, role: "user", content });
export const turn = () => new Promise(setImmediate);
export const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
export const waiting = (saved) => saved.queue.map(({ runId }) => runId);

export const queued = (runId) => ({ start: "submit", runId, messages: [user(`m-${runId}`, runId)], tools: [], context: [], forwardedProps: {}, pageTools: [] });
/** A save with all that may be lost. */
export const full = {
  ...{ v: 1, threadId: "t", messages: [user("a", "one")], state: { n: 1 }, unsent: ["x"], handled: ["call"], queue: [queued("q")] },
  interrupts: [{ id: "i", reason: "ask" }],
};

export const agents = [];
export const create = (options, source = core, make = createAgentWith) => {
  const agent = make(source, { url: "/agent", notify: "sync", threadId: "t", ...options });
  agents.push(agent);
  return agent;
};

/** A store that remembers all that it was given. */
export function memory(now, more = {}) {
  const store = {
    saves: [],
    now,
    load: () => store.now,
    save: (saved) => void store.saves.push(store.now = saved),
    clear: () => void (store.now = undefined),
    ...more,
  };
  return storeOf(store);
}

export const page = () => {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible", listening: 0 });
  for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
    const method = document[name].bind(document);
    document[name] = (...args) => ((document.listening += step), method(...args));
  }
  return document;
};
export const hide = () => {
  document.visibilityState = "hidden";
  document.dispatchEvent(new Event("visibilitychange"));
};

beforeEach(() => {
  Session.all = [];
  Session.refuse = Session.refuseSave = undefined;
  globalThis.document = page();
});
afterEach(() => {
  mock.timers.reset();
  for (const agent of agents.splice(0)) agent.dispose();
  delete globalThis.document;
});
