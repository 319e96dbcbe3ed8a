// The agent: its fields, its subscribers, and the life of a run.

import {
  AGUIConnectNotImplementedError,
  type AgentCapabilities,
  type BaseEvent,
  type Interrupt,
  type Message,
  type RunAgentInput,
  type State,
} from "@ag-ui/core";
import { catchError, defaultIfEmpty, defer, EMPTY, finalize, from, lastValueFrom, map, mergeMap, Subject, takeUntil, tap, type Observable } from "rxjs";
import { applyEvents } from "./apply.js";
import { toConsole, type StepperOptions } from "./core.js";
import { createDebugLogger, resolveAgentDebugConfig, type AgentDebugConfig, type DebugLogger, type ResolvedAgentDebugConfig } from "./debug.js";
import { applyMutation, callRunHooks, notifyInTurn } from "./hooks.js";
import { reasonOf } from "../base/failure.js";
import { checkAnswers } from "./interrupts.js";
import { joined } from "./joined.js";
import { FunctionMiddleware, type Middleware, type MiddlewareFunction } from "./middleware.js";
import { isOlder, isVersion, overridden, PROTOCOL_VERSION } from "./protocol.js";
import type { LegacyRuntimeProtocolEvent } from "./legacy.js";
import { showThread } from "./live.js";
import { middlewaresFor } from "./old-servers.js";
import { withoutNullTags } from "./outgoing.js";
import { through } from "./stream.js";
import { throttled } from "./throttle.js";
import type { AgentConfig, AgentSettings, AgentStateMutation, AgentSubscriber, RunAgentParameters, RunAgentResult } from "./types.js";
import { randomUUID, structuredClone_ } from "./values.js";

/** The version of the official client whose surface this is, and the newest that a server is taken to know. */
export const CLIENT_VERSION = "1.0.0";

/** The stream of a run, where the agent takes it in itself: it has put what came into the agent when it emits. */
export const directRun: unique symbol = Symbol("ag-ui-wasm.directRun");

/** How a run gets its events. */
type RunSource = (input: RunAgentInput, subscribers: AgentSubscriber[]) => Observable<AgentStateMutation>;

export abstract class AbstractAgent {
  agentId?: string;
  description: string;
  threadId: string;
  /** During a run brought up to date when it is read; so is `state`. */
  declare messages: Message[];
  declare state: State;
  subscribers: AgentSubscriber[] = [];
  isRunning = false;
  /** The interrupts of the last run that nobody has answered. */
  pendingInterrupts: Interrupt[] = [];
  /** Settings that only this package's agents have. */
  settings: AgentSettings;
  protected middlewares: Middleware[] = [];
  /** Emits when the run in progress is to be left. */
  protected activeRunDetach$?: Subject<void> | undefined;
  protected activeRunCompletionPromise?: Promise<void> | undefined;
  private _debug: ResolvedAgentDebugConfig;
  private _debugLogger: DebugLogger | undefined;

  constructor({ agentId, description, threadId, initialMessages, initialState, debug, ...settings }: AgentConfig = {}) {
    if (agentId !== undefined) this.agentId = agentId;
    this.description = description ?? "";
    this.threadId = threadId ?? randomUUID();
    this.messages = structuredClone_(initialMessages ?? []);
    this.state = structuredClone_(initialState ?? {});
    const { rules, limits, onWarning, joinDeltas, notificationThrottleMs, notificationMinChunkSize } = settings;
    const explicit = { rules, limits, onWarning, joinDeltas, notificationThrottleMs, notificationMinChunkSize };
    this.settings = Object.fromEntries(
      Object.entries(explicit).filter(([, value]) => value !== undefined),
    );
    this._debug = resolveAgentDebugConfig(debug);
    this._debugLogger = createDebugLogger(this._debug);
    this.middlewares.push(...middlewaresFor(this.maxProtocolVersion));
  }

  /** The newest version that the server knows, for servers before AG-UI 1.0: `get maxProtocolVersion() { return "0.0.57"; }`. */
  get maxProtocolVersion(): string {
    return overridden(this, AbstractAgent.prototype, "maxVersion") ?? CLIENT_VERSION;
  }

  /** @deprecated Use {@link maxProtocolVersion}. */
  get maxVersion(): string {
    return overridden(this, AbstractAgent.prototype, "maxProtocolVersion") ?? CLIENT_VERSION;
  }

  get debug(): ResolvedAgentDebugConfig {
    return this._debug;
  }

  set debug(value: AgentDebugConfig | ResolvedAgentDebugConfig) {
    this._debug = resolveAgentDebugConfig(value);
    this._debugLogger = createDebugLogger(this._debug);
  }

  get debugLogger(): DebugLogger | undefined {
    return this._debugLogger;
  }

  set debugLogger(value: DebugLogger | boolean | undefined) {
    this._debugLogger = typeof value === "boolean" ? (value ? createDebugLogger(resolveAgentDebugConfig(true)) : undefined) : value;
  }

  /** Settles when the run in progress is over, however it ends; undefined without one. */
  get activeRunCompletion(): Promise<void> | undefined {
    return this.activeRunCompletionPromise;
  }

  /** The events of one run. */
  abstract run(input: RunAgentInput): Observable<BaseEvent>;

  /** The events of a thread that the server knows. */
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  protected connect(_input: RunAgentInput): Observable<BaseEvent> {
    throw new AGUIConnectNotImplementedError();
  }

  /** The agent's capabilities, where it reports them. */
  getCapabilities?(): Promise<AgentCapabilities>;

  /** Whether {@link connectAgent} can bring anything. */
  supportsConnect(): boolean {
    const base = AbstractAgent.prototype;
    return this.connect !== base.connect || this.connectAgent !== base.connectAgent;
  }

  /** Adds a subscriber. It hears of the runs that begin from now on. */
  subscribe(subscriber: AgentSubscriber): { unsubscribe: () => void } {
    this.subscribers.push(subscriber);
    return {
      unsubscribe: () => {
        this.subscribers = this.subscribers.filter((other) => other !== subscriber);
      },
    };
  }

  /** Adds middlewares; the first one added is the outermost. */
  use(...middlewares: (Middleware | MiddlewareFunction)[]): this {
    this.middlewares.push(
      ...middlewares.map((middleware) => (typeof middleware === "function" ? new FunctionMiddleware(middleware) : middleware)),
    );
    return this;
  }

  /**
   * Runs the agent over its messages and state. Resolves when the run is over, also after RUN_ERROR and when it was aborted.
   *
   * @throws What the transport throws; an `AGUIError` where an open interrupt is not answered.
   */
  async runAgent(parameters?: RunAgentParameters, subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    const source: RunSource = (input, subscribers) => this[directRun](input, subscribers) ?? this.exactRun(input, subscribers);
    return this.live(parameters, subscriber, source);
  }

  /** Takes in what the server knows of the thread. Does nothing where {@link connect} is not there. */
  async connectAgent(
    parameters?: RunAgentParameters,
    subscriber?: AgentSubscriber,
    { verifyEvents = true }: { verifyEvents?: boolean } = {},
  ): Promise<RunAgentResult> {
    const source: RunSource = (input, subscribers) =>
      this.reduce(input, defer(() => this.connect(input)), subscribers, verifyEvents).pipe(
        catchError((error) => {
          if (error instanceof AGUIConnectNotImplementedError) return EMPTY;
          throw error;
        }),
      );
    return this.live(parameters, subscriber, source);
  }

  /** Ends the run in progress; here, nothing. Subclasses say how. */
  abortRun(): void {}

  /** Leaves the run in progress: nothing more of it is taken. Resolves when it is over. */
  async detachActiveRun(): Promise<void> {
    const detach$ = this.activeRunDetach$;
    if (!detach$) return;
    const completion = this.activeRunCompletionPromise;
    detach$.next();
    detach$.complete();
    await completion;
  }

  /** A copy with a thread of its own: the same class, subscribers and middlewares, with copies of messages and state. */
  // As the official client types it: subclasses return their own.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  clone(): any {
    const clone = Object.create(Object.getPrototypeOf(this)) as this;
    clone._debug = this._debug;
    clone._debugLogger = this._debugLogger;
    return this.copyStateTo(clone);
  }

  /** Makes another agent what this one is. For a `clone` that makes its own object. */
  protected copyStateTo<Target extends AbstractAgent>(target: Target): Target {
    const { agentId, description, threadId, isRunning, settings } = this;
    Object.assign(target, { agentId, description, threadId, isRunning, settings });
    target.messages = structuredClone_(this.messages);
    target.state = structuredClone_(this.state);
    target.pendingInterrupts = structuredClone_(this.pendingInterrupts);
    target.subscribers = [...this.subscribers];
    target.middlewares = [...this.middlewares];
    return target;
  }

  addMessage(message: Message): void {
    this.addMessages([message]);
  }

  /** Appends messages, and notifies subscribers: of each message and call, then of the change. */
  addMessages(messages: Message[]): void {
    for (const message of messages) this.messages.push(message);
    const shown = () => ({ messages: this.messages, state: this.state, agent: this });
    const calls = messages.flatMap((message) => [
      (subscriber: AgentSubscriber) => subscriber.onNewMessage?.({ message, ...shown() }),
      ...(message.role === "assistant" ? (message.toolCalls ?? []) : []).map(
        (toolCall) => (subscriber: AgentSubscriber) => subscriber.onNewToolCall?.({ toolCall, ...shown() }),
      ),
    ]);
    void notifyInTurn(() => this.subscribers, [...calls, (subscriber) => subscriber.onMessagesChanged?.(shown())]);
  }

  /** Replaces all messages by copies of these. */
  setMessages(messages: Message[]): void {
    this.messages = structuredClone_(messages);
    const { state } = this;
    void notifyInTurn(
      () => this.subscribers,
      [(subscriber) => subscriber.onMessagesChanged?.({ messages: this.messages, state, agent: this })],
    );
  }

  /** Replaces the state by a copy. */
  setState(state: State): void {
    this.state = structuredClone_(state);
    void notifyInTurn(
      () => this.subscribers,
      [(subscriber) => subscriber.onStateChanged?.({ messages: this.messages, state: this.state, agent: this })],
    );
  }

  /** @deprecated A run in the events of CopilotKit's runtime before AG-UI. Nothing of it is put into the agent. */
  legacy_to_be_removed_runAgentBridged(parameters?: RunAgentParameters): Observable<LegacyRuntimeProtocolEvent> {
    const agentId = (this.agentId ??= randomUUID());
    const input = this.prepareRunAgentInput(parameters);
    const events$ = this.throughMiddlewares(input).pipe(through(this.stepperOptions(input)));
    return from(import("./legacy.js")).pipe(mergeMap((legacy) => events$.pipe(legacy.convertToLegacyEvents(this.threadId, input.runId, agentId))));
  }

  /** The direct way, where there is one, and nobody stands in between. */
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  [directRun](_input: RunAgentInput, _subscribers: AgentSubscriber[]): Observable<AgentStateMutation> | undefined {
    return undefined;
  }

  /** Makes the input of a request. */
  protected prepareRunAgentInput(parameters?: RunAgentParameters): RunAgentInput {
    const { runId, tools, context, forwardedProps, resume } = parameters ?? {};
    // Activities are the page's own; a tag that is `null` is none.
    const messages = withoutNullTags(structuredClone_(this.messages)).filter(({ role }) => role !== "activity");
    return {
      threadId: this.threadId,
      runId: runId || randomUUID(),
      ...(!isOlder(this.maxProtocolVersion, CLIENT_VERSION) && { protocolVersion: PROTOCOL_VERSION }),
      tools: structuredClone_(tools ?? []),
      context: structuredClone_(context ?? []),
      forwardedProps: structuredClone_(forwardedProps ?? {}),
      state: structuredClone_(this.state),
      messages,
      ...(resume !== undefined && { resume: structuredClone_(resume) }),
    } as RunAgentInput;
  }

  /** Before the request: the answers are checked, and subscribers may change what is sent. */
  protected async onInitialize(input: RunAgentInput, subscribers: AgentSubscriber[]): Promise<void> {
    checkAnswers(this.pendingInterrupts, input.resume);
    const mutation = await callRunHooks(this, input, subscribers, (subscriber, params) => subscriber.onRunInitialized?.(params));
    const { messages, state } = mutation;
    if (messages !== undefined) input.messages = withoutNullTags(messages).filter(({ role }) => role !== "activity");
    if (state !== undefined) input.state = state;
    applyMutation(this, mutation, input, subscribers);
  }

  /** The hooks of each event. Emits the messages and the state wherever they have changed. */
  protected apply(input: RunAgentInput, events$: Observable<BaseEvent>, subscribers: AgentSubscriber[]): Observable<AgentStateMutation> {
    return applyEvents(input, events$, this, subscribers, this.stepperOptions(input));
  }

  /** Puts changes into the agent, and notifies subscribers. */
  protected processApplyEvents(
    input: RunAgentInput,
    events$: Observable<AgentStateMutation>,
    subscribers: AgentSubscriber[],
  ): Observable<AgentStateMutation> {
    const { notificationThrottleMs, notificationMinChunkSize } = this.settings;
    if (notificationThrottleMs || notificationMinChunkSize) return events$.pipe(throttled(this, input, subscribers));
    return events$.pipe(tap((mutation) => applyMutation(this, mutation, input, subscribers)));
  }

  /** After a failure. It continues to the caller unless a subscriber stops it, or it is an abort. */
  protected onError(input: RunAgentInput, error: Error, subscribers: AgentSubscriber[]): Observable<AgentStateMutation> {
    const calls = async () => callRunHooks(this, input, subscribers, (subscriber, params) => subscriber.onRunFailed?.({ error, ...params }));
    return from(calls()).pipe(
      map((mutation) => {
        applyMutation(this, mutation, input, subscribers);
        if (mutation.stopPropagation !== true && !isAborted(error)) {
          console.error("Agent execution failed:", error);
          throw error;
        }
        return {};
      }),
    );
  }

  /** After a run, however it has ended. */
  protected async onFinalize(input: RunAgentInput, subscribers: AgentSubscriber[]): Promise<void> {
    const mutation = await callRunHooks(this, input, subscribers, (subscriber, params) => subscriber.onRunFinalized?.(params));
    applyMutation(this, mutation, input, subscribers);
  }

  /** How the core reads this agent's streams. */
  protected stepperOptions(input: RunAgentInput): StepperOptions {
    const version = this.maxProtocolVersion;
    const protocol = isVersion(version) && /^0\.0\./.test(version) ? version : PROTOCOL_VERSION;
    return { ...this.settings, onWarning: this.settings.onWarning ?? toConsole, runId: input.runId, protocol };
  }

  /** The exact way: through the middlewares, judged, and event by event. */
  private exactRun(input: RunAgentInput, subscribers: AgentSubscriber[]): Observable<AgentStateMutation> {
    return this.reduce(input, defer(() => this.throughMiddlewares(input)), subscribers);
  }

  private throughMiddlewares(input: RunAgentInput): Observable<BaseEvent> {
    const agent = this as AbstractAgent;
    const chain = this.middlewares.reduceRight<Pick<AbstractAgent, "run" | "messages" | "state">>(
      (next, middleware) => ({
        run: (params) => middleware.run(params, next),
        get messages() {
          return agent.messages;
        },
        get state() {
          return agent.state;
        },
      }),
      this,
    );
    return chain.run(input);
  }

  private reduce(input: RunAgentInput, events$: Observable<BaseEvent>, subscribers: AgentSubscriber[], judged = true): Observable<AgentStateMutation> {
    const options = this.stepperOptions(input);
    // Events that came before the run was left still count.
    const own$ = this.activeRunDetach$ ? events$.pipe(takeUntil(this.activeRunDetach$)) : events$;
    const expanded$ = own$.pipe(through(judged ? options : { ...options, stage: "chunks" }));
    const told$ = this.settings.joinDeltas ? expanded$.pipe(joined()) : expanded$;
    return this.processApplyEvents(input, this.apply(input, told$, subscribers), subscribers);
  }

  /** The life of a run. */
  private async live(parameters: RunAgentParameters | undefined, subscriber: AgentSubscriber | undefined, source: RunSource): Promise<RunAgentResult> {
    try {
      this.isRunning = true;
      this.agentId ??= randomUUID();
      const input = this.prepareRunAgentInput(parameters);
      const { agentId, threadId } = this;
      this.debugLogger?.lifecycle("LIFECYCLE", "Run started:", { agentId, threadId });
      const knownIds = new Set(this.messages.map(({ id }) => id));
      let result: unknown;
      const ours: AgentSubscriber = {
        onRunFinishedEvent: (end) => {
          if (end.outcome === "success") result = end.result;
        },
      };
      const subscribers = [ours, ...this.subscribers, subscriber ?? {}];
      await this.onInitialize(input, subscribers);

      const detach$ = (this.activeRunDetach$ = new Subject<void>());
      let resolve!: () => void;
      this.activeRunCompletionPromise = new Promise((over) => (resolve = over));
      const run$ = source(input, subscribers).pipe(
        catchError((error) => {
          const message = reasonOf(error);
          this.debugLogger?.lifecycle("LIFECYCLE", "Run errored:", { agentId, error: message });
          this.isRunning = false;
          return this.onError(input, error, subscribers);
        }),
        finalize(() => {
          this.debugLogger?.lifecycle("LIFECYCLE", "Run finished:", { agentId, threadId });
          this.isRunning = false;
          // A run that began before this one was over has its own.
          if (this.activeRunDetach$ === detach$) this.activeRunDetach$ = this.activeRunCompletionPromise = undefined;
          resolve();
          void this.onFinalize(input, subscribers);
        }),
        defaultIfEmpty({}),
      );
      await lastValueFrom(run$);
      return { result, newMessages: structuredClone_(this.messages).filter(({ id }) => !knownIds.has(id)) };
    } finally {
      this.isRunning = false;
    }
  }
}

showThread(AbstractAgent.prototype);

/** Whether somebody has stopped the run. */
function isAborted(error: unknown): boolean {
  const { name, message } = (error ?? {}) as Partial<Error>;
  const reason = String(message ?? error);
  return name === "AbortError" || ["Fetch is aborted", "signal is aborted without reason", "component unmounted"].includes(reason);
}
