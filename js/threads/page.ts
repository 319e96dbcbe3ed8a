import { AgentError } from "../api/error.js";
import type { ThreadInfo, ThreadListPage } from "../api/threads.js";

/** A page as a server gives it: threads without an id are left out, and what is no list at all is an error. */
export function readPage(value: unknown): ThreadListPage {
  const { threads, next } = (value ?? {}) as Partial<ThreadListPage>;
  if (!Array.isArray(threads)) {
    const message = `The list of threads: expected { threads: [...] }, got ${Array.isArray(value) ? "a list" : typeof value}`;
    throw new AgentError({ kind: "protocol", message });
  }
  const valid = (threads as readonly (ThreadInfo | undefined)[]).filter((thread): thread is ThreadInfo =>
    !!thread && typeof thread.threadId === "string" && !!thread.threadId
  );
  return { threads: valid, next: typeof next === "string" && next ? next : undefined };
}
