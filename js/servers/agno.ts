import type { Message } from "../api/protocol.js";
import type { Preset, ThreadLoader } from "../api/server.js";
import type { ThreadInfo, ThreadsSource } from "../api/threads.js";
import { assistant, bodyOf, callOf, each, json, textOf, timeOf, under, type ServerJson } from "./json.js";

/** Where AgentOS is. */
export interface AgnoOptions {
  /** The address of AgentOS. Default: the agent's without `/agui` at its end. */
  readonly apiUrl?: string | undefined;
}

/** Messages of the runs of a session, each of which may repeat those before. */
const ofRuns = (runs: unknown): Message[] =>
  Array.isArray(runs)
    ? runs.flatMap((run: ServerJson) =>
      fromAgno(Array.isArray(run?.messages) ? run.messages.filter((message: ServerJson) => message?.from_history !== true) : [])
    )
    : [];

/** Messages of Agno's as AG-UI's. */
export function fromAgno(messages: unknown): Message[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: ServerJson): Message[] => {
    const { id, role, content, tool_calls: calls, tool_call_id: toolCallId } = message ?? {};
    if (typeof id !== "string") return [];
    if (role === "user") return [{ id, role, content: textOf(content ?? "") }];
    if (role === "tool") return [{ id, role, toolCallId: textOf(toolCallId), content: textOf(content ?? "") }];
    if (role !== "assistant") return [];
    const made = (Array.isArray(calls) ? calls : []).map((call: ServerJson) =>
      callOf(textOf(call?.id), textOf(call?.function?.name), call?.function?.arguments ?? "{}")
    );
    return [assistant(id, textOf(content ?? ""), made)];
  });
}

const infoOf = ({ session_id: threadId, session_name: title, created_at: created, updated_at: updated }: NonNullable<ServerJson>): ThreadInfo => ({
  threadId: textOf(threadId),
  ...(title && { title: textOf(title) }),
  createdAt: timeOf(created),
  updatedAt: timeOf(updated),
});

/**
 * Agno's AgentOS with a database: it takes the last turn of a request, and its sessions are the threads. Its memory takes no edit.
 *
 * @example
 * const agent = createAgent({ url: "/agui", threadId, server: agno() });
 */
export function agno({ apiUrl }: AgnoOptions = {}): Preset {
  const session = (url: string, path: string): string => under(apiUrl ?? url.replace(/\/agui\/?$/, ""), `/sessions${path}`);
  const one = (url: string, threadId: string, path = ""): string => session(url, `/${encodeURIComponent(threadId)}${path}?type=agent`);
  const load: ThreadLoader = async ({ threadId, url, fetch }) => {
    // The session itself has no results of tools.
    const runs: unknown = await (await fetch(one(url, threadId, "/runs"))).json();
    const state = Array.isArray(runs) ? (runs.at(-1) as ServerJson)?.session_state : undefined;
    return { threadId, messages: Array.isArray(runs) ? ofRuns(runs) : (runs as Message[]), ...(state && { state }) };
  };
  const threads: ThreadsSource = {
    list: async ({ cursor = "1", limit, url, fetch }) => {
      const query = `?type=agent&sort_by=updated_at&sort_order=desc&limit=${limit}&page=${cursor}`;
      const { data, meta } = await bodyOf(await fetch(session(url, query)));
      return { threads: each(data, infoOf), next: meta?.total_pages > Number(cursor) ? String(Number(cursor) + 1) : null };
    },
    rename: async (threadId, title, { url, fetch }) => void (await fetch(one(url, threadId, "/rename"), json("POST", { session_name: title }))),
    delete: (threadId, { url, fetch }) => fetch(one(url, threadId), { method: "DELETE" }),
  };
  return { name: "Agno", thread: { load, send: "turn", edits: "none" }, threads };
}
