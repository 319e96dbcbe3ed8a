// Approves a call as it was shown, or with other arguments, if these fit its tool.

import { isPromise } from "../base/promise.js";
import { reasonOf } from "../base/failure.js";
import { act } from "../intents/act.js";
import type { PageTool, ToolCall } from "../api/types.js";
import type { Self } from "./self.js";

/** `agent.approve`, called with `replies` when these calls were shown. */
export function approve<State>(
  { thread: { link, source }, emitter, gone }: Pick<Self<State>, "thread" | "emitter" | "gone">,
  then: readonly ToolCall[],
  replies: readonly unknown[],
): void {
  // Only tools execute. The core refuses other calls.
  const [first] = replies;
  const tool = typeof first === "object" && first && !("argsText" in first) ? (first as PageTool) : undefined;
  const [toolCall, args] = (tool ? replies.slice(1) : replies) as readonly [string | ToolCall, unknown];
  const toolCallId = typeof toolCall === "string" ? toolCall : toolCall?.id;
  const shown = typeof toolCall === "string" ? then.find(({ id }) => id === toolCallId) : toolCall;
  const approval = act<State>("approve", { toolCallId, args, seen: { name: shown?.name, argsText: shown?.argsText } });
  const pass = (): void => {
    if (!gone()) link.apply(approval);
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
