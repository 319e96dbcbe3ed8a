import type { Preset } from "../api/server.js";

/**
 * Microsoft's Agent Framework (`agent-framework-ag-ui`) with a `snapshot_store`: a request without messages is answered with the stored
 * thread, and a run of a server with `detached_runs` is waited for after a disconnect. Its memory takes no edit, and asking again would
 * keep both answers.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: agentFramework() });
 */
export function agentFramework(): Preset {
  return {
    name: "Microsoft Agent Framework",
    resume: { by: "hydrate" },
    thread: { load: "hydrate", edits: "none" },
  };
}
