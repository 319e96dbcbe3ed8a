// What a person approves: the call as it was shown, perhaps with other arguments, if these fit its tool.

import { isPromise } from "../base/promise.js";
import { reasonOf, toJson } from "../base/failure.js";
import type { Parts } from "../core/client.js";
import type { Agent, PageTool, ToolCall } from "../api/types.js";
import type { Self } from "./self.js";

type Client<State> = Pick<Self<State>, "link" | "read" | "emitter" | "disposed" | "act">;

/** `agent.approve`. `parts` come with the core. */
export function createApprove<State>(self: Client<State>, parts: () => Parts | undefined): Agent<State>["approve"] {
  const { link, read } = self;

  /** `json`: as the core reads it. */
  const approve = (json: string): void => {
    if (!self.disposed()) link.act((session) => void session.approve(json));
  };

  const decide = (tool: PageTool | undefined, toolCall: string | ToolCall, args: unknown): void => {
    self.act();
    const toolCallId = typeof toolCall === "string" ? toolCall : toolCall?.id;
    // What the person has looked at: the core runs nothing else.
    const shown = typeof toolCall === "string" ? read().toolCalls.find(({ id }) => id === toolCallId) : toolCall;
    const json = toJson({ toolCallId, args, seen: { name: shown?.name, argsText: shown?.argsText } });
    const refuse = (cause: unknown): void => {
      const message = `The call ${toolCallId} is not approved, and waits: ${reasonOf(cause)}`;
      self.emitter.emit("warning", { code: "approval-invalid", message });
    };
    if (tool && shown && tool.name !== shown.name) return refuse(`it is a call of ${shown.name}, not of ${tool.name}`);
    if (args === undefined) return approve(json);
    const check = (): void => {
      try {
        const judged = parts()!.calls.check(shown?.name, JSON.parse(json).args);
        if (isPromise(judged)) judged.then(() => approve(json), refuse);
        else approve(json);
      } catch (cause) {
        refuse(cause);
      }
    };
    // The core may have to come first.
    if (parts()) check();
    else link.act(check);
  };

  return (of: string | ToolCall | PageTool, ...rest: readonly unknown[]): void => {
    // Only tools execute. What is neither is for the core to refuse.
    if (typeof of === "object" && of && !("argsText" in of)) decide(of, rest[0] as string | ToolCall, rest[1]);
    else decide(undefined, of, rest[0]);
  };
}
