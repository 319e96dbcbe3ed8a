/** The rows of the conversation: the snapshot's messages, each with its calls and citations. */
import { citationsOf } from "ag-ui-wasm/ngaf";
import type { Message, Subagent, ToolCall } from "ag-ui-wasm";

/** One row. It keeps its identity until something in it changes, so views compare rows with `===`. */
export interface Row {
  readonly key: string;
  readonly message: Message;
  readonly calls: readonly ToolCall[];
  /** The subagent that speaks, by name. */
  readonly speaker: string | undefined;
  /** Where it is known from, by links. */
  readonly sources: readonly Source[];
}

export interface Source {
  readonly title: string;
  readonly url: string;
}

const NONE: readonly never[] = [];

/** Makes rows from snapshots, and the same rows again from what did not change. */
export class RowList {
  #rows: readonly Row[] = [];
  #known = new Map<string, Row>();
  #seen: readonly unknown[] = [];

  read(messages: readonly Message[], toolCalls: readonly ToolCall[], subagents: readonly Subagent[], state: unknown): readonly Row[] {
    const seen = [messages, toolCalls, subagents, state];
    if (seen.every((part, index) => part === this.#seen[index])) return this.#rows;
    this.#seen = seen;

    const calls = new Map(toolCalls.map((call) => [call.id, call]));
    const speakers = new Map(flatten(subagents).map(({ subagentRunId, name }) => [subagentRunId, name]));
    const known = new Map<string, Row>();
    for (const message of messages) {
      if (message.role === "tool" && calls.has(message.toolCallId)) continue; // its card shows it
      // The protocol lets an id stand for two messages; a list of rows must not have a key twice.
      let key = message.id;
      for (let twin = 2; known.has(key); twin += 1) key = `${message.id} ${twin}`;
      const before = this.#known.get(key);
      const row: Row = {
        key,
        message,
        calls: callsOf(message, calls),
        speaker: message.subagentRunId === undefined ? undefined : (speakers.get(message.subagentRunId) ?? "Subagent"),
        sources: sourcesOf(state, message.id),
      };
      known.set(key, before !== undefined && same(before, row) ? before : row);
    }
    this.#known = known;
    this.#rows = [...known.values()];
    return this.#rows;
  }
}

function callsOf(message: Message, calls: ReadonlyMap<string, ToolCall>): readonly ToolCall[] {
  if (message.role !== "assistant" || message.toolCallIds === undefined) return NONE;
  return message.toolCallIds.flatMap((id) => calls.get(id) ?? []);
}

function same(a: Row, b: Row): boolean {
  return (
    a.message === b.message &&
    a.speaker === b.speaker &&
    a.calls.length === b.calls.length &&
    a.calls.every((call, index) => call === b.calls[index]) &&
    a.sources.length === b.sources.length &&
    a.sources.every(({ title, url }, index) => title === b.sources[index]?.title && url === b.sources[index]?.url)
  );
}

/** The sources that the state names for a message, as ngaf does; only those that a browser may be sent to. */
function sourcesOf(state: unknown, messageId: string): readonly Source[] {
  const citations = citationsOf(state, messageId) ?? NONE;
  return citations.flatMap(({ title, url }) => (url !== undefined && /^https?:\/\//i.test(url) ? [{ title: title ?? url, url }] : []));
}
function flatten(subagents: readonly Subagent[]): readonly Subagent[] {
  return subagents.flatMap((subagent) => [subagent, ...flatten(subagent.children)]);
}

/** The text of a message's content; of its other parts, those that are no pictures are named. */
export function textOf(message: Message): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) => (part.type === "text" ? part.text : part.type === "image" ? [] : `[${part.type}]`)).join("\n");
}

/** The reasoning of a row: the message's own text, or what was folded into it. */
export function reasoningOf(message: Message): { text: string; done: boolean; durationMs: number | undefined } | undefined {
  if (message.role === "reasoning") {
    const done = message.durationMs !== undefined || message.delivery !== "streaming";
    return { text: message.content, done, durationMs: message.durationMs };
  }
  if (message.role !== "assistant" || message.reasoning === undefined) return undefined;
  const durationMs = message.reasoningDurationMs;
  return { text: message.reasoning, done: durationMs !== undefined || message.delivery !== "streaming", durationMs };
}

/** An activity that is a list of things to do, if it is one. */
export function checklistOf(content: unknown): { title: string; steps: readonly { label: string; status: string }[] } | undefined {
  const { title, steps } = content as { title?: unknown; steps?: unknown };
  if (!Array.isArray(steps) || !steps.every((step) => typeof step?.label === "string")) return undefined;
  return {
    title: typeof title === "string" ? title : "Plan",
    steps: steps.map(({ label, status }) => ({ label, status: String(status ?? "") })),
  };
}
