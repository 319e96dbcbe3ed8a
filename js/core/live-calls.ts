// The calls of a link where a session is open, which applies them at once.

import type { AgentSnapshot } from "../api/types.js";
import { call as guarded } from "../base/call.js";
import { belongs } from "../base/run-id.js";
import type { SessionMethods } from "../glue/core.js";
import { cancel } from "../intents/cancel.js";
import type { CoreCall } from "../intents/intent.js";
import { stop } from "../intents/stop.js";
import type { Calls, IntentTaker, LinkState, Live, LiveCalls } from "./client.js";
import type { Unshown } from "./unshown.js";

interface Doing<State> {
  readonly unshown: Unshown<State>;
  /** The session has said this save. */
  said(json: string): void;
}

/** These calls of that session. */
export function createLiveCalls<State>(
  read: () => AgentSnapshot<State>,
  shared: LinkState<State>,
  { ask, start, flush, abandonAll, unshown, said }: Pick<Live<State>, "ask" | "start" | "flush"> & Pick<Calls, "abandonAll"> & Doing<State>,
): LiveCalls<State> {
  const { late } = shared;
  const call = ({ method, json }: CoreCall): boolean => ask((session) => session.call(method, json));
  const value: LiveCalls<State>["call"] = (method, json) => {
    let result: SessionMethods[typeof method] | undefined;
    return ask((session) => (result = session.call(method, json))) ? result : undefined;
  };
  const intake: IntentTaker<State> = {
    run: (run) => {
      unshown.add({ fold: run.fold, run });
      start(run);
    },
    apply: (intent) => {
      // A decision may be what the session is lost at, and the loss itself ends what is stopped.
      if (!intent.acts && !intent.stops && !intent.resets) unshown.add(intent);
      if (!intent.resets) return call(intent);
      abandonAll();
      // One change for those who look, although it is several for the core.
      shared.held = [];
      try {
        return call(intent);
      } finally {
        shared.release(flush);
        intent.applied?.();
      }
    },
  };
  const { run, apply } = late?.taking(intake) ?? intake;
  return {
    ...{ run, apply, call: value, keep: late?.keep ?? (() => {}) },
    cancel: ({ id }) => void apply(cancel(id, read())),
    stop: () => {
      // Their results are of no use from now on, also where somebody has answered the call meanwhile.
      if (read().isLoading) abandonAll();
      return apply(stop(read()));
    },
    save: () => {
      if (late) return late.save();
      let json: string | undefined;
      guarded(() => (json = value("save")) && said(json));
      return json;
    },
    report: ({ runId, isLoading }) => {
      if (!isLoading || runId === undefined || [...shared.runs].some(({ id }) => belongs(runId, id))) return;
      // It follows on calls, or is one of an earlier session.
      shared.report(undefined, { runId, outcome: "aborted" });
    },
  };
}
