// Paging back in a stored thread.

import type { AgentSnapshot, Message, ThreadPage } from "../api/types.js";
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
  /** The core has this thread now. */
  see(core: Pick<AgentSnapshot<unknown>, "messages">): void;
  /** Shows the page before the first message. False: there is none, or nothing new in it. `reopen`: opens the thread once more; `ended`: nobody waits for it. */
  load(reopen: () => Promise<void>, ended: AbortSignal): Promise<boolean>;
  /** Pages begin anew, before this page. */
  begin(older: ThreadPage["older"], messages: readonly Message[]): void;
}

/** Nothing to page in yet. */
export function createPaging<State>(client: RemoteClient<State>, hidden: Hidden<State>): Paging {
  const cursor = createCursor(client);
  let loading: Promise<boolean> | undefined;
  let begun = 0;

  const next = async (reopen: () => Promise<void>, ended: AbortSignal): Promise<boolean> => {
    client.use();
    await client.ready();
    // Another tab, which had the store meanwhile, has opened the thread for itself, and not so far back perhaps.
    if (cursor.isCut || (cursor.page !== undefined && !cursor.hasFront())) await reopen();
    const turn = begun;
    const isCurrent = (): boolean => turn === begun;
    for (let empty = 0; cursor.page !== undefined && empty < mostEmpty; empty++) {
      const page = await askPage(client, cursor.page, ended).catch((cause: unknown) => {
        if (!ended.aborted) throw cause;
        return undefined;
      });
      // Reloaded, or gone, meanwhile.
      if (!isCurrent() || client.disposed()) return false;
      const messages = cursor.turnTo(page?.older, page?.messages ?? []);
      if (await show(client, hidden, messages, isCurrent)) return true;
    }
    cursor.end();
    client.changed();
    return false;
  };

  return {
    get has() {
      return cursor.isCut || cursor.page !== undefined;
    },
    see: cursor.see,
    load: (reopen, ended) => (loading ??= next(reopen, ended).finally(() => (loading = undefined))),
    begin: (older, messages) => {
      begun++;
      cursor.begin(older, messages);
    },
  };
}

/** The place in the stored thread up to which it is shown. */
function createCursor<State>(client: RemoteClient<State>) {
  // The page that comes next.
  let page: string | undefined;
  // The messages before which its messages go.
  let front = new Set<string>();
  // The first message that this page had, that which is shown now, and whether another tab shows less.
  let first: string | undefined;
  let head: string | undefined;
  let isCut = false;
  // A page that comes again leads nowhere.
  let seen = new Set<string>();
  // Results whose calls stand on a page before: the core has no place for them until then.
  let results: readonly Message[] = [];

  const repeats = (what: string): void =>
    client.emitter.emit("warning", { code: "older-repeats", message: `The loader of the thread names ${what}: the thread is not paged further` });
  const turnTo = (older: ThreadPage["older"], messages: readonly Message[]): readonly Message[] => {
    if (page !== undefined) seen.add(page);
    const next = older === true ? messages[0]?.id : older || undefined;
    page = next === undefined || seen.has(next) ? undefined : next;
    if (page !== next) repeats(`the page ${JSON.stringify(next)} once more`);
    if (messages.length) front = new Set(messages.map(client.keyOf));
    const all = [...messages, ...results];
    results = withoutCalls(all);
    return all;
  };
  /** The page knows of nothing before what is shown. */
  const accept = (): void => {
    isCut = false;
    first = head;
  };
  return {
    get page() {
      return page;
    },
    /** Whether another tab has left out what was shown first. */
    get isCut() {
      return isCut;
    },
    /** Whether a message of the last page is shown. */
    hasFront: (): boolean => client.core().messages.some((message) => front.has(client.keyOf(message))),
    see: ({ messages }: Pick<AgentSnapshot<unknown>, "messages">): void => {
      const before = head;
      head = messages[0] && client.keyOf(messages[0]);
      if (head === before) return;
      isCut = (isCut || client.isRead()) && first !== undefined && !messages.some((message) => client.keyOf(message) === first);
      if (!isCut) first = head;
    },
    /** The page has come: the next one is that before it. Returns its messages, and the results that have waited for them. */
    turnTo,
    /** The thread is opened anew: the next page is that before these messages. */
    begin: (older: ThreadPage["older"], messages: readonly Message[]): void => {
      page = undefined;
      accept();
      seen = new Set();
      results = [];
      turnTo(older, messages);
    },
    /** There is none, or only pages that have nothing new. */
    end: (): void => {
      if (page !== undefined) repeats(`${mostEmpty} pages in a row that have nothing new`);
      page = undefined;
      accept();
    },
  };
}

/** The results whose calls are not there. */
function withoutCalls(messages: readonly Message[]): readonly Message[] {
  const calls = new Set(messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [])));
  return messages.filter((message) => message.role === "tool" && !calls.has(message.toolCallId));
}

/** Shows a page before the thread. False: there is nothing new in it, or nothing that the guard lets pass. */
async function show<State>(client: RemoteClient<State>, hidden: Hidden<State>, page: readonly Message[], isCurrent: () => boolean): Promise<boolean> {
  const { keyOf } = client;
  const { messages, threadId } = client.core();
  const all = withOlder(messages, page, keyOf);
  if (all === messages) return false;
  if (!client.options().guard) client.edit(messages, all);
  else {
    // The gate is in the way of runs. Shown messages are not judged again.
    const runId = client.uuid();
    await hidden.play(runId, async () => {
      const { interrupts, messages: now } = client.core();
      return toEvents({ messages: isCurrent() ? withOlder(now, page, keyOf) : now }, interrupts, runId, threadId);
    });
    const knownKeys = new Set(messages.map(keyOf));
    const brought = new Set(page.map(keyOf));
    if (!client.core().messages.some((message) => brought.has(keyOf(message)) && !knownKeys.has(keyOf(message)))) return false;
  }
  client.changed();
  return true;
}
