// How requests are made, connections kept and runs rejoined.

import type { ChannelSource } from "./channel.js";
import type { Context, JsonObject, Message, ResumeEntry, Tool } from "./protocol.js";

/** A value, or a function that is asked for it each time it is needed. */
export type Provider<Value> = Value | (() => Value);

/** The same, where the function may take its time. */
export type AsyncProvider<Value> = Value | (() => Value | Promise<Value>);

/** Where a run is. */
export interface RunTarget {
  readonly threadId: string;
  readonly runId: string;
  /** How far the stream of a run was read that is rejoined. */
  readonly cursor?: string | undefined;
}

/**
 * An address, or a function that is asked for that of a run. A server may have named the run: put ids into an address with
 * `encodeURIComponent`.
 */
export type RunUrl = string | URL | ((runId: string, run: RunTarget) => string | URL | Promise<string | URL>);

/** A request that is to be made. */
export interface TransportRequest extends RunTarget {
  /** It joins a run in progress, and does not begin one. */
  readonly resume: boolean;
}

/** Where and how it goes. */
export interface TransportTarget {
  readonly url: string;
  /** Default: `POST`. */
  readonly method?: "GET" | "POST" | undefined;
  readonly headers?: HeadersInit | undefined;
  readonly credentials?: RequestCredentials | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Whether to ask for the binary framing. Default: `false`. */
  readonly binary?: boolean | undefined;
}

/** A way to an agent: `fetchTransport`, `eventSource`, `webSocket`, `custom`, or one of the application's own. */
export interface Transport {
  /** Asked anew before every request. */
  connect(request: TransportRequest, resume: ResumeOptions | undefined): TransportTarget | Promise<TransportTarget>;
  /** Whether bodies may be in the binary framing, for which the agent loads the full module. Default: `false`. */
  readonly binary?: boolean | undefined;
  /** Whether the next request after a 401 may differ, for example by headers that are made anew. Default: `false`. */
  readonly renews?: boolean | undefined;
  /**
   * Sends a string beside the run in progress. Returns false if no run is in progress, or nothing can be sent; a promise where the server's response comes
   * later. Needed by `agent.send` only.
   */
  send?(text: string, run: RunTarget): boolean | Promise<Response>;
  /** Set by `webSocket` and `eventSource` with `keepOpen`: how a connection is opened that outlives its runs. */
  readonly keep?: ChannelSource | undefined;
}

/** How a connection is kept open over several answers. */
export interface KeepOpenOptions {
  /**
   * Whether this event, as it came, is the end of an answer. Default: RUN_FINISHED and RUN_ERROR of AG-UI; of Chio's, a
   * `lifecycle` event that says so of the component with the text (docs/systems/chio.md).
   */
  readonly answerEnds?: ((event: JsonObject) => boolean) | undefined;
  /**
   * An answer is over as well when nothing has come for so many milliseconds after its last event. Default: 2000; `waitMs` once RUN_STARTED has come,
   * because the end of that run comes as well; 0: never. Without a dialect the connection then counts as lost.
   */
  readonly idleMs?: number | undefined;
  /** The same where nothing has come after the message: with a dialect, all of it may have been blocked. Default: 60,000; 0: never. */
  readonly waitMs?: number | undefined;
  /** Bytes of events that may wait for a run to take them; with more the connection is lost. Default: 16 MiB. */
  readonly bufferBytes?: number | undefined;
}

/** The options of a request by fetch. */
export interface FetchOptions {
  /** The agent's address. */
  readonly url: AsyncProvider<string | URL>;
  /** Sent with every request. A function is asked anew each time, and once more if the server answers 401. */
  readonly headers?: AsyncProvider<HeadersInit | undefined> | undefined;
  readonly credentials?: RequestCredentials | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Asks the server for the binary framing, which is smaller. A server that does not have it sends an event stream: a
   * response is read by its media type, whatever was asked for. The agent loads the full module for it. An agent that was made
   * without this option cannot take it later. Default: `false`.
   */
  readonly binary?: boolean | undefined;
}

/** The options of `eventSource`. */
export interface EventSourceOptions extends Omit<FetchOptions, "url" | "binary"> {
  /** Where the events of a run come from. */
  readonly url: RunUrl;
  /** Where the input of a run goes, with POST; the body of the response is not read. Without it, nothing is sent. */
  readonly submitUrl?: AsyncProvider<string | URL> | undefined;
  /**
   * Whether a source that is closed has come to its end, for servers that do not say so otherwise. A lost
   * connection then counts as an end, too. Default: `false`: a source that is closed is a lost connection.
   */
  readonly closeIsEnd?: boolean | undefined;
  /** One source for all runs, which stays open between them: see {@link KeepOpenOptions}. Default: `false`, one a run. */
  readonly keepOpen?: boolean | KeepOpenOptions | undefined;
  /** Names of events besides AG-UI's own, such as those of a dialect's server. A source emits only events of the names that it is given. */
  readonly names?: readonly string[] | undefined;
  /** Used in place of the global one. */
  readonly EventSource?: typeof EventSource | undefined;
}

/** The options of `webSocket`. */
export interface WebSocketOptions {
  readonly url: RunUrl;
  readonly protocols?: string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>) | undefined;
  /** One socket for all runs, which stays open between them: see {@link KeepOpenOptions}. Default: `false`, one a run. */
  readonly keepOpen?: boolean | KeepOpenOptions | undefined;
  /** Used in place of the global one. */
  readonly WebSocket?: typeof WebSocket | undefined;
}

/** The input of a run, as AG-UI sends it. */
export interface CustomInput {
  readonly threadId: string;
  readonly runId: string;
  readonly state?: unknown;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly context: readonly Context[];
  readonly forwardedProps?: unknown;
  readonly resume?: readonly ResumeEntry[];
}

/** The second argument of `custom`'s generator. */
export interface CustomContext extends TransportRequest {
  /** The input as JSON text, with numbers as they are. */
  readonly body: string;
  /** Nothing is wanted. */
  readonly signal: AbortSignal;
}

/** When and how often a lost connection is made again. */
export interface RetryOptions {
  /** Attempts in a row that bring nothing new. Default: 5. */
  readonly attempts?: number | undefined;
  /** The first attempt waits at most so long, the next one twice that; milliseconds. A server's `retry:` takes its place. Default: 500. */
  readonly baseMs?: number | undefined;
  /** Every attempt waits at least so long, whatever the server asks for; milliseconds. Default: 100. */
  readonly minMs?: number | undefined;
  /** Connections that one run may make in any minute, whatever comes over them; further ones wait. Default: 60. */
  readonly perMinute?: number | undefined;
  /** Connections that one run may make at all; then it is `truncated`. Default: 1000. */
  readonly perRun?: number | undefined;
  /** After the loss of a connection that ends its run, what waits in the queue begins so many milliseconds later. Default: 1,000. */
  readonly queueMs?: number | undefined;
  /** No attempt waits longer. A server that asks for longer is not asked again. Default: 30,000. */
  readonly maxMs?: number | undefined;
  /** A connection on which nothing comes for so many milliseconds is lost. Default: 0, never. */
  readonly idleMs?: number | undefined;
  /**
   * A request that may have begun a run may be sent again, for the server knows runs by their `runId`. Default: `false`:
   * only what was refused before (409, 425, 429, 503) is.
   */
  readonly posts?: boolean | undefined;
}

/** How a run is rejoined after its connection was lost, or after `disconnect()`. */
export type ResumeOptions =
  /**
   * The server numbers its frames (`id:`), and resumes after the `Last-Event-ID` of the request. The request goes to `url` with
   * GET; without `url` it is the same POST to the agent's address.
   */
  | { readonly by: "last-event-id"; readonly url?: RunUrl | undefined; readonly method?: "GET" | "POST" | undefined }
  /** Each run has an address that streams it: after `Last-Event-ID` if the request has one, otherwise from its beginning. */
  | { readonly by: "run-url"; readonly url: RunUrl }
  /**
   * Every event says its place: `path` is a member, or a JSON Pointer as `/metadata/seq`. The server resumes after the
   * place that the request names as `param`: in `forwardedProps` (default) of the same POST, or in the query of a GET.
   */
  | {
    readonly by: "cursor";
    readonly path: string;
    readonly param: string;
    readonly in?: "forwardedProps" | "query" | undefined;
    readonly url?: RunUrl | undefined;
    readonly method?: "GET" | "POST" | undefined;
  }
  /** The server answers with MESSAGES_SNAPSHOT, and continues from there. */
  | { readonly by: "snapshot"; readonly url: RunUrl; readonly method?: "GET" | "POST" | undefined }
  /** With RUN_STARTED, MESSAGES_SNAPSHOT, and a START of everything that is open. */
  | { readonly by: "prelude"; readonly url: RunUrl; readonly method?: "GET" | "POST" | undefined }
  /**
   * The same POST without messages: the server says how the thread stood after its last run (RUN_STARTED, snapshots, RUN_FINISHED). It is
   * asked until that has what the run was asked with. A request that it refuses with 409, for it is at work, waits as well.
   */
  | { readonly by: "hydrate" }
  /** The server repeats the whole run. */
  | { readonly by: "replay"; readonly url: RunUrl; readonly method?: "GET" | "POST" | undefined }
  /** As `cursor`, for `webSocket`. Default of `param`: `lastSeenEventId`. */
  | { readonly by: "socket-cursor"; readonly path: string; readonly param?: string | undefined };

/** How the server is notified that a run is stopped. */
export type StopOptions =
  | {
    /** Put ids into it with `encodeURIComponent`. */
    readonly url: RunUrl;
    /** Default: `POST`. */
    readonly method?: string | undefined;
    /** Sent beside the agent's headers. */
    readonly headers?: HeadersInit | undefined;
    /**
     * Sent as JSON, or what a function returns for the run; `null`: no body. Default: `{threadId, runId}`. Some servers
     * refuse members that they do not know.
     */
    readonly body?: unknown;
  }
  | ((run: RunTarget) => void | Promise<void>);
