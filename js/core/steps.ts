// Steps that wait for a session: runs, with every edit that comes after them, while the snapshot shows how it will look.

import type { AgentSnapshot } from "../api/types.js";
import { unsupported } from "../base/failure.js";
import { retained } from "../base/weak.js";
import { begun, cancelled } from "../snapshot/project.js";
import type { Queued } from "../snapshot/save.js";
import type { LinkClient, Edit, Run, LinkState, PendingStep } from "./client.js";

/** The steps that wait, oldest first. */
export interface Steps<State> {
  readonly list: readonly PendingStep<State>[];
  /** The first run that will begin; several replies to interrupts need not begin one. */
  first(): Run<State> | undefined;
  /** Adds a run, as `ifBusy` says. */
  wait(run: Run<State>): void;
  /** Adds a change; `acts`: one that needs a session. */
  add(edit: Edit<State>, acts: boolean): void;
  /** Takes a run out of those that wait. False if it is none of them. */
  cancel(run: Run<State>): boolean;
  /** Takes all, and the thread as it was before the first of them. */
  take(): readonly [from: AgentSnapshot<State>, todo: readonly PendingStep<State>[]];
  /** Nothing waits. `decisions`: those do. */
  forget(decisions?: boolean): void;
  /** Shows what waits, on this thread if one is given. */
  preview(base?: AgentSnapshot<State>): void;
  /** For a save: the thread without the submits that can wait in one, and these. */
  parted(): readonly [thread: AgentSnapshot<State>, waiting: Queued[]];
}

/** Settles a run that does not wait for another one; whether it does not. */
function isRefused<State>(shared: LinkState<State>, run: Run<State>): boolean {
  if (run.ifBusy === "drop") shared.settle(run, "dropped");
  if (run.ifBusy !== "reject") return run.ifBusy === "drop";
  shared.runs.delete(run);
  run.reject(unsupported("busy", "Another run is in progress"));
  return true;
}

const needs = <State>({ run, acts }: PendingStep<State>): unknown => run || acts;
const begins = <State>({ run }: PendingStep<State>): boolean => !!run && !run.part;

/** No steps yet. */
export function createSteps<State>(client: LinkClient<State>, shared: LinkState<State>): Steps<State> {
  const { read, publish } = client;
  // The thread as it was before the first of them.
  let base: AgentSnapshot<State> | undefined;
  const list: PendingStep<State>[] = [];

  const first = (): Run<State> | undefined => list.find(begins)?.run;

  /** Keeps the agent alive while steps wait for a session, even if nothing references it. */
  const retain = (): unknown => retained[list.some(needs) ? "add" : "delete"](client);

  const forget = (decisions?: boolean): void => {
    base = undefined;
    list.push(...list.splice(0).filter(({ acts }) => decisions && acts));
    retain();
  };

  const preview = (on = base): void => {
    base = on;
    retain();
    const shown = list.reduce((snapshot, { edit }) => edit.fold(snapshot), base ?? read());
    const next = first();
    if (!next && !shared.saved && !list.some(needs)) forget();
    publish(next ? begun(shown, next.id) : read().isLoading ? cancelled(shown) : shown);
  };

  const cancel = (run: Run<State>): boolean => {
    const index = list.findIndex((step) => step.run === run);
    if (index < 0) return false;
    // The first one counts as started: its messages stay, as they do when a run is stopped.
    if (list.some((step, i) => step.run && i < index)) list.splice(index, 1);
    else list[index]!.run = undefined;
    preview();
    shared.settle(run, "aborted");
    return true;
  };

  return {
    list,
    first,
    wait: (run) => {
      const before = list.findIndex(begins);
      if (before >= 0 && isRefused(shared, run)) return;
      base ??= read();
      const step = { run, edit: run };
      // The run that brings the thread comes before all that wait; one that replaces the first, before those after it.
      const replaces = before >= 0 && run.ifBusy === "replace";
      list.splice(before >= 0 && run.opens ? before : replaces ? before + 1 : list.length, 0, step);
      if (replaces) cancel(list[before]!.run!);
      else preview();
    },
    add: (edit, acts) => {
      base ??= read();
      list.push({ edit, acts });
      retain();
    },
    cancel,
    take: () => {
      const result = [base ?? read(), [...list]] as const;
      forget();
      return result;
    },
    forget,
    preview,
    parted: () => [
      // A waiting run has its messages with it.
      list.reduce((at, { run, edit }) => (run?.queued ? at : edit.fold(at)), base ?? read()),
      list.flatMap(({ run }) => run?.queued?.() ?? []),
    ],
  };
}
