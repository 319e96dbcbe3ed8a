// The shapes of agentOS: rows of a ledger that are safe to show, and the frames that they become.

import type { JsonObject } from "../../api/protocol.js";

/** A row of the ledger without what a page must not see. */
export interface SafeLedgerEvent {
  /** The row's number in its ledger, from 1. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly ts: number;
  readonly kind: string;
  /** As `conversation:support`. */
  readonly scopeKey: string;
  /** The owner of the row: `@agent-os/runtime`, `@agent-os/workspace-job`, `@agent-os/workspace-op`, or a product. */
  readonly factOwnerRef: string;
  readonly safePayload?: JsonObject;
}

interface FrameBase {
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
}

/** A projected row: the AG-UI events that agentOS has, as it writes them. */
export type Frame =
  & FrameBase
  & (
    | { readonly type: "RUN_STARTED"; readonly threadId: string; readonly runId: string; readonly parentRunId?: string }
    | {
      readonly type: "RUN_FINISHED";
      readonly threadId: string;
      readonly runId: string;
      readonly result?: unknown;
      readonly outcome?: { readonly type: "success" };
    }
    | {
      readonly type: "RUN_ERROR";
      readonly message: string;
      readonly code?: string;
      readonly threadId?: string;
      readonly runId?: string;
    }
    | { readonly type: "TEXT_MESSAGE_START"; readonly messageId: string; readonly role: "assistant" }
    | { readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"; readonly messageId: string; readonly delta: string }
    | {
      readonly type:
        | "TEXT_MESSAGE_END"
        | "REASONING_START"
        | "REASONING_MESSAGE_END"
        | "REASONING_END";
      readonly messageId: string;
    }
    | { readonly type: "REASONING_MESSAGE_START"; readonly messageId: string; readonly role?: "reasoning" }
    | { readonly type: "TOOL_CALL_START"; readonly toolCallId: string; readonly toolCallName: string; readonly parentMessageId?: string }
    | { readonly type: "TOOL_CALL_ARGS"; readonly toolCallId: string; readonly delta: string }
    | { readonly type: "TOOL_CALL_END"; readonly toolCallId: string }
    | {
      readonly type: "TOOL_CALL_RESULT";
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role?: "tool";
    }
    | { readonly type: "CUSTOM"; readonly name: string; readonly value: unknown }
  );

/** A row with its frames, as one server-sent event carries it. */
export interface Envelope {
  readonly id: number;
  readonly ts: number;
  readonly kind: string;
  readonly scopeKey: string;
  /** `null`: nobody vouches for the row. Absent in streams of the first generation. */
  readonly safeEvent?: SafeLedgerEvent | null;
  readonly agUiFrames: readonly Frame[];
}
