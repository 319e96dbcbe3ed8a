import type { ContentPart, Interrupt, Message } from "../api/protocol.js";
import type { Preset, ThreadLoader, ThreadOptions } from "../api/server.js";
import { assistant, bodyOf, callOf, textOf, under, type ServerJson } from "./json.js";

/** Where a LangGraph thread is read. */
export interface LangGraphOptions {
  /** The address below which `GET /threads/{id}/state` answers: a LangGraph server, or a route of the application's. Without it no thread is opened. */
  readonly apiUrl?: string | undefined;
}

/** Text, or parts that AG-UI has as well. */
function contentOf(content: unknown): string | ContentPart[] {
  if (!Array.isArray(content)) return textOf(content ?? "");
  const parts = content.flatMap((part: ServerJson): ContentPart[] => {
    if (typeof part === "string") return [{ type: "text", text: part }];
    if (part?.type === "text") return [{ type: "text", text: textOf(part.text) }];
    const url = part?.type === "image_url" && textOf(part.image_url?.url ?? part.image_url ?? "");
    if (!url) return [];
    const [, mimeType, value] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    return [{ type: "image", source: value ? { type: "data", value, mimeType: mimeType! } : { type: "url", value: url } }];
  });
  return parts.every((part) => part.type === "text") ? parts.map((part) => ("text" in part ? part.text : "")).join("") : parts;
}

/** LangChain's messages as AG-UI's. */
export function fromLangChain(messages: unknown): Message[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: ServerJson): Message[] => {
    const { id, type, content, tool_calls: calls, tool_call_id: toolCallId } = message ?? {};
    if (typeof id !== "string") return [];
    if (type === "human") return [{ id, role: "user", content: contentOf(content) }];
    if (type === "tool") return [{ id, role: "tool", toolCallId: textOf(toolCallId), content: textOf(content) }];
    if (type === "system") return [{ id, role: "system", content: textOf(content) }];
    if (type !== "ai") return [];
    const text = contentOf(content);
    const made = (Array.isArray(calls) ? calls : []).map((call: ServerJson) => callOf(textOf(call?.id), textOf(call?.name), call?.args ?? {}));
    return [assistant(id, typeof text === "string" ? text : "", made)];
  });
}

/** Questions of a graph that waits. */
function interruptsOf(tasks: unknown): Interrupt[] {
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: ServerJson) => (Array.isArray(task?.interrupts) ? task.interrupts : [])).flatMap((interrupt: ServerJson) => {
    const { id, value } = interrupt ?? {};
    return typeof id === "string"
      ? [
        {
          id,
          reason: value?.reason ?? "langgraph:interrupt",
          ...(typeof value === "string" && { message: value }),
          metadata: { langgraph: { raw: value } },
        } as Interrupt,
      ]
      : [];
  });
}

const loadFrom = (apiUrl: string): ThreadLoader => async ({ threadId, fetch }) => {
  const { values, tasks } = await bodyOf(await fetch(under(apiUrl, `/threads/${encodeURIComponent(threadId)}/state`)));
  if (values === undefined) return { messages: values };
  if (!values || !("messages" in values)) return undefined;
  const { messages, ...state } = values;
  return { threadId, messages: fromLangChain(messages), state, interrupts: interruptsOf(tasks) };
};

/**
 * The adapter forks the stored thread at a user message that has changed. One that is asked again as it is, it takes for a continuation, and
 * the model would answer after its own answer; a message that the thread does not have makes the difference. It is not kept.
 */
const send: ThreadOptions["send"] = (messages, { reason, runId }) =>
  reason === "regenerate" && messages.at(-1)?.role === "user" ? [{ id: `again-${runId}`, role: "system", content: "" }, ...messages] : messages;

/**
 * LangGraph (`ag-ui-langgraph`) with a checkpointer: it merges messages by id, and forks the stored thread at a user message that is edited under
 * its own id.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: langGraph({ apiUrl: "/api" }) });
 */
export function langGraph({ apiUrl }: LangGraphOptions = {}): Preset {
  return {
    name: "LangGraph",
    thread: { ...(apiUrl !== undefined && { load: loadFrom(apiUrl) }), edits: "same-id", send },
  };
}
