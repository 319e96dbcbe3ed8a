// Loads the list page by page.

import { AgentError } from "../api/error.js";
import { joined } from "./changes.js";
import { readPage } from "./page.js";
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
  let loading: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  let more: { readonly abort: AbortController; readonly done: Promise<boolean> } | undefined;

  /** The next page that has something new, if any. */
  const page = async (from: string | undefined, known: readonly ThreadInfo[], seen: Set<string>, ended: AbortSignal): Promise<ThreadListPage> => {
    for (let cursor = from, stale = 1;; stale += 1) {
      const answer = await ask(doing, (request) => list({ ...request, limit, ...(cursor !== undefined && { cursor }) }), ended);
      const { threads, next } = readPage(answer);
      const following = next && !seen.has(next) ? next : undefined;
      if (following) seen.add(following);
      const news = threads.some(({ threadId }) => !known.some((thread) => thread.threadId === threadId));
      if (news || !following) return { threads, next: following };
      if (stale === maxStalePages) return { threads };
      cursor = following;
    }
  };

  const work = async (ended: AbortSignal): Promise<void> => {
    const { status } = board.progress;
    board.report({ status: status === "ready" ? status : "loading", isLoadingMore: false, error: undefined });
    const request = board.request();
    const seen = new Set<string>();
    try {
      let all: readonly ThreadInfo[] = [];
      let from: string | undefined;
      for (let remaining = pages; remaining > 0 && (from !== undefined || remaining === pages); remaining -= 1) {
        const read = await page(from, all, seen, ended);
        all = joined(board.confirmed, all, read.threads);
        from = read.next ?? undefined;
      }
      if (ended.aborted) return;
      cursors = seen;
      for (const { threadId } of all) board.local.delete(threadId);
      const local = board.confirmed.filter(({ threadId }) => board.local.has(threadId));
      request.land([...local, ...all], { status: "ready", next: from });
    } catch (cause) {
      if (!ended.aborted) board.report({ status: status === "ready" ? status : "error", error: toError(cause, doing) });
    } finally {
      request.end();
    }
  };

  const load = (): Promise<void> => {
    const again = new AgentError({ kind: "aborted", message: "The list of threads is loaded again" });
    loading?.abort.abort(again);
    // A page that is on its way belongs to the list that is replaced.
    more?.abort.abort(again);
    more = undefined;
    const abort = new AbortController();
    const task = { abort, done: work(abort.signal).finally(() => void (loading === task && (loading = undefined))) };
    loading = task;
    return task.done;
  };

  const append = async (ended: AbortSignal): Promise<boolean> => {
    board.report({ isLoadingMore: true, error: undefined });
    const request = board.request();
    try {
      const read = await page(board.progress.next, board.confirmed, cursors, ended);
      if (ended.aborted) return board.progress.next !== undefined;
      pages += 1;
      request.land(joined(board.confirmed, board.confirmed, read.threads), { next: read.next ?? undefined, isLoadingMore: false });
    } catch (cause) {
      if (!ended.aborted) board.report({ isLoadingMore: false, error: toError(cause, doing) });
    } finally {
      request.end();
    }
    return board.progress.next !== undefined;
  };

  const loadMore = async (): Promise<boolean> => {
    if (loading) await loading.done;
    if (board.progress.status !== "ready") await load();
    if (board.progress.next === undefined) return false;
    if (more) return more.done;
    const abort = new AbortController();
    const task = { abort, done: append(abort.signal).finally(() => void (more === task && (more = undefined))) };
    more = task;
    return task.done;
  };

  return { load, loadMore };
}
