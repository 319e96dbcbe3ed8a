// From what the application gives to what the core reads.

import { ask } from "../base/call.js";
import { expect, expectJson, expectList, expectTexts, isEvent, isList, unfit } from "../base/failure.js";
import type { OptionInput, RunInput } from "../intents/run.js";
import type { CoreInput } from "../intents/submit.js";
import { declare } from "./tools.js";
import { isPlain } from "../snapshot/edited.js";
import type { AgainOptions, AgentOptions, ContentPart, ResumeEntry, SubmitHolder, SubmitInput, UserMessage } from "../api/types.js";
import { uuid } from "../base/uuid.js";

/** The input of a request that leaves now. `input` comes before the options. */
export function toOptionInput(options: AgentOptions, input: SubmitInput = {}): OptionInput {
  const forwardedProps = ask(input.forwardedProps ?? options.forwardedProps) ?? {};
  expectJson("forwardedProps", forwardedProps);
  return {
    ...declare(input.tools ?? ask(options.tools) ?? []),
    context: expectTexts("context", ask(input.context ?? options.context) ?? [], "description", "value"),
    forwardedProps,
  };
}

/** The input of a run. */
export function toRunInput(options: AgentOptions, input: SubmitInput = {}): RunInput {
  const explicit = (["tools", "context", "forwardedProps"] as const).filter((name) => input[name] != null);
  return {
    runId: input.runId ?? uuid(),
    ...toOptionInput(options, input),
    ...(explicit.length && { own: explicit }),
    // Infinity would be no JSON.
    ...(typeof options.maxFollowUps === "number" && { maxFollowUps: Math.min(options.maxFollowUps, 1e9) }),
  };
}

/** The input of a run that asks the last question again. */
export function toAgainInput(options: AgentOptions, again: AgainOptions | undefined): RunInput & { newMessageId?: string } {
  return { ...toRunInput(options, { ...again, runId: undefined }), ...(again?.newMessageId && { newMessageId: uuid() }) };
}

/** Whether these are attachments, which bring their parts later. */
export const holds = (parts: SubmitInput["parts"]): parts is SubmitHolder => "hold" in Object(parts);

const members = /^(message|parts|state|resume|replaces|keepId|tools|context|forwardedProps|runId|signal|ifBusy|ifAwaiting)$/;

/** The argument of that method in its long form. An event counts as no argument: the method was passed as a handler. */
export function toSubmitInput<State>(method: string, input: string | SubmitInput<State>): SubmitInput<State> {
  const long = typeof input === "string" ? { message: input } : input;
  const { message, parts, replaces, runId, signal } = Object(long) as SubmitInput<State>;
  // Without a message, another member may be one: as other clients name it.
  const odd = message !== undefined ? [] : isPlain(long) ? Object.keys(long).filter((name) => !members.test(name)) : [""];
  if (odd.length || isEvent(long)) throw unfit(`${method}(${odd})`, "a string or {message}", input);
  const given = message !== undefined || (replaces !== undefined && !parts);
  const { content } = Object(message) as UserMessage;
  if (given && typeof (content ?? message) !== "string" && !isList("object", content)) throw unfit("message", "a string or {content}", message);
  if (!holds(parts)) expectList("parts", "object", parts ?? []);
  if (runId != null) expect("runId", "string", runId);
  if (signal && typeof signal.addEventListener !== "function") throw unfit("signal", "an AbortSignal", signal);
  return long;
}

/** The core's form of the input of `submit`. */
export function toCoreInput<State>(options: AgentOptions<State>, input: SubmitInput<State>, resume?: readonly ResumeEntry[]): CoreInput {
  const { message, parts, state, replaces, ifBusy, ifAwaiting } = input;
  return {
    ...toRunInput(options, input),
    messages: message === undefined && !parts ? [] : [toUserMessage(message, parts)],
    state,
    resume,
    replaces,
    ifBusy,
    ifAwaiting,
  };
}

function toUserMessage(message: SubmitInput["message"], parts: SubmitInput["parts"]): UserMessage {
  const fields = typeof message === "object" ? message : { content: message ?? [] };
  const { content } = fields;
  return {
    ...fields,
    id: fields.id ?? uuid(),
    role: "user",
    content: parts ? [...(typeof content === "string" ? [{ type: "text", text: content } as const] : content), ...(parts as readonly ContentPart[])] : content,
    delivery: "complete",
  };
}
