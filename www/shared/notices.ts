/** Custom events and warnings as notices: shown for a while, kept in a list. A store in Svelte's sense. */
import type { Agent } from "ag-ui-wasm";
import { listenForReceipts } from "./receipts.js";

export interface Notice {
  readonly id: number;
  readonly level: "info" | "success" | "warning";
  readonly title: string;
  readonly text: string;
  /** Whether it still floats over the page. */
  readonly fresh: boolean;
}

const FRESH_MS = 8000;
const KEPT = 50;

export class Notices {
  #list: readonly Notice[] = [];
  #next = 1;
  #listeners = new Set<(list: readonly Notice[]) => void>();

  /** Listens to an agent; the answer stops it. */
  listen(agent: Agent): () => void {
    // Notices without a title of their own are kept in the list, and do not float: some systems send many.
    const offs = [
      agent.on("custom", (event) =>
        event.type === "state_update"
          ? this.#add({ level: "info", title: "State update", text: JSON.stringify(event.data) })
          : this.#custom(event.name, event.data)),
      agent.on("decision", ({ allowed, eventType, reason = "" }) => {
        if (!allowed) this.#add({ level: "warning", title: `Blocked: ${eventType}`, text: reason });
      }),
      listenForReceipts(
        agent,
        ({ good, text }) => this.#add({ level: good ? "success" : "warning", title: good ? "Receipt verified" : "Receipt", text }, false),
      ),
      agent.on("warning", ({ code, message }) => {
        if (code === "event-blocked") return; // each decision has been told
        this.#add({ level: "warning", title: `Warning: ${code}`, text: message });
      }),
    ];
    return () => offs.forEach((off) => off());
  }

  readonly get = (): readonly Notice[] => this.#list;

  readonly subscribe = (listener: (list: readonly Notice[]) => void): () => void => {
    this.#listeners.add(listener);
    listener(this.#list);
    return () => this.#listeners.delete(listener);
  };

  /** Lets a notice go from over the page; the list keeps it. */
  readonly settle = (id: number): void => {
    this.#set(this.#list.map((notice) => (notice.id === id ? { ...notice, fresh: false } : notice)));
  };

  readonly clear = (): void => this.#set([]);

  #custom(name: string, data: unknown): void {
    if (name === "chio.receipt") return; // the verdict on it is told
    const notice = read(data);
    if (notice !== undefined) this.#add(notice);
    else this.#add({ level: "info", title: name, text: JSON.stringify(data) }, false);
  }

  #add(notice: Omit<Notice, "id" | "fresh">, fresh = true): void {
    const id = this.#next++;
    this.#set([...this.#list, { ...notice, id, fresh }].slice(-KEPT));
    if (fresh) setTimeout(this.settle, FRESH_MS, id);
  }

  #set(list: readonly Notice[]): void {
    this.#list = list;
    for (const listener of this.#listeners) listener(list);
  }
}

/** A notice that an event holds: itself, or what its system wraps. */
function read(data: unknown): Omit<Notice, "id" | "fresh"> | undefined {
  const whole = record(data);
  const { level, title, text } = [whole, record(whole["payload"]), record(whole["safePayload"])].find(
    (part) => typeof part["title"] === "string",
  ) ?? { title: undefined };
  if (typeof title !== "string") return undefined;
  return {
    level: level === "success" || level === "warning" ? level : "info",
    title,
    text: typeof text === "string" ? text : "",
  };
}

const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? { ...value } : {});
