// The thread as the agent's server keeps it: how it is opened and paged, what requests carry of it, how a run is steered. This is a
// chunk of its own, for agents with the options `thread` or `capabilities`, or a preset that has them.
//
// A thread is opened by a run of the core that nobody has asked for (hidden.ts), so everything that comes passes the same gate as a
// run's, and what is submitted meanwhile waits in the queue, where it is saved.

import type { AgentCapabilities, Message, RunResult, SendReason, TransportRequest, TransportTarget } from "../api/types.js";
import { createRequest, errorOf, inTime } from "./ask.js";
import { createClient, type Asking, type Kit, type RemoteAgent } from "./client.js";
import { Hidden } from "./hidden.js";
import { Paging } from "./older.js";
import { ThreadOpening } from "./open.js";
import { createReasons, type IdChoices } from "./reasons.js";
import { chooseMessages, sending, withChosen } from "./send.js";
import { steer } from "./steer.js";

export type { RemoteAgent } from "./client.js";

/** The thread of an agent at its server. */
export type RemoteThread<State> = ReturnType<typeof openRemote<State>>;

/** Opens the thread of an agent at its server. */
export function openRemote<State>(kit: Kit, agent: RemoteAgent<State>) {
  const client = createClient(kit, agent);
  const { options, keyOf } = client;
  const hidden = new Hidden(client);
  const paging = new Paging(client, hidden);
  const opening = new ThreadOpening(client, hidden, paging);
  const reasons = createReasons(client);
  let steering = 0;
  const steered = async (asking: Asking): Promise<RunResult | undefined> => {
    steering++;
    try {
      return await steer(client, hidden, asking, opening.signal);
    } finally {
      steering--;
      // Another tab may wait for the store.
      client.changed();
    }
  };
  const answered = (message: Message): boolean =>
    client.core().messages.some((shown) => shown.id === message.id && keyOf(shown) === keyOf(message) && shown.delivery === "complete");

  return Object.assign(opening, {
    loadOlder: (): Promise<boolean> => paging.load(() => opening.load(), opening.signal),
    /** Whether an answer is on its way that is this page's to show: it keeps its store. */
    isBusy: (): boolean => opening.isLoading() || steering > 0,
    /** The save, which has no run that opens the thread. */
    saved: (json: string): string => hidden.saved(json),
    /**
     * Before a run is asked for: changes `asking` as the options say, or refuses it. Resolves once the run is to be asked for, and waits in the
     * core while the thread is opened; with a result where it needs no run of the core.
     */
    prepare: async (reason: SendReason, asking: Asking, params: IdChoices = {}): Promise<RunResult | undefined> => {
      reasons.note(reason, asking, params);
      // Opening a thread is no run that a submit could be refused for.
      if (opening.isLoading()) asking.ifBusy = undefined;
      else if (asking.ifBusy === "steer" && options().thread?.steer) return steered(asking);
      return undefined;
    },
    /** The target of a request with what it carries of the thread. */
    carrying: (target: TransportTarget, request: TransportRequest): TransportTarget => {
      const { thread, dialect } = options();
      const send = thread?.send;
      if (!send || send === "all" || dialect || request.resume) return target;
      const { threadId, runId } = request;
      const reason = reasons.of(runId);
      const choose = (all: readonly Message[], resumes: boolean): readonly Message[] =>
        chooseMessages(send, all, { threadId, runId, reason: resumes ? "resume" : reason }, answered);
      return sending(target, (body) => withChosen(body, choose));
    },
    capabilities: async (): Promise<AgentCapabilities | undefined> => {
      try {
        return await inTime(client, opening.signal, async (ended) => options().capabilities?.(await createRequest(client, ended)));
      } catch (cause) {
        const error = errorOf(client, cause, "The server could not be asked what it can do");
        // A server without the route says nothing.
        if (error.status === 404 || error.status === 405) return undefined;
        throw error;
      }
    },
  });
}
