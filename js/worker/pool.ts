// The worker that all agents of an entry share: a thread, a heap and a compiled core cost far more than a session in it. It
// begins when it is first needed, and ends with the last session. One that fails is replaced when it is needed again.

import type { Started } from "./serve.js";
import { createWatch } from "./watch.js";
import { later } from "../base/timer.js";

/**
 * Where the script is while a module of the package runs from the folder in which Vite, during development, keeps what it
 * makes of packages: before version 8 it looks for the script in there too (https://github.com/vitejs/vite/issues/8427).
 */
export function beyondVite(module: string | undefined, file: string): (() => Worker) | undefined {
  const [, modules] = /^(.*\/node_modules)\/\.vite\/deps\//.exec(module ?? "") ?? [];
  return modules === undefined ? undefined : () => new Worker(`${modules}/ag-ui-wasm/${file}`, { type: "module" });
}

type SpawnedWorker = ReturnType<typeof start>;

/** The worker of an entry, and what is made in its place when it is gone. */
interface WorkerSlot {
  current: SpawnedWorker | undefined;
  /** So many agents wait for a worker, and have yet to open a session in it. */
  getting: number;
  /** The functions that the entry has, without those that have failed. */
  spawners: (() => Worker)[];
}

const pools = new WeakMap<() => Worker, WorkerSlot>();

function start(shared: WorkerSlot, spawn: () => Worker, startMs: number) {
  // Throws where the platform has none.
  const worker = spawn();
  const users = new Set<(reason: string) => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let die = (_reason: string): void => {};
  const watch = createWatch(() => worker.postMessage(undefined), (reason) => die(reason));
  const ready = new Promise<void>((resolve, reject) => {
    die = (reason) => {
      clearTimeout(timer);
      watch.end();
      if (shared.current === place) shared.current = undefined;
      reject(new Error(reason));
      worker.terminate();
      for (const died of [...users]) died(reason);
      users.clear();
    };
    worker.onmessage = ({ data }: MessageEvent<Started | undefined>) => {
      watch.received();
      if (data?.refused) return die(data.refused.message);
      // The worker may end while it loads its core.
      if (data?.lock !== undefined) watch.begun(data.lock);
      // Another script than ours says other things.
      if (!data?.started) return;
      clearTimeout(timer);
      place.started = true;
      resolve();
    };
    worker.onerror = (event) => {
      // The agents report it, or it is no error because they do without.
      event.preventDefault?.();
      die(event.message || "its script was refused or could not be loaded");
    };
    timer = later(startMs, () => die(`its script has sent nothing for ${startMs} ms`));
  });
  // An application that does not ask has no need to know.
  ready.catch(() => {});
  const place = { spawn, worker, ready, started: false, users, watch };
  return place;
}

/** A worker when there is one. */
export type Pool = ReturnType<typeof poolOf>;

/**
 * The pool of an entry that makes workers by `spawn`, or by `second` where that fails; or, for this agent, by `custom` alone.
 * A worker that is there is taken, whatever it was made by.
 */
export function poolOf(spawn: () => Worker, second: (() => Worker) | undefined, startMs: number, custom?: () => Worker) {
  let shared = pools.get(spawn);
  if (!shared) {
    const spawners = second ? [spawn, second] : [spawn];
    shared = { current: undefined, getting: 0, spawners };
    pools.set(spawn, shared);
  }
  const maker = (): () => Worker => custom ?? shared.spawners[0]!;

  const get = async (): Promise<void> => {
    for (;;) {
      let used = maker();
      try {
        const place = (shared.current ??= start(shared, used, startMs));
        used = place.spawn;
        return await place.ready;
      } catch (cause) {
        // Otherwise another one was tried, by or for another agent.
        if (used !== maker()) continue;
        if (custom || shared.spawners.length < 2) throw cause;
        shared.spawners.shift();
      }
    }
  };

  return {
    /** Rejects where no worker can be had. */
    ready: (): Promise<void> => {
      shared.getting++;
      return get().finally(() => void shared.getting--);
    },
    /** Whether there is one, which has begun. */
    has: (): boolean => !!shared.current?.started,
    /** A way to the worker. `died` hears of its end. */
    open: (died: (reason: string) => void) => {
      const { port1, port2 } = new MessageChannel();
      const place = (shared.current ??= start(shared, maker(), startMs));
      place.worker.postMessage(undefined, [port2]);
      place.users.add(died);
      /** Whether the page waits for something of it. */
      const working = (on: boolean): void => place.watch.working(port1, on);
      return {
        port: port1,
        working,
        close: (): void => {
          working(false);
          if (!place.users.delete(died) || place.users.size || shared.getting) return;
          if (shared.current === place) shared.current = undefined;
          place.watch.end();
          place.worker.terminate();
        },
      };
    },
  };
}
