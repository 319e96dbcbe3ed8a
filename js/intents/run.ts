// A run that is asked for, whatever its kind.

import type { AgentSnapshot, Context, Tool } from "../api/types.js";
import type { Queued } from "../snapshot/save.js";
import { begun } from "../snapshot/run.js";
import type { CoreCall, Intent, QueuedIntent } from "./intent.js";

/** The methods of a session that begin a run. */
export type BeginningMethod = "submit" | "retry" | "regenerate" | "attach" | "answer";

/** The part of a run's input that the application's options may change with every request. */
export interface OptionInput {
  tools: readonly Tool[];
  /** The tools that the page answers, with the flags that the core needs. */
  pageTools: readonly { readonly name: string }[];
  context: readonly Context[];
  forwardedProps: unknown;
}

/** The input that goes with every run. */
export interface RunInput extends OptionInput {
  runId: string;
  /** Which of these the submit has itself: the others are asked for again when a request leaves. */
  own?: readonly string[];
  maxFollowUps?: number;
}

/** A run that somebody asks for. Where it has no fold, it brings nothing. */
export interface RunIntent<State> extends CoreCall<BeginningMethod>, Partial<Pick<Intent<State>, "fold">> {
  readonly id: string;
  /** Default: `queue`. So is `steer`, unless the server takes a message during a run (js/remote-thread). */
  readonly ifBusy?: "queue" | "replace" | "drop" | "reject" | "steer" | undefined;
  /** The same value in several that settle with the same run, for which callbacks are called once. */
  readonly part?: object | true;
  /** It waits in the queue for what a person decides. */
  readonly waits?: boolean;
  /** It is sent at once over a connection that is kept: what was answered before is over then. */
  readonly hasty?: boolean;
  /** It can wait in a save. */
  readonly queued?: boolean;
}

/** The runs as a save has them while they wait, but for those that cannot wait in one. */
export const queuedOf = <State>(some: readonly { readonly run?: RunIntent<State> | undefined }[]): Queued[] =>
  some.flatMap(({ run }) => (run?.queued ? { messages: [], ...JSON.parse(run.json!), start: run.method } : []));

/** The fold of a run that begins: it brings what it has, and is in progress. */
export const begins = <State>({ id, fold }: Pick<Intent<State>, "fold"> & { readonly id: string }) => (at: AgentSnapshot<State>): AgentSnapshot<State> =>
  begun(fold(at), id);

/** The submit of that run leaves the queue. */
export const takenOut = <State>(runId: string): Omit<QueuedIntent<State>, "method"> => ({
  runId,
  waiting: "null",
  fold: (at) => ({ ...at, queue: at.queue.filter(({ id }) => id !== runId) }),
});
