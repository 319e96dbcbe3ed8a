import type { Message } from "../api/protocol.js";
import type { Preset, ThreadLoader } from "../api/server.js";
import type { ThreadInfo, ThreadsSource } from "../api/threads.js";
import { assistant, bodyOf, callOf, each, json, textOf, timeOf, under, type ServerJson } from "./json.js";

/** Where Mastra's memory is. */
export interface MastraOptions {
  /** The address of the Mastra server, below which `/api/memory` is. Without it no thread is opened. */
  readonly apiUrl?: string | undefined;
  /** The agent whose memory it is. */
  readonly agentId?: string | undefined;
  /** The resource whose threads are listed. */
  readonly resourceId?: string | undefined;
}

/** Messages of Mastra's memory as AG-UI's: it keeps a whole turn in one, which here is a message for each step. */
export function fromMastra(messages: unknown): Message[] {
  return Array.isArray(messages) ? messages.flatMap(fromTurn) : [];
}

function fromTurn(message: ServerJson): Message[] {
  const { id, role, content } = message ?? {};
  if (typeof id !== "string" || (role !== "user" && role !== "assistant")) return [];
  const parts: readonly ServerJson[] = Array.isArray(content?.parts) ? content.parts : [{ type: "text", text: content?.content ?? textOf(content ?? "") }];
  if (role === "user") return [{ id, role, content: parts.map((part) => (part?.type === "text" ? textOf(part.text) : "")).join("") }];
  const made: Message[] = [];
  let text = "";
  let calls: ReturnType<typeof callOf>[] = [];
  let results: Message[] = [];
  const end = (): void => {
    if (text || calls.length) made.push(assistant(made.length ? `${id}-${made.length}` : id, text, calls), ...results);
    [text, calls, results] = ["", [], []];
  };
  for (const part of parts) {
    const called = part?.type === "tool-invocation" ? part.toolInvocation : undefined;
    // Text after a call is the next step.
    if (calls.length && !called) end();
    if (part?.type === "text") text += textOf(part.text);
    if (part?.type === "reasoning") made.push({ id: `${id}-reasoning-${made.length}`, role: "reasoning", content: textOf(part.reasoning ?? part.text ?? "") });
    if (!called) continue;
    const callId = textOf(called.toolCallId);
    calls.push(callOf(callId, textOf(called.toolName), called.args ?? {}));
    if (called.state === "result") results.push({ id: `${callId}-result`, role: "tool", toolCallId: callId, content: textOf(called.result) });
  }
  end();
  return made;
}

const infoOf = ({ id, title, createdAt, updatedAt }: NonNullable<ServerJson>): ThreadInfo => ({
  threadId: textOf(id),
  ...(title && { title: textOf(title) }),
  createdAt: timeOf(createdAt),
  updatedAt: timeOf(updatedAt),
});

/**
 * Mastra (`@ag-ui/mastra`) with memory: it drops messages whose ids it has stored, so what is asked again gets a new one. Its server has the threads.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: mastra({ apiUrl: "", agentId: "assistant", resourceId: "me" }) });
 */
export function mastra({ apiUrl, agentId, resourceId }: MastraOptions = {}): Preset {
  if (apiUrl === undefined) return { name: "Mastra", thread: { edits: "new-id" } };
  const threadsAt = (path: string, query: Readonly<Record<string, string | undefined>> = {}): string => {
    const params = Object.entries({ agentId, ...query }).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return under(apiUrl, `/api/memory/threads${path}?${new URLSearchParams(params)}`);
  };
  const one = (threadId: string, rest = "", query = {}) => threadsAt(`/${encodeURIComponent(threadId)}${rest}`, query);
  const load: ThreadLoader = async ({ threadId, before = "0", limit = 40, fetch }) => {
    // The first page has the newest messages.
    const { messages, hasMore } = await bodyOf(await fetch(one(threadId, "/messages", { page: before, perPage: String(limit) })));
    return { messages: Array.isArray(messages) ? fromMastra(messages) : messages, older: hasMore ? String(Number(before) + 1) : null };
  };
  const threads: ThreadsSource = {
    list: async ({ cursor = "0", limit, fetch }) => {
      const { threads: page, hasMore } = await bodyOf(await fetch(threadsAt("", { resourceId, page: cursor, perPage: String(limit) })));
      return { threads: each(page, infoOf), next: hasMore ? String(Number(cursor) + 1) : null };
    },
    rename: async (threadId, title, { fetch }) => void (await fetch(one(threadId), json("PATCH", { title, resourceId }))),
    delete: (threadId, { fetch }) => fetch(one(threadId), { method: "DELETE" }),
  };
  return { name: "Mastra", thread: { load, edits: "new-id" }, threads };
}
