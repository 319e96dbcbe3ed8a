// Methods of an agent that come beside its core: edits of what only the core brings, the approval of calls, events to the server.

import type { Agent, AgentSnapshot, Decision, PageTool, QueuedSubmit, ToolCall } from "../api/types.js";
import { reasonOf, toJson, unsupported } from "../base/failure.js";
import { isPromise } from "../base/promise.js";
import { changeQueued, hasQueued } from "../core/queued.js";
import { act } from "../intents/act.js";
import { cancel } from "../intents/cancel.js";
import { queuedEdit } from "../intents/edit-queued.js";
import { toFork } from "../intents/fork.js";
import type { QueuedIntent } from "../intents/intent.js";
import { toCoreInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

/** The submit that waits under that id, as it is. */
function rowOf<State>({ thread: { link, read } }: Self<State>, id: string): QueuedSubmit | undefined {
  link.live()?.flush();
  return read().queue.find((row) => row.id === id);
}

/** Changes it as this says. Where there is no session, nothing else has that written. */
function change<State>({ thread: { link, saves } }: Self<State>, id: string, next?: QueuedIntent<State>): boolean {
  const changed = changeQueued(link.shared, id, next);
  if (changed) saves.save();
  return changed;
}

/** Takes the submit that waits out of the queue. False if it no longer waits. */
export function cancelQueued<State>(self: Self<State>, id: string): boolean {
  const row = rowOf(self, id);
  const live = self.thread.link.live();
  if (!live) return change(self, id);
  // Also where the session is lost over it.
  if (row) live.apply(cancel(id, self.thread.read()));
  return !!row;
}

/** Gives the submit that waits another input. False if it no longer waits. */
export function editQueued<State>(self: Self<State>, id: string, input: Parameters<Agent<State>["editQueued"]>[1]): boolean {
  const { link, source, read } = self.thread;
  const row = rowOf(self, id);
  if (!(link.live() ? row : hasQueued(link.shared, id))) return false;
  const long = toSubmitInput("editQueued", input);
  const resume = long.resume && source.parts()?.toResume(long.resume, read());
  const { tools, pageTools, context, forwardedProps, ...core } = toCoreInput(self.options(), { ...long, runId: id }, resume);
  // Absent members stay as they were submitted.
  const replaced = {
    ...(long.tools && { tools, pageTools }),
    ...(long.context && { context }),
    ...(long.forwardedProps !== undefined && { forwardedProps }),
  };
  const hasId = typeof input === "object" && typeof input.message === "object" && input.message.id;
  /** It stays the same row of the page. */
  const edit = ([message]: QueuedSubmit["messages"] = []): QueuedIntent<State> => {
    const messages = message && !hasId ? core.messages.map((edited) => ({ ...edited, id: message.id })) : core.messages;
    return queuedEdit(id, { ...core, ...replaced, messages });
  };
  const intent = edit(row?.messages);
  const live = link.live();
  if (!live) return change(self, id, { ...intent, waiting: (old) => edit(old.messages).waiting(old) });
  live.apply(intent);
  return true;
}

/** Makes the thread what it was at that checkpoint. False if it is not known. */
export function fork<State>({ thread: { link, source, read } }: Self<State>, checkpoint: string): boolean {
  const then = source.parts()!.history.at(checkpoint) as AgentSnapshot<State> | undefined;
  if (then) link.reset(toFork(read().threadId, then));
  return !!then;
}

/** `agent.approve`, called with `replies` when these calls were shown: the call runs as it was shown, or with other arguments, if these fit its tool. */
export function approve<State>({ thread: { link, source, saves }, emitter, gone }: Self<State>, then: readonly ToolCall[], replies: readonly unknown[]): void {
  // Only tools execute. The core refuses other calls.
  const [first] = replies;
  const tool = typeof first === "object" && first && !("argsText" in first) ? (first as PageTool) : undefined;
  const [toolCall, args] = (tool ? replies.slice(1) : replies) as readonly [string | ToolCall, unknown];
  const toolCallId = typeof toolCall === "string" ? toolCall : toolCall?.id;
  const shown = typeof toolCall === "string" ? then.find(({ id }) => id === toolCallId) : toolCall;
  const approval = act<State>("approve", { toolCallId, args, seen: { name: shown?.name, argsText: shown?.argsText } });
  const pass = (): void => {
    if (gone()) return;
    link.apply(approval);
    if (!link.live()) saves.save();
  };
  const refuse = (cause: unknown): void => {
    const message = `The call ${toolCallId} is not approved, and waits: ${reasonOf(cause)}`;
    emitter.emit("warning", { code: "approval-invalid", message });
  };
  if (tool && shown && tool.name !== shown.name) return refuse(`it is a call of ${shown.name}, not of ${tool.name}`);
  if (args === undefined) return pass();
  try {
    const judged = source.parts()!.calls.check(shown?.name, JSON.parse(approval.json!).args);
    if (isPromise(judged)) judged.then(pass, refuse);
    else pass();
  } catch (cause) {
    refuse(cause);
  }
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
