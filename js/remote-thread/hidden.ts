// Runs of the core that bring what the server has stored. Nobody has asked for them, nothing is sent to the agent, and what the page is
// shown of them is the thread alone. While one is open, what is submitted waits in the queue of the core.
//
// A save that the core begins with may have a queue, which it begins at once. So where there is no core yet, the run is put before that queue.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, RunResult, ThreadState, TransportTarget } from "../api/types.js";
import type { RemoteClient } from "./client.js";
import { textsOf, withMembers } from "./json-text.js";

/** A body: JSON texts of events. */
export interface Played {
  readonly lines: readonly string[];
  /** Called when the core has read the end of the run, before what waits in the queue begins. */
  readonly whenRead?: (() => void) | undefined;
}

const closed = { phase: "closed", attempt: 0 } as const;

/** A body for the core, one event a line, which stays open until `read` is settled. */
function responseOf(lines: readonly string[], read: Promise<void> | undefined): Response {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""))),
    pull: async (controller) => {
      await read;
      controller.close();
    },
  });
  return new Response(stream, { headers: { "content-type": "application/x-ndjson" } });
}

/** A function that brings the body of a run; the signal is aborted when the run is stopped. */
type Bring = (signal: AbortSignal | undefined) => Promise<Played>;

/** The runs that are hidden. There is none yet. */
export class Hidden<State> {
  // Of all of them, also after their end: the core may have one in its queue still, which then brings nothing.
  readonly #bodies = new Map<string, Bring>();
  // The body that the core reads, for those who wait for its end.
  #reading: { readonly id: string; end(): void } | undefined;
  #waiting: (() => void)[] = [];
  // The runs that have come to their end: no save has them from the next one on.
  #over: string[] = [];
  #last: HiddenRun<State> | undefined;

  constructor(private readonly client: RemoteClient<State>) {}

  /** Plays a body as such a run, once no other run is in progress. In a page without a core, it is the first of all that is not one already. */
  async play(runId: string, body: Bring): Promise<RunResult> {
    for (;;) {
      // Without a core, what is to come before waits for that as well.
      if (this.client.isOpen()) await this.idle();
      const result = await this.#begin(runId, body);
      if (result.outcome !== "dropped") return result;
      await this.idle();
    }
  }

  /** Where the request of that run goes, if it is one of these. */
  target(runId: string): TransportTarget | undefined {
    const body = this.#bodies.get(runId);
    if (!body) return undefined;
    const send = async (_: unknown, init?: RequestInit): Promise<Response> => {
      const { lines, whenRead }: Played = await body(init?.signal ?? undefined);
      const read = whenRead && new Promise<void>((end) => (this.#reading = { id: runId, end: () => (whenRead(), end()) }));
      return responseOf(lines, read);
    };
    return { url: "about:blank", fetch: send as typeof fetch };
  }

  /** Whether the server knows nothing of that run. */
  owns(runId: string): boolean {
    return runId === this.#last?.id;
  }

  /** Returns the snapshot for the page. */
  shown(core: AgentSnapshot<State>, thread: ThreadState, failure: AgentError | undefined): AgentSnapshot<State> {
    this.#endReading(core);
    const shown = core.thread === thread ? core : { ...core, thread };
    const queue = shown.queue.some(({ runId }) => this.owns(runId)) ? shown.queue.filter(({ runId }) => !this.owns(runId)) : shown.queue;
    if (this.#covers(core)) return withoutRun({ ...shown, queue }, this.#last!, failure);
    return failure && !core.isLoading ? { ...shown, queue, status: "error", error: failure } : { ...shown, queue };
  }

  /** The save without such runs. */
  saved(json: string): string {
    return saveWithout([...this.#bodies.keys()], json);
  }

  /** Resolves once no run is in progress. */
  async idle(): Promise<void> {
    while (this.client.busy() && !this.client.disposed()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Wakes those that wait for the end of a run. */
  rest(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #begin(runId: string, body: Bring): Promise<RunResult> {
    const client = this.client;
    if (client.disposed()) return { runId, outcome: "aborted" };
    const now = client.core();
    const joins = client.busy();
    const run = { id: runId, before: this.#covers(now) ? this.#last!.before : now, playing: true };
    this.#last = run;
    for (const id of this.#over.splice(0)) this.#bodies.delete(id);
    this.#bodies.set(runId, body);
    // No tool of the page is executed for what is stored.
    const json = JSON.stringify({ start: "submit", ...client.input(), runId, pageTools: [], messages: [], ifBusy: "drop", unasked: "opens" });
    try {
      const result = await client.begin(runId, json, (save) => saveWithFirst(save, json, joins));
      if (result.outcome === "success" || result.outcome === "interrupted") this.#over.push(runId);
      return result;
    } finally {
      this.#bodies.set(runId, async () => ({ lines: [] }));
      run.playing = false;
    }
  }

  /** Whether such a run has made the snapshot. */
  #covers({ runId }: AgentSnapshot<State>): boolean {
    const last = this.#last;
    return !!last && (last.playing || runId === last.id);
  }

  #endReading({ isLoading, runId }: AgentSnapshot<State>): void {
    const reading = this.#reading;
    if (!reading || isLoading || runId !== reading.id) return;
    const { end } = reading;
    this.#reading = undefined;
    queueMicrotask(end);
  }
}

/** A hidden run, with what was shown before it. */
interface HiddenRun<State> {
  readonly id: string;
  readonly before: AgentSnapshot<State>;
  playing: boolean;
}

/** The snapshot of a hidden run as if there were none. */
function withoutRun<State>(core: AgentSnapshot<State>, { before, playing }: HiddenRun<State>, failure: AgentError | undefined): AgentSnapshot<State> {
  const { runId, timing } = before;
  const error = failure ?? (playing ? undefined : core.error);
  const outcome = core.outcome === "interrupted" ? core.outcome : before.outcome;
  return { ...core, runId, timing, outcome, error, status: error ? "error" : "idle", isLoading: false, connection: closed };
}

/** The save with the run before all that waits in it. */
const saveWithFirst = (save: string, run: string, joins: boolean): string =>
  withMembers(save, {
    queue: (list) => `[${[run, ...textsOf(list)].join(",")}]`,
    // Nobody joins the run that was left: nothing waits for it.
    running: (is) => (joins ? is : "false"),
  });

/** The save without these runs: neither in progress nor in the queue. */
function saveWithout(runIds: readonly string[], json: string): string {
  const ids = runIds.map((id) => `"runId":${JSON.stringify(id)}`);
  if (!ids.some((id) => json.includes(id))) return json;
  const stopped = ids.reduce((text, id) => text.replace(`${id},"running":true`, '"running":false'), json);
  return withMembers(stopped, { queue: (list) => `[${textsOf(list).filter((text) => !ids.some((id) => text.includes(id))).join(",")}]` });
}
