// From what the application gives to what the core reads.

import { misuse } from "./failure.js";
import { declare } from "./tools.js";
import type {
  AgentOptions,
  Context,
  Interrupt,
  Message,
  PageTool,
  ResumeAnswer,
  ResumeAnswers,
  ResumeEntry,
  SubmitInput,
  Tool,
  UserMessage,
} from "./types.js";
import { uuid } from "./uuid.js";

/** What goes with every run. */
export interface RunInput {
  runId: string;
  tools: readonly Tool[];
  /** Those of the tools that the page answers, with what the core has to know. */
  pageTools: readonly { readonly name: string }[];
  context: readonly Context[];
  forwardedProps: unknown;
  maxFollowUps?: number;
}

/** The core's form of a submit. */
export interface CoreInput extends RunInput {
  messages: readonly Message[];
  state?: unknown;
  resume?: readonly ResumeEntry[] | undefined;
  replaces?: string | undefined;
  ifBusy: "queue" | "replace" | "drop" | "reject";
}

/** The input of a run, from the options where it says nothing itself. */
export function toRunInput(options: AgentOptions, given: SubmitInput = {}): RunInput {
  return {
    runId: given.runId ?? uuid(),
    ...declare(given.tools ?? ask(options.tools) ?? []),
    context: given.context ?? ask(options.context) ?? [],
    forwardedProps: given.forwardedProps ?? ask(options.forwardedProps) ?? {},
    // Infinity would be no JSON.
    ...(options.maxFollowUps !== undefined && { maxFollowUps: Math.min(options.maxFollowUps, 2 ** 31) }),
  };
}

/** The tool of that name, as the agent's options have it now. */
export function findTool(options: AgentOptions, name: string): PageTool | undefined {
  return ask(options.tools)?.find((tool) => tool.name === name) as PageTool | undefined;
}

/** Whether it is the answer to one interrupt. By id, answers are objects. */
export function isAnswer(answers: ResumeAnswer | ResumeAnswers): answers is ResumeAnswer {
  return typeof (answers as ResumeAnswer | undefined)?.id === "string";
}

/** The core's form of one answer. */
export function toAnswer(options: AgentOptions, { id: interruptId, ...answer }: ResumeAnswer): ResumeEntry & { run: RunInput } {
  const { status = "resolved", payload, ...rest } = answer;
  // A cancellation has nothing to say.
  return { ...rest, interruptId, status, ...(status === "resolved" && { payload }), run: toRunInput(options) };
}

/** Answers by interrupt as entries, in the order of the interrupts. */
function toResume(answers: ResumeAnswers, interrupts: readonly Interrupt[]): readonly ResumeEntry[] {
  if (Array.isArray(answers)) return answers as readonly ResumeEntry[];
  const given = answers as Exclude<ResumeAnswers, readonly ResumeEntry[]>;
  const place = (id: string): number => interrupts.findIndex((interrupt) => interrupt.id === id);
  return Object.keys(given)
    .sort((one, other) => place(one) - place(other))
    .map((interruptId) => {
      const answer = given[interruptId]!;
      // A cancellation has nothing to say.
      return { ...answer, interruptId, ...(answer?.status === "cancelled" && { payload: undefined }) };
    });
}

/** The core's form of what was given to `submit`. */
export function toCoreInput<State>(
  options: AgentOptions<State>,
  given: SubmitInput<State>,
  interrupts: readonly Interrupt[],
): CoreInput {
  const { message, parts, state, resume, replaces, ifBusy = "queue" } = given;
  if (replaces !== undefined && message === undefined && !parts) {
    throw misuse(new TypeError("`replaces` needs a message that takes the place"));
  }
  return {
    ...toRunInput(options, given),
    messages: message === undefined && !parts ? [] : [toUserMessage(message, parts)],
    state,
    resume: resume && toResume(resume, interrupts),
    replaces,
    ifBusy,
  };
}

function toUserMessage(message: SubmitInput["message"], parts: SubmitInput["parts"]): UserMessage {
  const given = typeof message === "object" ? message : { content: message ?? [] };
  const { content } = given;
  return {
    ...given,
    id: given.id ?? uuid(),
    role: "user",
    content: parts ? [...(typeof content === "string" ? [{ type: "text", text: content } as const] : content), ...parts] : content,
    delivery: "complete",
  };
}

function ask<Value>(provider: Value | (() => Value)): Value {
  return typeof provider === "function" ? (provider as () => Value)() : provider;
}
