// Paging back in a stored thread.

import type { AgentSnapshot, Message, ThreadPage } from "../api/types.js";
import { askPage } from "./ask.js";
import type { RemoteClient } from "./client.js";
import type { Hidden } from "./hidden.js";
import { toEvents, withOlder } from "./page.js";

/** Pages asked for in a row that bring nothing new. */
const mostEmpty = 10;

/** The pages before the one that is shown. There is nothing to page in yet. */
export class Paging<State> {
  // The page that comes next.
  #page: string | undefined;
  // The messages before which its messages go.
  #front = new Set<string>();
  // The first message that this page had, that which is shown now, and whether another tab shows less.
  #first: string | undefined;
  #head: string | undefined;
  #isCut = false;
  // A page that comes again leads nowhere. Pages that begin anew have another set.
  #seen = new Set<string>();
  // Results whose calls stand on a page before: the core has no place for them until then.
  #results: readonly Message[] = [];
  #loading: Promise<boolean> | undefined;

  constructor(private readonly client: RemoteClient<State>, private readonly hidden: Hidden<State>) {}

  /** Whether there is one, or another tab has left out what was shown first. */
  get has(): boolean {
    return this.#isCut || this.#page !== undefined;
  }

  /** The core has this thread now. */
  see({ messages }: Pick<AgentSnapshot<State>, "messages">): void {
    const { client } = this;
    const before = this.#head;
    this.#head = messages[0] && client.keyOf(messages[0]);
    if (this.#head === before) return;
    const isGone = this.#first !== undefined && !messages.some((message) => client.keyOf(message) === this.#first);
    this.#isCut = (this.#isCut || client.isRead()) && isGone;
    if (!this.#isCut) this.#first = this.#head;
  }

  /** Pages begin anew, before this page. */
  begin(older: ThreadPage["older"], messages: readonly Message[]): void {
    this.#accept();
    this.#seen = new Set();
    this.#results = [];
    this.#turnTo(older, messages);
  }

  /**
   * Shows the page before the first message. False: there is none, or nothing new in it. `reopen`: opens the thread once more; `ended`: nobody
   * waits for it.
   */
  load(reopen: () => Promise<void>, ended: AbortSignal): Promise<boolean> {
    return (this.#loading ??= this.#next(reopen, ended).finally(() => (this.#loading = undefined)));
  }

  async #next(reopen: () => Promise<void>, ended: AbortSignal): Promise<boolean> {
    const { client } = this;
    client.use();
    await client.ready();
    const hasFront = (): boolean => client.core().messages.some((message) => this.#front.has(client.keyOf(message)));
    // Another tab, which had the store meanwhile, has opened the thread for itself, and not so far back perhaps.
    if (this.#isCut || (this.#page !== undefined && !hasFront())) await reopen();
    const seen = this.#seen;
    const isCurrent = (): boolean => this.#seen === seen;
    for (let empty = 0; this.#page !== undefined && empty < mostEmpty; empty++) {
      const page = await askPage(client, this.#page, ended).catch((cause: unknown) => {
        if (!ended.aborted) throw cause;
        return undefined;
      });
      // Reloaded, or gone, meanwhile.
      if (!isCurrent() || client.disposed()) return false;
      const messages = this.#turnTo(page?.older, page?.messages ?? []);
      if (await show(client, this.hidden, messages, isCurrent)) return true;
    }
    if (this.#page !== undefined) this.#repeats(`${mostEmpty} pages in a row that have nothing new`);
    this.#accept();
    client.changed();
    return false;
  }

  /** The page has come: the next one is that before it. Returns its messages, and the results that have waited for them. */
  #turnTo(older: ThreadPage["older"], messages: readonly Message[]): readonly Message[] {
    const { client } = this;
    if (this.#page !== undefined) this.#seen.add(this.#page);
    const next = older === true ? messages[0]?.id : older || undefined;
    this.#page = next === undefined || this.#seen.has(next) ? undefined : next;
    if (this.#page !== next) this.#repeats(`the page ${JSON.stringify(next)} once more`);
    if (messages.length) this.#front = new Set(messages.map(client.keyOf));
    const all = [...messages, ...this.#results];
    this.#results = withoutCalls(all);
    return all;
  }

  /** The page knows of nothing before what is shown. */
  #accept(): void {
    this.#page = undefined;
    this.#isCut = false;
    this.#first = this.#head;
  }

  #repeats(what: string): void {
    const message = `The loader of the thread names ${what}: the thread is not paged further`;
    this.client.emitter.emit("warning", { code: "older-repeats", message });
  }
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
