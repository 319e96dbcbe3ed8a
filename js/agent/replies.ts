// Replies to interrupts, as the server reads them. They come beside the core: an interrupt is open after a run.

import type { AgentSchemas } from "../api/schemas.js";
import { expect, fits, unfit } from "../base/failure.js";
import type { Answer, Interrupt, ResumeAnswer, ResumeAnswers, ResumeEntry } from "../api/types.js";
import { checkKit, checksModule } from "../core/checked.js";
import { answer } from "../intents/answer.js";
import type { RunInput, RunIntent } from "../intents/run.js";
import type { Voice } from "../thread/members.js";

/** The snapshot, as replies need it. */
type WithInterrupts = { readonly interrupts: readonly Interrupt[] };

/** Replies of an agent, in the core's form; against its schemas where it has some. */
export function createReplies(emitter: Voice, schemas: AgentSchemas<never> | undefined) {
  const checked = <Entries extends readonly ResumeEntry[]>(entries: Entries, { interrupts }: WithInterrupts): Entries => {
    if (schemas) { for (const entry of entries) checksModule?.checkReply(checkKit, emitter, schemas, entry, interrupts); }
    return entries;
  };
  return {
    /** The answer to one interrupt; nothing where these may be several. */
    toReply: <State>(answers: ResumeAnswers | ResumeAnswer, at: WithInterrupts, run: () => RunInput): RunIntent<State> | undefined => {
      if (!isAnswer(answers)) return void listOf(answers);
      return answer(checked([toEntry("resume", answers)] as const, at)[0], run());
    },
    toResume: (answers: ResumeAnswers | ResumeAnswer, at: WithInterrupts): readonly ResumeEntry[] => checked(toResume(answers, at), at),
  };
}

/** Whether it is the answer to one interrupt. By id, answers are objects. */
function isAnswer(answers: ResumeAnswer | ResumeAnswers): answers is ResumeAnswer {
  const { id, interruptId } = Object(answers) as { readonly id?: unknown; readonly interruptId?: unknown };
  return !Array.isArray(answers) && [id, interruptId].some((name) => typeof name === "string");
}

/** Several answers; anything else is the application's mistake. */
function listOf(answers: ResumeAnswers | ResumeAnswer) {
  if (!Array.isArray(answers) && !fits("object", answers)) throw unfit("resume", "a list of answers, or an object by the interrupts' ids", answers);
  return answers as ResumeAnswer[] | { readonly [interruptId: string]: Answer };
}

/** Answers by interrupt as entries, in the order of the interrupts. */
function toResume(answers: ResumeAnswers | ResumeAnswer, { interrupts }: WithInterrupts): readonly ResumeEntry[] {
  if (isAnswer(answers)) return [toEntry("resume", answers)];
  const byId = listOf(answers);
  if (Array.isArray(byId)) return byId.map((each, at) => toEntry(`resume[${at}]`, each));
  const place = (id: string): number => interrupts.findIndex((interrupt) => interrupt.id === id);
  return Object.keys(byId)
    .sort((one, other) => place(one) - place(other))
    .map((interruptId) => toEntry(`resume[${JSON.stringify(interruptId)}]`, byId[interruptId], interruptId));
}

/** An answer as the server reads it. `name`: how the application finds it in what it gave; `key`: what it stands under. */
function toEntry(name: string, reply: unknown, key?: string): ResumeEntry {
  expect(name, "object", reply);
  const { id, interruptId = id ?? key, status = "resolved", payload, ...rest } = reply as Record<string, unknown>;
  if (typeof interruptId !== "string") throw unfit(`${name}.interruptId`, "a string (or one as `id`)", interruptId);
  const other = [id, key].find((each) => each !== undefined && each !== interruptId);
  if (other !== undefined) throw unfit(other === id ? `${name}.id` : name, `the answer to ${JSON.stringify(interruptId)}`, other);
  if (status !== "resolved" && status !== "cancelled") throw unfit(`${name}.status`, '"resolved" or "cancelled"', status);
  if (rest.metadata) expect(`${name}.metadata`, "object", rest.metadata);
  // A cancellation has nothing to say.
  return { ...rest, interruptId, status, ...(status === "resolved" && { payload }) } as ResumeEntry;
}
