import type { ThreadInfo } from "ag-ui-wasm/threads";
import { forget, threads, titleOf } from "../shared/stored.js";
import { h, icon, list, say, set, type View } from "./dom.js";

/** The list of threads. It stays while other threads are shown. */
export interface Sidebar {
  readonly node: Element;
  /** Marks the thread that is shown. */
  show(threadId: string): void;
  dispose(): void;
}

/** The content of a row. */
interface Shown {
  readonly thread: ThreadInfo;
  readonly current: boolean;
  readonly pending: boolean;
}

/** @param onOpen told the id of a thread to show */
export function sidebar(onOpen: (threadId: string) => void): Sidebar {
  let open = "";
  const quiet = (): void => {}; // what fails is shown as the list's error
  const rows = h("ul", {});
  const more = h("button", { type: "button", class: "button", "data-testid": "thread-more", hidden: true, onclick: () => void threads.loadMore() }, "More");
  const reason = h("span", {});
  const again = h("button", { type: "button", class: "button", onclick: () => void threads.load() }, "Load again");
  const failure = h("p", { class: "threads-error", role: "alert", "data-testid": "threads-error", hidden: true }, reason, " ", again);
  const start = (): void => {
    const threadId = crypto.randomUUID();
    onOpen(threadId);
    threads.create({ threadId }).catch(quiet);
  };
  const node = h(
    "nav",
    { class: "threads", "aria-label": "Threads", "data-testid": "threads" },
    h("button", { type: "button", class: "button", "data-testid": "thread-new", onclick: start }, icon("plus"), " New thread"),
    rows,
    more,
    failure,
  );

  function rowOf(first: Shown): View<Shown> {
    const { threadId } = first.thread;
    const button = h("button", { type: "button", class: "thread", "data-testid": "thread-open", onclick: () => onOpen(threadId) });
    const field = h("input", {
      "aria-label": "Title",
      "data-testid": "thread-title",
      hidden: true,
      onblur: () => edit(false),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        if (event.key === "Enter") threads.rename(threadId, field.value).catch(quiet);
        edit(false);
      },
    });
    function edit(on: boolean): void {
      if (field.hidden === !on) return;
      field.hidden = !on;
      button.hidden = on;
      if (on) field.focus();
    }
    const rename = h("button", { type: "button", "data-testid": "thread-rename", onclick: () => edit(true) }, icon("edit"));
    const remove = h(
      "button",
      {
        type: "button",
        "data-testid": "thread-delete",
        onclick: () => {
          if (threadId === open) onOpen(crypto.randomUUID());
          threads.delete(threadId).then(() => forget(threadId), quiet);
        },
      },
      icon("close"),
    );
    const row = h("li", { "data-testid": "thread" }, button, field, rename, remove);
    function show({ thread, current, pending }: Shown): void {
      const title = titleOf(thread);
      say(button, title);
      if (field.hidden) field.value = thread.title ?? "";
      set(button, "aria-current", String(current));
      set(rename, "aria-label", `Rename ${title}`);
      set(remove, "aria-label", `Delete ${title}`);
      set(row, "data-running", String(thread.running === true));
      set(row, "data-pending", String(pending));
    }
    show(first);
    return { node: row, update: show };
  }

  const show = list<Shown>(rows, ({ thread }) => thread.threadId, rowOf);
  function update(): void {
    const { threads: shown, hasMore, isLoadingMore, pending, error, status } = threads.getSnapshot();
    set(node, "data-status", status);
    show(shown.map((thread) => ({ thread, current: thread.threadId === open, pending: pending.includes(thread.threadId) })));
    more.hidden = !hasMore;
    more.disabled = isLoadingMore;
    failure.hidden = error === undefined;
    say(reason, error?.message ?? "");
  }
  const off = threads.subscribe(update);
  update();
  return {
    node,
    show(threadId) {
      open = threadId;
      update();
    },
    dispose: off,
  };
}
