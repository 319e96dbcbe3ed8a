// Two saves of one thread, compared and made one.

import type { Message, ToolMessage } from "../api/types.js";
import type { QueueChange, Queued, Saved } from "../snapshot/save.js";
import { kit } from "./kit.js";

/**
 * A save without what was there before, in one of those texts, but for these messages, with which the thread begins. Nothing, if that is all. What has
 * begun anew with some of what was there, `own`, has them where they were: what others have said since follows on them.
 */
export function withoutLeft(save: string, left: readonly string[], first: readonly Message[], own = "{}"): string | undefined {
  const now = JSON.parse(save) as Saved;
  const before = left.map((text) => JSON.parse(text) as Partial<Saved>);
  const kept = new Map((JSON.parse(own) as Partial<Saved>).messages?.map((message) => [message.id, message]));
  const gone = new Set(before.flatMap(({ messages = [], queue = [] }) => [...messages, ...queue.flatMap((row) => row.messages)]).map(({ id }) => id));
  for (const { id } of first) gone.delete(id);
  const stays = ({ id }: Message): boolean => !gone.has(id);
  const messages = now.messages.flatMap((message) => (stays(message) ? message : (kept.get(message.id) ?? [])));
  const queue = now.queue?.filter((waits) => waits.messages.every(stays)) ?? [];
  return now.messages.filter(stays).length > first.length || queue.length ? JSON.stringify({ ...now, messages, queue }) : undefined;
}

type Call = { readonly id: string };

/** The lists of a save, and what names an element; without that, it is its own name. */
const names = { messages: "id", interrupts: "id", handled: "", unsent: "", untold: "call", queue: "runId", replies: "interruptId", acts: "1" };

/**
 * Two saves as one, where the newer was made by an agent that did not know the older: nothing of either is lost. There may be only one, or none.
 * `state`: what that agent has begun with, JSON text: its own state is an edit of that. `changes`: of the older one's queue.
 */
export function mergeSaves(
  older: string | undefined,
  newer: string | undefined,
  state?: string,
  changes: readonly QueueChange[] = [],
): string | undefined {
  const { changedQueue, union, edited } = kit;
  if (older === undefined || newer === undefined) return older ?? newer;
  const [old, own] = [JSON.parse(older), JSON.parse(newer)];
  const merged = { ...old, ...own };
  if (state !== undefined) merged.state = edited(JSON.parse(state), own.state, old.state);
  old.queue = changedQueue(old.queue, changes);
  for (const [list, name] of Object.entries(names)) merged[list] = union(old[list], own[list], (item: never) => item[name] ?? item);
  // One whose messages are in the thread of either has begun, perhaps in another tab.
  const said = new Set(merged.messages.map(({ id }: Message) => id));
  merged.queue = merged.queue.filter(({ runId, messages }: Queued) => runId !== own.runId && !messages.some(({ id }) => said.has(id)));
  // A person may have been asked about calls of either; what the newer has answered since is done.
  const answered = new Set(own.messages?.map(({ toolCallId }: ToolMessage) => toolCallId));
  const open = old.turn?.calls.filter(({ id }: Call) => !answered.has(id));
  const calls = union<Call>(open, own.turn?.calls, ({ id }) => id);
  merged.turn = calls.length ? { ...(own.turn ?? old.turn), calls } : undefined;
  // The reader adds up what belongs to one model.
  merged.usage = [...(old.usage ?? []), ...(own.usage ?? [])];
  return JSON.stringify(merged);
}

/** Whether a save, JSON text, has some of these submits, waiting or in its thread. */
export function hasSome(save: string | undefined, queue: readonly Queued[]): boolean {
  const known = JSON.parse(save ?? "{}") as Partial<Saved>;
  const ids = new Set([...(known.messages ?? []).map(({ id }) => id), ...(known.queue ?? []).map(({ runId }) => runId)]);
  // One that takes the place of a message may have its id.
  return queue.some(({ runId, messages, replaces }) => ids.has(runId) || (replaces === undefined && messages.some(({ id }) => ids.has(id))));
}
