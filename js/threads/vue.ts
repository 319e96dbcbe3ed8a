import { computed, getCurrentInstance, onScopeDispose, shallowRef, type ComputedRef } from "vue";
import type { Threads, ThreadsSnapshot } from "../api/threads.js";

/** The result of `useThreads`: the snapshot's fields as refs, and the list's methods. */
export type UseThreads = { readonly [Name in keyof ThreadsSnapshot]: ComputedRef<ThreadsSnapshot[Name]> } & Omit<Threads, "subscribe" | "getSnapshot">;

/**
 * A list of threads of `createThreads`: its fields are refs. Calling it begins the first load, except on a server.
 *
 * @example
 * <script setup>
 * import { useThreads } from "ag-ui-wasm/threads/vue";
 * const { list } = defineProps(["list"]);
 * const { threads, hasMore, loadMore } = useThreads(list);
 * </script>
 *
 * <template>
 *   <a v-for="{ threadId, title } in threads" :key="threadId">{{ title ?? "New chat" }}</a>
 *   <button v-if="hasMore" @click="loadMore()">More</button>
 * </template>
 */
export function useThreads(threads: Threads): UseThreads {
  const { subscribe, getSnapshot, ...methods } = threads;
  const snapshot = shallowRef(getSnapshot());
  // A server renders once, and ends no scope.
  if (typeof document !== "undefined" || !getCurrentInstance()) onScopeDispose(subscribe(() => void (snapshot.value = getSnapshot())));
  const fields = Object.keys(snapshot.value).map((name) => [name, computed(() => Reflect.get(snapshot.value, name))]);
  return { ...methods, ...Object.fromEntries(fields) } as UseThreads;
}
