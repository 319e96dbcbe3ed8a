// The threads of this page, by their stores: agents with one store are views of one thread.

import type { AgentStore, SharingOptions, StoredThread } from "../api/saving.js";
import { inPage } from "../base/place.js";
import { createMembers } from "./members.js";

interface Entry {
  /** The key of the store, or itself where it has none, or where what is global belongs to several users. */
  readonly place: string | AgentStore;
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Held by its agents, and by what it works on. */
  readonly thread: WeakRef<StoredThread>;
}

let entries: readonly Entry[] = [];

/** What is fixed for a thread. */
const fixed = ["threadId", "dialect", "guard", "rules", "protocol", "limits"] as const;

/** The thread of an agent of these options, which the page may have already. Two of one store that differ have it in turn. */
export function shareThread<Thread extends StoredThread>(worker: boolean, given: SharingOptions, make: (members: unknown) => Thread): Thread {
  const store = given.persist!;
  const place = (inPage() ? store.key : undefined) ?? store;
  const options = Object.fromEntries([...fixed.map((name) => [name, JSON.stringify(given[name])]), ["worker", String(worker)]]);
  /** In what the agent differs from those of a thread. Without a thread id it has that of the save. */
  const differences = (entry: Entry): readonly string[] =>
    Object.keys(options).filter((name) => options[name] !== entry.options[name] && !(name === "threadId" && options[name] === undefined));
  entries = entries.filter(({ thread }) => thread.deref()?.disposed() === false);
  const same = entries.filter((entry) => entry.place === place);
  const mine = same.find((entry) => !differences(entry).length)?.thread.deref();
  if (mine) return mine as Thread;
  const thread = make(createMembers());
  entries = [...entries, { place, options, thread: new WeakRef<StoredThread>(thread) }];
  const [other] = same;
  if (other) {
    const message = `Another agent of this page has the store, with another ${differences(other).join(", ")}: the two use it in turn`;
    // The application has no agent to listen to before.
    queueMicrotask(() => thread.emitter.emit("warning", { code: "store-shared", message }));
  }
  return thread;
}

/** Ends all threads of this page that have a store, as if the page was left: the next agent with it begins with what was saved. */
export function forgetThreads(): void {
  for (const { thread } of entries) thread.deref()?.dispose();
  entries = [];
}
