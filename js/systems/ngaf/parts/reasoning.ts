// Reasoning, which the contract folds into the message of the same id, with the time that it took.

import type { AnswersPart } from "./answers.js";
import type { Messages } from "./messages.js";

export interface Reasoning {
  /** Whether a message is being reasoned for. */
  has(id: string): boolean;
  start(id: string): void;
  add(id: string, delta: string): void;
  end(id: string): void;
}

export function createReasoning(messages: Messages, answers: AnswersPart, now: () => number): Reasoning {
  const begun = new Map<string, number>();
  return {
    has: (id) => begun.has(id),
    start: (id) => {
      begun.set(id, now());
      answers.open(id, (message) => ({ ...message, reasoning: "" }));
    },
    add: (id, delta) => messages.edit(id, (message) => ({ ...message, reasoning: (message.reasoning ?? "") + delta })),
    end: (id) => {
      const since = begun.get(id);
      if (since === undefined) return;
      begun.delete(id);
      messages.edit(id, (message) => ({ ...message, reasoningDurationMs: Math.round(now() - since) }));
    },
  };
}
