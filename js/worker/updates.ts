// The news of a worker's session, which the page gets at the end of a task: patches of the snapshot, and saves without the
// thread, which the page has from the patches.

import type { Session } from "../glue/core.js";
import type { Pipe } from "./pipe.js";
import type { FromWorker } from "./session.js";

/** The changes and the save that the page has yet to get. */
export type Updates = ReturnType<typeof createUpdates>;

/** Nothing has changed yet. */
export function createUpdates(pipe: Pipe<FromWorker>, session: () => Session | undefined) {
  // There are changes: new ones, or some that were reported to the page.
  let changes: "new" | "changed" | undefined;
  // They are sent now.
  let due = false;
  // The page has changes whose save it does not have: it gets that from this time on.
  let owed = false;
  let saveAt = 0;
  let saving: ReturnType<typeof setTimeout> | undefined;
  // The number of the save that the core wants written.
  let wanted: number | undefined;
  // Of the guard, as the page knows them.
  let counters: string | undefined;

  const patch = (): void => {
    owed = true;
    due = false;
    changes = undefined;
    const now = session()?.call("guardCounters");
    if (now !== counters) pipe.tell("counted", counters = now);
    for (let json; (json = session()?.takePatch()) !== undefined; pipe.part()) {
      pipe.tell("patch", json);
      // All of it; else it is a part, which the page gets in a task of its own.
      if (json.startsWith("[")) return;
    }
  };

  const save = (): void => {
    if (!owed) return;
    const now = performance.now();
    if (now < saveAt) {
      saving ??= setTimeout(() => {
        saving = undefined;
        pipe.wake();
      }, saveAt - now);
      return;
    }
    const record = session()?.call("record");
    owed = false;
    if (!record) return;
    pipe.tell("saved", record, wanted);
    wanted = undefined;
    // Of a run in progress, a save is worth a thirtieth of the time.
    const end = performance.now();
    saveAt = end + 30 * (end - now);
  };

  const show = (): void => {
    due = true;
    pipe.wake();
  };

  return {
    /** There are changes; `urgent`: the page gets them before it asks. */
    changed: (urgent: boolean): void => {
      changes ??= "new";
      due ||= urgent;
      pipe.wake();
    },
    /** The page gets what has changed at the end of this task. */
    show,
    /** Something was begun or has ended: the page gets a save at the end of this task, too. The core wants that of this number written. */
    acted: (number = wanted): void => {
      wanted = number;
      saveAt = 0;
      show();
    },
    /** Sends what belongs to a message that is about to be posted. */
    post: (): void => {
      if (due) patch();
      else if (changes === "new") pipe.tell(changes = "changed");
      // A save goes with the thread that the page has got.
      if (!changes) save();
    },
  };
}
