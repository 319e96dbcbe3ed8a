import type { Message } from "../api/protocol.js";
import type { Preset, ThreadLoader } from "../api/server.js";
import { assistant, bodyOf, callOf, textOf, type ServerJson } from "./json.js";

/** An address with more in its query. */
const asking = (url: string, query: Readonly<Record<string, string | undefined>>): string => {
  const params = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams(params)}`;
};

/** Messages of TanStack's as AG-UI's: it keeps the calls of a message, and their results, as parts of it. */
export function fromTanStack(messages: unknown): Message[] {
  return Array.isArray(messages) ? messages.flatMap(fromParts) : [];
}

function fromParts(message: ServerJson): Message[] {
  const { id, role, parts: listed } = message ?? {};
  if (typeof id !== "string" || !Array.isArray(listed)) return [];
  const parts: NonNullable<ServerJson>[] = listed.filter((part: ServerJson) => part);
  const text = parts.map(({ type, content }) => (type === "text" ? textOf(content ?? "") : "")).join("");
  if (role === "user") {
    const media = parts.filter(({ type }) => ["image", "audio", "video", "document"].includes(type)).map(({ type, source }) => ({ type, source }));
    return [{ id, role, content: media.length ? [...(text ? [{ type: "text", text }] : []), ...media] : text } as Message];
  }
  if (role === "system") return [{ id, role, content: text }];
  if (role !== "assistant") return [];
  const calls = parts.flatMap((
    { type, id: callId, name, arguments: args },
  ) => (type === "tool-call" ? [callOf(textOf(callId), textOf(name), args ?? "{}")] : []));
  const results = parts.flatMap((part, at): Message[] =>
    part.type === "tool-result"
      ? [{ id: typeof part.id === "string" ? part.id : `${id}-${at}`, role: "tool", toolCallId: textOf(part.toolCallId), content: textOf(part.content ?? "") }]
      : []
  );
  const thoughts = parts.flatMap((
    { type, content },
    at,
  ): Message[] => (type === "thinking" ? [{ id: `${id}-${at}`, role: "reasoning", content: textOf(content ?? "") }] : []));
  return [...thoughts, ...(text || calls.length || !results.length ? [assistant(id, text, calls)] : []), ...results];
}

const load: ThreadLoader = async ({ threadId, before, limit, url, fetch }) => {
  const address = asking(url, { threadId, before, limit: limit === undefined ? undefined : String(limit) });
  const { messages, activeRun, interrupts, page } = await bodyOf(await fetch(address));
  return {
    messages: Array.isArray(messages) ? fromTanStack(messages) : messages,
    interrupts: interrupts?.pending,
    activeRunId: activeRun?.runId,
    older: page?.truncated === true ? page.cursor : null,
  };
};

/** Where the routes of the application are. */
export interface TanStackOptions {
  /** The address of the chat, for the agent as well. Without it a run is not joined, whatever the agent's `url` is. */
  readonly url?: string | undefined;
}

/**
 * TanStack AI with a store: `GET <url>?threadId&limit&before` has the thread, and `GET <url>?runId` the log of a run, from which one that lost
 * its connection continues. The messages of a request take the place of those that are stored.
 *
 * @example
 * const agent = createAgent({ threadId, server: tanStack({ url: "/api/chat" }) });
 */
export function tanStack(options: TanStackOptions & { readonly url: string }): Preset & { readonly url: string };
export function tanStack(options?: TanStackOptions): Preset;
export function tanStack({ url }: TanStackOptions = {}): Preset {
  return {
    name: "TanStack AI",
    // After `Last-Event-ID`, or from the beginning.
    ...(url !== undefined && { url, resume: { by: "run-url", url: (runId) => asking(url, { offset: "-1", runId }) } }),
    thread: { load, toolInterrupts: "tanstack:client_tool_execution" },
  };
}
