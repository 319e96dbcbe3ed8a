// The beginning of a session: the thread, and the steps that have waited for it.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import type { Session } from "../glue/core.js";
import { compose, type Saved, type SavedAct } from "../snapshot/save.js";
import { initialSnapshot } from "../snapshot/initial.js";
import { keepShown, Patching } from "../snapshot/mirror.js";
import type { LinkClient, LinkState, Live, OpenHome, PendingIntent } from "./client.js";
import { confirm, createLive } from "./live.js";
import type { Port } from "./port.js";
import { isTrap } from "./traps.js";

/**
 * Makes a session from the thread as it was before the first step that waits, or from the save that is known, and does all that
 * waits. The session is the home from then on, and is shown, unless it was lost over that.
 */
export function openSession<State>(client: LinkClient<State>, shared: LinkState<State>, port: Port): void {
  shared.held = [];
  const opened = openHome(client, shared, port);
  if (!opened) return;
  shared.release(() => {
    shared.late?.opened();
    confirm(shared, opened);
  });
}

/** Whether it is a change of what is there, and begins nothing. */
const isEdit = <State>({ run, acts }: PendingIntent<State>): boolean => !run && !acts;

/** Returns the snapshot to show; nothing if the session was lost. */
function openHome<State>(client: LinkClient<State>, shared: LinkState<State>, port: Port): AgentSnapshot<State> | undefined {
  const { history } = client.parts()!;
  const { pending } = shared;
  const [base, all] = [pending.confirmed(), [...pending.list]];
  pending.end(client.read(), all);
  const saved = shared.home.at === "saved" ? shared.home.last : undefined;
  // Changes of its queue. Nobody waits for the cancelled any longer, but what they say stays: after its run, questions or queue, or the run that opens the
  // thread, they could only be cancelled.
  const stored = saved && JSON.parse(saved);
  const opens = all.some(({ run }) => run?.opens);
  const isBusy = stored && (opens || stored.running || stored.turn || stored.queue?.length || stored.interrupts?.length);
  const before = all.filter(({ cancelled, waiting }) => waiting || (cancelled && isBusy));
  const read: Saved | undefined = stored && before.length
    ? compose(stored, before.reduce((at, { fold }) => fold(at), { ...client.empty(), ...stored }), before)
    : stored;
  const save = read === stored ? saved : JSON.stringify(read);
  const todo = all.filter((step) => !before.includes(step));
  let from = save ? client.empty() : base;
  while (!save && todo.length && isEdit(todo[0]!)) from = todo.shift()!.fold(from);

  const refused = (error: AgentError): void => shared.soon(() => client.emitter.emit("error", error));
  const live = createLive(client, shared, port);
  const current = (): boolean => shared.home === home;
  const home: OpenHome<State> = { at: "open", live, thread: from, last: save, begun: new Set(), reading: true, begins: true };
  shared.home = home;
  let next: AgentSnapshot<State>;
  try {
    from = begin(live, from, client.empty(), refused);
    // The core tells of all messages and calls, as it has read them; what it has read as they are keeps its identity.
    next = initialSnapshot<State>(from.threadId, [], from.state);
    const taken = read ? takeSave(client, shared, home, read, todo, refused) : new Set();
    if (!taken) return undefined;
    home.reading = !!shared.late;
    // Decisions that another page has made. Where one was done before that page was left, it is refused, and nobody has to know.
    for (const [method, json] of (stored?.acts ?? []) as SavedAct[])
      if (current() && !all.some((own) => (own.run ?? own).json === json)) takeStep(client, live, { method, json } as PendingIntent<State>, () => {});
    for (const step of todo) if (!taken.has(step) && current()) takeStep(client, live, step, refused);
    if (!current()) return undefined;
    const first = new Patching(next, history.add);
    for (let patch; !first.whole && (patch = live.takePatch()) !== undefined;) {
      first.take(patch);
      while (first.step());
    }
    next = first.snapshot;
  } catch (error) {
    live.fail(error);
    return undefined;
  }
  home.begins = false;
  const kept = keepShown(pending.confirmed(), next);
  live.begun(kept);
  return kept;
}

/**
 * Has the session read the save, and begin what waits in it with what the page has shown since: its own submits wait for that. Returns the steps that
 * it has taken; nothing if the session was lost over that.
 */
function takeSave<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  home: OpenHome<State>,
  { queue, handled }: Partial<Saved>,
  todo: readonly PendingIntent<State>[],
  refused: (error: AgentError) => void,
): ReadonlySet<PendingIntent<State>> | undefined {
  const { live, last } = home;
  const save = last!;
  const opening = todo.find(({ run }) => run?.opens);
  const early: PendingIntent<State>[] = [];
  for (const step of todo) {
    if (!isEdit(step)) { if (!queue?.length || !step.run?.queued || step.run.ifBusy) break; }
    else if (!step.cancelled) early.push(step);
  }
  const restore = (opened: Session): void => {
    opened.call("restore", opening ? opening.run!.opens!(save) : save);
    for (const edit of early) if (shared.home === home) takeStep(client, live, edit, refused);
    if (shared.home === home) opened.call("proceed");
    home.reading = !!shared.late;
  };
  try {
    if (!live.ask(restore)) return undefined;
    if (!client.parts()!.settings.saves && !shared.late) Object.assign(home, { last: undefined, begun: new Set(handled) });
    return new Set([...early, opening!]);
  } catch (error) {
    home.last = undefined; // Waiting steps continue without it.
    shared.soon(() => {
      client.refused(error as AgentError);
      client.quarantine(save);
    });
    return new Set();
  }
}

/**
 * Begins with what the application has set before. Where the core refuses that, without the part that it refuses. Returns what the
 * session has begun with.
 */
function begin<State>(
  live: Live<State>,
  from: AgentSnapshot<State>,
  { messages, state }: AgentSnapshot<State>,
  refused: (error: AgentError) => void,
): AgentSnapshot<State> {
  let refusal: AgentError | undefined;
  for (const part of [from, { ...from, state }, { ...from, messages }, { ...from, messages, state }]) {
    try {
      live.open(part);
      if (refusal) refused(refusal);
      return part;
    } catch (error) {
      if (isTrap(error)) throw error;
      refusal ??= error as AgentError;
    }
  }
  throw refusal;
}

/** Takes an intent that has waited. */
function takeStep<State>(client: LinkClient<State>, { ask, start }: Live<State>, step: PendingIntent<State>, refused: (error: AgentError) => void): void {
  const { run, cancelled, method, json } = step;
  if (run) start(run);
  else if (cancelled) {
    start(cancelled);
    ask((opened) => opened.call("cancel", cancelled.id));
  } else {
    try {
      if (method === "approve") client.parts()!.approve(json!);
      else ask((opened) => void opened.call(method!, json));
    } catch (error) {
      // A mistake in one does not stop the others.
      refused(error as AgentError);
    }
  }
}
