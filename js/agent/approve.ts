// What a person approves: the call as it was shown, perhaps with other arguments, if these fit its tool.

import { isPromise } from "../base/promise.js";
import type { Calls } from "../core/client.js";
import type { Agent, AgentSnapshot, PageTool, ToolCall } from "../api/types.js";

/** What an approval works with. */
export interface ApproveClient<State> {
  /** Does it once the core is there, with the calls of the page. */
  ready(action: (calls: Calls) => void): void;
  /** Before anything that changes something. */
  act(): void;
  toJson(value: unknown): string;
  read(): AgentSnapshot<State>;
  /** `json`: as the core reads it. */
  approve(toolCallId: string, json: string): void;
  /** It is not approved, and waits. */
  warn(message: string): void;
}

/** `agent.approve`. */
export function createApprove<State>({ ready, act, toJson, read, approve, warn }: ApproveClient<State>): Agent<State>["approve"] {
  const decide = (tool: PageTool | undefined, toolCall: string | ToolCall, args: unknown): void => {
    act();
    const toolCallId = typeof toolCall === "string" ? toolCall : toolCall.id;
    // What the person has looked at: the core runs nothing else.
    const shown = typeof toolCall === "string" ? read().toolCalls.find(({ id }) => id === toolCallId) : toolCall;
    const json = toJson({ toolCallId, args, seen: { name: shown?.name, argsText: shown?.argsText } });
    const refuse = (cause: unknown): void =>
      warn(`The call ${toolCallId} is not approved, and waits: ${cause instanceof Error ? cause.message : String(cause)}`);
    if (tool && shown && tool.name !== shown.name) return refuse(`it is a call of ${shown.name}, not of ${tool.name}`);
    if (args === undefined) return approve(toolCallId, json);
    ready((calls) => {
      try {
        const judged = calls.check(shown?.name, JSON.parse(json).args);
        if (isPromise(judged)) judged.then(() => approve(toolCallId, json), refuse);
        else approve(toolCallId, json);
      } catch (cause) {
        refuse(cause);
      }
    });
  };

  return (of: string | ToolCall | PageTool, ...rest: readonly unknown[]): void => {
    // Only calls have the text of their arguments.
    if (typeof of === "string" || "argsText" in of) decide(undefined, of, rest[0]);
    else decide(of, rest[0] as string | ToolCall, rest[1]);
  };
}
