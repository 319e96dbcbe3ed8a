// The parts beside the core of which each agent has its own.

import type { AgentSchemas } from "../api/schemas.js";
import type { AgentOptions } from "../api/types.js";
import { createWaker } from "../base/wake.js";
import { sendAhead } from "../core/ahead.js";
import type { OwnParts } from "../core/client.js";
import { createApprove } from "./approval.js";
import { createCalls } from "./calls.js";
import { createHistory } from "./history.js";
import { createReplies } from "./replies.js";
import { tellOfStop, toRequest } from "./requests.js";
import { toSettings } from "./settings.js";
import type { Thread } from "./thread.js";

/** The parts of an agent that only it has: calls of the page's tools, replies to interrupts, requests, checkpoints. */
export type Own = ReturnType<typeof createOwn>;

/** The parts of a thread that was made with these options. */
export function createOwn<State>(thread: Thread<State>, initial: AgentOptions<State>) {
  const { emitter, link, shown } = thread;
  const settings = toSettings(initial as AgentOptions, shown.threadId, () => thread.guard);

  /** The thread with the options of whoever has asked for that run. */
  const asking = (runId: string) => ({ ...thread, options: thread.members.requester(runId).options });

  const request: OwnParts["request"] = (resume, runId, cursor) => toRequest(asking(runId), settings.binary, resume, runId, cursor);
  const stopRemote = (runId: string): void => tellOfStop(asking(runId), runId);
  /** It speaks AG-UI as it is now, by the page's fetch, and nobody judges, keeps or changes what goes out. */
  const plain = (runId: string): boolean => {
    const { protocol = "1.0", dialect, guard, persist, thread: kept } = initial;
    const { transport, fetch: own } = asking(runId).options();
    return protocol === "1.0" && !dialect && !guard && !persist && !kept && !settings.binary && !transport && !own;
  };

  const ahead = (): void => sendAhead({ plain, request, stopRemote, threadId: shown.threadId }, link.shared);
  // A run may wait already.
  ahead();

  const calls = createCalls(thread, !!initial.persist);
  return {
    calls,
    approve: createApprove(thread, calls),
    ...createReplies(emitter, initial.schemas as AgentSchemas<never> | undefined),
    settings,
    ...{ request, stopRemote, saved: (json: string) => thread.remote.saved(json) },
    ahead,
    history: createHistory(initial.limits?.history),
    /** Waits, or no longer, for something that makes waiting pointless. */
    wait: createWaker(() => {
      link.live()?.call("online");
      thread.channel?.current?.online();
    }),
  };
}
