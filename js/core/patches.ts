// How what a session says becomes what is shown: patches, applied in parts where they take long, and shown when they are whole.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import { beginPatch, type Mark, type Patching } from "../snapshot/mirror.js";
import { createScheduler } from "../snapshot/notify.js";
import type { LinkClient } from "./client.js";
import { sliceMs, turn } from "./read.js";

/** The session whose patches are shown. */
export interface Patched<State> {
  /** The core has come to a boundary. */
  readonly checkpoint: Mark<AgentSnapshot<State>>;
  /** Looks at a snapshot before it is shown. */
  check(next: AgentSnapshot<State>): void;
  /** Whether it is the agent's, and what it says does not wait for the end of a batch. */
  shows(): boolean;
  takePatch(): string | undefined;
  fail(cause: unknown): void;
  /** Adds to an error what only the page knows. */
  explain(error: AgentError | undefined): void;
}

/** The patches of a session, applied to the shown snapshot. */
export interface Patches {
  /**
   * Brings the snapshot up to date. Where that takes until later than that time, the rest is done after the page has had its
   * turn, and nothing of it is shown before.
   */
  show(until: number): void;
  /** Does so soon. */
  schedule(): void;
  /** Does it once the snapshot shows all that has led to it. */
  onceShown(until: number, action: () => void): void;
  /** Whether a patch is not applied to its end. */
  partly(): boolean;
  /** Shows nothing more: the session is over. */
  clear(): void;
  /** Does what waits for being shown: it is shown, or the session is over and will show nothing. */
  leave(): void;
}

/** Shows nothing yet. */
export function createPatches<State>(client: LinkClient<State>, session: Patched<State>): Patches {
  type Snapshot = AgentSnapshot<State>;
  // A patch that is not applied to its end, with the checkpoints on its way; whether it continues in a task of its own.
  let patching: Patching<Snapshot> | undefined;
  const checkpoints: Parameters<Mark<Snapshot>>[] = [];
  let turning = false;
  // The last patch was: if it is of something that grows, the next one is as well.
  let large = false;
  // Actions that follow once the patch is shown.
  const unshown: (() => void)[] = [];
  const slice = (): number => performance.now() + sliceMs;
  const scheduler = createScheduler(client.options.notify ?? undefined, () => show(slice()));

  const show = (until: number): void => {
    scheduler.clear();
    if (!session.shows()) return;
    try {
      if (!advance(until)) return;
    } catch (error) {
      session.fail(error);
      return;
    }
    const { snapshot: next } = patching!;
    ({ large } = patching!);
    patching = undefined;
    for (const mark of checkpoints.splice(0)) session.checkpoint(...mark);
    if (next.error !== client.read().error) session.explain(next.error);
    session.check(next);
    client.publish(next);
    leave();
  };

  /** Applies what the core gives, until that time. False: there is nothing to show. */
  const advance = (until: number): boolean => {
    const overdue = (): boolean => until !== Infinity && !!patching?.parted && performance.now() > until;
    // The patch in progress lacks changes that have come since.
    let again = !!patching;
    for (;;) {
      while (patching?.step()) if (overdue()) return goOn();
      if (patching?.whole && !again) return true;
      const patch = session.takePatch();
      // In worker mode a part may be on its way.
      if (patch === undefined) return !!patching?.whole;
      if (patching?.whole) again = false;
      if (!patching || patching.whole) {
        patching = beginPatch(patching?.snapshot ?? client.read(), (...mark) => checkpoints.push(mark));
      }
      patching.take(patch);
      if (overdue()) return goOn();
    }
  };

  const goOn = (): false => {
    if (!turning) {
      turn(() => {
        turning = false;
        show(slice());
      });
    }
    turning = true;
    return false;
  };

  const leave = (): void => {
    for (const action of unshown.splice(0)) action();
  };

  return {
    show,
    schedule: () => scheduler.schedule(large),
    onceShown: (until, action) => {
      show(until);
      if (patching) unshown.push(action);
      else action();
    },
    partly: () => !!patching,
    clear: scheduler.clear,
    leave,
  };
}
