// The thread as the agent's server keeps it: how it is opened and paged, what requests carry of it, how a run is steered. This is a
// chunk of its own, for agents with the options `thread` or `capabilities`, or a preset that has them.
//
// A thread is opened by a run of the core that nobody has asked for (hidden.ts), so everything that comes passes the same gate as a
// run's, and what is submitted meanwhile waits in the queue, where it is saved.

import type { AgentCapabilities, Message, RunResult, SendReason, SubmitInput, TransportRequest, TransportTarget } from "../api/types.js";
import { createRequest, errorOf, inTime } from "./ask.js";
import type { Asking } from "./client.js";
import { Hidden } from "./hidden.js";
import { createPaging } from "./older.js";
import { ThreadOpening } from "./open.js";
import { createClient, type Kit, type RemoteAgent } from "./page-kit.js";
import { createReasons } from "./reasons.js";
import { chooseMessages, sending, withChosen } from "./send.js";
import { steer } from "./steer.js";

export type { Asking } from "./client.js";

/** The thread of an agent at its server. */
export interface RemoteThread<State> extends ThreadOpening<State> {
  loadOlder(): Promise<boolean>;
  capabilities(): Promise<AgentCapabilities | undefined>;
  /**
   * Before a run is asked for: changes `asking` as the options say, or refuses it. Resolves once the run is to be asked for, and waits in the
   * core while the thread is opened; with a result where it needs no run of the core.
   */
  prepare(reason: SendReason, asking: Asking, params?: SubmitInput<State> | { readonly newMessageId?: boolean | undefined }): Promise<RunResult | undefined>;
  /** The target of a request with what it carries of the thread. */
  carrying(target: TransportTarget, request: TransportRequest): TransportTarget;
  /** Whether that run only opens the thread: the server knows nothing of it. */
  owns(runId: string): boolean;
  /** The save, which has no run that opens the thread. */
  saved(json: string): string;
}

/** Opens what there is to know of an agent's thread at the server. */
export type OpenRemote = <State>(agent: RemoteAgent<State>) => Promise<RemoteThread<State>>;

/** Opens the thread of an agent at its server. */
export function openRemote<State>(kit: Kit, agent: RemoteAgent<State>): RemoteThread<State> {
  const client = createClient(kit, agent);
  const { options, keyOf } = client;
  const hidden = new Hidden(client);
  const paging = createPaging(client, hidden);
  const opening = new ThreadOpening(client, hidden, paging);
  const reasons = createReasons(client);
  const answered = (message: Message): boolean =>
    client.core().messages.some((shown) => shown.id === message.id && keyOf(shown) === keyOf(message) && shown.delivery === "complete");

  const more: Omit<RemoteThread<State>, keyof ThreadOpening<State>> = {
    loadOlder: () => paging.load(() => opening.load(), opening.signal),
    owns: (runId) => hidden.owns(runId),
    saved: (json) => hidden.saved(json),
    prepare: async (reason, asking, params = {}) => {
      reasons.note(reason, asking, params);
      // Opening a thread is no run that a submit could be refused for.
      if (opening.isLoading()) asking.ifBusy = "queue";
      else if ("ifBusy" in params && params.ifBusy === "steer" && options().thread?.steer) return steer(client, hidden, asking, opening.signal);
      return undefined;
    },
    carrying: (target, request) => {
      const { thread, dialect } = options();
      const send = thread?.send;
      if (!send || send === "all" || dialect || request.resume) return target;
      const { threadId, runId } = request;
      const reason = reasons.of(runId);
      const choose = (all: readonly Message[], resumes: boolean): readonly Message[] =>
        chooseMessages(send, all, { threadId, runId, reason: resumes ? "resume" : reason }, answered);
      return sending(target, (body) => withChosen(body, choose));
    },
    capabilities: async () => {
      try {
        return await inTime(client, opening.signal, async (ended) => options().capabilities?.(await createRequest(client, ended)));
      } catch (cause) {
        const error = errorOf(client, cause, "The server could not be asked what it can do");
        // A server without the route says nothing.
        if (error.status === 404 || error.status === 405) return undefined;
        throw error;
      }
    },
  };
  return Object.assign(opening, more);
}
