// The form of a save: what is kept of an agent between two visits.

import { AgentError } from "../api/error.js";
import type { Message, TokenUsage } from "../api/protocol.js";
import type { SavedAgent } from "../api/saving.js";

/** Whatever was stored, as a save of this thread; throws if it is none. */
export function readSaved(value: unknown, threadId: string | undefined): SavedAgent {
  const saved = value as Partial<Saved>;
  if (typeof saved !== "object" || !saved) throw refusal("it is no object");
  if (saved.v !== 1) throw refusal(`it is of version ${JSON.stringify(saved.v)}, and this package reads version 1`);
  if (typeof saved.threadId !== "string") throw refusal("it has no thread id");
  if (threadId !== undefined && saved.threadId !== threadId) {
    throw refusal(`it is of thread ${saved.threadId}, and not of ${threadId}`);
  }
  const whole = (message: Partial<Message> | null): boolean =>
    typeof message?.id === "string" && typeof message.role === "string";
  const { messages, queue = [] } = saved;
  const lists = [messages, queue].every(Array.isArray);
  if (!lists || queue.includes(null as never) || !messages!.every(whole)) throw refusal("it is damaged");
  return saved as SavedAgent;
}

/** The error of a save that cannot be read. The agent is empty then. */
export function refusal(cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AgentError({ kind: "unsupported", code: "restore", message: `The save is not used: ${reason}`, cause });
}

/** What the core writes of a save beside the thread. */
export interface Saved extends SavedAgent {
  readonly runId?: string;
  readonly running?: boolean;
  readonly interrupts: readonly { readonly id: string }[];
  readonly handled: readonly string[];
  readonly unsent: readonly string[];
  readonly untold?: readonly { readonly call: string }[];
  readonly failed?: readonly string[];
  readonly turn?: unknown;
  readonly resumed?: unknown;
  readonly queue: readonly Queued[];
  readonly usage?: readonly TokenUsage[];
}

/** A submit that waits, as a save has it. */
export interface Queued {
  readonly start: "submit" | "retry" | "regenerate";
  readonly runId: string;
  readonly messages: readonly Message[];
}
