// `ag-ui-wasm/threads`: the list of a user's threads.

export { createThreads, type CreateThreadsOptions } from "./threads.js";
export type { ThreadInfo, ThreadListPage, ThreadListRequest, Threads, ThreadsSnapshot, ThreadsSource } from "../api/threads.js";
