// An intent: something that a person or the application does. The kinds that begin a run are in run.ts.

import type { AgentSnapshot } from "../api/types.js";
import type { SessionMethods } from "../glue/core.js";
import type { QueueChange } from "../snapshot/save.js";

/** A call of the session: one of its methods, with its argument as JSON text. */
export interface CoreCall<Name extends keyof SessionMethods = keyof SessionMethods> {
  readonly method: Name;
  readonly json?: string | undefined;
}

/** Something that a person or the application does. Each kind makes it of its data. */
export interface Intent<State> extends CoreCall {
  /** Shows it at once. */
  fold(snapshot: AgentSnapshot<State>): AgentSnapshot<State>;
  /** The submit that it changes. */
  readonly runId?: string;
  /** It needs a session. */
  readonly acts?: boolean | undefined;
  /** An approval whose arguments fit its tool. */
  readonly judged?: boolean;
  /** It ends the run in progress. */
  readonly stops?: boolean;
  /** It ends every run, and the thread begins anew: with `save`, if that has more than the snapshot. */
  readonly resets?: boolean;
  readonly save?: string;
  /** Called once the session has done it, before anything that comes after it is shown. */
  readonly applied?: (() => void) | undefined;
}

/** A change of a submit that waits: in the queue of a session, or in the save that the next session begins with. */
export interface QueuedIntent<State> extends Intent<State>, QueueChange {
  readonly runId: string;
  readonly waiting: string;
}
