// The agents of a thread that has a store. An agent is there until it is disposed of; one that was made for components, while one of
// them listens.

import { belongs } from "../base/run-id.js";
import type { Member, Members } from "./member.js";

/** No agents yet. */
export function createMembers<State>(): Members<State> {
  // Weak, so that one that nobody uses is collected; but for the newest, which speaks for those that have gone.
  let list: WeakRef<Member<State>>[] = [];
  let newest: Member<State>;
  let arrive: (() => void) | undefined;
  let arriving: Promise<void> | undefined;
  const askers = new Map<string, Member<State>>();
  // Of the last run that has asked for something.
  let last: readonly [id: string, by: Member<State>] | undefined;

  const all = (): Member<State>[] => {
    const found = list.map((each) => each.deref());
    if (found.includes(undefined)) list = list.filter((each) => each.deref());
    return found.filter((each) => each !== undefined);
  };
  const leaving = new Set<Member<State>>();
  const there = (member: Member<State>): boolean => !member.gone() && (!member.mounted || leaving.has(member) || member.watched());
  const here = (): Member<State>[] => all().filter(there).reverse();
  /** The one that speaks for `by`. */
  const of = (by: Member<State> | undefined): Member<State> => (by && there(by) ? by : (here()[0] ?? (by && !by.gone() ? by : newest)));

  const members: Members<State> = {
    join: (member) => {
      newest = member;
      list.push(new WeakRef(member));
      members.arrived();
    },
    leave: (member) => {
      list = list.filter((each) => each.deref() !== member);
      if (newest === member) newest = all().pop() ?? member;
    },
    arrived: () => {
      if (!here().length) return;
      arrive?.();
      arriving = undefined;
    },
    here,
    watched: () => all().some((member) => member.watched()),
    asks: (by, runId) => void (by && askers.set(runId, by)),
    ended: (runId) => void askers.delete(runId),
    asker: (runId) => {
      if (runId !== undefined && !(last && belongs(runId, last[0]))) last = [...askers].find(([id]) => belongs(runId, id));
      return of(last?.[1]);
    },
    left: (member, release) => {
      if (!member.mounted || member.watched()) return;
      leaving.add(member);
      setTimeout(() => {
        leaving.delete(member);
        release();
      });
    },
    arrival: () => (here().length ? undefined : (arriving ??= new Promise((resolve) => (arrive = resolve)))),
    changed: () => {
      for (const member of all()) member.changed();
    },
    emitter: {
      emit: (...event) => {
        for (const { emitter } of all()) emitter.emit(...event);
      },
      has: (name) => all().some(({ emitter }) => emitter.has(name)),
      wanted: () => {
        const wanted = all().map(({ emitter }) => emitter.wanted());
        return wanted.includes("*") ? "*" : [...new Set(wanted.flatMap((types) => types.split(",")))].filter(Boolean).sort().join();
      },
    },
    tell: (by, name, detail) => {
      const one = of(by);
      for (const member of all()) member.emitter.emit(name, detail, member !== one);
    },
  };
  return members;
}
