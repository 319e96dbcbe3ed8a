// A person's decisions about calls of tools.

import type { Agent } from "../api/types.js";
import { act as toAct } from "../intents/act.js";
import type { Self } from "./self.js";

/** These methods of an agent. */
export function createDecisions<State>(self: Self<State>): Pick<Agent<State>, "addToolResult" | "approve" | "deny"> {
  const { thread, view, act } = self;
  const { link, source } = thread;

  const decide = (method: "settleCall" | "deny", data: object): void => {
    act();
    link.apply(toAct(method, data));
    if (!link.live()) thread.saves.save();
  };

  return {
    // The core says what is wrong with it.
    addToolResult: (reply) => decide("settleCall", { ...reply }),
    approve: (...replies: readonly unknown[]) => {
      act();
      // The person has seen these arguments: the core runs the call with no others. It may have to be loaded first.
      const { toolCalls } = view.read();
      const approve = (): void => source.parts()!.approve(self, toolCalls, replies);
      if (source.parts()) approve();
      else link.onceOpen(approve);
    },
    deny: (toolCallId, reason) => decide("deny", { toolCallId, reason }),
  };
}
