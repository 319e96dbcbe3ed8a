// Runs as measures of the page's performance timeline. Loads no WebAssembly.

import type { Agent } from "../api/types.js";

const types = ["TOOL_CALL_START", "TOOL_CALL_CHUNK", "TOOL_CALL_RESULT"] as const;

/** The options of `measureRuns`. */
export interface MeasureOptions {
  /** Begins the names of the measures. Default: `ag-ui`. */
  readonly prefix?: string | undefined;
}

/**
 * Measures the runs of an agent with `performance.measure`, as browsers show in their performance panels and as a `PerformanceObserver` reads them. Returns a function
 * that ends it. Nothing is measured without this call.
 *
 * | measure | from | to |
 * | --- | --- | --- |
 * | `ag-ui run` | the start of the run | its end |
 * | `ag-ui first token` | the start of the run | its first text, reasoning or tool call |
 * | `ag-ui tool <name>` | the call | its result, or the end of the run |
 *
 * Each has `detail`: `threadId`, `runId` and `outcome`, for a tool `toolCallId`.
 *
 * @example
 * const off = measureRuns(agent);
 * new PerformanceObserver((list) => send(list.getEntries())).observe({ type: "measure" });
 */
export function measureRuns<State>(agent: Agent<State>, { prefix = "ag-ui" }: MeasureOptions = {}): () => void {
  const calls = new Map<string, { readonly name: string; readonly start: number }>();
  const measure = (name: string, start: number, end: number, detail: object): void => void performance.measure(`${prefix} ${name}`, { start, end, detail });
  const endCall = (toolCallId: string): void => {
    const call = calls.get(toolCallId);
    if (call) measure(`tool ${call.name}`, call.start, performance.now(), { toolCallId });
    calls.delete(toolCallId);
  };
  // No deltas: an agent is as fast as without this.
  const offEvents = agent.on(
    "event",
    (event) => {
      if (event.type === "TOOL_CALL_RESULT") return endCall(event.toolCallId);
      const { toolCallId: id, toolCallName: name } = event as { readonly toolCallId?: string; readonly toolCallName?: string };
      if (id && name && !calls.has(id)) calls.set(id, { name, start: performance.now() });
    },
    { types },
  );
  const offFinish = agent.on("finish", ({ runId, outcome }) => {
    for (const id of [...calls.keys()]) endCall(id);
    agent.flush();
    const { threadId, timing } = agent.getSnapshot();
    if (!timing) return;
    const start = Math.max(0, timing.startedAt - performance.timeOrigin);
    const detail = { threadId, runId, outcome };
    if (timing.firstTokenMs !== undefined) measure("first token", start, start + timing.firstTokenMs, detail);
    measure("run", start, start + (timing.durationMs ?? 0), detail);
  });
  return () => {
    offEvents();
    offFinish();
  };
}
