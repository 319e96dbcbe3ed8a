// The agents of a thread: whose options a run has, and who hears of it. An agent is there until it is disposed of; one that was made
// for components, while one of them listens.

import type { Agent, AgentRequest } from "../api/agent.js";
import type { AgentOptions } from "../api/options.js";
import type { Emitter } from "../base/emitter.js";
import { belongs } from "../base/run-id.js";

/** An agent, as its thread sees it. */
export interface Member<State> {
  options(): AgentOptions<State>;
  readonly agent: Agent<State>;
  readonly emitter: Emitter;
  /** It was made for components, and is there while one of them listens. */
  readonly mounted: boolean;
  /** Somebody looks at it. */
  watched(): boolean;
  /** It, or its thread, was disposed of. */
  gone(): boolean;
  /** The thread has changed. */
  changed(): void;
}

/** An emitter to speak through. */
export interface Voice extends Pick<Emitter, "emit" | "has"> {
  /** The types of events of each listener; `undefined`: all. */
  filters(): readonly (readonly string[] | undefined)[];
  /** The last requests of the thread, without their bodies. */
  readonly requests: AgentRequest[];
}

/** The agents of a thread. */
export type Members<State> = ReturnType<typeof createMembers<State>>;

/** No agents yet. */
export function createMembers<State>() {
  // Weak, so that one that nobody uses is collected; but for the newest, which speaks for those that have gone.
  let list: WeakRef<Member<State>>[] = [];
  let newest: Member<State>;
  let arrive: (() => void) | undefined;
  let arriving: Promise<void> | undefined;
  const requesters = new Map<string, Member<State>>();
  // Of the last run that has asked for something.
  let last: readonly [id: string, by: Member<State>] | undefined;

  const all = (): Member<State>[] => {
    list = list.filter((each) => each.deref());
    return list.flatMap((each) => each.deref() ?? []);
  };
  const leaving = new Set<Member<State>>();
  const isPresent = (member: Member<State>): boolean => !member.gone() && (!member.mounted || leaving.has(member) || member.watched());
  /** The members that are in use, the newest first. */
  const present = (): Member<State>[] => all().filter(isPresent).reverse();
  /** The one that speaks for `by`. */
  const of = (by: Member<State> | undefined): Member<State> => (by && isPresent(by) ? by : (present()[0] ?? (by && !by.gone() ? by : newest)));

  const members = {
    join: (member: Member<State>): void => {
      newest = member;
      list.push(new WeakRef(member));
      members.arrived();
    },
    leave: (member: Member<State>): void => {
      list = list.filter((each) => each.deref() !== member);
      if (newest === member) newest = all().pop() ?? member;
    },
    /** Somebody has begun to use one of them. */
    arrived: (): void => {
      if (!present().length) return;
      arrive?.();
      arriving = undefined;
    },
    present,
    watched: (): boolean => all().some((member) => member.watched()),
    /** This agent asks for that run, which has an end. */
    asks: (by: Member<State> | undefined, runId: string): void => void (by && requesters.set(runId, by)),
    ended: (runId: string): void => void requesters.delete(runId),
    /** The agent that has asked for this run, or for the last one; where it has gone, the newest that is there. */
    requester: (runId?: string): Member<State> => {
      if (runId !== undefined && !(last && belongs(runId, last[0]))) last = [...requesters].find(([id]) => belongs(runId, id));
      return of(last?.[1]);
    },
    /** This one has lost a listener: it is there for a task, in which a component may be made anew. `alone`: after that nobody is. */
    release: (member: Member<State>, alone: () => void): void => {
      if (!member.mounted || member.watched()) return;
      leaving.add(member);
      setTimeout(() => {
        leaving.delete(member);
        if (!present().length) alone();
      }, 0);
    },
    /** Settles when one of them is there; nothing where one is. */
    arrival: (): Promise<void> | undefined => (present().length ? undefined : (arriving ??= new Promise((resolve) => (arrive = resolve)))),
    changed: (): void => {
      for (const member of all()) member.changed();
    },
    /** Emits to all members. */
    emitter: voiceOf(all),
    /** All listeners hear of it, of the callbacks only those of `by`; where that has gone, of the newest. */
    notify: (by: Member<State> | undefined, ...[name, detail]: Parameters<Emitter["emit"]>): void => {
      const one = of(by);
      for (const member of all()) member.emitter.emit(name, detail, member !== one);
    },
  };
  return members;
}

/** Emits to all of them. */
const voiceOf = <State>(all: () => readonly Member<State>[]): Voice => ({
  requests: [],
  emit: (...event) => {
    for (const { emitter } of all()) emitter.emit(...event);
  },
  has: (name) => all().some(({ emitter }) => emitter.has(name)),
  filters: () => all().flatMap(({ emitter }) => emitter.filters()),
});
