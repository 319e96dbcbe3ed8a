// Edits of the application. An edit is what it changes, not what it leaves: the difference between what the page had shown
// and what the application has made of that. The core applies it to what it has at that moment (src/thread/edit.rs,
// src/thread/overlay.rs), which may be more than was shown.
//
// Where the core is not there yet, or answers later, the result is guessed here until it does.

import { misuse } from "../base/failure.js";
import { settle, toolCallsOf } from "../snapshot/initial.js";
import type { Edit } from "../core/client.js";
import { messageKey } from "../snapshot/message-key.js";
import type { AgentSnapshot, Message, ToolMessage } from "../api/types.js";

type ToJson = (value: unknown) => string;
type Members = Readonly<Record<string, unknown>>;

/** The edit that has made one list of messages of another. */
export function messagesEdit<State>(before: readonly Message[], after: readonly Message[], toJson: ToJson): Edit<State> {
  if (!Array.isArray(after) || after.some((message) => typeof message !== "object" || !message)) {
    throw misuse(new TypeError("setMessages() expects an array of messages, or a function that returns one"));
  }
  // What is the same object was left as it was: its place says all of it.
  const places = new Map(before.map((message, at) => [message, at]));
  const kept = new Set<Message>();
  const list = after.map((message) => {
    const at = kept.has(message) ? undefined : places.get(message);
    if (at !== undefined) kept.add(message);
    return at ?? message;
  });
  const shown = before.map((message) => {
    const { id, role, toolCallId } = message as ToolMessage;
    return kept.has(message) ? { id, role, toolCallId } : message;
  });
  const json = [toJson(shown), toJson(list)] as const;
  return {
    fold: (at) => guessMessages(before, after, at),
    apply: (session) => session.editMessages(...json),
  };
}

/** The edit that has made one state of another. */
export function stateEdit<State>(before: State, after: State, toJson: ToJson): Edit<State> {
  const [from, to] = changed(before, after);
  const json = [toJson(from), toJson(to)] as const;
  return {
    fold: (at) => ({ ...at, state: guess(before, after, at.state) as State }),
    apply: (session) => session.editState(...json),
  };
}

/** The two values without the members of objects that are the same object or value in both. */
function changed(before: unknown, after: unknown): [unknown, unknown] {
  if (!isPlain(before) || !isPlain(after)) return [before, after];
  const entries = Object.entries(after).flatMap(([key, value]) => {
    if (!Object.hasOwn(before, key)) return [[key, undefined, value]] as const;
    return value === before[key] ? [] : [[key, ...changed(before[key], value)] as const];
  });
  const gone = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key));
  const had = entries.filter(([key]) => Object.hasOwn(before, key)).map(([key, value]) => [key, value] as const);
  return [Object.fromEntries([...had, ...gone]), Object.fromEntries(entries.map(([key, , value]) => [key, value]))];
}

/** An object of which JSON has all members. */
function isPlain(value: unknown): value is Members {
  if (typeof value !== "object" || !value || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What was left as it was is as it is now; what was changed is as the edit has it. */
function guess(before: unknown, after: unknown, now: unknown, grows = false): unknown {
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
    members.set(key, had && members.has(key) ? guess(before[key], value, members.get(key), grows) : value);
  }
  return Object.fromEntries(members);
}

function guessMessages<State>(
  before: readonly Message[],
  after: readonly Message[],
  at: AgentSnapshot<State>,
): AgentSnapshot<State> {
  const byKey = (list: readonly Message[]) => new Map(list.map((message) => [messageKey(message), message]));
  const [then, now] = [byKey(before), byKey(at.messages)];
  const edited = after.flatMap((message): readonly Message[] => {
    const key = messageKey(message);
    const [old, current] = [then.get(key), now.get(key)];
    now.delete(key);
    if (!current) return old === message ? [] : [settle(message)];
    const made = guess(old, message, current, true) as Message;
    // What streams is the server's to end.
    const streams = old?.delivery === "streaming" || current.delivery === "streaming";
    return made === current ? [current] : [streams ? { ...made, delivery: current.delivery! } : settle(made)];
  });
  // What came since stands before what the edit has added at the end.
  const since = [...now].filter(([key]) => !then.has(key)).map(([, message]) => message);
  let last = edited.length;
  while (last && !then.has(messageKey(edited[last - 1]!))) last--;
  const messages = afterCalls([...edited.slice(0, last), ...since, ...edited.slice(last)]);
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
