// Guesses the result of a call before the core answers (for a run that was cut off, see cut-off.ts). The core decides;
// tests/js/worker/worker-table.test.mjs and lockstep.test.mjs hold these against its answers.

import type { AgentError } from "../api/error.js";
import type { JsonObject } from "../api/protocol.js";
import type { AgentSnapshot, Message } from "../api/types.js";
import { settle, toolCallsOf } from "./initial.js";
import { messageKey } from "./message-key.js";

const closed = { phase: "closed", attempt: 0 } as const;
const connecting = { phase: "connecting", attempt: 0 } as const;

/** The part of a submit that the snapshot shows. */
interface Submitted {
  readonly messages: readonly Message[];
  readonly state?: unknown;
  readonly replaces?: string | undefined;
}

/** A submit: the messages are appended, or take the place of `replaces` and what follows it. Idempotent. */
export function submitted<State>(
  at: AgentSnapshot<State>,
  { messages, state, replaces }: Submitted,
): AgentSnapshot<State> {
  const cut = at.messages.findIndex((old) => old.id === replaces);
  const earlier = cut < 0 ? at.messages : at.messages.slice(0, cut);
  const added = messages.filter(({ id }) => !earlier.some((old) => old.id === id));
  return { ...at, messages: [...earlier, ...added], state: merge(at.state, state as State) };
}

/** Members of an object are merged, any other value replaces. */
function merge<State>(old: State, state: State | Partial<State> | undefined): State {
  if (state === undefined) return old;
  const mergeable = [old, state].every((value) => typeof value === "object" && value && !Array.isArray(value));
  return mergeable ? { ...old, ...state } : (state as State);
}

/** A run that begins. */
export function begun<State>(at: AgentSnapshot<State>, runId: string): AgentSnapshot<State> {
  return { ...at, runId, status: "running", isLoading: true, error: undefined, outcome: undefined, connection: connecting };
}

/** A run that is stopped before anything of it came. */
export function cancelled<State>(at: AgentSnapshot<State>): AgentSnapshot<State> {
  return { ...at, status: "idle", isLoading: false, outcome: "aborted", connection: closed };
}

/** A failure that ends every run. */
export function failed<State>(at: AgentSnapshot<State>, error: AgentError, outcome: AgentSnapshot["outcome"]): AgentSnapshot<State> {
  return { ...at, status: "error", isLoading: false, error, outcome, queue: [], connection: closed };
}

/** An object of which JSON has all members. */
export function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== "object" || !value || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An edited value: what was left as it was is as it is now; what was changed is as the edit has it. */
export function edited(before: unknown, after: unknown, now: unknown, grows = false): unknown {
  if (after === before) return now;
  if (now === before) return after;
  if (grows && typeof before === "string" && typeof after === "string" && typeof now === "string") {
    return now.startsWith(before) ? after + now.slice(before.length) : after;
  }
  if (!isPlain(before) || !isPlain(after) || !isPlain(now)) return after;
  const members = new Map(Object.entries(now));
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) members.delete(key);
  for (const [key, value] of Object.entries(after)) {
    const had = Object.hasOwn(before, key);
    // The other side has taken it away.
    if (had && value === before[key] && !members.has(key)) continue;
    members.set(key, had && members.has(key) ? edited(before[key], value, members.get(key), grows) : value);
  }
  return Object.fromEntries(members);
}

/** Edited messages, and their calls. */
export function editedMessages<State>(
  before: readonly Message[],
  after: readonly Message[],
  at: AgentSnapshot<State>,
): AgentSnapshot<State> {
  const byKey = (some: readonly Message[]) => new Map(some.map((message) => [messageKey(message), message]));
  const [then, now] = [byKey(before), byKey(at.messages)];
  const list = after.flatMap((message): readonly Message[] => {
    const key = messageKey(message);
    const [old, current] = [then.get(key), now.get(key)];
    now.delete(key);
    if (!current) return old === message ? [] : [settle(message)];
    const made = edited(old, message, current, true) as Message;
    // Only the server ends a message that streams.
    const streams = old?.delivery === "streaming" || current.delivery === "streaming";
    return made === current ? [current] : [streams ? { ...made, delivery: current.delivery! } : settle(made)];
  });
  // Newer messages stand before those that the edit has added at the end.
  const since = [...now].filter(([key]) => !then.has(key)).map(([, message]) => message);
  let last = list.length;
  while (last && !then.has(messageKey(list[last - 1]!))) last--;
  const messages = afterCalls([...list.slice(0, last), ...since, ...list.slice(last)]);
  const known = new Map(at.toolCalls.map((call) => [call.id, call]));
  const toolCalls = toolCallsOf(messages).map((call) => {
    const shown = known.get(call.id);
    return shown?.name === call.name && shown.argsText === call.argsText ? shown : call;
  });
  return { ...at, messages, toolCalls };
}

/** A result that stands before its call is put after it, as the core does. */
function afterCalls(messages: readonly Message[]): readonly Message[] {
  const calls = messages.flatMap((message, at) => (message.role === "assistant" ? (message.toolCalls ?? []) : []).map(({ id }) => [id, at] as const));
  const places = new Map(calls);
  const placeOf = (message: Message): number => (message.role === "tool" ? (places.get(message.toolCallId) ?? -1) : -1);
  const early = messages.filter((message, at) => placeOf(message) > at);
  if (!early.length) return messages;
  return messages.flatMap((message, at) => (early.includes(message) ? [] : [message, ...early.filter((result) => placeOf(result) === at)]));
}
