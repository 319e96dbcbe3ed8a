// What is kept of an agent between two visits: the form of a save, where it is put, and when.

import { AgentError } from "./error.js";
import { call } from "./emitter.js";
import type { Message } from "./protocol.js";
import { isPromise } from "./tools.js";

/** What `agent.save()` gives: plain JSON, with more in it than an application has to know. */
export interface SavedAgent {
  /** The version of the form. */
  readonly v: 1;
  readonly threadId: string;
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/** A place for one save. */
export interface AgentStore {
  /** What was saved last, or nothing. */
  load(): SavedAgent | undefined | Promise<SavedAgent | undefined>;
  save(saved: SavedAgent): void | Promise<void>;
  clear(): void | Promise<void>;
}

/** Whatever was stored, as a save of this thread; throws if it is none. */
export function readSaved(value: unknown, threadId: string | undefined): SavedAgent {
  const saved = value as Partial<SavedAgent>;
  if (typeof saved !== "object" || !saved) throw refusal("it is no object");
  if (saved.v !== 1) throw refusal(`it is of version ${JSON.stringify(saved.v)}, and this package reads version 1`);
  if (typeof saved.threadId !== "string") throw refusal("it has no thread id");
  if (threadId !== undefined && saved.threadId !== threadId) {
    throw refusal(`it is of thread ${saved.threadId}, and not of ${threadId}`);
  }
  const whole = (message: Partial<Message> | null): boolean =>
    typeof message?.id === "string" && typeof message.role === "string";
  if (!Array.isArray(saved.messages) || !saved.messages.every(whole)) throw refusal("its messages are damaged");
  return saved as SavedAgent;
}

/** The error of a save that cannot be read. The agent is empty then. */
export function refusal(cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AgentError({ kind: "unsupported", code: "restore", message: `The save is not used: ${reason}`, cause });
}

/** Saves an agent in time. */
export interface Keeper {
  /** Something has changed. */
  touch(): void;
  /** Something has ended that must not be lost. */
  save(): void;
  dispose(): void;
}

/** A keeper that has nothing to save yet. `failed` hears of a store that does not take it. */
export function createKeeper(store: AgentStore, read: () => SavedAgent | Promise<SavedAgent>, failed: (cause: unknown) => void): Keeper {
  let changed = false;
  let busy = false;
  let listening = false;

  // At once, because the page may be gone soon; but never two at a time, or the older one might come last.
  const save = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (changed) {
      changed = false;
      try {
        const saved = read();
        // Only a worker's has to be waited for.
        await store.save(isPromise(saved) ? await saved : saved);
      } catch (cause) {
        call(failed, cause);
      }
    }
    busy = false;
  };
  const hide = (): void => {
    if (document.visibilityState === "hidden") void save();
  };

  return {
    touch: () => {
      changed = true;
      // An agent that nothing happens to, such as the second one of React's StrictMode, has nothing to say.
      if (listening || typeof document !== "object") return;
      listening = true;
      document.addEventListener("visibilitychange", hide);
    },
    save: () => void save(),
    dispose: () => {
      if (listening) document.removeEventListener("visibilitychange", hide);
    },
  };
}
