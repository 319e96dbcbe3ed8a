// A page of a stored thread: whether it is one, and how it becomes events for the core, or older messages of the thread. What a
// loader answers is judged here; the messages themselves are judged by the core, as any other list.

import type { AgentError } from "../api/error.js";
import type { Message, ThreadPage } from "../api/types.js";
import { eventsOf, type ReceivedEvent } from "./body.js";
import type { Errors } from "./client.js";
import { lastIndex } from "./list.js";

/** A stored thread as the server has it: JSON texts of events for the core, and what the page needs of it. */
export interface OpenedThread {
  readonly lines: readonly string[];
  readonly messages: readonly Message[] | undefined;
  readonly activeRunId?: string | undefined;
  readonly older?: ThreadPage["older"];
}

/** The answer is no page. */
export const malformed = ({ error }: Errors, expected: string): AgentError =>
  error({ kind: "protocol", code: "thread-malformed", retryable: true, message: `The loader of the thread answered without ${expected}` });

/** The page is of another thread. */
const otherThread = ({ error }: Errors, found: unknown): AgentError =>
  error({ kind: "protocol", code: "thread-other", retryable: true, message: `The server answered with the thread ${JSON.stringify(found)}` });

/** Throws where a run in it is one of another thread. */
export function checkThread(client: Errors, events: readonly ReceivedEvent[], threadId: string): void {
  const other = events.find(({ event: { type, threadId: found } }) => type === "RUN_STARTED" && typeof found === "string" && found !== threadId);
  if (other) throw otherThread(client, other.event.threadId);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks a loader's result, as a page of that thread. `undefined`: the server does not have it. */
export function checkPage(client: Errors, page: unknown, threadId: string, warn: (message: string) => void): ThreadPage | undefined {
  if (page === undefined || page === null) return undefined;
  if (!isObject(page) || !Array.isArray(page.messages)) throw malformed(client, "a list of messages");
  const { threadId: found, activeRunId, older, interrupts } = page;
  if (found !== undefined && found !== null && found !== threadId) throw otherThread(client, found);
  if (activeRunId != null && typeof activeRunId !== "string") throw malformed(client, "a string as activeRunId");
  if (interrupts != null && !Array.isArray(interrupts)) throw malformed(client, "a list as interrupts");
  if (older != null && typeof older !== "string" && typeof older !== "boolean") throw malformed(client, "a string or a boolean as older");
  const messages = page.messages.filter((message) => isObject(message) && typeof message.id === "string" && typeof message.role === "string");
  const lost = page.messages.length - messages.length;
  if (lost) warn(`${lost} of the loader's messages have no id or no role: they are left out`);
  return { ...page, messages } as ThreadPage;
}

/** The events that a page is, for a run of that id. */
export function toEvents(page: ThreadPage | undefined, open: ThreadPage["interrupts"], runId: string, threadId: string): OpenedThread {
  const { messages, state, interrupts = open, activeRunId, older } = page ?? ({} as Partial<ThreadPage>);
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    ...(state === undefined ? [] : [{ type: "STATE_SNAPSHOT", snapshot: state }]),
    ...(messages ? [{ type: "MESSAGES_SNAPSHOT", messages }] : []),
    { type: "RUN_FINISHED", threadId, runId, ...(interrupts?.length && { outcome: { type: "interrupt", interrupts } }) },
  ];
  return { lines: events.map((event) => JSON.stringify(event)), messages, activeRunId: activeRunId ?? undefined, older };
}

/** The error of a run that has failed in these events. */
export function failureIn({ error }: Errors, events: readonly ReceivedEvent[]): AgentError | undefined {
  const failed = events.find(({ event }) => event.type === "RUN_ERROR")?.event;
  if (!failed) return undefined;
  const { code, message } = failed;
  return error({ kind: "run", code: typeof code === "string" ? code : undefined, retryable: true, message: String(message ?? "The run failed") });
}

/** The answer to a request without messages. It is read whole, because a part of it is no thread. */
export function readHydrated(client: Errors, text: string, threadId: string): OpenedThread {
  const events = eventsOf(text);
  const find = (type: string) => events[lastIndex(events, ({ event }) => event.type === type)]?.event;
  checkThread(client, events, threadId);
  const failure = failureIn(client, events);
  if (failure) throw failure;
  if (!find("RUN_FINISHED")) throw malformed(client, "RUN_FINISHED");
  const found = find("MESSAGES_SNAPSHOT")?.messages;
  const messages = Array.isArray(found) ? (found as readonly Message[]) : undefined;
  return { lines: events.map(({ json }) => json), messages };
}

/** Its lines with other messages, and with what `edit` makes of the state, where these are given. */
export function changedLines(lines: readonly string[], messages: readonly Message[] | undefined, edit: ((state: unknown) => unknown) | undefined) {
  if (!messages && !edit) return lines;
  return lines.map((line) => {
    const event = JSON.parse(line);
    if (event.type === "MESSAGES_SNAPSHOT" && messages) return JSON.stringify({ ...event, messages });
    return event.type === "STATE_SNAPSHOT" && edit ? JSON.stringify({ ...event, snapshot: edit(event.snapshot) }) : line;
  });
}

/** The questions after the last answer of the page's thread that the server does not have: they stay. */
export function unanswered(shown: readonly Message[], stored: readonly Message[]): readonly Message[] {
  const knownIds = new Set(stored.map(({ id }) => id));
  const last = lastIndex(shown, ({ id, role, delivery }) => knownIds.has(id) || (role === "assistant" && delivery === "complete"));
  return shown.slice(last + 1).filter(({ role }) => role === "user");
}

/** The thread with older messages: each stands before the one of the thread that it came before. */
export function withOlder(thread: readonly Message[], older: readonly Message[], keyOf: (message: Message) => string): readonly Message[] {
  const keys = new Set(thread.map(keyOf));
  const front: Message[] = [];
  const after = new Map<string, Message[]>();
  let list = front;
  for (const message of older) {
    const key = keyOf(message);
    if (keys.has(key)) {
      // A page may overlap: what it has after a known message stands after that.
      list = after.get(key) ?? [];
      after.set(key, list);
    } else {
      keys.add(key);
      list.push(message);
    }
  }
  if (![...after.values()].some(({ length }) => length)) return front.length ? [...front, ...thread] : thread;
  return [...front, ...thread.flatMap((message) => [message, ...(after.get(keyOf(message)) ?? [])])];
}
