// Paging back in a stored thread.

import type { Message, ThreadPage } from "../api/types.js";
import { askPage } from "./ask.js";
import type { RemoteClient } from "./client.js";
import type { Hidden } from "./hidden.js";
import { toEvents, withOlder } from "./page.js";

/** Pages asked for in a row that bring nothing new. */
const mostEmpty = 10;

/** The pages before the one that is shown. */
export interface Paging {
  /** Whether there is one. */
  readonly has: boolean;
  /** Shows the page before the first message. False: there is none, or nothing new in it. `reopen`: opens the thread once more; `ended`: nobody waits for it. */
  load(reopen: () => Promise<void>, ended: AbortSignal): Promise<boolean>;
  /** Pages begin anew, before this page. */
  begin(older: ThreadPage["older"], messages: readonly Message[]): void;
}

/** Nothing to page in yet. */
export function createPaging<State>(client: RemoteClient<State>, hidden: Hidden<State>): Paging {
  let before: string | undefined;
  // The messages before which older ones go.
  let front = new Set<string>();
  // A cursor that comes again leads nowhere.
  let seen = new Set<string>();
  let loading: Promise<boolean> | undefined;
  let begun = 0;

  const repeats = (what: string): void =>
    client.emitter.emit("warning", { code: "older-repeats", message: `The loader of the thread names ${what}: the thread is not paged further` });

  const turnTo = (older: ThreadPage["older"], messages: readonly Message[]): void => {
    const next = older === true ? messages[0]?.id : older || undefined;
    before = next === undefined || seen.has(next) ? undefined : next;
    if (before !== next) repeats(`the page ${JSON.stringify(next)} once more`);
    if (messages.length) front = new Set(messages.map(client.keyOf));
  };

  /** Shows a page before the thread. False: there is nothing new in it, or nothing that the guard lets pass. */
  const show = async (page: readonly Message[]): Promise<boolean> => {
    const { messages, threadId } = client.core();
    const all = withOlder(messages, page, client.keyOf);
    if (all === messages) return false;
    if (!client.options().guard) client.edit(messages, all);
    else {
      // The gate is in the way of runs. Shown messages are not judged again.
      const turn = begun;
      const runId = client.uuid();
      await hidden.play(runId, async () => {
        const { interrupts, messages: now } = client.core();
        return toEvents({ messages: turn === begun ? withOlder(now, page, client.keyOf) : now }, interrupts, runId, threadId);
      });
      const knownKeys = new Set(messages.map(client.keyOf));
      const brought = new Set(page.map(client.keyOf));
      if (!client.core().messages.some((message) => brought.has(client.keyOf(message)) && !knownKeys.has(client.keyOf(message)))) return false;
    }
    client.changed();
    return true;
  };

  const next = async (reopen: () => Promise<void>, ended: AbortSignal): Promise<boolean> => {
    client.use();
    await client.ready();
    // Another tab, which had the store meanwhile, has opened the thread for itself, and not so far back perhaps.
    if (before !== undefined && !client.core().messages.some((message) => front.has(client.keyOf(message)))) await reopen();
    const turn = begun;
    for (let empty = 0; before !== undefined && empty < mostEmpty; empty++) {
      const from = before;
      const page = await askPage(client, from, ended).catch((cause: unknown) => {
        if (!ended.aborted) throw cause;
        return undefined;
      });
      // Reloaded, or gone, meanwhile.
      if (turn !== begun || client.disposed()) return false;
      seen.add(from);
      turnTo(page?.older, page?.messages ?? []);
      if (await show(page?.messages ?? [])) return true;
    }
    if (before !== undefined) repeats(`${mostEmpty} pages in a row that have nothing new`);
    before = undefined;
    client.changed();
    return false;
  };

  return {
    get has() {
      return before !== undefined;
    },
    load: (reopen, ended) => (loading ??= next(reopen, ended).finally(() => (loading = undefined))),
    begin: (older, messages) => {
      begun++;
      seen = new Set();
      turnTo(older, messages);
    },
  };
}
