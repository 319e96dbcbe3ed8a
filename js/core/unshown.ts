// The intents that a session in this page has done, or is about to do, and has yet to show: should it be lost, they are not.

import type { AgentSnapshot } from "../api/types.js";
import { withChanges } from "../snapshot/changes.js";
import { queuedOf } from "../intents/run.js";
import { changedQueue, savedSnapshot, type Saved } from "../snapshot/save.js";
import type { LinkClient, LinkState, OpenHome, PendingIntent } from "./client.js";
import { remainsOf, type Remains } from "./remains.js";

type UnshownIntent<State> = Pick<PendingIntent<State>, "fold" | "run" | "runId" | "waiting">;

/** These intents of one session. */
export type Unshown<State> = ReturnType<typeof createUnshown<State>>;

/** The session is about to do these. */
export function createUnshown<State>(shared: LinkState<State>, all: readonly UnshownIntent<State>[]) {
  let list = [...all];
  let begins = true;
  return {
    add: (intent: UnshownIntent<State>): void => void list.push(intent),
    /** All that was done so far is shown. */
    clear: (): undefined => void ([list, begins] = [[], false]),
    /** The remains of the session, whose home that was. */
    remains: (client: LinkClient<State>, lost: OpenHome<State>, shown: AgentSnapshot<State>): Remains<State> => {
      const { last = "{}", changes, reading } = lost;
      const saved: Partial<Saved> = JSON.parse(last);
      const report = changes ? withChanges(saved as Saved, JSON.parse(changes)) : saved;
      const { messages, queue = [] } = report;
      // A report that it has made while it began is newer than what is shown.
      const said = begins && !reading && messages ? savedSnapshot<State>(report as Saved) : shown;
      /** A submit that the report has waits there, and one that has ended was refused. */
      const isLeft = ({ run }: UnshownIntent<State>): boolean => !run || (shared.runs.has(run) && !queue.some(({ runId }) => runId === run.id));
      const left = list.filter(isLeft);
      // Where a store has submits that wait, these wait after them.
      const waiting = queue.length ? left.filter(({ run }) => run?.queued) : [];
      const sent = queuedOf(waiting);
      const next = left.filter((intent) => !waiting.includes(intent)).reduce((at, { fold }) => fold(at), said);
      return remainsOf(client, shared, lost, next, { ...report, queue: [...changedQueue(queue, left), ...sent] }, sent);
    },
  };
}
