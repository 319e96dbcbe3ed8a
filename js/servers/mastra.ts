import type { Preset } from "../api/server.js";

/**
 * Mastra (`@ag-ui/mastra`) with memory: it drops messages whose ids it has stored, so what is asked again gets a new one.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: mastra() });
 */
export function mastra(): Preset {
  return {
    name: "Mastra",
    thread: { edits: "new-id" },
  };
}
