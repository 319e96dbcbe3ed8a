// A server that repeats a thread, run by run, to a client that connects, and then continues the run in progress.

import type { Message, ThreadPage, ToolMessage } from "../api/types.js";
import { askStored } from "./ask.js";
import { eventsOf, type ReceivedEvent } from "./body.js";
import type { RemoteClient } from "./client.js";
import { lastIndex } from "./list.js";
import { checkThread, malformed, toEvents, type OpenedThread } from "./page.js";

/** After so many milliseconds without a byte the server has repeated all that it has. */
const quietMs = 300;

/** A thread, and the body in which its run in progress continues. */
export interface Connected extends OpenedThread {
  /** The core makes the messages of the lines, without those that the page had: what was said in these, by its id, where it is not text alone. */
  readonly repeated?: ReadonlyMap<string, Message["content"]>;
  readonly begun?: { readonly runId: string; take(): Response } | undefined;
}

/** The outcome of a run that asks something. */
interface Ended {
  readonly interrupts?: ThreadPage["interrupts"];
}

/** Connects to the thread. Resolves once the server has repeated it. */
export async function connect<State>(client: RemoteClient<State>, runId: string, signal: AbortSignal): Promise<Connected> {
  if (client.options().resume?.by !== "replay") {
    throw client.error({ kind: "unsupported", code: "input", message: 'thread.load: "connect" needs the option resume: { by: "replay", url }' });
  }
  const { threadId, messages: local } = client.core();
  // Or a server without such a route.
  const response = await askStored(client, runId, true, [404, 405, 410, 422, 501], signal);
  if (!response) return toEvents(undefined, undefined, runId, threadId);
  const { chunks, rest } = await readRepeated(response);
  const text = await textOf(chunks);
  const events = eventsOf(text);
  // A thread that has no runs yet is an empty stream, or one with comments.
  if (!events.some(({ event }) => typeof event.type === "string") && /^(?!:|\w+:)(?=.*\S)/m.test(text)) throw malformed(client, "events");
  checkThread(client, events, threadId);
  const open = rest ? openRun(events) : undefined;
  if (!open) void rest?.reader.cancel().catch(() => {});
  const history = open ? events.slice(0, open.at) : events;
  if (!history.length && !open) return toEvents(undefined, undefined, runId, threadId);
  const last = open ? undefined : (history[lastIndex(history, ({ event }) => event.type === "RUN_FINISHED")]?.event.outcome as Ended | undefined);
  // The server repeats what the page has of the thread.
  const repeated = new Map<string, Message["content"]>();
  const frame = toEvents(local.length ? { messages: [] } : undefined, last?.interrupts, runId, threadId).lines;
  return {
    // As one run, which is hidden from the page.
    lines: [...frame.slice(0, -1), ...withinRun(history, repeated), ...frame.slice(-1)],
    messages: undefined,
    repeated,
    activeRunId: open?.runId,
    begun: open && { runId: open.runId, take: () => again(response, chunks, rest!) },
  };
}

/**
 * The events of several runs as those of one: of where a run starts, only what was said to it, which no other event repeats. Adds to `parts` the
 * content that has no events.
 */
function withinRun(history: readonly ReceivedEvent[], parts: Map<string, Message["content"]>): string[] {
  const knownIds = new Set<unknown>();
  return history.flatMap(({ json, event }) => {
    const { type, input } = event as { readonly type?: unknown; readonly input?: { readonly messages?: unknown } };
    if (type !== "RUN_STARTED") return /^RUN_/.test(String(type)) ? [] : [json];
    const messages = Array.isArray(input?.messages) ? (input.messages as readonly Partial<Message>[]) : [];
    const unseen = messages.filter((message) => (message?.role === "user" || message?.role === "tool") && !knownIds.has(message.id));
    for (const { id, content } of unseen) {
      knownIds.add(id);
      if (Array.isArray(content)) parts.set(id!, content);
    }
    return unseen.flatMap(messageEvents).map((made) => JSON.stringify(made));
  });
}

/** A message that was said to a run, as events. Parts that are not text have none. */
function messageEvents(message: Partial<Message>): object[] {
  const { id: messageId, role, content } = message;
  if (role === "tool") return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId: (message as Partial<ToolMessage>).toolCallId, content, role }];
  const parts: readonly { readonly text?: string }[] = typeof content === "string" ? [{ text: content }] : Array.isArray(content) ? content : [];
  const deltas = parts.flatMap(({ text }) => (text ? [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta: text }] : []));
  return [{ type: "TEXT_MESSAGE_START", messageId, role }, ...deltas, { type: "TEXT_MESSAGE_END", messageId }];
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The rest of a body that is open: what its reader was asked for already, and the reader. */
interface Rest {
  readonly next: Promise<ReadableStreamReadResult<Bytes>>;
  readonly reader: ReadableStreamDefaultReader<Bytes>;
}

const textOf = async (chunks: readonly Bytes[]): Promise<string> => new TextDecoder().decode(await new Blob([...chunks]).arrayBuffer());

/**
 * Reads the chunks that come without a pause, or until the run in progress has grown for long: it is shown as it grows. `rest` has the others,
 * where the body is open then.
 */
async function readRepeated({ body }: Response): Promise<{ readonly chunks: readonly Bytes[]; readonly rest?: Rest }> {
  const chunks: Bytes[] = [];
  if (!body) return { chunks };
  const reader = (body as ReadableStream<Bytes>).getReader();
  let long = 10 * quietMs;
  let looks = false;
  const wait = (): ReturnType<typeof setTimeout> => setTimeout(() => (looks = true), long);
  let looking = wait();
  try {
    for (;;) {
      const next = reader.read();
      if (looks) {
        if (openRun(eventsOf(await textOf(chunks)))) return { chunks, rest: { next, reader } };
        // All that has come is read each time: so it looks again after twice the time.
        [looks, long] = [false, 2 * long];
        looking = wait();
      }
      let timer: ReturnType<typeof setTimeout> | undefined;
      // The first byte may take longer than those after it.
      const quiet = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), chunks.length ? quietMs : 10 * quietMs)));
      const read = await Promise.race([next, quiet]);
      clearTimeout(timer);
      if (!read) return { chunks, rest: { next, reader } };
      if (read.done) return { chunks };
      chunks.push(read.value);
    }
  } finally {
    clearTimeout(looking);
  }
}

/** The run that has begun in these events and not ended, and where it begins. */
function openRun(events: readonly ReceivedEvent[]): { readonly runId: string; readonly at: number } | undefined {
  const at = lastIndex(events, ({ event }) => event.type === "RUN_STARTED");
  if (at < 0 || events.slice(at).some(({ event }) => event.type === "RUN_FINISHED" || event.type === "RUN_ERROR")) return undefined;
  return { runId: String(events[at]!.event.runId), at };
}

/** The whole body once more, for the core. */
function again({ headers }: Response, chunks: readonly Bytes[], { next, reader }: Rest): Response {
  let pending: Promise<ReadableStreamReadResult<Bytes>> | undefined = next;
  const stream = new ReadableStream<Bytes>({
    start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
    pull: async (controller) => {
      const read = await (pending ?? reader.read());
      pending = undefined;
      if (read.done) controller.close();
      else controller.enqueue(read.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(stream, { headers: { "content-type": headers.get("content-type") ?? "text/event-stream" } });
}
