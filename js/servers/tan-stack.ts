import type { Preset, ThreadLoader } from "../api/server.js";

const load: ThreadLoader = async ({ threadId, before, limit, url, fetch }) => {
  const query = new URLSearchParams({ threadId });
  if (limit !== undefined) query.set("limit", String(limit));
  if (before !== undefined) query.set("before", before);
  const { messages = [], activeRun, interrupts, page } = await (await fetch(`${url}${url.includes("?") ? "&" : "?"}${query}`)).json();
  return { messages, interrupts, activeRunId: activeRun?.runId, older: page?.before ?? page?.hasMore };
};

/**
 * TanStack AI with persistence: `GET <url>?threadId&limit&before` has the thread, and a request carries what is new.
 *
 * @example
 * const agent = createAgent({ url: "/api/chat", threadId, server: tanStack() });
 */
export function tanStack(): Preset {
  return {
    name: "TanStack AI",
    thread: { load, send: "new" },
  };
}
