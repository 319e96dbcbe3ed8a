// From what the application gives to what the core reads.

import { expect, expectList, isEvent, unfit } from "../base/failure.js";
import { declare } from "./tools.js";
import type {
  AgainOptions,
  AgentOptions,
  Answer,
  ContentPart,
  Context,
  Interrupt,
  Message,
  PageTool,
  ResumeAnswer,
  ResumeAnswers,
  ResumeEntry,
  SubmitHolder,
  SubmitInput,
  Tool,
  UserMessage,
} from "../api/types.js";
import { uuid } from "../base/uuid.js";

/** What the application's options may have other values for with every request. */
export interface Asked {
  tools: readonly Tool[];
  /** Those of the tools that the page answers, with what the core has to know. */
  pageTools: readonly { readonly name: string }[];
  context: readonly Context[];
  forwardedProps: unknown;
}

/** What goes with every run. */
export interface RunInput extends Asked {
  runId: string;
  /** Which of these the submit has given itself: the others are asked for again when a request leaves. */
  own?: readonly string[];
  maxFollowUps?: number;
}

/** The core's form of a submit. */
export interface CoreInput extends RunInput {
  messages: readonly Message[];
  state?: unknown;
  resume?: readonly ResumeEntry[] | undefined;
  replaces?: string | undefined;
  ifBusy: "queue" | "replace" | "drop" | "reject";
  ifAwaiting?: "deny" | "wait" | "reject" | undefined;
}

/** What a request says that leaves now, from the options where `given` says nothing itself. */
export function toAsked(options: AgentOptions, given: SubmitInput = {}): Asked {
  return {
    ...declare(given.tools ?? ask(options.tools) ?? []),
    context: given.context ?? ask(options.context) ?? [],
    forwardedProps: given.forwardedProps ?? ask(options.forwardedProps) ?? {},
  };
}

/** The input of a run. */
export function toRunInput(options: AgentOptions, given: SubmitInput = {}): RunInput {
  const own = (["tools", "context", "forwardedProps"] as const).filter((name) => given[name] !== undefined && given[name] !== null);
  return {
    runId: given.runId ?? uuid(),
    ...toAsked(options, given),
    ...(own.length && { own }),
    // Infinity would be no JSON.
    ...(typeof options.maxFollowUps === "number" && { maxFollowUps: Math.min(options.maxFollowUps, 2 ** 31) }),
  };
}

/** The input of a run that asks the last question again. */
export function toAgainInput(options: AgentOptions, again: AgainOptions | undefined): RunInput & { newMessageId?: string } {
  return { ...toRunInput(options), ...(again?.newMessageId === true && { newMessageId: uuid() }) };
}

/** The tool of that name, as the agent's options have it now. */
export function findTool(options: AgentOptions, name: string): PageTool | undefined {
  return ask(options.tools)?.find((tool) => tool.name === name) as PageTool | undefined;
}

/** Whether it is the answer to one interrupt. By id, answers are objects. */
export function isAnswer(answers: ResumeAnswer | ResumeAnswers): answers is ResumeAnswer {
  const { id, interruptId } = (answers ?? {}) as { readonly id?: unknown; readonly interruptId?: unknown };
  return !Array.isArray(answers) && [id, interruptId].some((name) => typeof name === "string");
}

/** The core's form of one answer. */
export function toAnswer(options: AgentOptions, answer: ResumeAnswer): ResumeEntry & { run: RunInput } {
  return { ...toEntry("resume", answer), run: toRunInput(options) };
}

/** Answers by interrupt as entries, in the order of the interrupts. */
function toResume(answers: ResumeAnswers | ResumeAnswer, interrupts: readonly Interrupt[]): readonly ResumeEntry[] {
  if (isAnswer(answers)) return [toEntry("resume", answers)];
  if (Array.isArray(answers)) return answers.map((answer, at) => toEntry(`resume[${at}]`, answer));
  if (typeof answers !== "object") throw unfit("resume", "a list of answers, or an object by the interrupts' ids", answers);
  const given = answers as { readonly [interruptId: string]: Answer };
  const place = (id: string): number => interrupts.findIndex((interrupt) => interrupt.id === id);
  return Object.keys(given)
    .sort((one, other) => place(one) - place(other))
    .map((interruptId) => toEntry(`resume[${JSON.stringify(interruptId)}]`, given[interruptId], interruptId));
}

/** An answer as the server reads it. `name`: how the application finds it in what it gave; `key`: what it stands under. */
function toEntry(name: string, given: unknown, key?: string): ResumeEntry {
  if (typeof given !== "object" || !given || Array.isArray(given)) throw unfit(name, "an object", given);
  const { id, interruptId = id ?? key, status = "resolved", payload, ...rest } = given as Record<string, unknown>;
  if (typeof interruptId !== "string") throw unfit(`${name}.interruptId`, "a string (or one as `id`)", interruptId);
  for (const [member, other] of [["id", id], [undefined, key]] as const) {
    if (other === undefined || other === interruptId) continue;
    throw unfit(member ? `${name}.${member}` : name, `the answer to ${JSON.stringify(interruptId)}`, other);
  }
  if (status !== "resolved" && status !== "cancelled") throw unfit(`${name}.status`, '"resolved" or "cancelled"', status);
  const { metadata } = rest;
  if (metadata !== undefined && (typeof metadata !== "object" || Array.isArray(metadata))) {
    throw unfit(`${name}.metadata`, "an object", metadata);
  }
  // A cancellation has nothing to say.
  return { ...rest, interruptId, status, ...(status === "resolved" && { payload }) } as ResumeEntry;
}

/** Whether these are attachments, which bring their parts later. */
export const holds = (parts: SubmitInput["parts"]): parts is SubmitHolder => "hold" in Object(parts);

/** What was given to that method in the long form. An event says nothing: the method was given away as a handler. */
export function toSubmitInput<State>(method: string, input: string | SubmitInput<State>): SubmitInput<State> {
  const long = typeof input === "string" ? { message: input } : input;
  if (typeof long !== "object" || !long || isEvent(long)) throw unfit(`${method}()`, "a string or an object", input);
  const { message = "", parts, runId, signal } = long;
  if (typeof message !== "string" && (typeof message !== "object" || !message || Array.isArray(message))) throw unfit("message", "a string or a message", message);
  if (parts != null && !holds(parts)) expectList("parts", "object", parts);
  if (runId != null) expect("runId", "string", runId);
  if (signal && typeof signal.addEventListener !== "function") throw unfit("signal", "an AbortSignal", signal);
  return long;
}

/** The core's form of what was given to `submit`. */
export function toCoreInput<State>(
  options: AgentOptions<State>,
  given: SubmitInput<State>,
  interrupts: readonly Interrupt[],
): CoreInput {
  const { message, parts, state, resume, replaces, ifBusy = "queue", ifAwaiting } = given;
  if (replaces !== undefined && message === undefined && !parts) {
    throw unfit("message", "one that takes the place of `replaces`", message);
  }
  return {
    ...toRunInput(options, given),
    messages: message === undefined && !parts ? [] : [toUserMessage(message, parts)],
    state,
    resume: resume && toResume(resume, interrupts),
    replaces,
    ifBusy,
    ifAwaiting,
  };
}

function toUserMessage(message: SubmitInput["message"], parts: SubmitInput["parts"]): UserMessage {
  const given = typeof message === "object" ? message : { content: message ?? [] };
  const { content } = given;
  return {
    ...given,
    id: given.id ?? uuid(),
    role: "user",
    content: parts ? [...(typeof content === "string" ? [{ type: "text", text: content } as const] : content), ...(parts as readonly ContentPart[])] : content,
    delivery: "complete",
  };
}

function ask<Value>(provider: Value | (() => Value)): Value {
  return typeof provider === "function" ? (provider as () => Value)() : provider;
}
