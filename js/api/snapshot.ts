// The snapshot of an agent.

import type { Attachment } from "./attachments.js";
import type { AgentError } from "./error.js";
import type { Interrupt, Message, TokenUsage } from "./protocol.js";

/** How a run ended. `truncated`: the stream stopped before the agent said that it was done. */
export type RunOutcome = "success" | "error" | "aborted" | "interrupted" | "cancelled" | "truncated";

/** A tool call of the thread. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments, parsed; while they stream, the longest valid reading so far. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments as the model wrote them. */
  readonly argsText: string;
  readonly status: "running" | "complete" | "error";
  readonly phase:
    | "input-streaming"
    | "input-available"
    | "awaiting-approval"
    | "executing"
    | "output-available"
    | "output-error"
    | "denied";
  /** The content of the tool's message: parsed where it is JSON, else text, or content parts. */
  readonly result?: unknown;
  /** The message of a tool that failed. */
  readonly error?: string;
  /** The assistant message that holds the call. */
  readonly messageId: string;
  readonly subagentRunId?: string;
}

/** A named step of a run. */
export interface Step {
  readonly name: string;
  readonly status: "running" | "complete" | "error";
  readonly subagentRunId?: string;
  readonly durationMs?: number;
}

/** An invocation of a subagent, with those it started itself. */
export interface Subagent {
  readonly subagentRunId: string;
  readonly name: string;
  readonly description?: string;
  readonly parentSubagentRunId?: string;
  readonly parentToolCallId?: string;
  readonly parentMessageId?: string;
  readonly status: "running" | "complete" | "suspended" | "error";
  readonly result?: unknown;
  readonly error?: string;
  readonly interruptIds?: readonly string[];
  readonly children: readonly Subagent[];
}

/** The clock of a run. */
export interface RunTiming {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** From the start to the first piece of text, reasoning or tool call. */
  readonly firstTokenMs?: number;
  /** From the start to the end. Absent during the run. */
  readonly durationMs?: number;
}

/** The wire. */
export interface Connection {
  readonly phase: "closed" | "connecting" | "open" | "reconnecting";
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly retryAt?: number;
  readonly lastEventId?: string;
}

/** A submit that waits until the thread is free, or its attachments are ready. */
export interface QueuedSubmit {
  /** The id of its run: it stays the same as long as the submit waits, also after a reload and in other tabs. */
  readonly id: string;
  readonly messages: readonly Message[];
  /** The same id. */
  readonly runId: string;
  /** The files of a submit that waits for them; `messages` has the parts of those that are ready. */
  readonly attachments?: readonly Attachment[];
}

/** How the thread stands at the agent's server: see the option `thread`. */
export interface ThreadState {
  /**
   * `loading`: it is being opened, and what is submitted waits. `error`: that has failed; `load()` tries again. `new`: the server does not
   * have it, and it is empty. `ready`: it is here, or the options do not say how it is opened.
   */
  readonly status: "new" | "loading" | "ready" | "error";
  /** Whether `loadOlder()` may bring messages before the first one. */
  readonly hasOlder: boolean;
}

/** Everything that is known about an agent. Immutable: what did not change keeps its identity (`===`). */
export interface AgentSnapshot<State = unknown> {
  readonly threadId: string;
  readonly thread: ThreadState;
  /** The run in progress, or else the last one. */
  readonly runId: string | undefined;
  readonly status: "idle" | "running" | "error";
  readonly isLoading: boolean;
  readonly error: AgentError | undefined;
  readonly messages: readonly Message[];
  /** Every call of the thread, in order. */
  readonly toolCalls: readonly ToolCall[];
  readonly state: State;
  /** How the last run ended. */
  readonly outcome: RunOutcome | undefined;
  /** Open questions of the agent; reply with `resume()`. */
  readonly interrupts: readonly Interrupt[];
  readonly subagents: readonly Subagent[];
  readonly steps: readonly Step[];
  /** Summed by provider and model. */
  readonly usage: readonly TokenUsage[];
  readonly timing: RunTiming | undefined;
  readonly queue: readonly QueuedSubmit[];
  readonly connection: Connection;
}

/** A boundary of a run or a step, at which `agent.at()` knows the snapshot. */
export interface Checkpoint {
  /** Names it within its agent. */
  readonly id: string;
  readonly kind: "run-started" | "run-finished" | "step-started" | "step-finished";
  readonly runId: string;
  /** Of a step. */
  readonly stepName?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
