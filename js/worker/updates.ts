// The news of a worker's session, which the page gets at the end of a task: patches of the snapshot, and saves without the
// thread, which the page has from the patches.

import type { Session } from "../glue/core.js";
import type { Pipe } from "./pipe.js";
import type { FromWorker } from "./session.js";

/** The changes and the save that the page has yet to get. */
export interface Updates {
  /** There are changes; `urgent`: the page gets them before it asks. */
  changed(urgent: boolean): void;
  /** The page gets what has changed at the end of this task. */
  show(): void;
  /** Sends what has changed, now. */
  patch(): void;
  /** Something was begun or has ended: the page gets a save at the end of this task. */
  acted(): void;
  /** Whether the page has yet to get that save. */
  hasActed(): boolean;
  /** A message is about to be posted: adds what belongs to it. */
  post(session: Session): void;
}

/** Nothing has changed yet. */
export function createUpdates(pipe: Pipe<FromWorker>, session: () => Session | undefined): Updates {
  // There are changes; the page knows that there are; they are sent now.
  let fresh = false;
  let posted = false;
  let due = false;
  // A save's part beside the thread is to be sent: now, after an act or an end, or when that costs little.
  let acted = false;
  let owed = false;
  let saveAt = 0;
  let saving: ReturnType<typeof setTimeout> | undefined;
  // Of the guard, as the page knows them.
  let counters: string | undefined;

  const patch = (): void => {
    fresh = posted = due = false;
    const now = session()?.call("guardCounters");
    if (now !== counters) pipe.tell("counted", counters = now);
    for (let json; (json = session()?.takePatch()) !== undefined; pipe.part()) {
      pipe.tell("patch", json);
      // All of it; else it is a part, which the page gets in a task of its own.
      if (json.startsWith("[")) return;
    }
  };

  const save = (from: Session): void => {
    const now = performance.now();
    if (!acted && now < saveAt) {
      saving ??= setTimeout(() => {
        saving = undefined;
        pipe.wake();
      }, saveAt - now);
      return;
    }
    acted = owed = false;
    pipe.tell("saved", from.call("record"));
    // Of a run in progress, a save is worth a thirtieth of the time.
    const end = performance.now();
    saveAt = end + 30 * (end - now);
  };

  return {
    changed: (urgent) => {
      fresh = true;
      due ||= urgent;
      pipe.wake();
    },
    show: () => {
      due = true;
      pipe.wake();
    },
    patch,
    acted: () => void (acted = true),
    hasActed: () => acted,
    post: (from) => {
      if (due || acted) {
        patch();
        owed = true;
      } else if (fresh && !posted) {
        posted = true;
        pipe.tell("changed");
      }
      // A save goes with the thread that the page has got.
      if (owed && !fresh) save(from);
    },
  };
}
