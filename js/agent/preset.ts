// The options of an agent with those of its server under them.

import type { AgentOptions } from "../api/types.js";

/** The options with the preset's where the application sets nothing itself. */
export function withPreset<State>(own: AgentOptions<State>): AgentOptions<State> {
  // `checkOptions` refuses values that are no options.
  const server = own?.server;
  if (!server) return own;
  return { ...server, ...given(own), thread: { ...server.thread, ...given(own.thread ?? {}) } } as AgentOptions<State>;
}

/** The members that are set. */
const given = (options: object): object => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
