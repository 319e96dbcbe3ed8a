// Loads the list page by page.

import { AgentError } from "../api/error.js";
import { byId, joined } from "./changes.js";
import { toError, type Ask } from "./request.js";
import type { ThreadInfo, ThreadListPage, Threads, ThreadsSource } from "../api/threads.js";
import type { Board } from "./board.js";

// A server that gives one page without news after the other is not asked forever.
const maxStalePages = 10;

const doing = "The list of threads";

/** `load` and `loadMore` of a list. */
export function createPaging(board: Board, ask: Ask, list: ThreadsSource["list"], limit: number): Pick<Threads, "load" | "loadMore"> {
  // How many pages are shown, and where they began: a cursor that comes again would lead around in a circle.
  let pages = 1;
  let cursors = new Set<string>();
  const readAfter = createReader(ask, list, limit);

  const loading = createTask(async (ended): Promise<void> => {
    const { status } = board.progress;
    board.report({ status: status === "ready" ? status : "loading", isLoadingMore: false, error: undefined });
    const request = board.request();
    const seen = new Set<string>();
    try {
      const listed = new Map<string, ThreadInfo>();
      let from: string | undefined;
      for (let remaining = pages; remaining > 0 && (from !== undefined || remaining === pages); remaining -= 1) {
        const read = await readAfter(from, listed, seen, ended);
        for (const thread of read.threads) listed.set(thread.threadId, thread);
        from = read.next ?? undefined;
      }
      if (ended.aborted) return;
      cursors = seen;
      const all = joined(board.confirmed, [...listed.values()]);
      for (const { threadId } of all) board.local.delete(threadId);
      const local = board.confirmed.filter(({ threadId }) => board.local.has(threadId));
      request.land([...local, ...all], { status: "ready", next: from });
    } catch (cause) {
      if (!ended.aborted) board.report({ status: status === "ready" ? status : "error", error: toError(cause, doing) });
    } finally {
      request.end();
    }
  });

  const more = createTask(async (ended): Promise<boolean> => {
    board.report({ isLoadingMore: true, error: undefined });
    const request = board.request();
    try {
      const read = await readAfter(board.progress.next, byId(board.confirmed), cursors, ended);
      if (ended.aborted) return board.progress.next !== undefined;
      pages += 1;
      request.land(joined(board.confirmed, [...board.confirmed, ...read.threads]), { next: read.next ?? undefined, isLoadingMore: false });
    } catch (cause) {
      if (!ended.aborted) board.report({ isLoadingMore: false, error: toError(cause, doing) });
    } finally {
      request.end();
    }
    return board.progress.next !== undefined;
  });

  const load = (): Promise<void> => {
    const again = new AgentError({ kind: "aborted", message: "The list of threads is loaded again" });
    // A page that is still loading belongs to the old list.
    for (const task of [loading, more]) task.abort(again);
    return loading.begin();
  };
  const loadMore = async (): Promise<boolean> => {
    await loading.done();
    if (board.progress.status !== "ready") await load();
    return board.progress.next !== undefined && (more.done() ?? more.begin());
  };
  return { load, loadMore };
}

/** Work of which one piece at a time is wanted. */
function createTask<Result>(work: (ended: AbortSignal) => Promise<Result>) {
  let current: { readonly end: AbortController; readonly done: Promise<Result> } | undefined;
  return {
    /** The result of the piece in progress, if there is one. */
    done: () => current?.done,
    begin: (): Promise<Result> => {
      const end = new AbortController();
      const mine = { end, done: work(end.signal).finally(() => void (current === mine && (current = undefined))) };
      current = mine;
      return mine.done;
    },
    abort: (reason: AgentError): void => {
      current?.end.abort(reason);
      current = undefined;
    },
  };
}

/** A function that reads the next page that has something new, if any. */
function createReader(ask: Ask, list: ThreadsSource["list"], limit: number) {
  return async (from: string | undefined, known: ReadonlyMap<string, ThreadInfo>, seen: Set<string>, ended: AbortSignal): Promise<ThreadListPage> => {
    for (let cursor = from, stale = 1;; stale += 1) {
      const answer = await ask(doing, (request) => list({ ...request, limit, ...(cursor !== undefined && { cursor }) }), ended);
      const { threads, next } = readPage(answer);
      const following = next && !seen.has(next) ? next : undefined;
      if (following) seen.add(following);
      const news = threads.some(({ threadId }) => !known.has(threadId));
      if (news || !following) return { threads, next: following };
      if (stale === maxStalePages) return { threads };
      cursor = following;
    }
  };
}

/** A page as a server gives it: threads without an id are left out, and what is no list at all is an error. */
function readPage(value: unknown): ThreadListPage {
  const { threads, next } = (value ?? {}) as Partial<ThreadListPage>;
  if (!Array.isArray(threads)) {
    const message = `The list of threads: expected { threads: [...] }, got ${Array.isArray(value) ? "a list" : typeof value}`;
    throw new AgentError({ kind: "protocol", message });
  }
  const valid = (threads as readonly (ThreadInfo | undefined)[]).filter((thread): thread is ThreadInfo =>
    !!thread && typeof thread.threadId === "string" && !!thread.threadId
  );
  return { threads: valid, next: typeof next === "string" && next ? next : undefined };
}
