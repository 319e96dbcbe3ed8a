// From what the application gives to what the core reads.

import type { RequestTarget } from "./glue/core.js";
import type {
  AgentOptions,
  Context,
  Interrupt,
  Message,
  ResumeAnswers,
  ResumeEntry,
  SubmitInput,
  Tool,
  UserMessage,
} from "./types.js";

/** What goes with every run. */
export interface RunInput {
  runId: string;
  tools: readonly Tool[];
  context: readonly Context[];
  forwardedProps: unknown;
}

/** The core's form of a submit. */
export interface CoreInput extends RunInput {
  messages: readonly Message[];
  state?: unknown;
  resume?: readonly ResumeEntry[] | undefined;
  ifBusy: "queue" | "replace" | "drop" | "reject";
}

/** The input of a run, from the options where it says nothing itself. */
export function toRunInput(options: AgentOptions, given: SubmitInput = {}): RunInput {
  return {
    runId: given.runId ?? uuid(),
    tools: given.tools ?? ask(options.tools) ?? [],
    context: given.context ?? ask(options.context) ?? [],
    forwardedProps: given.forwardedProps ?? ask(options.forwardedProps) ?? {},
  };
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
  const { message, parts, state, resume, ifBusy = "queue" } = given;
  return {
    ...toRunInput(options, given),
    messages: message === undefined && !parts ? [] : [toUserMessage(message, parts)],
    state,
    resume: resume && toResume(resume, interrupts),
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

/** Where the next request goes. */
export async function toTarget(options: AgentOptions): Promise<RequestTarget> {
  const { credentials, fetch, binary = false } = options;
  return { url: String(await ask(options.url)), headers: await ask(options.headers), credentials, fetch, binary };
}

function ask<Value>(provider: Value | (() => Value)): Value {
  return typeof provider === "function" ? (provider as () => Value)() : provider;
}

/** A random UUID, also where the page is no secure context and `randomUUID` is missing. */
export function uuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
