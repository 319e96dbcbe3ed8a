import type { Preset } from "../api/server.js";

/**
 * LangGraph (`ag-ui-langgraph`) with a checkpointer: it merges messages by id, and the same user message id forks the stored thread there.
 * The adapter has no route that opens a thread: give one as `thread.load`.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: langGraph() });
 */
export function langGraph(): Preset {
  return {
    name: "LangGraph",
    thread: { edits: "same-id" },
  };
}
