// An agent over a core that does what the test says.

import { beforeEach } from "node:test";
import { Session } from "../fake-core.mjs";
import { deferred, load, until } from "../lib.mjs";

const { createAgentWith } = await load("agent/agent");

beforeEach(() => {
  Session.all = [];
  Session.refuse = undefined;
  Session.warns = false;
});

export const core = async () => ({ CoreSession: Session });
export const create = (options = {}, source = core) => createAgentWith(source, { url: "/agent", notify: "sync", ...options });
export const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);

/** An agent whose core comes when the test says so. */
export function waiting(options) {
  const loading = deferred();
  return { agent: create(options, () => loading.promise), arrive: () => loading.resolve({ CoreSession: Session }), break: loading.reject };
}

/** The session of the agent, once it is there. */
export async function opened(count = 1) {
  await until(() => Session.all.length >= count);
  return Session.last;
}
