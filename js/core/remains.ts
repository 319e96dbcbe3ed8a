// The remains of a session: what it has last reported, with what has happened since. The next home of the thread begins with them, after a
// trap as after the end of a worker.
//
//   report: a save, or a record and its thread ──┐
//   since: calls that were begun, intents ───────┴──► save ──► next home
//
// A session in this page has reported saves, if there is a store, and no intent of its waits. For one in a worker see js/worker/remains.ts.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import { internal } from "../base/failure.js";
import { withChanges } from "../snapshot/changes.js";
import { compose, union } from "../snapshot/compose.js";
import { cutOff } from "../snapshot/cut-off.js";
import type { Queued, Saved } from "../snapshot/save.js";
import type { LinkClient, LinkState, OpenHome } from "./client.js";

/** The remains of a session. */
export interface Remains<State> {
  /** The thread as it was shown. */
  readonly shown: AgentSnapshot<State>;
  /** The last report, with what has happened since; empty if there was none. Without it the next home begins with what is shown. */
  readonly report: Partial<Saved> | undefined;
}

/** The last report of a session in this page. */
export const lastOf = <State>({ last = "{}", changes }: OpenHome<State>): Partial<Saved> =>
  changes ? withChanges(JSON.parse(last), JSON.parse(changes)) : JSON.parse(last);

/**
 * The remains of a session with this report. A save that the core has trapped at is not tried twice: it is put aside, and what waits in it is
 * shown. Of the rest the next home gets what was done; if it is lost at that, too, the thread alone. `sent`: the submits of the report's queue
 * that the session has not shown.
 */
export function remainsOf<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  { reading, last }: OpenHome<State>,
  shown: AgentSnapshot<State>,
  report: Partial<Saved>,
  sent: readonly Queued[] = [],
): Remains<State> {
  const { handled, unsent, untold, turn, queue = [] } = report;
  const rows = (reading ? queue : sent).map(({ runId, messages }) => ({ id: runId, runId, messages }));
  const first = last !== undefined && last !== shared.rescued;
  if (reading && first) client.quarantine(last);
  const done = first ? ({ handled, unsent, untold, turn } as Partial<Saved>) : undefined;
  return { shown: { ...shown, queue: [...shown.queue, ...rows] }, report: reading ? done : report };
}

/** The thread, with the messages that wait in its queue. */
const withQueue = <State>(
  { messages }: Pick<AgentSnapshot<State>, "messages">,
  { queue }: AgentSnapshot<State>,
): AgentSnapshot["messages"] => [...messages, ...queue.flatMap((row) => row.messages)];

/** The next home begins with these, where they are more than the thread. `failed`: its runs have ended with an error. */
export function remain<State>(client: LinkClient<State>, shared: LinkState<State>, { shown, report }: Remains<State>, failed: boolean): void {
  const { threadId, toolCalls } = shown;
  const interrupts = shown.interrupts.map(({ answered: _, ...interrupt }) => interrupt);
  const reported = report?.v;
  if (!report || !(reported || report.queue?.length || interrupts.length || toolCalls.length)) return;
  const resumes = client.resumes();
  // The server continues after what the report has.
  const joins = reported && resumes && shared.pending.confirmed().isLoading;
  const thread = joins ? (report as Saved) : failed ? cutOff(shown, "error") : shown;
  const known = new Set(report.turn?.calls.map(({ id }) => id));
  const open = toolCalls.filter(({ id, status }) => !resumes && status === "running" && !known.has(id));
  const idsOf = (calls: typeof toolCalls): string[] => calls.map(({ id }) => id);
  // After an error nothing continues by itself. Without a store that has the queue as well, what waits in it goes into the thread.
  const inThread = failed && !(client.parts()!.settings.saves && report.queue);
  const since = {
    ...report,
    ...(!reported && { handled: union(report.handled, idsOf(toolCalls), (id) => id) }),
    ...(reported && failed && { running: true, failed: [...(report.failed ?? []), ...idsOf(open)] }),
    ...(inThread && { queue: [] }),
    interrupts,
  };
  const messages = inThread ? withQueue(thread, shown) : thread.messages;
  const last = JSON.stringify(compose(since, { threadId, messages, state: thread.state }));
  if (!reported) shared.rescued = last;
  shared.home = { at: "saved", last };
}

/** The session is lost, which is an error of its runs. */
export function lose<State>(client: LinkClient<State>, shared: LinkState<State>, cause: unknown, remains: Remains<State>): void {
  remain(client, shared, remains, true);
  const { shown, report } = remains;
  const left = cutOff(shown, "error");
  // The calls that wait for a person wait on.
  const waits = new Set(report?.turn?.calls.flatMap(({ id, stage }) => (stage === "waiting" ? id : [])));
  const toolCalls = left.toolCalls.map((call, at) => (waits.has(call.id) ? shown.toolCalls[at]! : call));
  const error = AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause);
  shared.giveUp(error, { ...left, toolCalls, messages: withQueue(left, left) });
}
