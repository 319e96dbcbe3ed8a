// Changes that a person makes to the list: shown before the server has answered, and taken back when it refuses.

import type { ThreadInfo } from "../api/threads.js";

/** One change, as a function of the list. */
export interface Change {
  readonly threadId: string;
  readonly fold: (threads: readonly ThreadInfo[]) => readonly ThreadInfo[];
}

/** Members for a thread, which is put at the top where the list does not have it. */
export function merging(thread: Partial<ThreadInfo> & { readonly threadId: string }): Change {
  const { threadId } = thread;
  return {
    threadId,
    fold: (threads) => {
      const old = threads.find((one) => one.threadId === threadId);
      if (!old) return [thread, ...threads];
      const next = { ...old, ...thread };
      return same(old, next) ? threads : threads.map((one) => (one === old ? next : one));
    },
  };
}

/** Members for a thread that the list has; a thread that is gone stays gone. */
export function changing(threadId: string, members: Partial<ThreadInfo>): Change {
  const { fold } = merging({ ...members, threadId });
  return { threadId, fold: (threads) => (threads.some((one) => one.threadId === threadId) ? fold(threads) : threads) };
}

/** Takes a thread out of the list. */
export const removing = (threadId: string): Change => ({
  threadId,
  fold: (threads) => (threads.some((one) => one.threadId === threadId) ? threads.filter((one) => one.threadId !== threadId) : threads),
});

/** The threads by their ids. */
export const byId = (threads: readonly ThreadInfo[]): Map<string, ThreadInfo> => new Map(threads.map((thread) => [thread.threadId, thread]));

/** The threads in their order, each once, where it stood first; the later page knows more about it. An unchanged thread is the object of `old`. */
export function joined(old: readonly ThreadInfo[], threads: readonly ThreadInfo[]): readonly ThreadInfo[] {
  const known = byId(old);
  return [...byId(threads).values()].map((thread) => {
    const before = known.get(thread.threadId);
    return before && same(before, thread) ? before : thread;
  });
}

/** Whether two threads show the same. Metadata that a list brings is JSON. */
function same(a: ThreadInfo, b: ThreadInfo): boolean {
  return JSON.stringify(a, order(a)) === JSON.stringify(b, order(b));
}

const order = (thread: ThreadInfo): string[] | undefined => (thread.metadata ? undefined : Object.keys(thread).sort());
