// An agent: a view of a thread (thread.ts), with options and listeners of its own.

import type { Agent, AgentOptions, AgentSnapshot, Checkpoint } from "../api/types.js";
import type { SavedAgent } from "../api/saving.js";
import { unsupported } from "../base/failure.js";
import { act as toAct } from "../intents/act.js";
import { createLink } from "../core/link.js";
import type { Core, Inflate } from "../core/loader.js";
import { checkedOptions } from "./check.js";
import { createDecisions } from "./decisions.js";
import { createEdits, idOf } from "./edits.js";
import { createGuard } from "./guard.js";
import { createRuns } from "./runs.js";
import { createSelf } from "./self.js";
import { firstSnapshot } from "./shown.js";
import { createThread, inPage, type Linked, type Thread } from "./thread.js";

/**
 * An agent over a core that `core` gives, and which is loaded when it is first needed. The entries of the package differ in the source only. `mounted`:
 * it is made for components, and there while one of them listens. `linked` makes the link to a core that may be in a worker.
 *
 * @internal
 */
export function createAgentWith<State, Place = Core>(
  core: (inflate: Inflate) => Promise<Place>,
  options: AgentOptions<State>,
  mounted = false,
  linked?: Linked<State, Place>,
): Agent<State> {
  // Mistakes are reported where they are made.
  options = checkedOptions(options);
  if (options.worker) throw unsupported("worker", "worker: import from ag-ui-wasm/worker");
  const first = firstSnapshot(options);
  const make = (): Thread<State> => createThread(core, options, first, linked ?? (createLink as Linked<State, Place>));
  // A server that renders has pages of several users.
  const shared = options.persist && (!mounted || inPage());
  return createAgentOf(shared ? options.persist!.share(!!linked, options as AgentOptions, make) : make(), options, first, mounted);
}

const none: readonly Checkpoint[] = [];

/** An agent of that thread. */
function createAgentOf<State>(
  thread: Thread<State>,
  initial: AgentOptions<State>,
  first: ReturnType<typeof firstSnapshot<State>>,
  mounted: boolean,
): Agent<State> {
  const self = createSelf(thread, initial, first, mounted, () => agent);
  const { emitter, view, alive, act, subscribe, on, setOptions, dispose } = self;
  const { link, source } = thread;

  const methods: Omit<Agent<State>, typeof Symbol.dispose> = {
    ...{ subscribe, on, setOptions, dispose },
    getSnapshot: view.read,
    flush: () => link.live()?.flush(),
    getServerSnapshot: () => first,
    ...createRuns(self),
    ...thread.remote.methods,
    get ready() {
      return thread.remote.ready();
    },
    // The run that opens the thread is none of the person's: what was decided meanwhile continues.
    stop: async () => void ((!view.read().isLoading && thread.remote.thread?.giveUp()) || (await link.stop())),
    connect: async () => {
      act();
      const channel = await thread.openChannel();
      alive();
      await channel.connect();
    },
    disconnect: async () => {
      alive();
      thread.channel?.leave();
      // A run that waits for the core begins before it is left.
      if (!link.live() && link.busy()) link.apply(toAct("disconnect"));
      await link.live()?.call("disconnect");
      thread.channel?.current?.close();
    },
    ...createDecisions(self),
    ...createEdits(self),
    get history() {
      return source.parts()?.history.list ?? none;
    },
    at: (checkpoint) => source.parts()?.history.at(idOf(checkpoint)) as AgentSnapshot<State> | undefined,
    save: (): SavedAgent => JSON.parse(link.save()),
    guard: createGuard(self),
    send: (event) => {
      alive();
      const sent = source.parts()?.send(self, event);
      if (sent) return sent;
      // Nothing is open before it comes.
      throw unsupported("not-sent", "send() needs an open connection");
    },
    events: emitter.events,
    requests: thread.emitter.requests,
  };
  const agent = methods as Agent<State>;
  // Older engines have no such symbol.
  if (Symbol.dispose) agent[Symbol.dispose] = dispose;
  thread.join(self);
  return agent;
}
