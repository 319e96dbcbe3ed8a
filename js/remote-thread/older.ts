// Paging back in a stored thread.

import type { Message, ThreadPage } from "../api/types.js";
import { createRequest, errorOf } from "./ask.js";
import type { RemoteClient } from "./client.js";
import type { Hidden } from "./hidden.js";
import { checkPage, toEvents, withOlder } from "./page.js";

/** Pages asked for in a row that bring nothing new. */
const mostEmpty = 10;

/** The pages before the one that is shown. */
export interface Paging {
  /** Whether there is one. */
  readonly has: boolean;
  /** Shows the page before the first message. False: there is none, or nothing new in it. */
  load(): Promise<boolean>;
  /** Pages begin anew, before this page. */
  begin(older: ThreadPage["older"], messages: readonly Message[]): void;
  /** Calls a loader with a time limit. */
  ask(before: string | undefined, signal: AbortSignal): Promise<ThreadPage | undefined>;
}

/** Nothing to page in yet. */
export function createPaging<State>(client: RemoteClient<State>, hidden: Hidden<State>): Paging {
  let before: string | undefined;
  // A cursor that comes again leads nowhere.
  let seen = new Set<string>();
  let loading: Promise<boolean> | undefined;
  let begun = 0;

  const turnTo = (older: ThreadPage["older"], messages: readonly Message[]): void => {
    const next = older === true ? messages[0]?.id : older || undefined;
    before = next === undefined || seen.has(next) ? undefined : next;
  };

  const ask: Paging["ask"] = async (from, signal) => {
    const { thread } = client.options();
    const load = thread?.load;
    if (typeof load !== "function") return undefined;
    const { threadId } = client.core();
    const limit = thread?.limit;
    const timeoutMs = thread?.timeoutMs ?? 30_000;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal.addEventListener("abort", stop);
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        const end = (): void =>
          reject(client.error({ kind: "connection", code: "thread", retryable: true, message: "The loader of the thread has not answered" }));
        if (timeoutMs > 0 && timeoutMs !== Infinity) timer = setTimeout(() => (end(), stop()), timeoutMs);
        controller.signal.addEventListener("abort", end);
      });
      const request = await createRequest(client, controller.signal);
      const page = await Promise.race([load({ ...request, threadId, before: from, limit }), late]);
      return checkPage(client, page, threadId, (message) => client.emitter.emit("warning", { code: "message-malformed", message }));
    } catch (cause) {
      const error = errorOf(client, cause, "The thread could not be loaded");
      if (error.status === 404 || error.status === 410) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  };

  /** Shows a page before the thread. False: there is nothing new in it, or nothing that the guard lets pass. */
  const show = async (page: readonly Message[]): Promise<boolean> => {
    const { messages, threadId } = client.core();
    const all = withOlder(messages, page, client.keyOf);
    if (all === messages) return false;
    if (!client.options().guard) client.edit(messages, all);
    else {
      // The gate is in the way of runs. What is shown already is not judged again.
      const turn = begun;
      const runId = client.uuid();
      await hidden.play(runId, async () => {
        const { interrupts, messages: now } = client.core();
        return toEvents({ messages: turn === begun ? withOlder(now, page, client.keyOf) : now }, interrupts, runId, threadId);
      });
      const known = new Set(messages.map(client.keyOf));
      const brought = new Set(page.map(client.keyOf));
      if (!client.core().messages.some((message) => brought.has(client.keyOf(message)) && !known.has(client.keyOf(message)))) return false;
    }
    client.changed();
    return true;
  };

  const next = async (): Promise<boolean> => {
    const turn = begun;
    for (let empty = 0; before !== undefined && empty < mostEmpty; empty++) {
      const from = before;
      const page = await ask(from, new AbortController().signal);
      // Reloaded, or gone, meanwhile.
      if (turn !== begun || client.disposed()) return false;
      seen.add(from);
      turnTo(page?.older, page?.messages ?? []);
      if (await show(page?.messages ?? [])) return true;
    }
    before = undefined;
    client.changed();
    return false;
  };

  return {
    get has() {
      return before !== undefined;
    },
    load: () => (loading ??= next().finally(() => (loading = undefined))),
    begin: (older, messages) => {
      begun++;
      seen = new Set();
      turnTo(older, messages);
    },
    ask,
  };
}
