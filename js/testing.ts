// For tests of applications: an agent's server that says what the test says, when the test says so, in place of `fetch`;
// and an agent without a core, for components. Needs no test framework.

import { createEmitter } from "./base/emitter.js";
import { createHandover } from "./testing/handover.js";
import { initialSnapshot } from "./snapshot/initial.js";
import { bytesOf, readRecording } from "./recordings/recording.js";
import { uuid } from "./base/uuid.js";
export { forgetThreads } from "./thread/registry.js";
import type { RecordedEnd } from "./recordings/recording.js";
import type { Agent, AgentListeners, AgentSnapshot, Context, Message, ResumeEntry, RunResult, Tool } from "./api/types.js";

/** A request that a scripted agent has got. */
export interface ScriptedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** The body. */
  readonly input: {
    readonly threadId: string;
    readonly runId: string;
    readonly state: unknown;
    readonly messages: readonly Message[];
    readonly tools: readonly Tool[];
    readonly context: readonly Context[];
    readonly forwardedProps: unknown;
    readonly resume?: readonly ResumeEntry[];
  };
  /** Aborted when the agent hangs up. */
  readonly signal: AbortSignal | undefined;
}

export {
  readRecording,
  writeRecording,
  type Exchange,
  type ReadExchange,
  type RecordedEnd,
  type RecordedPart,
  type RecordedRequest,
} from "./recordings/recording.js";

export { scriptedSocket, type ScriptedConnection, type ScriptedSocket, type SocketFrame } from "./testing/scripted-socket.js";

/** An event as it is to be sent, which need not be a correct one. */
export interface ScriptedEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * An event; bytes as they are, such as those of `frame`; a pause in milliseconds of the test's clock; several of them; or what a
 * function makes of the request.
 */
export type ScriptedStep = ScriptedEvent | Uint8Array | number | readonly ScriptedStep[] | ((request: ScriptedRequest) => ScriptedStep);

/** An agent's server for tests. */
export interface ScriptedAgent {
  /** For the agent's option of that name. */
  readonly fetch: typeof fetch;
  /** Every request so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Milliseconds of the clock, from 0. */
  readonly now: number;
  /**
   * Answers a request: the oldest that waits for an answer, or else the next. RUN_STARTED and RUN_FINISHED are added where
   * the steps do not begin or end a run themselves, and are events alone. Then the body ends.
   */
  reply(...steps: readonly ScriptedStep[]): void;
  /** Answers as `reply`, but leaves the body open for `send`, `end` and `cut`; RUN_FINISHED is not added. */
  open(...steps: readonly ScriptedStep[]): void;
  /**
   * Answers a request for each exchange of a recording (JSON Lines, see docs/recordings.md), byte for byte, with the pauses
   * that it has.
   *
   * @throws {SyntaxError} where it is none
   */
  play(recording: string): void;
  /** Adds to the body that is open. */
  send(...steps: readonly ScriptedStep[]): void;
  /** Ends the body that is open, after what it has yet to say. */
  end(): void;
  /** Cuts the connection of the body that is open, at once. */
  cut(): void;
  /** Answers a request with a status that is a refusal. */
  refuse(status: number, body?: string, headers?: HeadersInit): void;
  /** Lets a request find nobody: `fetch` rejects. */
  fail(): void;
  /** The next request that nobody has asked for in this way yet. */
  request(): Promise<ScriptedRequest>;
  /** Lets time go by, and waits until the agent has read what came meanwhile. Default: 0 ms. */
  tick(ms?: number): Promise<void>;
}

type ScriptedAnswer =
  | { readonly steps: readonly ScriptedStep[]; readonly ends: boolean }
  | { readonly pieces: readonly ScriptedStep[]; readonly end: RecordedEnd; readonly head: ResponseInit }
  | { readonly response: () => Response };

/** A body that is on its way. */
interface StreamedBody {
  readonly request: ScriptedRequest;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  steps: ScriptedStep[];
  end: RecordedEnd;
  /** When the next step is due. */
  due: number;
}

const endings = ["RUN_FINISHED", "RUN_ERROR"];

/**
 * An agent's server that is driven by a test, without a network. Steps without a pause arrive at once; after a
 * pause it waits for `tick`.
 *
 * `advance` is called with the milliseconds of every step of the clock: where the timers of the page are faked too, for
 * example with `(ms) => mock.timers.tick(ms)`, both run together.
 *
 * @example
 * const server = scriptedAgent();
 * const agent = createAgent({ url: "/agent", fetch: server.fetch, notify: "sync" });
 * server.reply(text("Hel", 100, "lo"));
 * const run = agent.submit("hi");
 * await server.request();
 * await server.tick();
 * console.log(agent.getSnapshot().messages.at(-1).content); // Hel
 * await server.tick(100);
 * console.log((await run).outcome); // success
 */
export function scriptedAgent({ advance }: { readonly advance?: (ms: number) => void } = {}): ScriptedAgent {
  const requests: ScriptedRequest[] = [];
  const unwatched = createHandover<ScriptedRequest>();
  const { put: answer, take: nextAnswer } = createHandover<ScriptedAnswer>();
  const bodies = new ScriptedBodies(advance);

  const fetch = async (resource: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const request = toRequest(resource, init);
    requests.push(request);
    unwatched.put(request);
    const scripted = await nextAnswer(request.signal);
    if ("response" in scripted) return scripted.response();
    if ("pieces" in scripted) return new Response(bodies.begin(request, [...scripted.pieces], scripted.end), scripted.head);
    const stream = bodies.begin(request, whole(scripted, request), scripted.ends ? "closed" : "open");
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };

  return {
    fetch,
    requests,
    get now() {
      return bodies.now;
    },
    reply: (...steps) => answer({ steps, ends: true }),
    open: (...steps) => answer({ steps, ends: false }),
    play: (recording) => {
      for (const { status, headers, parts, end } of readRecording(recording)) {
        const pieces = parts.map((part) => bytesOf(part) ?? (part as number));
        answer({ pieces, end, head: { status, headers: { ...headers } } });
      }
    },
    send: (...steps) => bodies.send(...steps),
    end: () => bodies.end(),
    cut: () => bodies.cut(),
    refuse: (status, body = "", headers = {}) => answer({ response: () => new Response(body, { status, headers }) }),
    fail: () =>
      answer({
        response: () => {
          throw new TypeError("Failed to fetch");
        },
      }),
    request: () => unwatched.take(),
    tick: (ms) => bodies.tick(ms),
  };
}

function toRequest(resource: RequestInfo | URL, init: RequestInit): ScriptedRequest {
  return {
    url: typeof resource === "object" && "url" in resource ? resource.url : String(resource),
    method: init.method ?? "GET",
    headers: new Headers(init.headers),
    input: typeof init.body === "string" ? JSON.parse(init.body) : {},
    signal: init.signal ?? undefined,
  };
}

/** The bodies that are on their way, and the clock by which their steps are due. */
class ScriptedBodies {
  now = 0;
  readonly #bodies = new Set<StreamedBody>();

  constructor(private readonly advance: ((ms: number) => void) | undefined) {}

  /** The body of the response to a request. */
  begin(request: ScriptedRequest, steps: ScriptedStep[], end: RecordedEnd): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const body: StreamedBody = { request, controller, steps, end, due: this.now };
        const { signal } = request;
        this.#bodies.add(body);
        signal?.addEventListener("abort", () => this.#bodies.delete(body) && controller.error(signal.reason));
        this.#pump(body);
      },
      cancel: () => {
        for (const body of this.#bodies) if (body.request === request) this.#bodies.delete(body);
      },
    });
  }

  send(...steps: readonly ScriptedStep[]): void {
    const body = this.#last();
    body.steps.push(...steps);
    this.#pump(body);
  }

  end(): void {
    const body = this.#last();
    body.end = "closed";
    this.#pump(body);
  }

  cut(): void {
    const body = this.#last();
    this.#bodies.delete(body);
    body.controller.error(new TypeError("The connection was cut"));
  }

  async tick(ms = 0): Promise<void> {
    const until = this.now + ms;
    await turn();
    for (;;) {
      const next = Math.min(until, ...[...this.#bodies].filter(({ steps, end }) => steps.length || end !== "open").map(({ due }) => due));
      if (next > this.now) this.advance?.(next - this.now);
      this.now = Math.max(this.now, next);
      for (const body of [...this.#bodies]) this.#pump(body);
      await turn();
      if (this.now >= until) return;
    }
  }

  #last(): StreamedBody {
    const body = [...this.#bodies].pop();
    if (!body) throw new Error("No body is open: the agent has sent no request, has disconnected, or has read all of it");
    return body;
  }

  /** Sends the steps that are due. */
  #pump(body: StreamedBody): void {
    const { steps, controller, request } = body;
    while (steps.length && body.due <= this.now) {
      const step = steps.shift()!;
      if (typeof step === "number") body.due = this.now + step;
      else if (typeof step === "function") steps.unshift(step(request));
      else if (isList(step)) steps.unshift(...step);
      else controller.enqueue(step instanceof Uint8Array ? step : frame(step));
    }
    if (steps.length || body.end === "open" || body.due > this.now) return;
    this.#bodies.delete(body);
    if (body.end === "closed") controller.close();
    else controller.error(new TypeError("The connection was cut"));
  }
}

/** The steps as the body of a run, in which nothing is missing. */
function whole({ steps, ends }: { steps: readonly ScriptedStep[]; ends: boolean }, request: ScriptedRequest): ScriptedStep[] {
  const flat = flatten(steps, request);
  // Of another system nobody knows what is missing.
  if (flat.some((step) => step instanceof Uint8Array)) return flat;
  const events = flat.filter((step): step is ScriptedEvent => typeof step === "object" && "type" in step);
  const { threadId, runId } = request.input;
  const first = events[0]?.type;
  const starts = first === "RUN_STARTED" || first === "RUN_ERROR";
  const over = !ends || endings.includes(events[events.length - 1]?.type ?? "");
  return [
    ...(starts ? [] : [{ type: "RUN_STARTED", threadId, runId }]),
    ...flat,
    ...(over ? [] : [{ type: "RUN_FINISHED", threadId, runId }]),
  ];
}

function flatten(steps: readonly ScriptedStep[], request: ScriptedRequest): (ScriptedEvent | Uint8Array | number)[] {
  return steps.flatMap((step) => {
    if (typeof step === "function") return flatten([step(request)], request);
    return isList(step) ? flatten(step, request) : [step];
  });
}

function isList(step: ScriptedStep): step is readonly ScriptedStep[] {
  return Array.isArray(step);
}

/** Whatever waits for promises alone has continued after it. Not a timer, because tests fake those. */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/**
 * The events of one text message of the assistant's, with pauses between its pieces.
 *
 * @example
 * server.reply(text("Hel", 100, "lo"));
 */
export function text(...parts: readonly string[]): readonly ScriptedEvent[];
export function text(...parts: readonly (string | number)[]): readonly ScriptedStep[];
export function text(...parts: readonly (string | number)[]): readonly ScriptedStep[] {
  const messageId = uuid();
  return [
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    ...parts.map((part) => (typeof part === "number" ? part : { type: "TEXT_MESSAGE_CONTENT", messageId, delta: part })),
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}

/**
 * The events of a tool call, without a result.
 *
 * @example
 * server.reply(toolCall("weather", { city: "Rome" }));
 */
export function toolCall(name: string, args: unknown = {}, toolCallId: string = uuid()): readonly ScriptedEvent[] {
  return [
    { type: "TOOL_CALL_START", toolCallId, toolCallName: name },
    { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
    { type: "TOOL_CALL_END", toolCallId },
  ];
}

/**
 * A frame of another system, or one that breaks a rule: a server-sent event with this data (text as it is, anything else as JSON), and
 * with `event` and `id` where they are given.
 *
 * @example
 * const agent = createAgent({ url: "/a2a", dialect: "hector", fetch: server.fetch });
 * server.reply(frame({ jsonrpc: "2.0", id: "1", error: { code: -32001, message: "task not found" } }));
 */
export function frame(data: unknown, { event, id }: { readonly event?: string; readonly id?: string } = {}): Uint8Array {
  const json = typeof data === "string" ? data : JSON.stringify(data);
  const fields = [["event", event], ["id", id], ...json.split("\n").map((line) => ["data", line])].filter(([, value]) => value !== undefined);
  return new TextEncoder().encode(`${fields.map(([name, value]) => `${name}: ${value}\n`).join("")}\n`);
}

/** An agent without a core: it shows the snapshot that it is given, and records the calls of its methods. */
export interface FakeAgent<State = unknown> extends Agent<State> {
  /** Every call of a method, by its name. */
  readonly calls: readonly { readonly method: string; readonly args: readonly unknown[] }[];
  /**
   * Changes the snapshot and notifies the listeners. `status` and `isLoading` follow each other, as in an agent; an `error` alone
   * makes the status `error`.
   */
  set(changes: Partial<AgentSnapshot<State>>): void;
  /** Calls those who listen with `on`. */
  emit<Name extends keyof AgentListeners>(name: Name, detail: Parameters<AgentListeners[Name]>[0]): void;
}

const runs = ["submit", "retry", "regenerate", "resume", "attach"] as const;
const decisions = ["editQueued", "cancelQueued"] as const;
const others = ["fork", "addToolResult", "approve", "deny", "setMessages", "setState", "reset", "dispose", "setOptions", "flush"] as const;

/**
 * An agent for tests of components: `useAgent(fakeAgent({ messages }))`. No method changes anything by itself; runs settle
 * as a success at once.
 *
 * @example
 * const agent = fakeAgent({ status: "running", isLoading: true });
 * render(<Chat agent={agent} />);
 * click("Stop");
 * assert.equal(agent.calls[0].method, "stop");
 */
export function fakeAgent<State = unknown>(members: Partial<AgentSnapshot<State>> = {}): FakeAgent<State> {
  const { threadId = "thread", messages, state } = members;
  let snapshot: AgentSnapshot<State> = agree(initialSnapshot(threadId, messages, state), members);
  const first = snapshot;
  const listeners = new Set<{ listener: () => void }>();
  const emitter = createEmitter(() => ({ url: "" }));
  const calls: { method: string; args: unknown[] }[] = [];
  const noting = (names: readonly string[], value: () => unknown): Record<string, unknown> =>
    Object.fromEntries(names.map((method) => [method, (...args: unknown[]) => (calls.push({ method, args }), value())]));
  return {
    ...noting(runs, async (): Promise<RunResult> => ({ runId: "run", outcome: "success" })),
    ...noting(["stop", "connect", "disconnect", "load"], async () => {}),
    ...noting(["loadOlder"], async () => false),
    ...noting(["capabilities"], async () => undefined),
    ready: Promise.resolve(),
    ...noting(decisions, () => true),
    ...noting(others, () => {}),
    ...(Symbol.dispose && { [Symbol.dispose]: () => {} }),
    calls,
    subscribe: (listener: () => void) => {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    getSnapshot: () => snapshot,
    getServerSnapshot: () => first,
    guard: { forwarded: 0, blocked: 0, total: 0, present: noting(["guard.present"], () => {})["guard.present"] },
    send: noting(["send"], () => ({ allowed: true, eventType: "", direction: "inbound", at: 0 }))["send"],
    history: [],
    at: () => undefined,
    save: () => ({ v: 1, threadId: snapshot.threadId, messages: snapshot.messages, state: snapshot.state }),
    on: emitter.on,
    events: emitter.events,
    requests: [],
    emit: emitter.emit,
    set: (changes: Partial<AgentSnapshot<State>>) => {
      snapshot = agree(snapshot, changes);
      // An error goes to the test.
      for (const { listener } of [...listeners]) listener();
    },
  } as unknown as FakeAgent<State>;
}

/** The snapshot with the changes; of `status` and `isLoading`, the one that is not given follows the other. */
function agree<State>(old: AgentSnapshot<State>, changes: Partial<AgentSnapshot<State>>): AgentSnapshot<State> {
  const rest = old.status === "running" ? "idle" : old.status;
  const loading = changes.isLoading === undefined ? undefined : changes.isLoading ? "running" : rest;
  const status = changes.status ?? loading ?? (changes.error ? "error" : old.status);
  return { ...old, ...changes, status, isLoading: status === "running" };
}
