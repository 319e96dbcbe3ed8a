// The agent's runs as the link has them: each knows why the worker refuses it, and whether the worker has answered for it.

import { misuse } from "../base/failure.js";
import type { Run } from "../core/client.js";
import type { Queued } from "../snapshot/save.js";
import type { Failure } from "./pipe.js";

/** A submit that the worker has not answered for; `waits`: as far as is known, another run is in progress. */
export interface Sent<State> {
  readonly run: Run<State>;
  readonly waits: boolean;
}

export interface Submits<State> {
  /** The run as the link has it from now on. `send`: the worker learns of it; returns what to call when it has. `waits` as above. */
  take(run: Run<State>, waits: boolean): { readonly wrapped: Run<State>; send(): () => void };
  /** The run as the link has it. */
  of(run: Run<State>): Run<State>;
  /** The submits that the worker has not answered. */
  readonly sent: readonly Sent<State>[];
  /** Replies to some of the interrupts, which no save has. */
  readonly replies: readonly Run<State>[];
  refused(ticket: number, why: Failure): void;
  /** Nobody waits for the worker's answers. */
  forget(): void;
}

/** `ended`: a submit has ended that the worker had not answered for. */
export function createSubmits<State>(ended: () => void): Submits<State> {
  const wrappedRuns = new WeakMap<Run<State>, Run<State>>();
  const refusals = new Map<number, Failure>();
  const sent = new Set<Sent<State>>();
  const replies = new Set<Run<State>>();

  return {
    take: (run, waits) => {
      const over = (): void => {
        replies.delete(wrapped);
        if (sent.delete(entry)) ended();
      };
      const wrapped: Run<State> = {
        ...run,
        resolve: (result) => {
          over();
          const why = refusals.get(wrapped.ticket!);
          refusals.delete(wrapped.ticket!);
          if (why) run.reject(misuse(why));
          else run.resolve(result);
        },
        reject: (error) => {
          over();
          run.reject(error);
        },
      };
      const entry = { run: wrapped, waits };
      wrappedRuns.set(run, wrapped);
      if (run.part) replies.add(wrapped);
      const send = (): () => void => {
        sent.add(entry);
        return () => void sent.delete(entry);
      };
      return { wrapped, send };
    },
    of: (run) => wrappedRuns.get(run) ?? run,
    get sent() {
      return [...sent];
    },
    get replies() {
      return [...replies];
    },
    refused: (ticket, why) => void refusals.set(ticket, why),
    forget: () => sent.clear(),
  };
}

/** Submits as a save has them. */
export const queuedOf = <State>(some: readonly Sent<State>[]): Queued[] => some.map(({ run }) => run.queued!());
