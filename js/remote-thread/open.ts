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
import { createStatus, type ThreadStatus } from "./status.js";

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

/** The opening of a thread. Nothing is opened yet. */
export class ThreadOpening<State> {
  readonly #client: RemoteClient<State>;
  readonly #hidden: Hidden<State>;
  readonly #paging: Paging;
  readonly #status: ThreadStatus<State>;
  readonly #calls: ReturnType<typeof createOpenCalls>;
  readonly #request: ReturnType<typeof createThreadRequest>;
  readonly #disposal = new AbortController();
  readonly #joined = createJoined();
  #loading: Loading | undefined;
  // Grows while runs are in progress, but for those that open the thread.
  #runs = 0;
  #wasLeft = false;
  #wasOpened = false;
  // Submits wait in the core from then on.
  #handOver = (): void => {};
  #handedOver: Promise<void> | undefined;

  constructor(client: RemoteClient<State>, hidden: Hidden<State>, paging: Paging) {
    this.#client = client;
    this.#hidden = hidden;
    this.#paging = paging;
    this.#status = createStatus(client, hidden, paging);
    this.#calls = createOpenCalls(client);
    this.#request = createThreadRequest(client, (error) => {
      this.#status.set("error", error);
      client.emitter.emit("error", error);
      this.#loading?.reject(error);
    });
  }

  /** Aborted with the agent. */
  get signal(): AbortSignal {
    return this.#disposal.signal;
  }

  /** Opens the thread, or continues to. Resolves once it is there. */
  load(): Promise<void> {
    if (this.#loading && !this.#status.failure) return this.#loading.promise;
    const asksAgain = this.#loading && this.#request.hasFailed();
    this.#loading = undefined;
    const { thread, threadId } = this.#client.options();
    // Without an id the server has none of it.
    if (!thread?.load || threadId === undefined) return Promise.resolve();
    const { promise } = (this.#loading = createLoading());
    this.#status.set("loading");
    if (asksAgain) this.#request.repeat();
    else {
      this.#handedOver = new Promise((settle) => (this.#handOver = settle));
      void this.#begin();
    }
    return promise;
  }

  /** Whether what is submitted waits for it. */
  isLoading(): boolean {
    return !!this.#loading;
  }

  /** Whether it waits, after a failure, for another `load`. */
  hasFailed(): boolean {
    return !!this.#loading && !!this.#status.failure;
  }

  /** Ends it without an answer: what waits continues. False: the thread is not being opened. */
  giveUp(): boolean {
    return !!this.#loading && this.#request.giveUp();
  }

  /** The runs of the page are about to be hung up: whoever comes next opens the thread. */
  leave(): void {
    this.#wasLeft = !!this.#loading;
  }

  /** Resolves once submits wait in the core, and not here. Begins to open the thread if nobody has, or the core was lost over it. */
  async handedOver(): Promise<void> {
    if (!this.#loading && (this.#status.now === "loading" || this.#status.failure?.kind === "internal")) void this.load();
    await this.#handedOver;
  }

  /** The snapshot without the run that opens the thread. */
  shown(core: AgentSnapshot<State>): AgentSnapshot<State> {
    if (!core.isLoading) queueMicrotask(() => this.#hidden.rest());
    else if (this.#client.isOpen() && !this.#hidden.owns(core.runId!)) this.#runs++;
    this.#calls.see(core);
    return this.#status.shown(core);
  }

  /** Where a request goes that this has an answer to. */
  target({ runId, resume }: TransportRequest): TransportTarget | undefined {
    return resume ? this.#joined.target(runId) : this.#hidden.target(runId);
  }

  dispose(): void {
    this.#disposal.abort();
    this.#handOver();
    this.#hidden.rest();
    this.#loading?.reject(this.#client.error({ kind: "unsupported", code: "disposed", message: "The agent has been disposed of" }));
  }

  async #begin(): Promise<void> {
    const [client, request] = [this.#client, this.#request];
    const id = client.uuid();
    const stop = request.begin(id, this.signal);
    client.use();
    await client.ready();
    const since = this.#runs;
    // The thread that is shown is opened anew. The beginning of the agent is not what the server had.
    const base = this.#wasOpened ? client.core() : client.first();
    this.#wasOpened = true;
    const played = play(client, this.#hidden, id, stop, {
      base,
      ask: () => request.ask(id, stop.signal),
      hasRun: () => this.#runs !== since,
      joins: this.#joined.set,
    });
    this.#handOver();
    const result = await played;
    request.end();
    if (!client.disposed()) this.#end(result, stop);
  }

  /** Settles the call of `load` with the result. */
  #end({ outcome, error, page }: OpeningResult, stop: AbortController): void {
    const loading = this.#loading!;
    this.#loading = undefined;
    if (!this.#request.isGivenUp() && (outcome === "success" || outcome === "interrupted")) {
      this.#calls.begin();
      this.#paging.begin(page.older, page.stored ?? []);
      this.#status.set(this.#client.core().messages.length ? "ready" : "new");
      return loading.resolve();
    }
    // An answer that is still on its way has nobody to go to.
    stop.abort();
    this.#status.set(this.#wasLeft ? "loading" : "error", error);
    this.#wasLeft = false;
    loading.reject(error ?? this.#client.error({ kind: "aborted", code: "thread", message: "The thread was not loaded: the load was stopped" }));
  }
}

/** The body that was read so far of a run in progress, for the request that joins the run. */
function createJoined() {
  let begun: Connected["begun"];
  return {
    set: (next: Connected["begun"]): void => void (begun = next),
    target: (runId: string): TransportTarget | undefined => {
      if (begun?.runId !== runId) return undefined;
      const { take } = begun;
      begun = undefined;
      return { url: "about:blank", fetch: (async () => take()) as typeof fetch };
    },
  };
}

/** The end of the run that opens the thread, with the page that has come. */
type OpeningResult = RunResult & { readonly page: Partial<OpenedThread> };

/** The opening, as its run sees it. */
interface OpeningRun<State> {
  /** The thread before it: what differs from that when the answer comes was edited since. */
  readonly base: Begun<State>;
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
  { base, ask, hasRun, joins }: OpeningRun<State>,
): Promise<OpeningResult> {
  // Asked before the core is there, which may be on its way still.
  const early = client.isOpen() ? undefined : ask();
  early?.catch(() => {});
  let page: Partial<OpenedThread> = {};
  const result = await hidden.play(id, async (stopped) => {
    stopped?.addEventListener("abort", () => stop.abort());
    // The answer to a question from before a run may lack that run, and what the run has said is no edit.
    const afterRun = !early || hasRun();
    const before = afterRun ? client.core() : base;
    const opened = await (afterRun ? ask() : early);
    joins(opened.begun);
    // With what the core has by then, where what was submitted waits.
    page = adapted(client, opened, before);
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
