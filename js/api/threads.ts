// The list of a user's threads: what an application shows beside a chat.

import type { AgentError } from "./error.js";
import type { JsonObject } from "./protocol.js";
import type { ServerRequest } from "./server.js";

/** A thread as a list shows it. */
export interface ThreadInfo {
  readonly threadId: string;
  readonly title?: string | undefined;
  /** In milliseconds since 1970. */
  readonly createdAt?: number | undefined;
  /** In milliseconds since 1970. */
  readonly updatedAt?: number | undefined;
  readonly archived?: boolean | undefined;
  /** A run is in progress at the server. */
  readonly running?: boolean | undefined;
  /** Further members of the server's thread. */
  readonly metadata?: JsonObject | undefined;
}

/** Which part of the list is asked for. */
export interface ThreadListRequest extends ServerRequest {
  /** `next` of the page before. Absent for the first page. */
  readonly cursor?: string | undefined;
  /** How many threads: the option `limit`. */
  readonly limit: number;
}

/** A part of the list. */
export interface ThreadListPage {
  /** In the order in which they are shown. */
  readonly threads: readonly ThreadInfo[];
  /** Where the next page begins. Absent, `null` or empty: there is none. */
  readonly next?: string | null | undefined;
}

/**
 * The operations of a server on its threads. A function that changes one may return the thread as the server has it then; its
 * members are merged into the list; of a new thread also its id. A function that rejects has changed nothing.
 */
export interface ThreadsSource {
  list(request: ThreadListRequest): Promise<ThreadListPage>;
  rename?(threadId: string, title: string, request: ServerRequest): Promise<Partial<ThreadInfo> | void>;
  archive?(threadId: string, archived: boolean, request: ServerRequest): Promise<Partial<ThreadInfo> | void>;
  delete?(threadId: string, request: ServerRequest): Promise<unknown>;
  create?(thread: ThreadInfo, request: ServerRequest): Promise<Partial<ThreadInfo> | void>;
}

/** The snapshot of a list of threads. Immutable; a thread that has not changed is the same object. */
export interface ThreadsSnapshot {
  /** Threads that are not archived, with changes that the server has not confirmed yet. */
  readonly threads: readonly ThreadInfo[];
  /** Archived ones, as far as the server lists them. */
  readonly archived: readonly ThreadInfo[];
  /** `new`: nothing was asked yet. `error`: the first page could not be loaded. */
  readonly status: "new" | "loading" | "ready" | "error";
  /** Whether the server has another page. */
  readonly hasMore: boolean;
  /** Another page is being loaded. */
  readonly isLoadingMore: boolean;
  /** Threads with a change that the server has not confirmed yet. */
  readonly pending: readonly string[];
  /** The last failure, until the next call. */
  readonly error: AgentError | undefined;
}

/**
 * An observable list of threads. The methods are bound. A change is shown at once; when the server refuses it, it is taken back, and
 * the promise rejects with an `AgentError`. A function that the source does not have rejects with kind `unsupported` and code `threads`.
 */
export interface Threads {
  /** Calls the listener after every change. The first listener begins the first load. Returns a function that ends that. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): ThreadsSnapshot;
  /** Loads the list, or loads it again: as many pages as are shown. Never rejects: `status` and `error` say how it went. */
  load(): Promise<void>;
  /** Loads the next page. Resolves with whether there is another one after it. */
  loadMore(): Promise<boolean>;
  /** Puts a new thread at the top. Default for `threadId`: a random UUID. Without `create` in the source it stays local until the server lists it. */
  create(thread?: Partial<ThreadInfo>): Promise<ThreadInfo>;
  rename(threadId: string, title: string): Promise<void>;
  archive(threadId: string, archived?: boolean): Promise<void>;
  delete(threadId: string): Promise<void>;
  /** Notes what the page knows about a thread, without asking the server: that it is running, its new title. Unknown threads are put at the top. */
  update(thread: Partial<ThreadInfo> & { readonly threadId: string }): void;
  /** Aborts what is in progress. The snapshot stays readable. */
  dispose(): void;
}
