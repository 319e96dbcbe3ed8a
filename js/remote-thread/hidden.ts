// Runs of the core that bring what the server has stored. Nobody has asked for them, nothing is sent to the agent, and what the page is
// shown of them is the thread alone. While one is open, what is submitted waits in the queue of the core.
//
// A save that the core begins with may have a queue, which it begins at once. So where there is no core yet, the run is put before that queue.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, RunResult, ThreadState, TransportTarget } from "../api/types.js";
import type { RemoteClient } from "./client.js";
import { textsOf, withMembers } from "./json-text.js";

/** The runs that are hidden. */
export interface Hidden<State> {
  /** Plays a body as such a run, once no other run is in progress. In a page without a core, it is the first of all that is not one already. */
  play(runId: string, body: (signal: AbortSignal | undefined) => Promise<Played>): Promise<RunResult>;
  /** Where the request of that run goes, if it is one of these. */
  target(runId: string): TransportTarget | undefined;
  /** Whether the server knows nothing of that run. */
  owns(runId: string): boolean;
  /** Returns the snapshot for the page. */
  shown(core: AgentSnapshot<State>, thread: ThreadState, failure: AgentError | undefined): AgentSnapshot<State>;
  /** The save without such runs. */
  saved(json: string): string;
  /** Resolves once no run is in progress. */
  idle(): Promise<void>;
  /** Wakes those that wait for the end of a run. */
  rest(): void;
}

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

/** None yet. */
export function createHidden<State>(client: RemoteClient<State>): Hidden<State> {
  const { core } = client;
  const bodies = new Map<string, (signal: AbortSignal | undefined) => Promise<Played>>();
  // All of them, of which the core may have one in its queue still.
  const runIds = new Set<string>();
  // The body that the core reads, for those who wait for its end.
  let reading: { readonly id: string; end(): void } | undefined;
  const waiting: (() => void)[] = [];
  // The last one, with what was shown before it.
  let last: { readonly id: string; readonly before: AgentSnapshot<State>; playing: boolean } | undefined;

  const idle = async (): Promise<void> => {
    while (client.busy() && !client.disposed()) await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const covers = ({ runId }: AgentSnapshot<State>): boolean => !!last && (last.playing || runId === last.id);

  /** The save with the run before all that waits in it. */
  const before = (save: string, run: string, joins: boolean): string =>
    withMembers(save, {
      queue: (list) => `[${[run, ...textsOf(list)].join(",")}]`,
      // Nobody joins the run that was left: nothing waits for it.
      running: (is) => (joins ? is : "false"),
    });

  const begin = async (runId: string, body: (signal: AbortSignal | undefined) => Promise<Played>): Promise<RunResult> => {
    if (client.disposed()) return { runId, outcome: "aborted" };
    const now = core();
    const joins = client.busy();
    const played = { id: runId, before: covers(now) ? last!.before : now, playing: true };
    last = played;
    runIds.add(runId);
    bodies.set(runId, body);
    // No tool of the page is executed for what is stored.
    const json = JSON.stringify({ start: "submit", ...client.input(), runId, pageTools: [], messages: [], ifBusy: "drop", unasked: "begins" });
    try {
      return await client.begin(runId, (session) => session.call("submit", json), (save) => before(save, json, joins));
    } finally {
      bodies.delete(runId);
      played.playing = false;
    }
  };

  return {
    play: async (runId, body) => {
      for (;;) {
        // Without a core, what is to come before waits for that as well.
        if (client.isOpen()) await idle();
        const result = await begin(runId, body);
        if (result.outcome !== "dropped") return result;
        await idle();
      }
    },
    target: (runId) => {
      const none = async (): Promise<Played> => ({ lines: [] });
      const body = bodies.get(runId) ?? (runIds.has(runId) ? none : undefined);
      if (!body) return undefined;
      const send = async (_: unknown, init?: RequestInit): Promise<Response> => {
        const { lines, whenRead } = await body(init?.signal ?? undefined);
        const read = whenRead && new Promise<void>((end) => (reading = { id: runId, end: () => (whenRead(), end()) }));
        return responseOf(lines, read);
      };
      return { url: "about:blank", fetch: send as typeof fetch };
    },
    idle,
    owns: (runId) => runId === last?.id,
    shown: (session, thread, failure) => {
      if (reading && !session.isLoading && session.runId === reading.id) {
        const { end } = reading;
        reading = undefined;
        queueMicrotask(end);
      }
      const shown = session.thread === thread ? session : { ...session, thread };
      const queue = shown.queue.some(({ runId }) => runId === last?.id) ? shown.queue.filter(({ runId }) => runId !== last?.id) : shown.queue;
      if (!covers(session)) return failure && !session.isLoading ? { ...shown, queue, status: "error", error: failure } : { ...shown, queue };
      const { runId, outcome, timing } = last!.before;
      const error = failure ?? (last!.playing ? undefined : session.error);
      return {
        ...{ ...shown, queue, runId, timing, error, connection: closed },
        status: error ? "error" : "idle",
        isLoading: false,
        outcome: session.outcome === "interrupted" ? session.outcome : outcome,
      };
    },
    saved: (json) => {
      const ids = [...runIds].map((id) => `"runId":${JSON.stringify(id)}`);
      if (!ids.some((id) => json.includes(id))) return json;
      const stopped = ids.reduce((text, id) => text.replace(`${id},"running":true`, '"running":false'), json);
      return withMembers(stopped, { queue: (list) => `[${textsOf(list).filter((text) => !ids.some((id) => text.includes(id))).join(",")}]` });
    },
    rest: () => waiting.splice(0).forEach((wake) => wake()),
  };
}
