// A session that answers later. What it is told is pending until the answer.

import type { IntentTaker, LateCore, LinkClient, LinkState, PendingIntent } from "../core/client.js";
import { begins } from "../intents/run.js";
import { composeSave } from "../snapshot/compose.js";
import type { Answers } from "./answers.js";
import type { LastSave } from "./last-save.js";
import type { RemoteSession } from "./session.js";

/** The way in of such sessions; `session`: the current one, or nothing where the core is in the page. */
export function createTold<State>(
  { read, empty }: LinkClient<State>,
  shared: () => LinkState<State>,
  lastSave: LastSave<State>,
  answers: Answers<State>,
  session: () => RemoteSession | undefined,
): Pick<LateCore<State>, "taking" | "opened" | "answered" | "keep"> {
  /** It has these to do; resolves when it has answered. */
  const tell = (...pending: PendingIntent<State>[]): Promise<void> | undefined => {
    const current = session();
    return current && answers.tell(current, ...pending);
  };

  /** Tells it by `take`. */
  const told = <Taken>(take: () => Taken, pending: PendingIntent<State>): Taken | Promise<void> => {
    const { live } = shared().home;
    const taken = take();
    // It may be lost over it.
    return (live === shared().home.live && tell(pending)) || taken;
  };

  const taking = (intake: IntentTaker<State>): IntentTaker<State> => ({
    run: (run) => {
      const waits = !!(read().isLoading || run.part || run.waits);
      // One that may be refused is in no save before it is taken.
      const kept = !!run.queued && !(waits && /drop|reject/.test(run.ifBusy));
      void told(() => intake.run(run), { fold: waits ? (at) => at : begins(run), run, kept, waits });
    },
    apply: ({ applied, ...intent }) => {
      const { method, resets, save, runId } = intent;
      if (method === "cancel" && runId !== undefined) lastSave.cancelled(runId);
      if (resets) {
        // Nothing that the worker has reported before comes back.
        for (const step of shared().pending.list) step.kept = false;
        lastSave.begins(save ?? composeSave(undefined, empty()));
        // It ends the replies so far: one that is sent from now on is none of theirs.
        for (const run of shared().runs) run.part &&= intent;
      }
      const taken = told(() => intake.apply(intent), { ...intent, applied });
      if (typeof taken === "boolean") applied?.();
      return taken;
    },
  });

  return {
    taking,
    opened: (all) => {
      const shown = shared().pending.confirmed();
      // Decisions are not told anew should it be lost: they may be what it is lost at.
      const runs = all.flatMap(({ run }) => (run ? [{ fold: () => shown, run, kept: !!run.queued }] : []));
      void tell({ fold: () => shown }, ...runs);
    },
    ...{ answered: answers.drop, keep: answers.keep },
  };
}
