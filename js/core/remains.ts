// The remains of a session: what it has last reported, with what has happened since. The next home of the thread begins with them, after a
// trap as after the end of a worker.
//
//   report: a save, or a record and its thread ──┐
//   since: calls that were begun, intents ───────┴──► save ──► next home
//
// The intents are those that are pending: done and not shown yet, or, in a worker, perhaps not heard of.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot, Interrupt, Message } from "../api/types.js";
import { internal } from "../base/failure.js";
import { cutOff } from "../snapshot/cut-off.js";
import { messageKey } from "../snapshot/message-key.js";
import { withChanges } from "../snapshot/changes.js";
import { queuedOf } from "../intents/run.js";
import { submitted } from "../intents/submit.js";
import { changedQueue, compose, rowsOf, savedSnapshot, union, type Queued, type Saved } from "../snapshot/save.js";
import type { LinkClient, LinkState, OpenHome, PendingIntent } from "./client.js";

/** Whether a save has this submit because it was not answered for. */
export const isUnanswered = <State>({ run, unsaved, done }: PendingIntent<State>): boolean => !!run?.queued && !unsaved && !done;

/** The remains of a session. */
export interface Remains<State> {
  /** The thread as it was shown. */
  readonly shown: AgentSnapshot<State>;
  /** The last report, with what has happened since; empty if there was none. Without it the next home begins with what is shown. */
  readonly report: Partial<Saved> | undefined;
}

/** The last report, as a save, with the calls that were begun since. */
export function reportOf<State>({ last = "{}", changes, begun, thread: { messages, state } }: OpenHome<State>): Saved {
  // A decision of a save may be what the session is lost at.
  const said: Saved = { messages, state, ...JSON.parse(last), acts: undefined };
  const saved = changes ? withChanges(said, JSON.parse(changes)) : said;
  const calls = saved.turn?.calls.map((call) => (begun.has(call.id) ? { ...call, stage: "executing" } : call));
  return { ...saved, handled: union(saved.handled, [...begun], (id) => id), turn: calls && { ...saved.turn, calls } };
}

/**
 * The remains of the session whose home that was. A save that the core has trapped at is not tried twice: it is put aside, and what waits in it is
 * shown. Of the rest the next home gets what was done; if it is lost at that, too, the thread alone. A worker that has died has not trapped.
 */
function remainsOf<State>(client: LinkClient<State>, shared: LinkState<State>, home: OpenHome<State>, died: boolean): Remains<State> {
  const { pending, runs } = shared;
  const { last, begins, reading } = home;
  const then = reportOf(home);
  const { v, queue: waiting = [] } = then;
  // A report that it has made while it began is newer than what is shown.
  const said = begins && !reading && v ? savedSnapshot<State>(then) : pending.confirmed();
  /** A submit that the report has waits there, and one that has ended was refused. */
  const isLeft = ({ run }: PendingIntent<State>) => !run || (runs.has(run) && !waiting.some(({ runId }) => runId === run.id));
  const list = pending.list.filter(isLeft);
  // Where others wait, it waits after them, and after the run that opens the thread.
  const isAfter = waiting.length || list.some(({ run }) => run?.opens);
  // One that the session has answered for is here as long as no patch has it.
  const waits = list.filter(({ run, unsaved, waits: queues }) => run?.queued && !unsaved && (queues || isAfter) && run.id !== said.runId);
  const sent = changedQueue(queuedOf(waits), list);
  const shown = list.reduce((at, intent) => (waits.includes(intent) ? at : intent.fold(at)), said);
  // Without a report there is no version.
  const report = { ...compose(then, then, list, sent), v };
  if (!reading || died) return { shown: { ...shown, queue: [...shown.queue, ...rowsOf(sent)] }, report };
  const first = last !== undefined && last !== shared.rescued;
  if (first) client.quarantine(last);
  const { handled, unsent, untold, turn, queue } = report;
  // A submit that waits may replace messages, but none that was said since. A session that is lost before its first report may have shown it.
  const waited = union<WaitingRow>([...queue, ...queuedOf(list)], inputsOf(shared, shown.queue), ({ runId }) => runId);
  const left = waited.reduce<AgentSnapshot<State>>(submitted, { ...shown, queue: [] });
  return { shown: left, report: first ? ({ handled, unsent, untold, turn } as Partial<Saved>) : undefined };
}

/** A submit that waits, as far as it is known. */
type WaitingRow = Partial<Queued> & Pick<Queued, "runId" | "messages">;

/** The rows of a queue, with what else their submits have said, as far as somebody waits for them. */
function inputsOf<State>({ runs }: LinkState<State>, rows: AgentSnapshot["queue"]): readonly WaitingRow[] {
  const asked = queuedOf([...runs].map((run) => ({ run })));
  return rows.map((row) => ({ ...asked.find(({ runId }) => runId === row.runId), ...row }));
}

/** Whether the next session joins the run of that report: the server continues after what it has. */
const joinsRun = <State>(client: LinkClient<State>, shared: LinkState<State>, report: Remains<State>["report"]): boolean =>
  !!report?.v && client.resumes() && shared.pending.confirmed().isLoading;

/** The next home begins with these, where they are more than the thread. `failed`: its runs have ended with an error. */
export function remain<State>(client: LinkClient<State>, shared: LinkState<State>, { shown, report }: Remains<State>, failed: boolean): void {
  const { threadId, toolCalls, interrupts } = shown;
  const reported = report?.v;
  if (!report || !(reported || report.queue?.length || report.handled?.length || interrupts.length || toolCalls.length)) return;
  const joins = joinsRun(client, shared, report);
  const { messages: then, state } = joins ? (report as Saved) : failed ? cutOff(shown, "error") : shown;
  const messages = union(then, joins ? shown.messages.filter(({ role }) => role === "user") : [], messageKey);
  const known = new Set(report.turn?.calls.map(({ id }) => id));
  const open = toolCalls.filter(({ id, status }) => !(reported && client.resumes()) && status === "running" && !known.has(id));
  const idsOf = (calls: typeof toolCalls): string[] => calls.map(({ id }) => id);
  const since = {
    ...report,
    ...(!reported && { handled: union(report.handled, idsOf(toolCalls), (id) => id) }),
    // After an error nothing continues by itself, and a run that the report does not have was not sent.
    ...(reported && failed && { running: true, runId: report.running ? report.runId : undefined }),
    // The agent learns that nothing came of these.
    ...(failed && { failed: [...(report.failed ?? []), ...idsOf(open)] }),
    interrupts,
  };
  const last = JSON.stringify(compose(since, { threadId, messages, state }));
  if (!reported) shared.rescued = last;
  shared.home = { at: "saved", last };
}

/**
 * After a failure the submits wait on that a store has, also those whose turn has come after a run that is joined. What the others say, or replace, stands in
 * the thread. An interrupt is answered where the report has the reply: a patch may have shown one that no report has.
 */
function parted<State>(client: LinkClient<State>, shared: LinkState<State>, { shown, report }: Remains<State>): Remains<State> {
  const known = new Set(shown.messages.map(messageKey));
  const isNew = (message: Message): boolean => !known.has(messageKey(message));
  const joins = joinsRun(client, shared, report);
  // One whose messages are shown has begun, and was not sent if the report has it in the queue.
  const queue = (client.parts()!.settings.saves && report?.queue?.filter(({ messages }) => joins || messages.every(isNew))) || [];
  const waiting = new Set(queue.flatMap(({ messages }) => messages.map(messageKey)));
  const interrupts = shown.interrupts.map(({ answered: _, ...each }): Interrupt =>
    report?.replies?.some(({ interruptId }) => interruptId === each.id) ? { ...each, answered: true } : each
  );
  const left = inputsOf(shared, shown.queue).reduce<AgentSnapshot<State>>(
    (at, row) => (queue.some(({ runId }) => runId === row.runId) ? at : submitted(at, row)),
    { ...shown, interrupts, queue: rowsOf(queue), messages: shown.messages.filter((message) => !waiting.has(messageKey(message))) },
  );
  return { shown: left, report: report && { ...report, queue } };
}

/** The session whose home that was is lost, perhaps with its worker: an error of its runs, unless nobody waits for one of a worker. */
export function lose<State>(client: LinkClient<State>, shared: LinkState<State>, home: OpenHome<State>, cause: unknown, died: boolean): void {
  const remains = remainsOf(client, shared, home, died);
  if (died && shared.late!.rests(remains)) return;
  const rest = parted(client, shared, remains);
  const { shown, report } = rest;
  remain(client, shared, rest, true);
  const left = cutOff(shown, "error");
  // The calls that wait for a person wait on.
  const waits = new Set(report?.turn?.calls.flatMap(({ id, stage }) => (stage === "waiting" ? id : [])));
  const toolCalls = left.toolCalls.map((call, at) => (waits.has(call.id) ? shown.toolCalls[at]! : call));
  shared.giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause), { ...left, toolCalls });
}
