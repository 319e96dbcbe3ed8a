// The agents of a thread: whose options a run has, and who hears of it. Here of one that has one agent; for more see members.ts.

import type { Agent } from "../api/agent.js";
import type { AgentOptions } from "../api/options.js";
import type { Emitter } from "../base/emitter.js";

/** An agent, as its thread sees it. */
export interface Member<State> {
  options(): AgentOptions<State>;
  readonly agent: Agent<State>;
  readonly emitter: Emitter;
  /** It was made for components, and is there while one of them listens. */
  readonly mounted: boolean;
  /** Somebody looks at it. */
  watched(): boolean;
  /** It was disposed of. */
  gone(): boolean;
  /** The thread has changed. */
  changed(): void;
}

/** An emitter to speak through. */
export type Voice = Pick<Emitter, "emit" | "has" | "wanted">;

/** The agents of a thread. */
export interface Members<State> {
  join(member: Member<State>): void;
  leave(member: Member<State>): void;
  /** Somebody has begun to use one of them. */
  arrived(): void;
  /** Those that somebody uses, the newest first. */
  here(): readonly Member<State>[];
  watched(): boolean;
  /** This agent asks for that run, which has an end. */
  asks(by: Member<State> | undefined, runId: string): void;
  ended(runId: string): void;
  /** The agent that has asked for this run, or for the last one; where it has gone, the newest that is there. */
  asker(runId?: string): Member<State>;
  /** This one has lost a listener. `release` is called once it is clear that no component was only made anew. */
  left(member: Member<State>, release: () => void): void;
  /** Settles when one of them is there; nothing where one is, or where calls of nobody run as well. */
  arrival(): Promise<void> | undefined;
  changed(): void;
  /** What all of them hear. */
  readonly emitter: Voice;
  /** All listeners hear of it, of the callbacks only those of `by`; where that has gone, of the newest. */
  tell: (by: Member<State> | undefined, ...event: Parameters<Emitter["emit"]>) => void;
}

const nothing = (): void => {};

/** A thread's only agent. */
export function onlyMember<State>(member: Member<State>): Members<State> {
  const { emitter } = member;
  return {
    ...{ join: nothing, leave: nothing, arrived: nothing, left: nothing, asks: nothing, ended: nothing, arrival: () => undefined, emitter },
    here: () => [member],
    asker: () => member,
    watched: member.watched,
    changed: member.changed,
    tell: (_by, ...event) => emitter.emit(...event),
  };
}
