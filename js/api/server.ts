// Differences between servers beyond the protocol: how a stored thread is opened, what a request carries, how an edit
// reaches the server's memory. A preset of `ag-ui-wasm/servers` is one object of these options.

import type { JsonObject, Interrupt, Message, Tool } from "./protocol.js";
import type { ThreadsSource } from "./threads.js";
import type { FetchOptions, ResumeOptions, StopOptions } from "./transport.js";

/** A function of a preset, or of the application, that asks the agent's server something, is called with this. */
export interface ServerRequest {
  /** The agent's address: the option `url`. Empty where the agent has a `transport` only. */
  readonly url: string;
  /** Aborted when the answer is no longer wanted: after `thread.timeoutMs`, or when the agent is disposed of. */
  readonly signal: AbortSignal;
  /**
   * Sends a request with the agent's `headers`, `credentials` and `fetch`, and with `signal`. Rejects with an `AgentError` (`kind`
   * `http`, `auth` or `connection`, with `status`) unless the status is 2xx.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
}

/** Which part of a thread is asked for. */
export interface ThreadRequest extends ServerRequest {
  readonly threadId: string;
  /** The `older` of the last page. Absent for the newest page. */
  readonly before?: string | undefined;
  /** How many messages: the option `thread.limit`. */
  readonly limit?: number | undefined;
}

/** A stored thread, or a page of it. */
export interface ThreadPage {
  /** Where the server names it. Another one than the agent's is an error, code `thread-other`. */
  readonly threadId?: string | undefined;
  /** AG-UI messages, oldest first. */
  readonly messages: readonly Message[];
  /** Absent: the state stays as it is. */
  readonly state?: unknown;
  /** Open questions, to be answered with `agent.resume()`. */
  readonly interrupts?: readonly Interrupt[] | undefined;
  /** A run in progress, which is joined as the option `resume` says. */
  readonly activeRunId?: string | undefined;
  /** Where the page before this one begins, given to the loader as `before`. `true`: at the id of the first message. Default: there is none. */
  readonly older?: string | boolean | null | undefined;
}

/**
 * Loads a stored thread. `undefined`, or a rejection with `status` 404 or 410, means that the server does not have it: it is empty.
 *
 * @example
 * const load: ThreadLoader = async ({ threadId, before, limit = 50, fetch }) => {
 *   const query = new URLSearchParams({ limit: String(limit), ...(before && { before }) });
 *   return (await fetch(`/threads/${encodeURIComponent(threadId)}?${query}`)).json();
 * };
 */
export type ThreadLoader = (request: ThreadRequest) => Promise<ThreadPage | undefined>;

/** Why a request is made. `tool-results`: results of the page's tools go out; `edit`: a submit with `replaces`. */
export type SendReason = "submit" | "retry" | "regenerate" | "tool-results" | "resume" | "edit";

/** The request that messages are chosen for. */
export interface SendRequest {
  readonly reason: SendReason;
  readonly threadId: string;
  readonly runId: string;
}

/** How a server keeps the thread. */
export interface ThreadOptions {
  /**
   * How the stored thread is opened, once the agent is used. `hydrate`: a POST without messages, which the server answers with the
   * stored thread. `connect`: as the option `resume` says, which must be `by: "replay"`: the server repeats the thread's runs (404, 405,
   * 422 and 501: it has none). Or a function. Needs `threadId`. Default: it is not opened.
   */
  readonly load?: "hydrate" | "connect" | ThreadLoader | undefined;
  /** Messages of a page, given to the loader. Default: the loader's. */
  readonly limit?: number | undefined;
  /** How long an answer of the loader may take, in milliseconds; 0: any time. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Which messages a request carries. `all` (default): the thread. `new`: those after the last complete answer. `turn`: those from the
   * last user message on. A function chooses from the list itself. In any case the message with a call goes with the call's
   * result. Not applied with a `dialect`.
   */
  readonly send?: "all" | "new" | "turn" | ((messages: readonly Message[], request: SendRequest) => readonly Message[]) | undefined;
  /**
   * How an edited message, `retry` and `regenerate` reach the server's memory. `same-id`: the user message keeps its id; `new-id`: it
   * gets a new one; `none`: not at all, so `regenerate` and `submit({ replaces })` are refused with the code `server-keeps`. Default: an
   * edited message has a new id, one that is asked again its old one.
   */
  readonly edits?: "same-id" | "new-id" | "none" | undefined;
  /** Whether the server takes a message during a run: a request with `parentRunId`. Without it, `ifBusy: "steer"` queues. Default: `false`. */
  readonly steer?: boolean | undefined;
  /**
   * The reason of interrupts by which the server waits for a tool of the page: what the tool comes to is the reply, `resolved` with its
   * result or `cancelled` without one. Default: none, for a run ends with its calls, and the results go out with the next one.
   */
  readonly toolInterrupts?: string | undefined;
}

/** The options that a server needs, as one of `ag-ui-wasm/servers` has them: what the application sets itself comes before these. */
export interface Preset {
  /** Of the server, for people. */
  readonly name: string;
  readonly url?: FetchOptions["url"] | undefined;
  readonly thread?: ThreadOptions | undefined;
  readonly resume?: ResumeOptions | undefined;
  readonly stop?: StopOptions | undefined;
  readonly capabilities?: CapabilitiesLoader | undefined;
  /** The user's threads, for `createThreads`. */
  readonly threads?: ThreadsSource | undefined;
}

/** Asks the server what it can do; `undefined`: it does not say. */
export type CapabilitiesLoader = (request: ServerRequest) => Promise<AgentCapabilities | undefined>;

/** The capabilities of an agent, as AG-UI has them. A member that is absent is not known. */
export interface AgentCapabilities {
  readonly identity?: {
    readonly name?: string;
    readonly type?: string;
    readonly description?: string;
    readonly version?: string;
    readonly provider?: string;
    readonly documentationUrl?: string;
    readonly metadata?: JsonObject;
  };
  readonly transport?: {
    readonly streaming?: boolean;
    readonly websocket?: boolean;
    readonly httpBinary?: boolean;
    readonly pushNotifications?: boolean;
    readonly resumable?: boolean;
  };
  readonly tools?: {
    readonly supported?: boolean;
    readonly items?: readonly Tool[];
    readonly parallelCalls?: boolean;
    readonly clientProvided?: boolean;
  };
  readonly output?: { readonly structuredOutput?: boolean; readonly supportedMimeTypes?: readonly string[] };
  readonly state?: { readonly snapshots?: boolean; readonly deltas?: boolean; readonly memory?: boolean; readonly persistentState?: boolean };
  readonly multiAgent?: {
    readonly supported?: boolean;
    readonly delegation?: boolean;
    readonly handoffs?: boolean;
    readonly subagents?: readonly { readonly name: string; readonly description?: string }[];
  };
  readonly reasoning?: { readonly supported?: boolean; readonly streaming?: boolean; readonly encrypted?: boolean };
  readonly multimodal?: {
    readonly input?: { readonly image?: boolean; readonly audio?: boolean; readonly video?: boolean; readonly pdf?: boolean; readonly file?: boolean };
    readonly output?: { readonly image?: boolean; readonly audio?: boolean };
  };
  readonly execution?: {
    readonly codeExecution?: boolean;
    readonly sandboxed?: boolean;
    readonly maxIterations?: number;
    readonly maxExecutionTime?: number;
  };
  readonly humanInTheLoop?: {
    readonly supported?: boolean;
    readonly approvals?: boolean;
    readonly interventions?: boolean;
    readonly feedback?: boolean;
    readonly interrupts?: boolean;
    readonly approveWithEdits?: boolean;
  };
  readonly custom?: JsonObject;
}
