// The calls of a link where a session is open, which applies them at once.

import type { AgentSnapshot } from "../api/types.js";
import type { SessionMethods } from "../glue/core.js";
import type { CoreCall, LinkState, Live, LiveCalls } from "./client.js";

/** These calls of that session. */
export function createLiveCalls<State>(
  read: () => AgentSnapshot<State>,
  shared: LinkState<State>,
  { ask, start, flush }: Pick<Live<State>, "ask" | "start" | "flush">,
): LiveCalls<State> {
  const call = ({ method, json }: CoreCall): boolean => ask((session) => session.call(method, json));
  const cancel = (ticket: number | string): boolean => call({ method: "cancel", json: `${ticket}` });
  return {
    run: start,
    edit: call,
    act: (intent) => void call(intent),
    call: (method, json) => {
      let value: SessionMethods[typeof method] | undefined;
      ask((session) => (value = session.call(method, json)));
      return value;
    },
    cancel: (run) => {
      const ticket = run.ticket ?? read().queue.find(({ runId }) => runId === run.id)?.id;
      if (ticket !== undefined) cancel(ticket);
    },
    cancelQueued: ({ id }) => void cancel(id),
    stop: () => void call({ method: "stop" }),
    reset: (edit, applied) => {
      // One change for those who look, although it is several for the core.
      shared.held = [];
      try {
        return call(edit);
      } finally {
        shared.release(flush);
        applied?.();
      }
    },
  };
}
