// An agent's own state: its options, its listeners, and whether it is disposed of. Each of its parts takes a `Pick` of this.

import type { Agent, AgentOptions, AgentSnapshot } from "../api/types.js";
import { createEmitter } from "../base/emitter.js";
import type { Member } from "../thread/members.js";
import { checkedOptions } from "./check.js";
import type { Thread } from "./thread.js";
import { createView, type View } from "./view.js";

/** An agent, as its parts see it. Its thread sees less of it. */
export interface Self<State> extends Member<State>, Pick<Agent<State>, "subscribe" | "on"> {
  readonly thread: Thread<State>;
  /** The snapshot that its options begin with. */
  readonly first: AgentSnapshot<State>;
  /** To be read at the time of every call, so that a binding can keep callbacks and headers fresh. */
  options(): AgentOptions<State>;
  setOptions(next: AgentOptions<State>): void;
  /** Returns the snapshot. */
  read(): AgentSnapshot<State>;
  readonly view: View<State>;
  /** Throws once the agent is disposed of. */
  alive(): void;
  /** Before anything that changes something. */
  act(): void;
  dispose(): void;
}

/** A new agent of that thread, which `agent` returns once it is made. */
export function createSelf<State>(
  thread: Thread<State>,
  initial: AgentOptions<State>,
  first: AgentSnapshot<State>,
  mounted: boolean,
  agent: () => Agent<State>,
): Self<State> {
  let current = initial;
  let over = false;
  const options = (): AgentOptions<State> => current;
  const emitter = createEmitter(options as () => AgentOptions);
  const view = createView(thread.read);
  const gone = (): boolean => over || thread.disposed();
  const alive = (): void => thread.alive(gone());
  const self: Self<State> = {
    ...view,
    ...{ view, thread, first, mounted, options, emitter, alive, gone },
    get agent() {
      return agent();
    },
    setOptions: (next) => {
      if (gone()) return;
      current = checkedOptions(next);
      thread.link.live()?.listen();
    },
    subscribe: (listener) => {
      if (gone()) return () => {};
      const off = view.subscribe(listener);
      thread.arrive();
      return () => {
        off();
        thread.released(self);
      };
    },
    on: (...heard) => {
      const off = emitter.on(...heard);
      thread.link.live()?.listen();
      return () => {
        off();
        thread.link.live()?.listen();
      };
    },
    act: () => {
      alive();
      view.refuse();
      thread.saves.use();
    },
    dispose: () => {
      if (over) return;
      view.holder()?.cancel(view);
      thread.leave(self);
      over = true;
      emitter.close();
      view.close();
    },
  };
  return self;
}
