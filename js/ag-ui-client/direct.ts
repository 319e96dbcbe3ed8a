// The direct way: the answer's bytes go to the core, and subscribers hear once a frame.
//
//   read() ─► feed ─► … frame … ─► hooks of what they asked for ─► changes
//     ▲                                     │ more than a slice of time
//     └──────── while hooks wait ◄──────────┘ the page has its turn

import type { RunAgentInput } from "@ag-ui/core";
import { Observable } from "rxjs";
import { AgentError } from "../api/error.js";
import { createScheduler } from "../snapshot/notify.js";
import type { Notify } from "../api/types.js";
import type { AbstractAgent } from "./agent.js";
import { createStepper, preload, type StepperOptions } from "./core.js";
import { wantedBy } from "./events.js";
import { applyMutation } from "./hooks.js";
import { readerOf, toHttpError } from "./request.js";
import { RunEvents } from "./run.js";
import { abortEvent, isAbort } from "./stream.js";
import type { AgentStateMutation, AgentSubscriber } from "./types.js";

// How long hooks are called before the page has its turn: half of a frame.
const sliceMs = 8;

export interface DirectOptions extends StepperOptions {
  readonly notify?: Notify | undefined;
  /** Emits when the run is to be left. */
  readonly detach$?: Observable<void> | undefined;
  /** Milliseconds that a body may stay open after its run has ended. */
  readonly graceMs: number;
}

/** A run that sends its request when it is subscribed to, puts what comes into the agent, and emits once at its end. */
export function runDirect(
  agent: AbstractAgent,
  input: RunAgentInput,
  subscribers: readonly AgentSubscriber[],
  send: () => Promise<Response>,
  signal: AbortSignal,
  options: DirectOptions,
): Observable<AgentStateMutation> {
  return new Observable((subscriber) => {
    const run = new DirectRun(agent, input, subscribers, signal, options);
    const end = () => {
      subscriber.next({});
      subscriber.complete();
    };
    const fail = (error: unknown) => subscriber.error(error);
    run.start(send).then(end, fail);
    const detach = options.detach$?.subscribe(() => void run.detach().then(end, fail));
    return () => {
      detach?.unsubscribe();
      run.leave();
    };
  });
}

class DirectRun {
  private events: RunEvents | undefined;
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private working: Promise<void> | undefined;
  private hasLeft = false;
  private detached = false;
  /** Whether a terminal event was the last one of the frame of a run. */
  private ended = false;
  private grace: ReturnType<typeof setTimeout> | undefined;
  /** An error that a frame has thrown. The reading loop throws it on. */
  private broken: { error: unknown } | undefined;
  private readonly scheduler;

  constructor(
    private readonly agent: AbstractAgent,
    private readonly input: RunAgentInput,
    private readonly subscribers: readonly AgentSubscriber[],
    private readonly signal: AbortSignal,
    private readonly options: DirectOptions,
  ) {
    const { notify } = options;
    this.scheduler = createScheduler(notify, () => void this.work().catch((error) => this.break(error)));
  }

  async start(send: () => Promise<Response>): Promise<void> {
    // Both at once; the failure of the answer is reported first.
    preload();
    const stop = this.onAbort(() => void this.reader?.cancel().catch(() => {}));
    try {
      await this.read(await this.unlessAborted(send()));
    } finally {
      stop();
      this.close();
    }
  }

  /** Stops reading. Frames that have arrived still count. */
  async detach(): Promise<void> {
    this.detached = true;
    // Not within the hook that has left the run: it is being waited for.
    await undefined;
    void this.reader?.cancel().catch(() => {});
    await this.work();
  }

  /** Nothing more is taken, nor told. */
  leave(): void {
    this.hasLeft = true;
    this.events?.leave();
    this.scheduler.clear();
    void this.reader?.cancel().catch(() => {});
  }

  private async read(response: Response): Promise<void> {
    if (!response.ok) throw await toHttpError(response);
    const type = response.headers.get("content-type") ?? "";
    this.reader = readerOf(response);
    const stepper = await createStepper(this.options, this.agent.messages, this.input.state, type);
    if (this.hasLeft || this.detached) return stepper.free();
    const { agent, input, options } = this;
    const subscribers = this.subscribers;
    this.events = new RunEvents(agent, input, subscribers, stepper, options.onWarning, (name) => this.watchEnds(name));
    this.events.follow();
    stepper.open(type);
    for (let wanted = "";;) {
      const chunk = await this.next();
      if (this.hasLeft) return;
      if (this.detached) return this.work();
      if (!chunk) break;
      const needed = wantedBy(subscribers, agent);
      if (needed !== wanted) stepper.want(wanted = needed);
      stepper.feed(chunk);
      this.scheduler.schedule();
      if (this.working) await this.working;
      if (this.broken) throw this.broken.error;
    }
    stepper.finish();
    await this.work();
    if (this.hasLeft) return;
    if (this.signal.aborted && !this.ended) return this.abort(stepper);
    if (!this.ended) throw unfinished(stepper.events(), response.status, type, input.runId);
  }

  /** The next bytes; undefined at the end of the body, and when nothing more is waited for. */
  private async next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.reader!.read();
      return done ? undefined : value;
    } catch (error) {
      // After the end of its run the connection no longer matters.
      if (this.ended || isAbort(error)) return undefined;
      // Frames that came before count.
      await this.work();
      throw error;
    }
  }

  /** The run ends with an event of ours. */
  private async abort(stepper: { push(json: string): void }): Promise<void> {
    const event = abortEvent(this.signal.reason);
    stepper.push(JSON.stringify({ ...event, rawEvent: undefined }));
    await this.events!.drain(event);
    this.publish();
  }

  /** Takes what waits; one call at a time. */
  private work(): Promise<void> {
    this.scheduler.clear();
    return (this.working ??= this.slices().finally(() => (this.working = undefined)));
  }

  private async slices(): Promise<void> {
    const events = this.events;
    if (!events) return;
    for (;;) {
      const until = performance.now() + sliceMs;
      let whole = true;
      await events.drain(undefined, () => !this.hasLeft && (whole = performance.now() < until));
      if (this.hasLeft) return;
      this.publish();
      if (whole) break;
      await turn();
    }
    const failure = events.failure();
    if (failure) throw failure;
  }

  private publish(): void {
    applyMutation(this.agent, this.events!.takeChanges(), this.input, this.subscribers);
  }

  /** Watches where runs begin and end. */
  private watchEnds(type: string): void {
    const ended = type === "RUN_FINISHED" || type === "RUN_ERROR";
    if (!ended && type !== "RUN_STARTED") return;
    // A listener that is notified of the end has been notified of everything before it.
    if (ended) this.publish();
    this.ended = ended;
    clearTimeout(this.grace);
    if (ended) this.grace = setTimeout(() => void this.reader?.cancel().catch(() => {}), this.options.graceMs);
  }

  private break(error: unknown): void {
    this.broken = { error };
    void this.reader?.cancel().catch(() => {});
  }

  private close(): void {
    clearTimeout(this.grace);
    this.scheduler.clear();
    void this.reader?.cancel().catch(() => {});
    const { events } = this;
    this.events = undefined;
    // A hook may still be waiting.
    void (this.working ?? Promise.resolve()).catch(() => {}).then(() => events?.free());
  }

  /** Rejects on abort, also while a server does not respond and a `fetch` of the application's ignores its signal. */
  private unlessAborted<Value>(pending: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const stop = this.onAbort(() => reject(this.signal.reason));
      pending.then(resolve, reject).finally(stop);
    });
  }

  private onAbort(listener: () => void): () => void {
    const { signal } = this;
    signal.addEventListener("abort", listener);
    return () => signal.removeEventListener("abort", listener);
  }
}

/** Why a body that has ended without RUN_FINISHED or RUN_ERROR is no success. */
export function unfinished(events: number, status: number, type: string, runId: string): AgentError {
  if (events === 0 && !/event-stream|event\+proto|ndjson|jsonl/i.test(type)) {
    const what = type || "no content type";
    const message = `The server answered ${status} with ${what}, not with a stream of events.`;
    return new AgentError({ kind: "http", message, status });
  }
  const message = `The stream of run '${runId}' ended without a terminal event: RUN_FINISHED or RUN_ERROR was expected.`;
  return new AgentError({ kind: "connection", code: "truncated", message, retryable: true });
}

/** Until the page has had its turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
