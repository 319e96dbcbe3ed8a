// The agent that posts its runs to a server.

import type { BaseEvent, RunAgentInput } from "@ag-ui/core";
import { catchError, EMPTY, Observable, of, throwError, concatWith, defer, tap } from "rxjs";
import { AbstractAgent, directRun } from "./agent.js";
import { runDirect, unfinished } from "./direct.js";
import { toOutgoing } from "./outgoing.js";
import { runHttpRequest } from "./request.js";
import { isAbort, readEvents } from "./stream.js";
import type { AgentStateMutation, AgentSubscriber, HttpAgentConfig, HttpAgentFetchFn, RunAgentResult, RunHttpAgentConfig } from "./types.js";
import { structuredClone_ } from "./values.js";

export class HttpAgent extends AbstractAgent {
  url: string;
  headers: Record<string, string>;
  fetch: HttpAgentFetchFn;
  abortController: AbortController = new AbortController();

  constructor(config: HttpAgentConfig) {
    super(config);
    this.url = config.url;
    this.headers = structuredClone_(config.headers ?? {});
    // Read at the time of the call, and called on the global object, which browsers insist on.
    this.fetch = config.fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  /** The request of a run; to be overridden. */
  protected requestInit(input: RunAgentInput): RequestInit {
    return {
      method: "POST",
      headers: { ...this.headers, "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify(toOutgoing(input)),
      signal: this.abortController.signal,
    };
  }

  override runAgent(parameters?: RunHttpAgentConfig, subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    this.abortController = parameters?.abortController ?? new AbortController();
    return super.runAgent(parameters, subscriber);
  }

  override connectAgent(
    parameters?: RunHttpAgentConfig,
    subscriber?: AgentSubscriber,
    options?: { verifyEvents?: boolean },
  ): Promise<RunAgentResult> {
    this.abortController = parameters?.abortController ?? new AbortController();
    return super.connectAgent(parameters, subscriber, options);
  }

  /** Aborts the request in progress: the run resolves with what has come. */
  override abortRun(): void {
    this.abortController.abort();
    super.abortRun();
  }

  override run(input: RunAgentInput): Observable<BaseEvent> {
    return this.events(this.url, input);
  }

  /** Posts to `{url}/connect`. A server that has no such address, 404 or 405, knows nothing of the thread. */
  protected override connect(input: RunAgentInput): Observable<BaseEvent> {
    return this.events(toConnectUrl(this.url), input).pipe(
      catchError((error: { status?: number }) => (error?.status === 404 || error?.status === 405 ? EMPTY : throwError(() => error))),
    );
  }

  override clone(): HttpAgent {
    const clone: HttpAgent = super.clone();
    clone.url = this.url;
    clone.headers = structuredClone_(this.headers ?? {});
    clone.fetch = this.fetch;
    clone.abortController = new AbortController();
    const { aborted, reason } = this.abortController.signal;
    if (aborted) clone.abortController.abort(reason);
    return clone;
  }

  /** Unless somebody wants to see or change the events on their way. */
  override [directRun](input: RunAgentInput, subscribers: AgentSubscriber[]): Observable<AgentStateMutation> | undefined {
    const { prototype } = HttpAgent;
    const isPlain = this.run === prototype.run && this.apply === prototype.apply && this.processApplyEvents === prototype.processApplyEvents;
    if (!isPlain || this.middlewares.length) return undefined;
    const { notificationThrottleMs, limits } = this.settings;
    return runDirect(this, input, subscribers, () => this.send(this.url, input), this.abortController.signal, {
      ...this.stepperOptions(input),
      notify: notificationThrottleMs === undefined ? undefined : { throttleMs: notificationThrottleMs },
      detach$: this.activeRunDetach$,
      graceMs: limits?.graceMs ?? 1000,
    });
  }

  /** One request. What `requestInit` throws is the run's failure, as what `fetch` does. */
  private async send(url: string, input: RunAgentInput): Promise<Response> {
    return this.fetch(url, this.requestInit(input));
  }

  /** The request is sent at once. */
  private events(url: string, input: RunAgentInput): Observable<BaseEvent> {
    const response = this.send(url, input);
    response.catch(() => {});
    const { signal } = this.abortController;
    return defer(() => {
      let open = true;
      let events = 0;
      let head = { status: 0, type: "" };
      const body$ = runHttpRequest(() => response).pipe(
        tap((event) => {
          if (event.type === "headers") head = { status: event.status, type: event.headers.get("content-type") ?? "" };
        }),
      );
      const events$ = readEvents(body$, this.stepperOptions(input)).pipe(
        tap(({ type }) => {
          events++;
          open = type !== "RUN_FINISHED" && type !== "RUN_ERROR" && (open || type === "RUN_STARTED");
        }),
        catchError((error) => (isAbort(error) && !open ? EMPTY : throwError(() => error))),
      );
      const end$ = defer(() => open && !signal.aborted ? throwError(() => unfinished(events, head.status, head.type, input.runId)) : of<BaseEvent>());
      return events$.pipe(concatWith(end$));
    });
  }
}

/** The address of a thread's history: one path segment more. */
function toConnectUrl(url: string): string {
  const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  return `${path.replace(/\/+$/, "")}/connect${rest}`;
}

/** Whether a value is an agent that posts to a server, of any copy of this package or of the official client. */
export function isHttpAgent(value: unknown): value is HttpAgent {
  if (typeof value !== "object" || !value) return false;
  const { url, headers, abortController, runAgent } = value as Partial<HttpAgent>;
  return typeof url === "string" && typeof headers === "object" && headers !== null && typeof abortController === "object" && abortController !== null &&
    typeof runAgent === "function";
}
