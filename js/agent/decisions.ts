// A person's decisions about calls of tools.

import type { Agent, PageTool, ToolCall } from "../api/types.js";
import { expect, expectJson } from "../base/failure.js";
import { act as toAct } from "../intents/act.js";
import type { Self } from "./self.js";

/** These methods of an agent. */
export function createDecisions<State>(self: Self<State>): Pick<Agent<State>, "addToolResult" | "approve" | "deny"> {
  const { thread, view, act } = self;
  const { link } = thread;

  const decide = (method: "settleCall" | "approve" | "deny", data: object): void => {
    act();
    link.apply(toAct(method, data));
    if (!link.live()) thread.saves.save();
  };

  return {
    // The core says what else is wrong with it.
    addToolResult: (reply) => {
      const answer = Object(reply);
      if ("result" in answer) expectJson("result", answer.result ?? null);
      // Otherwise it stands under another client's name for it, and would be lost.
      else if (Object.keys(answer)[1]) expect("result, error", "string", answer.error);
      decide("settleCall", answer);
    },
    approve: (...replies: readonly unknown[]) => {
      const isCall = typeof replies[0] === "string" || "argsText" in Object(replies[0]);
      const [tool, given, args] = (isCall ? [undefined, ...replies] : replies) as [tool?: PageTool, given?: string | ToolCall, args?: unknown];
      const call = typeof given === "string" ? view.read().toolCalls.find(({ id }) => id === given) : given;
      if (args != null) expect("args", "object", args);
      // The person has seen these arguments: the core runs the call with no others. It may have to be loaded first.
      const { id = given, name, argsText } = Object(call);
      decide("approve", { toolCallId: id, tool: tool?.name, args, seen: { name, argsText } });
    },
    deny: (toolCallId, reason) => decide("deny", { toolCallId, reason }),
  };
}
