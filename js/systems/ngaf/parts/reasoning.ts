// Reasoning, which the contract folds into the message of the same id, with the time that it took.

import type { AnswersPart } from "./answers.js";
import type { Messages } from "./messages.js";

/** Nothing is reasoned for yet. */
export function createReasoning(messages: Messages, answers: AnswersPart, now: () => number) {
  const begun = new Map<string, number>();
  return {
    /** Whether a message is being reasoned for. */
    has: (id: string): boolean => begun.has(id),
    start: (id: string): void => {
      begun.set(id, now());
      answers.open(id, (message) => ({ ...message, reasoning: "" }));
    },
    add: (id: string, delta: string): void => messages.edit(id, (message) => ({ ...message, reasoning: (message.reasoning ?? "") + delta })),
    end: (id: string): void => {
      const since = begun.get(id);
      if (since === undefined) return;
      begun.delete(id);
      messages.edit(id, (message) => ({ ...message, reasoningDurationMs: Math.round(now() - since) }));
    },
  };
}
