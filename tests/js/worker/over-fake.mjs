// Agents in a worker, over a core that does what the test says. The worker's script runs in this thread, and what passes
// between it and the page is cloned.

import { afterEach, beforeEach, it } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createWorkerAgentWith } = await load("worker/agent");

export let workers;
export let agents;
beforeEach(async () => {
  Session.all = [];
  Session.refuse = Session.refuseSave = undefined;
  workers = await localWorkers(async () => ({ CoreSession: Session }));
  agents = [];
});
afterEach(() => {
  for (const agent of agents) agent.dispose();
});

export const inPage = async () => ({ CoreSession: Session });
export function create(options = {}, spawn = workers.spawn, load = inPage) {
  const agent = createWorkerAgentWith(load, spawn, undefined, { url: "http://host/agent", notify: "sync", ...options });
  agents.push(agent);
  return agent;
}
export const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
export const user = (id, content) => ({ id, role: "user", content });
/** The worker has done what it was told, and the page has heard. */
export const settled = async () => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
};
/** The snapshots that are published from now on, as `select` reduces them. */
export function published(agent, select = (snapshot) => snapshot) {
  const seen = [];
  agent.subscribe(() => seen.push(select(agent.getSnapshot())));
  return seen;
}
/** An agent whose first run is in progress, and its session in the worker. */
export async function running(options) {
  const agent = create(options);
  const first = agent.submit("1");
  await until(() => Session.last?.calls.length && agent.getSnapshot().runId);
  await settled();
  const session = Session.last;
  return { agent, first, session, called: (name) => session.calls.filter(([called]) => called === name).map(([, ...given]) => given) };
}
