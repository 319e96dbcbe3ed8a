// The beginning of an agent: a save of the application's, or nothing. A store brings its own code (js/persistence) for
// reading, writing and sharing.

import { AgentError } from "../api/error.js";
import type { Beginning, Saves } from "../api/saves.js";
import type { AgentOptions } from "../api/types.js";
import { isPromise } from "../base/promise.js";
import { readSaved, refusal } from "../snapshot/save.js";
import type { Thread } from "./thread.js";

/** @internal */
export function createSaves<State>(options: AgentOptions<State>, thread: Thread<State>): Saves {
  const { link, shown, emitter } = thread;
  const { persist, restore } = options;
  let restoring: Promise<void> | undefined;

  const beginning: Beginning = {
    show: (value, text) => {
      if (value == null) return link.restore(undefined, text);
      const saved = readSaved(value, options.threadId);
      link.restore(shown.restored(saved), text ?? JSON.stringify(saved));
    },
    refuse: (cause) => {
      const error = AgentError.is(cause) ? cause : refusal(cause);
      // The application has no agent to listen to before.
      queueMicrotask(() => thread.disposed() || emitter.emit("error", error));
    },
  };
  const { show, refuse } = beginning;
  const fail = (cause: unknown): void => {
    link.restore();
    refuse(cause);
  };
  if (persist) return persist.open(options, thread, beginning);

  const own: Pick<Saves, "begin" | "ready"> = {
    begin: () => {
      try {
        if (restore) link.awaitSave();
        if (isPromise(restore)) restoring = restore.then(show).catch(fail);
        else show(restore);
      } catch (cause) {
        fail(cause);
      }
    },
    ready: async () => restoring,
  };
  const nothing = (): void => {};
  // The others do nothing.
  return new Proxy(own as Saves, { get: (_, name) => own[name as keyof typeof own] ?? nothing });
}
