// Types of an agent's data that follow from validators, and the agent that has these types.

import type { Agent, Answer, CustomEventData, ResumeAnswer, RunResult } from "./agent.js";
import type { AgentAddress, CommonOptions } from "./options.js";
import type { Interrupt, JsonObject } from "./protocol.js";
import type { AgentSnapshot, ToolCall } from "./snapshot.js";
import type { StandardSchema } from "./tools.js";

/** Validators by what they check. Any library of Standard Schema; synchronous ones. */
export interface AgentSchemas<State = unknown> {
  /** Checked with every change. A state that does not fit is a warning, `state-invalid`. The state stays as it came: nothing is converted. */
  readonly state?: StandardSchema<State> | undefined;
  /** Of CUSTOM events, by name. Listeners get the validator's output. A value that does not fit is a warning, `custom-invalid`. */
  readonly custom?: { readonly [name: string]: StandardSchema } | undefined;
  /** Of the payloads of replies, by the interrupt's reason. A payload that does not fit is a warning, `interrupt-invalid`. */
  readonly interrupts?: { readonly [reason: string]: StandardSchema } | undefined;
  /**
   * How data that do not fit are handled. `keep` (default): they are shown. `drop`: the last state that fitted is shown, the event is
   * not reported, the call has no result, the reply is refused.
   */
  readonly invalid?: "keep" | "drop" | undefined;
}

/** The type of the values that a validator returns. */
type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : unknown;

/** A tool with the types that its validators give: what `tool()` returns. */
interface TypedTool {
  readonly name: string;
}

type ArgsOf<Tool> = Tool extends { readonly parameters: StandardSchema<infer Args> } ? Args
  : Tool extends { execute?(args: infer Args, ...rest: never): unknown } ? (unknown extends Args ? JsonObject : Args)
  : JsonObject;
type ResultOf<Tool> = Tool extends { readonly result?: StandardSchema<infer Result> | undefined } ? Result : unknown;

/** A call of one of these tools. While its arguments stream, some of their members may be missing. */
type CallOf<Tool> = Tool extends TypedTool ? Omit<ToolCall, "name" | "args" | "result"> & {
    readonly name: Tool["name"];
    readonly args: Partial<ArgsOf<Tool>> & ToolCall["args"];
    readonly result?: ResultOf<Tool>;
  }
  : never;

type CustomOf<Custom> = {
  [Name in keyof Custom & string]: { readonly type: "custom"; readonly name: Name; readonly data: OutputOf<Custom[Name]> };
}[keyof Custom & string];
type StateOf<Schemas> = Schemas extends { readonly state: StandardSchema<infer State> } ? State : unknown;
type CustomsOf<Schemas> = Schemas extends { readonly custom: infer Custom } ? CustomOf<Custom> : CustomEventData;
type InterruptsOf<Schemas> = Schemas extends { readonly interrupts: infer Interrupts }
  ? { [Reason in keyof Interrupts & string]: Interrupt & { readonly reason: Reason } }[keyof Interrupts & string]
  : Interrupt;
type PayloadOf<Schemas> = Schemas extends { readonly interrupts: infer Interrupts } ? OutputOf<Interrupts[keyof Interrupts]> : unknown;

/** The snapshot of an agent with schemas: `state`, `toolCalls` and `interrupts` have their types. */
export type TypedSnapshot<Schemas, Tools extends readonly TypedTool[]> = Omit<AgentSnapshot<StateOf<Schemas>>, "toolCalls" | "interrupts"> & {
  /** Narrowed by `name`. */
  readonly toolCalls: readonly (Tools extends readonly [] ? ToolCall : CallOf<Tools[number]>)[];
  /** Narrowed by `reason`. */
  readonly interrupts: readonly InterruptsOf<Schemas>[];
};

type TypedAnswer<Payload> = Answer & { readonly payload?: Payload };

/** An agent with schemas. It goes wherever an {@link Agent} does. */
export type TypedAgent<Schemas, Tools extends readonly TypedTool[] = []> = Omit<Agent<StateOf<Schemas>>, "getSnapshot" | "on" | "resume"> & {
  getSnapshot(): TypedSnapshot<Schemas, Tools>;
  /** As {@link Agent.on}; the event of `custom` is narrowed by `name`. */
  readonly on: { (name: "custom", listener: (event: CustomsOf<Schemas>) => void): () => void } & Agent["on"];
  /** As {@link Agent.resume}; the payloads are those of the schemas. */
  resume(
    answers:
      | { readonly [interruptId: string]: TypedAnswer<PayloadOf<Schemas>> }
      | (ResumeAnswer & { readonly payload?: PayloadOf<Schemas> })
      | readonly (ResumeAnswer & { readonly payload?: PayloadOf<Schemas> })[],
  ): Promise<RunResult>;
};

/** The options of `createAgent` with `schemas`. */
export type TypedOptions<Schemas extends AgentSchemas, Tools extends readonly TypedTool[]> =
  & Omit<CommonOptions<StateOf<Schemas>>, "schemas" | "tools">
  & AgentAddress
  & { readonly schemas: Schemas; readonly tools?: Tools | undefined };
