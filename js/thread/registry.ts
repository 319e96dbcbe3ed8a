// The threads of this page, by their stores: agents with one store are views of one thread.

import type { AgentStore, SharingOptions, StoredThread } from "../api/saving.js";
import { inPage } from "../base/place.js";

interface RegistryEntry {
  /** The key of the store, or itself where it has none, or where what is global belongs to several users. */
  readonly place: string | AgentStore;
  /** The fixed options of a thread, as text. */
  readonly fixed: readonly string[];
  /** Held by its agents, and by what it works on. */
  readonly thread: WeakRef<StoredThread>;
}

const names = ["threadId", "dialect", "guard", "rules", "protocol", "limits"] as const;

let entries: readonly RegistryEntry[] = [];

/** The thread of an agent of these options, which the page may have already. Two of one store that differ have it in turn. */
export function shareThread<Thread extends StoredThread>(worker: boolean, options: SharingOptions, make: () => Thread): Thread {
  const store = options.persist!;
  const place = (inPage() && store.key) || store;
  const fixed = [...names.map((name) => `${name} ${JSON.stringify(options[name])}`), `worker ${worker}`];
  /** In what the agent differs. Without a thread id it has that of the save. */
  const differences = (entry: RegistryEntry): readonly string[] => fixed.filter((one, at) => one !== entry.fixed[at] && (at || options.threadId !== undefined));
  entries = entries.filter(({ thread }) => thread.deref()?.disposed() === false);
  const same = entries.filter((entry) => entry.place === place);
  const mine = same.find((entry) => !differences(entry).length);
  if (mine) return mine.thread.deref() as Thread;
  const thread = make();
  entries = [...entries, { place, fixed, thread: new WeakRef<StoredThread>(thread) }];
  if (same[0]) {
    const message = `Agents with other options use the store in turn: ${differences(same[0]).join(", ")}`;
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
