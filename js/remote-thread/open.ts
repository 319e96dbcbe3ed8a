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
import type { AgentSnapshot, RunResult, TransportRequest, TransportTarget } from "../api/types.js";
import { createOpenCalls } from "./calls.js";
import type { RemoteClient } from "./client.js";
import type { Connected } from "./connect.js";
import type { Hidden } from "./hidden.js";
import type { Paging } from "./older.js";
import { changed, unanswered, type OpenedThread } from "./page.js";
import { createThreadRequest } from "./thread-request.js";
import { createStatus } from "./status.js";

/** The opening of a thread. */
export interface Opening<State> {
  shown(core: AgentSnapshot<State>): AgentSnapshot<State>;
  load(): Promise<void>;
  /** Where a request goes that this has an answer to. */
  target(request: TransportRequest): TransportTarget | undefined;
  /** Whether what is submitted waits for it. */
  isLoading(): boolean;
  /** Whether it waits, after a failure, for another `load`. */
  hasFailed(): boolean;
  /** Ends it without an answer: what waits continues. False: the thread is not being opened. */
  giveUp(): boolean;
  /** Resolves once submits wait in the core, and not here. Begins to open the thread if nobody has. */
  handed(): Promise<void>;
  /** The runs of the page are about to be hung up: whoever comes next opens the thread. */
  leave(): void;
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
  const { options, core } = client;
  const gone = new AbortController();
  const { signal } = gone;
  const status = createStatus(client, hidden, paging);
  const calls = createOpenCalls(client);
  const request = createThreadRequest(client, (error) => {
    status.set("error", error);
    client.emitter.emit("error", error);
    loading?.reject(error);
  });
  let loading: Loading | undefined;
  // Grows while runs are in progress, but for those that open the thread.
  let runs = 0;
  // The body that has been read so far of a run in progress, which is joined.
  let begun: Connected["begun"];
  let wasLeft = false;
  // Submits wait in the core from then on.
  let hand = (): void => {};
  let handed: Promise<void> | undefined;

  const begin = async (): Promise<void> => {
    const id = client.uuid();
    const stop = request.begin(id, signal);
    client.use();
    await client.ready();
    const since = runs;
    const played = play(client, hidden, id, stop, {
      ask: () => request.ask(id, stop.signal),
      hasRun: () => runs !== since,
      joins: (body) => void (begun = body),
    });
    hand();
    const { outcome, error, page } = await played;
    request.end();
    if (client.disposed()) return;
    const current = loading!;
    loading = undefined;
    if (!request.isGivenUp() && (outcome === "success" || outcome === "interrupted")) {
      calls.begin();
      paging.begin(page.older, page.stored ?? []);
      status.set(core().messages.length ? "ready" : "new");
      return current.resolve();
    }
    // An answer that is still on its way has nobody to go to.
    stop.abort();
    status.set(wasLeft ? "loading" : "error", error);
    wasLeft = false;
    current.reject(error ?? client.error({ kind: "aborted", code: "thread", message: "The thread was not loaded: the load was stopped" }));
  };

  const load = (): Promise<void> => {
    if (loading && !status.failure) return loading.promise;
    const asksAgain = loading && request.hasFailed();
    loading = undefined;
    // Without an id the server has none of it.
    if (!options().thread?.load || options().threadId === undefined) return Promise.resolve();
    const { promise } = (loading = createLoading());
    status.set("loading");
    if (asksAgain) request.repeat();
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
    hasFailed: () => !!loading && !!status.failure,
    giveUp: () => !!loading && request.giveUp(),
    leave: () => void (wasLeft = !!loading),
    handed: async () => {
      if (status.now === "loading" && !loading) void load();
      await handed;
    },
    shown: (next) => {
      if (!next.isLoading) queueMicrotask(hidden.rest);
      else if (client.isOpen() && !hidden.owns(next.runId!)) runs++;
      calls.see(next);
      return status.shown(next);
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

/** The opening, as its run sees it. */
interface OpeningRun {
  ask(): Promise<Connected>;
  /** Whether a run was in progress since the opening began. */
  hasRun(): boolean;
  /** A run is joined, of which this body was read. */
  joins(begun: Connected["begun"]): void;
}

/** Plays the server's answer as a run of the core. Returns how that ends, with the page that has come. */
async function play<State>(
  client: RemoteClient<State>,
  hidden: Hidden<State>,
  id: string,
  stop: AbortController,
  { ask, hasRun, joins }: OpeningRun,
): Promise<RunResult & { readonly page: Partial<OpenedThread> }> {
  // Asked before the core is there, which may be on its way still.
  const early = client.isOpen() ? undefined : ask();
  early?.catch(() => {});
  let base = client.first() ?? client.core();
  let page: Partial<OpenedThread> = {};
  const result = await hidden.play(id, async (stopped) => {
    stopped?.addEventListener("abort", () => stop.abort());
    // The answer to a question from before a run may lack that run, and what the run has said is no edit.
    const afterRun = !early || hasRun();
    if (afterRun) base = client.core();
    const opened = await (afterRun ? ask() : early);
    joins(opened.begun);
    // With what the core has by then, where what was submitted waits.
    page = adapted(client, opened, base);
    const { lines = [], activeRunId } = page;
    const join = client.options().resume ? activeRunId : undefined;
    return { lines, whenRead: join === undefined ? undefined : () => void rejoin(client, hidden, join) };
  });
  return { ...result, page };
}

/** The same, as the core is to take it: what was edited since `base` is edited in it, too. */
function adapted<State>(client: RemoteClient<State>, opened: OpenedThread, base: Begun<State>): OpenedThread {
  const now = client.core();
  const edit = now.state === base.state ? undefined : (state: unknown) => client.editedState(base.state, now.state, state);
  if (!opened.messages) return changed(opened, undefined, edit);
  const messages = now.messages === base.messages ? opened.messages : client.edited(base.messages, now.messages, opened.messages);
  const knownIds = new Set(messages.map(({ id }) => id));
  const local = unanswered(now.messages, opened.messages).filter(({ id }) => !knownIds.has(id));
  return changed(opened, local.length ? [...messages, ...local] : messages, edit);
}

/** Joins the run that the server has in progress. Where the core was faster with what waits, after that. */
async function rejoin<State>(client: RemoteClient<State>, hidden: Hidden<State>, runId: string): Promise<void> {
  try {
    await client.join(runId);
  } catch (error) {
    if (!client.isError(error) || error.code !== "busy") return;
    await hidden.idle();
    if (!client.disposed()) await client.join(runId).catch(() => {});
  }
}
