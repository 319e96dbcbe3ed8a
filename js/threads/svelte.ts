import { createSubscriber } from "svelte/reactivity";
import type { Threads, ThreadsSnapshot } from "../api/threads.js";

/** The result of `useThreads`: the snapshot's fields as reactive getters, and the list's methods. */
export type UseThreads = ThreadsSnapshot & Omit<Threads, "subscribe" | "getSnapshot">;

/**
 * A list of threads of `createThreads`, or a function that returns one. Its fields are reactive wherever they are read; don't
 * destructure them. Reading them in a component begins the first load.
 *
 * @example
 * <script>
 *   import { useThreads } from "ag-ui-wasm/threads/svelte";
 *   const { list } = $props();
 *   const threads = useThreads(() => list);
 * </script>
 * {#each threads.threads as { threadId, title } (threadId)}<a href="/{threadId}">{title ?? "New chat"}</a>{/each}
 */
export function useThreads(target: Threads | (() => Threads)): UseThreads {
  const make = (threads: Threads) => ({ threads, track: createSubscriber((update) => threads.subscribe(update)) });
  let made: ReturnType<typeof make> | undefined;
  const current = () => {
    const threads = typeof target === "function" ? target() : target;
    return made?.threads === threads ? made : (made = make(threads));
  };
  const { threads } = current();
  const view = {} as UseThreads;
  const define = (name: string, get: () => unknown) => Object.defineProperty(view, name, { get, enumerable: true });
  for (const name of Object.keys(threads).filter((key) => key !== "subscribe" && key !== "getSnapshot")) {
    const method = (...args: unknown[]) => Reflect.get(current().threads, name)(...args);
    define(name, () => method);
  }
  for (const name of Object.keys(threads.getSnapshot())) {
    define(name, () => {
      const { threads: now, track } = current();
      track();
      return Reflect.get(now.getSnapshot(), name);
    });
  }
  return view;
}
