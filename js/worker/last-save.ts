// The page's knowledge of a save's part beside the thread: the worker's last report, and the changes since. With it the page can
// save the agent, and continue without the worker.

import { composeSave } from "../snapshot/compose.js";
import type { Queued } from "../snapshot/save.js";
import type { AgentSnapshot } from "../api/types.js";

/** The part of a save about the page's calls. */
interface SavedCalls {
  readonly handled: readonly string[];
  readonly failed?: readonly string[];
  readonly queue?: readonly { readonly runId: string }[];
  readonly turn?: { readonly calls: readonly { readonly id: string; readonly stage: string }[] };
}

type ThreadContent<State> = Pick<AgentSnapshot<State>, "messages" | "state">;

/** How a session was lost. */
export interface Loss<State> {
  readonly shown: AgentSnapshot<State>;
  /** It is an error of the run. */
  readonly failed: boolean;
  /** A run was in progress, as the worker has said. */
  readonly running: boolean;
  readonly resumes: boolean;
  /** A store has the queue. */
  readonly saves: boolean;
}

export interface LastSave<State> {
  /** The worker has said this, of the thread as it is now. */
  reported(save: string, thread: ThreadContent<State>): void;
  /** It writes this save, which has what ends in the same turn. */
  writes(save: string): void;
  /** It is about to read this save. */
  reads(save: string): void;
  /** The agent begins anew, as this save. */
  begins(save: string): void;
  executed(toolCallId: string): void;
  /** A submit was taken out of the queue. */
  cancelled(runId: string): void;
  /** The agent as a save; `sent`: submits that the worker has not answered for; `first`: what there is before it has said anything. */
  save(threadId: string, shown: AgentSnapshot<State>, sent: readonly Queued[], first: () => string): string;
  /** The beginning of the next session, beside the messages. */
  inherit(loss: Loss<State>): { readonly save: string | undefined; readonly thread: ThreadContent<State> };
  /** The worker has no more to say. */
  forget(): void;
}

export function createLastSave<State>(thread: ThreadContent<State>): LastSave<State> {
  // The last save, of which only what is beside the thread counts; `thread` is that of this time.
  let last: string | undefined;
  // Since then: submits that were taken out of the queue, and calls that were executed.
  const cancelled = new Set<string>();
  const executed = new Set<string>();

  const executing = ({ handled, turn }: SavedCalls): Partial<SavedCalls> => ({
    handled: [...new Set([...handled, ...executed])],
    ...(turn && { turn: { ...turn, calls: turn.calls.map((call) => (executed.has(call.id) ? { ...call, stage: "executing" } : call)) } }),
  });

  return {
    reported: (save, now) => {
      executed.clear();
      cancelled.clear();
      last = save;
      thread = now;
    },
    writes: (save) => void (last = save),
    reads: (save) => {
      last = save;
      thread = JSON.parse(save);
    },
    begins: (save) => void (last &&= save),
    executed: (toolCallId) => void executed.add(toolCallId),
    cancelled: (runId) => void cancelled.add(runId),
    save: (threadId, shown, sent, first) => {
      const json = last ?? first();
      const stays = ({ runId }: { readonly runId: string }): boolean => !cancelled.has(runId);
      const parsed = cancelled.size ? (JSON.parse(json) as SavedCalls) : undefined;
      const current = parsed?.queue ? JSON.stringify({ ...parsed, queue: parsed.queue.filter(stays) }) : json;
      // The event that a server is asked to continue after belongs to the thread of that time.
      const { messages, state } = shown.isLoading ? thread : shown;
      return composeSave(current, { threadId, messages, state }, sent.filter(stays));
    },
    inherit: ({ shown, failed, running, resumes, saves }) => {
      const report = last === undefined ? undefined : (JSON.parse(last) as SavedCalls);
      const reportedCalls = new Set(report?.turn?.calls.map(({ id }) => id));
      // A run that cannot be joined has left them open.
      const interrupted = resumes ? [] : shown.toolCalls.filter(({ id, status }) => status === "running" && !reportedCalls.has(id)).map(({ id }) => id);
      // After an error nothing continues by itself: somebody is asked whether to try again. Without a store that has the queue as
      // well, what waits in it is shown in the thread, and sent with that.
      const changes = failed && { running: true, failed: [...(report?.failed ?? []), ...interrupted], ...(!saves && { queue: [] }) };
      const save = report && JSON.stringify({ ...report, ...(executed.size && executing(report)), ...changes });
      // The server continues after what this thread has.
      return { save, thread: running && resumes ? thread : shown };
    },
    forget: () => void (last = undefined),
  };
}
