// Tools of the page.

import type { Agent } from "./agent.js";
import type { JsonObject } from "./protocol.js";

/** A validator of any library that keeps to Standard Schema (https://standardschema.dev), such as zod or valibot. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The result of a validator. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The second argument of a tool. */
export interface ToolContext {
  /** Aborted when the run is stopped: the result is ignored. */
  readonly signal: AbortSignal;
  readonly toolCallId: string;
  readonly agent: Agent;
}

// A method's parameters are compared both ways, so tools of all kinds of arguments fit into one list.
type AsksApproval<Args> = { ask(args: Args): boolean }["ask"];

/** A tool of the page, with what the page does when the agent calls it. */
export interface PageTool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, or a validator, which checks them before `execute`. */
  readonly parameters?: StandardSchema<Args> | object | undefined;
  /** JSON Schema of the arguments, where `parameters` is a validator that cannot tell it itself. */
  readonly jsonSchema?: object | undefined;
  /**
   * Checks the results of the tool's calls, with the agent's option `schemas`. One that does not fit is a warning, `result-invalid`.
   */
  readonly result?: StandardSchema | undefined;
  readonly metadata?: JsonObject | undefined;
  /**
   * Runs a call, once its arguments are complete; exactly once a call. The result goes to the agent as JSON, what it
   * throws as an error. Without it, the call waits for `agent.addToolResult`.
   */
  execute?(args: Args, context: ToolContext): unknown;
  /** Whether a person has to `approve` or `deny` a call before it runs. Default: `false`. */
  readonly needsApproval?: boolean | AsksApproval<Args> | undefined;
  /** Whether the agent is run again with the result. Default: `true`. */
  readonly followUp?: boolean | undefined;
  /**
   * Only declared: the agent neither executes a call nor waits for its result, and `RunResult.pendingToolCallIds` names it.
   * Default: `false`.
   */
  readonly declared?: boolean | undefined;
}
