import { AgentError } from "../api/error.js";
import { unsupported } from "../base/failure.js";
import { createBoard } from "./board.js";
import { createEdits } from "./edits.js";
import { createPaging } from "./paging.js";
import { askWith, type Sending } from "./request.js";
import type { Preset } from "../api/server.js";
import type { Threads, ThreadsSource } from "../api/threads.js";

/** The options of `createThreads`: functions of the application's, or a preset of `ag-ui-wasm/servers` that has them. Functions given here come first. */
export interface CreateThreadsOptions extends Partial<ThreadsSource>, Sending {
  readonly server?: Preset | undefined;
  /** The address that the functions are given. Default: the preset's. */
  readonly url?: string | undefined;
  /** Threads of a page. Default: 30. */
  readonly limit?: number | undefined;
  /** How long an answer may take, in milliseconds; 0: any time. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A list of threads that can be observed: for a sidebar. `useThreads` of a binding renders it.
 *
 * @example
 * const threads = createThreads({
 *   list: async ({ cursor = "", limit, fetch }) => (await fetch(`/threads?cursor=${cursor}&limit=${limit}`)).json(),
 *   rename: async (id, title, { fetch }) => (await fetch(`/threads/${id}`, { method: "PATCH", body: JSON.stringify({ title }) })).json(),
 *   delete: (id, { fetch }) => fetch(`/threads/${id}`, { method: "DELETE" }),
 * });
 * threads.subscribe(() => console.log(threads.getSnapshot().threads));
 */
export function createThreads(options: CreateThreadsOptions): Threads {
  const { server, url = typeof server?.url === "string" ? server.url : "", limit = 30, timeoutMs = 30_000 } = options;
  const { list = unlisted, ...source }: Partial<ThreadsSource> = { ...server?.threads, ...options };
  const life = new AbortController();
  const ask = askWith({ ...options, url, timeoutMs, life: life.signal });
  const board = createBoard(life.signal);
  const paging = createPaging(board, ask, list, limit);
  return {
    subscribe: (listener) => {
      const off = board.subscribe(listener);
      if (board.progress.status === "new") void paging.load();
      return off;
    },
    getSnapshot: board.snapshot,
    ...paging,
    ...createEdits(board, ask, source),
    dispose: () => life.abort(new AgentError({ kind: "aborted", message: "The list of threads was disposed of" })),
  };
}

const unlisted = (): Promise<never> => Promise.reject(unsupported("threads", 'A list of threads needs a function "list", or a server that has one'));
