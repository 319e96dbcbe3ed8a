// The form of a save, and the stores that keep it between two visits.

import type { AgentWarning } from "./agent.js";
import type { CommonOptions } from "./options.js";
import type { Message } from "./protocol.js";
import type { OpenSaves } from "./saves.js";

/** The result of `agent.save()`: plain JSON, with more in it than an application has to know. */
export interface SavedAgent {
  /** The version of the form. */
  readonly v: 1;
  readonly threadId: string;
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/** The options of `createStore`: the functions of a place for one save. */
export interface StoreOptions {
  /**
   * Names the place among all stores of the origin: agents whose stores have the same key write one at a time, in this
   * page and in all tabs. Default: the store is identified by its object, in this page.
   */
  readonly key?: string | undefined;
  /** Whether saves that overlap take effect in the order of the calls. Otherwise the next one waits for the last. */
  readonly ordered?: boolean | undefined;
  /** Returns the last save, or nothing. */
  load(): SavedAgent | undefined | Promise<SavedAgent | undefined>;
  save(saved: SavedAgent): void | Promise<void>;
  clear(): void | Promise<void>;
  /**
   * Keeps a save that cannot be used, for whoever looks for the reason: the next save takes its place, and there is the warning `quarantined`. Where the core has
   * failed at it, the agent continues with the messages, the state and what was done. Default: it is not kept.
   */
  readonly quarantine?: ((saved: SavedAgent) => void | Promise<void>) | undefined;
  /**
   * A second place, for the record that is written with every save: what has changed since the last save that is there, so that nothing is
   * lost although the next one does not fit. Where it refuses that, it gets what promises depend on (the calls that were executed, the queue, the run, what was typed).
   * Default: none, and a save that fails takes all that with it.
   */
  readonly record?: RecordStore | undefined;
  /**
   * A third place, which takes and gives at once: for what a page says that does not own the store, because it has not answered yet, or another tab owns it.
   * The next page that owns it takes that from there. Default for a store with a `key`: in `sessionStorage`, under `ag-ui-wasm:<key>`, where the next page of
   * the same tab finds it. Without one, what such a page has said is lost when it is left.
   */
  readonly inbox?: RecordStore | undefined;
}

/** A place for the record of a save, or for the inbox, as JSON has it. `clear` of the store clears it too. */
export interface RecordStore {
  load(): unknown;
  save(record: object): void | Promise<void>;
}

/** A place for one save: what `localStorageStore`, `indexedDbStore` and `createStore` return. */
export interface AgentStore extends StoreOptions {
  /** Comes with the store: how an agent is saved there. A page without a store loads none of it. */
  readonly open: OpenSaves;
  /** Comes with it as well: the thread of an agent of these options, which another agent of the page may have made. */
  readonly share: <Thread extends StoredThread>(worker: boolean, options: SharingOptions, make: () => Thread) => Thread;
}

/** The options that must be the same for agents that share a thread. */
export type SharingOptions = Pick<CommonOptions, "persist" | "threadId" | "dialect" | "guard" | "rules" | "protocol" | "limits">;

/** A thread, as its store knows it. */
export interface StoredThread {
  disposed(): boolean;
  dispose(): void;
  readonly emitter: { emit(name: "warning", warning: AgentWarning): void };
}

/** How an agent is saved by the option `persist`. */
export interface SavingOptions {
  /** Milliseconds between two saves during a run, and after an edit. Default: 1000. */
  readonly everyMs?: number | undefined;
  /** Milliseconds that a request or a page's tool waits at most for the save before it. Default: 300. */
  readonly waitMs?: number | undefined;
  /** Milliseconds that a submit waits at most for what the store has. Default: 3000. */
  readonly loadMs?: number | undefined;
  /**
   * Milliseconds that a run of components goes on after the last of them is unmounted; then it is saved and hung up, and the next component
   * begins with the save. Default: until the run has ended.
   */
  readonly linger?: number | undefined;
  /**
   * Whether nothing may happen that the store knows nothing of: where it refuses the save and its record, or has not answered within
   * `waitMs`, the run fails (code `not-saved`) before its request is sent, and a call of the page has an error. Default: `false`.
   */
  readonly required?: boolean | undefined;
}
