// The options of an agent with those of its server under them.

import type { AgentOptions } from "../api/types.js";

/** The options with the preset's where the application sets nothing itself. */
export function withPreset<State>(options: AgentOptions<State>): AgentOptions<State> {
  // `checkedOptions` refuses values that are no options.
  const server = options?.server;
  if (!server) return options;
  return { ...server, ...defined(options), thread: { ...server.thread, ...defined(options.thread ?? {}) } } as AgentOptions<State>;
}

/** The members that are set. */
const defined = (options: object): object => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
