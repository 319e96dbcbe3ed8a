"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { Threads, ThreadsSnapshot } from "../api/threads.js";

/** The result of `useThreads`: the snapshot's fields and the list's bound methods. */
export type UseThreads = ThreadsSnapshot & Omit<Threads, "subscribe" | "getSnapshot">;

/**
 * Renders a list of threads of `createThreads`. Mounting begins the first load.
 *
 * @example
 * function Sidebar({ threads, onOpen }) {
 *   const { threads: list, hasMore, loadMore, rename } = useThreads(threads);
 *   return (
 *     <nav>
 *       {list.map(({ threadId, title }) => <a key={threadId} onClick={() => onOpen(threadId)}>{title ?? "New chat"}</a>)}
 *       {hasMore && <button onClick={() => loadMore()}>More</button>}
 *     </nav>
 *   );
 * }
 */
export function useThreads(threads: Threads): UseThreads {
  const snapshot = useSyncExternalStore(threads.subscribe, threads.getSnapshot, threads.getSnapshot);
  return useMemo(() => {
    const { subscribe: _, getSnapshot: __, ...methods } = threads;
    return { ...snapshot, ...methods };
  }, [threads, snapshot]);
}
