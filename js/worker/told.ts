// A session that answers later. What it is told is pending until the answer.

import type { AgentSnapshot } from "../api/types.js";
import type { Intake, LinkState, PendingIntent } from "../core/client.js";
import { begins as beginning } from "../intents/run.js";

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

/** The session that takes it by `intake`. */
export function createToldCalls<State>({ read, shared, tell, begins }: ToldClient<State>, intake: Intake<State>): Intake<State> {
  /** Calls by `take`; it is pending until that is answered. */
  const told = <Taken>(take: () => Taken, pending: PendingIntent<State>): Taken | Promise<void> => {
    const { live } = shared().home;
    const taken = take();
    // It may be lost over it.
    return (live === shared().home.live && tell(pending)) || taken;
  };

  return {
    run: (run) => {
      const waits = !!(read().isLoading || run.part || run.waits);
      // One that may be refused is in no save before it is taken.
      const kept = !!run.queued && !(waits && /drop|reject/.test(run.ifBusy));
      void told(() => intake.run(run), { fold: waits ? (at) => at : beginning(run), run, kept, waits });
    },
    apply: ({ applied, ...intent }) => {
      if (intent.resets) begins(intent.save);
      const taken = told(() => intake.apply(intent), { ...intent, applied });
      if (typeof taken === "boolean") applied?.();
      return taken;
    },
  };
}
