// The form of a save: what is kept of an agent between two visits.

import { AgentError } from "../api/error.js";
import type { Message, TokenUsage } from "../api/protocol.js";
import type { SavedAgent } from "../api/saving.js";
import { union } from "./compose.js";

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
  readonly queue: readonly Queued[];
  readonly usage?: readonly TokenUsage[];
}

/** A submit that waits, as a save has it. */
export interface Queued {
  readonly start: "submit" | "retry" | "regenerate";
  readonly runId: string;
  readonly messages: readonly Message[];
  /** Which of `tools`, `context` and `forwardedProps` it has of its own. */
  readonly own?: readonly string[];
}

/** Whether nothing was said or changed between two saves: JSON texts. */
export function sameThread(one: string, other: string): boolean {
  const [then, now] = [JSON.parse(one), JSON.parse(other)] as [Saved, Saved];
  return (["messages", "state", "queue"] as const).every((part) => JSON.stringify(then[part]) === JSON.stringify(now[part]));
}

/** Two saves as one, where the newer was made by an agent that did not know the older: nothing of either is lost. */
export function mergeSaves(older: string, newer: string): string {
  const [old, own] = [JSON.parse(older), JSON.parse(newer)] as [Saved, Saved];
  const itself = (id: string): string => id;
  const byId = ({ id }: { readonly id: string }): string => id;
  return JSON.stringify({
    ...old,
    ...own,
    messages: union(old.messages, own.messages, byId),
    interrupts: union(old.interrupts, own.interrupts, byId),
    handled: union(old.handled, own.handled, itself),
    unsent: union(old.unsent, own.unsent, itself),
    untold: union(old.untold, own.untold, ({ call }) => call),
    // The reader adds up what belongs to one model.
    usage: [...(old.usage ?? []), ...(own.usage ?? [])],
    queue: union(old.queue, own.queue, ({ runId }) => runId).filter(({ runId }) => runId !== own.runId),
  });
}
