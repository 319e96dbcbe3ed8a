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

/** A failure is shown as the list's error. */
const quiet = (): void => {};

/** @param onOpen called with the id of a thread to show */
export function sidebar(onOpen: (threadId: string) => void): Sidebar {
  let open = "";
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

  const show = list<Shown>(rows, ({ thread }) => thread.threadId, (row) => threadRow(row, onOpen));
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

/** A thread in the list. */
function threadRow(first: Shown, onOpen: (threadId: string) => void): View<Shown> {
  const { threadId } = first.thread;
  let { current } = first;
  const open = h("button", { type: "button", class: "thread", "data-testid": "thread-open", onclick: () => onOpen(threadId) });
  const title = titleField(threadId, (editing) => void (open.hidden = editing));
  const rename = h("button", { type: "button", "data-testid": "thread-rename", onclick: () => title.edit() }, icon("edit"));
  const onDelete = (): void => {
    if (current) onOpen(crypto.randomUUID());
    threads.delete(threadId).then(() => forget(threadId), quiet);
  };
  const remove = h("button", { type: "button", "data-testid": "thread-delete", onclick: onDelete }, icon("close"));
  const row = h("li", { "data-testid": "thread" }, open, title.node, rename, remove);
  function update(shown: Shown): void {
    const { thread, pending } = shown;
    ({ current } = shown);
    const name = titleOf(thread);
    say(open, name);
    title.show(thread.title ?? "");
    set(open, "aria-current", String(current));
    set(rename, "aria-label", `Rename ${name}`);
    set(remove, "aria-label", `Delete ${name}`);
    set(row, "data-running", String(thread.running === true));
    set(row, "data-pending", String(pending));
  }
  update(first);
  return { node: row, update };
}

/** The field in which a thread is renamed, hidden until then. `onEdit` is called when that begins and ends. */
function titleField(threadId: string, onEdit: (editing: boolean) => void) {
  const node = h("input", {
    "aria-label": "Title",
    "data-testid": "thread-title",
    hidden: true,
    onblur: () => show(false),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      if (event.key === "Enter") threads.rename(threadId, node.value).catch(quiet);
      show(false);
    },
  });
  function show(editing: boolean): void {
    if (node.hidden === !editing) return;
    node.hidden = !editing;
    onEdit(editing);
    if (editing) node.focus();
  }
  return {
    node,
    edit: () => show(true),
    /** Shows the title, unless it is being edited. */
    show(title: string): void {
      if (node.hidden) node.value = title;
    },
  };
}
