// The worker that all agents of a page share: a thread, a heap and a compiled core cost far more than a session in it. It
// begins when it is first needed, and ends with the last session. One that fails is replaced when it is needed again.

import type { Started } from "./worker-serve.js";

/** A worker when there is one. */
export interface Pool {
  /** Rejects where no worker can be had. */
  ready(): Promise<void>;
  /** Why the last one could not be had. */
  refusal(): Error;
  /** A way to the worker. `died` hears of its end. */
  open(died: (reason: string) => void): { readonly port: MessagePort; close(): void };
}

/**
 * Where the script is while a module of the package runs from the folder in which Vite, during development, keeps what it
 * makes of packages: before version 8 it looks for the script in there too (https://github.com/vitejs/vite/issues/8427).
 */
export function beyondVite(module: string | undefined, file: string): (() => Worker) | undefined {
  const [, modules] = /^(.*\/node_modules)\/\.vite\/deps\//.exec(module ?? "") ?? [];
  return modules === undefined ? undefined : () => new Worker(`${modules}/ag-ui-wasm/${file}`, { type: "module" });
}

interface Place {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  readonly users: Set<(reason: string) => void>;
}

const pools = new WeakMap<() => Worker, Pool>();

/** The pool of workers that the function makes, or the second one where the first one fails. */
export function poolOf(spawn: () => Worker, second?: () => Worker): Pool {
  let pool = pools.get(spawn);
  if (!pool) pools.set(spawn, (pool = createPool(spawn, second)));
  return pool;
}

function createPool(spawn: () => Worker, second?: () => Worker): Pool {
  let current: Place | undefined;
  let getting: Promise<void> | undefined;
  let refusal = new Error("none was asked for");

  const start = (): Place => {
    // Throws where the platform has none.
    const worker = spawn();
    const users: Place["users"] = new Set();
    const started = new Promise<void>((resolve, reject) => {
      const die = (reason: string): void => {
        if (current === place) current = undefined;
        refusal = new Error(reason);
        reject(refusal);
        worker.terminate();
        for (const died of [...users]) died(reason);
      };
      worker.onmessage = ({ data }: MessageEvent<Started>) => (data.refused ? die(data.refused.message) : resolve());
      worker.onerror = (event) => {
        // It is told of by the agents, or is no error because they do without.
        event.preventDefault?.();
        die(event.message || "its script was refused or could not be loaded");
      };
    });
    // Who does not ask has no need to know.
    started.catch(() => {});
    const place: Place = { worker, ready: started, users };
    return place;
  };

  const get = async (): Promise<void> => {
    try {
      await (current ??= start()).ready;
    } catch (cause) {
      refusal = cause instanceof Error ? cause : new Error(String(cause));
      if (!second) throw refusal;
      spawn = second;
      second = undefined;
      await get();
    }
  };

  return {
    ready: () => (getting ??= get().finally(() => (getting = undefined))),
    refusal: () => refusal,
    open: (died) => {
      const { port1, port2 } = new MessageChannel();
      const place = (current ??= start());
      place.worker.postMessage(undefined, [port2]);
      place.users.add(died);
      return {
        port: port1,
        close: () => {
          // Who waits for it has yet to open a session.
          if (!place.users.delete(died) || place.users.size || getting) return;
          if (current === place) current = undefined;
          place.worker.terminate();
        },
      };
    },
  };
}
