// Methods of an agent that come beside its core: the way back to a checkpoint, events to the server.

import type { Agent, AgentSnapshot, Decision } from "../api/types.js";
import { toJson, unsupported } from "../base/failure.js";
import { toFork } from "../intents/fork.js";
import type { Self } from "./self.js";

/** Makes the thread what it was at that checkpoint. False if it is not known. */
export function fork<State>({ thread: { link, source, read } }: Self<State>, checkpoint: string): boolean {
  const then = source.parts()!.history.at(checkpoint) as AgentSnapshot<State> | undefined;
  if (then) link.reset(toFork(read().threadId, then));
  return !!then;
}

/** `agent.send`: an event to the server over the connection that is open, if the guard lets it pass. */
export function send<State>(self: Self<State>, event: Parameters<Agent["send"]>[0]): Decision {
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
