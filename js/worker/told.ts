// The calls of a session that answers later. What each will do to the snapshot is guessed, and is pending until the answer.

import type { AgentSnapshot } from "../api/types.js";
import type { LinkState, LiveCalls, PendingIntent } from "../core/client.js";
import { begins as beginning } from "../intents/run.js";
import { stopped } from "../snapshot/cut-off.js";

/** The link of such a session. */
export interface ToldClient<State> {
  /** Returns what is shown. */
  read(): AgentSnapshot<State>;
  shared(): LinkState<State>;
  /** The session was told these; resolves when it has answered. Nothing where it is in the page. */
  tell(...told: PendingIntent<State>[]): Promise<void> | undefined;
  /** The agent begins anew, as this save. */
  begins(save: string | undefined): void;
}

/** The calls, made by `calls`. */
export function createToldCalls<State>({ read, shared, tell, begins }: ToldClient<State>, calls: LiveCalls<State>): LiveCalls<State> {
  /** Calls by `act`; `step` is pending until that is answered. */
  const told = (act: () => void, step: () => PendingIntent<State>): Promise<void> | undefined => {
    const { live } = shared().home;
    act();
    // It may be lost over it.
    return live === shared().home.live ? tell(step()) : undefined;
  };

  /** Ends the run in progress: nothing more of it is shown, whatever is on the way. */
  const end = (act: () => void): Promise<void> | undefined => {
    const shown = read();
    // A submit that is queued begins next.
    const still = shown.queue.length || !shown.isLoading ? shown : stopped(shown);
    return told(act, () => ({ fold: () => still, stops: true }));
  };

  const dequeue = (act: () => void, runId: string): void => {
    void told(act, () => ({ fold: (at) => ({ ...at, queue: at.queue.filter((row) => row.runId !== runId) }) }));
  };

  return {
    ...calls,
    run: (run) => {
      const waits = !!(read().isLoading || run.part || run.waits);
      // One that may be refused is in no save before it is taken.
      const kept = !!run.queued && !(waits && /drop|reject/.test(run.ifBusy));
      void told(() => calls.run(run), () => ({ fold: waits ? (at) => at : beginning(run), run, kept, waits }));
    },
    edit: (edit) => {
      let taken = false;
      void told(() => (taken = calls.edit(edit)), () => ({ ...edit }));
      return taken;
    },
    act: (act) => void told(() => calls.act(act), () => ({ fold: (at) => at, acts: true, ...act })),
    cancel: (run) => {
      const { runId, isLoading } = read();
      const act = (): void => calls.cancel(run);
      if (isLoading && runId === run.id) void end(act);
      else dequeue(act, run.id);
    },
    cancelQueued: (row) => dequeue(() => calls.cancelQueued(row), row.runId),
    stop: () => end(() => void calls.stop()),
    reset: (edit, applied) => {
      begins(edit.save);
      let taken = false;
      const answered = told(() => (taken = calls.reset(edit)), () => ({ fold: edit.fold, applied }));
      if (!answered) applied?.();
      return taken;
    },
  };
}
