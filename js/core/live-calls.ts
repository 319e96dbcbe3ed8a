// The calls of a link where a session is open: applied at once where it is in this page. Where it answers later, they are
// pending until then, as they were guessed.

import type { AgentSnapshot } from "../api/types.js";
import { stopped } from "../snapshot/cut-off.js";
import { begun } from "../snapshot/project.js";
import type { CoreCall, LinkState, Live, LiveCalls, PendingIntent } from "./client.js";

/** These calls of that session. */
export function createLiveCalls<State>(
  read: () => AgentSnapshot<State>,
  shared: LinkState<State>,
  { ask, start, flush }: Pick<Live<State>, "ask" | "start" | "flush">,
): LiveCalls<State> {
  const { late } = shared;
  const call = ({ method, json }: CoreCall): boolean => ask((session) => session.call(method, json));

  /** Calls it by `act`; `step` is pending where that is answered later. */
  const tell = (act: () => void, step: PendingIntent<State>): Promise<void> | undefined => {
    const { live } = shared;
    act();
    return late?.open() && live === shared.live ? late.tell(step) : undefined;
  };

  /** Ends the run in progress: nothing more of it is shown, whatever is on the way. */
  const end = (how: CoreCall): Promise<void> | undefined => {
    const shown = read();
    // A submit that is queued begins next.
    const still = shown.queue.length || !shown.isLoading ? shown : stopped(shown);
    return tell(() => void call(how), { fold: () => still, stops: true });
  };

  const dequeue = (ticket: string, runId: string): true => {
    const fold: PendingIntent<State>["fold"] = (at) => ({ ...at, queue: at.queue.filter((row) => row.runId !== runId) });
    void tell(() => void call({ method: "cancel", json: ticket }), { fold });
    return true;
  };

  return {
    run: (run) => {
      const waits = read().isLoading || run.part === true || run.waits === true;
      // One that may be refused is in no save before it is taken.
      const kept = !!run.queued && !(waits && (run.ifBusy === "drop" || run.ifBusy === "reject"));
      void tell(() => start(run), { fold: (at) => (waits ? at : begun(run.fold(at), run.id)), run, kept, waits });
    },
    edit: (edit) => {
      let taken = false;
      void tell(() => (taken = call(edit)), { fold: edit.fold });
      return taken;
    },
    act: (intent) => void tell(() => void call(intent), { fold: (at) => at, intent, acts: true }),
    cancel: (run) => {
      const { runId, isLoading, queue } = read();
      const ticket = run.ticket ?? queue.find((row) => row.runId === run.id)?.id;
      if (ticket === undefined) return;
      if (isLoading && runId === run.id) void end({ method: "cancel", json: `${ticket}` });
      else dequeue(`${ticket}`, run.id);
    },
    cancelQueued: ({ id, runId }) => dequeue(id, runId),
    stop: () => end({ method: "stop" }),
    reset: (edit, applied) => {
      if (late?.open()) late.begins(edit);
      // One change for those who look, although it is several for the core.
      shared.held = [];
      try {
        let taken = false;
        const done = tell(() => (taken = call(edit)), { fold: edit.fold, applied });
        if (done) applied = undefined;
        return taken;
      } finally {
        shared.release(flush);
        applied?.();
      }
    },
  };
}
