// `agent.send`: an event to the server over the connection that is open, if the guard lets it pass.

import type { Agent, Decision } from "../api/types.js";
import { toJson, unsupported } from "../base/failure.js";
import type { Self } from "./self.js";

type SendClient<State> = Pick<Self<State>, "thread" | "read" | "emitter" | "options" | "gone">;

/** `agent.send`. */
export function send<State>(self: SendClient<State>, event: Parameters<Agent["send"]>[0]): Decision {
  const { link, guard, channel } = self.thread;
  const unsent = (why: string): void => {
    if (!self.gone()) self.emitter.emit("warning", { code: "send-failed", message: `The server did not take an event that was sent: ${why}` });
  };

  const json = typeof event === "string" ? event : toJson(event);
  const judged = link.live()?.call("judgeInbound", json);
  const unjudged = { allowed: true, eventType: "", direction: "inbound", at: Date.now() } as const;
  const decision = judged ? JSON.parse(judged) : unjudged;
  if (!decision.allowed) return decision;
  const { threadId, runId = "" } = self.read();
  // A guard that is not there yet has not been asked.
  const judgeable = !guard || !!judged;
  const sent = judgeable && (channel?.current?.send(json) ?? self.options().transport?.send?.(json, { threadId, runId }));
  if (!sent) {
    throw unsupported("not-sent", "send() needs an open connection");
  }
  if (sent !== true) sent.then(({ ok, status }) => ok || unsent(`HTTP ${status}`), (cause: unknown) => unsent(String(cause)));
  return decision;
}
