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
import type { AgentSnapshot, Message, RunResult, ThreadState, TransportRequest, TransportTarget } from "../api/types.js";
import { createOpenCalls } from "./calls.js";
import type { RemoteClient } from "./client.js";
import type { Connected } from "./connect.js";
import type { Hidden } from "./hidden.js";
import type { Paging } from "./older.js";
import { changedLines, unanswered, type OpenedThread } from "./page.js";
import { createThreadRequest, type ThreadQuestion } from "./thread-request.js";

/** The base that later edits apply to. */
type Begun<State> = Pick<AgentSnapshot<State>, "messages" | "state">;

/** A call of `load` that waits. */
type Loading = ReturnType<typeof createLoading>;

function createLoading() {
  let settle!: { resolve(): void; reject(error: AgentError): void };
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  // The snapshot says it as well.
  promise.catch(() => {});
  return { promise, ...settle };
}

/** The opening of a thread. Nothing is opened yet. */
export class ThreadOpening<State> {
  #status: ThreadState["status"];
  // Why it could not be opened.
  #failure: AgentError | undefined;
  // The thread as the page is shown it, and the last pair: one snapshot of the core is shown as one object.
  #thread: ThreadState;
  #shown: readonly [core: AgentSnapshot<State>, shown: AgentSnapshot<State>] | undefined;
  readonly #calls: ReturnType<typeof createOpenCalls<State>>;
  readonly #disposal = new AbortController();
  #request: ThreadQuestion | undefined;
  #loading: Loading | undefined;
  // The body that was read so far of a run in progress, for the request that joins the run.
  #begun: Connected["begun"];
  // Grows while runs are in progress, but for those that open the thread.
  #runs = 0;
  #wasLeft = false;
  // Submits wait in the core from then on.
  #handOver = (): void => {};
  #handedOver: Promise<void> | undefined;

  constructor(private readonly client: RemoteClient<State>, private readonly hidden: Hidden<State>, private readonly paging: Paging<State>) {
    this.#thread = client.thread;
    this.#status = client.thread.status;
    this.#calls = createOpenCalls(client);
  }

  /** Aborted with the agent. */
  get signal(): AbortSignal {
    return this.#disposal.signal;
  }

  /** Opens the thread, or continues to. Resolves once it is there. */
  load(): Promise<void> {
    if (this.#loading && !this.#failure) return this.#loading.promise;
    // An answer has failed: that is asked for again.
    const failed = this.#loading && this.#request;
    this.#loading = undefined;
    const { thread, threadId } = this.client.options();
    // Without an id the server has none of it.
    if (!thread?.load || threadId === undefined) return Promise.resolve();
    const { promise } = (this.#loading = createLoading());
    this.#set("loading");
    if (failed) failed.repeat();
    else {
      const wasOpened = !!this.#handedOver;
      this.#handedOver = new Promise((settle) => (this.#handOver = settle));
      void this.#begin(wasOpened);
    }
    return promise;
  }

  /** Whether what is submitted waits for it. */
  isLoading(): boolean {
    return !!this.#loading;
  }

  /** Whether it waits, after a failure, for another `load`. */
  hasFailed(): boolean {
    return !!this.#loading && !!this.#failure;
  }

  /** Ends it without an answer: what waits continues. False: the thread is not being opened. */
  giveUp(): boolean {
    if (!this.#loading) return false;
    this.#request!.giveUp();
    return true;
  }

  /** The runs of the page are about to be hung up: whoever comes next opens the thread. */
  leave(): void {
    this.#wasLeft = !!this.#loading;
  }

  /** Resolves once submits wait in the core, and not here. Begins to open the thread if nobody has, or the core was lost over it. */
  async handedOver(): Promise<void> {
    if (!this.#loading && (this.#status === "loading" || this.#failure?.kind === "internal")) void this.load();
    await this.#handedOver;
  }

  /** The snapshot without the run that opens the thread. */
  shown(core: AgentSnapshot<State>): AgentSnapshot<State> {
    const { hidden, paging } = this;
    if (!core.isLoading) queueMicrotask(() => hidden.rest());
    else if (this.client.isOpen() && !hidden.owns(core.runId!)) this.#runs++;
    this.#calls.see(core);
    paging.see(core);
    const status = this.#status === "new" && core.messages.length ? "ready" : this.#status;
    const { has: hasOlder } = paging;
    if (this.#thread.status !== status || this.#thread.hasOlder !== hasOlder) [this.#thread, this.#shown] = [{ status, hasOlder }, undefined];
    if (this.#shown?.[0] !== core) this.#shown = [core, hidden.shown(core, this.#thread, this.#failure)];
    return this.#shown[1];
  }

  #set(status: ThreadState["status"], failure?: AgentError): void {
    [this.#status, this.#failure, this.#shown] = [status, failure, undefined];
    if (!this.client.disposed()) this.client.changed();
  }

  /** Where a request goes that this has an answer to. */
  target({ runId, resume }: TransportRequest): TransportTarget | undefined {
    if (!resume) return this.hidden.target(runId);
    const begun = this.#begun;
    if (begun?.runId !== runId) return undefined;
    this.#begun = undefined;
    return { url: "about:blank", fetch: (async () => begun.take()) as typeof fetch };
  }

  dispose(): void {
    this.#disposal.abort();
    this.#handOver();
    this.hidden.rest();
    this.#loading?.reject(this.client.error({ kind: "unsupported", code: "disposed", message: "The agent has been disposed of" }));
  }

  async #begin(wasOpened: boolean): Promise<void> {
    const client = this.client;
    const id = client.uuid();
    const request = this.#request = createThreadRequest(client, id, this.signal, (error) => {
      this.#set("error", error);
      client.emitter.emit("error", error);
      this.#loading?.reject(error);
    });
    client.use();
    await client.ready();
    // The thread that is shown is opened anew. The beginning of the agent is not what the server had.
    const played = this.#play(id, request, wasOpened ? client.begun() : client.first());
    this.#handOver();
    const result = await played;
    if (!client.disposed()) this.#end(result, request);
  }

  /**
   * Plays the server's answer as a run of the core. Returns how that ends, with what has come. `base`: the thread before; what differs from it when
   * the answer comes was edited since.
   */
  async #play(id: string, request: ThreadQuestion, base: Begun<State>): Promise<OpeningResult> {
    const [client, hidden, since] = [this.client, this.hidden, this.#runs];
    // Asked before the core is there, which may be on its way still.
    const early = client.isOpen() ? undefined : request.ask();
    early?.catch(() => {});
    let opened: Connected | undefined;
    const result = await hidden.play(id, async (stopped) => {
      stopped?.addEventListener("abort", request.stop);
      // The answer to a question from before a run may lack that run, and what the run has said is no edit.
      const afterRun = !early || this.#runs !== since;
      const before = afterRun ? client.core() : base;
      opened = await (afterRun ? request.ask() : early);
      this.#begun = opened.begun;
      const join = client.options().resume ? opened.activeRunId : undefined;
      const { lines, messages, repeated } = opened;
      const now = client.core();
      const whenRead = (): void => {
        const read = client.core().messages;
        const kept = repeated ? withLocal(client, withParts(read, repeated), before, now) : read;
        if (kept !== read) client.edit(read, kept);
        if (join !== undefined) void rejoin(client, hidden, join);
      };
      // With what the core has by then, where what was submitted waits.
      return { lines: edited(client, lines, messages, before, now), whenRead: repeated || join !== undefined ? whenRead : undefined };
    });
    return { ...result, opened };
  }

  /** Settles the call of `load` with the result. */
  #end({ outcome, error, opened }: OpeningResult, request: ThreadQuestion): void {
    const loading = this.#loading!;
    this.#loading = undefined;
    if (!request.isGivenUp() && (outcome === "success" || outcome === "interrupted")) {
      this.#calls.begin();
      this.paging.begin(opened?.older, opened?.messages ?? []);
      this.#set(this.client.core().messages.length ? "ready" : "new");
      return loading.resolve();
    }
    // An answer that is still on its way has nobody to go to.
    request.stop();
    this.#set(this.#wasLeft ? "loading" : "error", error);
    this.#wasLeft = false;
    loading.reject(error ?? this.client.error({ kind: "aborted", code: "thread", message: "The thread was not loaded: the load was stopped" }));
  }
}

/** The end of the run that opens the thread, with the answer that has come. */
type OpeningResult = RunResult & { readonly opened: OpenedThread | undefined };

/** The lines of the answer, as the core is to take them: what was edited since `base` is edited in it, too. `stored`: its messages, if it lists them. */
function edited<State>(
  client: RemoteClient<State>,
  lines: readonly string[],
  stored: readonly Message[] | undefined,
  base: Begun<State>,
  now: Begun<State>,
): readonly string[] {
  const edit = now.state === base.state ? undefined : (state: unknown) => client.editedState(base.state, now.state, state);
  const messages = stored && withLocal(client, stored, base, now);
  return changedLines(lines, messages === stored ? undefined : messages, edit);
}

/** The server's messages with what was edited since `base`, and with the questions that it does not have. */
function withLocal<State>(client: RemoteClient<State>, stored: readonly Message[], base: Begun<State>, now: Begun<State>): readonly Message[] {
  const local = unanswered(base.messages, stored);
  const messages = local.length ? [...stored, ...local] : stored;
  return now.messages === base.messages ? messages : client.edited(base.messages, now.messages, messages);
}

/** The messages with content that no event has. */
function withParts(messages: readonly Message[], parts: ReadonlyMap<string, Message["content"]>): readonly Message[] {
  if (!parts.size) return messages;
  return messages.map((message) => (parts.has(message.id) ? ({ ...message, content: parts.get(message.id) } as Message) : message));
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
