// The thread at the agent's server, where the options say how it is kept. What that takes is a chunk of its own (js/remote-thread): an
// agent without these options has no more of it than this file.

import type { AgentSnapshot, RunResult } from "../api/types.js";
import { localThread } from "../snapshot/initial.js";
import type { RemoteThread } from "../remote-thread/index.js";
import type { Thread } from "./thread.js";

/** The thread of an agent at its server. */
export type Remote<State> = ReturnType<typeof createRemote<State>>;

/** The thread at the server, as the snapshot has it at `first`. `open` loads what there is of it. */
export function createRemote<State>(
  { options, shown }: Pick<Thread<State>, "options" | "shown">,
  first: AgentSnapshot["thread"],
  open: () => Promise<RemoteThread<State>>,
) {
  let thread: RemoteThread<State> | undefined;
  let opening: Promise<RemoteThread<State>> | undefined;
  const loads = first !== localThread;
  let opened = loads ? undefined : Promise.resolve();

  const come = (): Promise<RemoteThread<State>> => (opening ??= open().then(
    (arrived) => (thread = arrived),
    (error) => {
      opening = undefined;
      if (loads) first = { ...first, status: "error" };
      shown.show();
      throw error;
    },
  ));

  const load = (): Promise<void> => {
    // The snapshot says it as well.
    (opened = come().then((stored) => stored.load())).catch(() => {});
    return opened;
  };
  /** The thread is there. Whoever asks uses the agent: its thread is opened. */
  const ready = (): Promise<void> => (opened ||= load());

  return {
    /** The thread's chunk, once it has come. */
    get thread(): RemoteThread<State> | undefined {
      return thread;
    },
    ready,
    /** Before the core begins with what it is given, which may have submits that wait: these wait for the thread as well. */
    begin: (): unknown => options().thread && (void ready(), come().then((stored) => stored.handedOver())),
    /**
     * Before a run is asked for: what the options say of it is done. Its result, where it needs no run of the core; `undefined` at once
     * where there is nothing to do, or where the run may be asked for before the chunk is there: the core waits for that.
     */
    prepare: (...run: Parameters<RemoteThread<State>["prepare"]>): Promise<RunResult | undefined> | undefined => {
      if (!options().thread && !run[2]?.keepId) return undefined;
      void ready();
      if (thread || run[0] !== "submit") return come().then((stored) => stored.prepare(...run));
      // A submit waits while the thread is opened, whatever runs.
      if (loads) run[1].ifBusy = undefined;
      return undefined;
    },
    /** The save, which has no run that only opens the thread. */
    saved: (json: string): string => thread?.saved(json) ?? json,
    /** The snapshot that is shown, of what the core has said. */
    shown: (core: AgentSnapshot<State>): AgentSnapshot<State> => thread?.shown(core) ?? (core.thread === first ? core : { ...core, thread: first }),
    methods: {
      load,
      loadOlder: async () => (await come()).loadOlder(),
      capabilities: async () => (await come()).capabilities(),
    },
  };
}
