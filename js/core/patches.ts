// How what a session says becomes what is shown: patches, applied in parts where they take long, and shown when they are whole.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import { Patching, type Mark } from "../snapshot/mirror.js";
import { createScheduler } from "../snapshot/notify.js";
import type { LinkClient } from "./client.js";
import { sliceMs, turn } from "./turn.js";

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

/** A patch that is being applied, with the checkpoints on its way; `takePatch` gives the next one, or a part of it, for what `read` shows. */
function createApplying<Snapshot extends AgentSnapshot<unknown>>(read: () => Snapshot, takePatch: () => string | undefined) {
  let patching: Patching<Snapshot> | undefined;
  const checkpoints: Parameters<Mark<Snapshot>>[] = [];
  return {
    /** Applies what the core gives, until that time. `true`: there is something to show; `undefined`: the rest is done later. */
    advance: (until: number): boolean | undefined => {
      const overdue = (): boolean => until !== Infinity && !!patching?.parted && performance.now() > until;
      // The patch in progress lacks changes that have come since.
      let again = !!patching;
      for (;;) {
        while (patching?.step()) if (overdue()) return undefined;
        if (patching?.whole && !again) return true;
        const patch = takePatch();
        // In worker mode a part may be on its way.
        if (patch === undefined) return !!patching?.whole;
        if (patching?.whole) again = false;
        if (!patching || patching.whole) patching = new Patching(patching?.snapshot ?? read(), (...mark) => checkpoints.push(mark));
        patching.take(patch);
        if (overdue()) return undefined;
      }
    },
    /** The snapshot to show, once; `large`: it is of something that grows. */
    take: () => {
      const { snapshot, large } = patching!;
      patching = undefined;
      return { snapshot, large, checkpoints: checkpoints.splice(0) };
    },
    /** Whether a patch is not applied to its end. */
    partly: (): boolean => !!patching,
  };
}

/** The patches of a session, applied to the shown snapshot. */
export type Patches = ReturnType<typeof createPatches>;

/** Shows nothing yet. */
export function createPatches<State>(client: LinkClient<State>, session: Patched<State>) {
  const applying = createApplying(client.read, session.takePatch);
  // It continues in a task of its own.
  let turning = false;
  // The last patch was: if it is of something that grows, the next one is as well.
  let large = false;
  // Actions that follow once the patch is shown.
  const unshown: (() => void)[] = [];
  const slice = (): number => performance.now() + sliceMs;
  const scheduler = createScheduler(client.options.notify ?? undefined, () => show(slice()));

  /**
   * Brings the snapshot up to date. Where that takes until later than that time, the rest is done after the page has had its
   * turn, and nothing of it is shown before.
   */
  const show = (until: number): void => {
    scheduler.clear();
    if (!session.shows()) return;
    try {
      const whole = applying.advance(until);
      if (whole === undefined) goOn();
      if (!whole) return;
    } catch (error) {
      session.fail(error);
      return;
    }
    const { snapshot: next, checkpoints, large: grows } = applying.take();
    large = grows;
    for (const mark of checkpoints) session.checkpoint(...mark);
    if (next.error !== client.read().error) session.explain(next.error);
    session.check(next);
    client.publish(next);
    leave();
  };

  const goOn = (): void => {
    if (!turning) {
      turn(() => {
        turning = false;
        show(slice());
      });
    }
    turning = true;
  };

  /** Does what waits for being shown: it is shown, or the session is over and will show nothing. */
  const leave = (): void => {
    for (const action of unshown.splice(0)) action();
  };

  return {
    ...{ show, leave },
    /** Does so soon. */
    schedule: (): void => scheduler.schedule(large),
    /** Does it once the snapshot shows all that has led to it. */
    onceShown: (until: number, action: () => void): void => {
      show(until);
      if (applying.partly()) unshown.push(action);
      else action();
    },
    partly: applying.partly,
    /** Shows nothing more: the session is over. */
    clear: scheduler.clear,
  };
}
