// The news of a worker's session, which the page gets at the end of a task: patches of the snapshot, and saves without the
// thread, which the page has from the patches.

import type { Session } from "../glue/core.js";
import type { Pipe } from "./pipe.js";
import type { FromWorker } from "./session.js";

/** The changes and the save that the page has yet to get. */
export type Updates = ReturnType<typeof createUpdates>;

/** The saves that the page has yet to get. */
function createReports(pipe: Pipe<FromWorker>, session: () => Session | undefined) {
  // One is to be sent: now, after an act or an end, or when that costs little.
  let acted = false;
  let owed = false;
  let wanted: number | undefined;
  let saveAt = 0;
  let saving: ReturnType<typeof setTimeout> | undefined;
  return {
    /** Something was begun or has ended: the page gets a save at the end of this task. The core wants that of this number written. */
    acted: (number?: number): void => {
      acted = true;
      wanted = number ?? wanted;
    },
    /** Whether the page has yet to get that save. */
    hasActed: (): boolean => acted,
    /** The page gets the thread of the save. */
    owe: (): void => void (owed = true),
    send: (): void => {
      if (!owed) return;
      const now = performance.now();
      if (!acted && now < saveAt) {
        saving ??= setTimeout(() => {
          saving = undefined;
          pipe.wake();
        }, saveAt - now);
        return;
      }
      const record = session()?.call("record");
      acted = owed = false;
      if (!record) return;
      pipe.tell("saved", record, wanted);
      wanted = undefined;
      // Of a run in progress, a save is worth a thirtieth of the time.
      const end = performance.now();
      saveAt = end + 30 * (end - now);
    },
  };
}

/** Nothing has changed yet. */
export function createUpdates(pipe: Pipe<FromWorker>, session: () => Session | undefined) {
  const reports = createReports(pipe, session);
  // There are changes; the page knows that there are; they are sent now.
  let fresh = false;
  let posted = false;
  let due = false;
  // Of the guard, as the page knows them.
  let counters: string | undefined;

  const patch = (): void => {
    reports.owe();
    fresh = posted = due = false;
    const now = session()?.call("guardCounters");
    if (now !== counters) pipe.tell("counted", counters = now);
    for (let json; (json = session()?.takePatch()) !== undefined; pipe.part()) {
      pipe.tell("patch", json);
      // All of it; else it is a part, which the page gets in a task of its own.
      if (json.startsWith("[")) return;
    }
  };

  return {
    /** There are changes; `urgent`: the page gets them before it asks. */
    changed: (urgent: boolean): void => {
      fresh = true;
      due ||= urgent;
      pipe.wake();
    },
    /** The page gets what has changed at the end of this task. */
    show: (): void => {
      due = true;
      pipe.wake();
    },
    /** Sends what has changed and the save of that, now. */
    report: (): void => {
      reports.acted();
      patch();
      reports.send();
    },
    ...{ acted: reports.acted, hasActed: reports.hasActed },
    /** A message is about to be posted: adds what belongs to it. */
    post: (): void => {
      if (due || reports.hasActed()) patch();
      else if (fresh && !posted) {
        posted = true;
        pipe.tell("changed");
      }
      // A save goes with the thread that the page has got.
      if (!fresh) reports.send();
    },
  };
}
