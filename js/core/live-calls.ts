// The calls of a link where a session is open, which applies them at once.

import { call as guarded } from "../base/call.js";
import { belongs } from "../base/run-id.js";
import type { SessionMethods } from "../glue/core.js";
import { cancel } from "../intents/cancel.js";
import type { CoreCall, Intent } from "../intents/intent.js";
import { begins } from "../intents/run.js";
import { stop } from "../intents/stop.js";
import type { Live, PendingIntent } from "./client.js";
import type { Seat } from "./seat.js";

type LiveCalls<State> = Pick<Live<State>, "run" | "apply" | "call" | "keep" | "cancel" | "stop" | "save" | "report">;

/** These calls of that session. */
export function createLiveCalls<State>({ client, shared, home, ask, flush, said }: Seat<State>, start: Live<State>["start"]): LiveCalls<State> {
  const [{ read }, { approve, calls, settings, saved }, { late, pending }] = [client, client.parts()!, shared];
  const call = ({ method, json }: CoreCall): boolean => ask((session) => session.call(method, json));
  const value: LiveCalls<State>["call"] = (method, json) => {
    let result: SessionMethods[typeof method] | undefined;
    return ask((session) => (result = session.call(method, json))) ? result : undefined;
  };
  /** Has it done, and keeps it among the pending: until that is shown, or until a session that answers later has answered. */
  const tell = <Done>(told: PendingIntent<State>, act: () => Done): Done | Promise<void> => {
    // A decision may be what the session is lost at, and the loss itself ends what is stopped.
    if (!late && !told.acts && !told.stops && !told.resets) pending.list.push(told);
    const done = act();
    return late ? late.tell(told) : done;
  };
  const reset = (intent: Intent<State>): boolean => {
    late?.resets(intent);
    home()?.begun.clear();
    calls.abandonAll();
    // One change for those who look, although it is several for the core.
    shared.held = [];
    try {
      return call(intent);
    } finally {
      shared.release(flush);
      if (!late) intent.applied?.();
    }
  };
  const apply: LiveCalls<State>["apply"] = (intent) => {
    if (intent.method !== "approve" || intent.judged) return tell({ ...intent }, () => (intent.resets ? reset(intent) : call(intent)));
    approve(intent.json!);
    return true;
  };
  return {
    run: (run) => {
      const waits = !!(read().isLoading || run.part || run.waits);
      void tell({ fold: waits ? (at) => at : begins(run), run, waits }, () => start(run));
    },
    ...{ apply, call: value, keep: () => late?.write() },
    cancel: ({ id }) => void apply(cancel(id, read())),
    stop: () => {
      // Their results are of no use from now on, also where somebody has answered the call meanwhile.
      if (read().isLoading) calls.abandonAll();
      return apply(stop(read()));
    },
    save: () => {
      if (late) return late.save();
      let json: string | undefined;
      guarded(() => (json = value("save")) && (json = saved(json)) && settings.saves && said(json));
      return json;
    },
    report: ({ runId, isLoading }) => {
      if (!isLoading || runId === undefined || [...shared.runs].some(({ id }) => belongs(runId, id))) return;
      // It follows on calls, or is one of an earlier session.
      shared.report(undefined, { runId, outcome: "aborted" });
    },
  };
}
