// Opening a stored thread.
//
//   loading ──answer──► ready, new
//      │  ▲
//      │  └─load()─┐
//      └──failure──► error       what is submitted waits all the while, in the queue of the core
//
// The core is given a run that sends nothing (hidden.ts), whose body is what the server answers once that is whole. Until then the run is
// open.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, ThreadState, TransportRequest, TransportTarget } from "../api/types.js";
import { errorOf, hydrate } from "./ask.js";
import { createOpenCalls } from "./calls.js";
import type { RemoteClient } from "./client.js";
import { connect } from "./connect.js";
import type { Hidden } from "./hidden.js";
import type { Paging } from "./older.js";
import { changed, toEvents, unanswered, type OpenedThread } from "./page.js";

/** The opening of a thread. */
export interface Opening<State> {
  shown(core: AgentSnapshot<State>): AgentSnapshot<State>;
  load(): Promise<void>;
  /** Where a request goes that this has an answer to. */
  target(request: TransportRequest): TransportTarget | undefined;
  /** Whether what is submitted waits for it. */
  isLoading(): boolean;
  /** Resolves once submits wait in the core, and not here. Begins to open the thread if nobody has. */
  handed(): Promise<void>;
  /** Aborted with the agent. */
  readonly signal: AbortSignal;
  dispose(): void;
}

/** The base that later edits apply to. */
type Begun<State> = Pick<AgentSnapshot<State>, "messages" | "state">;

/** A call of `load` that waits. */
interface Loading {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: AgentError): void;
}

function createLoading(): Loading {
  let settle!: Pick<Loading, "resolve" | "reject">;
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  // The snapshot says it as well.
  promise.catch(() => {});
  return { promise, ...settle };
}

/** Nothing is opened yet. */
export function createOpening<State>(client: RemoteClient<State>, hidden: Hidden<State>, paging: Paging): Opening<State> {
  const { options, core, emitter } = client;
  const gone = new AbortController();
  const { signal } = gone;
  let status: ThreadState["status"] = !options().thread?.load ? "ready" : options().threadId === undefined ? "new" : "loading";
  let thread: ThreadState = { status, hasOlder: false };
  let failure: AgentError | undefined;
  let loading: Loading | undefined;
  // Asks the server again, where an answer has failed.
  let again: (() => void) | undefined;
  // The body that has been read so far of a run in progress, which is joined.
  let begun: { readonly runId: string; take(): Response } | undefined;
  // Submits wait in the core from then on.
  let hand = (): void => {};
  let handed: Promise<void> | undefined;
  const calls = createOpenCalls(client);
  let memo: readonly [AgentSnapshot<State>, AgentSnapshot<State>] | undefined;

  const set = (next: ThreadState["status"], error?: AgentError): void => {
    [status, failure, memo] = [next, error, undefined];
    if (!client.disposed()) client.changed();
  };

  /** The stored thread. */
  const ask = async (runId: string): Promise<OpenedThread> => {
    const { load } = options().thread ?? {};
    const { threadId, interrupts } = core();
    if (load === "hydrate") return hydrate(client, runId, signal);
    if (load !== "connect") return toEvents(await paging.ask(undefined, signal), interrupts, runId, threadId);
    const opened = await connect(client, runId, signal);
    begun = opened.begun;
    return opened;
  };

  /** The same, as the core is to take it: what was edited meanwhile is edited in it, too. */
  const adapt = (opened: OpenedThread, base: Begun<State>): OpenedThread => {
    const now = core();
    const edit = now.state === base.state ? undefined : (state: unknown) => client.editedState(base.state, now.state, state);
    if (!opened.messages) return changed(opened, undefined, edit);
    const messages = now.messages === base.messages ? opened.messages : client.edited(base.messages, now.messages, opened.messages);
    const known = new Set(messages.map(({ id }) => id));
    const kept = unanswered(now.messages, opened.messages).filter(({ id }) => !known.has(id));
    return changed(opened, kept.length ? [...messages, ...kept] : messages, edit);
  };

  /** Asks until there is an answer: after a failure, once `load` is called again. */
  const answered = async (runId: string, stopped: AbortSignal): Promise<OpenedThread> => {
    for (;;) {
      try {
        return await ask(runId);
      } catch (cause) {
        if (stopped.aborted) throw cause;
        const error = errorOf(client, cause, "The thread could not be loaded");
        const called = new Promise<void>((resolve, reject) => {
          again = resolve;
          stopped.addEventListener("abort", () => reject(cause));
        });
        set("error", error);
        emitter.emit("error", error);
        loading?.reject(error);
        await called;
      }
    }
  };

  /** Joins the run that the server has in progress. Where the core was faster with what waits, after that. */
  const rejoin = async (runId: string): Promise<void> => {
    try {
      await client.join(runId);
    } catch (error) {
      if (!client.isError(error) || error.code !== "busy") return;
      await hidden.idle();
      if (!client.disposed()) await client.join(runId).catch(() => {});
    }
  };

  const begin = async (): Promise<void> => {
    const id = client.uuid();
    await client.ready();
    const stop = new AbortController();
    signal.addEventListener("abort", () => stop.abort());
    // Before the core asks for it, which may be on its way still.
    const base = client.first() ?? core();
    const opening = answered(id, stop.signal);
    opening.catch(() => {});
    const played = hidden.play(id, async (stopped) => {
      stopped?.addEventListener("abort", () => stop.abort());
      // With what the core has by then, where what was submitted waits.
      const { lines, messages, older, activeRunId } = adapt(await opening, base);
      paging.begin(older, messages ?? []);
      const join = options().resume ? activeRunId : undefined;
      return { lines, whenRead: join === undefined ? undefined : () => void rejoin(join) };
    });
    hand();
    const { outcome, error } = await played;
    again = undefined;
    if (client.disposed()) return;
    const current = loading!;
    loading = undefined;
    if (outcome === "success" || outcome === "interrupted") {
      calls.begin();
      set(core().messages.length ? "ready" : "new");
      return current.resolve();
    }
    set("error", error);
    current.reject(error ?? client.error({ kind: "aborted", code: "thread", message: "The thread was not loaded: the load was stopped" }));
  };

  const load = (): Promise<void> => {
    if (loading && !failure) return loading.promise;
    const asksAgain = loading && again;
    loading = createLoading();
    const { promise, resolve } = loading;
    // Without an id the server has none of it.
    if (!options().thread?.load || options().threadId === undefined) {
      loading = undefined;
      resolve();
      return promise;
    }
    set("loading");
    if (asksAgain) asksAgain();
    else {
      handed = new Promise((settle) => (hand = settle));
      void begin();
    }
    return promise;
  };

  return {
    signal,
    load,
    isLoading: () => !!loading,
    handed: async () => {
      if (status === "loading" && !loading) void load();
      await handed;
    },
    shown: (next) => {
      const now = status === "new" && next.messages.length ? "ready" : status;
      if (thread.status !== now || thread.hasOlder !== paging.has) [thread, memo] = [{ status: now, hasOlder: paging.has }, undefined];
      if (!next.isLoading) queueMicrotask(hidden.rest);
      calls.see(next);
      if (memo?.[0] !== next) memo = [next, hidden.shown(next, thread, failure)];
      return memo[1];
    },
    target: ({ runId, resume }) => {
      if (!resume) return hidden.target(runId);
      if (begun?.runId !== runId) return undefined;
      const { take } = begun;
      begun = undefined;
      return { url: "about:blank", fetch: (async () => take()) as typeof fetch };
    },
    dispose: () => {
      gone.abort();
      hand();
      hidden.rest();
      loading?.reject(client.error({ kind: "unsupported", code: "disposed", message: "The agent has been disposed of" }));
    },
  };
}
