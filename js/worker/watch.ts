// Notices that a worker has ended without an error event: after `terminate()`, `close()`, or out of memory.
//
// The worker holds a Web Lock for as long as it lives, and the page asks for the same lock: it is granted when the worker
// has ended. Where there are no locks (insecure contexts, Node), the worker is asked for an answer while a session of it is at work.

const PING_MS = 5000;
// A worker that is at work answers late, and the timers of a page that was frozen come before the answers.
const UNANSWERED = 4;

/** Asks for a lock. Rejects where it cannot be had. */
const requestLock = async (name: string, granted: () => unknown): Promise<void> => void (await navigator.locks.request(name, granted));

/** Holds a lock as long as this worker lives. Its name; `undefined` where the platform gives none. */
export async function holdLife(): Promise<string | undefined> {
  // Node has locks as well, and no page to ask for them.
  if (!("WorkerGlobalScope" in globalThis)) return undefined;
  const name = `ag-ui-wasm worker ${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  return new Promise((resolve) => {
    const hold = (): Promise<never> => {
      resolve(name);
      return new Promise(() => {});
    };
    requestLock(name, hold).catch(() => resolve(undefined));
  });
}

/** Calls `died` when the worker that `ping` asks for an answer has ended. */
export function createWatch(ping: () => void, died: (reason: string) => void) {
  let pings = true;
  let ended = false;
  const atWork = new Set<object>();
  let unanswered = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  const update = (): void => {
    const on = pings && !ended && atWork.size > 0;
    if (on === (timer !== undefined)) return;
    clearInterval(timer);
    timer = undefined;
    unanswered = 0;
    if (!on) return;
    timer = setInterval(() => {
      if (unanswered++ >= UNANSWERED) died("it has not answered for some time");
      else ping();
    }, PING_MS);
    (timer as { unref?(): void }).unref?.();
  };

  return {
    /** The worker holds the lock of this name. */
    begun: (lock: string): void => {
      pings = false;
      update();
      const granted = (): void => {
        if (!ended) died("it has ended");
      };
      requestLock(lock, granted).catch(() => {
        pings = true;
        update();
      });
    },
    /** The worker has said something. */
    received: (): void => void (unanswered = 0),
    /** A session of the worker begins or ends to be at work. */
    working: (session: object, on: boolean): void => {
      atWork[on ? "add" : "delete"](session);
      update();
    },
    end: (): void => {
      ended = true;
      update();
    },
  };
}
