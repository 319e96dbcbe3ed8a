// An agent's own state: its options, its listeners, and whether it is disposed of. Each of its parts takes a `Pick` of this.

import type { Agent, AgentOptions, AgentSnapshot } from "../api/types.js";
import { createEmitter } from "../base/emitter.js";
import { checkedOptions } from "./check.js";
import type { Thread } from "./thread.js";
import { createView } from "./view.js";

/** An agent, as its parts see it. Its thread sees less of it. */
export type Self<State> = ReturnType<typeof createSelf<State>>;

/** A new agent of that thread, which `agent` returns once it is made. */
export function createSelf<State>(
  thread: Thread<State>,
  initial: AgentOptions<State>,
  first: AgentSnapshot<State>,
  mounted: boolean,
  agent: () => Agent<State>,
) {
  let current = initial;
  let over = false;
  /** To be read at the time of every call, so that a binding can keep callbacks and headers fresh. */
  const options = (): AgentOptions<State> => current;
  const emitter = createEmitter(options as () => AgentOptions);
  const view = createView(thread.read);
  const gone = (): boolean => over || thread.disposed();
  /** Throws once the agent is disposed of. */
  const alive = (): void => thread.alive(gone());
  const self = {
    ...view,
    ...{ view, thread, first, mounted, options, emitter, alive, gone },
    get agent(): Agent<State> {
      return agent();
    },
    setOptions: (next: AgentOptions<State>): void => {
      if (gone()) return;
      current = checkedOptions(next);
      thread.link.live()?.listen();
    },
    subscribe: (listener: () => void): () => void => {
      if (gone()) return () => {};
      const off = view.subscribe(listener);
      thread.arrive();
      return () => {
        off();
        thread.released(self);
      };
    },
    on: ((...heard) => {
      const off = emitter.on(...heard);
      thread.link.live()?.listen();
      return () => {
        off();
        thread.link.live()?.listen();
      };
    }) as Agent<State>["on"],
    /** Before anything that changes something. */
    act: (): void => {
      alive();
      view.refuse();
      thread.saves.use();
    },
    dispose: (): void => {
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
