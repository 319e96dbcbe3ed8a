import type { Preset } from "../api/server.js";

/**
 * Agno's AgentOS with a database: it takes the last message of a request.
 *
 * @example
 * const agent = createAgent({ url: "/agui", threadId, server: agno() });
 */
export function agno(): Preset {
  return {
    name: "Agno",
    thread: { send: "turn", edits: "none" },
  };
}
