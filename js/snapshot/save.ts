// The form of a save: what is kept of an agent between two visits, and how the page makes one where there is no session to say it.

import { AgentError } from "../api/error.js";
import { isList, reasonOf } from "../base/failure.js";
import type { Message } from "../api/protocol.js";
import type { SavedAgent } from "../api/saving.js";
import type { AgentSnapshot, Interrupt, ResumeEntry, ToolCall } from "../api/types.js";
import { initialSnapshot, unanswered } from "./initial.js";

/** Whatever was stored, as a save of this thread; throws if it is none. */
export function readSaved(value: unknown, threadId: string | undefined): SavedAgent {
  const saved = Object(value) as Partial<Saved>;
  if (saved.v !== 1) throw refusal(`it is of version ${JSON.stringify(saved.v)}, not 1`);
  if (threadId !== undefined && saved.threadId !== threadId) {
    throw refusal(`it is of thread ${saved.threadId}, not of ${threadId}`);
  }
  const { messages, queue = [], interrupts = [], failed = [], acts = [], turn } = saved;
  const lists: readonly unknown[][] = [messages, queue, interrupts, failed, acts, turn?.calls ?? []] as never;
  const isWhole = lists.every(Array.isArray) && !lists.flat().includes(null);
  const texts = isWhole ? messages!.flatMap(({ id, role }) => [id, role]) : [undefined];
  if (!isList("string", [saved.threadId, ...texts])) throw refusal("it is damaged");
  return saved as SavedAgent;
}

const phases: { readonly [stage: string]: ToolCall["phase"] } = { waiting: "awaiting-approval", manual: "input-available", executing: "executing" };

/** Submits that wait, as the page shows them. */
export const rowsOf = (waiting: readonly Queued[]): AgentSnapshot["queue"] => waiting.map(({ runId, messages }) => ({ id: runId, runId, messages }));

/** The snapshot of a save, with what waits and what a person is asked, before the core has read it, or where another agent owns it. */
export function savedSnapshot<State>(saved: SavedAgent): AgentSnapshot<State> {
  const { threadId, messages, state, turn, failed = [], interrupts = [], queue = [] } = saved as Partial<Saved> & SavedAgent;
  const stages = new Map(turn?.calls.map(({ id, stage }) => [id, phases[stage]]));
  const shown = initialSnapshot(threadId, messages, state as State);
  const toolCalls = shown.toolCalls.map((call): ToolCall => {
    const phase = stages.get(call.id);
    if (call.phase !== "input-available") return call;
    if (failed.includes(call.id)) return { ...call, status: "error", phase: "output-error", error: unanswered };
    return phase ? { ...call, status: "running", phase } : call;
  });
  return { ...shown, toolCalls, interrupts, queue: rowsOf(queue) };
}

/** The error of a save that cannot be read. The agent is empty then. */
export function refusal(cause: unknown): AgentError {
  return new AgentError({ kind: "unsupported", code: "restore", message: `The save is not used: ${reasonOf(cause)}`, cause });
}

/** The core's part of a save, beside the thread. */
export interface Saved extends SavedAgent {
  readonly runId?: string | undefined;
  readonly running?: boolean;
  readonly interrupts: readonly Interrupt[];
  /** To some of several interrupts. */
  readonly replies?: readonly ResumeEntry[] | undefined;
  readonly handled: readonly string[];
  readonly unsent: readonly string[];
  readonly untold?: readonly { readonly call: string }[];
  readonly queue: readonly Queued[];
  /** The page's calls of the last run, and what they wait for. */
  readonly turn?: { readonly calls: readonly { readonly id: string; readonly stage: string }[] } | undefined;
  /** The calls that a run has left open that did not end well. */
  readonly failed?: readonly string[];
  /** The decisions that were made without a session, once the core has come. */
  readonly acts?: readonly SavedAct[] | undefined;
}

/** A decision of a person, which no session has heard of: the method of a session that takes it, and its argument. */
export type SavedAct = readonly [method: string, json: string];

/** A submit that waits, as a save has it. */
export interface Queued {
  readonly start: "submit" | "retry" | "regenerate";
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly state?: unknown;
  readonly replaces?: string;
  /** Which of `tools`, `context` and `forwardedProps` it has of its own. */
  readonly own?: readonly string[];
}

/** The elements of both lists, each once. */
export function union<Item>(one: readonly Item[] = [], other: readonly Item[] = [], id: (item: Item) => unknown): readonly Item[] {
  const knownIds = new Set(one.map(id));
  return [...one, ...other.filter((item) => !knownIds.has(id(item)))];
}

/** The change of a submit that waits. */
export interface QueueChange {
  readonly runId?: string;
  /** The members that it has from then on, JSON text; `null` if it is taken out. */
  readonly waiting?: string;
}

/** A queue, as these change it. */
export const changedQueue = (queue: readonly Queued[] | undefined, changes: readonly QueueChange[]): readonly Queued[] =>
  changes.reduce(
    (at, { runId, waiting }) => {
      if (!waiting) return at;
      const input: Pick<Queued, "own"> | null = JSON.parse(waiting);
      const change = (row: Queued) => (input ? { ...row, ...input, own: [...(row.own ?? []), ...input.own!] } : []);
      return at.flatMap((row) => (row.runId === runId ? change(row) : row));
    },
    queue ?? [],
  );

type ThreadOfSave = Pick<SavedAgent, "threadId" | "messages" | "state">;

/** The last save or record that is known, with the thread as it is, its queue as these change it, and the submits and decisions that came since. */
export function compose(
  last: Partial<Saved>,
  { threadId, messages, state }: ThreadOfSave,
  changes: readonly QueueChange[] = [],
  waiting?: readonly Queued[],
  decided: readonly SavedAct[] = [],
): Saved {
  const begun = waiting?.filter(({ runId }) => runId !== last.runId);
  const queue = union(changedQueue(last.queue, changes), begun, ({ runId }) => runId);
  return {
    interrupts: [],
    handled: [],
    unsent: [],
    ...last,
    threadId,
    messages,
    state,
    v: 1,
    queue,
    acts: decided.length ? union(last.acts, decided, String) : last.acts,
  };
}

/** The same as JSON text. */
export const composeSave = (
  last = "{}",
  ...since: [thread: ThreadOfSave, changes?: readonly QueueChange[], waiting?: readonly Queued[], decided?: readonly SavedAct[]]
): string => JSON.stringify(compose(JSON.parse(last), ...since));
