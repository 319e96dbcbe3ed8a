// How a link comes away from a session and its runs: a stop, a reset, the end of the agent. For a suspension see js/persistence/saves.ts.

import type { AgentSnapshot } from "../api/types.js";
import { act } from "../intents/act.js";
import { cancelled } from "../snapshot/run.js";
import type { Intent } from "../intents/intent.js";
import type { LinkClient, LinkState } from "./client.js";

/** These methods of a link. */
export function createEndings<State>(client: LinkClient<State>, shared: LinkState<State>, apply: (intent: Intent<State>) => void) {
  const { read } = client;
  const { pending, settleAll } = shared;

  /** Before the core is there nothing streams that would be cut off. */
  const stopped = (at: AgentSnapshot<State>): AgentSnapshot<State> => (client.parts()?.stopped ?? cancelled)(at);

  return {
    stop: (): unknown => {
      const { live } = shared.home;
      if (live) return live.stop();
      const first = pending.first();
      if (first) pending.cancel(first);
      // Whether the replies that wait are all of them, and begin a run, is known to the core.
      else if (pending.list.some(({ run }) => run)) apply(act("stop"));
      return undefined;
    },
    /** Applies an intent that ends every run. */
    reset: (intent: Intent<State>): void => {
      const { live } = shared.home;
      if (!live) intent.applied?.();
      else if (live.apply(intent)) return;
      // Nothing of what was known before comes back.
      shared.lost = undefined;
      pending.end();
      shared.home = intent.save ? { at: "saved", last: intent.save } : {};
      pending.show(intent.fold(read()));
      settleAll("aborted");
    },
    dispose: (): void => {
      const { live } = shared.home;
      live?.flush();
      shared.home = { at: "ended", last: shared.home.last };
      live?.end();
      pending.end();
      const last = pending.confirmed();
      shared.release(() => {
        if (last.isLoading) pending.show({ ...stopped(last), queue: [] });
      });
      live?.report(last);
      settleAll("aborted");
    },
  };
}
