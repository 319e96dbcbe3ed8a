// Which agents of a process share a thread: the rules for guards and users as a pure machine.

import { dice } from "./model.mjs";

/** Agents of a process, each of a user and with a guard, and the threads that they share. Says what is wrong with what one is shown. */
export function playSharing(seed, bug) {
  const { below, chance } = dice(seed);
  // A document or a worker is one user's; a server renders the pages of all.
  const server = chance(0.5);
  const threads = new Map();
  const waiting = [];
  const open = (agent, key) => {
    const thread = { users: new Set([agent]), guard: agent.guard, user: agent.user };
    threads.set(key, thread);
    agent.thread = thread;
  };
  const join = (agent) => {
    const key = server && bug !== "10" ? agent.store : agent.key;
    const thread = threads.get(key);
    if (!thread) return open(agent, key);
    if (thread.guard !== agent.guard && bug !== "9") return void waiting.push([agent, key]);
    thread.users.add(agent);
    agent.thread = thread;
  };
  const leave = (agent) => {
    agent.thread?.users.delete(agent);
    for (const [key, thread] of threads) if (!thread.users.size) threads.delete(key);
    // It opens the save with its own guard.
    for (const [next] of waiting.splice(0)) if (!next.gone) join(next);
    agent.gone = true;
  };
  const agents = [];
  for (let i = 0; i < 12; i++) {
    if (chance(0.6) || !agents.length) {
      const user = server ? below(2) : 0;
      const agent = { user, store: { user }, key: `k${below(2)}`, guard: below(2) };
      agents.push(agent);
      join(agent);
    } else leave(agents.splice(below(agents.length), 1)[0]);
    for (const { thread, user, guard } of agents) {
      if (thread && thread.user !== user) return "a page shows the thread of another user";
      if (thread && thread.guard !== guard) return "an agent shows what another guard let pass";
    }
  }
  // Whoever waits comes in, once those before have gone.
  for (const agent of agents.splice(0)) leave(agent);
  return waiting.length || threads.size ? "an agent waits for ever" : undefined;
}
