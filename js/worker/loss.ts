// The remains of a worker's session that was lost, with which the next one continues.

import type { AgentSnapshot, Message } from "../api/types.js";
import type { LinkClient, PendingIntent, Run } from "../core/client.js";
import type { PendingIntents } from "../core/pending.js";
import { queuedOf } from "../intents/run.js";
import { composeSave, union } from "../snapshot/compose.js";
import { messageKey } from "../snapshot/message-key.js";
import type { LastSave } from "./last-save.js";

/** How the session was lost. */
export interface SessionLoss<State> {
  /** Its worker has ended. */
  readonly died: boolean;
  /** The worker has read what it was given. */
  readonly read: boolean;
  /** Replies to some of the interrupts that nobody has settled, which no save has. */
  readonly replies: readonly Run<State>[];
}

/** The remains of a session. */
export interface Remains<State> {
  /** It is an error of a run. A worker that has ended is one only for those who wait for a run. */
  readonly failed: boolean;
  readonly stopped: boolean;
  readonly replies: readonly Run<State>[];
  /** The rows of submits that the worker has not answered for. */
  readonly rows: AgentSnapshot["queue"];
  /** The runs that wait on. */
  readonly waiting: readonly string[];
  /** The beginning of the next session, with these messages: JSON text. */
  save(messages: readonly Message[]): string;
}

/** The submits that the session has not answered. */
export const unansweredOf = <State>({ list }: Pick<PendingIntents<State>, "list">): PendingIntent<State>[] =>
  list.filter(({ run, kept, done }) => run && kept && !done);

/** The remains of the session, as long as nothing of it was forgotten. */
export function remainsOf<State>(
  client: Pick<LinkClient<State>, "read" | "parts" | "resumes">,
  pending: PendingIntents<State>,
  lastSave: LastSave<State>,
  { died, read, replies: open }: SessionLoss<State>,
): Remains<State> {
  const shown = client.read();
  const { saves, threadId } = client.parts()!.settings;
  const { isLoading: running, runId, messages: answered } = pending.confirmed();
  const stopped = pending.list.some(({ stops }) => stops);
  const failed = !died || shown.isLoading || (!stopped && pending.list.some(({ run }) => run?.ticket !== undefined && !run.part));
  const { save: inherited, thread } = lastSave.inherit({ shown, failed, running, resumes: client.resumes(), saves });
  const queued = queuedOf(unansweredOf(pending).filter(({ run, waits }) => waits && run?.id !== runId));
  const rows = queued.map(({ runId: id, messages }) => ({ id: "", runId: id, messages }));
  // Messages that the user has added since, by a submit or an edit, stand in the shown snapshot alone.
  const answeredKeys = new Set(answered.map(messageKey));
  const unanswered = shown.messages.filter((message) => message.role === "user" && !answeredKeys.has(messageKey(message)));
  const waiting = saves || !failed ? [] : [...shown.queue, ...rows].flatMap(({ messages }) => messages);
  const replies = stopped ? [] : open;
  return {
    ...{ failed, stopped, replies, rows },
    waiting: [...shown.queue.map((row) => row.runId), ...replies.map(({ id }) => id)],
    save: (messages) => {
      if (!died && !read) return "";
      const all = thread === shown ? messages : union(thread.messages, [...unanswered, ...waiting], messageKey);
      return composeSave(inherited, { threadId, messages: all, state: thread.state }, saves ? queued : []);
    },
  };
}
