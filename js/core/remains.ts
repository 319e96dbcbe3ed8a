// The remains of a session: what it has last reported, with what has happened since. The next home of the thread begins with them, after a
// trap as after the end of a worker.
//
//   report: a save, or a record and its thread ──┐
//   since: calls that were begun, intents ───────┴──► save ──► next home
//
// A session in this page has reported saves, if there is a store, and no intent of its waits. For one in a worker see js/worker/remains.ts.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot, Message } from "../api/types.js";
import { internal } from "../base/failure.js";
import { cutOff } from "../snapshot/cut-off.js";
import { messageKey } from "../snapshot/message-key.js";
import { compose, rowsOf, union, type Queued, type Saved } from "../snapshot/save.js";
import type { LinkClient, LinkState, OpenHome } from "./client.js";

/** The remains of a session. */
export interface Remains<State> {
  /** The thread as it was shown. */
  readonly shown: AgentSnapshot<State>;
  /** The last report, with what has happened since; empty if there was none. Without it the next home begins with what is shown. */
  readonly report: Partial<Saved> | undefined;
}

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
  const rows = rowsOf(reading ? queue : sent);
  const first = last !== undefined && last !== shared.rescued;
  if (reading && first) client.quarantine(last);
  const done = first ? ({ handled, unsent, untold, turn } as Partial<Saved>) : undefined;
  return reading ? { shown: { ...shown, queue: rows }, report: done } : { shown: { ...shown, queue: [...shown.queue, ...rows] }, report };
}

/** The next home begins with these, where they are more than the thread. `failed`: its runs have ended with an error. */
export function remain<State>(client: LinkClient<State>, shared: LinkState<State>, { shown, report }: Remains<State>, failed: boolean): void {
  const { threadId, toolCalls } = shown;
  const kept = new Set(report?.replies?.map(({ interruptId }) => interruptId));
  const interrupts = shown.interrupts.map(({ answered, ...interrupt }) => ({ ...interrupt, ...(answered && kept.has(interrupt.id) && { answered }) }));
  const reported = report?.v;
  if (!report || !(reported || report.queue?.length || interrupts.length || toolCalls.length)) return;
  const resumes = client.resumes();
  // The server continues after what the report has.
  const joins = reported && resumes && shared.pending.confirmed().isLoading;
  const { messages: then, state } = joins ? (report as Saved) : failed ? cutOff(shown, "error") : shown;
  const messages = union(then, joins ? shown.messages.filter(({ role }) => role === "user") : [], messageKey);
  const known = new Set(report.turn?.calls.map(({ id }) => id));
  const open = toolCalls.filter(({ id, status }) => !resumes && status === "running" && !known.has(id));
  const idsOf = (calls: typeof toolCalls): string[] => calls.map(({ id }) => id);
  const since = {
    ...report,
    ...(!reported && { handled: union(report.handled, idsOf(toolCalls), (id) => id) }),
    // After an error nothing continues by itself, and a run that the report does not have was not sent.
    ...(reported && failed && { running: true, runId: report.running ? report.runId : undefined, failed: [...(report.failed ?? []), ...idsOf(open)] }),
    interrupts,
  };
  const last = JSON.stringify(compose(since, { threadId, messages, state }));
  if (!reported) shared.rescued = last;
  shared.home = { at: "saved", last };
}

/** After a failure the submits wait on that a store has. The messages of the others stand in the thread. */
function parted<State>({ shown, report }: Remains<State>, saves: boolean): Remains<State> {
  const known = new Set(shown.messages.map(messageKey));
  // One whose messages are shown has begun.
  const isNew = (message: Message): boolean => !known.has(messageKey(message));
  const queue = (saves && report?.queue?.filter(({ messages }) => messages.every(isNew))) || [];
  const ids = new Set(queue.map(({ runId }) => runId));
  const said = shown.queue.flatMap(({ runId, messages }) => (ids.has(runId) ? [] : messages.filter(isNew)));
  return {
    shown: { ...shown, queue: rowsOf(queue), messages: [...shown.messages, ...said] },
    report: report && { ...report, queue },
  };
}

/** The session is lost, which is an error of its runs. */
export function lose<State>(client: LinkClient<State>, shared: LinkState<State>, cause: unknown, remains: Remains<State>): void {
  const { shown, report } = parted(remains, !!client.parts()!.settings.saves);
  remain(client, shared, { shown, report }, true);
  const left = cutOff(shown, "error");
  // The calls that wait for a person wait on.
  const waits = new Set(report?.turn?.calls.flatMap(({ id, stage }) => (stage === "waiting" ? id : [])));
  const toolCalls = left.toolCalls.map((call, at) => (waits.has(call.id) ? shown.toolCalls[at]! : call));
  shared.giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause), { ...left, toolCalls });
}
